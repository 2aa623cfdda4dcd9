package figures

import (
	"iter"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Health is how well the service answers.
type Health struct {
	Streams []StreamHealth // in the order in which a first sync reads them
}

// StreamHealth is the state of one stream. Times are by the venue's clock.
type StreamHealth struct {
	Name string
	// Service is the service that it is of, where there are several; empty for the first.
	Service string
	// Kinds are the kinds of records that it gives.
	Kinds []record.Kind
	// Shared is true if other streams give some of these kinds too.
	Shared bool
	// LastGood is when the last good answer came; zero for never.
	LastGood time.Time
	// Next is when the stream is polled next.
	Next time.Time
	// Took is how long the last good answer took.
	Took time.Duration
	// Missed is how many polls failed in a row.
	Missed int
	// Fault names the last failure, or what delays the current poll; empty if the last poll was good.
	Fault Fault
	// FaultStatus is the status of the answer that failed; 0 if there was none.
	FaultStatus int
	// Complete is true if the first sync has ended. Behind is true while the changes since a poll of long ago are
	// being read. While everything is being read again, Rereading is true too.
	Complete, Behind, Rereading bool
	// Read and Total are the progress of the first sync, or of reading everything again; Total is -1 if not
	// reported.
	Read, Total int
	// Refused is how many records were refused and have not come in order since. Records without an id count as
	// many as came in one read.
	Refused int
	// Answers is since when no FailingPolls polls in a row have failed and none was long overdue; zero until the first good answer.
	Answers time.Time
	// Past are the last failures that are over, the latest first.
	Past PastFaults
}

// PastFault is a failure that is over: why the last of its polls failed, with the status of the answer, if there was one. From is when
// the last good answer before it came, and Until when the first one after it did.
type PastFault struct {
	Fault       Fault
	Status      int
	From, Until time.Time
}

// PastFaults are failures that are over, the latest first; those that there were not are zero.
type PastFaults [3]PastFault

// After returns them with one more, the latest.
func (p PastFaults) After(f PastFault) PastFaults {
	copy(p[1:], p[:])
	p[0] = f
	return p
}

// Fault is why a poll failed.
type Fault string

// The faults.
const (
	FaultUnreachable Fault = "unreachable"
	FaultForeign     Fault = "foreign" // it redirected to an address that is not configured
	FaultSlow        Fault = "slow"
	FaultUnanswered  Fault = "unanswered"   // the answer is late
	FaultRefused     Fault = "unauthorized" // 401
	FaultUngranted   Fault = "ungranted"    // a person has to allow it at the service again
	FaultForbidden   Fault = "forbidden"    // 403
	FaultNotOffered  Fault = "not_offered"  // 404
	FaultRateLimited Fault = "rate_limited"
	FaultServer      Fault = "server_error"
	FaultGarbage     Fault = "garbage"     // an answer that cannot be read
	FaultFindingOut  Fault = "finding_out" // how the list is divided into pages is not known yet
	FaultContradicts Fault = "contradicts" // an answer contradicts what the probe found
	FaultEndless     Fault = "endless"     // pages that never end
	FaultTooLarge    Fault = "too_large"
	FaultStore       Fault = "store" // our own database cannot store the records
	FaultStale       Fault = "stale" // our own database receives nothing new
	// FaultRejected is a request that the service did not accept: any other 4xx, and a 403 or 404 on a stream that
	// every profile needs or that was there a moment ago. Unlike FaultForbidden and FaultNotOffered it does not
	// mean that the service has no such list.
	FaultRejected Fault = "rejected"
)

// Light is how alarming the health is.
type Light string

// The lights of the truth strip.
const (
	Green    Light = "green"
	Amber    Light = "amber"    // two polls missed, or the service asks us to wait
	Red      Light = "red"      // five polls missed
	Starting Light = "starting" // no answer yet
)

// Light returns the worst of the streams that are Asked.
func (h Health) Light() Light {
	missed, answered, held := 0, false, false
	for s := range h.Asked() {
		held = held || s.Held()
		missed = max(missed, s.Missed)
		answered = answered || !s.LastGood.IsZero()
	}
	switch {
	case missed >= 5:
		return Red
	case missed >= FailingPolls, held:
		return Amber
	case !answered:
		return Starting
	}
	return Green
}

// Asked returns the streams that must answer for the figures to be true: those that give events, tickets, payments
// or scans. A stream that the service does not offer, or forbids, is left out, unless that is so for every stream.
func (h Health) Asked() iter.Seq[StreamHealth] {
	offered := func(s StreamHealth) bool { return s.Fault != FaultNotOffered && s.Fault != FaultForbidden }
	some := slices.ContainsFunc(h.Streams, func(s StreamHealth) bool { return s.Counts() && offered(s) })
	return func(yield func(StreamHealth) bool) {
		for _, s := range h.Streams {
			if s.Counts() && (offered(s) || !some) && !yield(s) {
				return
			}
		}
	}
}

// Reading reports whether a list that gives any of the kinds is still being read: for the first time, or for the
// changes since a poll of long ago.
func (h Health) Reading(kinds ...record.Kind) bool {
	for s := range h.Asked() {
		if (!s.Complete || s.Behind) && s.Gives(kinds...) {
			return true
		}
	}
	return false
}

// Unread reports whether a list that gives any of the kinds has never been read to its end.
func (h Health) Unread(kinds ...record.Kind) bool {
	for s := range h.Asked() {
		if !s.Complete && s.Gives(kinds...) {
			return true
		}
	}
	return false
}

// Behind reports whether for a list that gives any of the kinds the changes since a poll of long ago are still
// being read.
func (h Health) Behind(kinds ...record.Kind) bool {
	for s := range h.Asked() {
		if s.Behind && s.Gives(kinds...) {
			return true
		}
	}
	return false
}

// Gives reports whether records of any of the kinds come from the stream.
func (s StreamHealth) Gives(kinds ...record.Kind) bool {
	return slices.ContainsFunc(kinds, func(k record.Kind) bool { return slices.Contains(s.Kinds, k) })
}

// Held reports whether the service has asked us to wait for longer than an answer should take: nothing new comes
// from the stream until Next.
func (s StreamHealth) Held() bool { return s.Fault == FaultRateLimited }

// Counts reports whether places and money are counted from the stream.
func (s StreamHealth) Counts() bool {
	return s.Gives(record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan)
}

// Next returns the earliest next poll of the streams that are Asked; zero if none is planned.
func (h Health) Next() time.Time {
	var next time.Time
	for s := range h.Asked() {
		if !s.Next.IsZero() && (next.IsZero() || s.Next.Before(next)) {
			next = s.Next
		}
	}
	return next
}

// Took returns the longest duration of the last good answers of the streams that are Asked.
func (h Health) Took() time.Duration {
	var took time.Duration
	for s := range h.Asked() {
		took = max(took, s.Took)
	}
	return took
}

// FailingPolls is how many polls in a row must fail for a stream to count as failing.
const FailingPolls = 2
