package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// shuffled returns the versions in another order, some of them twice.
func shuffled(d foldtest.Dice, versions []record.Version) []record.Version {
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

// allText is everything in a snapshot.
func allText(t testing.TB, s *figures.Snapshot) string {
	t.Helper()
	out := foldtest.Text(t, s)
	flow := func(f figures.Flow) {
		for m := range figures.RefundsPending {
			out += fmt.Sprint(" ", m, " ", f.Of(m))
		}
	}
	days := func(days []*figures.DayFigures) {
		for _, d := range days {
			flow(d.Flow)
			flow(d.UpTo(foldtest.Halfway).Flow)
		}
	}
	days(s.Days)
	days(s.UnattributedDays)
	out += foldtest.Text(t, s.OrderDays.All()) + foldtest.Text(t, s.UnattributedOrderDays.All())
	for _, e := range s.Events {
		days(e.SaleDays)
		out += foldtest.Text(t, e.OrderDays.All())
		for _, parts := range e.Parts {
			for _, p := range parts.All() {
				flow(p.Flow)
			}
		}
	}
	return out
}

// coldStarted returns a ledger of versions for which room was made before they came.
func coldStarted(c figures.Calendar, versions []record.Version) *ledger.Ledger {
	l := ledger.New(c)
	l.Preallocate(nil)
	for _, v := range versions {
		l.Apply(v)
	}
	return l
}

// checkStream folds a random stream and looks at everything that must hold of it.
func checkStream(t *testing.T, d foldtest.Dice, length int) {
	t.Helper()
	calendar := foldtest.Amsterdam(t, time.Duration(d.IntN(2))*6*time.Hour)
	l, log := ledger.New(calendar), foldtest.NewLog()
	var records []record.Record
	type frozen struct {
		snapshot *figures.Snapshot
		text     string
	}
	var published []frozen
	before := l.Snapshot(figures.Position{}, foldtest.Complete)
	for i := range length {
		r := foldtest.RandomRecord(d)
		if len(records) > 0 && foldtest.OneIn(d, 2) {
			r = variation(d, records[d.IntN(len(records))])
		}
		records = append(records, r)
		v, isNew := log.Add(r, foldtest.RandomSeen(d))
		if !isNew {
			continue
		}
		l.Apply(v)
		if foldtest.OneIn(d, 3) {
			continue // what changes is asked after the next
		}
		changes := l.Changes()
		after := l.Snapshot(figures.Position{}, foldtest.Complete)
		checkChanges(t, before, after, changes)
		before = after
		l.Apply(v)
		if again := l.Changes(); again.Events != nil || again.Unattributed {
			t.Fatalf("record %d: a repeat changed %+v", i, again)
		}
		if !foldtest.OneIn(d, 4) {
			continue
		}
		coverage := ledger.Coverage{
			TicketsComplete: foldtest.OneIn(d, 2), PaymentsComplete: foldtest.OneIn(d, 2),
			TicketsOffered: !foldtest.OneIn(d, 4), PaymentsOffered: !foldtest.OneIn(d, 4),
			ScansOffered: foldtest.OneIn(d, 2), ScansComplete: foldtest.OneIn(d, 2), PlanningPartial: foldtest.OneIn(d, 2), EventsComplete: foldtest.OneIn(d, 2),
			EventsBehind: foldtest.OneIn(d, 4), TicketsBehind: foldtest.OneIn(d, 4), PaymentsBehind: foldtest.OneIn(d, 4), ScansBehind: foldtest.OneIn(d, 4), PlanningBehind: foldtest.OneIn(d, 4),
			EventsDoubted: foldtest.OneIn(d, 4), TicketsDoubted: foldtest.OneIn(d, 4), PaymentsDoubted: foldtest.OneIn(d, 4), ScansDoubted: foldtest.OneIn(d, 4), PlanningDoubted: foldtest.OneIn(d, 4),
			RefusedTickets: randomRefusals(d), RefusedPayments: randomRefusals(d), RefusedScans: randomRefusals(d),
		}
		for _, c := range []ledger.Coverage{coverage, foldtest.Complete} {
			got := l.Snapshot(figures.Position{Revision: int64(i)}, c)
			for name, fold := range map[string]*ledger.Ledger{
				"another order":                         foldtest.Ledger(calendar, shuffled(d, log.Versions)...),
				"another order at a cold start":         coldStarted(calendar, shuffled(d, log.Versions)),
				"older versions folded into the newest": foldtest.Ledger(calendar, shuffled(d, log.Folded())...),
			} {
				want := fold.Snapshot(figures.Position{Revision: int64(i)}, c)
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("after %d records, %+v: the fold\n%s\n%s\n%s", i+1, c, allText(t, got), name, allText(t, want))
				}
			}
			without := *foldtest.Ledger(calendar, retired(l, log.Versions, farAhead, farAhead)...).Snapshot(got.Position, c)
			without.Contacts = got.Contacts    // those that are stored
			for i, e := range without.Events { // nor is it known where they lived
				if shown := got.Event(e.Event.ID); shown != nil {
					settled := *e
					settled.Towns, settled.Postcodes, without.Events[i] = shown.Towns, shown.Postcodes, &settled
				}
			}
			if !reflect.DeepEqual(got, &without) {
				t.Fatalf("after %d records, %+v: the fold\n%s\nwithout old scans and contacts\n%s", i+1, c, allText(t, got), allText(t, &without))
			}
			published = append(published, frozen{got, allText(t, got)})
		}
		foldtest.CheckSlices(t, l, log, l.Snapshot(figures.Position{}, coverage), coverage)
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		checkSums(t, s)
		foldtest.CheckUnmatched(t, s)
		checkRefunds(t, s)
		checkMoney(t, log, s)
		checkGuesses(t, log, s)
		checkPaid(t, log, s)
		foldtest.CheckMarketing(t, calendar, log, s)
		checkVisitors(t, log, l.Snapshot(figures.Position{}, foldtest.ScansRead))
		checkMissing(t, log, l.Snapshot(figures.Position{}, foldtest.ScansRead))
	}
	for _, f := range published {
		if now := allText(t, f.snapshot); now != f.text {
			t.Fatalf("a published snapshot was\n%s\nand is now\n%s", f.text, now)
		}
	}
}

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
func fuzzStreams(f *testing.F, size, most int, check func(t *testing.T, d foldtest.Dice, length int)) {
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
