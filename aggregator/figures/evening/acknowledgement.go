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
	if len(s.Acknowledged) == 0 || !WholeAndFresh(s) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(s.Acknowledged)) {
		code, id, _ := strings.Cut(key, ":")
		standing := slices.DeleteFunc(slices.Clone(s.Acknowledged[key]), func(k figures.Acknowledgement) bool { return k.Undone })
		if len(standing) == 0 || !ruleOf(code).undated {
			continue
		}
		e := s.Event(id)
		if e == nil || e.Date < v.Day && code != AlertOwed {
			continue
		}
		show := v.Show(e)
		still := slices.Concat(v.standingOf(show), v.owed(show)) // cancelled is an alert on the evening of the performance only
		if slices.ContainsFunc(still, func(a Alert) bool { return a.Code == code }) {
			continue
		}
		for _, k := range standing {
			passed := *k.Acknowledgement
			passed.At, passed.Undone, passed.Passed = figures.Later(v.Now, k.At.Add(time.Second)), true, true
			all = append(all, &passed)
		}
	}
	return all
}

// WholeAndFresh reports whether the service answers and its lists have been read completely.
func WholeAndFresh(s *figures.Snapshot) bool {
	return s.Health.Light() == figures.Green && !s.Health.Reading(record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan)
}

// holds reports whether an acknowledgement is of the alert as it is: it is not if the alert began afterwards, or has grown.
func holds(k figures.Acknowledgement, a *Alert) bool {
	growth := ruleOf(a.Code).growth
	return isOf(k, a) && (growth <= 0 || float64(a.Count.Value) <= growth*float64(k.Count))
}

// isOf reports whether an acknowledgement is of the alert, which may have grown since.
func isOf(k figures.Acknowledgement, a *Alert) bool { return !k.Undone && !a.Since.After(k.At) }
