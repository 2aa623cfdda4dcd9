package catalogue

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Moment is a moment or, where that is zero, a position of the log: its newest revision.
type Moment struct {
	At       time.Time
	Revision int64
}

// Changed is what became different from one position of the log to another.
type Changed struct {
	// From is the moment that was asked for, or that of the first version after the position that was, and
	// After the revision of the last version before it.
	From  time.Time
	After int64
	// Until is the moment up to which was asked for, zero if that is now or a position, and UpTo the
	// revision of the last version that is looked at.
	Until time.Time
	UpTo  int64
	// Gone is true if versions of that time are stored no more, only those since StoredFrom.
	Gone       bool
	StoredFrom time.Time
	// Late is true if there was no time to find out where the positions are: nothing is known.
	Late bool
	// Events are the performances of which anything changed, in the order of the snapshot, and Aside how
	// many are not compared: they have too many versions, or there was no time.
	Events []EventChange
	Aside  int
	// Records are the newest versions that made the change, the newest first; All is how many there are, or are
	// at most.
	Records   []Change
	All       int
	AllAtMost bool
}

// EventChange is what changed of a performance.
type EventChange struct {
	// Before is the performance as it was, nil if it was not there, and After as it is, nil if it is
	// not any more.
	Before, After *record.Event
	// Sold and Cancelled are the places of the tickets that were sold since, or back.
	Sold, Cancelled int
	// By are the figures that are not what they were, each with what it is now less what it was.
	By []FigureChange
}

// FigureChange is by how much a figure changed; it is Unknown if one of the two is not known.
type FigureChange struct {
	figures.Key
	figures.Value
}

// Of is by how much one figure changed, nothing if it did not.
func (c *EventChange) Of(k figures.Key) figures.Value {
	for _, f := range c.By {
		if f.Key == k {
			return f.Value
		}
	}
	return figures.Value{}
}

// RecordsChanged is how many versions a Changed lists.
const RecordsChanged = 50

// CompareEvent returns what changed of a performance after one revision and up to another. versions are its
// own and those of what shares payments with it, ascending, as for LookBehind. ok is false if versions are
// missing: their figures are not those of s. changed is false if nothing changed.
func CompareEvent(s *figures.Snapshot, c ledger.Coverage, versions []record.Version, id string, after, upTo int64, now time.Time) (e EventChange, changed, ok bool) {
	l := ledger.New(s.Calendar)
	l.Settings = s.House
	read := func() *evening.Show {
		part := l.Snapshot(s.Position, c)
		part.AsOf, part.Health = s.AsOf, s.Health
		if event := part.Event(id); event != nil {
			return evening.At(part, now).Show(event)
		}
		return nil
	}
	held := map[string]*record.Ticket{}
	first, _ := slices.BinarySearchFunc(versions, after+1, func(v record.Version, revision int64) int { return int(v.Revision - revision) })
	for i := range versions[:first] {
		l.Apply(versions[i])
		if t, is := versions[i].Record.(*record.Ticket); is && versions[i].Head {
			held[t.ID] = t
		}
	}
	before := read()
	end := first
	for end < len(versions) && versions[end].Revision <= upTo {
		l.Apply(versions[end])
		end++
	}
	last := read()
	for i := range versions[end:] {
		l.Apply(versions[end+i])
	}
	whole := last
	if end < len(versions) {
		whole = read()
	}
	if shown := s.Event(id); (shown == nil) != (whole == nil) || shown != nil && (shown.Sold.Value != whole.Sold.Value || !sameSums(&shown.Revenue, &whole.Revenue)) {
		return e, false, false
	}
	e.tickets(held, versions[first:end], id)
	if before != nil {
		e.Before = &before.Event
	}
	if last != nil {
		e.After = &last.Event
	}
	for i := range catalogue {
		d := &catalogue[i]
		if d.ofShow == nil || d.looksBack() || d.Unit.Ratio() {
			continue
		}
		was, is := figures.Value{Quality: figures.Unknown}, figures.Value{Quality: figures.Unknown}
		if before != nil {
			was = d.ofShow(before)
		} else if last != nil {
			was = figures.Value{} // of what was not there yet
		}
		if last != nil {
			is = d.ofShow(last)
		}
		by := is.Less(was)
		if !was.Known() || !is.Known() {
			if was.Known() == is.Known() {
				continue
			}
			by = figures.Value{Quality: figures.Unknown}
		}
		if by.Some() || !by.Known() {
			e.By = append(e.By, FigureChange{d.Key, by})
		}
	}
	return e, len(e.By) > 0 || e.Sold != 0 || e.Cancelled != 0 || !sameProgramme(e.Before, e.After), true
}

// tickets counts the places that were sold and cancelled, given the tickets as they were and the versions
// since.
func (e *EventChange) tickets(held map[string]*record.Ticket, versions []record.Version, id string) {
	is := map[string]*record.Ticket{}
	for _, v := range versions {
		if t, of := v.Record.(*record.Ticket); of && v.Head {
			is[t.ID] = t
		}
	}
	sold := func(t *record.Ticket) bool {
		return t != nil && t.EventID == id && t.Status == record.TicketValid && !t.Test && !t.Deleted && t.IsPlace()
	}
	for ticket, t := range is {
		switch was := held[ticket]; {
		case sold(t) && !sold(was):
			e.Sold += t.Places()
		case sold(was) && !sold(t):
			e.Cancelled += was.Places()
		}
	}
}

// sameSums reports whether two have the same sums of money.
func sameSums(a, b *figures.Revenue) bool {
	for m := range figures.MeasureCount {
		if !slices.Equal(a.Of(m).Value, b.Of(m).Value) {
			return false
		}
	}
	return true
}

// sameProgramme reports whether a performance is on when and where it was, under the same title and status.
func sameProgramme(a, b *record.Event) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Title == b.Title && a.Hall == b.Hall && a.Date == b.Date && a.StartsAt.Equal(b.StartsAt) && a.DoorsAt.Equal(b.DoorsAt) && a.Status == b.Status
}

// ChangeOf returns a version as it is listed.
func ChangeOf(v record.Version) Change { return Change{RecordBehind: behind(v), Seen: v.SeenAt} }

// Total adds up one figure of all performances: what changed of it that is known.
func (c *Changed) Total(k figures.Key) (sum figures.Value) {
	for i := range c.Events {
		if by := c.Events[i].Of(k); by.Known() {
			sum.Count += by.Count
			sum.Amount = sum.Amount.PlusAll(by.Amount, 1)
		}
	}
	return sum
}
