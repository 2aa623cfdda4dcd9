package figures

import (
	"slices"
)

// OfDifference returns the caveat of a difference whose terms have caveat c. If one of the terms may be
// more than is known, the difference may be less or more; while payments are being read for the first time
// it is Unknown.
func (c Caveat) OfDifference() Caveat {
	switch {
	case slices.Contains(c.Reasons, ReasonPaymentsPartial):
		c.Quality = Unknown
	case c.Quality == LowerBound:
		c.Quality = Estimated
	}
	return c
}

// During returns the figures with the quality of the part of them that is in f: what days lack that are not in it does
// not concern it. Open items, which are on no day, are as they were.
func (r *Revenue) During(f *Flow) *Revenue {
	days := r
	if r.Timeless != nil {
		days = r.Timeless
	}
	if days == r && f.Lacks == (Lacks{}) {
		return r
	}
	part := *days
	part.Timeless = nil
	for _, m := range []Measure{ToBePaid, ToBePaidBack} {
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

// OfOrders returns the figures with the quality of orders of some days, as they stand now: what others lack, and times that
// are not known, do not concern them.
func (r *Revenue) OfOrders(o *OrderDay) *Revenue {
	if r.Timeless != nil {
		r = r.Timeless
	}
	part := *r.During(&Flow{Lacks: o.Lacks})
	for _, m := range []Measure{ToBePaid, ToBePaidBack} {
		c := r.Measures[m].Caveat()
		c.AddIf(o.Unpriced > 0, Estimated, ReasonNoPrice)
		c.AddIf(o.Feeless > 0, Estimated, ReasonNoFees)
		part.Measures[m] = New(r.Measures[m].Value, c)
	}
	return &part
}

// BookedStandsIn reports whether Net is what was booked, because the service offers no payments. It is
// to be shown under a name of its own.
func (r *Revenue) BookedStandsIn() bool {
	return r.Net.Known() && slices.Contains(r.Net.Reasons, ReasonNoPayments)
}

// NetReceived returns what was received net. It is Unknown if receipts are; what was booked never
// stands in for it.
func (r *Revenue) NetReceived() Figure[Sums] {
	if received := r.Of(Received); !received.Known() {
		return received
	}
	return r.Net
}
