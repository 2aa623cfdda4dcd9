package web

import (
	"net/url"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web/query"
)

// Access is what a member of staff or a screen may see. What it does not include is neither rendered nor
// sent. Holders with equal access share topics, so Access is comparable. The zero value may see no page.
type Access struct {
	Money Money
	// Findings includes faults in the service's records, for people who can have them corrected.
	Findings bool
	// Public is for screens that strangers see: counts are words, and only the pages for strangers are included.
	Public bool
	// Admin includes the pages of administrators: settings, screens, sessions and the audit log.
	Admin bool
	// inHalls limits the access to the performances of some halls; halls holds their sorted names, encoded as a query.
	inHalls bool
	halls   string
}

// Money is how much of the money an Access includes.
type Money string

// The levels, each including the one before. NoMoney leaves places and arrivals.
const (
	NoMoney     Money = "none"
	TodaysMoney Money = "today" // what was booked on the running day of sale
	AllMoney    Money = "all"
)

// InHalls returns the access limited to the performances of the given halls. It no longer includes figures
// of the whole house. Without names it includes no performance.
func (a Access) InHalls(names ...string) Access {
	names = slices.Clone(names)
	slices.Sort(names)
	a.inHalls, a.halls = true, url.Values{"hall": slices.Compact(names)}.Encode()
	return a
}

// Halls returns the names that were given to InHalls, sorted.
func (a Access) Halls() []string {
	values, _ := url.ParseQuery(a.halls) // InHalls encoded them
	return values["hall"]
}

// Within returns the snapshot with only the performances that the access includes.
func (a Access) Within(s *figures.Snapshot) *figures.Snapshot {
	if a.WholeHouse() {
		return s
	}
	return s.InHalls(a.Halls())
}

func (a Access) WholeHouse() bool { return !a.inHalls }

// SeesHall reports whether the access includes the performances of a hall.
func (a Access) SeesHall(name string) bool {
	return a.WholeHouse() || slices.Contains(a.Halls(), name)
}

// SeesMoney reports whether every amount is shown.
func (a Access) SeesMoney() bool { return a.Money == AllMoney }

// SeesMarketing reports whether all money of the whole house is shown, so that Revenue and Marketing are.
func (a Access) SeesMarketing() bool { return a.SeesMoney() && a.WholeHouse() }

// SeesToday reports whether the amounts booked on the running day of sale are shown.
func (a Access) SeesToday() bool { return a.Money == AllMoney || a.Money == TodaysMoney }

// seesStream reports whether the state of a stream is shown: only to those who see figures made from every
// kind of record that the stream gives. The light of the strip counts every stream.
func (a Access) seesStream(h figures.StreamHealth) bool {
	return !h.Gives(record.KindPayment) || a.SeesMoney()
}

func (a Access) valid() bool {
	return slices.Contains([]Money{NoMoney, TodaysMoney, AllMoney}, a.Money)
}

// String returns the name of the access within a topic; equal accesses have the same name.
func (a Access) String() string {
	values := url.Values{"money": {string(a.Money)}}
	if a.Findings {
		values.Set("findings", "yes")
	}
	if a.Public {
		values.Set("public", "yes")
	}
	if a.Admin {
		values.Set("admin", "yes")
	}
	if halls := a.Halls(); len(halls) > 0 {
		values["hall"] = halls
	} else if a.inHalls {
		values.Set("halls", "none")
	}
	return values.Encode()
}

// ParseAccess returns the inverse of String. It accepts more than String writes, so ParseTopic compares the result.
func ParseAccess(name string) (Access, error) {
	values, err := url.ParseQuery(name)
	if err != nil {
		return Access{}, err
	}
	a := Access{Money: Money(values.Get("money")), Findings: values.Has("findings"), Public: values.Has("public"), Admin: values.Has("admin")}
	if values.Has("hall") || values.Has("halls") {
		a = a.InHalls(values["hall"]...)
	}
	return a, nil
}

// Role is the function of a member of staff.
type Role string

// The roles, each seeing more than the one before.
const (
	Door      Role = "door"       // places and arrivals, no money
	BoxOffice Role = "box_office" // and today's takings
	Manager   Role = "manager"    // everything
	Admin     Role = "admin"      // and who is signed in and what was done
)

// Roles lists the roles from least to most.
var Roles = []Role{Door, BoxOffice, Manager, Admin}

// Access returns what the role may see: nothing for a role that is not one of Roles.
func (r Role) Access() Access {
	switch r {
	case Door:
		return Access{Money: NoMoney}
	case BoxOffice:
		return Access{Money: TodaysMoney}
	case Manager:
		return Access{Money: AllMoney, Findings: true}
	case Admin:
		return Access{Money: AllMoney, Findings: true, Admin: true}
	}
	return Access{}
}

// TakesOut reports whether the access may change which performances are comparable.
func (a Access) TakesOut() bool { return a.SeesMoney() && a.WholeHouse() && a.Findings }

// HallsOf returns the halls that performances of a snapshot name, sorted.
func HallsOf(s *figures.Snapshot) []string {
	var all []string
	for _, e := range s.Events {
		if e.Event.Hall != "" {
			all = append(all, e.Event.Hall)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// LeastRole returns the first of Roles that may see the page, empty if none may.
func (p *Page) LeastRole() Role {
	for _, r := range Roles {
		if p.Visible(r.Access(), "") {
			return r
		}
	}
	return ""
}

// May reports whether the access includes the page, whatever its parameters.
func (p *Page) May(a Access) bool { return (!a.Public || p.Bare) && p.Visible(a, "") }

// Anybody is the Visible of pages that every access includes.
func Anybody(Access, query.Params) bool { return true }
