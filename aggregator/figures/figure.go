package figures

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// Per divides each amount by n, to the nearest minor unit.
func (s Sums) Per(n int) (each Sums) {
	for _, m := range s {
		each = each.Plus(record.Money{Amount: perPlace(m.Amount, int64(max(1, n))), Currency: m.Currency}, 1)
	}
	return each
}

// Quality is how far a figure can be trusted. The zero value is Exact. A figure has the worst quality of what it
// was computed from.
type Quality uint8

// The qualities, from best to worst.
const (
	Exact Quality = iota
	Estimated
	LowerBound
	Unknown
)

// Reason is why a figure is less than exact. Package web/words has its text.
type Reason string

// The reasons.
const (
	ReasonUnlimited         Reason = "unlimited"           // the event has no limit of places
	ReasonTypesMayOverlap   Reason = "types_may_overlap"   // capacity is the sum of the ticket types
	ReasonPlanning          Reason = "planning"            // the capacity is that of planning
	ReasonPlanningPartial   Reason = "planning_incomplete" // the first sync of planning has not ended
	ReasonBlockedUnknown    Reason = "blocked_unknown"     // capacity is available + sold + reserved
	ReasonHighestAvailable  Reason = "highest_available"   // the capacity is the highest number ever available
	ReasonNoCapacity        Reason = "no_capacity"         // no record gives a capacity
	ReasonNoAvailable       Reason = "no_available"        // the service did not report how many places are left
	ReasonTicketsIncomplete Reason = "tickets_incomplete"  // the first sync of tickets has not ended
	ReasonNoTickets         Reason = "no_tickets"          // the service does not offer tickets
	ReasonNoPayments        Reason = "no_payments"         // the service does not offer payments; booked stands in for received
	ReasonPaymentsPartial   Reason = "payments_incomplete" // the first sync of payments has not ended
	ReasonNoScans           Reason = "no_scans"            // no scans were ever reported for the event
	ReasonScansPartial      Reason = "scans_incomplete"    // the first sync of scans has not ended
	ReasonBehind            Reason = "behind"              // changes since the last answer, long ago, are still being read
	ReasonDoubted           Reason = "doubted"             // records are missing from the service's list, too many to be believed
	ReasonNoExits           Reason = "no_exits"            // people are not scanned out as they leave
	ReasonLeft              Reason = "left"                // people leave without a scan, so how many have left is estimated
	ReasonWalkIns           Reason = "walk_ins"            // people without a ticket were counted by hand
	ReasonNoPrice           Reason = "no_price"            // some tickets came without a price
	ReasonNoFees            Reason = "no_fees"             // some or all tickets came without a fee
	ReasonNoVAT             Reason = "no_vat"              // some or all tickets came without VAT
	ReasonVATRate           Reason = "vat_rate"            // VAT is computed from a rate that the venue has set
	ReasonNotPlanned        Reason = "not_planned"         // planning does not give it
	ReasonMarketingBudget   Reason = "marketing_budget"    // planning gives what may be spent, not what was spent
	ReasonNotSet            Reason = "not_set"             // the venue has not set it
	ReasonNoBudget          Reason = "no_budget"           // the venue has set no budget for some or all of the months
	ReasonSpread            Reason = "spread"              // a month's budget is spread evenly over its days
	ReasonUsualDay          Reason = "usual_day"           // today's budget counts by what is usually booked by this time
	ReasonByClock           Reason = "by_clock"            // today's budget counts by the clock, as too few days are known
	ReasonAreasMayOverlap   Reason = "areas_may_overlap"   // counted against the capacity of ticket types, which may share places
	ReasonAveragePrice      Reason = "average_price"       // at the average price of sold places
	ReasonNothingSold       Reason = "nothing_sold"        // there is nothing to average
	ReasonNothingPaid       Reason = "nothing_paid"        // no ticket with a price has been sold
	ReasonNoOrder           Reason = "no_order"            // some tickets or payments name no order
	ReasonUndated           Reason = "undated"             // some records, or refunds, have no time
	ReasonUnknownStatus     Reason = "unknown_status"      // some records have a status that is not mapped
	ReasonRefused           Reason = "refused"             // some records were refused
	ReasonNoHistory         Reason = "no_history"          // there is no past performance to compare with
	ReasonPace              Reason = "pace"                // what comparable performances sold from here on
	ReasonArrivals          Reason = "arrivals"            // how visitors came to past performances
	ReasonNoQueue           Reason = "no_queue"            // a gate shows no sign of a queue
	ReasonFewComparables    Reason = "few_comparables"     // there are too few comparable performances
	ReasonNoContacts        Reason = "no_contacts"         // no ticket names the contact that bought it
	ReasonNobodyAsked       Reason = "nobody_asked"        // no contact was asked whether news may be sent
	ReasonNobodyExpected    Reason = "nobody_expected"     // no place that admits was sold
)

// Figure is a number with its quality. An Unknown figure's Value means nothing and
// is shown as an em dash with its reasons, never as 0.
type Figure[T any] struct {
	Value   T
	Quality Quality
	Reasons []Reason // without repeats, in order of addition
}

// Known reports whether the figure has a value.
func (f Figure[T]) Known() bool { return f.Quality != Unknown }

// Minus returns a less the others, at least 0. If one of them is a LowerBound, the difference is Estimated.
func Minus(a Figure[int], less ...Figure[int]) Figure[int] {
	value, c := a.Value, a.Caveat()
	for _, f := range less {
		value -= f.Value
		c = c.And(f.Caveat())
	}
	return New(max(0, value), c.OfDifference())
}

// Sums is amounts in several currencies, sorted by currency code, without zero amounts. The zero value is an empty
// sum. A Sums that has been published is immutable.
type Sums []record.Money

// Plus returns s with n times m added, in minor units. It does not change s.
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

// PlusAll returns s with n times every amount of o added.
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

// Currencies returns the codes in any of the sums, sorted.
func Currencies(all ...Sums) []string {
	var union Sums
	for _, s := range all {
		for _, m := range s {
			if union.In(m.Currency) == 0 {
				union = union.Plus(record.Money{Amount: 1, Currency: m.Currency}, 1)
			}
		}
	}
	codes := make([]string, len(union))
	for i, m := range union {
		codes[i] = m.Currency
	}
	return codes
}

func byCurrency(m record.Money, currency string) int { return cmp.Compare(m.Currency, currency) }

// Caveat collects the reasons for which a figure is not exact.
type Caveat struct {
	Quality Quality
	Reasons []Reason
}

// Add makes the quality at least as bad as q, because of r. It does not affect copies of c.
func (c *Caveat) Add(q Quality, r ...Reason) {
	c.Quality = max(c.Quality, q)
	for _, r := range r {
		if !slices.Contains(c.Reasons, r) {
			c.Reasons = append(slices.Clip(c.Reasons), r)
		}
	}
}

// AddIf is Add if holds is true.
func (c *Caveat) AddIf(holds bool, q Quality, r Reason) {
	if holds {
		c.Add(q, r)
	}
}

// And returns the caveat of a figure that is computed from figures with these caveats.
func (c Caveat) And(others ...Caveat) Caveat {
	for _, o := range others {
		c.Add(o.Quality, o.Reasons...)
	}
	return c
}

// EitherWay returns the caveat of a number that what is missing may raise or lower, such as a quotient of two that are at
// least: it is no bound.
func (c Caveat) EitherWay() Caveat {
	if c.Quality == LowerBound {
		c.Quality = Estimated
	}
	return c
}

func (f Figure[T]) Caveat() Caveat { return Caveat{f.Quality, f.Reasons} }

// New returns a value with its caveat; an Unknown one has no value.
func New[T any](value T, c Caveat) Figure[T] {
	if c.Quality == Unknown {
		return NotKnown[T](c.Reasons...)
	}
	return Figure[T]{Value: value, Quality: c.Quality, Reasons: c.Reasons}
}

func NotKnown[T any](why ...Reason) Figure[T] {
	return Figure[T]{Quality: Unknown, Reasons: why}
}
