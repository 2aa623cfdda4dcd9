package figures

import (
	"slices"
)

// OfDifference returns the caveat of a difference whose terms have caveat c. If a term is a LowerBound, the
// difference is Estimated; while payments are read for the first time it is Unknown.
func (c Caveat) OfDifference() Caveat {
	switch {
	case slices.Contains(c.Reasons, ReasonPaymentsPartial):
		c.Quality = Unknown
	case c.Quality == LowerBound:
		c.Quality = Estimated
	}
	return c
}

// ofOrders are the measures of whole orders.
var ofOrders = []Measure{ToBePaid, ToBePaidBack, Goodwill}

// During returns the figures with the quality of the part in f: faults of records outside f do not affect it. Open
// items, which are on no day, are unchanged. While tickets are read for the first time, what is booked is no bound: a ticket that
// comes may have been sold before f and cancelled in it.
func (r *Revenue) During(f *Flow) *Revenue {
	return r.lacking(f.Lacks, slices.Contains(r.Measures[Booked].Reasons, ReasonTicketsIncomplete))
}

// lacking returns the figures with the quality of a part with lacks; what is booked in it is no bound if it may be lowered.
func (r *Revenue) lacking(f Lacks, lowered bool) *Revenue {
	days := r
	if r.Timeless != nil {
		days = r.Timeless
	}
	if days == r && f == (Lacks{}) && !lowered {
		return r
	}
	part := *days
	part.Timeless = nil
	for _, m := range ofOrders {
		part.Measures[m] = r.Measures[m]
	}
	lack := func(of *Figure[Sums], n int, q Quality, why Reason) {
		if n > 0 {
			c := of.Caveat()
			c.Add(q, why)
			*of = New(of.Value, c)
		}
	}
	sold := []*Figure[Sums]{&part.Measures[Booked], &part.Measures[Fees], &part.Measures[VAT]}
	returned := []*Figure[Sums]{&part.Measures[Refunded], &part.Measures[ChargedBack], &part.Measures[Reversed]}
	if part.BookedStandsIn() {
		sold = append(sold, &part.Net)
	} else {
		returned = append(returned, &part.Net)
	}
	for _, of := range sold {
		if lowered && of.Known() {
			*of = New(of.Value, of.Caveat().EitherWay())
		}
		lack(of, f.Unpriced, LowerBound, ReasonNoPrice)
		lack(of, f.Voids, Estimated, ReasonUndated)
	}
	for _, of := range returned {
		lack(of, f.Returns, Estimated, ReasonUndated)
	}
	lack(&part.Measures[Fees], f.Feeless, LowerBound, ReasonNoFees)
	lack(&part.Measures[VAT], f.VATless, LowerBound, ReasonNoVAT)
	lack(&part.Measures[VAT], f.VATRated, Estimated, ReasonVATRate)
	return &part
}

// PlacesDuring returns the places sold in f less those cancelled in it. Their quality is that of amounts all of whose prices
// are known: a ticket without a price is a place all the same. While tickets are read it is no bound: what comes may be a
// cancellation.
func (r *Revenue) PlacesDuring(f *Flow) Figure[int] {
	booked := r.During(&Flow{Lacks: Lacks{Voids: f.Voids}}).Of(Booked)
	return New(f.Sold, booked.Caveat().OfDifference())
}

// OfOrders returns the figures with the quality of the orders of some days in their present state: faults of other
// orders, and unknown times within an order whose day is known, do not affect it. Orders of which no day is known may be among them.
func (r *Revenue) OfOrders(o *OrderDay) *Revenue {
	dayless := r.DaylessOrders
	if r.Timeless != nil {
		r = r.Timeless
	}
	part := *r.lacking(o.Lacks, false)
	for _, m := range ofOrders {
		c := r.Measures[m].Caveat()
		c.AddIf(o.Unpriced > 0, Estimated, ReasonNoPrice)
		c.AddIf(o.Feeless > 0, Estimated, ReasonNoFees)
		part.Measures[m] = New(r.Measures[m].Value, c)
	}
	if dayless {
		part.Net = part.Net.undated()
		for m := range part.Measures {
			part.Measures[m] = part.Measures[m].undated()
		}
	}
	return &part
}

// undated returns the figure of some days where what it is of may lack its day.
func (f Figure[T]) undated() Figure[T] {
	c := f.Caveat()
	c.Add(Estimated, ReasonUndated)
	return New(f.Value, c)
}

// BookedStandsIn reports whether Net is what was booked, because the service does not offer payments. It must then
// be shown under its own name.
func (r *Revenue) BookedStandsIn() bool {
	return r.Net.Known() && slices.Contains(r.Net.Reasons, ReasonNoPayments)
}

// NetReceived returns the net received. It is Unknown if receipts are; what was booked never stands in for it.
func (r *Revenue) NetReceived() Figure[Sums] {
	if received := r.Of(Received); !received.Known() {
		return received
	}
	return r.Net
}
