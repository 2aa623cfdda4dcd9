package figures

import (
	"cmp"
	"maps"
	"slices"
)

// RefundsFor are the refunds for one reason in one currency.
type RefundsFor struct {
	Reason   string // as the service reports it; empty if it reports none
	Currency string
	// Number counts refunds. One that is split over performances counts in each of them, and once in the house.
	Number int
	Amount int64
}

// DayRefunds are the refunds of one day for one reason.
type DayRefunds struct {
	Reason  string
	Minutes TimedRows // their amounts and numbers
}

// refundsBy adds up refunds by reason and currency.
type refundsBy map[RefundsFor]*RefundsFor

func (by refundsBy) add(reason, currency string, number int, amount int64) {
	k := RefundsFor{Reason: reason, Currency: currency}
	if by[k] == nil {
		by[k] = &RefundsFor{Reason: reason, Currency: currency}
	}
	by[k].Number += number
	by[k].Amount += amount
}

// addDay adds a day's refunds, of one performance or of the house.
func (by refundsBy) addDay(d *DayFigures, house bool) {
	for _, of := range d.Refunds {
		for r := range of.Minutes.All() {
			switch measure := r.Measure(); {
			case measure == RefundsMoved:
				by.add(of.Reason, r.currency(), int(r.Value), 0)
			case measure != RefundsRest:
				by.add(of.Reason, r.currency(), 0, r.Value)
			case house:
				by.add(of.Reason, r.currency(), -int(r.Value), 0)
			}
		}
	}
}

// sorted returns the refunds, the largest amount first.
func (by refundsBy) sorted() (all []RefundsFor) {
	for _, r := range slices.SortedFunc(maps.Values(by), func(a, b *RefundsFor) int {
		return cmp.Or(cmp.Compare(b.Amount, a.Amount), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Currency, b.Currency))
	}) {
		if r.Number != 0 || r.Amount != 0 {
			all = append(all, *r)
		}
	}
	return all
}

// RefundsByReason returns the refunds of the house on some days, by reason. Their amounts add up to what was refunded on those days.
func RefundsByReason(days []DayFigures) []RefundsFor {
	by := refundsBy{}
	for i := range days {
		by.addDay(&days[i], true)
	}
	return by.sorted()
}

// Refunds returns the refunds of the performance by reason. Their amounts add up to what was refunded: one without a time is
// without a reason.
func (e *EventFigures) Refunds() []RefundsFor {
	by := refundsBy{}
	for _, m := range e.Revenue.Of(Refunded).Value {
		by.add("", m.Currency, 0, m.Amount)
	}
	for _, d := range e.SaleDays {
		by.addDay(d, false)
		for _, m := range d.Of(Refunded) {
			by.add("", m.Currency, 0, -m.Amount)
		}
	}
	return by.sorted()
}
