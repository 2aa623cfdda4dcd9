package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// RefundMoved is a number of refunds for one reason, of which a Movement has the amount.
type RefundMoved struct {
	Reason Ref
	Number int
	Rest   bool // another performance has the first part of the same refund
}

// dayRefunds is what was refunded on one day for one reason.
type dayRefunds struct {
	reason  Ref
	minutes TimedSums
}

// refundsFor returns a day's refunds for one reason, for changing.
func (r *dayRow) refundsFor(reason Ref) *dayRefunds {
	i := slices.IndexFunc(r.refunds, func(of dayRefunds) bool { return of.reason == reason })
	if i < 0 {
		i = len(r.refunds)
		r.refunds = append(r.refunds, dayRefunds{reason: reason})
	}
	return &r.refunds[i]
}

// moveRefund adds a movement of refunds at a moment.
func (r *dayRow) moveRefund(m Movement, at figures.Stamp, names *Names) {
	if m.Refund.Number == 0 {
		return
	}
	of := r.refundsFor(m.Refund.Reason)
	minute := minuteOf(at)
	for _, a := range m.Money {
		if a.Value != 0 {
			of.minutes.Add(minute, a, names)
			currency := names.Text(a.Currency)
			of.minutes.put(figures.TimedKeyOf(minute, figures.RefundsMoved).In(currency), int64(m.Refund.Number))
			if m.Refund.Rest {
				of.minutes.put(figures.TimedKeyOf(minute, figures.RefundsRest).In(currency), int64(m.Refund.Number))
			}
		}
	}
}

// refundFigures returns the day's refunds by reason, without those that add up to nothing.
func (r *dayRow) refundFigures(n *Names) (all []figures.DayRefunds) {
	for i := range r.refunds {
		of := &r.refunds[i]
		if rows := of.minutes.publish(); !rows.Empty() {
			all = append(all, figures.DayRefunds{Reason: n.Text(of.reason), Minutes: rows})
		}
	}
	slices.SortFunc(all, func(a, b figures.DayRefunds) int { return cmp.Compare(a.Reason, b.Reason) })
	return all
}
