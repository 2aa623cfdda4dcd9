package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/query"
	"housecount/web/words"
)

// Request is which page to render, for which access, and in which language. Equal requests show the same.
type Request struct {
	Page   string // its name in the table
	Params query.Params
	Access Access
	Locale Locale
}

// Errors of NewRequest, besides a *ParamError.
var (
	ErrNotFound  = errors.New("web: no such page")
	ErrForbidden = errors.New("web: the page is not within the access")
)

// NewRequest reads a request for a page. Its error is ErrNotFound if there is no such page, ErrForbidden if
// the access does not include it, and a *query.Error if a parameter is wrong. A page that the access
// excludes whatever its parameters is refused before the parameters are read.
func NewRequest(page string, values url.Values, a Access, l Locale) (Request, error) {
	p := PageNamed(page)
	switch {
	case p == nil:
		return Request{}, ErrNotFound
	case !a.valid() || !p.May(a):
		return Request{}, ErrForbidden
	case words.Of(l) == nil:
		return Request{}, fmt.Errorf("web: no locale %q", l)
	}
	params, err := query.Read(p.Params, values)
	if err != nil {
		return Request{}, err
	}
	if !p.Visible(a, params) {
		return Request{}, ErrForbidden
	}
	if own := params.Values().Get(LanguageParam); own != "" {
		l = Locale(own)
	}
	return Request{page, params, a, l}, nil
}

// LanguageParam is the parameter of a page whose language does not depend on the viewer.
const LanguageParam = "language"

// check returns an error unless NewRequest could have made the request.
func (q Request) check() error {
	values, err := url.ParseQuery(string(q.Params))
	if err != nil {
		return fmt.Errorf("web: request for %q: %w", q.Page, err)
	}
	normal, err := NewRequest(q.Page, values, q.Access, q.Locale)
	if err != nil {
		return fmt.Errorf("web: request for %q: %w", q.Page, err)
	}
	if normal != q {
		return fmt.Errorf("web: request for %q: parameters %q are not in their normal form %q", q.Page, q.Params, normal.Params)
	}
	return nil
}

// Topic returns the live topic of the request: locale/access/page, then the parameters as a query.
func (q Request) Topic() string {
	topic := string(q.Locale) + "/" + q.Access.String() + "/" + q.Page
	if q.Params != "" {
		topic += "?" + string(q.Params)
	}
	return topic
}

// ParseTopic returns the inverse of Topic. It refuses anything that Topic does not write.
func ParseTopic(topic string) (Request, error) {
	rest, params, _ := strings.Cut(topic, "?")
	locale, rest, _ := strings.Cut(rest, "/")
	access, page, _ := strings.Cut(rest, "/")
	a, err := ParseAccess(access)
	if err != nil {
		return Request{}, fmt.Errorf("web: topic %q: %w", topic, err)
	}
	q := Request{page, query.Params(params), a, Locale(locale)}
	if err := q.check(); err != nil {
		return Request{}, fmt.Errorf("web: topic %q: %w", topic, err)
	}
	if q.Topic() != topic {
		return Request{}, fmt.Errorf("web: topic %q is not in its normal form %q", topic, q.Topic())
	}
	return q, nil
}

// Live returns the request that the page's socket watches: of a still page, the one without parameters.
func (q Request) Live() Request {
	if p := PageNamed(q.Page); p.Still {
		q.Params, _ = query.Read(p.Params, nil) // a still page requires none
	}
	return q
}

// CustomPeriod is the value of the parameter period of a request that gives the days of its period itself.
const CustomPeriod = "custom"

// Custom reports whether the request, or the page that it explains, names the days of its period. There are as many such
// requests as there are pairs of days, so their cost has to be limited.
func (q Request) Custom() bool {
	values := q.Params.Values()
	return values.Get("period") == CustomPeriod || values.Get("from") != "" || values.Get("to") != ""
}

// Exists reports whether everything that the parameters name exists within the access.
func (q Request) Exists(s *figures.Snapshot) bool {
	s = q.Access.Within(s)
	values := q.Params.Values()
	for _, p := range PageNamed(q.Page).Params {
		if value := values.Get(p.Name); p.Exists != nil && value != "" && !p.Exists(s, value) {
			return false
		}
	}
	return true
}

// Missing returns a message if the request names a hall that is not in the figures, with the halls that are. It is empty otherwise.
func (q Request) Missing(s *figures.Snapshot) string {
	hall := q.Params.Values().Get("hall")
	if hall == "" || query.HallExists(s, hall) {
		return ""
	}
	b := NewBuilder(q, s, time.Time{})
	return b.Text("wall.no_such_hall_of", words.Name("hall", hall), words.Part("halls", b.Names(HallsOf(b.Snapshot))))
}

// socket returns the address of the page's socket; the script adds the token of what the page shows.
func (q Request) socket() string {
	values := q.Live().Params.Values()
	values.Set("view", q.Page)
	values.Set("locale", string(q.Locale))
	return "/live?" + values.Encode()
}

// AlertHref returns the address of an alert in the log; empty if its id is too long for one.
func AlertHref(id string) string {
	if len(id) > query.NameBytes {
		return ""
	}
	return AlertPath + "?" + url.Values{"id": {id}}.Encode()
}

// nav returns links to the pages that the access includes.
func (q Request) nav() []Link {
	w := words.Of(q.Locale)
	listed := slices.DeleteFunc(Pages(), func(p Page) bool { return p.Nav == 0 || !p.Visible(q.Access, "") })
	slices.SortFunc(listed, func(p, o Page) int { return cmp.Compare(p.Nav, o.Nav) })
	var nav []Link
	for _, p := range listed {
		nav = append(nav, Link{Href: p.Path, Text: w.Code("nav", p.Name), Current: p.Name == q.Page || p.Name == PageNamed(q.Page).Under})
	}
	return nav
}
