package foldtest

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Come makes n visitors of an event, one a minute through a gate, from a minute on.
func Come(n int, prefix, event, gate, from string, perMinute int) []record.Record {
	var all []record.Record
	for i := range n {
		all = append(all, Ticket(fmt.Sprintf("%s%03d", prefix, i), event, func(t *record.Ticket) {
			t.Scans = []record.Scan{{At: Clock(from).Add(time.Duration(i/perMinute) * time.Minute), Gate: gate, Direction: record.Entry}}
		}))
	}
	return all
}

// ScannedOut returns three past performances in a hall from 19:00 to 22:00, of which all of forty people were scanned out
// through one gate within four minutes of the end.
func ScannedOut(hall string) (all []record.Record) {
	for _, day := range []string{"13 ", "14 ", "15 "} {
		id := "scanned out " + hall + day
		all = append(all, Tonight(id, hall, day+"19:00", day+"20:00", day+"22:00"))
		for i := range 40 {
			all = append(all, Ticket(fmt.Sprint(id, i), id, Passes(day+"19:30", fmt.Sprintf("-%s22:0%d", day, i/10))))
		}
	}
	return all
}

// Tonight returns a performance in a hall with its hours.
func Tonight(id, hall, doors, curtain, end string, change ...func(*record.Event)) *record.Event {
	return Event(id, append([]func(*record.Event){func(e *record.Event) {
		e.Hall, e.DoorsAt, e.StartsAt, e.EndsAt = hall, Clock(doors), Clock(curtain), Clock(end)
		e.Date = e.StartsAt.Format(time.DateOnly)
	}}, change...)...)
}

func Status(s record.EventStatus) func(*record.Event) {
	return func(e *record.Event) { e.Status = s }
}

// Passes are scans at times; an exit has a minus.
func Passes(times ...string) func(*record.Ticket) {
	return func(t *record.Ticket) {
		t.Scans = []record.Scan{}
		for _, at := range times {
			s := record.Scan{Gate: "A", Direction: record.Entry}
			if at[0] == '-' {
				at, s.Direction = at[1:], record.Exit
			}
			s.At = Clock(at)
			t.Scans = append(t.Scans, s)
		}
	}
}

// Many makes n tickets of an event.
func Many(n int, prefix, event string, change ...func(*record.Ticket)) []record.Record {
	var all []record.Record
	for i := range n {
		all = append(all, Ticket(fmt.Sprintf("%s%03d", prefix, i), event, change...))
	}
	return all
}

// At returns the evening of records at a moment, with figures of that moment.
func At(now string, records ...record.Record) *evening.Evening {
	return Evening(Fold(Complete, records...), Clock(now))
}

func Together(all ...[]record.Record) (records []record.Record) {
	for _, r := range all {
		records = append(records, r...)
	}
	return records
}

// ShowOf returns a performance of the evening.
func ShowOf(t *testing.T, v *evening.Evening, id string) *evening.Show {
	t.Helper()
	for _, s := range v.Shows {
		if s.Event.ID == id {
			return s
		}
	}
	t.Fatalf("%s is not among the evening's performances", id)
	return nil
}
