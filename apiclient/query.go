package apiclient

import (
	"time"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Stream is a list of the service, as the profile describes it. One list may give records
// of several kinds, and records of one kind may come from several lists.
type Stream struct {
	Name string
	// Gives are the kinds of record that its rows can become.
	Gives []record.Kind
	// Every is how often it is to be asked at most; 0 for as often as the day demands.
	Every time.Duration
	// WholeEvery is how often it is to be read whole because not every change of it can be
	// asked for; 0 where changes can.
	WholeEvery time.Duration
	// ByEvent says that the service can tell its rows apart by Query.EventID.
	ByEvent bool
	// Since is by what the service can be asked for rows since a time: updated, or created
	// where only new ones can be had; empty where neither, and the list is read whole.
	Since string
}

// Query says which records of a stream are wanted. The zero Query asks for all of
// them, in the order that the profile says for it, which is what a first sync needs.
type Query struct {
	// UpdatedSince asks for records that changed at or after this time, the newest
	// change first; zero asks for everything. It is rounded down to the second. Where the
	// service was found to ignore it, older records are left out here, and the reading stops after the
	// first whole page of older ones, provided that the profile asks for an order and they do
	// come newest first; see Page.Unfiltered. Where the service cannot be asked for changes, the list is read
	// whole and older records are left out here, unless its ETags say that nothing is
	// different from an earlier such read that came to its end, of an earlier UpdatedSince.
	// Where it can only be asked for what is new, records are not left out by their changes.
	UpdatedSince time.Time
	// EventID asks for the records of one event. It does nothing on a stream of which
	// Stream.ByEvent is false. Where the service ignores it, see ErrIgnoresEvent.
	EventID string
	// Conditional asks a service that sends ETags first whether anything is different from
	// the last read of the same list that came to its end. If every page of it is as it
	// was, the iteration ends with one call of OnPage, of which Page.Unchanged is true, and
	// no record. It is for reads of a whole list: with UpdatedSince or From it does nothing.
	// Who could not keep what was read asks the next time without it.
	Conditional bool
	// From is a Page.Resume of an earlier read with the same query: this one goes on where
	// that one was. It is refused with an Error of the kind Rejected when it belongs to
	// another query or profile. It is worth as much as the service's paging: numbers of
	// pages and rows point elsewhere once records were removed, and links and cursors may
	// expire. It may bring records again; a later full read sets right what it missed.
	From string
	// Seen, if set, recognises rows that were read before: they are not yielded, and Recognised
	// (if set) is called for each record that they gave, in its place. It does nothing with EventID.
	Seen       *SeenRows
	Recognised func(kind record.Kind, id string)
	// Explore has the read find out what the profile leaves open, whatever the Client has in
	// use; see Page.Found. Streams that it needs and that nothing is known of are explored with it.
	// One that is only read for others can be explored too: it yields no records. Package probe
	// sets it, and nothing else does.
	Explore bool
	// Enough, if set, is asked after the records of each page were yielded; the read ends, without
	// an error, where it says so.
	Enough func(Page) bool
	// OnPage, if set, is called after each page was read, before its records are
	// yielded.
	OnPage func(Page)
}

// Page is what one answer said about itself.
type Page struct {
	Number int // from 1; it runs on over the lists of which a stream consists
	Rows   int // of the service, whatever they became
	// Total is the number of rows of the stream as the service says it, -1 when it did
	// not, or not yet for every list of which the stream consists.
	Total int
	// ServerTime is what to ask changes since once this read has come to its end, if it is
	// the first page's: the time of the answer by its Date header or the one that the
	// profile names, zero when there was none. Where the stream consists of one list for
	// each row of another, it is the time at which that other was read.
	ServerTime time.Time
	// Took is the time from the request to the end of the body.
	Took time.Duration
	// Unchanged says that the whole list is as it was; see Query.Conditional.
	Unchanged bool
	// Unfiltered says that the service is known to ignore that only changes were asked for.
	Unfiltered bool
	// Older says that it did so in this read.
	Older bool
	// Found is what this read has found out so far, or what it obeys.
	Found Answer
	// Style is how the next page was found, or by what it was seen that there is none; empty
	// when Unchanged.
	Style profile.Paging
	// Skew is the service's clock minus ours, by the Date header, to the second; 0 when
	// there was none.
	Skew time.Duration
	// Limits are the families of headers in which the answer spoke of the service's limits.
	Limits []string
	// Resume, given as Query.From, goes on after this page; it is kept once the records of
	// this page are. It is empty on the last page, holds no credential, and may hold a
	// cursor or an address of the service.
	Resume string
}
