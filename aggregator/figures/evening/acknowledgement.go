package evening

import (
	"maps"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Passed returns records that take back the acknowledgements of alerts that have passed, so that an alert that is
// raised again is new. It returns none while the service does not answer or its lists are still being read,
// because an alert that is missing then may not have passed.
func (v *Evening) Passed() (all []record.Record) {
	s := v.Snapshot
	if len(s.Acknowledged) == 0 || !wholeAndFresh(s) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.Acknowledged)) {
		k := s.Acknowledged[key]
		code, id, _ := strings.Cut(key, ":")
		if k.Undone || !ruleOf(code).undated {
			continue
		}
		e := s.Event(id)
		if e == nil || e.Date < v.Day && code != AlertOwed {
			continue
		}
		show := v.Show(e)
		still := slices.Concat(v.AlertsOf(show), v.owed(show)) // cancelled is an alert on the evening of the performance only
		if slices.ContainsFunc(still, func(a Alert) bool { return a.Code == code }) {
			continue
		}
		passed := *k.Acknowledgement
		passed.At, passed.Undone = figures.Later(v.Now, k.At.Add(time.Second)), true
		all = append(all, &passed)
	}
	return all
}

// wholeAndFresh reports whether the service answers and its lists have been read completely.
func wholeAndFresh(s *figures.Snapshot) bool {
	return s.Health.Light() == figures.Green && !s.Health.Reading(record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan)
}

// of returns who has seen the alert; nil if it began after that, or has grown since.
func of(k figures.Acknowledgement, a *Alert) *Seen {
	r := ruleOf(a.Code)
	if k.Acknowledgement == nil || k.Undone || a.Since.After(k.At) && !r.once {
		return nil
	}
	if r.growth > 0 && float64(a.Count.Value) > r.growth*float64(k.Count) {
		return nil
	}
	return &Seen{By: k.By, At: k.At}
}
