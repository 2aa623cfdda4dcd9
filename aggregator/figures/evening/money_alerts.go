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

// refundDays are the days of sale, the running one among them, with which what goes back in the whole
// house today is compared.
const refundDays = 7

// owed finds cancelled performances, of any date, for which money is still to be paid back. The amount
// counts in minor units of all currencies together, which is used only to see whether it has grown.
func (v *Evening) owed(s *Show) []Alert {
	if s.Phase != Cancelled || !s.ToPayBack.Known() {
		return nil
	}
	if back := above(s.ToPayBack.Value); len(back) > 0 {
		return []Alert{alert(AlertOwed, s, time.Time{}, AlertArgs{Count: count(back), Amount: back})}
	}
	return nil
}

// refunds finds performances of which unusually much was refunded on the running day. As in the card
// schemes' rules for disputes (Mastercard's excessive chargeback programme has a rate and a number), two
// limits have to be exceeded: a part of all that was received for the performance, and the value of some
// places at their average price. For a cancelled performance refunds are usual.
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

// Refunds reports whether unusually much went back in the whole house on the running day: against what came
// in on the last seven, by the rule that holds for a performance. What went back of performances
// that are called off is usual, and left out.
func (v *Evening) Refunds() (a Alert, ok bool) {
	v.returned.once.Do(func() { v.returned.Alert, v.returned.ok = v.refundsOfHouse() })
	return v.returned.Alert, v.returned.ok
}

// returned is the result of Refunds, computed when it is first asked for.
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
	for _, d := range between(v.Snapshot.Days, v.Today.Add(1-refundDays), v.Today.Add(-1)) {
		received = received.PlusAll(d.Of(figures.Received), 1)
	}
	if !v.unusual(back, received, v.usualPrice) {
		return a, false
	}
	a = Alert{Key: AlertRefunds, Code: AlertRefunds, Level: ruleOf(AlertRefunds).level, Since: since, AlertArgs: AlertArgs{Count: count(back), Amount: back}}
	a.Seen = v.SeenBy(&a)
	return a, true
}

// usualPrice returns what a place costs in the house: the mean of the average prices of its performances, 0
// where none has one.
func (v *Evening) usualPrice(currency string) int64 {
	sum, n := int64(0), int64(0)
	for _, e := range v.Snapshot.Events {
		if price := e.AveragePrice.Value.In(currency); price > 0 {
			sum, n = sum+price, n+1
		}
	}
	return sum / max(1, n)
}

// unusual reports whether in some currency more went back than the part of what was received that the venue
// has set, and at least the worth of as many places. Where it is not known what a place is worth,
// nothing is unusual.
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

// exceeds reports whether an amount above 0 is more than a part, of WholeRate, of another amount.
func exceeds(amount, part, of int64) bool {
	if of <= 0 {
		return true
	}
	high, low := bits.Mul64(uint64(amount), figures.WholeRate)
	most, least := bits.Mul64(uint64(part), uint64(of))
	return high > most || high == most && low > least
}

// backOf returns what went back: refunds and chargebacks, less reversals.
func backOf(f figures.Flow) figures.Sums {
	return f.Of(figures.Refunded).PlusAll(f.Of(figures.ChargedBack), 1).PlusAll(f.Of(figures.Reversed), -1)
}

// firstReturn returns the minute of the running day, up to now, in which money went back first; zero if
// none did.
func (v *Evening) firstReturn(days []*figures.DayFigures) time.Time {
	for _, d := range between(days, v.Today, v.Today) {
		for _, r := range d.Minutes {
			if m := r.Measure(); m == figures.Refunded || m == figures.ChargedBack {
				if at := time.Unix(int64(r.At())*60, 0); !at.After(v.Now) {
					return at
				}
			}
		}
	}
	return time.Time{}
}

// above returns the amounts above 0.
func above(s figures.Sums) (all figures.Sums) {
	for _, m := range s {
		if m.Amount > 0 {
			all = append(all, m)
		}
	}
	return all
}

// count returns the amounts of all currencies together, in minor units, only to compare more with less: it
// is not a sum of money.
func count(s figures.Sums) (n figures.Figure[int]) {
	for _, m := range s {
		n.Value += int(m.Amount)
	}
	return n
}
