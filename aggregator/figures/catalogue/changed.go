package catalogue

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Moment is a moment or, if that is zero, a position of the log by its newest revision.
type Moment struct {
	At       time.Time
	Revision int64
}

// Changed is what changed between two positions of the log.
type Changed struct {
	// From is the moment asked for, or the time of the first version after the position asked for. After is the
	// revision of the last version before it.
	From  time.Time
	After int64
	// Until is the moment asked for as the end; zero if that is now or a position. UpTo is the revision of the
	// last version that is compared.
	Until time.Time
	UpTo  int64
	// Gone is true if no versions of that time are stored, only those since StoredFrom. Cut is true if none are before
	// StoredFrom, which From is then instead of the moment asked for.
	Gone, Cut  bool
	StoredFrom time.Time
	// Reading is true while a list is being read for the first time, so that what changed is not known yet.
	Reading bool
	// Late is true if there was no time to find the positions, so that nothing is known.
	Late bool
	// Events are the performances that changed, in the order of the snapshot, and Aside the number that were not
	// compared, because they have too many versions or there was no time.
	Events []EventChange
	Aside  int
	// Records are the newest versions that made the changes, the newest first; All is their total number, or an
	// upper bound of it.
	Records   []Change
	All       int
	AllAtMost bool
}

// EventChange is what changed of a performance.
type EventChange struct {
	// Before is the performance as it was; nil if it did not exist. After is the performance as it is; nil if it
	// no longer exists.
	Before, After *record.Event
	// Sold and Cancelled are the places sold and cancelled in between.
	Sold, Cancelled int
	// By are the figures that changed, each as the new value less the old one.
	By []FigureChange
}

// FigureChange is by how much a figure changed; Unknown if one of the two values is not known.
type FigureChange struct {
	figures.Key
	figures.Value
}

// Of returns by how much one figure changed; the zero value if it did not.
func (c *EventChange) Of(k figures.Key) figures.Value {
	for _, f := range c.By {
		if f.Key == k {
			return f.Value
		}
	}
	return figures.Value{}
}

// RecordsChanged is the most versions that a Changed lists.
const RecordsChanged = 50

// Compare returns what changed of a performance after one revision and up to another. ok is false if versions are missing, so
// that their figures are not those of the snapshot. changed is false if nothing changed.
func (h *History) Compare(id string, after, upTo int64) (e EventChange, changed, ok bool) {
	l, versions := h.ledger(), h.Versions
	read := func() *evening.Show {
		v := h.read(l)
		if event := v.Snapshot.Event(id); event != nil {
			return v.Show(event)
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
	if shown := h.Snapshot.Event(id); (shown == nil) != (whole == nil) || shown != nil && (shown.Sold.Value != whole.Sold.Value || !sameSums(&shown.Revenue, &whole.Revenue)) {
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
			was = figures.Value{} // of a performance that did not exist
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

// tickets counts the places that were sold and cancelled, from the tickets before and the versions since.
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

// sameSums reports whether the amounts of two revenues are the same.
func sameSums(a, b *figures.Revenue) bool {
	for m := range figures.MeasureCount {
		if !slices.Equal(a.Of(m).Value, b.Of(m).Value) {
			return false
		}
	}
	return true
}

// sameProgramme reports whether time, place, title and status of a performance are unchanged.
func sameProgramme(a, b *record.Event) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Title == b.Title && a.Hall == b.Hall && a.Date == b.Date && a.StartsAt.Equal(b.StartsAt) && a.DoorsAt.Equal(b.DoorsAt) && a.Status == b.Status
}

// ChangeOf returns a version for the list.
func ChangeOf(v record.Version) Change { return Change{RecordBehind: behind(v), Seen: v.SeenAt} }

// Total adds up the known changes of one figure over all performances.
func (c *Changed) Total(k figures.Key) (sum figures.Value) {
	for i := range c.Events {
		if by := c.Events[i].Of(k); by.Known() {
			sum.Count += by.Count
			sum.Amount = sum.Amount.PlusAll(by.Amount, 1)
		}
	}
	return sum
}
