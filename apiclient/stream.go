package apiclient

import (
	"context"
	"fmt"
	"iter"
	"time"
)

// Stream is a list of the service, as the profile describes it. One list may give records
// of several kinds, and records of one kind may come from several lists.
type Stream struct {
	Name string
	// Gives are the kinds of record that its rows can become.
	Gives []Kind
	// Every is how often it is to be asked at most; 0 for as often as the day demands.
	Every time.Duration
	// WholeEvery is how often it is to be read whole because not every change of it can be
	// asked for; 0 where changes can.
	WholeEvery time.Duration
	// ByEvent says that the service can tell its rows apart by Query.EventID.
	ByEvent bool
}

// Streams are the lists that the profile has, in the order in which a first sync reads
// them.
func (c *Client) Streams() []Stream {
	return []Stream{
		{Name: "events", Gives: []Kind{KindEvent}},
		{Name: "tickets", Gives: []Kind{KindTicket}, ByEvent: true},
		{Name: "payments", Gives: []Kind{KindPayment}, ByEvent: true},
		{Name: "contacts", Gives: []Kind{KindContact}},
		{Name: "planning", Gives: []Kind{KindPlanning}, ByEvent: true},
	}
}

// Read yields the records of a stream that match q. A *RecordError concerns the one record
// that was refused and the iteration goes on; any other error is the last thing yielded:
// an *Error, or what ended ctx. A record may come more than once when the list changes
// while it is read.
//
// How a list goes on and where it ends, Options.Paging tells. A page that is shorter than
// we asked for never ends it while the service's total says that there is more.
func (c *Client) Read(ctx context.Context, stream string, q Query) iter.Seq2[Record, error] {
	switch stream {
	case "events":
		return records(c.Events(ctx, q))
	case "tickets":
		return records(c.Tickets(ctx, q))
	case "payments":
		return records(c.Payments(ctx, q))
	case "contacts":
		return records(c.Contacts(ctx, q))
	case "planning":
		return records(c.Planning(ctx, q))
	}
	return func(yield func(Record, error) bool) {
		yield(nil, &Error{Kind: Rejected, Err: fmt.Errorf("the profile has no stream %q", stream)})
	}
}

func records[R Record](all iter.Seq2[R, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range all {
			if !yield(r, err) {
				return
			}
		}
	}
}
