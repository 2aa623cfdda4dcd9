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
