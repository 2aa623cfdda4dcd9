package aggregator_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// read returns the state of a stream that is not asked again for days.
func read(name string) aggregator.StreamState {
	s := synced(name)
	s.Wait = 1000 * time.Hour
	s.Next = time.Now().Add(s.Wait)
	return s
}

// foundLine returns what a recompute has found.
func foundLine(r *record.Reconciliation) string {
	var lines []string
	for _, f := range r.Found {
		line := f.Event + ":"
		if len(f.Records) > 0 {
			line += fmt.Sprintf(" %ss %v", f.Kind, f.Records)
		}
		for _, f := range f.Figures {
			if f.Figure == string(figures.KeySold) {
				line += fmt.Sprintf(" %d sold for %d", f.Shown.Count, f.Proper.Count)
			}
		}
		lines = append(lines, line)
	}
	return fmt.Sprintf("%d of %d differ, %d versions up to %d; %s", r.Differ, r.Compared, r.Versions, r.Revision, strings.Join(lines, ", "))
}

// A recompute reads every stored version and compares at the position at which it ends, whatever comes
// meanwhile; what a fault of the database did to the log is found.
func TestRecompute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := follow(t, db)
		defer h.stop()
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, event("a", 10, 0), event("b", 10, 0), ticket("t", "a"), ticket("u", "b"))
		var all []record.Record
		for i := range 1000 {
			all = append(all, ticket(fmt.Sprint("x", i), "a"))
		}
		h.append(nil, all...)
		done := make(chan string)
		recompute := func() {
			r, err := h.Recompute(t.Context(), time.Now())
			if err != nil {
				t.Error(err)
				r = new(record.Reconciliation)
			}
			done <- foundLine(r)
		}
		go recompute()
		synctest.Wait() // it rests after the first versions
		h.append(nil, ticket("v", "b"))
		if got, want := <-done, "0 of 2 differ, 1005 versions up to 1005; "; got != want {
			t.Errorf("with a sale meanwhile: %s, want %s", got, want)
		}
		spoiled := ticket("u", "b")
		spoiled.Status = record.TicketExpired
		db.Spoil(spoiled)
		go recompute()
		if got, want := <-done, "2 of 2 differ, 1005 versions up to 1005; : , b: tickets [v] 2 sold for 1"; got != strings.Replace(want, ": ,", ":,", 1) {
			t.Errorf("with a version that has changed: %s, want %s", got, want)
		}
		go func() {
			_, err := h.Recompute(t.Context(), time.Now())
			done <- fmt.Sprint(err)
		}()
		synctest.Wait()
		if err := h.log.Renew(t.Context(), h.Snapshot().Position.Epoch); err != nil {
			t.Fatal(err)
		}
		if got := <-done; got == "<nil>" {
			t.Error("of two logs something was found")
		}
		db.Set(func() { db.FailRead = errors.New("broken") })
		if r, err := h.Recompute(t.Context(), time.Now()); err == nil {
			t.Errorf("of a log that cannot be read: %s", foundLine(r))
		}
		db.Set(func() { db.FailRead = nil })
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := h.Recompute(ctx, time.Now()); err == nil {
			t.Error("it does not end with its context")
		}
	})
}

// What the checks find is stored by who leads alone; the figures are recomputed once a night, and what was
// found before stays since then.
func TestReconciler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := follow(t, db)
		defer h.stop()
		full := event("a", 12, 0)
		full.Capacity, full.Blocked = new(10), new(0)
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, full, event("b", 10, 0), ticket("t", "b"), ticket("u", "b"))
		var leads, quiet atomic.Bool
		spared := make(chan time.Time, 10) // when it was recomputed before each time
		r := &aggregator.Reconciler{Figures: h.Figures, Enter: h.log.Enter, Leads: leads.Load, Quiet: func(time.Time) bool { return quiet.Load() },
			Now: time.Now, Logger: slog.New(slog.DiscardHandler), LowMemory: func(recompute func()) {
				before := aggregator.Recomputed(h.Snapshot())
				recompute()
				spared <- before
			}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		is := func(after time.Duration, want ...string) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			var got []string
			for _, r := range evening.At(h.Snapshot(), time.Now()).Reconcile() {
				for _, d := range r.Differences {
					got = append(got, fmt.Sprintf("%s %t", d.Key, d.Since.IsZero()))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("there is %q, want %q", got, want)
			}
		}
		is(time.Minute, "places:a true")
		leads.Store(true)
		is(time.Minute, "places:a false")
		if at := aggregator.Recomputed(h.Snapshot()); !at.IsZero() {
			t.Errorf("by day the figures were recomputed, at %s", at)
		}
		quiet.Store(true)
		is(time.Minute, "places:a false")
		first := aggregator.Recomputed(h.Snapshot())
		is(10*time.Hour, "places:a false")
		spoiled := ticket("u", "b")
		spoiled.Status = record.TicketExpired
		db.Spoil(spoiled)
		if again := aggregator.Recomputed(h.Snapshot()); first.IsZero() || !again.Equal(first) {
			t.Errorf("the figures were recomputed at %s and at %s", first, again)
		}
		is(11*time.Hour, "places:a false", "recompute: false", "recompute:b false")
		since := aggregator.Recomputed(h.Snapshot())
		if n := len(spared); n != 2 || !(<-spared).IsZero() || !(<-spared).Equal(first) {
			t.Errorf("it was recomputed %d times sparingly, want twice", n)
		}
		is(21*time.Hour, "places:a false", "recompute: false", "recompute:b false")
		if d := evening.At(h.Snapshot(), time.Now()).Reconcile()[4].Differences[0]; !d.Since.Equal(since) || !aggregator.Recomputed(h.Snapshot()).After(since) {
			t.Errorf("what was found at %s is there since %s", since, d.Since)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// By day a slice after the other is recomputed, whoever leads: within a round a difference is found, and
// within another that it has gone.
func TestReconcilerSlices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		h := follow(t, db)
		defer h.stop()
		var all []record.Record
		for i := range 40 {
			id := fmt.Sprint("evt ", i)
			all = append(all, event(id, 10, 0), ticket("of "+id, id))
		}
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, all...)
		var quiet atomic.Bool
		during := func(d time.Duration) {
			t.Helper()
			r := &aggregator.Reconciler{Figures: h.Figures, Enter: h.log.Enter, Leads: func() bool { return true },
				Quiet: func(time.Time) bool { return quiet.Load() }, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- r.Run(ctx) }()
			time.Sleep(d)
			synctest.Wait()
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		is := func(what, want string) {
			t.Helper()
			r := evening.At(h.Snapshot(), time.Now()).Reconcile()[4]
			got := ""
			for _, d := range r.Differences {
				got += d.Key + " "
			}
			if got += fmt.Sprintf("%d of %d", r.Differ, r.Compared); got != want {
				t.Errorf("%s: %s, want %s", what, got, want)
			}
		}
		during(24 * time.Hour)
		is("never recomputed whole", "0 of 0")
		quiet.Store(true)
		during(time.Minute)
		whole := aggregator.Recomputed(h.Snapshot())
		quiet.Store(false)
		spoiled := ticket("of evt 7", "evt 7")
		spoiled.Status = record.TicketExpired
		db.Spoil(spoiled)
		compared := map[int]int{} // performances by number of their slice
		for range 12 {
			during(sliceEvery)
			if p := evening.At(h.Snapshot(), time.Now()).Reconcile()[4].Slice; p != nil {
				compared[p.Number] = p.Compared
			}
		}
		is("after a round", "recompute:evt 7 1 of 40")
		if n := sum(compared); len(compared) != 12 || n != 40 {
			t.Errorf("%d performances were compared in %d slices, want 40 in 12", n, len(compared))
		}
		since := evening.At(h.Snapshot(), time.Now()).Reconcile()[4].Differences[0].Since
		during(18 * time.Hour)
		is("after another", "recompute:evt 7 1 of 40")
		if d := evening.At(h.Snapshot(), time.Now()).Reconcile()[4].Differences[0]; !d.Since.Equal(since) || !since.After(whole) {
			t.Errorf("it is there since %s, and was since %s", d.Since, since)
		}
		spoiled.Status = record.TicketValid
		db.Spoil(spoiled)
		during(18 * time.Hour)
		is("mended", "0 of 40")
		if again := aggregator.Recomputed(h.Snapshot()); !again.Equal(whole) {
			t.Errorf("by day all was recomputed, at %s", again)
		}
	})
}

// A recompute that a clock noted which ran ahead is done once more when the clock is right, and so is the
// next slice; then each is due as ever.
func TestReconcilerClockSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := follow(t, logtest.New())
		defer h.stop()
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, event("a", 10, 0))
		var quiet atomic.Bool
		var ahead, wholes, slices atomic.Int64
		r := &aggregator.Reconciler{Figures: h.Figures, Leads: func() bool { return true }, Quiet: func(time.Time) bool { return quiet.Load() },
			Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }, Logger: slog.New(slog.DiscardHandler),
			Enter: func(ctx context.Context, at time.Time, entered ...record.Record) (int64, error) {
				if r := entered[0].(*record.Reconciliation); !r.Recomputed().Equal(aggregator.Recomputed(h.Snapshot())) {
					wholes.Add(1)
				} else {
					slices.Add(1)
				}
				return h.log.Enter(ctx, at, entered...)
			}}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		is := func(when string, after time.Duration, wantWholes, wantSlices int64) {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			if w, s := wholes.Swap(0), slices.Swap(0); w != wantWholes || s != wantSlices {
				t.Errorf("%s: recomputed %d times, and %d slices, want %d and %d", when, w, s, wantWholes, wantSlices)
			}
		}
		ahead.Store(int64(48 * time.Hour))
		quiet.Store(true)
		is("by a clock that runs ahead", time.Hour, 1, 0)
		quiet.Store(false)
		is("by day", time.Hour, 0, 1)
		ahead.Store(0)
		quiet.Store(true)
		is("set back", 5*time.Hour, 1, 4)
		is("the night after", 16*time.Hour, 1, 10)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// sliceEvery is from one slice to the next, and a moment.
const sliceEvery = 90*time.Minute + time.Minute

func sum(all map[int]int) (n int) {
	for _, v := range all {
		n += v
	}
	return n
}

// oddLog is a log of which some reads lack a record, and those of all of it take some time.
type oddLog struct {
	*logtest.Log
	lacks   string       // the record's id
	reads   atomic.Int32 // that lack it, from now on
	took    time.Duration
	reading atomic.Int32
	twice   atomic.Bool // two read all of it at once
}

func (l *oddLog) Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	lacks := l.reads.Add(-1) >= 0
	return func(yield func(record.Version, error) bool) {
		if after == 0 {
			if l.reading.Add(1) > 1 {
				l.twice.Store(true)
			}
			defer l.reading.Add(-1)
			time.Sleep(l.took)
		}
		for v, err := range l.Log.Versions(ctx, after) {
			if lacks && err == nil && v.Record.RecordID() == l.lacks {
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// What a slice finds it looks for once more: only what is found both times differs.
func TestRecomputeSliceLooksTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		log := &oddLog{Log: db.Open(), lacks: "t"}
		h := followLog(t, db, log.Log, log, streams)
		defer h.stop()
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, event("a", 10, 0), ticket("t", "a"))
		for reads, want := range map[int]int{0: 0, 1: 0, 2: 1} { // one each time
			log.reads.Store(int32(reads))
			if r, err := h.RecomputeSlice(t.Context(), time.Now(), 0, 1); err != nil || r.Differ != want || r.Compared != 1 {
				t.Errorf("%d reads that lack a ticket: %+v, %v; want %d that differ", reads, r, err, want)
			}
		}
	})
}

// However long a recompute takes, no other is begun beside it.
func TestReconcilerRecomputesOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db := logtest.New()
		log := &oddLog{Log: db.Open()}
		h := followLog(t, db, log.Log, log, streams)
		defer h.stop()
		h.append([]aggregator.StreamState{read("events"), read("tickets")}, event("a", 10, 0))
		log.took = time.Hour
		r := &aggregator.Reconciler{Figures: h.Figures, Enter: h.log.Enter, Leads: func() bool { return true },
			Quiet: func(time.Time) bool { return true }, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour)
		defer cancel()
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		if aggregator.Recomputed(h.Snapshot()).IsZero() || log.twice.Load() {
			t.Errorf("recomputed at %v, twice at once: %v", aggregator.Recomputed(h.Snapshot()), log.twice.Load())
		}
	})
}
