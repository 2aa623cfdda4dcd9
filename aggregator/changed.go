package aggregator

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/apiclient/record"
)

const (
	// mostListed is the most positions of the log that are searched for changed records, the newest first,
	// listedAtOnce at a time.
	mostListed   = 5_000
	listedAtOnce = 500
	// followingTried is how many revisions are asked for to find the version after one.
	followingTried = 16
	// mostCompared is the most performances that are compared; the others are counted in Changed.Aside.
	mostCompared = 200
	// changedPatience limits the time for everything, comparePatience the part for the figures, which come first, and
	// listPatience that for the list of records. What there is no time for is left out, and the result says so.
	changedPatience = 9 * time.Second
	comparePatience = 6 * time.Second
	listPatience    = 3 * time.Second
)

// Changed returns what changed between two moments, given in either order. The zero value of until means the
// published figures, which are also the latest moment. Versions are stored for storedFor, 0 for ever: the result begins
// with the first moment that is stored, after all lists were read for the first time, and says only that they are gone if both
// moments are before it. A record whose earlier versions are gone counts as new.
func (f *Figures) Changed(ctx context.Context, since, until catalogue.Moment, storedFor time.Duration, now time.Time) (c catalogue.Changed, err error) {
	inTime, cancel := context.WithTimeout(ctx, changedPatience)
	defer cancel()
	shown := f.shown.Load()
	if c, err = f.positions(inTime, shown, since, until); err == nil {
		err = f.findStored(inTime, &c, storedFor, now)
	}
	if err == nil && c.Gone {
		err = f.cut(inTime, shown, &c, now)
	}
	if tooLate(ctx, inTime) {
		return catalogue.Changed{From: since.At, Until: until.At, Late: true}, nil
	}
	if err != nil || c.Gone {
		return c, err
	}
	toCompare, enough := context.WithTimeout(inTime, comparePatience)
	defer enough()
	if err := f.compareAll(ctx, toCompare, shown, &c, now); err != nil {
		return c, err
	}
	return c, f.listChanged(inTime, &c)
}

// tooLate reports whether the time is used up although the caller still waits.
func tooLate(ctx, inTime context.Context) bool { return inTime.Err() != nil && ctx.Err() == nil }

// positions returns a Changed with the positions of the two moments in the log, the earlier one first.
func (f *Figures) positions(ctx context.Context, shown *publication, since, until catalogue.Moment) (c catalogue.Changed, err error) {
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
	return c, nil
}

// findStored finds out whether the versions after the first of two positions are still stored, and when the first of them came.
func (f *Figures) findStored(ctx context.Context, c *catalogue.Changed, storedFor time.Duration, now time.Time) error {
	if storedFor > 0 {
		c.StoredFrom = now.Add(-storedFor)
	}
	read := f.readBy(now)
	c.StoredFrom, c.Reading = figures.Later(c.StoredFrom, read), read.Equal(now)
	if c.Gone = !c.From.IsZero() && c.From.Before(c.StoredFrom); c.Gone {
		return nil
	}
	first, err := f.after(ctx, c.After)
	if err != nil {
		return err
	}
	if first.Revision > c.UpTo {
		first = record.Version{}
	}
	if c.From.IsZero() {
		c.From = cmp.Or(first.SeenAt, now) // now, if nothing came after that revision
	}
	if first.Revision > 0 && c.After == 0 { // nothing had been stored by then
		c.Gone, c.StoredFrom = true, figures.Later(c.StoredFrom, first.SeenAt.Truncate(time.Minute).Add(time.Minute)) // what comes in the first minute is what there was, and no change
		return nil
	}
	c.Gone = c.From.Before(c.StoredFrom) // for a position instead of a moment
	return nil
}

// readBy returns the first minute before which all lists had been read for the first time: until then what is read is what there
// was, and no change. It is now while one is being read, and zero where it is not known.
func (f *Figures) readBy(now time.Time) time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch f.pastFrom {
	case 0:
		return time.Time{}
	case math.MaxInt64:
		return now
	}
	return time.Unix((f.pastFrom+1)*60, 0)
}

// cut lets a result of which no versions are stored begin with the first moment of which they are, if that is not its end.
func (f *Figures) cut(ctx context.Context, shown *publication, c *catalogue.Changed, now time.Time) (err error) {
	if end := cmp.Or(c.Until, now); !c.StoredFrom.Before(end) {
		return nil
	}
	after, err := f.before(ctx, c.StoredFrom, shown.Position.Revision)
	if err != nil || after > c.UpTo {
		return err
	}
	c.From, c.After, c.Gone, c.Cut = c.StoredFrom, after, false, true
	return nil
}

// after returns the first version after a revision; the zero version if there is none. It asks for the few revisions that follow before it
// reads the log, which reads ahead: most revisions have a version.
func (f *Figures) after(ctx context.Context, revision int64) (v record.Version, err error) {
	next := make([]int64, followingTried)
	for i := range next {
		next[i] = revision + 1 + int64(i)
	}
	versions, err := f.log.At(ctx, next)
	if err != nil {
		return v, err
	}
	if len(versions) > 0 {
		return versions[0], nil
	}
	for v, err = range f.log.Versions(ctx, revision) {
		break
	}
	return v, err
}

// listChanged adds the newest records that changed, and their number or an upper bound of it.
func (f *Figures) listChanged(ctx context.Context, c *catalogue.Changed) error {
	inTime, cancel := context.WithTimeout(ctx, listPatience)
	defer cancel()
	last := max(c.After, c.UpTo-mostListed) // versions up to it are not read
	revisions := make([]int64, 0, listedAtOnce)
	for upTo := c.UpTo; upTo > last; {
		after := max(last, upTo-listedAtOnce)
		revisions = revisions[:0]
		for r := after + 1; r <= upTo; r++ {
			revisions = append(revisions, r)
		}
		versions, err := f.log.At(inTime, revisions)
		if inTime.Err() != nil {
			last = upTo
			break
		}
		if err != nil {
			return err
		}
		for _, v := range slices.Backward(versions) {
			if !slices.Contains(listed, v.Record.RecordKind()) {
				continue
			}
			if c.All++; len(c.Records) < catalogue.RecordsChanged {
				c.Records = append(c.Records, catalogue.ChangeOf(v))
			}
		}
		upTo = after
	}
	c.AllAtMost = last > c.After
	c.All += int(last - c.After)
	return nil
}

// listed are the kinds of records that are listed as changes.
var listed = []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan, record.KindPlanning, record.KindWalkIn}

// compareAll adds what changed of each performance while there is time, beginning with those that changed last.
func (f *Figures) compareAll(ctx, inTime context.Context, shown *publication, c *catalogue.Changed, now time.Time) error {
	last := map[string]int64{}
	f.mu.Lock()
	for _, id := range f.ledger.ChangedIn(c.After, c.UpTo) {
		last[id] = f.ledger.LastOf(id)
	}
	f.mu.Unlock()
	delete(last, "") // what belongs to no performance
	newest := slices.SortedFunc(maps.Keys(last), func(a, b string) int { return cmp.Or(cmp.Compare(last[b], last[a]), cmp.Compare(a, b)) })
	found := map[string]catalogue.EventChange{}
	for i, id := range newest {
		if i == mostCompared {
			c.Aside += len(newest) - i
			break
		}
		change, changed, ok, err := f.compare(inTime, shown, id, c, now)
		if tooLate(ctx, inTime) {
			c.Aside += len(newest) - i
			break
		}
		switch {
		case err != nil:
			return err
		case !ok:
			c.Aside++
		case changed:
			found[id] = change
		}
	}
	for _, e := range shown.Events {
		if change, ok := found[e.Event.ID]; ok {
			c.Events = append(c.Events, change)
			delete(found, e.Event.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(found)) { // performances that are no longer published
		c.Events = append(c.Events, found[id])
	}
	return nil
}

// compare returns what changed of a performance; ok is false if its versions are too many.
func (f *Figures) compare(ctx context.Context, shown *publication, id string, c *catalogue.Changed, now time.Time) (change catalogue.EventChange, changed, ok bool, err error) {
	versions, err := f.versionsOf(ctx, shown, id)
	if err != nil {
		return change, false, false, err
	}
	change, changed, ok = shown.history(versions, now).Compare(id, c.After, c.UpTo)
	return change, changed, ok, nil
}

// before returns the revision of the last version that was seen before a moment; 0 for none. Versions are seen in
// the order of their revisions, except those that several processes enter at the same time.
func (f *Figures) before(ctx context.Context, at time.Time, newest int64) (int64, error) {
	low, high := int64(0), newest // what was seen by low may include the version after it; nothing after high was seen before at
	for low < high {
		middle := low + (high-low)/2
		next, err := f.after(ctx, middle)
		if err != nil {
			return 0, err
		}
		if next.Revision == 0 || next.Revision > high || !next.SeenAt.Before(at) {
			high = middle
		} else {
			low = next.Revision
		}
	}
	return low, nil
}
