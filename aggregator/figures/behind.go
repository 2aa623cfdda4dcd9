package figures

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Behind is what is behind a figure of a performance.
type Behind struct {
	// Records are the newest of those that it is counted from, the newest first; All is how many
	// there are.
	Records []RecordBehind
	All     int
	// Changes are the last versions that changed the figure, the newest first. They are empty where
	// they cannot be told, because the versions are not all there is.
	Changes []Change
	// Today is by how much the figure changed since the running day of sale began, nil where that
	// cannot be told either.
	Today *Value
}

// RecordBehind is a record that a figure is counted from. It names nobody.
type RecordBehind struct {
	Kind   record.Kind
	ID     string
	Order  string    // that it belongs to, empty for none
	At     time.Time // when it happened, by the service
	Status string
	Amount record.Money // its price, or what was paid; of no currency where it has none
}

// Change is a version that changed a figure.
type Change struct {
	RecordBehind
	Seen time.Time // when we saw it
	By   Value     // the figure after it less that before; its quality says nothing
}

const (
	recordsBehind = 50
	changesBehind = 10
	// Changes are looked for in so many versions of the kinds that the figure is counted from, and at
	// most so many of any.
	lookedThrough     = 24
	mostLookedThrough = 120
)

// LookBehind is what is behind a figure that s has at a moment, given the versions of its
// performance and of what shares payments with it, ascending. What changed it is found by folding
// them: the definitions are those of the ledger.
func LookBehind(s *Snapshot, c Coverage, versions []record.Version, k Key, scope Scope, now time.Time) (b Behind) {
	d := Define(k)
	e := s.Event(scope.Event)
	if e == nil {
		return b
	}
	alone := *s // the others cost time and change nothing of a performance's value
	alone.Events = []*EventFigures{e}
	x, ok := alone.Evening(now).Explain(k, scope)
	if !ok {
		return b
	}
	first, looked := len(versions), 0
	type key struct {
		kind record.Kind
		id   string
	}
	counted := map[key]bool{}
	for i, v := range slices.Backward(versions) {
		if !d.from(v.Record) {
			continue
		}
		if looked < lookedThrough && i >= len(versions)-mostLookedThrough {
			first, looked = i, looked+1
		}
		of := key{v.Record.RecordKind(), v.Record.RecordID()}
		if !v.Head || counted[of] {
			continue
		}
		counted[of] = true
		if r, event, ok := d.behind(v.Record); ok && (event == "" || event == scope.Event) && d.lately(s.Calendar, r.At, now) {
			if b.All++; len(b.Records) < recordsBehind {
				b.Records = append(b.Records, r)
			}
		}
	}
	morning := s.Calendar.Start(s.Calendar.Day(now))
	today, _ := slices.BinarySearchFunc(versions, morning, func(v record.Version, morning time.Time) int { return v.SeenAt.Compare(morning) })
	l := NewLedger(s.Calendar)
	read := func() (Value, bool) {
		part := l.Snapshot(s.Position, c)
		part.AsOf, part.Health = s.AsOf, s.Health
		if part.Event(scope.Event) == nil {
			return Value{Quality: Unknown}, false
		}
		x, ok := part.Evening(now).Explain(k, scope)
		return x.Value, ok
	}
	var before, began Value
	known := false
	for i, v := range versions {
		if i == today && i > 0 {
			began, known = read()
		}
		if i == first {
			before, _ = read()
		}
		l.Apply(v)
		if i < first {
			continue
		}
		after, ok := read()
		if by := after.less(before); ok && after.Known() && by.Some() {
			r, _, _ := d.behind(v.Record)
			b.Changes = append(b.Changes, Change{r, v.SeenAt, by})
		}
		before = after
	}
	if last, ok := read(); !ok || last.less(x.Value).Some() || last.Known() != x.Known() {
		b.Changes = nil
	} else if today == len(versions) {
		b.Today = new(Value{})
	} else if known && began.Known() {
		b.Today = new(x.Value.less(began))
	}
	slices.Reverse(b.Changes)
	b.Changes = b.Changes[:min(len(b.Changes), changesBehind)]
	return b
}

// less is the figure less another of its unit.
func (v Value) less(o Value) Value {
	return Value{Count: v.Count - o.Count, Share: v.Share - o.Share, Amount: v.Amount.PlusAll(o.Amount, -1)}
}

// Some says that it is not nothing.
func (v Value) Some() bool { return v.Count != 0 || v.Share != 0 || len(v.Amount) > 0 }

// from says that the figure is counted from records of the kind.
func (d *Definition) from(r record.Record) bool { return slices.Contains(d.From, r.RecordKind()) }

// behind is a record as it is listed, with the event that it names itself; ok is false where nothing
// of the figure can come from it.
func (d *Definition) behind(r record.Record) (b RecordBehind, event string, ok bool) {
	b = RecordBehind{Kind: r.RecordKind(), ID: r.RecordID(), At: r.RecordUpdated()}
	ok = !record.Deleted(r)
	switch r := r.(type) {
	case *record.Ticket:
		b.Order, b.Status, event = r.OrderID, string(r.Status), r.EventID
		if at := firstTime(r.CancelledAt, r.SoldAt, r.CreatedAt); !at.IsZero() {
			b.At = at
		}
		if r.Price != nil {
			b.Amount = *r.Price
		}
		ok = ok && !r.Test
		switch {
		case d.Key == KeyReserved:
			ok = ok && r.Status == record.TicketReserved
		case slices.Contains(d.From, record.KindScan):
			ok = ok && len(r.Scans) > 0
		default:
			ok = ok && r.Status == record.TicketValid
		}
	case *record.Payment:
		b.Order, b.Status, b.Amount, event = r.OrderID, string(r.Status), r.Amount, r.EventID
		if at := firstTime(r.PaidAt, r.CreatedAt); !at.IsZero() {
			b.At = at
		}
		settled := r.Status == record.PaymentPaid || r.Status == record.PaymentRefunded || r.Status == record.PaymentChargedBack
		ok = ok && !r.Test && settled != (d.Key == KeyRefundsPending)
		if d.Key == KeyRefunded || d.Key == KeyChargedBack || d.Key == KeyRefundsPending {
			ok = ok && (r.Kind != "" && r.Kind != record.KindOfPayment || r.AmountRefunded != nil)
		}
	case *record.TicketScan:
		b.Status, b.At = string(r.Direction), r.At
		ok = ok && !r.Undone
	}
	return b, event, ok
}

// lately says that a moment is within what the figure looks back to.
func (d *Definition) lately(c Calendar, at, now time.Time) bool {
	switch {
	case d.Today:
		return c.Day(at) == c.Day(now)
	case d.days != 0:
		return c.Day(at) > c.Day(now).Add(-d.days)
	case d.window != 0:
		return at.After(now.Add(-d.window))
	}
	return true
}

// firstTime is the first of the times that there is.
func firstTime(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
