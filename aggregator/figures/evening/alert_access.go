package evening

// Sight is which figures a person must be allowed to see to see an alert.
type Sight uint8

// The sights.
const (
	SeesPlaces         Sight = iota // everybody
	SeesSalesOfDay                  // the sales of today
	SeesMoney                       // all amounts
	SeesReconciliation              // the checks of reconciliation
)

// Duty is whose work an alert is: the role with the fewest rights that may take it on. Those with more rights may, too.
type Duty uint8

// The duties, from the fewest rights on.
const (
	DutyDoor      Duty = iota // people who are at the doors
	DutyBoxOffice             // what is sold, and when a performance starts
	DutyManager               // money, promises that were broken, and the house
)

// Sees returns what a person must be allowed to see to see the alert.
func (a *Alert) Sees() Sight { return ruleOf(a.Code).sees }

// Urgent reports whether alerts of a code may call for something at once, so that they are sent: not those that are about money or
// reconciliation, about other days alone, or only good to know.
func Urgent(code string) bool {
	r := ruleOf(code)
	return r != &noRule && r.level != Info && r.sees != SeesMoney && r.sees != SeesReconciliation && (r.find == nil || r.days&ofEvening != 0)
}

// Ends returns whose work it is to end the alerts of a code: of some, others may take them on who then can only wait.
func Ends(code string) Duty { return max(Takes(code), ruleOf(code).ends) }

// Takes returns whose work the alerts of a code are. What is not the code of an alert is a manager's.
func Takes(code string) Duty {
	if r := ruleOf(code); r != &noRule {
		return r.takes
	}
	return DutyManager
}
