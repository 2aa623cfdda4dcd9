package web

import (
	"net/url"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Access is what a holder may see: a member of staff or a screen. What it does not include is
// neither rendered nor sent. Holders with equal access share topics, so it is comparable. The
// zero value may see no page.
type Access struct {
	Money Money
	// Findings says that faults in the service's records are shown, to those who can have them
	// corrected.
	Findings bool
	// Public says that strangers look: counts are words, and only pages for strangers are
	// included.
	Public bool
	// Admin says that the pages of those who look after the house are included: who is signed in,
	// what was done.
	Admin bool
	// inHalls says that only the performances of halls are included: their names as a query,
	// sorted.
	inHalls bool
	halls   string
}

// Money is how much of the money an Access includes.
type Money string

// The steps, each including the one before. NoMoney leaves places and arrivals.
const (
	NoMoney     Money = "none"
	TodaysMoney Money = "today" // what was booked on the running day of sale
	AllMoney    Money = "all"
)

// InHalls is a with the performances of these halls alone. Figures of the whole house are then
// not included. Without names it includes no performance.
func (a Access) InHalls(names ...string) Access {
	names = slices.Clone(names)
	slices.Sort(names)
	a.inHalls, a.halls = true, url.Values{"hall": slices.Compact(names)}.Encode()
	return a
}

// Halls are the names that InHalls was given, sorted.
func (a Access) Halls() []string {
	values, _ := url.ParseQuery(a.halls) // InHalls encoded them
	return values["hall"]
}

// Within is what the access includes of a snapshot's performances.
func (a Access) Within(s *figures.Snapshot) *figures.Snapshot {
	if a.wholeHouse() {
		return s
	}
	return s.InHalls(a.Halls())
}

func (a Access) wholeHouse() bool { return !a.inHalls }

func (a Access) seesHall(name string) bool {
	return a.wholeHouse() || slices.Contains(a.Halls(), name)
}

// seesMoney says that every amount is shown.
func (a Access) seesMoney() bool { return a.Money == AllMoney }

// seesToday says that what was booked on the running day of sale is shown.
func (a Access) seesToday() bool { return a.Money == AllMoney || a.Money == TodaysMoney }

// seesStream says that figures are shown that are made from every kind of record that the
// stream gives. Others are not shown how it is read either; only the strip's light counts it.
func (a Access) seesStream(h figures.StreamHealth) bool {
	return !h.Gives(record.KindPayment) || a.seesMoney()
}

func (a Access) valid() bool {
	return slices.Contains([]Money{NoMoney, TodaysMoney, AllMoney}, a.Money)
}

// String names the access within a topic; equal accesses have one name.
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

// ParseAccess is the inverse of String. It takes more than String writes; ParseTopic compares.
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

// Role is what a member of staff does.
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

// Access is what the role may see; nothing when it is none of Roles.
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
