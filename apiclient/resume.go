package apiclient

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"housecount/apiclient/profile"
)

// resumePoint is a position in a stream with the query that it belongs to.
type resumePoint struct {
	Version int          `json:"v"`
	Profile string       `json:"f"`
	Stream  string       `json:"k"`
	Since   int64        `json:"u"` // Unix seconds
	EventID string       `json:"e,omitempty"`
	Size    int          `json:"l"`
	Pages   int          `json:"n"`           // read of the whole stream
	Key     string       `json:"y,omitempty"` // of the list; the fields below are about that list
	Seen    int          `json:"r"`
	Number  int          `json:"i"`
	FromOne bool         `json:"o,omitempty"`
	Place   pagePosition `json:"w"`
}

// maxResume is the longest Query.From that is read.
const maxResume = 32 << 10

// resumePoint returns the part of a resume point that identifies the query.
func (sr *streamRead) resumePoint() resumePoint {
	return resumePoint{Version: 2, Profile: sr.c.profile.Name, Stream: sr.s.Name, Since: sr.q.UpdatedSince.Unix(), EventID: sr.q.EventID}
}

// resumeToken returns the Page.Resume with which a read continues at next, after the page at here,
// or with the following list if there is no more; it is empty at the end. If next is only an
// alternative, the token leads to the page at here again.
func (r *listRead) resumeToken(next pagePosition, more bool) string {
	m := r.sr.resumePoint()
	m.Size, m.Pages = r.size, r.sr.pages
	switch {
	case !more && r.nextKey == "":
		return ""
	case !more:
		m.Key, m.Number, m.Place = r.nextKey, 1, firstPosition(r.rule)
	case len(r.alternatives) > 0:
		m.Key, m.Seen, m.Number, m.FromOne, m.Place = r.parent.Key, r.seen-r.newRows, r.number, r.fromOne, r.here
		m.Pages--
	default:
		m.Key, m.Seen, m.Number, m.FromOne, m.Place = r.parent.Key, r.seen, r.number+1, r.fromOne, next
	}
	text, _ := json.Marshal(m) // cannot fail for numbers and strings
	return base64.RawURLEncoding.EncodeToString(text)
}

// resume makes the read start where token says. A token is untrusted input: it cannot lead to
// another origin or to parameters that we do not use.
func (sr *streamRead) resume(token string) error {
	var m resumePoint
	text, err := base64.RawURLEncoding.DecodeString(token)
	if len(token) > maxResume || err != nil || json.Unmarshal(text, &m) != nil || m.Version != 2 {
		return errors.New("the place in From is none of our texts; begin anew")
	}
	want := sr.resumePoint()
	if m.Profile != want.Profile || m.Stream != want.Stream || m.Since != want.Since || m.EventID != want.EventID {
		return errors.New("the place in From belongs to another query; begin anew")
	}
	p := m.Place
	follows := p.Style == profile.PagingNext || p.Style == profile.PagingLinkHeader
	switch {
	case p.Style == profile.PagingAuto || p.Style == profile.PagingBare && m.Key == "" || !slices.Contains(profile.Pagings, p.Style),
		!slices.Contains([]string{"", sr.rule.Param, "page[number]", "cursor", "continuation", "start_after_id", "starting_after"}, p.Param),
		m.Size < 1, m.Size > profile.MaxRows, m.Seen < 0, m.Number < 1, m.Pages < 0, p.N < 0, len(p.At) > maxLink,
		follows && p.At != "" && !strings.HasPrefix(p.At, "/"):
		return errors.New("the place in From is none of our texts; begin anew")
	case sr.rule.Style != profile.PagingAuto && p.Style != sr.rule.Style:
		return errors.New("the place in From belongs to another way of paging; begin anew")
	}
	if follows && p.At != "" {
		if _, err := resolvePath(sr.c.baseOf(sr.s), p.At); err != nil {
			return errors.New("the place in From is none of our texts; begin anew")
		}
	}
	sr.from, sr.pages = m, m.Pages
	return nil
}

// resumeAt makes r start at m.
func (r *listRead) resumeAt(m resumePoint) {
	r.here, r.size, r.seen, r.number, r.fromOne = m.Place, m.Size, m.Seen, m.Number, m.FromOne
}

// completeReport fills in what the response alone does not say about its page.
func (sr *streamRead) completeReport(r *listRead, report *Page, next pagePosition, more bool) {
	report.Number = sr.pages
	report.Style = r.foundBy
	report.Unfiltered, report.Older = sr.found.IgnoresSince, sr.olderCame
	report.Found = sr.found
	if sr.s.OverStream != nil {
		report.ServerTime = sr.parentTime
	}
	if sr.s.OverStream != nil || sr.windows != nil {
		if r.number == 1 && report.Total >= 0 {
			sr.totalsReported++
			sr.total += report.Total
		}
		if report.Total = -1; sr.totalsReported == len(sr.lists) && sr.from.Version == 0 {
			report.Total = sr.total
		}
	}
	report.Resume = r.resumeToken(next, more)
}
