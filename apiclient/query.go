package apiclient

import (
	"context"
	"iter"
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Stream is a list of the service as the profile describes it. One list may give records of several
// kinds, and records of one kind may come from several lists.
type Stream struct {
	Name string
	// Service is the name of the service that it is of, where there are several; empty for the first.
	Service string
	// Owns reports whether an id of a record is one of that service's; nil if all are.
	Owns func(id string) bool
	// Gives lists the kinds of record that its rows can become.
	Gives []record.Kind
	// IsNative reports that each row is itself the record; see Query.OnRow.
	IsNative bool
	// Mapping identifies how rows become records (see profile.Stream.Mapping).
	Mapping string
	// Every is the shortest interval between two reads; 0 leaves it to the poller.
	Every time.Duration
	// WholeEvery is how often to read the whole list because the service does not report every
	// change; 0 if it does.
	WholeEvery time.Duration
	// DropsPast reports that the list leaves out performances that are over, and what belongs to them.
	DropsPast bool
	// ByEvent reports whether the service can filter its rows by Query.EventID.
	ByEvent bool
	// Since names the time by which the service filters rows: updated, or created if only new rows
	// can be asked for. It is empty if there is no such filter and the list is read whole.
	Since string
	// ReadsWhole reports that every read asks for all rows, also one of changes.
	ReadsWhole bool
}

// Source is a service that is read, such as *probe.Source, or several that are read as one.
type Source interface {
	// Streams returns its lists in the order in which a first sync reads them. They never change.
	Streams() []Stream
	// Read yields the records of a stream. An iteration ends by itself or soon after its context.
	Read(ctx context.Context, stream string, q Query) iter.Seq2[record.Record, error]
	// Paused returns how long requests for a stream are held back on our side, 0 if they are not. A
	// request that was not sent does not count as unanswered.
	Paused(stream string) time.Duration
	// Limited returns how much of that the service asked for.
	Limited(stream string) time.Duration
}

// Query selects the records of a stream. The zero Query asks for all of them, in the profile's
// order for a full read.
type Query struct {
	// UpdatedSince asks for records that changed at or after this time, newest change first; zero
	// asks for everything. It is rounded down to the second. If the service ignores the filter,
	// older records are dropped here. The read then stops after the first page of older records if
	// the profile asks for an order and the records do come newest first; see Page.Unfiltered. If
	// the service cannot be asked for changes, the list is read whole and older records are dropped
	// here, unless its ETags show that nothing changed since a completed read with an earlier
	// UpdatedSince. If the service can only be asked for new rows, records are not dropped by their
	// last change.
	UpdatedSince time.Time
	// EventID asks for the records of one event. It has no effect on a stream whose Stream.ByEvent
	// is false. If the service ignores it, see ErrIgnoresEvent.
	EventID string
	// Conditional first asks a service that sends ETags whether anything changed since the last
	// completed read of the same list. If every page is unchanged, the iteration ends after one
	// call of OnPage with Page.Unchanged set, and yields no record. It is meant for whole lists and
	// has no effect with UpdatedSince or From. Callers that failed to store the last read must not
	// set it.
	Conditional bool
	// Once asks for the first page only once: a caller that asks a failing service again soon needs no retries. Once a page
	// has come, failures that may pass are retried as always.
	Once bool
	// From is the Page.Resume of an earlier read with the same query; the read continues there. A
	// From of another query or profile is refused with an Error of kind Rejected. It is only as
	// good as the service's paging: page numbers and offsets shift when records are removed, and
	// links and cursors may expire. Records may come again; a later full read corrects what was
	// missed.
	From string
	// Seen, if set, recognises rows that were read before, whose records are not yielded again. It has no
	// effect with EventID.
	Seen *SeenRows
	// OnRow, if set, is called for each row after its records were yielded, also for a row that is
	// recognised or dropped as older. Such a row has no id: it gives what it gave before. Nor has one of which a
	// record was refused, one of a stream without programs, whose rows are records, and one of a read with EventID,
	// which may be a part of the row. The caller must not modify the row's records.
	OnRow func(record.Row)
	// Explore makes the read find out what the profile leaves open, ignoring the Client's answers;
	// see Page.Found. Unknown streams that it needs are explored too. A stream that is only read
	// for others can be explored and yields no records. Only package probe sets it.
	Explore bool
	// Enough, if set, is called after the records of each page were yielded; if it returns true the
	// read ends without an error.
	Enough func(Page) bool
	// OnPage, if set, is called for each page before its records are yielded.
	OnPage func(Page)
}

// Page describes one response to a read.
type Page struct {
	Number int // from 1, counted over all lists of the stream
	Rows   int // as sent by the service, whatever they became
	// Total is the stream's number of rows as reported by the service, -1 if it is not reported, or
	// not yet for every list of the stream.
	Total int
	// ServerTime, of the first page, is what to ask for changes since once the read has completed.
	// It is the time of the response by its Date header or by the header that the profile names,
	// zero if there is none. For a stream with one list per parent row it is the time at which the
	// parents were read.
	ServerTime time.Time
	// Took is the time from the request to the end of the body.
	Took time.Duration
	// Short reports that the list ended although its own total says that rows remain, as an overloaded service's may. Some
	// totals always count more than the list has. A resumed read, or one of an event, does not say so.
	Short bool
	// Unchanged reports that the whole list is unchanged; see Query.Conditional.
	Unchanged bool
	// Unfiltered reports that the service is known to ignore the filter for changes.
	Unfiltered bool
	// Older reports that the service ignored the filter for changes in this read.
	Older bool
	// Found is the answer that the read uses or, if it explores, what it has found out so far.
	Found Answer
	// Style is the paging by which the next page, or the end of the list, was found; empty if
	// Unchanged.
	Style profile.Paging
	// Skew is the service's clock minus ours by the Date header, to the second; 0 without one.
	Skew time.Duration
	// Limits names the headers in which the response reported rate limits.
	Limits []string
	// Resume, given as Query.From, continues after this page; store it once this page's records are
	// stored. It is empty on the last page. It contains no credential but may contain a cursor or
	// an address of the service.
	Resume string
}
