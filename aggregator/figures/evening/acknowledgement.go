package evening

import (
	"maps"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// growth is how many times as many an alert of a code has to count as when it was seen to be
// raised again. Alerts of other codes do not grow.
var growth = map[string]float64{
	AlertCrowded: 1, AlertCrowdedBuilding: 1, // every one of them is in danger
	AlertOversold: 1,   // every place is somebody who has none
	AlertHold:     1.5, // beyond what an estimate moves by itself
	AlertOwed:     1,   // money is counted to the cent
	AlertRefunds:  1.5, // more goes back all day
	// A pace is an estimate.
	AlertBehindPace: 1.5,
	AlertStreams:    1, // another of them
}

// once are the codes of alerts of which people are told once: one that was seen is not raised again
// where places come back and are sold again.
var once = []string{AlertSoldOut, AlertNearlyFull, AlertAheadOfPace}

// undated are the codes of alerts of which the records need not say since when they are.
var undated = []string{AlertCrowded, AlertCrowdedBuilding, AlertOversold, AlertFewLeft, AlertCancelled, AlertPostponed, AlertOwed, AlertBehindPace}

// Passed are records to enter: they take back the acknowledgements of alerts that have passed, so that
// one that is raised again is new. There are none while the service does not answer or its lists are
// still being read: what is missing then has not passed.
func (v *Evening) Passed() (all []record.Record) {
	s := v.Snapshot
	if len(s.Acknowledged) == 0 || !wholeAndFresh(s) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.Acknowledged)) {
		k := s.Acknowledged[key]
		code, id, _ := strings.Cut(key, ":")
		if k.Undone || !slices.Contains(undated, code) {
			continue
		}
		e := s.Event(id)
		if e == nil || e.Date < v.Day && code != AlertOwed {
			continue
		}
		show := v.Show(e)
		still := slices.Concat(v.AlertsOf(show), owed(show)) // on its evening it is said that it is cancelled
		if slices.ContainsFunc(still, func(a Alert) bool { return a.Code == code }) {
			continue
		}
		passed := *k.Acknowledgement
		passed.At, passed.Undone = later(v.Now, k.At.Add(time.Second)), true
		all = append(all, &passed)
	}
	return all
}

// wholeAndFresh says that the service answers, and that its lists were read to their end.
func wholeAndFresh(s *figures.Snapshot) bool {
	return s.Health.Light() == figures.Green && !s.Health.Reading(record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan)
}

// of is by whom the alert was seen as it is: not where it began afterwards, or has grown.
func of(k figures.Acknowledgement, a *Alert) *Seen {
	if k.Acknowledgement == nil || k.Undone || a.Since.After(k.At) && !slices.Contains(once, a.Code) {
		return nil
	}
	if by, grows := growth[a.Code]; grows && float64(a.Count.Value) > by*float64(k.Count) {
		return nil
	}
	return &Seen{By: k.By, At: k.At}
}
