// Package foldtest helps tests to fold records: it makes events, tickets and payments in a line each, random streams of them, and
// reads the figures that come of them. Tests alone import it.
package foldtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Versions applies records as the next versions.
type Versions struct {
	*ledger.Ledger
	Revision int64
}

func (l *Versions) Add(r record.Record) {
	l.Revision++
	l.Apply(record.Version{Revision: l.Revision, Head: true, Record: r})
}

// Log makes records into the versions that a log would hold: those that say nothing
// new are none.
type Log struct {
	Heads    map[string]record.Record
	Versions []record.Version
}

func NewLog(records ...record.Record) *Log {
	l := &Log{Heads: map[string]record.Record{}}
	for _, r := range records {
		l.Add(r, time.Time{})
	}
	return l
}

func Key(r record.Record) string { return string(r.RecordKind()) + " " + r.RecordID() }

// Add appends a record as the next version and returns it; ok is false if it says nothing
// new.
func (l *Log) Add(r record.Record, seen time.Time) (v record.Version, ok bool) {
	held := l.Heads[Key(r)]
	v = record.Version{Revision: int64(len(l.Versions) + 1), SeenAt: seen, Record: r, Head: held == nil || record.Newer(held, r)}
	if v.Head {
		l.Heads[Key(r)] = r
	} else if !held.RecordUpdated().After(r.RecordUpdated()) || r.RecordUpdated().IsZero() {
		return v, false
	}
	l.Versions = append(l.Versions, v)
	return v, true
}

// Folded returns the newest version of each record, with what it remembers of all others.
func (l *Log) Folded() (versions []record.Version) {
	memories, heads := map[string]record.Memory{}, map[string]record.Version{}
	for _, v := range l.Versions {
		k := Key(v.Record)
		memories[k] = memories[k].With(&v)
		if v.Head {
			heads[k] = v
		}
	}
	for _, k := range slices.Sorted(maps.Keys(heads)) {
		v := heads[k]
		v.Memory = memories[k]
		versions = append(versions, v)
	}
	return versions
}

func Ledger(c figures.Calendar, versions ...record.Version) *ledger.Ledger {
	l := ledger.New(c)
	for _, v := range versions {
		l.Apply(v)
	}
	return l
}

// Evening is a snapshot at a moment, of which the service answered just now.
func Evening(s *figures.Snapshot, now time.Time) *evening.Evening {
	s.AsOf = now
	return evening.At(s, now)
}

// Say returns a figure in words.
func Say[T any](f figures.Figure[T]) string {
	words := []string{"", "estimated ", "at least ", "unknown"}[f.Quality]
	if f.Known() {
		words += fmt.Sprint(f.Value)
	}
	for _, r := range f.Reasons {
		words += " " + string(r)
	}
	return words
}

func Amsterdam(t testing.TB, cutoff time.Duration) figures.Calendar {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	return figures.Calendar{Zone: zone, Cutoff: cutoff}
}

func Text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Halfway is a moment in the random records.
var Halfway = time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)

var ScansRead = ledger.Coverage{EventsComplete: true, TicketsComplete: true, PaymentsComplete: true, ScansComplete: true,
	TicketsOffered: true, PaymentsOffered: true, ScansOffered: true}

var Complete = ledger.Coverage{TicketsComplete: true, PaymentsComplete: true, TicketsOffered: true, PaymentsOffered: true}
