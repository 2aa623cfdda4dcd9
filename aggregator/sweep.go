package aggregator

import (
	"context"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// quietFrom and quietUntil are the hours after a day's cut-off, by the venue's clock, in
	// which lists are read whole to find what is gone, and sweepEvery is how long it is at
	// least from one such read to the next.
	quietFrom  = 3 * time.Hour
	quietUntil = 6 * time.Hour
	sweepEvery = 20 * time.Hour
	// sweepAgain is how long to wait at most after one that failed: what changed is wanted
	// in the meantime.
	sweepAgain = time.Hour
	// A sweep that misses more than this many records of a kind, and more than one in
	// guardShare, deletes nothing: a fault of the service is more likely.
	guardLeast = 5
	guardShare = 5
	// archivedAfter is how many days after a performance it, and what belongs to it, is no
	// longer missed: services archive.
	archivedAfter = 30
)

// sweeping is what is known of the whole reads of a stream.
type sweeping struct {
	// own are the kinds of record that no other stream gives: what does not come with the
	// whole list is gone.
	own []record.Kind
	// roll is of the whole read under way, nil without.
	roll *roll
	// swept says that the last whole read came to its end and left nothing open, so that a
	// list that is as it was then needs no other.
	swept bool
	// notBefore keeps one that failed from being tried again at once.
	notBefore time.Time
}

// roll is which records came in a whole read.
type roll struct {
	seed maphash.Seed
	came map[uint64]struct{} // hashes: the ids of a large house take too much room
	// nameless says that a row was refused that does not tell which record it was.
	nameless bool
}

func newRoll() *roll { return &roll{seed: maphash.MakeSeed(), came: map[uint64]struct{}{}} }

func (r *roll) hash(kind record.Kind, id string) uint64 {
	type key struct {
		kind record.Kind
		id   string
	}
	return maphash.Comparable(r.seed, key{kind, id})
}

func (r *roll) add(kind record.Kind, id string) { r.came[r.hash(kind, id)] = struct{}{} }

// refuse takes up a record that came and cannot be read.
func (r *roll) refuse(e *record.Refusal) {
	r.nameless = r.nameless || e.Kind == "" || e.ID == ""
	r.add(e.Kind, e.ID)
}

func (r *roll) lacks(o record.Record) bool {
	_, came := r.came[r.hash(o.RecordKind(), o.RecordID())]
	return !came
}

// wholeIsDue says that s, which has been read whole before, is to be again: as often as
// its WholeEvery, or else once in a night when nobody is at the doors.
func (a *Aggregator) wholeIsDue(s *stream) bool {
	now := a.now()
	age := now.Sub(s.mark.Whole)
	switch {
	case now.Before(s.notBefore):
		return false
	case s.WholeEvery > 0:
		return age >= s.WholeEvery
	}
	return len(s.own) > 0 && age >= sweepEvery && a.calendar.Between(now, quietFrom, quietUntil) && !arriving(a.Snapshot(), now)
}

// arriving says that some event's visitors arrive at now.
func arriving(s *figures.Snapshot, now time.Time) bool {
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool {
		opens, ends, ok := rush(e)
		return ok && !now.Before(opens) && now.Before(ends)
	})
}

// sweep reads s whole and deletes what is gone: the records of its own kinds that come
// neither in that read nor in a second one right after. A page that shifts while it is read
// hides a record once, but hardly twice. What changes meanwhile comes too, by its changes.
//
// A row that is refused without a name may be any of the missing, as may those by which the
// list fell short of its own total: then nothing is deleted.
func (a *Aggregator) sweep(ctx context.Context, s *stream) (progress, error) {
	s.notBefore = a.now().Add(sweepAgain)
	if s.WholeEvery > 0 {
		s.notBefore = a.now().Add(min(s.WholeEvery, sweepAgain))
	}
	s.roll = newRoll()
	defer func() { s.roll = nil }()
	asIs := s.swept
	s.swept = false
	got, err := a.readWhole(ctx, s, apiclient.Query{Conditional: asIs})
	if err != nil {
		return got, err
	}
	if got.unchanged {
		s.swept = true
		return got, nil
	}
	gone, err := a.count(ctx, s)
	if err != nil || a.guarded(s, gone) || s.roll.nameless || got.rows < got.total {
		return got, err
	}
	if gone.any() {
		if got, err = a.readWhole(ctx, s, apiclient.Query{}); err != nil || s.roll.nameless || got.rows < got.total {
			return got, err
		}
		if err := a.bury(ctx, s); err != nil {
			return got, err
		}
	}
	s.swept = true
	return got, nil
}

// living yields the records of the own kinds of s that the whole list should hold: those
// that are not deleted, nor of performances of long ago. An error is the last thing yielded.
func (a *Aggregator) living(ctx context.Context, s *stream) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		if len(s.own) == 0 {
			return
		}
		long := map[string]bool{}
		for _, e := range a.Snapshot().Events {
			long[e.Event.ID] = e.Date < a.calendar.Day(a.now()).Add(-archivedAfter)
		}
		for e, err := range a.log.Replay(ctx, 0) {
			switch {
			case err != nil:
				yield(nil, &logError{err})
				return
			case !slices.Contains(s.own, e.Record.RecordKind()) || record.Deleted(e.Record) || a.archived(e.Record, long):
			case !yield(e.Record, nil):
				return
			}
		}
	}
}

// archived says that r belongs to nothing but performances of long ago.
func (a *Aggregator) archived(r record.Record, long map[string]bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	events := a.ledger.EventsOf(r)
	return len(events) > 0 && !slices.ContainsFunc(events, func(id string) bool { return !long[id] })
}

// census counts the living records of each kind, and those of them that are missing.
type census map[record.Kind]*struct{ living, missing int }

func (c census) any() bool {
	for _, n := range c {
		if n.missing > 0 {
			return true
		}
	}
	return false
}

func (a *Aggregator) count(ctx context.Context, s *stream) (census, error) {
	c := census{}
	for r, err := range a.living(ctx, s) {
		if err != nil {
			return nil, err
		}
		n := c[r.RecordKind()]
		if n == nil {
			n = new(struct{ living, missing int })
			c[r.RecordKind()] = n
		}
		n.living++
		if s.roll.lacks(r) {
			n.missing++
		}
	}
	return c, nil
}

// guarded says that too many records of a kind are missing to believe it, and has that
// listed until a later sweep finds otherwise.
func (a *Aggregator) guarded(s *stream, c census) bool {
	var alarms []figures.Diagnostic
	for _, kind := range s.own {
		if n := c[kind]; n != nil && n.missing > guardLeast && n.missing*guardShare > n.living {
			a.logger.Warn("too many records are missing; none was deleted", "stream", s.Name, "kind", kind, "missing", n.missing, "of", n.living)
			alarms = append(alarms, figures.Diagnostic{Code: figures.CodeSweepGuard, Kind: kind, Count: n.missing,
				Text: fmt.Sprintf("%d of %d are missing from the whole list of %s; none was deleted", n.missing, n.living, s.Name)})
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.alarms = alarms
	return alarms != nil
}

// bury keeps what is missing as deleted, so that the log knows of it and the ledger takes
// it out. A record that comes back as it was is newer than that, and lives again.
func (a *Aggregator) bury(ctx context.Context, s *stream) error {
	var batch []record.Record
	total := 0
	for r, err := range a.living(ctx, s) {
		if err != nil {
			return err
		}
		if s.roll.lacks(r) {
			batch = append(batch, record.Tombstone(r))
			total++
		}
		if len(batch) == maxBatch {
			if err := a.take(ctx, batch, nil); err != nil {
				return err
			}
			batch = nil
		}
	}
	if total == 0 {
		return nil
	}
	a.logger.Info("records that are gone were deleted", "stream", s.Name, "records", total)
	return a.take(ctx, batch, nil)
}
