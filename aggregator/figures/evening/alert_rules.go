package evening

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// The codes of alerts.
const (
	AlertQuietGate = "quiet_gate" // a gate that was busy has gone quiet, and visitors are to come
	AlertHold      = "hold"       // the performance cannot start on time
	AlertOversold  = "oversold"
	// As many people as may be are in the hall of the performance, or in the whole building, or more.
	AlertCrowded         = "crowded"
	AlertCrowdedBuilding = "crowded_building"
	AlertMaybeCrowded    = "maybe_crowded" // the same, by the most people that there can be
	AlertFewLeft         = "few_left"      // of the places, while they are on sale
	AlertCancelled       = "cancelled"
	AlertPostponed       = "postponed"
	AlertDiffers         = "differs" // figures do not agree that have to
	// No place is left, or nearly none, certainly; on any day to come.
	AlertSoldOut    = "sold_out"
	AlertNearlyFull = "nearly_full"
	AlertOwed       = "owed"    // a cancelled performance has money to pay back, on any day but its own
	AlertRefunds    = "refunds" // unusually much went back today, of a performance or of the whole house
	// Far fewer places are sold of a performance to come than of comparable ones, or far more.
	AlertBehindPace   = "behind_pace"
	AlertAheadOfPace  = "ahead_of_pace"
	AlertStreams      = "streams"       // of the service do not answer
	AlertSilentScreen = "silent_screen" // a screen should be on and is not
)

// Sight is which part of the figures somebody has to see to see an alert.
type Sight uint8

// The parts.
const (
	SeesPlaces         Sight = iota // everybody does
	SeesSalesOfDay                  // what is sold in a day
	SeesMoney                       // every amount
	SeesReconciliation              // the checks
)

// Duty is whose work an alert is: the role with the fewest rights that may take it on. Those with more rights may, too.
type Duty uint8

// The duties, from the fewest rights on.
const (
	DutyDoor      Duty = iota // people who are at the doors
	DutyBoxOffice             // what is sold, and when a performance starts
	DutyManager               // money, promises that were broken, and the house
)

// days are those of the performances of which an alert is raised.
type days uint8

const (
	ofEvening days = 1 << iota // the evening's
	ofOthers                   // those of other days: what can still be mended before somebody stands at the door, or is good to know
	ofAll     = ofEvening | ofOthers
)

// alertRule is all that there is to know of the alerts of a code, but for their words.
type alertRule struct {
	code  string
	level Level // of each of them; empty if that differs
	sees  Sight
	takes Duty // who may take it on
	// find finds the alerts of a performance at the evening's moment. It is nil for alerts of the whole house, which Differing,
	// Refunds and Failing find, and for those of screens.
	find func(*Evening, *Show) []Alert
	days days
	// late finds them when they are asked for, and not with the Show: they rest on more than the performance.
	late bool
	// from are the kinds of records that they are found in. None are raised while those are behind.
	from []record.Kind
	// unless is the code of an alert of the same performance that includes this one.
	unless string
	// growth is how many times as many an alert has to count as when it was seen to be raised again; 0 for never.
	growth float64
	// once is true if people are notified once: an alert that was seen is not raised again when places come
	// back and are sold again.
	once bool
	// undated is true if the records need not contain the alert's beginning. Whether it has passed is then
	// known only by finding it again (Passed).
	undated bool
}

var (
	inPlaces   = []record.Kind{record.KindEvent, record.KindTicket}
	inArrivals = []record.Kind{record.KindTicket, record.KindScan}
	inMoney    = []record.Kind{record.KindTicket, record.KindPayment}
)

// alertRules is the table of alerts in the order in which they are shown: people who are in danger or still outside, then
// money that is lost or wrong, then the rest.
var alertRules = []alertRule{
	// Every person too many is in danger.
	{code: AlertCrowdedBuilding, level: Bad, takes: DutyDoor, find: (*Evening).crowdedBuilding, days: ofEvening, late: true, growth: 1, undated: true},
	{code: AlertCrowded, level: Bad, takes: DutyDoor, find: (*Evening).crowdedHall, days: ofEvening, late: true, growth: 1, undated: true},
	{code: AlertMaybeCrowded, level: Warn, takes: DutyDoor, find: (*Evening).maybeCrowded, days: ofEvening, late: true, growth: 1, undated: true},
	{code: AlertQuietGate, level: Bad, takes: DutyDoor, find: (*Evening).quietGates, days: ofEvening, from: inArrivals},
	// It has to grow beyond what an estimate moves by itself.
	{code: AlertHold, level: Warn, takes: DutyBoxOffice, find: (*Evening).hold, days: ofEvening, from: inArrivals, growth: 1.5},
	// Every place is somebody who has none.
	{code: AlertOversold, level: Bad, takes: DutyManager, find: (*Evening).oversold, days: ofAll, from: inPlaces, growth: 1, undated: true},
	{code: AlertDiffers, sees: SeesReconciliation, takes: DutyManager},
	// More goes back all day.
	{code: AlertRefunds, level: Warn, sees: SeesMoney, takes: DutyManager, find: (*Evening).refunds, days: ofAll, from: inMoney, growth: 1.5},
	// Money is counted to the cent.
	{code: AlertOwed, level: Warn, sees: SeesMoney, takes: DutyManager, find: (*Evening).owed, days: ofOthers, late: true, from: []record.Kind{record.KindPayment}, growth: 1, undated: true},
	{code: AlertCancelled, level: Warn, takes: DutyDoor, find: (*Evening).cancelled, days: ofEvening, undated: true},
	{code: AlertPostponed, level: Warn, takes: DutyDoor, find: (*Evening).postponed, days: ofEvening, undated: true},
	// Another stream fails.
	{code: AlertStreams, takes: DutyBoxOffice, growth: 1},
	{code: AlertFewLeft, level: Warn, takes: DutyBoxOffice, find: (*Evening).fewLeft, days: ofEvening, from: inPlaces, undated: true},
	// A pace is an estimate.
	{code: AlertBehindPace, level: Warn, sees: SeesSalesOfDay, takes: DutyManager, find: (*Evening).farBehind, days: ofOthers, late: true, growth: 1.5, undated: true},
	{code: AlertSilentScreen, level: Warn, takes: DutyManager},
	{code: AlertSoldOut, level: Info, takes: DutyBoxOffice, find: (*Evening).soldOut, days: ofAll, from: inPlaces, once: true},
	{code: AlertNearlyFull, level: Info, takes: DutyBoxOffice, find: (*Evening).nearlyFull, days: ofAll, from: inPlaces, unless: AlertFewLeft, once: true},
	{code: AlertAheadOfPace, level: Info, sees: SeesSalesOfDay, takes: DutyManager, find: (*Evening).farAhead, days: ofOthers, late: true, once: true},
}

// noRule is the rule of what is not an alert.
var noRule alertRule

func ruleOf(code string) *alertRule {
	for i := range alertRules {
		if alertRules[i].code == code {
			return &alertRules[i]
		}
	}
	return &noRule
}

// AlertCodes returns the codes of all alerts in the order in which they are shown.
func AlertCodes() []string {
	codes := make([]string, len(alertRules))
	for i := range alertRules {
		codes[i] = alertRules[i].code
	}
	return codes
}

// AlertRank returns the place of a code in the order in which alerts are shown, 0 for the worst; what has
// no code of an alert comes last.
func AlertRank(code string) int {
	for i := range alertRules {
		if alertRules[i].code == code {
			return i
		}
	}
	return len(alertRules)
}

// Sees returns what somebody has to see to see the alert.
func (a *Alert) Sees() Sight { return ruleOf(a.Code).sees }

// Takes returns whose work the alerts of a code are. What is not the code of an alert is a manager's.
func Takes(code string) Duty {
	if r := ruleOf(code); r != &noRule {
		return r.takes
	}
	return DutyManager
}

// rulesOf returns the rules by which alerts of performances are found in an evening: those whose records are not behind.
func rulesOf(v *Evening) (rules []*alertRule) {
	rules = make([]*alertRule, 0, len(alertRules))
	for i := range alertRules {
		if r := &alertRules[i]; r.find != nil && !v.behind(r.from...) {
			rules = append(rules, r)
		}
	}
	return rules
}

// alertsOf finds what needs attention in a performance, the worst first: late or not, and of the days of a set.
func (v *Evening) alertsOf(s *Show, late bool, of days) (all []Alert) {
	for _, r := range v.rules {
		if r.late != late || r.days&of == 0 {
			continue
		}
		for _, a := range r.find(v, s) {
			a.Level = r.level
			all = append(all, a)
		}
	}
	return all
}

// alerts returns what needs attention in shows, which are in the order of their time: the worst first, then
// the soonest.
func (v *Evening) alerts(shows []*Show, of days) (all []Alert) {
	for _, s := range shows {
		found := s.alerts
		if late := v.alertsOf(s, true, of); len(late) > 0 {
			found = slices.Concat(s.alerts, late)
		}
		for _, a := range found {
			r := ruleOf(a.Code)
			if r.days&of == 0 || r.unless != "" && slices.ContainsFunc(found, func(o Alert) bool { return o.Code == r.unless && ruleOf(o.Code).days&of != 0 }) {
				continue
			}
			a.Seen = v.SeenBy(&a)
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b Alert) int { return cmp.Compare(AlertRank(a.Code), AlertRank(b.Code)) })
	return all
}

// AlertsOf returns the alerts of one performance: those among Alerts or OtherDays.
func (v *Evening) AlertsOf(s *Show) []Alert {
	if slices.ContainsFunc(v.Shows, func(o *Show) bool { return o.EventFigures == s.EventFigures }) {
		return v.alerts([]*Show{s}, ofEvening)
	}
	return v.alerts([]*Show{s}, ofOthers)
}
