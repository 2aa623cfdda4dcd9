package poller

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// quietFrom and quietUntil are the hours after a day's cut-off, by the venue's clock, in
	// which lists are read whole to find what is gone, and wholeEvery is how long it is at
	// least from one such read to the next.
	quietFrom  = 3 * time.Hour
	quietUntil = 6 * time.Hour
	wholeEvery = 20 * time.Hour
	// wholeAgain is how long to wait at most after one that failed: what changed is wanted
	// in the meantime.
	wholeAgain = time.Hour
	// A whole read that misses more than this many records of a kind, and more than one in
	// guardShare, deletes nothing: a fault of the service is more likely.
	guardMin   = 5
	guardShare = 5
	// archivedAfter is how many days after a performance it, and what belongs to it, is no
	// longer missed: services archive.
	archivedAfter = 30
)

// wholeIsDue says that s, which has been read whole before, is to be again: as often as
// its WholeEvery, or else once in a night when nobody is at the doors, if that may find
// something gone.
func (t *tenure) wholeIsDue(s *stream) bool {
	now := t.Now()
	every := cmp.Or(s.WholeEvery, wholeEvery)
	// One that is still to come was noted by a clock that ran ahead.
	if age := now.Sub(s.state.Whole); 0 <= age && age < every || time.Now().Before(s.notBefore) {
		return false
	}
	return s.WholeEvery > 0 || (len(s.soleKinds) > 0 || s.refused.any()) && t.quiet(now)
}

// quiet says that the night is, and that nobody is at the doors.
func (t *tenure) quiet(now time.Time) bool { return Quiet(t.Figures.Snapshot(), now) }

// Quiet says that it is night by the venue's clock, and that nobody is at the doors: time for what can
// wait.
func Quiet(s *figures.Snapshot, now time.Time) bool {
	return s.Calendar.Between(now, quietFrom, quietUntil) && !arriving(s, now)
}

// arriving says that some event's visitors arrive at now.
func arriving(s *figures.Snapshot, now time.Time) bool {
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool {
		opens, ends, ok := arrivalTimes(e)
		return ok && !now.Before(opens) && now.Before(ends)
	})
}

// reconcile reads s whole and deletes what is gone: the records of its own kinds that come
// neither in that read nor in a second one right after. A page that shifts while it is read
// hides a record once, but hardly twice. What changes meanwhile comes too, by its changes.
// What was refused and is gone in the same way is forgotten.
//
// A row that is refused without a name may be any of the missing: then nothing is deleted. A
// list that fell short of its own total, or misses too many, says nothing.
func (t *tenure) reconcile(ctx context.Context, s *stream) (readResult, error) {
	s.notBefore = time.Now().Add(min(cmp.Or(s.WholeEvery, wholeAgain), wholeAgain))
	s.seen = newSeenIDs()
	defer func() { s.seen = nil }()
	wasClean := s.clean
	s.clean = false
	t.beginWhole(s)
	read, err := t.readAll(ctx, s, apiclient.Query{Conditional: wasClean})
	if err != nil {
		return read, err
	}
	if read.unchanged {
		s.clean = true
		return read, nil
	}
	missing, err := t.countMissing(ctx, s)
	if err != nil || t.tooManyMissing(s, missing) || read.isShort() {
		return read, err
	}
	deletes := missing.any() && !s.seen.unnamed
	if deletes || s.refused.anyGone() {
		if read, err = t.readAll(ctx, s, apiclient.Query{}); err != nil || read.isShort() {
			return read, err
		}
	}
	if deletes && !s.seen.unnamed {
		if err := t.deleteMissing(ctx, s); err != nil {
			return read, err
		}
	}
	t.endWhole(s)
	s.clean = !s.seen.unnamed
	return read, nil
}

// short says that fewer rows came than the list said that it has.
func (r *readResult) isShort() bool { return r.rows < r.total }

// beginWhole says that s is read whole from its beginning.
func (t *tenure) beginWhole(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.refused.beginWhole()
}

// endWhole says that the whole of s has come, perhaps more than once.
func (t *tenure) endWhole(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.refused.endWhole()
}

// expected yields the records of the own kinds of s that the whole list should hold: those
// that are not deleted, nor of performances of long ago. An error is the last thing yielded.
func (t *tenure) expected(ctx context.Context, s *stream) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		if len(s.soleKinds) == 0 {
			return
		}
		longPast := map[string]bool{}
		for _, e := range t.Figures.Snapshot().Events {
			longPast[e.Event.ID] = e.Date < t.Calendar.Day(t.Now()).Add(-archivedAfter)
		}
		for r, err := range t.Log.Heads(ctx, s.soleKinds...) {
			if err != nil {
				yield(nil, &logError{err})
				return
			}
			if !t.archived(r, longPast) && !yield(r, nil) {
				return
			}
		}
	}
}

// archived says that r belongs to nothing but performances of long ago.
func (t *tenure) archived(r record.Record, longPast map[string]bool) bool {
	events := t.Figures.EventsOf(r)
	return len(events) > 0 && !slices.ContainsFunc(events, func(id string) bool { return !longPast[id] })
}

// missingByKind counts the expected records of each kind, and those of them that are missing.
type missingByKind map[record.Kind]*struct{ expected, missing int }

func (m missingByKind) any() bool {
	for _, n := range m {
		if n.missing > 0 {
			return true
		}
	}
	return false
}

func (t *tenure) countMissing(ctx context.Context, s *stream) (missingByKind, error) {
	m := missingByKind{}
	for r, err := range t.expected(ctx, s) {
		if err != nil {
			return nil, err
		}
		n := m[r.RecordKind()]
		if n == nil {
			n = new(struct{ expected, missing int })
			m[r.RecordKind()] = n
		}
		n.expected++
		if s.seen.missing(r) {
			n.missing++
		}
	}
	return m, nil
}

// guarded says that too many records of a kind are missing to believe it, and has that
// listed until a later whole read finds otherwise.
func (t *tenure) tooManyMissing(s *stream, m missingByKind) bool {
	var alarms []figures.Diagnostic
	for _, kind := range s.soleKinds {
		if n := m[kind]; n != nil && n.missing > guardMin && n.missing*guardShare > n.expected {
			t.Logger.Warn("too many records are missing; none was deleted", "stream", s.Name, "kind", kind, "missing", n.missing, "of", n.expected)
			alarms = append(alarms, figures.Diagnostic{Code: figures.CodeSweepGuard, Kind: kind, Count: n.missing,
				Text: record.Say("{missing} of {of} are missing from the whole list of {list}; none was deleted", record.Number("missing", n.missing), record.Number("of", n.expected), record.Verbatim("list", s.Name))})
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.state.Alarms = alarms
	return alarms != nil
}

// deleteMissing stores what is missing as deleted, so that the figures lose it. A record that
// comes back as it was is newer than that, and lives again.
func (t *tenure) deleteMissing(ctx context.Context, s *stream) error {
	var batch readResult
	total := 0
	for r, err := range t.expected(ctx, s) {
		if err != nil {
			return err
		}
		if s.seen.missing(r) {
			if total == 0 {
				s.seenRows.Clear() // a row that comes back as it was is to be read
			}
			batch.pending = append(batch.pending, record.Tombstone(r))
			total++
		}
		if len(batch.pending) == maxBatch {
			if err := t.storePending(ctx, s, &batch, nil); err != nil {
				return err
			}
		}
	}
	if total == 0 {
		return nil
	}
	t.Logger.Info("records that are gone were deleted", "stream", s.Name, "records", total)
	return t.storePending(ctx, s, &batch, func(*aggregator.StreamState) {})
}
