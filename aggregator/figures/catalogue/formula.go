package catalogue

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/arriving"
	"housecount/apiclient/record"
)

// areaFreeTerms returns the formula for the free places of an area; nil if they were not computed by it.
func areaFreeTerms(a *figures.Area) []figures.Term {
	if !a.Free.Known() || a.Free.Value != a.Capacity.Value-a.Sold.Value-a.Reserved.Value {
		return nil
	}
	return []figures.Term{{Op: figures.Plus, Key: figures.KeyCapacity}, {Op: figures.Less, Key: figures.KeySold}, {Op: figures.Less, Key: figures.KeyReserved}}
}

// openItems returns what is to be paid less what is to be paid back.
func openItems(due, back figures.Figure[figures.Sums]) figures.Figure[figures.Sums] {
	return figures.New(due.Value.PlusAll(back.Value, -1), due.Caveat())
}

// The functions below are used in rows of the catalogue: they return figures, which performances count, and terms.

func anyPhase(*evening.Show) bool { return true }

func dated(s *evening.Show) bool { return s.Date != "" }

func goingAhead(s *evening.Show) bool { return s.SellsTonight() }

// moneyIn returns a part of an amount, with the quality of the whole.
func moneyIn(part figures.Sums, all figures.Figure[figures.Sums]) figures.Value {
	return figures.MoneyOf(figures.New(part, all.Caveat()))
}

// bookedIn returns what was booked in a part of all movements.
func bookedIn(v *evening.Evening, part *figures.Flow) figures.Value {
	return moneyIn(part.Of(figures.Booked), v.Snapshot.Total.During(part).Of(figures.Booked))
}

// showOf and periodOf return the function that reads a measure.
func showOf(m figures.Measure) func(*evening.Show) figures.Value {
	return func(s *evening.Show) figures.Value { return figures.MoneyOf(s.Revenue.Of(m)) }
}

func periodOf(m figures.Measure) func(*evening.Evening, *evening.Period) figures.Value {
	return func(v *evening.Evening, p *evening.Period) figures.Value {
		return moneyIn(p.Of(m), v.RevenueOf(p).Of(m))
	}
}

// standsIn returns what was booked, if it stands in for what was received.
func standsIn(s *evening.Show) figures.Value {
	if !s.Revenue.BookedStandsIn() {
		return figures.Value{Quality: figures.Unknown}
	}
	return figures.MoneyOf(s.Revenue.Net)
}

// sumOf returns a formula that adds up keys.
func sumOf(keys ...figures.Key) []figures.Term {
	terms := make([]figures.Term, len(keys))
	for i, k := range keys {
		terms[i].Key = k
	}
	return terms
}

// capacityTerms returns the parts of a capacity that was added up because the service does not report it.
func capacityTerms(s *evening.Show) []figures.Term {
	if _, given := figures.Within(s.Event.Capacity); given || !s.Capacity.Known() || slices.ContainsFunc(s.Capacity.Reasons, func(r figures.Reason) bool {
		return r == figures.ReasonTypesMayOverlap || r == figures.ReasonPlanning || r == figures.ReasonHighestAvailable
	}) {
		return nil
	}
	if s.Available.Value+s.Sold.Value+s.Reserved.Value+s.Blocked.Value != s.Capacity.Value {
		return nil
	}
	terms := sumOf(figures.KeyAvailable, figures.KeySold, figures.KeyReserved)
	if s.Blocked.Known() {
		terms = append(terms, figures.Term{Op: figures.Plus, Key: figures.KeyBlocked})
	}
	return terms
}

// freeTerms returns the formula for free places: it begins with the people allowed in the hall where these are what
// limits them, or with what the service reports as left, or else with the capacity; nil if nothing is on sale. Here and
// below there is no formula if its result would be negative, because the figure is never negative.
func freeTerms(s *evening.Show) []figures.Term {
	switch {
	case s.Sale != evening.SaleOpen || s.SoldOut || !s.Free.Known():
		return nil
	case s.Limited() && s.Sold.Value+s.Reserved.Value > s.Licensed.Value:
		return nil
	case s.Limited():
		return []figures.Term{{Op: figures.Plus, Key: figures.KeyLicensed}, {Op: figures.Less, Key: figures.KeySold}, {Op: figures.Less, Key: figures.KeyReserved}}
	case s.Available.Known() && s.Available.Value < 0:
		return nil
	case s.FreeIsReported():
		return sumOf(figures.KeyAvailable)
	case s.Capacity.Value-s.Sold.Value-s.Reserved.Value-max(0, s.Blocked.Value) < 0:
		return nil
	}
	terms := []figures.Term{{Op: figures.Plus, Key: figures.KeyCapacity}, {Op: figures.Less, Key: figures.KeySold}, {Op: figures.Less, Key: figures.KeyReserved}}
	if s.Blocked.Known() && s.Blocked.Value >= 0 {
		terms = append(terms, figures.Term{Op: figures.Less, Key: figures.KeyBlocked})
	}
	return terms
}

// freeFrom returns the records from which free places are counted: the event or its limits if the service reports
// what is left, or else everything that the capacity and the sales come from, as where the people allowed in the hall limit them.
func freeFrom(s *evening.Show) []record.Kind {
	if s.FreeIsReported() && !s.Limited() {
		return fromEventsAndPlans
	}
	return fromPlaces
}

// expectedTerms returns the formula of the expected visitors: those sold, but none for a cancelled performance.
func expectedTerms(s *evening.Show) []figures.Term {
	if s.Phase == evening.Cancelled {
		return nil
	}
	return sumOf(figures.KeySold)
}

// insideTerms and stillTerms return formulas that hold while people come or leave, the latter also before the doors.
func insideTerms(s *evening.Show) []figures.Term {
	if !s.HasPeople() {
		return nil
	}
	terms := sumOf(figures.KeyPresent, figures.KeyWalkIns)
	if s.Left.Value > 0 {
		terms = append(terms, figures.Term{Op: figures.Less, Key: figures.KeyLeft})
	}
	return terms
}

func stillTerms(s *evening.Show) []figures.Term {
	if s.Phase != evening.Before && !s.Phase.Open() || !s.Arrived.Known() { // before the doors nobody need have been scanned
		return nil
	}
	return awayTerms(s)
}

func awayTerms(s *evening.Show) []figures.Term {
	if s.Expected.Value < s.Arrived.Value {
		return nil
	}
	return []figures.Term{{Op: figures.Plus, Key: figures.KeyExpected}, {Op: figures.Less, Key: figures.KeyArrived}}
}

// toPayBackTerms returns the formula for a cancelled performance.
func toPayBackTerms(s *evening.Show) []figures.Term {
	if s.Phase != evening.Cancelled {
		return nil
	}
	return sumOf(figures.KeyNet)
}

// queued returns the forecast for a gate, with Unknown figures if there is none.
func queued(g *evening.Gate) evening.Queue {
	if g.Forecast == nil {
		return evening.Queue{Coming: figures.NotKnown[int](figures.ReasonNoHistory), Waiting: figures.NotKnown[int](figures.ReasonNoHistory)}
	}
	return *g.Forecast
}

// outside returns the verdict's forecast; Unknown if there is no call.
func outside(s *evening.Show) figures.Figure[int] {
	if s.Verdict.Call == arriving.NoCall {
		return figures.NotKnown[int]()
	}
	return s.Verdict.Outside
}

// cameLate returns how many visitors on sold tickets first came in after the curtain of a performance that is over, which is what is
// forecast of it beforehand; Unknown where nobody was scanned, or no curtain is known.
func cameLate(s *evening.Show) figures.Figure[int] {
	curtain := s.Event.StartsAt
	if curtain.IsZero() || !s.Away.Known() { // that it is over, and scanned
		return figures.NotKnown[int](s.Away.Reasons...)
	}
	return figures.New(s.Arrived.Value-figures.CountBefore(s.ArrivalMinutes, curtain.Truncate(time.Minute)), s.Arrived.Caveat())
}

// perMinuteIn returns the catalogue's row for entries per minute in a window.
func perMinuteIn(k figures.Key, window time.Duration) Definition {
	return Definition{Key: k, Unit: figures.PerMinute, window: window, From: fromScans,
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.PerMinute(window)) }, ofGate: func(g *evening.Gate) figures.Value { return figures.ShareOf(g.PerMinute(window)) }}
}

// ofBuilding returns a figure of the whole building's load; Unknown if there is none.
func ofBuilding(v *evening.Evening, figure func(*evening.Load) figures.Value) figures.Value {
	l, ok := v.LoadOf("")
	if !ok {
		return figures.Value{Quality: figures.Unknown, Reasons: []figures.Reason{figures.ReasonNotSet}}
	}
	return figure(l)
}

// caveat returns the caveat of VAT, given that of the amount booked: VAT by a rate is estimated, and VAT that
// neither the service nor a rate gives is unknown.
func caveat(f *figures.VATFigures, booked figures.Caveat) figures.Caveat {
	booked.AddIf(f.Basis == figures.VATByRate, figures.Estimated, figures.ReasonVATRate)
	booked.AddIf(f.Basis == figures.VATMissing, figures.Unknown, figures.ReasonNoVAT)
	return booked
}
