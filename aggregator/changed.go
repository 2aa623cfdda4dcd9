package aggregator

import (
	"context"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// mostChanged bounds the versions that are read to say what changed, and mostCompared the performances
// that are compared.
const (
	mostChanged  = 100_000
	mostCompared = 200
)

// Changed is what became different from one moment to another, in whichever order they are given. The zero
// value of the second is the moment of the figures that are published, and none is later. Versions are
// stored for as long as kept says, 0 for ever: of what was before it is said that it is gone. A record that
// changed since, and before that only so long ago, counts as new.
func (f *Figures) Changed(ctx context.Context, since, until figures.Moment, kept time.Duration, now time.Time) (c figures.Changed, err error) {
	shown := f.shown.Load()
	c.From, c.After = since.At, since.Revision
	if !since.At.IsZero() {
		if c.After, err = f.before(ctx, since.At, shown.Position.Revision); err != nil {
			return c, err
		}
	}
	c.Until, c.UpTo = until.At, shown.Position.Revision
	if !until.At.IsZero() {
		if c.UpTo, err = f.before(ctx, until.At, c.UpTo); err != nil {
			return c, err
		}
	} else if until.Revision > 0 {
		c.UpTo = min(until.Revision, c.UpTo)
	}
	if c.UpTo < c.After || !c.Until.IsZero() && c.Until.Before(c.From) {
		c.From, c.After, c.Until, c.UpTo = c.Until, c.UpTo, c.From, c.After
	}
	c.UpTo = min(c.UpTo, shown.Position.Revision)
	if kept > 0 {
		c.StoredFrom = now.Add(-kept)
	}
	if c.Gone = kept > 0 && !c.From.IsZero() && c.From.Before(c.StoredFrom); c.Gone {
		return c, nil
	}
	touched := map[string]bool{}
	for v, err := range f.log.Versions(ctx, c.After) {
		if err != nil {
			return c, err
		}
		if v.Revision > c.UpTo {
			break
		}
		if c.From.IsZero() {
			c.From = v.SeenAt
		}
		if c.After == 0 { // nothing was stored then
			c.Gone, c.Records, c.StoredFrom = true, nil, v.SeenAt
			return c, nil
		}
		if !slices.Contains(listed, v.Record.RecordKind()) {
			continue
		}
		if c.All++; c.All > mostChanged {
			break
		}
		c.Records = append(c.Records, figures.ChangeOf(v))
		if len(c.Records) >= 2*figures.RecordsChanged {
			c.Records = slices.Delete(c.Records, 0, figures.RecordsChanged)
		}
	}
	if c.From.IsZero() { // nothing came after that revision
		c.From = now
	}
	if kept > 0 && c.From.Before(c.StoredFrom) { // of a position
		c.Gone, c.Records, c.All = true, nil, 0
		return c, nil
	}
	c.Records = slices.Clone(c.Records[max(0, len(c.Records)-figures.RecordsChanged):])
	slices.Reverse(c.Records)
	f.mu.Lock()
	for _, id := range f.ledger.ChangedIn(c.After, c.UpTo) {
		touched[id] = true
	}
	f.mu.Unlock()
	delete(touched, "") // of no performance
	for _, e := range shown.Events {
		if touched[e.Event.ID] {
			delete(touched, e.Event.ID)
			if err := f.compare(ctx, shown, e.Event.ID, &c, now); err != nil {
				return c, err
			}
		}
	}
	for id := range touched { // those that are not listed any more
		if err := f.compare(ctx, shown, id, &c, now); err != nil {
			return c, err
		}
	}
	return c, nil
}

// listed are the kinds of the records that what changed is told by.
var listed = []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan, record.KindPlanning, record.KindWalkIn}

// compare adds what changed of a performance.
func (f *Figures) compare(ctx context.Context, shown *publication, id string, c *figures.Changed, now time.Time) error {
	if len(c.Events)+c.Aside >= mostCompared {
		c.Aside++
		return nil
	}
	versions, err := f.versionsOf(ctx, shown, id)
	if err != nil {
		return err
	}
	change, changed, ok := figures.CompareEvent(shown.Snapshot, shown.coverage, versions, id, c.After, c.UpTo, now)
	switch {
	case !ok:
		c.Aside++
	case changed:
		c.Events = append(c.Events, change)
	}
	return nil
}

// before is the revision of the last version that was seen before a moment, 0 for none. Versions are seen
// in the order of their revisions, but for what several processes enter at the same time.
func (f *Figures) before(ctx context.Context, at time.Time, newest int64) (int64, error) {
	low, high := int64(0), newest // the version after low may have been seen before it; none after high was
	for low < high {
		middle := low + (high-low)/2
		next := record.Version{}
		for v, err := range f.log.Versions(ctx, middle) {
			if err != nil {
				return 0, err
			}
			next = v
			break
		}
		if next.Revision == 0 || next.Revision > high || !next.SeenAt.Before(at) {
			high = middle
		} else {
			low = next.Revision
		}
	}
	return low, nil
}
