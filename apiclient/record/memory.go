package record

import (
	"cmp"
	"slices"
	"time"
)

// Version is one version of a record, as the log keeps it: it never changes.
type Version struct {
	// Revision orders all versions of a log in the order of their commits, from 1.
	Revision int64
	// SeenAt is when the version was read, by our clock.
	SeenAt time.Time
	// Head says that the version replaced what was known of the record when it was appended
	// (see Newer). One that is not older came late and only adds to what is remembered. The
	// newest version of a record is its Head with the highest revision.
	Head   bool
	Record Record
	// Memory is what folded versions of the record have left; it comes with the head.
	Memory Memory
}

// Memory is what figures need of the versions of a record beside the newest. With is
// commutative and idempotent, so that the memory of a set of versions depends on nothing
// but the set. The zero value is the memory of no version.
type Memory struct {
	// HighestAvailable is the highest Baseline of any version of an event, nil without.
	HighestAvailable *int `json:"highest_available,omitzero"`
	// Refunded holds, ascending in both, the amounts that versions of a payment reported as
	// paid back on the payment itself, in its minor units, with the time of the first version
	// that reported so much or more.
	Refunded []RefundSeen `json:"refunded,omitzero"`
	// ChargedBack and Void are of the first version in which a payment was charged back, and
	// a ticket void or refunded; zero without.
	ChargedBack time.Time `json:"charged_back,omitzero"`
	Void        time.Time `json:"void,omitzero"`
	// Returned is of the first version in which a refund, chargeback or reversal had settled and
	// gave no time of its own; zero without.
	Returned time.Time `json:"returned,omitzero"`
	// Ended is of the first version in which an event was ended, cancelled or postponed; zero
	// without.
	Ended time.Time `json:"ended,omitzero"`
}

// RefundSeen is an amount paid back and when that was first reported.
type RefundSeen struct {
	Amount int64     `json:"amount"`
	At     time.Time `json:"at"`
}

// IsZero says that nothing is remembered.
func (m Memory) IsZero() bool {
	return m.HighestAvailable == nil && m.Refunded == nil && m.ChargedBack.IsZero() && m.Void.IsZero() && m.Returned.IsZero() && m.Ended.IsZero()
}

// With returns m with what v tells, as of the service's time of the version, or ours where the
// service tells none that can be. m is left as it was.
func (m Memory) With(v *Version) Memory {
	switch r := v.Record.(type) {
	case *Event:
		m = m.Merge(Memory{HighestAvailable: Baseline(r)})
		switch r.Status {
		case EventEnded, EventCancelled, EventPostponed:
			m = m.Merge(Memory{Ended: v.occurredAt()})
		}
	case *Ticket:
		if r.Status == TicketVoid || r.Status == TicketRefunded {
			m = m.Merge(Memory{Void: v.occurredAt()})
		}
	case *Payment:
		if n := reportedRefund(r); n > 0 {
			m = m.Merge(Memory{Refunded: []RefundSeen{{n, v.occurredAt()}}})
		}
		if r.Status == PaymentChargedBack {
			m = m.Merge(Memory{ChargedBack: v.occurredAt()})
		}
		if undatedReturn(r) {
			m = m.Merge(Memory{Returned: v.occurredAt()})
		}
	}
	if v.Memory.IsZero() {
		return m
	}
	return m.Merge(v.Memory)
}

// MostAhead is how far the service's time of a version may be after ours, when it was read,
// to be believed. One that is further ahead is as if it gave none.
const MaxAhead = 24 * time.Hour

// Believed is a time that the service gave, or zero where it is too far ahead of when that was seen.
// What was never seen is believed.
func Plausible(at, seen time.Time) time.Time {
	if !seen.IsZero() && at.Sub(seen) > MaxAhead {
		return time.Time{}
	}
	return at
}

// at is when a version came about: the service's time, or ours where there is none or it is
// far ahead of ours. Either clock may be wrong, so it is never before what the record itself
// says happened before.
func (v *Version) occurredAt() time.Time {
	at := Plausible(v.Record.RecordUpdated(), v.SeenAt)
	if at.IsZero() {
		at = v.SeenAt
	}
	var least []time.Time
	switch r := v.Record.(type) {
	case *Ticket:
		least = []time.Time{r.CreatedAt, r.SoldAt}
	case *Payment:
		least = []time.Time{r.CreatedAt, r.PaidAt}
	}
	for _, t := range least {
		if t.After(at) {
			at = t
		}
	}
	return at
}

// Merge returns the memory of the versions of both.
func (m Memory) Merge(o Memory) Memory {
	if n := o.HighestAvailable; n != nil && (m.HighestAvailable == nil || *n > *m.HighestAvailable) {
		m.HighestAvailable = n
	}
	m.ChargedBack = earlierNonZero(m.ChargedBack, o.ChargedBack)
	m.Void = earlierNonZero(m.Void, o.Void)
	m.Returned = earlierNonZero(m.Returned, o.Returned)
	m.Ended = earlierNonZero(m.Ended, o.Ended)
	if o.Refunded != nil {
		m.Refunded = dropCovered(slices.Concat(m.Refunded, o.Refunded))
	}
	return m
}

// staircase keeps of each amount the first time, and leaves out what a larger amount
// reported no later says already.
func dropCovered(all []RefundSeen) (steps []RefundSeen) {
	slices.SortFunc(all, func(a, b RefundSeen) int { return cmp.Or(cmp.Compare(b.Amount, a.Amount), a.At.Compare(b.At)) })
	for _, s := range all {
		if len(steps) == 0 || s.At.Before(steps[len(steps)-1].At) && s.Amount < steps[len(steps)-1].Amount {
			steps = append(steps, s)
		}
	}
	slices.Reverse(steps)
	return steps
}

// earliest is the earlier of two times, of which zero is none.
func earlierNonZero(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// reportedRefund is what a payment itself reports as paid back, 0 for nothing.
func reportedRefund(p *Payment) int64 {
	n := int64(0)
	if p.Status == PaymentRefunded {
		n = p.Amount.Amount
	}
	if m := p.AmountRefunded; m != nil && m.Currency == p.Amount.Currency {
		n = max(n, m.Amount)
	}
	return n
}

// undatedReturn says that p is what went back of another payment, and gives no time.
func undatedReturn(p *Payment) bool {
	switch p.Kind {
	case KindOfRefund, KindOfChargeback, KindOfReversal:
	default:
		return false
	}
	settled := p.Status == PaymentPaid || p.Status == PaymentRefunded || p.Status == PaymentChargedBack
	return settled && p.PaidAt.IsZero() && p.CreatedAt.IsZero()
}

// Baseline is the number of places left as far as it can stand in for a capacity that is
// not told: the highest of all versions of an event is the least that its capacity can
// be. It is nil where the number was not told, or cannot be, or means nothing.
func Baseline(e *Event) *int {
	if n := e.Available; n != nil && !e.Unlimited && *n >= -1e9 && *n <= 1e9 {
		return new(*n)
	}
	return nil
}
