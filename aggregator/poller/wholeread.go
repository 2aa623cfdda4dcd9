package poller

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

const (
	// quietFrom and quietUntil bound the quiet hours, counted from a day's cut-off by the venue's
	// clock, in which lists are read whole to find deleted records. wholeEvery is the shortest
	// interval between two such reads.
	quietFrom  = 3 * time.Hour
	quietUntil = 6 * time.Hour
	wholeEvery = 20 * time.Hour
	// wholeAgain is the longest wait after a failed whole read, and rereadAgain after one with another mapping; in the
	// meantime only changes are read.
	wholeAgain  = time.Hour
	rereadAgain = 5 * time.Minute
	// archivedAfter is how many days after a performance its records may disappear without being
	// deleted: services archive them.
	archivedAfter = 30
	endingBefore  = 5 * time.Minute
)

// wholeIsDue reports whether s, which has been read whole before, has to be read whole again: as
// often as its WholeEvery, or else once a night while nobody is arriving, if that may find deleted
// records; and at once if it was read with another mapping.
func (t *tenure) wholeIsDue(s *stream) bool {
	now := t.Now()
	every := cmp.Or(s.WholeEvery, wholeEvery)
	// A time in the future was recorded by a clock that was ahead.
	age := now.Sub(s.state.Whole)
	switch {
	case time.Now().Before(s.notBefore):
		return false
	case s.state.Rereading:
		return true
	case 0 <= age && age < every:
		return false
	}
	return s.WholeEvery > 0 || (len(s.soleKinds)+len(s.partners) > 0 || s.refused.any()) && t.quiet(now)
}

// quiet reports whether it is a quiet hour; see Quiet.
func (t *tenure) quiet(now time.Time) bool { return Quiet(t.Figures.Snapshot(), now) }

// Quiet reports whether it is night by the venue's clock and nobody is arriving: time for work that
// can wait.
func Quiet(s *figures.Snapshot, now time.Time) bool {
	return s.Calendar.Between(now, quietFrom, quietUntil) && !arriving(s, now)
}

// arriving reports whether some event's visitors arrive at now.
func arriving(s *figures.Snapshot, now time.Time) bool {
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool {
		opens, ends, ok := arrivalTimes(e, e.Hours())
		return ok && !now.Before(opens) && now.Before(ends)
	})
}

// reconcile reads s whole and deletes the records of its sole kinds, and of those that it shares, that are missing from that
// read and from a second one right after. A page that shifts during a read may hide a record once, but
// hardly twice. Changes made meanwhile are read too. Refused records that are gone in the same way
// are forgotten.
//
// If the list was read with another mapping, tonight's records are read first, and what comes is believed whatever it
// lacks.
//
// Nothing is deleted if a row without an id was refused, because it may be any of the missing
// records. Nothing is concluded from a list that has fewer rows than its own total, and of one that
// misses too many only what it has missed for long (see missedFor).
func (t *tenure) reconcile(ctx context.Context, s *stream) (readResult, error) {
	s.notBefore = time.Now().Add(min(cmp.Or(s.WholeEvery, wholeAgain), wholeAgain))
	s.seen = newSeenIDs()
	defer func() { s.seen = nil }()
	wasClean, began := s.clean, t.Now()
	s.clean = false
	t.beginWhole(s)
	if s.state.Rereading {
		s.notBefore = time.Now().Add(rereadAgain)
		s.confirmed = func(record.Kind, string) bool { return true }
		if err := t.readTonight(ctx, s); err != nil {
			return readResult{}, err
		}
	}
	read, err := t.readAll(ctx, s, apiclient.Query{Conditional: wasClean})
	if err != nil {
		return read, err
	}
	if !read.isShort() {
		t.noteWhole(s, read.unchanged)
	}
	if read.unchanged {
		s.clean = true
		return read, nil
	}
	at, kinds := weighing{began, read.served}, slices.Concat(s.soleKinds, t.sharedKinds(s))
	gone, err := t.findGone(ctx, s, kinds, at, !read.isShort())
	if err != nil || gone == nil && s.state.Alarms != nil || read.isShort() {
		return read, err
	}
	doubted := s.state.Alarms != nil || s.state.Missing != nil
	if gone != nil || s.refused.anyGone() {
		if read, err = t.readAll(ctx, s, apiclient.Query{}); err != nil || read.isShort() {
			return read, err
		}
	}
	if gone != nil && !s.seen.unnamed {
		if err := t.deleteMissing(ctx, s, kinds, gone, at); err != nil {
			return read, err
		}
	}
	t.endWhole(s)
	s.clean = !s.seen.unnamed && !doubted // some may still be missing
	return read, nil
}

// wholeChanges reads the changes of a list that is read whole for them, and deletes the records of its sole kinds that
// are missing from it as reconcile does. What the log has is compared only if something that came last time did not
// come again, or if that is still to be done after a failure.
func (t *tenure) wholeChanges(ctx context.Context, s *stream, since time.Time) (readResult, error) {
	before, began := s.listed, t.Now()
	s.seen, s.listed = newSeenIDs(), nil
	defer func() { s.seen = nil }()
	read, err := t.changes(ctx, s, since)
	switch {
	case err != nil: // the next answer may be what came before this one
		s.listed = before
		return read, err
	case read.isShort():
		return read, nil
	case read.unchanged && (before == nil || s.state.Alarms == nil && !s.unweighed):
		s.listed = before
		return read, nil
	case read.unchanged: // it misses what it missed
		s.seen = before
	case before != nil && s.state.Alarms == nil && !s.unweighed && s.seen.hasAllOf(before):
		s.listed = s.seen
		return read, nil
	}
	s.listed, s.unweighed = s.seen, true
	if err := t.storePending(ctx, s, &read, nil); err != nil {
		return read, err
	}
	at := weighing{began, read.served}
	gone, err := t.findGone(ctx, s, s.soleKinds, at, true)
	if err != nil {
		return read, err
	}
	doubted := s.state.Alarms != nil
	if gone != nil {
		s.seen = s.seen.clone() // listed is what came at first
		again, err := t.changes(ctx, s, since)
		if err != nil || again.isShort() {
			return again, err
		}
		if err := t.storePending(ctx, s, &again, nil); err != nil {
			return again, err
		}
		if !s.seen.unnamed {
			if err := t.deleteMissing(ctx, s, s.soleKinds, gone, at); err != nil {
				return again, err
			}
		}
		read.refused = read.refused || again.refused
		read.appended.add(again.appended.Appended)
	}
	s.listed, s.unweighed = s.seen, doubted && s.state.Alarms == nil // some may still be missing
	return read, nil
}

// isShort reports whether fewer rows came than the list's total.
func (r *readResult) isShort() bool { return r.rows < r.total }

// beginWhole records that a read of all of s begins.
func (t *tenure) beginWhole(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.refused.beginWhole()
	listed := maps.Clone(s.refused.lastSeen)
	s.confirmed = func(kind record.Kind, id string) bool {
		_, known := listed[refusedKey{kind: kind, id: id}]
		return known
	}
}

// endWhole records that all of s has been read.
func (t *tenure) endWhole(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.refused.endWhole()
}

// noteWhole keeps for the partners of s what came in a sound whole read; unchanged means that it is what came before.
func (t *tenure) noteWhole(s *stream, unchanged bool) {
	if len(s.partners) == 0 || s.seen.unnamed {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.wholeAt = time.Now(); !unchanged {
		s.came = s.seen.clone()
	}
}

// noteCame adds a record that came, or was refused, to what the partners of s look at.
func (t *tenure) noteCame(s *stream, kind record.Kind, id string) {
	if len(s.partners) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s.came.add(kind, id)
}

// sharedKinds returns the kinds of record of which it can be said that one is missing from all the lists that give it: those
// of which all partners of s were read whole a short time ago and are being read.
func (t *tenure) sharedKinds(s *stream) (kinds []record.Kind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for kind, partners := range s.partners {
		if !slices.ContainsFunc(partners, func(p *stream) bool {
			return p.came == nil || p.state.Missed > 0 || time.Since(p.wholeAt) > 2*wholeEvery
		}) {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// misses reports whether the whole read of s, and what its partners gave, have no record r.
func (t *tenure) misses(s *stream, r record.Record) bool {
	if !s.seen.missing(r) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return !slices.ContainsFunc(s.partners[r.RecordKind()], func(p *stream) bool { return !p.came.missing(r) })
}

// expected yields the newest versions of the records of some kinds that the whole list of s should contain: those that
// are not deleted and not of performances long past or, of a list that drops those, over. An error is
// the last value yielded.
func (t *tenure) expected(ctx context.Context, s *stream, kinds []record.Kind) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		if len(kinds) == 0 {
			return
		}
		longPast, since := map[string]bool{}, t.Calendar.Day(t.Now()).Add(-archivedAfter)
		for _, e := range t.Figures.Snapshot().Events {
			longPast[e.Event.ID] = e.Date != "" && (e.Date < since || s.DropsPast && t.ending(e))
		}
		for v, err := range t.Log.Heads(ctx, kinds...) {
			if err != nil {
				yield(v, &logError{err})
				return
			}
			if owned := s.Owns == nil || s.Owns(v.Record.RecordID()); owned && !t.archived(v.Record, longPast, since) && !yield(v, nil) {
				return
			}
		}
	}
}

// ending reports whether a dated performance is over by the venue's clock or will be within endingBefore, because the
// service's clock may be ahead.
func (t *tenure) ending(e *figures.EventFigures) bool {
	if end := e.Hours().End; !end.IsZero() {
		return !t.Now().Before(end.Add(-endingBefore))
	}
	return e.Date < t.Calendar.Day(t.Now())
}

// archived reports whether r belongs only to performances long past or, if to none that is listed, was sold or paid before
// a day.
func (t *tenure) archived(r record.Record, longPast map[string]bool, since figures.Day) bool {
	events := slices.DeleteFunc(slices.Clone(t.Figures.EventsOf(r)), func(id string) bool { _, listed := longPast[id]; return !listed })
	if len(events) > 0 {
		return !slices.ContainsFunc(events, func(id string) bool { return !longPast[id] })
	}
	var at time.Time
	switch r := r.(type) {
	case *record.Payment:
		at = cmp.Or(r.PaidAt, r.CreatedAt)
	case *record.Ticket:
		at = cmp.Or(r.SoldAt, r.CreatedAt)
	}
	return !at.IsZero() && t.Calendar.Day(at) < since
}
