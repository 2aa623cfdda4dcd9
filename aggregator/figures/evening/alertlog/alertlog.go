// Package alertlog finds the steps in an alert's life: raised, taken on, cleared. It is pure: the caller gives the time.
package alertlog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

const (
	// raisedAfter is for how long an alert must stand before it is in the log, and clearedAfter for how long it must be
	// gone before the log has it cleared: what comes and goes meanwhile is nothing, or one alert.
	raisedAfter  = 30 * time.Second
	clearedAfter = 2 * time.Minute
)

// Log finds when alerts are raised, taken on and cleared, for the records of them. Several may find the same: a record's
// id follows from the alert and from what the snapshot has of it already. One goroutine may use it.
type Log struct {
	standing, missing map[string]time.Time // since when, by key
	counts            map[string]int       // what each alert counted when it was last seen, by key
}

// Next returns the records of what became of alerts since those in v's snapshot, in the order of their ids. An alert that has
// become more severe has another version, so that it is told again. standing are the alerts that stand at now, and unknown
// reports of which codes that is not known at present. Nothing is raised while events or tickets are read for the first time,
// and nothing is cleared while the service does not answer, because an alert that is missing then may not have passed.
func (l *Log) Next(v *evening.Evening, now time.Time, standing []evening.Alert, unknown func(code string) bool) (all []record.Record) {
	number, open := map[string]int{}, map[string]*record.RaisedAlert{}
	for _, r := range v.Snapshot.Alerts {
		number[r.Alert] = max(number[r.Alert], r.Number)
		if r.Cleared.IsZero() {
			open[r.Alert] = r
		}
	}
	since, counts := map[string]time.Time{}, map[string]int{}
	for i := range standing {
		a := &standing[i]
		counts[a.Key] = a.Count.Value
		r, isOpen := open[a.Key]
		delete(open, a.Key)
		if !isOpen {
			if v.Snapshot.Health.Reading(record.KindEvent, record.KindTicket) {
				continue
			}
			since[a.Key] = firstSeen(l.standing, a.Key, now)
			if now.Sub(since[a.Key]) < raisedAfter {
				continue
			}
			r = &record.RaisedAlert{Alert: a.Key, Number: number[a.Key] + 1, Level: string(a.Level), EventID: a.Event, Raised: since[a.Key], Since: a.Since, First: a.Count.Value, Licensed: a.Licensed}
		}
		worse := a.Level.Loudness() < evening.Level(r.Level).Loudness()
		if by := a.Seen.Names(); !isOpen || worse || !slices.Equal(by, r.By) {
			next := *r
			next.Last = a.Count.Value
			next.Steps = steps(r, a, worse, v.Snapshot.Acknowledged[a.Key], now)
			if worse {
				next.Level = string(a.Level)
			}
			if next.By, next.Taken = by, (time.Time{}); a.Seen != nil {
				next.Taken = a.Seen.At
			}
			if next.Took = nil; len(by) == 0 {
				if taken := v.TakenBy(a); taken != nil {
					next.Took, next.Taken = taken.Names(), taken.At
				}
			}
			if isOpen {
				next.Changed = figures.Later(now, next.RecordUpdated().Add(time.Millisecond))
			}
			all = append(all, &next)
		}
	}
	for key := range open {
		if last, ok := l.counts[key]; ok {
			counts[key] = last
		}
	}
	gone := map[string]time.Time{}
	if evening.WholeAndFresh(v.Snapshot) {
		for key, r := range open {
			if code, _, _ := strings.Cut(key, ":"); unknown(code) {
				continue
			}
			if gone[key] = firstSeen(l.missing, key, now); now.Sub(gone[key]) >= clearedAfter {
				next := *r
				next.Cleared = gone[key]
				if last, ok := l.counts[key]; ok { // not if it was gone when the program began
					next.Last = last
				}
				next.Changed = figures.Later(now, next.RecordUpdated().Add(time.Millisecond))
				all = append(all, &next)
			}
		}
	}
	l.standing, l.missing, l.counts = since, gone, counts
	slices.SortFunc(all, func(a, b record.Record) int { return cmp.Compare(a.RecordID(), b.RecordID()) })
	return all
}

// mostSteps is the most steps of an alert that are stored: the last ones.
const mostSteps = 60

// steps returns the steps of an alert as it is logged with those since: who took it on or handed it back, by their acknowledgements,
// and that it has grown out of their hands or is worse.
func steps(logged *record.RaisedAlert, a *evening.Alert, worse bool, acknowledged []figures.Acknowledgement, now time.Time) []record.AlertStep {
	all, grown := slices.Clone(logged.Steps), false
	of := func(by string, undone bool) (at time.Time, passed bool) {
		for _, k := range acknowledged {
			if k.By == by && k.Undone == undone {
				at, passed = figures.Later(at, k.At), k.Passed
			}
		}
		return at, passed
	}
	by := a.Seen.Names()
	for _, name := range logged.By {
		if slices.Contains(by, name) {
			continue
		}
		if at, passed := of(name, true); passed {
			continue // it was over for a moment: nobody handed it back
		} else if !at.IsZero() {
			all = append(all, record.AlertStep{At: at, What: record.AlertHandedBack, By: name, N: a.Count.Value})
		} else {
			grown = true
		}
	}
	for _, name := range by {
		if !slices.Contains(logged.By, name) {
			at, _ := of(name, false)
			all = append(all, record.AlertStep{At: at, What: record.AlertTaken, By: name, N: a.Count.Value})
		}
	}
	if grown {
		all = append(all, record.AlertStep{At: now, What: record.AlertGrown, N: a.Count.Value})
	}
	if worse {
		all = append(all, record.AlertStep{At: now, What: record.AlertWorse, N: a.Count.Value})
	}
	return all[max(0, len(all)-mostSteps):]
}

// firstSeen returns when a key was first seen: now, if it was not seen before or the clock was put back.
func firstSeen(seen map[string]time.Time, key string, now time.Time) time.Time {
	if first, ok := seen[key]; ok && !first.After(now) {
		return first
	}
	return now
}
