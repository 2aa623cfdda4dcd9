package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// maxResume is the longest text that is read as a place to go on from.
const maxResume = 32 << 10

// mark is a place in a list to go on from, with the query that it belongs to.
type mark struct {
	Version int    `json:"v"`
	Kind    Kind   `json:"k"`
	Since   int64  `json:"u"` // Unix seconds
	EventID string `json:"e,omitempty"`
	Size    int    `json:"l"`
	Seen    int    `json:"r"`
	Number  int    `json:"i"`
	FromOne bool   `json:"o,omitempty"`
	Place   place  `json:"w"`
}

func (r *reading) mark() mark {
	return mark{Version: 1, Kind: r.kind, Since: r.q.UpdatedSince.Unix(), EventID: r.q.EventID}
}

// token is the text by which a read goes on at next, after the page at here of rows rows;
// empty when there is no more. Where next is a guess, it leads to the page at here again.
func (r *reading) token(next place, more bool, rows int) string {
	if !more {
		return ""
	}
	m := r.mark()
	m.Size, m.Seen, m.Number, m.FromOne, m.Place = r.size, r.seen, r.number+1, r.fromOne, next
	if len(r.guesses) > 0 {
		m.Seen, m.Number, m.Place = r.seen-rows, r.number, r.here
	}
	text, _ := json.Marshal(m) // cannot fail for numbers and texts
	return base64.RawURLEncoding.EncodeToString(text)
}

// resume sets r at the place that token tells. A token is a text from outside like any
// other: it cannot lead to another origin, nor to another parameter than those we use.
func (r *reading) resume(token string) error {
	var m mark
	text, err := base64.RawURLEncoding.DecodeString(token)
	if len(token) > maxResume || err != nil || json.Unmarshal(text, &m) != nil || m.Version != 1 {
		return errors.New("the place in From is none of our texts; begin anew")
	}
	want := r.mark()
	if m.Kind != want.Kind || m.Since != want.Since || m.EventID != want.EventID {
		return errors.New("the place in From belongs to another query; begin anew")
	}
	p := m.Place
	follows := p.Style == PagingNext || p.Style == PagingLinkHeader
	switch {
	case p.Style == PagingAuto || p.Style == PagingBare || !slices.Contains(Pagings, p.Style),
		!slices.Contains([]string{"", "page[number]", "cursor", "continuation", "start_after_id", "starting_after"}, p.Param),
		m.Size < 1, m.Size > maxRows, m.Seen < 0, m.Number < 1, p.N < 0, len(p.At) > maxLink,
		follows && !strings.HasPrefix(p.At, "/"):
		return errors.New("the place in From is none of our texts; begin anew")
	case !r.auto && p.Style != r.here.Style:
		return errors.New("the place in From belongs to another way of paging; begin anew")
	}
	if follows {
		if _, err := follow(r.c.base, p.At); err != nil {
			return errors.New("the place in From is none of our texts; begin anew")
		}
	}
	r.here, r.size, r.seen, r.number, r.fromOne = p, m.Size, m.Seen, m.Number, m.FromOne
	return nil
}
