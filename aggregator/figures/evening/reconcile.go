package evening

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// OldItem is the number of days after which an open item is old.
const OldItem = 30

// Difference is a disagreement that a check found. Nothing is changed because of it.
type Difference struct {
	// Key identifies the difference for as long as it lasts: the check and the performance.
	Key string
	figures.Check
	// Event is the id of the performance, which may be missing from the snapshot; empty for the whole house, and
	// for what names no performance.
	Event string
	// Size is the number of places or people too many, negative for too few, or an amount that is not accounted
	// for. For open items it is what is to be paid less what is to be paid back, which may be 0.
	Size figures.Value
	// Due is what is to be paid of open items, and Back what is to be paid back, as far as that is known of the performance.
	Due, Back figures.Figure[figures.Sums]
	// Count is how many of the compared things differ.
	Count int
	// Since is when the difference began according to the data or, if the data do not show it, when it was first
	// found. It is zero until the difference has been stored.
	Since time.Time
	// Records are the ids of the first records of Kind that it is about; for a recompute, of the newest records
	// from which one of its Figures is counted.
	Records []string
	Kind    record.Kind
	// Figures are the differences that a recompute found.
	Figures []record.FoundFigure
}

// checkKinds are the kinds of records that each check compares.
var checkKinds = map[figures.Check][]record.Kind{
	figures.CheckPlaces:    {record.KindEvent, record.KindTicket},
	figures.CheckSold:      {record.KindEvent, record.KindTicket},
	figures.CheckVisitors:  {record.KindEvent, record.KindTicket, record.KindScan},
	figures.CheckPayments:  {record.KindEvent, record.KindTicket, record.KindPayment},
	figures.CheckOpenItems: {record.KindEvent, record.KindTicket, record.KindPayment},
}

// Reconciled is the result of a check.
type Reconciled struct {
	figures.Check
	// Reading is true if nothing was compared because records are still being read.
	Reading bool
	// At is the minute of the compared figures; zero if there was no comparison yet.
	At time.Time
	// Compared is how many payments (for CheckPayments) or performances were compared. Aside are the performances that were not,
	// because their figures are not known, and Selling those whose figures are changing at the moment.
	Compared, Aside, Selling int
	// Differ is how many of the compared things differ, and Differences those that are listed, the newest first.
	Differ      int
	Differences []Difference
	// Revision, Versions and Took are the position, the number of versions and the duration of a recompute.
	Revision int64
	Versions int
	Took     time.Duration
	// Slice is the last recompute of some of the performances; nil if there was none.
	Slice *record.RecomputedSlice
}

// Agree returns how many of the compared things agree.
func (r *Reconciled) Agree() int { return r.Compared - r.Differ }

// reconciling holds the checks of an evening, which are made on first use. Open items are separate: they raise no
// alert, because some order grows old every day.
type reconciling struct {
	once, itemsOnce sync.Once
	all, withItems  []Reconciled
}

// Reconcile returns the result of every check. The recompute is the last one that was stored. The result must not be changed.
func (v *Evening) Reconcile() []Reconciled {
	r := v.reconciling
	r.itemsOnce.Do(func() {
		r.withItems = slices.Concat(v.comparing(), newestFirst(v.perEvent(figures.CheckOpenItems, v.oldItems)))
	})
	return r.withItems
}

// comparing is Reconcile without open items.
func (v *Evening) comparing() []Reconciled {
	r := v.reconciling
	r.once.Do(func() {
		r.all = newestFirst(
			v.perEvent(figures.CheckPlaces, partitionDiffers),
			v.perEvent(figures.CheckSold, soldDiffers),
			v.perEvent(figures.CheckVisitors, visitorsDiffer),
			v.reconcilePayments(),
			v.recomputed(),
		)
	})
	return r.all
}

func newestFirst(all ...Reconciled) []Reconciled {
	for i := range all {
		slices.SortStableFunc(all[i].Differences, func(a, b Difference) int {
			if a.Since.IsZero() != b.Since.IsZero() {
				if b.Since.IsZero() {
					return 1
				}
				return -1
			}
			return b.Since.Compare(a.Since)
		})
	}
	return all
}

// reconciled returns the result of a check before anything was compared.
func (v *Evening) reconciled(c figures.Check) Reconciled {
	return Reconciled{Check: c, At: v.At, Reading: v.Snapshot.Health.Reading(checkKinds[c]...)}
}

// perEvent compares figures of each performance. Places do not have to add up while they are being sold; an
// earlier difference stays in the meantime.
func (v *Evening) perEvent(c figures.Check, differs func(*figures.EventFigures) (d Difference, known bool)) Reconciled {
	r := v.reconciled(c)
	if r.Reading {
		return r
	}
	since := v.Snapshot.Checks[c].FoundSince()
	for _, e := range v.Snapshot.Events {
		d, known := differs(e)
		if !known {
			r.Aside++
			continue
		}
		if !d.Size.Some() && d.Count == 0 {
			r.Compared++
			continue
		}
		d.Key, d.Check, d.Event = string(c)+":"+e.Event.ID, c, e.Event.ID
		stored, found := since[d.Key]
		if !found && (c == figures.CheckPlaces || c == figures.CheckSold) && v.selling(e) {
			r.Selling++
			continue
		}
		d.Since = cmp.Or(d.Since, stored)
		d.Count = 1
		r.Compared++
		r.Differ++
		r.Differences = append(r.Differences, d)
	}
	return r
}

// partitionDiffers returns by how much the places of a performance exceed its capacity.
func partitionDiffers(e *figures.EventFigures) (d Difference, known bool) {
	off, _, known := e.Partition()
	return Difference{Size: figures.Value{Count: off}, Kind: record.KindEvent, Records: []string{e.Event.ID}}, known
}

// soldDiffers returns how many more places of a performance we count as sold than the service.
func soldDiffers(e *figures.EventFigures) (d Difference, known bool) {
	theirs, known := figures.Within(e.Event.Sold)
	return Difference{Size: figures.Value{Count: e.Sold.Value - theirs}, Kind: record.KindEvent, Records: []string{e.Event.ID}}, known && e.Sold.Quality == figures.Exact
}

// visitorsDiffer returns how many more people came than places were sold.
func visitorsDiffer(e *figures.EventFigures) (d Difference, known bool) {
	return Difference{Size: figures.Value{Count: max(0, e.Attendance.Value-e.Sold.Value)}}, e.Attendance.Known() && e.Sold.Known() && e.Sold.Quality < figures.LowerBound
}

// oldItems returns the open items of orders that were placed more than OldItem days ago. The difference began when
// the first of them became old.
func (v *Evening) oldItems(e *figures.EventFigures) (d Difference, known bool) {
	if owed := e.Revenue.Of(figures.ToBePaid); !owed.Known() {
		return d, false
	}
	if len(e.OrderDays.Spans) == 0 { // all its tickets are free, or no order is known
		booked, received := e.Revenue.Of(figures.Booked), e.Revenue.Of(figures.Received)
		return d, e.Sold.Value > 0 && booked.Quality == figures.Exact && received.Quality == figures.Exact && len(booked.Value)+len(received.Value) == 0
	}
	last := v.Today.Add(-OldItem)
	old := e.OrderDays.Between("", last)
	if old.Open == 0 {
		return d, true
	}
	of := e.Revenue.OfOrders(&old) // what other orders lack does not matter
	d.Due = figures.New(old.Of(figures.ToBePaid), of.Of(figures.ToBePaid).Caveat())
	d.Back = figures.New(old.Of(figures.ToBePaidBack), of.Of(figures.ToBePaidBack).Caveat())
	d.Size.Amount = d.Due.Value.PlusAll(d.Back.Value, -1)
	d.Count = old.Open
	for _, day := range e.OrderDays.All() {
		if day.Open > 0 {
			d.Since = v.Snapshot.Calendar.Start(day.Day.Add(OldItem))
			break
		}
	}
	return d, true
}

// reconcilePayments finds payments that belong to no published performance, and compares the sums of the
// performances and these payments with the total.
func (v *Evening) reconcilePayments() Reconciled {
	s := v.Snapshot
	r := v.reconciled(figures.CheckPayments)
	if r.Reading || !s.Total.Of(figures.Received).Known() {
		return r
	}
	r.Compared = s.Payments
	since := s.Checks[figures.CheckPayments].FoundSince()
	add := func(d Difference) {
		d.Key, d.Check = string(figures.CheckPayments)+":"+d.Key, figures.CheckPayments
		d.Since = since[d.Key]
		r.Differ += d.Count
		r.Differences = append(r.Differences, d)
	}
	for _, a := range s.UnmatchedPayments {
		add(Difference{Key: a.Event, Event: a.Event, Size: figures.Value{Amount: a.Net}, Count: a.Payments, Records: a.IDs, Kind: record.KindPayment})
	}
	if off := offTotal(s); len(off) > 0 {
		add(Difference{Key: "total", Size: figures.Value{Amount: off}})
	}
	return r
}

// offTotal returns by how much the performances, with what belongs to none, exceed the total, in the first measure
// in which they differ.
func offTotal(s *figures.Snapshot) (off figures.Sums) {
	for m := range figures.MeasureCount {
		var sums []record.Money // a list, because there are few
		add := func(of figures.Sums, sign int64) {
			for _, a := range of {
				i := slices.IndexFunc(sums, func(m record.Money) bool { return m.Currency == a.Currency })
				if i < 0 {
					i, sums = len(sums), append(sums, record.Money{Currency: a.Currency})
				}
				sums[i].Amount += sign * a.Amount
			}
		}
		add(s.Total.Of(m).Value, -1)
		add(s.Unattributed.Of(m).Value, 1)
		for _, e := range s.Events {
			add(e.Revenue.Of(m).Value, 1)
		}
		for _, m := range sums {
			off = off.Plus(m, 1)
		}
		if len(off) > 0 {
			break
		}
	}
	return off
}

// recomputed returns the last recompute that was stored.
func (v *Evening) recomputed() Reconciled {
	r := Reconciled{Check: figures.CheckRecompute}
	last := v.Snapshot.Checks[figures.CheckRecompute]
	if last == nil {
		return r
	}
	r.At, r.Compared, r.Differ, r.Revision, r.Versions, r.Took = last.Recomputed(), last.Compared, last.Differ, last.Revision, last.Versions, last.Took
	r.Slice = last.Slice
	for _, f := range last.Found {
		r.Differences = append(r.Differences, Difference{Key: f.Key, Check: figures.CheckRecompute, Event: f.Event, Count: 1, Since: f.Since, Figures: f.Figures, Records: f.Records, Kind: f.Kind})
	}
	return r
}

// MostFound is the most differences of a check that are stored.
const MostFound = 500

// Found returns records to store: differences that are not stored yet, and the removal of stored ones that have
// disappeared, by the venue's clock. It returns none while the service does not answer or its lists are still
// being read, because a difference may then only be a missing record.
func (v *Evening) Found(now time.Time) (all []record.Record) {
	if !WholeAndFresh(v.Snapshot) {
		return nil
	}
	for _, r := range v.Reconcile() {
		if r.Check == figures.CheckRecompute {
			continue
		}
		var found []record.Found
		for _, d := range r.Differences {
			found = append(found, record.Found{Key: d.Key, Since: cmp.Or(d.Since, now)})
		}
		slices.SortFunc(found, func(a, b record.Found) int { return cmp.Compare(a.Key, b.Key) })
		found = found[:min(len(found), MostFound)]
		last := v.Snapshot.Checks[r.Check]
		if last == nil && len(found) == 0 || last != nil && slices.EqualFunc(found, last.Found, func(a, b record.Found) bool { return a.Key == b.Key }) {
			continue
		}
		at := now
		if last != nil {
			at = figures.Later(now, last.At.Add(time.Second))
		}
		all = append(all, &record.Reconciliation{Check: string(r.Check), At: at, Found: found})
	}
	return all
}
