package aggregator

import (
	"context"
	"errors"
	"iter"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// ErrLeaseLost is returned if another process polls now. Nothing was appended.
var ErrLeaseLost = errors.New("another housecount polls now")

// Position is a position of a log.
type Position = figures.Position

// StreamState is what is known of a list of the service. The log keeps the newest state of each stream, so that
// every process shows the same, even after a restart.
type StreamState struct {
	Name string

	// Since is the service's time of the first page of the last complete read, or our time if that was earlier:
	// everything that changed before it has been read. It is zero until the first sync has ended.
	Since time.Time
	// Began is the service's time of the first page of a first sync in progress, and Resume where to continue: the
	// Page.Resume of the last page whose records are all in the log. Both are empty afterwards.
	Began  time.Time
	Resume string
	// Tonight is the event whose records a first sync reads before the whole list, and TonightResume where to
	// continue in them.
	Tonight, TonightResume string `json:",omitzero"`
	// Synced is when the first sync ended, by our clock; zero before, and for states of older programs.
	Synced time.Time `json:",omitzero"`
	// Whole is when, by the venue's clock, the last read of the whole list began; zero for never.
	Whole time.Time
	// Believed is when, by the venue's clock, the last read of the whole list ended that raised no alarm; zero for
	// states of older programs.
	Believed time.Time `json:",omitzero"`

	// Behind is true if the last read was so long ago that only part of the changes since may be in the log. They
	// are being read, or will be.
	Behind bool `json:",omitzero"`
	// Mapping is the mapping with which the list was read (apiclient.Stream). Rereading is true while it is read
	// again with another one.
	Mapping   string `json:",omitzero"`
	Rereading bool   `json:",omitzero"`
	// Withdrawn is true if the service does not offer the list, or forbids it.
	Withdrawn bool
	// Missed is how many polls in a row failed. Fault, and FaultStatus if there was an answer, are of the last
	// failed one.
	Missed      int
	Fault       figures.Fault
	FaultStatus int
	// Answers is since when, by the venue's clock, no figures.FailingPolls polls in a row have failed and none was long overdue, as when nothing
	// runs; zero until the first good answer.
	Answers time.Time `json:",omitzero"`
	// Past are the last failures of at least figures.FailingPolls polls in a row.
	Past figures.PastFaults `json:",omitzero"`
	// Read and Total are the progress of the first sync, or of reading again; Total is -1 if not reported.
	Read, Total int
	// Overcounts is true if reads of changes end before the list's own total as a rule: it counts more than the list has.
	Overcounts bool `json:",omitzero"`
	// Unfiltered is true if the service sent everything when it was last asked for changes.
	Unfiltered bool
	// Refused are the records that were refused and have not come in order since, the oldest first, as many as the
	// poller lists. Unlisted counts the others by kind, which is empty for a row, and by event, which is empty if
	// not known and figures.OtherEvents if there are too many.
	Refused  []RefusedRecord
	Unlisted map[record.Kind]map[string]int
	// Doubted is the service's time from which on changes are read again, because a record since then was refused
	// or damaged; zero for none.
	Doubted time.Time `json:",omitzero"`
	// Alarms are the alarms of the last whole read. Missing are the records for which it raised them.
	Alarms  []figures.Diagnostic
	Missing []Missing `json:",omitempty"`

	// What only the truth strip shows: when the last good answer came (venue's clock), how long it took, and when
	// the next poll is due (the poller's clock). Wait is how far ahead that was when the state was written,
	// because the clocks of followers may differ.
	LastGood time.Time
	Took     time.Duration
	Next     time.Time
	Wait     time.Duration
}

// Missing are the records of a kind that every sound whole read for some time has missed, too many to be believed at once.
// Parts identifies them, for the poller alone.
type Missing struct {
	Kind  record.Kind
	Parts []byte
	// For is how long, as far as the clocks agree. At is when the last such read began by the venue's clock, Served by the
	// service's; zero if it reports no time.
	For    time.Duration
	At     time.Time
	Served time.Time `json:",omitzero"`
}

// RefusedRecord is a record that was refused, or a row if Kind is empty. If ID is empty it stands for all records
// of the kind and event without an id.
type RefusedRecord struct {
	Kind    record.Kind
	ID      string
	EventID string         // the performance that it belongs to; empty if not known
	Field   string         `json:",omitempty"` // empty for the whole record
	Why     record.Message // continues after the field; for several records, of the last one
	Count   int            `json:",omitempty"` // how many came in one read, if ID is empty
	// Damaged is true if an earlier version of the record is stored (see Appended.Damaged).
	Damaged bool `json:",omitempty"`
	// Since is a service's time at or before the record's: a read of the changes since then includes the record,
	// unless it is gone. It is zero if not known.
	Since time.Time `json:",omitzero"`
}

// Records returns how many records it stands for.
func (r RefusedRecord) Records() int { return max(1, r.Count) }

// Complete reports whether the first sync has ended.
func (s *StreamState) Complete() bool { return !s.Since.IsZero() }

// Log is a log that Figures can follow; *store.Records is one.
type Log interface {
	// Position returns the present position: epoch, newest revision, counter of the stream states, and tenure. It
	// is cheap.
	Position(ctx context.Context) (Position, error)
	// Continues reports whether the log is a continuation of position p, possibly in another tenure. It is false
	// for a log that was restored from a backup made before p.
	Continues(ctx context.Context, p Position) (bool, error)
	// Versions yields the versions after a revision, ascending by revision. An error is the last value yielded.
	Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error]
	// At returns the versions with these revisions, which must ascend. Versions that were folded into others are
	// left out.
	At(ctx context.Context, revisions []int64) ([]record.Version, error)
	// Streams returns the newest states and their counter.
	Streams(ctx context.Context) (states []StreamState, counter int64, err error)
	// Changed receives after this or another process may have changed the log. It is a hint: it may come without a
	// change, and several changes may give one.
	Changed() <-chan struct{}
	// Renew gives a new epoch to a log that is shorter than what was folded of it, such as one restored from a
	// backup, and ends the lease's term. It does nothing if its epoch is no longer old.
	Renew(ctx context.Context, old string) error
}

// Batch is what the poller appends in one transaction.
type Batch struct {
	// Term is the term of the lease under which the batch was read.
	Term int64
	// SeenAt is when the records were read, by our clock.
	SeenAt  time.Time
	Records []record.Record
	// Rows are the rows that the records came from, if rows tell what is gone: records that the last version of a
	// row gave, and no row gives now, are stored as deleted. If the row is not newer than such a record, or if
	// more than a few rows, and more than a fifth, lose records at once, that counts as damage and the records
	// stay.
	Rows []record.Row
	// Moved are the kinds that another list than that of Rows gives. A row that gave such a record by an earlier mapping has
	// only ceased to tell of it.
	Moved []record.Kind
	// Confirmed reports whether to store a version although it lacks parts of the previous one, because the
	// service repeated it in a read of the whole list; nil for none.
	Confirmed func(kind record.Kind, id string) bool
	// Streams replace the states of the streams with the same names.
	Streams []StreamState
}

// Retirement is what is too old to stay in the log.
type Retirement struct {
	// Admissions replace the scans of their performances, which ended before Over. At is the present time by the
	// venue's clock.
	Admissions []*record.Admissions
	Over, At   time.Time
	// Contacts are the ids of contacts without activity after Unheard.
	Contacts []string
	Unheard  time.Time
	// ScanEvent returns the event of a scan, by the scan's id, and Buyer what replaces a ticket's contact, by the
	// ticket's id.
	ScanEvent, Buyer func(id string) string
}

// Empty reports whether there is nothing to retire.
func (r *Retirement) Empty() bool { return len(r.Admissions)+len(r.Contacts) == 0 }

// Appended is the result of appending a batch.
type Appended struct {
	// Revision is the revision of the newest version in the log.
	Revision int64
	// New is how many records were versions that the log did not have.
	New int
	// Damaged are the records that were not stored because they lack parts of the previous version (record.Lacks),
	// and those missing from a damaged row.
	Damaged []*record.Refusal
	// Gone are the records that no row gives any more, with the row that gave each.
	Gone []RowRecord
}
