package web

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// SeesAlert reports whether the access includes the subject of an alert, given that it includes the
// performance or the whole house.
func (a Access) SeesAlert(of *evening.Alert) bool {
	switch of.Sees() {
	case evening.SeesMoney:
		return a.SeesMoney()
	case evening.SeesSalesOfDay:
		return a.SeesToday()
	case evening.SeesReconciliation:
		return MayReconcile(a, "")
	}
	return true
}

// TakesOn reports whether somebody with the access may take on the alerts of a code. A screen takes on none.
func (a Access) TakesOn(code string) bool {
	return a.role() >= slices.Index(Roles, RoleFor(code))
}

// Ends reports whether somebody with the access can do something to end the alerts of a code.
func (a Access) Ends(code string) bool {
	return a.role() >= slices.Index(Roles, roleOf(evening.Ends(code)))
}

// role returns the place in Roles of the role whose access it is; -1 for that of a screen.
func (a Access) role() int {
	return slices.IndexFunc(Roles, func(r Role) bool { return r.Access() == a })
}

// RoleFor returns the role with the fewest rights that may take on the alerts of a code.
func RoleFor(code string) Role { return roleOf(evening.Takes(code)) }

// roleOf returns the role with the fewest rights that has a duty.
func roleOf(d evening.Duty) Role {
	switch d {
	case evening.DutyDoor:
		return Door
	case evening.DutyBoxOffice:
		return BoxOffice
	}
	return Manager
}

// seesFailing reports whether the access includes that a stream does not answer. A stream that no figure is
// counted from is only for those who see money.
func (a Access) seesFailing(h figures.StreamHealth) bool {
	return a.seesStream(h) && (h.Counts() || a.SeesMoney())
}

// Alerts returns the alerts that the access includes.
func (a Access) Alerts(alerts []evening.Alert) []evening.Alert {
	return slices.DeleteFunc(slices.Clone(alerts), func(of evening.Alert) bool { return !a.SeesAlert(&of) })
}
