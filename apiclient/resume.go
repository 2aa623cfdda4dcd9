package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"housecount/apiclient/profile"
)

// maxResume is the longest text that is read as a place to go on from.
const maxResume = 32 << 10

func (w *streamRead) mark() mark {
	return mark{Version: 2, Profile: w.c.profile.Name, Stream: w.s.Name, Since: w.q.UpdatedSince.Unix(), EventID: w.q.EventID}
}

// token is the text by which a read goes on at next, after the page at here,
// or with the list that follows when there is no more; empty when none does. Where next is
// a guess, it leads to the page at here again.
func (r *listRead) token(next pagePosition, more bool) string {
	m := r.w.mark()
	m.Size, m.Pages = r.size, r.w.pages
	switch {
	case !more && r.following == "":
		return ""
	case !more:
		m.Key, m.Number, m.Place = r.following, 1, begin(r.rule)
	case len(r.guesses) > 0:
		m.Key, m.Seen, m.Number, m.FromOne, m.Place = r.list.Key, r.seen-r.fresh, r.number, r.fromOne, r.here
		m.Pages--
	default:
		m.Key, m.Seen, m.Number, m.FromOne, m.Place = r.list.Key, r.seen, r.number+1, r.fromOne, next
	}
	text, _ := json.Marshal(m) // cannot fail for numbers and texts
	return base64.RawURLEncoding.EncodeToString(text)
}

// resume lets w begin at the place that token tells. A token is a text from outside like any
// other: it cannot lead to another origin, nor to another parameter than those we use.
func (w *streamRead) resume(token string) error {
	var m mark
	text, err := base64.RawURLEncoding.DecodeString(token)
	if len(token) > maxResume || err != nil || json.Unmarshal(text, &m) != nil || m.Version != 2 {
		return errors.New("the place in From is none of our texts; begin anew")
	}
	want := w.mark()
	if m.Profile != want.Profile || m.Stream != want.Stream || m.Since != want.Since || m.EventID != want.EventID {
		return errors.New("the place in From belongs to another query; begin anew")
	}
	p := m.Place
	follows := p.Style == profile.PagingNext || p.Style == profile.PagingLinkHeader
	switch {
	case p.Style == profile.PagingAuto || p.Style == profile.PagingBare && m.Key == "" || !slices.Contains(profile.Pagings, p.Style),
		!slices.Contains([]string{"", w.rule.Param, "page[number]", "cursor", "continuation", "start_after_id", "starting_after"}, p.Param),
		m.Size < 1, m.Size > profile.MaxRows, m.Seen < 0, m.Number < 1, m.Pages < 0, p.N < 0, len(p.At) > maxLink,
		follows && p.At != "" && !strings.HasPrefix(p.At, "/"):
		return errors.New("the place in From is none of our texts; begin anew")
	case w.rule.Style != profile.PagingAuto && p.Style != w.rule.Style:
		return errors.New("the place in From belongs to another way of paging; begin anew")
	}
	if follows && p.At != "" {
		if _, err := follow(w.c.base, p.At); err != nil {
			return errors.New("the place in From is none of our texts; begin anew")
		}
	}
	w.from, w.pages = m, m.Pages
	return nil
}

// goOn sets r at the place of m.
func (r *listRead) goOn(m mark) {
	r.here, r.size, r.seen, r.number, r.fromOne = m.Place, m.Size, m.Seen, m.Number, m.FromOne
}

// say completes what r's answer said about itself by what is known of the read.
func (w *streamRead) say(r *listRead, said *Page, next pagePosition, more bool) {
	said.Number = w.pages
	said.Style = r.how
	said.Unfiltered = w.found.IgnoresSince
	said.Found = w.found
	if w.s.OverStream != nil {
		said.ServerTime = w.began
		if r.number == 1 && said.Total >= 0 {
			w.totals++
			w.total += said.Total
		}
		if said.Total = -1; w.totals == len(w.lists) && w.from.Version == 0 {
			said.Total = w.total
		}
	}
	said.Resume = r.token(next, more)
}
