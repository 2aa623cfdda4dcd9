package record

import (
	"cmp"
	"slices"
	"time"
)

// Version is one version of a record as the log stores it. It never changes.
type Version struct {
	// Revision numbers all versions of a log in the order of their commits, from 1.
	Revision int64
	// SeenAt is when the version was read, by our clock.
	SeenAt time.Time
	// Head reports that the version was the newest of its record when it was appended (see Newer).
	// A version that came late is not a head. The newest version of a record is its Head with the
	// highest revision.
	Head   bool
	Record Record
	// Memory is what remains of folded versions of the record; it is stored with the head.
	Memory Memory
}

// Memory is what figures need of a record's older versions. With is commutative and idempotent, so
// that the memory depends only on the set of versions. The zero value is the memory of no version.
type Memory struct {
	// HighestAvailable is the highest Baseline of any version of an event, nil if there is none.
	HighestAvailable *int `json:"highest_available,omitzero"`
	// Refunded holds the amounts that versions of a payment reported as refunded on the payment
	// itself, in minor units, each with the time of the first version that reported that amount or
	// more. Both ascend.
	Refunded []RefundSeen `json:"refunded,omitzero"`
	// ChargedBack is the time of the first version in which a payment was charged back, Void of the
	// first in which a ticket was void or refunded; zero if there is none.
	ChargedBack time.Time `json:"charged_back,omitzero"`
	Void        time.Time `json:"void,omitzero"`
	// VoidRead is Void of the versions of which the service gives no time: when the first was read. Standing is
	// when any version was first read in which the ticket was neither void nor refunded. What was read as void
	// from the beginning was voided at a time that nobody knows.
	VoidRead time.Time `json:"void_read,omitzero"`
	Standing time.Time `json:"standing,omitzero"`
	// Returned is the time of the first version in which a refund, chargeback or reversal was
	// settled without a time of its own; zero if there is none.
	Returned time.Time `json:"returned,omitzero"`
	// Ended is the time of the first version in which an event was ended, cancelled or postponed;
	// zero if there is none.
	Ended time.Time `json:"ended,omitzero"`
}

// RefundSeen is a refunded amount and when it was first reported.
type RefundSeen struct {
	Amount int64     `json:"amount"`
	At     time.Time `json:"at"`
}

// IsZero reports whether nothing is remembered.
func (m Memory) IsZero() bool {
	return m.HighestAvailable == nil && m.Refunded == nil && m.ChargedBack.IsZero() && m.Void.IsZero() && m.VoidRead.IsZero() &&
		m.Standing.IsZero() && m.Returned.IsZero() && m.Ended.IsZero()
}

// With returns m with what v adds, dated by the service's time of the version, or by ours if the
// service's is missing or implausible. m is not modified.
func (m Memory) With(v *Version) Memory {
	switch r := v.Record.(type) {
	case *Event:
		m = m.Merge(Memory{HighestAvailable: Baseline(r)})
		switch r.Status {
		case EventEnded, EventCancelled, EventPostponed:
			m = m.Merge(Memory{Ended: v.occurredAt()})
		}
	case *Ticket:
		void := r.Status == TicketVoid || r.Status == TicketRefunded
		switch {
		case !void:
			m = m.Merge(Memory{Standing: v.SeenAt})
		case v.given().IsZero():
			m = m.Merge(Memory{VoidRead: v.occurredAt()})
		default:
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

// MaxAhead is how far the service's time of a version may be ahead of our time of reading it. A
// time further ahead is ignored.
const MaxAhead = 24 * time.Hour

// Plausible returns at, a time from the service, or zero if it is too far ahead of seen. A zero
// seen accepts any time.
func Plausible(at, seen time.Time) time.Time {
	if !seen.IsZero() && at.Sub(seen) > MaxAhead {
		return time.Time{}
	}
	return at
}

// given returns the service's time of a version, zero if it is missing or implausible.
func (v *Version) given() time.Time { return Plausible(v.Record.RecordUpdated(), v.SeenAt) }

// occurredAt returns when a version came about: the service's time, or ours if that is missing or
// implausible. Either clock may be wrong, so the result is never before the times in the record
// itself.
func (v *Version) occurredAt() time.Time {
	at := v.given()
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
	m.VoidRead = earlierNonZero(m.VoidRead, o.VoidRead)
	m.Standing = earlierNonZero(m.Standing, o.Standing)
	m.Returned = earlierNonZero(m.Returned, o.Returned)
	m.Ended = earlierNonZero(m.Ended, o.Ended)
	if o.Refunded != nil {
		m.Refunded = dropCovered(slices.Concat(m.Refunded, o.Refunded))
	}
	return m
}

// dropCovered returns the first time of each amount, without amounts that a larger amount reported
// no later makes redundant.
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

// earlierNonZero returns the earlier of two times, ignoring zero ones.
func earlierNonZero(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// reportedRefund returns what a payment itself reports as refunded, 0 for nothing.
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

// undatedReturn reports whether p is a settled refund, chargeback or reversal without a time.
func undatedReturn(p *Payment) bool {
	switch p.Kind {
	case KindOfRefund, KindOfChargeback, KindOfReversal:
	default:
		return false
	}
	settled := p.Status == PaymentPaid || p.Status == PaymentRefunded || p.Status == PaymentChargedBack
	return settled && p.PaidAt.IsZero() && p.CreatedAt.IsZero()
}

// Baseline returns the number of places left if it can stand in for an unreported capacity: the
// highest Baseline of all versions of an event is a lower bound of its capacity. It is nil if the
// number is missing, implausible or meaningless.
func Baseline(e *Event) *int {
	if n := e.Available; n != nil && !e.Unlimited && *n >= -1e9 && *n <= 1e9 {
		return new(*n)
	}
	return nil
}
