package figures

import (
	"math/bits"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// refundDays are the days of sale, the running one among them, with which what goes back in the whole
// house today is compared.
const refundDays = 7

// owed finds cancelled performances of which money is still to be paid back, whenever they were to be.
// How much counts in minor units of all currencies together: it says no more than whether it has grown.
func owed(s *Show) []Alert {
	if s.Phase != Cancelled || !s.ToPayBack.Known() {
		return nil
	}
	if back := s.ToPayBack.Value.above(); len(back) > 0 {
		return []Alert{alert(AlertOwed, Warn, s, time.Time{}, AlertArgs{Count: back.count(), Amount: back})}
	}
	return nil
}

// refunds finds performances of which unusually much went back on the running day. As card schemes do
// with disputes (Mastercard's excessive chargeback programme: so many hundredths of the sales, and so
// many in number), it takes both: a part of what was received for the performance in all, and the worth
// of some places at their average price. Of one that is called off it is usual.
func (v *Evening) refunds(s *Show) []Alert {
	back := s.Today.back()
	if len(back) == 0 || !s.Phase.GoesAhead() || !s.Revenue.Of(Received).Known() {
		return nil
	}
	worth := func(currency string) int64 { return s.AveragePrice.Value.In(currency) }
	if !v.unusual(back, s.Revenue.Of(Received).Value, worth) {
		return nil
	}
	return []Alert{alert(AlertRefunds, Warn, s, v.firstReturn(s.SaleDays), AlertArgs{Count: back.count(), Amount: back})}
}

// Refunds says that unusually much went back in the whole house on the running day: against what came
// in on the last seven, by the rule that holds for a performance. What went back of performances
// that are called off is usual, and left out.
func (v *Evening) Refunds() (a Alert, ok bool) {
	back := v.BookedToday(v.snapshot.Days).back()
	if len(back) == 0 {
		return a, false
	}
	for _, e := range v.snapshot.Events {
		if !v.phase(e).GoesAhead() {
			back = back.PlusAll(v.BookedToday(e.SaleDays).back(), -1)
		}
	}
	week := v.BookedToday(v.snapshot.Days)
	for _, d := range between(v.snapshot.Days, v.Today.Add(1-refundDays), v.Today.Add(-1)) {
		week = week.plus(d.Flow)
	}
	worth := func(currency string) int64 { return week.Of(Booked).In(currency) / int64(max(1, week.Sold)) }
	if !v.unusual(back, week.Of(Received), worth) {
		return a, false
	}
	a = Alert{Key: AlertRefunds, Code: AlertRefunds, Level: Warn, Since: v.firstReturn(v.snapshot.Days), AlertArgs: AlertArgs{Count: back.above().count(), Amount: back.above()}}
	a.Seen = v.SeenBy(&a)
	return a, true
}

// unusual says that in some currency more went back than the part of what was received that the venue
// has set, and at least the worth of as many places.
func (v *Evening) unusual(back, received Sums, worth func(currency string) int64) bool {
	set := v.snapshot.settings
	part, places := set.RefundPart(), set.value(record.SettingRefundPlaces, "")
	return slices.ContainsFunc(back, func(m record.Money) bool {
		return m.Amount > 0 && exceeds(m.Amount, part, received.In(m.Currency)) && m.Amount >= places*worth(m.Currency)
	})
}

// exceeds says that an amount above 0 is more than a part, of WholeRate, of another amount.
func exceeds(amount, part, of int64) bool {
	if of <= 0 {
		return true
	}
	high, low := bits.Mul64(uint64(amount), WholeRate)
	most, least := bits.Mul64(uint64(part), uint64(of))
	return high > most || high == most && low > least
}

// back is what went back: refunds and chargebacks, less reversals.
func (f Flow) back() Sums {
	return f.Of(Refunded).PlusAll(f.Of(ChargedBack), 1).PlusAll(f.Of(Reversed), -1)
}

// firstReturn is the minute of the running day in which money went back first; zero where none did.
func (v *Evening) firstReturn(days []*DayFigures) time.Time {
	for _, d := range between(days, v.Today, v.Today) {
		for _, r := range d.minutes {
			if m := r.measure(); m == Refunded || m == ChargedBack {
				return time.Unix(int64(r.at())*60, 0)
			}
		}
	}
	return time.Time{}
}

// above are the amounts above 0.
func (s Sums) above() (all Sums) {
	for _, m := range s {
		if m.Amount > 0 {
			all = append(all, m)
		}
	}
	return all
}

// count is the amounts of all currencies together, in minor units: it tells more from less, and is no
// sum of money.
func (s Sums) count() (n Figure[int]) {
	for _, m := range s {
		n.Value += int(m.Amount)
	}
	return n
}
