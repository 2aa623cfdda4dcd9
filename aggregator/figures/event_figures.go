package figures

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// OfForecast returns sold / forecast, which may be above 1.
func (e *EventFigures) OfForecast() Figure[float64] {
	return New(float64(e.Sold.Value)/float64(max(1, e.Forecast.Value)), e.Sold.Caveat().And(e.Forecast.Caveat()).OfDifference())
}

// OverPlanned returns what was booked less the planned revenue.
func (e *EventFigures) OverPlanned() Figure[Sums] {
	booked, planned := e.Revenue.Of(Booked), e.PlannedRevenue
	return New(booked.Value.PlusAll(planned.Value, -1), booked.Caveat().And(planned.Caveat()).OfDifference())
}

// CostPerTicket returns the marketing budget per place sold. The budget is what may be spent, not what was.
func (e *EventFigures) CostPerTicket() Figure[Sums] { return CostPerTicket(e.MarketingBudget, e.Sold) }

func CostPerTicket(budget Figure[Sums], sold Figure[int]) Figure[Sums] {
	c := budget.Caveat().And(sold.Caveat())
	c.Add(Estimated, ReasonMarketingBudget)
	c.AddIf(sold.Known() && sold.Value <= 0, Unknown, ReasonNothingSold)
	return New(budget.Value.Per(sold.Value), c.OfDifference())
}

// BlockedSold returns how many of the blocked places are sold or reserved, as far as there are others; 0 if that is not known.
func (e *EventFigures) BlockedSold() int {
	if !e.Sold.Known() || !e.Capacity.Known() || !e.Blocked.Known() || e.Capacity.Quality >= LowerBound {
		return 0
	}
	return min(e.Blocked.Value, max(0, e.Sold.Value+e.Reserved.Value+e.Blocked.Value-e.Capacity.Value))
}

// WalkedIn returns how many people are inside without a ticket, over all gates; 0 if more were counted out than
// in.
func (e *EventFigures) WalkedIn() int {
	n := 0
	for _, w := range e.WalkIns {
		n += max(0, w.Count)
	}
	return n
}

// RevenuePerPlace returns what was booked per place of the capacity, sold or not.
func (e *EventFigures) RevenuePerPlace() Figure[Sums] {
	return PerCapacity(e.Revenue.Of(Booked), e.Capacity)
}

func PerCapacity(booked Figure[Sums], capacity Figure[int]) Figure[Sums] {
	c := booked.Caveat().And(capacity.Caveat())
	c.AddIf(capacity.Known() && capacity.Value <= 0, Unknown, ReasonNoCapacity)
	if c.Quality == LowerBound {
		c.Quality = Estimated
	}
	return New(booked.Value.Per(capacity.Value), c)
}

// perPlace divides an amount by places, to the nearest minor unit, halves away from 0.
func perPlace(amount, places int64) int64 {
	half := places / 2
	if amount < 0 {
		return -perPlace(-amount, places)
	}
	if amount > math.MaxInt64-half {
		return amount / places
	}
	return (amount + half) / places
}

// Occupancy returns sold / capacity, which is above 1 when oversold.
func (e *EventFigures) Occupancy() Figure[float64] { return OfCapacity(e.Sold, e.Capacity) }

// PaidOccupancy returns paid / capacity.
func (e *EventFigures) PaidOccupancy() Figure[float64] { return OfCapacity(e.Paid, e.Capacity) }

// OfCapacity returns n / capacity. It is Unknown where n is at least 0, which says nothing.
func OfCapacity(n, capacity Figure[int]) Figure[float64] {
	c := n.Caveat().And(capacity.Caveat())
	c.AddIf(capacity.Known() && capacity.Value <= 0, Unknown, ReasonNoCapacity)
	if n.Quality == LowerBound && n.Value == 0 {
		c.Add(Unknown)
	}
	return New(float64(n.Value)/float64(capacity.Value), c)
}

// EntriesIn counts the gate's entries in [end − length, end), as CountIn does.
func (g *GateFigures) EntriesIn(end time.Time, length time.Duration) int {
	return CountIn(g.Minutes, end, length)
}

// LastEntry returns the minute of the gate's last entry; zero for none.
func (g *GateFigures) LastEntry() time.Time {
	if len(g.Minutes) == 0 {
		return time.Time{}
	}
	return time.Unix(g.Minutes[len(g.Minutes)-1].Minute*60, 0)
}

// CountIn sums the whole minutes in [end − length, end). The minute of end is left out because it has only begun:
// counted as a whole minute it would make every rate too low.
func CountIn(minutes []MinuteCount, end time.Time, length time.Duration) int {
	until := StampOf(end).Minute()
	return Total(minutes[IndexOf(minutes, until-int64(length/time.Minute)):IndexOf(minutes, until)])
}

// MostIn returns the most within any length of time, in whole minutes.
func MostIn(minutes []MinuteCount, over time.Duration) (most int) {
	sum, first := 0, 0
	for _, m := range minutes {
		sum += m.Count
		for ; minutes[first].Minute <= m.Minute-int64(over/time.Minute); first++ {
			sum -= minutes[first].Count
		}
		most = max(most, sum)
	}
	return most
}

// CountBefore sums the whole minutes before the minute of end.
func CountBefore(minutes []MinuteCount, end time.Time) int {
	return Total(minutes[:IndexOf(minutes, StampOf(end).Minute())])
}

// IndexOf returns the index of a minute in minutes, or the index at which it would be inserted.
func IndexOf(minutes []MinuteCount, minute int64) int {
	i, _ := slices.BinarySearchFunc(minutes, minute, func(m MinuteCount, minute int64) int {
		return cmp.Compare(m.Minute, minute)
	})
	return i
}

func Total(minutes []MinuteCount) (sum int) {
	for _, m := range minutes {
		sum += m.Count
	}
	return sum
}

// The assumptions for times that are not reported.
const (
	doorsBefore   = time.Hour // before the curtain
	assumedLength = 4 * time.Hour
)

// Hours are the times of a performance. A time that is not reported is assumed from the others: doors an hour
// before the curtain, the end four hours after it. Without doors and curtain all are zero, except an end that is
// reported.
type Hours struct {
	Doors, Curtain, End time.Time
	DoorsReported       bool
	CurtainReported     bool
}

// Hours returns the times of the performance.
func (e *EventFigures) Hours() Hours {
	h := Hours{
		Doors: e.Event.DoorsAt, Curtain: e.Event.StartsAt, End: e.Event.EndsAt,
		DoorsReported: !e.Event.DoorsAt.IsZero(), CurtainReported: !e.Event.StartsAt.IsZero(),
	}
	switch {
	case !h.DoorsReported && !h.CurtainReported:
		return h
	case !h.DoorsReported:
		h.Doors = h.Curtain.Add(-doorsBefore)
	case !h.CurtainReported:
		h.Curtain = h.Doors.Add(doorsBefore)
	}
	if h.End.IsZero() {
		h.End = h.Curtain.Add(assumedLength)
	}
	return h
}

// Interval returns the interval that the service reports; nothing is assumed. ok is false if it reports none, or
// one that is not within the performance's hours.
func (e *EventFigures) Interval() (from, to time.Time, ok bool) {
	h := e.Hours()
	from, to = e.Event.IntervalStartsAt, e.Event.IntervalEndsAt
	ok = !from.IsZero() && from.Before(to) && !h.Curtain.IsZero() && !from.Before(h.Curtain) && !to.After(h.End)
	return from, to, ok
}

// Opening returns when the doors open or, if that is not reported, the curtain. An assumed opening of doors is
// used for counting only and never shown to people.
func (h Hours) Opening() (at time.Time, reported bool) {
	if h.DoorsReported {
		return h.Doors, true
	}
	return h.Curtain, false
}

// Partition returns by how much the parts of the places exceed the capacity, or fall short of it if the number of
// blocked places is known. It is 0 if they add up, or are not all known exactly.
func (e *EventFigures) Partition() (off int, text record.Message, known bool) {
	if e.Capacity.Quality != Exact || e.Sold.Quality != Exact || !e.Available.Known() {
		return 0, text, false
	}
	sum := e.Sold.Value + e.Reserved.Value + e.Available.Value
	sold, reserved, blocked, available := record.Number("sold", e.Sold.Value), record.Number("reserved", e.Reserved.Value), record.Number("blocked", e.Blocked.Value), record.Number("available", e.Available.Value)
	capacity := record.Number("capacity", e.Capacity.Value)
	if !e.Blocked.Known() {
		return max(0, sum-e.Capacity.Value), record.Say("sold {sold} + reserved {reserved} + available {available} = {sum}, capacity {capacity}",
			sold, reserved, available, record.Number("sum", sum), capacity), true
	}
	sum += e.Blocked.Value
	return sum - e.Capacity.Value, record.Say("sold {sold} + reserved {reserved} + blocked {blocked} + available {available} = {sum}, capacity {capacity}",
		sold, reserved, blocked, available, record.Number("sum", sum), capacity), true
}

// Within returns a reported number of places; known is false if it was not reported, or is impossible.
func Within(n *int) (places int, known bool) {
	if n == nil || Absurd(n) {
		return 0, false
	}
	return *n, true
}

func Absurd(n *int) bool { return n != nil && (*n < -1e9 || *n > 1e9) }

// PaidFor is the amount booked for paid places, in one currency.
type PaidFor struct {
	record.Money
	Places int64
}

// AverageCaveat returns the caveat of an event's average price.
func (e *EventFigures) AverageCaveat() Caveat {
	return e.Revenue.Of(Booked).Caveat().And(e.Paid.Caveat())
}

// AverageOf returns the average price of a paid place, over rows of one or more performances.
func AverageOf(rows []PaidFor, paid Caveat) Figure[Sums] {
	var average, amounts Sums
	places := map[string]int64{}
	for _, row := range rows {
		amounts = amounts.Plus(row.Money, 1)
		places[row.Currency] += row.Places
	}
	for _, m := range amounts {
		average = average.Plus(record.Money{Amount: perPlace(m.Amount, places[m.Currency]), Currency: m.Currency}, 1)
	}
	paid = paid.EitherWay()
	paid.AddIf(len(places) == 0, Unknown, ReasonNothingSold)
	return New(average, paid)
}
