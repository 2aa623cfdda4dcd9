package figures

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// per is each amount for one of n places, to the nearest minor unit.
func (s Sums) per(n int) (each Sums) {
	for _, m := range s {
		each = each.Plus(record.Money{Amount: perPlace(m.Amount, int64(max(1, n))), Currency: m.Currency}, 1)
	}
	return each
}

// Quality is how far a figure can be trusted. The zero value is Exact. A figure has the worst quality of
// what it was computed from.
type Quality uint8

// The qualities, from best to worst.
const (
	Exact Quality = iota
	Estimated
	LowerBound
	Unknown
)

// Reason is why a figure is less than exact. Package web has its words.
type Reason string

// The reasons.
const (
	ReasonUnlimited         Reason = "unlimited"           // the event has no limit of places
	ReasonTypesMayOverlap   Reason = "types_may_overlap"   // capacity is the sum of the ticket types
	ReasonPlanning          Reason = "planning"            // capacity is that of planning
	ReasonPlanningPartial   Reason = "planning_incomplete" // the first sync of planning has not ended
	ReasonBlockedUnknown    Reason = "blocked_unknown"     // capacity is available + sold + reserved
	ReasonHighestAvailable  Reason = "highest_available"   // capacity is the most that was ever available
	ReasonNoCapacity        Reason = "no_capacity"         // no record gives a capacity
	ReasonNoAvailable       Reason = "no_available"        // the service did not report what is left
	ReasonTicketsIncomplete Reason = "tickets_incomplete"  // the first sync of tickets has not ended
	ReasonNoTickets         Reason = "no_tickets"          // the service does not offer tickets
	ReasonNoPayments        Reason = "no_payments"         // the service does not offer payments; booked stands in
	ReasonPaymentsPartial   Reason = "payments_incomplete" // the first sync of payments has not ended
	ReasonNoScans           Reason = "no_scans"            // no scans were ever reported for the event
	ReasonScansPartial      Reason = "scans_incomplete"    // the first sync of scans has not ended
	ReasonBehind            Reason = "behind"              // what came since the last answer, long ago, is being read
	ReasonNoExits           Reason = "no_exits"            // nobody was ever scanned out
	ReasonLeft              Reason = "left"                // people leave without a scan: how many have is estimated
	ReasonWalkIns           Reason = "walk_ins"            // people without a ticket were counted by hand
	ReasonNoPrice           Reason = "no_price"            // some tickets came without a price
	ReasonNoFees            Reason = "no_fees"             // some tickets, or all, came without a fee
	ReasonNoVAT             Reason = "no_vat"              // some tickets, or all, came without an amount of VAT
	ReasonVATRate           Reason = "vat_rate"            // VAT is worked out from a rate that the venue has set
	ReasonNotPlanned        Reason = "not_planned"         // planning does not give it
	ReasonMarketingBudget   Reason = "marketing_budget"    // planning gives what may be spent, not what was
	ReasonNotSet            Reason = "not_set"             // the venue has not set it
	ReasonNoBudget          Reason = "no_budget"           // the venue has set no budget for some of the months, or all
	ReasonSpread            Reason = "spread"              // a month's budget is spread evenly over its days
	ReasonAreasMayOverlap   Reason = "areas_may_overlap"   // counted against the capacity of ticket types, which may share places
	ReasonAveragePrice      Reason = "average_price"       // at what places were sold for on average
	ReasonNothingSold       Reason = "nothing_sold"        // there is nothing to take a mean of
	ReasonNoOrder           Reason = "no_order"            // some tickets or payments name no order
	ReasonUndated           Reason = "undated"             // some records, or refunds, came without the time they need
	ReasonUnknownStatus     Reason = "unknown_status"      // some records have a status that nobody has mapped
	ReasonRefused           Reason = "refused"             // some records were refused
	ReasonNoHistory         Reason = "no_history"          // no past performance to go by
	ReasonPace              Reason = "pace"                // what comparable performances sold from here on
	ReasonArrivals          Reason = "arrivals"            // how visitors came to past performances
	ReasonNoRate            Reason = "no_rate"             // how fast a gate can let people in has not been seen
	ReasonFewComparables    Reason = "few_comparables"     // too few past performances are alike
	ReasonNoContacts        Reason = "no_contacts"         // no ticket names the contact that bought it
	ReasonNobodyAsked       Reason = "nobody_asked"        // no contact was asked whether news may be sent
	ReasonNobodyExpected    Reason = "nobody_expected"     // no place was sold that admits
)

// Figure is a number with its quality. An Unknown figure's Value means nothing and
// is shown as an em dash with its reasons, never as 0.
type Figure[T any] struct {
	Value   T
	Quality Quality
	Reasons []Reason // no repeats, in order of mention
}

// Known reports whether the figure has a value at all.
func (f Figure[T]) Known() bool { return f.Quality != Unknown }

// Minus returns a less the others, not below 0. Where one of them may be more than is known, the
// difference may be less or more: it is Estimated.
func Minus(a Figure[int], less ...Figure[int]) Figure[int] {
	value, c := a.Value, a.Caveat()
	for _, f := range less {
		value -= f.Value
		c = c.And(f.Caveat())
	}
	return New(max(0, value), c.OfDifference())
}

// Sums is an amount in each of several currencies, sorted by currency code, without
// zero rows. Amounts of different currencies stay listed by construction. The zero
// value is an empty sum. A Sums that has been published is immutable.
type Sums []record.Money

// Plus returns s with m added (minor units; n times when n is not 1, negative to
// take out). It leaves s as it was.
func (s Sums) Plus(m record.Money, n int64) Sums {
	i, found := slices.BinarySearchFunc(s, m.Currency, byCurrency)
	out := slices.Clone(s)
	if !found {
		out = slices.Insert(out, i, record.Money{Currency: m.Currency})
	}
	out[i].Amount += m.Amount * n
	if out[i].Amount == 0 {
		out = slices.Delete(out, i, i+1)
	}
	return out
}

// PlusAll returns s with n times every row of o added.
func (s Sums) PlusAll(o Sums, n int64) Sums {
	for _, m := range o {
		s = s.Plus(m, n)
	}
	return s
}

// In returns the amount in one currency, in minor units.
func (s Sums) In(currency string) int64 {
	for _, m := range s {
		if m.Currency == currency {
			return m.Amount
		}
	}
	return 0
}

func byCurrency(m record.Money, currency string) int { return cmp.Compare(m.Currency, currency) }

// Caveat collects what keeps a figure from being exact.
type Caveat struct {
	Quality Quality
	Reasons []Reason
}

// Add makes the quality at least as bad as q, because of r. It leaves copies of c alone.
func (c *Caveat) Add(q Quality, r ...Reason) {
	c.Quality = max(c.Quality, q)
	for _, r := range r {
		if !slices.Contains(c.Reasons, r) {
			c.Reasons = append(slices.Clip(c.Reasons), r)
		}
	}
}

// AddIf adds where it holds.
func (c *Caveat) AddIf(holds bool, q Quality, r Reason) {
	if holds {
		c.Add(q, r)
	}
}

// And returns what a figure inherits that was computed from figures with these caveats.
func (c Caveat) And(others ...Caveat) Caveat {
	for _, o := range others {
		c.Add(o.Quality, o.Reasons...)
	}
	return c
}

func (f Figure[T]) Caveat() Caveat { return Caveat{f.Quality, f.Reasons} }

// New returns a value with its caveats; an unknown one has no value.
func New[T any](value T, c Caveat) Figure[T] {
	if c.Quality == Unknown {
		return NotKnown[T](c.Reasons...)
	}
	return Figure[T]{Value: value, Quality: c.Quality, Reasons: c.Reasons}
}

func NotKnown[T any](why ...Reason) Figure[T] {
	return Figure[T]{Quality: Unknown, Reasons: why}
}
