package poller

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

const (
	// If a whole read misses more than guardMin records of a kind, and more than one in guardShare, a fault of the
	// service is more likely than that many deletions, and none is deleted at once: what every whole read has missed
	// for missedFor, the first and the last one included, is gone, however large its share, unless nothing came at all.
	//
	// missedFor is as long as the shortest time between two nights' reads: a fault of the night has been mended by the
	// next one, and a day has been between, on which somebody has seen the alarm. Our clock alone does not say how long it
	// was, because it may have been set in between: see lasted. A read that failed, was cut short or
	// had a row without a name says nothing, and one that has a record again begins its time anew. A list without a
	// single record that was there before the alarm is what a service answers that has lost its data, or shows another
	// account: that is never believed, whatever else is in it.
	// What is deleted and comes back counts again.
	guardMin   = 5
	guardShare = 5
	missedFor  = wholeEvery
	// unwitnessed is the longest that counts as passed between two reads where our clock alone says so.
	unwitnessed = missedFor / 2
)

// weighing is when a whole read began, by our clock and by the service's, which is zero if the service reports no time.
type weighing struct{ began, served time.Time }

// lasted returns how much time passed from the last sound whole read that missed records to this one: the least of what our
// clock says and what the service's says or, where it reports no time, the process's own clock, which nobody sets.
func (at weighing) lasted(s *stream, since aggregator.Missing) time.Duration {
	passed, witness := at.began.Sub(since.At), unwitnessed
	switch {
	case !at.served.IsZero() && !since.Served.IsZero():
		witness = at.served.Sub(since.Served)
	case !s.weighed.IsZero():
		witness = time.Since(s.weighed)
	}
	return max(min(passed, witness), 0)
}

// missingOf is how many records of a kind are expected, how many of them are missing, and which. kept are those that came
// and were in the log when the list was last believed.
type missingOf struct {
	expected, missing, kept int
	which                   parts
}

// tooMany reports whether it is more than is plausible.
func (n *missingOf) tooMany() bool { return n.missing > guardMin && n.missing*guardShare > n.expected }

// alarm returns what is reported of it.
func (n *missingOf) alarm(kind record.Kind, name string) figures.Diagnostic {
	list := record.Verbatim("list", name)
	text := record.Say("{missing} of {of} are missing from the whole list of {list}; they count until every reading has missed them for {hours} hours",
		record.Number("missing", n.missing), record.Number("of", n.expected), list, record.Number("hours", int(missedFor/time.Hour)))
	if n.kept == 0 {
		text = record.Say("none of {of} came in the whole list of {list}; none was deleted", record.Number("of", n.missing), list)
	}
	return figures.Diagnostic{Code: figures.CodeSweepGuard, Kind: kind, Count: n.missing, Text: text}
}

// missingByKind holds the missing records of each kind.
type missingByKind map[record.Kind]*missingOf

// parts is which records are missing, in as little space as a state may take: a sum of hashes for each part of them. The
// records of a performance are in one part, so that what becomes of them leaves the other parts as they are.
type parts [256]uint64

// partOf returns the part of a record and what it adds there. By a simpler hash, such as FNV, ids that are numbers in a row
// have hashes of which different ones have the same sum.
func partOf(r record.Record) (part int, hash uint64) {
	of := sha256.Sum256([]byte(cmp.Or(record.EventOf(r), r.RecordID())))
	id := sha256.Sum256([]byte(r.RecordID()))
	return int(of[0]), binary.LittleEndian.Uint64(id[:]) | 1 // never 0, which is nothing
}

// stored returns parts as they are stored.
func (p *parts) stored() (text []byte) {
	for _, sum := range p {
		text = binary.LittleEndian.AppendUint64(text, sum)
	}
	return text
}

// partsOf returns stored parts; none if it is no such text.
func partsOf(text []byte) (p parts) {
	for i := range p {
		if len(text) < 8 {
			break
		}
		p[i], text = binary.LittleEndian.Uint64(text), text[8:]
	}
	return p
}

func (t *tenure) countMissing(ctx context.Context, s *stream, kinds []record.Kind) (missingByKind, error) {
	m, believed := missingByKind{}, cmp.Or(s.state.Believed, s.state.Whole)
	for v, err := range t.expected(ctx, s, kinds) {
		if err != nil {
			return nil, err
		}
		r := v.Record
		if isTest(r) { // it counts nowhere, missing or not
			continue
		}
		n := m[r.RecordKind()]
		if n == nil {
			n = &missingOf{}
			m[r.RecordKind()] = n
		}
		n.expected++
		switch {
		case t.misses(s, r):
			n.missing++
			part, hash := partOf(r)
			n.which[part] += hash
		case !v.SeenAt.After(believed):
			n.kept++
		}
	}
	return m, nil
}

// isTest reports whether a record is marked as a test.
func isTest(r record.Record) bool {
	switch r := r.(type) {
	case *record.Event:
		return r.Test
	case *record.Ticket:
		return r.Test
	case *record.Payment:
		return r.Test
	}
	return false
}

// believed reports whether a missing record is gone.
type believed func(record.Record) bool

// findGone returns which of the records of kinds that the current whole read misses are gone, nil for none. If some are too
// many, it raises an alarm that stays until a later whole read; sound is false if this one was cut short. What partners give
// too is gone after missedFor however little it is: a record may be on its way from one list to another.
func (t *tenure) findGone(ctx context.Context, s *stream, kinds []record.Kind, at weighing, sound bool) (believed, error) {
	m, err := t.countMissing(ctx, s, kinds)
	if err != nil {
		return nil, err
	}
	sound = sound && !s.seen.unnamed
	var alarms []figures.Diagnostic
	var doubted []aggregator.Missing
	gone := map[record.Kind]*[len(parts{})]bool{} // nil for all
	some, agreed := false, false
	for _, kind := range kinds {
		n := m[kind]
		if n == nil || n.missing == 0 || !n.tooMany() && s.partners[kind] == nil {
			some = some || n != nil && n.missing > 0
			continue
		}
		gone[kind] = &[len(parts{})]bool{}
		if n.tooMany() {
			alarm := n.alarm(kind, s.Name)
			alarms = append(alarms, alarm)
			if !slices.ContainsFunc(s.state.Alarms, alarm.Equal) {
				t.Logger.Warn("too many records are missing", "stream", s.Name, "kind", kind, "missing", n.missing, "of", n.expected)
			}
		}
		i := slices.IndexFunc(s.state.Missing, func(o aggregator.Missing) bool { return o.Kind == kind })
		switch {
		case !sound && i >= 0:
			doubted = append(doubted, s.state.Missing[i])
		case !sound || n.kept == 0: // says nothing, or is never believed
		case i < 0 || s.state.Missing[i].At.IsZero():
			doubted = append(doubted, aggregator.Missing{Kind: kind, At: at.began, Served: at.served, Parts: n.which.stored()})
		default:
			missed := s.state.Missing[i].For + at.lasted(s, s.state.Missing[i])
			always := partsOf(s.state.Missing[i].Parts)
			for part, sum := range n.which {
				if always[part] != sum {
					always[part] = 0
				}
			}
			if missed >= missedFor {
				lasting := always != parts{}
				for part, sum := range always {
					gone[kind][part] = sum != 0
				}
				if agreed = agreed || lasting; !lasting {
					missed, always = 0, n.which
				}
			}
			doubted = append(doubted, aggregator.Missing{Kind: kind, For: missed, At: at.began, Served: at.served, Parts: always.stored()})
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range s.state.Alarms {
		if !slices.Contains(kinds, one.Kind) { // not weighed this time
			alarms = append(alarms, one)
		}
	}
	for _, one := range s.state.Missing {
		if !slices.Contains(kinds, one.Kind) {
			doubted = append(doubted, one)
		}
	}
	s.state.Alarms, s.state.Missing = alarms, doubted
	if sound {
		s.weighed = time.Now()
	}
	if !sound || !agreed && (alarms != nil || !some) {
		return nil, nil
	}
	return func(r record.Record) bool {
		of := gone[r.RecordKind()]
		if of == nil {
			return true
		}
		part, _ := partOf(r)
		return of[part]
	}, nil
}

// deleteMissing stores the missing records that are gone as deleted. A record that comes back unchanged is newer than
// its deletion and counts again. Where too many were missing, the rest is weighed once more.
func (t *tenure) deleteMissing(ctx context.Context, s *stream, kinds []record.Kind, gone believed, at weighing) error {
	var missing readResult
	total := 0
	for v, err := range t.expected(ctx, s, kinds) {
		if err != nil {
			return err
		}
		r := v.Record
		if t.misses(s, r) && gone(r) {
			if total == 0 {
				s.seenRows.Clear() // a row that comes back unchanged has to be read
			}
			missing.pending.records = append(missing.pending.records, record.Tombstone(r))
			total++
		}
		if len(missing.pending.records) == maxBatch {
			if err := t.storePending(ctx, s, &missing, nil); err != nil {
				return err
			}
		}
	}
	if total == 0 {
		return nil
	}
	t.Logger.Info("records that are gone were deleted", "stream", s.Name, "records", total)
	if err := t.storePending(ctx, s, &missing, func(*aggregator.StreamState) {}); err != nil || s.state.Alarms == nil && s.state.Missing == nil {
		return err
	}
	_, err := t.findGone(ctx, s, kinds, at, true)
	return err
}
