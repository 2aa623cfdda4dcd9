package figures_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// shuffled is the versions in another order, some of them twice.
func shuffled(d dice, versions []record.Version) []record.Version {
	out := slices.Clone(versions)
	for i := range out {
		j := d.IntN(i + 1)
		out[i], out[j] = out[j], out[i]
	}
	for range min(len(out), 3) {
		out = append(out, out[d.IntN(len(out))])
	}
	return out
}

func amsterdam(t testing.TB, cutoff time.Duration) figures.Calendar {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	return figures.Calendar{Zone: zone, Cutoff: cutoff}
}

func text(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// halfway is a moment in the random records.
var halfway = time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC)

// allText is everything in a snapshot.
func allText(t testing.TB, s *figures.Snapshot) string {
	t.Helper()
	out := text(t, s)
	flow := func(f figures.Flow) {
		for m := range figures.RefundsPending {
			out += fmt.Sprint(" ", m, " ", f.Of(m))
		}
	}
	days := func(days []*figures.DayFigures) {
		for _, d := range days {
			flow(d.Flow)
			flow(d.UpTo(halfway).Flow)
		}
	}
	days(s.Days)
	days(s.UnattributedDays)
	out += text(t, s.OrderDays.All()) + text(t, s.UnattributedOrderDays.All())
	for _, e := range s.Events {
		days(e.SaleDays)
		out += text(t, e.OrderDays.All())
		for _, parts := range e.Parts {
			for _, p := range parts.All() {
				flow(p.Flow)
			}
		}
	}
	return out
}

// checkStream folds a random stream and looks at everything that must hold of it.
func checkStream(t *testing.T, d dice, length int) {
	t.Helper()
	calendar := amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
	l, log := figures.NewLedger(calendar), newLog()
	var records []record.Record
	type frozen struct {
		snapshot *figures.Snapshot
		text     string
	}
	var published []frozen
	before := l.Snapshot(figures.Position{}, complete)
	for i := range length {
		r := randomRecord(d)
		if len(records) > 0 && oneIn(d, 2) {
			r = variation(d, records[d.IntN(len(records))])
		}
		records = append(records, r)
		v, isNew := log.add(r, randomSeen(d))
		if !isNew {
			continue
		}
		l.Apply(v)
		if oneIn(d, 3) {
			continue // what changes is asked after the next
		}
		changes := l.Changes()
		after := l.Snapshot(figures.Position{}, complete)
		checkChanges(t, before, after, changes)
		before = after
		l.Apply(v)
		if again := l.Changes(); again.Events != nil || again.Unattributed {
			t.Fatalf("record %d: a repeat changed %+v", i, again)
		}
		if !oneIn(d, 4) {
			continue
		}
		coverage := figures.Coverage{
			TicketsComplete: oneIn(d, 2), PaymentsComplete: oneIn(d, 2),
			TicketsOffered: !oneIn(d, 4), PaymentsOffered: !oneIn(d, 4),
			ScansOffered: oneIn(d, 2), ScansComplete: oneIn(d, 2), PlanningPartial: oneIn(d, 2), EventsComplete: oneIn(d, 2),
			EventsBehind: oneIn(d, 4), TicketsBehind: oneIn(d, 4), PaymentsBehind: oneIn(d, 4), ScansBehind: oneIn(d, 4), PlanningBehind: oneIn(d, 4),
			RefusedTickets: randomRefusals(d), RefusedPayments: randomRefusals(d), RefusedScans: randomRefusals(d),
		}
		for _, c := range []figures.Coverage{coverage, complete} {
			got := l.Snapshot(figures.Position{Revision: int64(i)}, c)
			for name, versions := range map[string][]record.Version{
				"another order":                         shuffled(d, log.versions),
				"older versions folded into the newest": shuffled(d, log.folded()),
			} {
				want := ledgerOf(calendar, versions...).Snapshot(figures.Position{Revision: int64(i)}, c)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("after %d records, %+v: the fold\n%s\n%s\n%s", i+1, c, allText(t, got), name, allText(t, want))
				}
			}
			without := *ledgerOf(calendar, retired(l, log.versions, farAhead, farAhead)...).Snapshot(got.Position, c)
			without.Contacts = got.Contacts // those that are stored
			if !reflect.DeepEqual(got, &without) {
				t.Fatalf("after %d records, %+v: the fold\n%s\nwithout old scans and contacts\n%s", i+1, c, allText(t, got), allText(t, &without))
			}
			published = append(published, frozen{got, allText(t, got)})
		}
		checkSlices(t, l, log, l.Snapshot(figures.Position{}, coverage), coverage)
		s := l.Snapshot(figures.Position{}, complete)
		checkSums(t, s)
		checkApart(t, s)
		checkMoney(t, log, s)
		checkGuesses(t, log, s)
		checkPaid(t, log, s)
		checkMarketing(t, calendar, log, s)
		checkVisitors(t, log, l.Snapshot(figures.Position{}, scansRead))
		checkMissing(t, log, l.Snapshot(figures.Position{}, scansRead))
	}
	for _, f := range published {
		if now := allText(t, f.snapshot); now != f.text {
			t.Fatalf("a published snapshot was\n%s\nand is now\n%s", f.text, now)
		}
	}
}

var scansRead = figures.Coverage{EventsComplete: true, TicketsComplete: true, PaymentsComplete: true, ScansComplete: true,
	TicketsOffered: true, PaymentsOffered: true, ScansOffered: true}

var complete = figures.Coverage{TicketsComplete: true, PaymentsComplete: true, TicketsOffered: true, PaymentsOffered: true}

// TestLedgerFoldsAnyStream folds random streams: records in any order, repeated,
// corrected, refunded, voided, deleted, marked as tests, in several currencies, with
// parents, orders, tickets of scans and events that come late or never.
func TestLedgerFoldsAnyStream(t *testing.T) {
	for seed := range uint64(200) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			checkStream(t, rand.New(rand.NewPCG(seed, 7)), 80)
		})
	}
}

// FuzzLedger folds the stream that the bytes describe.
func FuzzLedger(f *testing.F) { fuzzStreams(f, 800, 60, checkStream) }

// fuzzStreams checks the streams that bytes describe, of at most so many records; the first are of size bytes.
func fuzzStreams(f *testing.F, size, most int, check func(t *testing.T, d dice, length int)) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 1))
		stream := make([]byte, size)
		for i := range stream {
			stream[i] = byte(r.Uint32())
		}
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		d := byteDice(stream)
		check(t, &d, min(len(stream)/20, most))
	})
}
