package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Role is what a member of staff may see.
type Role string

// The roles, each seeing more than the one before.
const (
	Door      Role = "door"       // places and arrivals, no money
	BoxOffice Role = "box_office" // and today's takings
	Manager   Role = "manager"    // everything
	Admin     Role = "admin"      // as the manager
)

// Roles lists the roles from least to most.
var Roles = []Role{Door, BoxOffice, Manager, Admin}

// ViewName names a page.
type ViewName string

// The pages.
const (
	Tonight ViewName = "tonight"
	Event   ViewName = "event"
	Revenue ViewName = "revenue"
	Wall    ViewName = "wall"
)

// View is a page with its parameters; unused ones are empty.
type View struct {
	Name  ViewName
	Event string // event id, for Event
	Hall  string // for Wall; empty for the whole house
	Days  int    // 7, 30 or 90, for Revenue
}

// Request is what is to be rendered, and for whom.
type Request struct {
	View View
	Role Role
}

// Periods are the lengths in days that the revenue view offers; the first is the default.
var Periods = []int{7, 30, 90}

// MaySee says whether the role may open the view at all.
func (r Role) MaySee(v View) bool {
	switch v.Name {
	case Tonight, Event, Wall:
		return slices.Contains(Roles, r)
	case Revenue:
		return r.seesMoney()
	}
	return false
}

// LeastRole is the first of Roles that may open the view, empty when none may.
func (v View) LeastRole() Role {
	for _, r := range Roles {
		if r.MaySee(v) {
			return r
		}
	}
	return ""
}

// seesMoney says that the role sees every amount.
func (r Role) seesMoney() bool { return r == Manager || r == Admin }

// seesToday says that the role sees what was booked on the running day of sale.
func (r Role) seesToday() bool { return r.seesMoney() || r == BoxOffice }

// seesStream says that the role sees figures made from every kind of record that the stream
// gives. Other roles are not shown how it is read either; only the strip's light counts it.
func (r Role) seesStream(h figures.StreamHealth) bool {
	return !h.Gives(record.KindPayment) || r.seesMoney()
}

// Topic is the request as a live topic: role/view, then the parameters that the view
// uses as a query.
func (q Request) Topic() string {
	topic := string(q.Role) + "/" + string(q.View.Name)
	if p := q.View.params(); len(p) > 0 {
		topic += "?" + p.Encode()
	}
	return topic
}

// ParseTopic is the inverse of Topic.
func ParseTopic(topic string) (Request, error) {
	path, query, _ := strings.Cut(topic, "?")
	role, name, _ := strings.Cut(path, "/")
	p, err := url.ParseQuery(query)
	if err != nil {
		return Request{}, fmt.Errorf("web: topic %q: %w", topic, err)
	}
	q := Request{Role: Role(role), View: View{Name: ViewName(name), Event: p.Get("event"), Hall: p.Get("hall")}}
	if p.Has("days") {
		if q.View.Days, err = strconv.Atoi(p.Get("days")); err != nil {
			return Request{}, fmt.Errorf("web: topic %q: days is no number", topic)
		}
	}
	if err := q.check(); err != nil {
		return Request{}, fmt.Errorf("web: topic %q: %w", topic, err)
	}
	if q.Topic() != topic {
		return Request{}, fmt.Errorf("web: topic %q is not in its normal form %q", topic, q.Topic())
	}
	return q, nil
}

// check says what makes the request one that cannot be rendered.
func (q Request) check() error {
	if !slices.Contains(Roles, q.Role) {
		return fmt.Errorf("no role %q", q.Role)
	}
	switch v := q.View; v.Name {
	case Tonight, Wall:
	case Event:
		if v.Event == "" {
			return fmt.Errorf("no event named")
		}
	case Revenue:
		if !slices.Contains(Periods, v.Days) {
			return fmt.Errorf("no period of %d days", v.Days)
		}
	default:
		return fmt.Errorf("no view %q", v.Name)
	}
	if !q.Role.MaySee(q.View) {
		return fmt.Errorf("role %q may not see %q", q.Role, q.View.Name)
	}
	return nil
}

// params are the parameters that the view uses.
func (v View) params() url.Values {
	p := url.Values{}
	switch v.Name {
	case Event:
		p.Set("event", v.Event)
	case Wall:
		if v.Hall != "" {
			p.Set("hall", v.Hall)
		}
	case Revenue:
		p.Set("days", strconv.Itoa(v.Days))
	}
	return p
}

// live is the address of the view's socket; the script adds what the page shows.
func (v View) live() string {
	p := v.params()
	p.Set("view", string(v.Name))
	return "/live?" + p.Encode()
}
