package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// What the rows of the catalogue are made of: which performances count, how a figure is read, and its terms.

func anyPhase(*Show) bool     { return true }
func goingAhead(s *Show) bool { return s.Phase.GoesAhead() }

func countOf(f Figure[int]) Value {
	return Value{Count: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

func shareOf(f Figure[float64]) Value {
	return Value{Share: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

func moneyOf(f Figure[Sums]) Value {
	return Value{Amount: f.Value, Quality: f.Quality, Reasons: f.Reasons}
}

// moneyIn is a part of an amount, with the quality of all of it.
func moneyIn(part Sums, all Figure[Sums]) Value { return moneyOf(figure(part, all.caveat())) }

// placesOf are the places that moved in a period, as well known as what was booked.
func (v *Evening) placesOf(p *Period) Value {
	return countOf(p.Places(figure(0, v.revenueOf(p).Of(Booked).caveat())))
}

// lacks says that a part of a period has no such figure.
func (p *Period) lacks(d *Definition) bool {
	return p.part && d.ofHouse
}

// revenueOf is the money of all days of what a period is of, by which that of the period is known.
func (v *Evening) revenueOf(p *Period) *Revenue {
	if p.event != nil {
		return &p.event.Revenue
	}
	return &v.snapshot.Total
}

// showOf and periodOf read a measure.
func showOf(m Measure) func(*Show) Value {
	return func(s *Show) Value { return moneyOf(s.Revenue.Of(m)) }
}

func periodOf(m Measure) func(*Evening, *Period) Value {
	return func(v *Evening, p *Period) Value { return moneyIn(p.Of(m), v.revenueOf(p).Of(m)) }
}

// standsIn is what was booked where that stands in for what was received.
func (s *Show) standsIn() Value {
	if !s.Revenue.BookedStandsIn() {
		return Value{Quality: Unknown}
	}
	return moneyOf(s.Revenue.Net)
}

// sumOf is a formula that adds up.
func sumOf(keys ...Key) []Term {
	terms := make([]Term, len(keys))
	for i, k := range keys {
		terms[i].Key = k
	}
	return terms
}

// capacityTerms are the parts of a capacity that was added up because nothing gives it.
func (s *Show) capacityTerms() []Term {
	if _, given := within(s.Event.Capacity); given || !s.Capacity.Known() || slices.ContainsFunc(s.Capacity.Reasons, func(r Reason) bool {
		return r == ReasonTypesMayOverlap || r == ReasonPlanning || r == ReasonHighestAvailable
	}) {
		return nil
	}
	if s.Available.Value+s.Sold.Value+s.Reserved.Value+s.Blocked.Value < 0 {
		return nil
	}
	terms := sumOf(KeyAvailable, KeySold, KeyReserved)
	if s.Blocked.Known() {
		terms = append(terms, Term{Plus, KeyBlocked})
	}
	return terms
}

// freeTerms are what free places are counted from: what the service says is left, or else the
// capacity. Where nothing is sold they are neither. A formula that came to fewer than no places would
// not be that of the figure, here as in those below: there is none.
func (s *Show) freeTerms() []Term {
	switch {
	case s.Sale != SaleOpen || s.SoldOut || !s.Free.Known():
		return nil
	case s.Available.Known() && s.Available.Value < 0:
		return nil
	case s.Available.Known():
		return sumOf(KeyAvailable)
	case s.Capacity.Value-s.Sold.Value-s.Reserved.Value-s.Blocked.Value < 0:
		return nil
	}
	terms := []Term{{Plus, KeyCapacity}, {Less, KeySold}, {Less, KeyReserved}}
	if s.Blocked.Known() {
		terms = append(terms, Term{Less, KeyBlocked})
	}
	return terms
}

// freeFrom are the records that free places are counted from: the event where the service says what
// is left, or else all that a capacity and what is taken of it come from.
func (s *Show) freeFrom() []record.Kind {
	if s.Available.Known() {
		return fromEvents
	}
	return fromPlaces
}

// insideTerms and stillTerms are formulas while people come or leave.
func (s *Show) insideTerms() []Term {
	if !s.peopled() {
		return nil
	}
	return sumOf(KeyPresent, KeyWalkIns)
}

func (s *Show) stillTerms() []Term {
	if !s.Phase.Open() {
		return nil
	}
	return s.awayTerms()
}

func (s *Show) awayTerms() []Term {
	if s.Expected.Value < s.Arrived.Value {
		return nil
	}
	return []Term{{Plus, KeyExpected}, {Less, KeyArrived}}
}

// toPayBackTerms is a formula of what is cancelled.
func (s *Show) toPayBackTerms() []Term {
	if s.Phase != Cancelled {
		return nil
	}
	return sumOf(KeyNet)
}
