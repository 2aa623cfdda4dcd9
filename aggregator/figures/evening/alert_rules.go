package evening

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// The codes of alerts.
const (
	AlertQuietGate = "quiet_gate" // a gate that was busy has become quiet while visitors are to come
	AlertHold      = "hold"       // the performance cannot start on time
	AlertFewerIn   = "fewer_in"   // far fewer are in than usual, and it is not known whether they come
	AlertOversold  = "oversold"
	// The hall of the performance, or the whole building, holds as many people as are allowed, or more.
	AlertCrowded         = "crowded"
	AlertCrowdedBuilding = "crowded_building"
	AlertMaybeCrowded    = "maybe_crowded"  // the same, but by an upper bound of the people inside
	AlertNearlyCrowded   = "nearly_crowded" // the hall or the building is nearly full while people come in
	AlertRoomForFewer    = "room_for_fewer" // more are to come to a hall than may enter, long before it is nearly full
	AlertOverLicensed    = "over_licensed"  // more places are sold than people are allowed in the hall
	AlertNearLicensed    = "near_licensed"  // more places are on sale than may still be sold for the hall
	AlertBlockedSold     = "blocked_sold"   // blocked places are sold
	AlertFewLeft         = "few_left"       // few places are left while they are on sale, or none and some are not paid
	AlertCancelled       = "cancelled"
	AlertPostponed       = "postponed"
	AlertDiffers         = "differs" // figures that have to agree do not
	AlertBackup          = "backup"  // the backup of the database failed or is late
	// No place is left, or nearly none, on any day to come; both are certain.
	AlertSoldOut    = "sold_out"
	AlertNearlyFull = "nearly_full"
	AlertOwed       = "owed"    // money is to be paid back for a cancelled performance of another day
	AlertRefunds    = "refunds" // an unusual amount was paid back today, for a performance or in the whole house
	// A performance to come has sold far fewer places than comparable ones, or far more.
	AlertBehindPace   = "behind_pace"
	AlertAheadOfPace  = "ahead_of_pace"
	AlertStreams      = "streams"       // streams of the service do not answer
	AlertSilentScreen = "silent_screen" // a screen should be on and is not
	AlertCopiedScreen = "copied_screen" // another device has a screen's credential
)

// days is a set of days on which a performance must be for its alert to be raised.
type days uint8

const (
	ofEvening days = 1 << iota // the performances of the evening
	ofOthers                   // those of other days: what can still be mended before people arrive, or is good to know
	ofAll     = ofEvening | ofOthers
)

// alertRule defines the alerts of one code, except their words.
type alertRule struct {
	code  string
	level Level // of every alert; empty if levels differ, which find then sets
	sees  Sight
	takes Duty // who may take it on
	ends  Duty // whose work it is to end it, if that is not all of those
	// find returns the alerts of a performance. It is nil for alerts of the whole house, which Differing, Refunds
	// and Failing find, and for those of screens.
	find func(*Evening, *Show) []Alert
	days days
	// late is true if find needs more than the performance, and so is called on demand and not when the Show is made.
	late bool
	// from are the kinds of records that find depends on. No alert is raised while one of them is behind.
	from []record.Kind
	// unless is the code of an alert of the same performance that includes this one.
	unless string
	// growth is the factor by which Count must have grown since the alert was seen for it to be raised again; 0 for never.
	growth float64
	// undated is true if records may not show when the alert began. Then only finding it again shows whether it
	// has passed (Passed).
	undated bool
}

var (
	inPlaces   = []record.Kind{record.KindEvent, record.KindTicket}
	inArrivals = []record.Kind{record.KindTicket, record.KindScan}
	inMoney    = []record.Kind{record.KindTicket, record.KindPayment}
)

// alertRules is the table of alerts in the order in which they are shown: first people who are in danger or
// outside, then money that is lost or wrong, then the rest.
var alertRules = []alertRule{
	// Growth 1: each further person is in danger.
	{code: AlertCrowdedBuilding, level: Bad, takes: DutyDoor, find: (*Evening).crowdedBuilding, days: ofEvening, late: true, growth: 1, undated: true},
	{code: AlertCrowded, level: Bad, takes: DutyDoor, find: (*Evening).crowdedHall, days: ofEvening, late: true, growth: 1, undated: true},
	{code: AlertMaybeCrowded, level: Warn, takes: DutyDoor, find: (*Evening).maybeCrowded, days: ofEvening, late: true, growth: 1, undated: true},
	// Bad while it fills up, Warn else.
	{code: AlertNearlyCrowded, takes: DutyDoor, find: (*Evening).nearlyCrowded, days: ofEvening, late: true},
	{code: AlertRoomForFewer, level: Warn, takes: DutyDoor, find: (*Evening).roomForFewer, days: ofEvening, late: true, unless: AlertNearlyCrowded, undated: true},
	{code: AlertQuietGate, level: Bad, takes: DutyDoor, find: (*Evening).quietGates, days: ofEvening, from: inArrivals},
	// Growth 1.5: more than an estimate varies by itself.
	{code: AlertHold, level: Warn, takes: DutyBoxOffice, find: (*Evening).hold, days: ofEvening, from: inArrivals, growth: 1.5},
	{code: AlertFewerIn, level: Warn, takes: DutyBoxOffice, find: (*Evening).fewerIn, days: ofEvening, late: true, from: inArrivals, unless: AlertQuietGate, growth: 1.5, undated: true},
	// Growth 1: each further person may not be let in.
	{code: AlertOverLicensed, level: Bad, takes: DutyBoxOffice, find: (*Evening).overLicensed, days: ofAll, from: inPlaces, unless: AlertCrowded, growth: 1, undated: true},
	// Growth 1: each further place is a person without one.
	{code: AlertOversold, level: Bad, takes: DutyManager, find: (*Evening).oversold, days: ofAll, from: inPlaces, growth: 1, undated: true},
	{code: AlertDiffers, sees: SeesReconciliation, takes: DutyManager},
	{code: AlertBackup, level: Warn, sees: SeesReconciliation, takes: DutyManager},
	// Growth 1.5: refunds go on all day.
	{code: AlertRefunds, level: Warn, sees: SeesMoney, takes: DutyManager, find: (*Evening).refunds, days: ofAll, from: inMoney, growth: 1.5},
	// Growth 1: amounts are exact.
	{code: AlertOwed, level: Warn, sees: SeesMoney, takes: DutyManager, find: (*Evening).owed, days: ofOthers, late: true, from: []record.Kind{record.KindPayment}, growth: 1, undated: true},
	{code: AlertCancelled, level: Warn, takes: DutyDoor, find: (*Evening).cancelled, days: ofEvening, undated: true},
	{code: AlertPostponed, level: Warn, takes: DutyDoor, find: (*Evening).postponed, days: ofEvening, undated: true},
	// Growth 1: another stream fails.
	{code: AlertStreams, takes: DutyBoxOffice, ends: DutyManager, growth: 1},
	{code: AlertNearLicensed, level: Warn, takes: DutyBoxOffice, find: (*Evening).nearLicensed, days: ofAll, from: inPlaces, unless: AlertOverLicensed, undated: true},
	// Growth 1: each further place may be a person without one.
	{code: AlertBlockedSold, level: Warn, takes: DutyManager, find: (*Evening).blockedSold, days: ofAll, from: inPlaces, unless: AlertOversold, growth: 1, undated: true},
	{code: AlertFewLeft, level: Warn, takes: DutyBoxOffice, find: (*Evening).fewLeft, days: ofEvening, from: inPlaces, unless: AlertNearLicensed, undated: true},
	// Growth 1.5: a pace is an estimate.
	{code: AlertBehindPace, level: Warn, sees: SeesSalesOfDay, takes: DutyManager, find: (*Evening).farBehind, days: ofOthers, late: true, growth: 1.5, undated: true},
	{code: AlertCopiedScreen, level: Warn, takes: DutyManager},
	{code: AlertSilentScreen, level: Warn, takes: DutyManager},
	{code: AlertSoldOut, level: Info, takes: DutyBoxOffice, find: (*Evening).soldOut, days: ofAll, from: inPlaces, unless: AlertFewLeft},
	{code: AlertNearlyFull, level: Info, takes: DutyBoxOffice, find: (*Evening).nearlyFull, days: ofAll, from: inPlaces, unless: AlertFewLeft},
	{code: AlertAheadOfPace, level: Info, sees: SeesSalesOfDay, takes: DutyManager, find: (*Evening).farAhead, days: ofOthers, late: true},
}

// noRule is the rule of a code that is not an alert.
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

// AlertRank returns the position of a code in the order in which alerts are shown, 0 for the most important. Other codes come last.
func AlertRank(code string) int {
	for i := range alertRules {
		if alertRules[i].code == code {
			return i
		}
	}
	return len(alertRules)
}

// rulesOf returns the rules for alerts of performances whose records are not behind.
func rulesOf(v *Evening) (rules []*alertRule) {
	rules = make([]*alertRule, 0, len(alertRules))
	for i := range alertRules {
		if r := &alertRules[i]; r.find != nil && !v.behind(r.from...) {
			rules = append(rules, r)
		}
	}
	return rules
}

// alertsOf returns the alerts of a performance, the most important first, by the rules that are late or not and
// that apply on some of the days.
func (v *Evening) alertsOf(s *Show, late bool, of days) (all []Alert) {
	for _, r := range v.rules {
		if r.late != late || r.days&of == 0 {
			continue
		}
		for _, a := range r.find(v, s) {
			if r.level != "" {
				a.Level = r.level
			}
			all = append(all, a)
		}
	}
	return all
}

// alerts returns the alerts of shows, which must be in order of time: the most important first, then the soonest
// performance. One that the house has switched off is among them, and hides no other.
func (v *Evening) alerts(shows []*Show, of days) (all []Alert) {
	for _, s := range shows {
		found := s.alerts
		if late := v.alertsOf(s, true, of); len(late) > 0 {
			found = slices.Concat(s.alerts, late)
		}
		for _, a := range found {
			r := ruleOf(a.Code)
			stops := a.Code == AlertOverLicensed && s.Sale == SaleOpen // somebody has to stop the sale, whatever else stands
			if r.days&of == 0 || r.unless != "" && !stops && slices.ContainsFunc(found, func(o Alert) bool { return o.Code == r.unless && ruleOf(o.Code).days&of != 0 && !v.Off(o.Code) }) {
				continue
			}
			a.Seen, a.sellsOn = v.SeenBy(&a), v.sellsOn(&a)
			all = append(all, a)
		}
	}
	slices.SortStableFunc(all, func(a, b Alert) int { return cmp.Compare(a.Rank(), b.Rank()) })
	return all
}

// Rank is where the alert stands among others, the lowest first: what the doors must do within minutes, then a sale that is to be stopped.
func (a *Alert) Rank() int {
	switch r := ruleOf(a.Code); {
	case a.Level == Bad && r.takes == DutyDoor:
		return AlertRank(a.Code) - 2*len(alertRules)
	case a.SellsOn():
		return -1
	}
	return AlertRank(a.Code)
}

// shown returns alerts without those that the house has switched off.
func (v *Evening) shown(all []Alert) []Alert {
	return slices.DeleteFunc(slices.Clone(all), func(a Alert) bool { return v.Off(a.Code) })
}

// AlertsOf returns the alerts of one performance: its alerts in Alerts or OtherDays.
func (v *Evening) AlertsOf(s *Show) []Alert { return v.shown(v.standingOf(s)) }

// standingOf is AlertsOf with what the house has switched off.
func (v *Evening) standingOf(s *Show) []Alert {
	if slices.ContainsFunc(v.Shows, func(o *Show) bool { return o.EventFigures == s.EventFigures }) {
		return v.alerts([]*Show{s}, ofEvening)
	}
	return v.alerts([]*Show{s}, ofOthers)
}

// Backup returns an alert if the last backup of the database failed, or the next is late. It began with the first
// failure, or when the next one had to be there.
func (v *Evening) Backup() (a Alert, missing bool) {
	last := v.Snapshot.Checks[figures.CheckBackup]
	if last == nil {
		return a, false
	}
	a = Alert{Key: AlertBackup, Code: AlertBackup, Level: Warn}
	switch {
	case len(last.Found) > 0:
		a.Since = last.Found[0].Since
	case !last.Due.IsZero() && v.Now.After(last.Due):
		a.Since = last.Due
	default:
		return Alert{}, false
	}
	a.Seen = v.SeenBy(&a)
	return a, true
}
