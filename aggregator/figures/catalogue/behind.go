package catalogue

import (
	"cmp"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Behind is the records and changes behind a figure of a performance, or of several.
type Behind struct {
	// For a figure of several performances, Parts is how many it adds up, including one for what belongs to none,
	// and Read how many of them everything below covers: those that changed last. For a figure of one performance
	// both are 0.
	Read, Parts int
	// Records are the newest records from which the figure is counted, the newest first; All is their total
	// number.
	Records []RecordBehind
	All     int
	// HeldFirst and HeldLast are the first and the last moment until which places of a figure of unpaid places are
	// held, of all its records that are read; zero if the service reports none.
	HeldFirst, HeldLast time.Time
	// Changes are the last versions that changed the figure, newest first. They are empty if not all
	// versions are stored, and if all of them were read by the first sync.
	Changes []Change
	// Today is by how much the figure changed since the beginning of today. It is nil if not all versions are
	// stored, and for a figure of a window or of days of sale.
	Today *figures.Value

	counted []int64 // the revisions of all records
}

// RecordBehind is a record from which a figure is counted. It names no person.
type RecordBehind struct {
	Kind   record.Kind
	ID     string
	Order  string    // its order; empty for none
	At     time.Time // when it happened, by the service
	Status string
	Amount record.Money // its price, or the amount paid; without a currency if there is none
	Held   time.Time    // until when a place that is not paid is held; zero if the service does not report it

	revision int64
}

// Change is a version that changed a figure.
type Change struct {
	RecordBehind
	Seen time.Time     // when we saw it
	By   figures.Value // the figure after the version minus the figure before it; without a quality
}

const (
	recordsBehind = 50
	changesBehind = 10
	// Changes are searched in at most mostSearched versions of the kinds that the figure is counted from,
	// and in at most mostSearchedOfAny of any kind.
	mostSearched      = 24
	mostSearchedOfAny = 120
)

// Behind returns what is behind a figure of the performance. It finds changes by folding the versions, so the ledger's
// definitions apply.
func (h *History) Behind(k figures.Key, scope figures.Scope) (b Behind) {
	s, versions := h.Snapshot, h.Versions
	d := Define(k)
	e := s.Event(scope.Event)
	if e == nil || d.forecast || d.ofPace != nil { // such a figure depends on other performances
		return b
	}
	alone := *s // the other performances take time and do not change the value
	alone.Events = []*figures.EventFigures{e}
	x, ok := Explain(evening.At(&alone, h.Now), k, scope)
	if !ok {
		return b
	}
	if d.dependsOnContacts(scope) { // what changed it may be no version of the performance
		whole := h.Whole
		if whole == nil {
			whole = func(use func(*ledger.Ledger)) { use(h.folded()) }
		}
		whole(func(l *ledger.Ledger) { h.listRecords(&b, l, evening.At(&alone, h.Now), d, scope) })
		return b
	}
	first, searched := len(versions), 0
	for i, v := range slices.Backward(versions) {
		if searched < mostSearched && i >= len(versions)-mostSearchedOfAny && slices.Contains(x.From, v.Record.RecordKind()) {
			first, searched = i, searched+1
		}
	}
	morning := s.Calendar.Start(s.Calendar.Day(h.Now))
	today, _ := slices.BinarySearchFunc(versions, morning, func(v record.Version, morning time.Time) int { return v.SeenAt.Compare(morning) })
	l := h.ledger()
	read := func() (figures.Value, bool) {
		v := h.read(l)
		if v.Snapshot.Event(scope.Event) == nil {
			return figures.Value{Quality: figures.Unknown}, false
		}
		x, ok := Explain(v, k, scope)
		return x.Value, ok
	}
	var before, began figures.Value
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
		if by := after.Less(before); ok && after.Known() && by.Some() {
			b.Changes = append(b.Changes, Change{behind(v), v.SeenAt, by})
		}
		before = after
	}
	if last, ok := read(); !ok || last.Less(x.Value).Some() || last.Known() != x.Known() {
		b.Changes = nil
	} else if d.looksBack() { // it covered other days or hours before
	} else if today == len(versions) {
		b.Today = new(figures.Value{})
	} else if known && began.Known() {
		b.Today = new(x.Value.Less(began))
	}
	if !slices.ContainsFunc(b.Changes, func(c Change) bool { return !c.Seen.Before(h.Synced) }) {
		b.Changes = nil // no more than the order in which a first sync reads
	}
	slices.Reverse(b.Changes)
	b.Changes = b.Changes[:min(len(b.Changes), changesBehind)]
	if x.Known() {
		h.listRecords(&b, l, evening.At(&alone, h.Now), d, scope)
	}
	return b
}

// listRecords lists the records of which a ledger counts a figure, if it is counted from single ones.
func (h *History) listRecords(b *Behind, l *ledger.Ledger, v *evening.Evening, d *Definition, scope figures.Scope) {
	currency := ""
	if d.Unit == figures.Money {
		currency = scope.Currency
	}
	if counted := l.Counted(ledger.Counting{Key: d.Key, Scope: scope, Window: d.window, OfToday: d.Today, At: d.windowEnd(v), Now: v.Now, Today: v.Today}); counted != nil {
		b.list(counted, h.Versions, currency)
		if d.Key != figures.KeyReserved && d.Key != figures.KeyUnpaid { // what is paid is held no longer
			b.HeldFirst, b.HeldLast = time.Time{}, time.Time{}
			for i := range b.Records {
				b.Records[i].Held = time.Time{}
			}
		}
	}
}

// list lists the counted records, each by its newest version. If currency is not empty, only amounts in it are
// listed.
func (b *Behind) list(counted func(record.Record) bool, versions []record.Version, currency string) {
	type key struct {
		kind record.Kind
		id   string
	}
	seen := map[key]bool{}
	for _, v := range slices.Backward(versions) {
		of := key{v.Record.RecordKind(), v.Record.RecordID()}
		if !v.Head || seen[of] {
			continue
		}
		seen[of] = true
		if record.Deleted(v.Record) || !counted(v.Record) {
			continue
		}
		r := behind(v)
		if currency != "" && r.Amount.Currency != currency {
			continue
		}
		b.counted = append(b.counted, v.Revision)
		b.holdUntil(r.Held, r.Held)
		if len(b.Records) < recordsBehind {
			b.Records = append(b.Records, r)
		}
	}
	b.All = len(b.counted)
}

// holdUntil extends the moments until which places are held.
func (b *Behind) holdUntil(first, last time.Time) {
	if !first.IsZero() && (b.HeldFirst.IsZero() || first.Before(b.HeldFirst)) {
		b.HeldFirst = first
	}
	if last.After(b.HeldLast) {
		b.HeldLast = last
	}
}

// Join adds what is behind the figure of another performance: the newest records and changes of both. A record
// that counts in both, such as a split payment, is one.
func (b *Behind) Join(o Behind) {
	if b.Read++; b.Read == 1 {
		b.Today = o.Today
	} else if b.Today != nil && o.Today != nil {
		b.Today = &figures.Value{Count: b.Today.Count + o.Today.Count, Amount: b.Today.Amount.PlusAll(o.Today.Amount, 1)}
	} else {
		b.Today = nil
	}
	b.counted = append(b.counted, o.counted...)
	slices.Sort(b.counted)
	b.counted = slices.Compact(b.counted)
	b.All = len(b.counted)
	b.holdUntil(o.HeldFirst, o.HeldLast)
	b.Records = append(b.Records, o.Records...)
	slices.SortStableFunc(b.Records, func(x, y RecordBehind) int { return cmp.Compare(y.revision, x.revision) })
	b.Records = slices.CompactFunc(b.Records, func(x, y RecordBehind) bool { return x.revision == y.revision })
	b.Records = b.Records[:min(len(b.Records), recordsBehind)]
	for _, c := range o.Changes { // a version that changed both is one change
		if i := slices.IndexFunc(b.Changes, func(held Change) bool { return held.revision == c.revision }); i >= 0 {
			b.Changes[i].By = figures.Value{Count: b.Changes[i].By.Count + c.By.Count, Amount: b.Changes[i].By.Amount.PlusAll(c.By.Amount, 1)}
		} else {
			b.Changes = append(b.Changes, c)
		}
	}
	slices.SortStableFunc(b.Changes, func(x, y Change) int { return cmp.Compare(y.revision, x.revision) })
	b.Changes = b.Changes[:min(len(b.Changes), changesBehind)]
}

// behind returns a version's record for the list.
func behind(v record.Version) RecordBehind {
	b := RecordBehind{Kind: v.Record.RecordKind(), ID: v.Record.RecordID(), At: v.Record.RecordUpdated(), revision: v.Revision}
	at := time.Time{}
	switch r := v.Record.(type) {
	case *record.Ticket:
		b.Order, b.Status, at = r.OrderID, string(r.Status), cmp.Or(r.CancelledAt, r.SoldAt, r.CreatedAt)
		b.Held = r.HeldUntil
		if r.Price != nil {
			b.Amount = *r.Price
		}
	case *record.Payment:
		b.Order, b.Status, b.Amount, at = r.OrderID, string(r.Status), r.Amount, cmp.Or(r.PaidAt, r.CreatedAt)
	case *record.TicketScan:
		b.Status, at = string(r.Direction), r.At
	}
	b.At = cmp.Or(at, b.At)
	return b
}
