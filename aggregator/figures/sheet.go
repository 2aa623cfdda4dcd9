package figures

import (
	"cmp"
	"maps"
	"slices"
)

// moneyKind is what a movement of money is.
type moneyKind uint8

const (
	moneyBooked moneyKind = iota
	moneyReceived
	moneyRefunded
	moneyChargedBack // less reversals
	moneyPending     // refunds told but not settled; on no day
	moneyUnmapped    // no money: a payment with a status that nobody has mapped
	moneyKinds
)

// account holds sums and what keeps them from being exact.
type account struct {
	sums             [moneyUnmapped]purse
	unpriced         int // tickets sold without a price
	unmappedTickets  int
	unmappedPayments int
	undatedTickets   int
	undatedPayments  int
	guessedReturns   int // refunds and chargebacks on a day that is a guess
}

// add puts o in.
func (a *account) add(o *account) {
	for kind, p := range o.sums {
		a.sums[kind].addAll(p)
	}
	a.unpriced += o.unpriced
	a.unmappedTickets += o.unmappedTickets
	a.unmappedPayments += o.unmappedPayments
	a.undatedTickets += o.undatedTickets
	a.undatedPayments += o.undatedPayments
	a.guessedReturns += o.guessedReturns
}

// sheet is an account with its days. Only what is posted changes it, so that any order of
// postings leads to the same sheet.
type sheet struct {
	account account
	days    days
}

// postTicket puts a ticket's money and days in (n = 1) or takes them out (n = −1).
func (s *sheet) postTicket(l *Ledger, t *ticket, n int) {
	a := &s.account
	switch t.state {
	case ticketUnmapped:
		a.unmappedTickets += n
	case ticketSold:
		a.sums[moneyBooked].add(t.gross()*int64(n), l.names.text(t.currency))
		if !t.priced && !t.complimentary {
			a.unpriced += n
		}
		s.move(l, t.sold, t.flow(l, n))
		if t.sold == 0 {
			a.undatedTickets += n
		}
	case ticketCancelled:
		s.move(l, t.sold, t.flow(l, n))
		s.move(l, t.cancelled, t.flow(l, -n))
		if t.sold == 0 || t.cancelled == 0 {
			a.undatedTickets += n
		}
	}
}

// postMoney puts a payment's posting in (n = 1) or takes it out (n = −1).
func (s *sheet) postMoney(l *Ledger, p posting, n int) {
	a := &s.account
	if p.kind == moneyUnmapped {
		a.unmappedPayments += n
		return
	}
	a.sums[p.kind].add(p.amount*int64(n), l.names.text(p.currency))
	if p.kind == moneyPending {
		return
	}
	s.move(l, p.at, movement{kind: p.kind, amount: p.amount * int64(n), currency: l.names.text(p.currency)})
	switch {
	case p.guessed:
		a.guessedReturns += n
	case p.at == 0:
		a.undatedPayments += n
	}
}

// movement is money, and places with it, on one day.
type movement struct {
	sold     int
	kind     moneyKind
	amount   int64
	currency string
}

// move puts a movement on the day that it happened; what is not dated is on no day.
func (s *sheet) move(l *Ledger, at stamp, m movement) {
	if at != 0 {
		n := l.almanac.dayOf(at)
		s.days.move(m, n, func() int { return l.almanac.slot(at.seconds(), n) })
	}
}

// flow is what moved in a day or slot.
type flow struct {
	sold int
	sums [moneyPending]purse
}

func (f *flow) move(m movement) {
	f.sold += m.sold
	f.sums[m.kind].add(m.amount, m.currency)
}

func (f *flow) add(o *flow) {
	f.sold += o.sold
	for kind, p := range o.sums {
		f.sums[kind].addAll(p)
	}
}

// days holds movements by day of sale, ascending.
type days struct {
	rows      []*dayRow
	split     bool // into slots
	changed   bool
	published []*DayFigures
}

type dayRow struct {
	flow
	number    dayNumber
	slots     map[int]*flow // nil where days are not split
	changed   bool
	published *DayFigures // nil where nothing is left of what happened
}

// row is the row of a day, to be changed.
func (d *days) row(n dayNumber) *dayRow {
	i, found := len(d.rows)-1, len(d.rows) > 0 && d.rows[len(d.rows)-1].number == n
	if !found {
		i, found = slices.BinarySearchFunc(d.rows, n, func(r *dayRow, n dayNumber) int {
			return cmp.Compare(r.number, n)
		})
	}
	if !found {
		d.rows = slices.Insert(d.rows, i, &dayRow{number: n})
	}
	d.changed, d.rows[i].changed = true, true
	return d.rows[i]
}

func (d *days) move(m movement, n dayNumber, slot func() int) {
	r := d.row(n)
	r.move(m)
	if d.split {
		if r.slots == nil {
			r.slots = map[int]*flow{}
		}
		entry(r.slots, slot()).move(m)
	}
}

// publish returns the days on which something happened; those that did not change since
// the last call are the same.
func (d *days) publish() []*DayFigures {
	if !d.changed {
		return d.published
	}
	d.changed, d.published = false, nil
	for _, r := range d.rows {
		if r.changed {
			r.changed, r.published = false, r.figures()
		}
		if r.published != nil {
			d.published = append(d.published, r.published)
		}
	}
	return d.published
}

func (r *dayRow) figures() *DayFigures {
	f := DayFigures{
		Day: r.number.day(), Sold: r.sold,
		Booked: r.sums[moneyBooked].sums(), Received: r.sums[moneyReceived].sums(),
		Refunded: r.sums[moneyRefunded].sums(), Chargebacks: r.sums[moneyChargedBack].sums(),
	}
	for _, slot := range slices.Sorted(maps.Keys(r.slots)) {
		s := r.slots[slot]
		row := SlotFigures{
			Slot: slot, Sold: s.sold,
			Booked: s.sums[moneyBooked].sums(), Received: s.sums[moneyReceived].sums(),
			Refunded: s.sums[moneyRefunded].sums(), Chargebacks: s.sums[moneyChargedBack].sums(),
		}
		row.Net = net(row.Received, row.Refunded, row.Chargebacks)
		if row.moved() {
			f.Slots = append(f.Slots, row)
		}
	}
	if !f.moved() && f.Slots == nil {
		return nil
	}
	return &f
}

// entry is the value under k, made when there is none.
func entry[K comparable, V any](m map[K]*V, k K) *V {
	v, ok := m[k]
	if !ok {
		v = new(V)
		m[k] = v
	}
	return v
}
