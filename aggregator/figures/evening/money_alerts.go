package evening

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// refundDays is the number of days of sale, including today, with which the refunds of today are compared in the whole house.
const refundDays = 7

// owed returns an alert if a performance of any date is cancelled and money is still to be paid back. The alert's
// count adds the minor units of all currencies, only to see whether it has grown.
func (v *Evening) owed(s *Show) []Alert {
	if s.Phase != Cancelled || !s.ToPayBack.Known() {
		return nil
	}
	if back := above(s.ToPayBack.Value); len(back) > 0 {
		return []Alert{alert(AlertOwed, s, time.Time{}, AlertArgs{Count: count(back), Amount: back})}
	}
	return nil
}

// refunds returns an alert if an unusual amount was refunded today. As in the card schemes' rules for disputes (Mastercard's
// excessive chargeback programme has a rate and a number), two limits must be exceeded: a part of all that was received for the
// performance, and the value of some places at their average price. For a cancelled performance refunds are usual.
func (v *Evening) refunds(s *Show) []Alert {
	back := backOf(s.Today)
	if len(back) == 0 || !s.Phase.GoesAhead() || !s.Revenue.Of(figures.Received).Known() {
		return nil
	}
	value := func(currency string) int64 {
		return cmp.Or(s.AveragePrice.Value.In(currency), v.usualPrice(currency))
	}
	if !v.unusual(back, s.Revenue.Of(figures.Received).Value, value) {
		return nil
	}
	return []Alert{alert(AlertRefunds, s, v.firstReturn(s.SaleDays), AlertArgs{Count: count(back), Amount: back})}
}

// Refunds returns an alert if an unusual amount was refunded today in the whole house, compared with what came in on the last
// refundDays days, by the rule for a performance. Refunds of performances that are called off are usual and do not count.
func (v *Evening) Refunds() (a Alert, ok bool) {
	v.returned.once.Do(func() { v.returned.Alert, v.returned.ok = v.refundsOfHouse() })
	return v.returned.Alert, v.returned.ok
}

// returned holds the result of Refunds, which is computed on first use.
type returned struct {
	once sync.Once
	Alert
	ok bool
}

func (v *Evening) refundsOfHouse() (a Alert, ok bool) {
	if v.behind(ruleOf(AlertRefunds).from...) || v.firstReturn(v.Snapshot.Days).IsZero() {
		return a, false
	}
	back, since := backOf(v.BookedToday(v.Snapshot.UnattributedDays)), v.firstReturn(v.Snapshot.UnattributedDays)
	for _, e := range v.Snapshot.Events {
		at := v.firstReturn(e.SaleDays)
		if at.IsZero() || !v.phase(e).GoesAhead() {
			continue
		}
		back = back.PlusAll(backOf(v.BookedToday(e.SaleDays)), 1)
		if since.IsZero() || at.Before(since) {
			since = at
		}
	}
	if back = above(back); len(back) == 0 {
		return a, false
	}
	received := v.BookedToday(v.Snapshot.Days).Of(figures.Received)
	for _, d := range Between(v.Snapshot.Days, v.Today.Add(1-refundDays), v.Today.Add(-1)) {
		received = received.PlusAll(d.Of(figures.Received), 1)
	}
	if !v.unusual(back, received, v.usualPrice) {
		return a, false
	}
	a = Alert{Key: AlertRefunds, Code: AlertRefunds, Level: ruleOf(AlertRefunds).level, Since: since, AlertArgs: AlertArgs{Count: count(back), Amount: back}}
	a.Seen = v.SeenBy(&a)
	return a, true
}

// usualPrice returns the mean of the performances' average prices; 0 if none has one.
func (v *Evening) usualPrice(currency string) int64 {
	sum, n := int64(0), int64(0)
	for _, e := range v.Snapshot.Events {
		if price := e.AveragePrice.Value.In(currency); price > 0 {
			sum, n = sum+price, n+1
		}
	}
	return sum / max(1, n)
}

// unusual reports whether in some currency more was paid back than the part of what was received that the venue
// has set, and at least the value of as many places. If the value of a place is not known, nothing is unusual.
func (v *Evening) unusual(back, received figures.Sums, value func(currency string) int64) bool {
	part, places := v.RefundPart(), v.threshold(record.SettingRefundPlaces)
	return slices.ContainsFunc(back, func(m record.Money) bool {
		if m.Amount <= 0 || !exceeds(m.Amount, part, received.In(m.Currency)) {
			return false
		}
		each := value(m.Currency)
		return each > 0 && m.Amount >= places*each
	})
}

// exceeds reports whether amount is above 0 and more than part/WholeRate of another amount.
func exceeds(amount, part, of int64) bool {
	if of <= 0 {
		return true
	}
	high, low := bits.Mul64(uint64(amount), figures.WholeRate)
	most, least := bits.Mul64(uint64(part), uint64(of))
	return high > most || high == most && low > least
}

// backOf returns what was paid back: refunds and chargebacks, less reversals.
func backOf(f figures.Flow) figures.Sums {
	return f.Of(figures.Refunded).PlusAll(f.Of(figures.ChargedBack), 1).PlusAll(f.Of(figures.Reversed), -1)
}

// firstReturn returns the minute of today in which money was first paid back; zero for none.
func (v *Evening) firstReturn(days []*figures.DayFigures) time.Time {
	for _, d := range Between(days, v.Today, v.Today) {
		for r := range d.Minutes.All() {
			if m := r.Measure(); m == figures.Refunded || m == figures.ChargedBack {
				if at := time.Unix(int64(r.At())*60, 0); !at.After(v.Now) {
					return at
				}
			}
		}
	}
	return time.Time{}
}

// above returns the sums that are above 0.
func above(s figures.Sums) (all figures.Sums) {
	for _, m := range s {
		if m.Amount > 0 {
			all = append(all, m)
		}
	}
	return all
}

// count adds up the minor units of all currencies, to compare more with less. It is not a sum of money.
func count(s figures.Sums) (n figures.Figure[int]) {
	for _, m := range s {
		n.Value += int(m.Amount)
	}
	return n
}
