package aggregator

import (
	"context"
	"errors"
	"iter"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// ErrLeaseLost is returned if another process polls by now. Nothing was appended.
var ErrLeaseLost = errors.New("another housecount polls now")

// Position is a position of a log.
type Position = figures.Position

// StreamState is what was last learned of a list of the service. The log keeps the newest
// of each stream, so that every process, and one that starts again, shows the same.
type StreamState struct {
	Name string

	// Since is the service's time of the first page of the last complete read, or ours where
	// that was earlier; everything changed before it has been read. It is zero until the
	// first sync has ended.
	Since time.Time
	// Began is the service's time of the first page of a first sync under way, and Resume
	// where it goes on: the Page.Resume of the last page of which all records are in the log.
	// After it both are empty.
	Began  time.Time
	Resume string
	// Tonight is the event whose records a first sync reads before the whole list, and TonightResume where in them
	// it goes on.
	Tonight, TonightResume string `json:",omitzero"`
	// Synced is when the first sync ended, by our clock. It is zero before, and where that was not
	// noted yet.
	Synced time.Time `json:",omitzero"`
	// Whole is when, by the venue's clock, the list was last begun to be read whole; zero
	// when it never was.
	Whole time.Time

	// Behind is true if the list was last read so long ago that what is in the log of the time since may be
	// only a part: that is being read, or to be.
	Behind bool `json:",omitzero"`
	// Mapping is that with which the list was read (apiclient.Stream), and Rereading is true while it is read anew
	// with another one.
	Mapping   string `json:",omitzero"`
	Rereading bool   `json:",omitzero"`
	// Withdrawn is true if the service does not offer the list, or forbids it.
	Withdrawn bool
	// Missed is how many polls in a row failed; Fault and FaultStatus, of the answer if there was one,
	// are of the last that did.
	Missed      int
	Fault       figures.Fault
	FaultStatus int
	// Read and Total show the progress of the first sync, and of a reading anew; Total is -1 when not reported.
	Read, Total int
	// Unfiltered is true if the service sent everything when changes were last asked for.
	Unfiltered bool
	// Refused are the records that were refused and have not come in order since, the oldest
	// first, at most as many as the poller lists. Unlisted counts those beyond, by their kind,
	// which is empty for a row, and by their event, which is empty if it is not known and
	// figures.OtherEvents where there are too many.
	Refused  []RefusedRecord
	Unlisted map[record.Kind]map[string]int
	// Doubted is the service's time from which on changes are read again, because something that came since was
	// refused or damaged; zero if nothing was.
	Doubted time.Time `json:",omitzero"`
	// Alarms are of the last whole read.
	Alarms []figures.Diagnostic

	// What only the truth strip shows: when the service last answered well (venue's clock),
	// how long that took, and when it is asked next (clock of who polls). Wait is how long
	// that was when the state was written: who follows has a clock of his own.
	LastGood time.Time
	Took     time.Duration
	Next     time.Time
	Wait     time.Duration
}

// RefusedRecord is a record, or a row where Kind is empty, that was refused. Where ID is empty
// it is all of the kind and event that have none.
type RefusedRecord struct {
	Kind    record.Kind
	ID      string
	EventID string         // of the performance that it belongs to, empty if that is not known
	Field   string         `json:",omitempty"` // empty if the whole record is meant
	Why     record.Message // reads on after the field; of several, of the last
	Count   int            `json:",omitempty"` // how many came in one read, where ID is empty
	// Damaged is true if an earlier version of the record is stored (see Appended.Damaged).
	Damaged bool `json:",omitempty"`
	// Since is a service's time at or before the record's: a read of the changes since then has it, unless it is gone. It
	// is zero if that is not known.
	Since time.Time `json:",omitzero"`
}

// Records returns how many were refused.
func (r RefusedRecord) Records() int { return max(1, r.Count) }

// Complete reports whether the first sync has ended.
func (s *StreamState) Complete() bool { return !s.Since.IsZero() }

// Log is what Figures follows; *store.Records is one.
type Log interface {
	// Position returns where the log is now: its epoch, the newest revision, the counter of the
	// stream states, and the tenure of who appends. It is cheap.
	Position(ctx context.Context) (Position, error)
	// Continues reports whether the log was continued from position p, whose tenure may be another. It is
	// false for a log restored from a backup made before p.
	Continues(ctx context.Context, p Position) (bool, error)
	// Versions yields the versions after a revision, ascending by revision; an error is the
	// last thing yielded.
	Versions(ctx context.Context, after int64) iter.Seq2[record.Version, error]
	// At returns the versions of revisions, which ascend; those that were folded into others are left
	// out.
	At(ctx context.Context, revisions []int64) ([]record.Version, error)
	// Streams returns the newest states, with the counter at which they are.
	Streams(ctx context.Context) (states []StreamState, counter int64, err error)
	// Changed receives after the log may have changed, by this process or another. It is a
	// hint: it may come for nothing, and several may come as one.
	Changed() <-chan struct{}
	// Renew returns a log that turned out to be shorter than what was folded of it, as one that
	// was restored from a backup is, a new epoch, and ends the lease's term; it does nothing
	// when its epoch is no longer old.
	Renew(ctx context.Context, old string) error
}

// Batch is what the poller appends in one transaction.
type Batch struct {
	// Term is that of the lease under which the batch was read.
	Term int64
	// SeenAt is when the records were read, by our clock.
	SeenAt  time.Time
	Records []record.Record
	// Rows are those that the records came from, where a row says what is gone: what the last version of the row
	// gave, and no row gives now, is stored as deleted. If the row is not newer than such a record, or more than a
	// few rows of the batch and a fifth of them lose some at once, that is damage, and the records stay.
	Rows []record.Row
	// Confirmed reports whether a version is stored although it lacks parts that the one before has, because
	// the service has repeated it in a read of the whole list; nil for none.
	Confirmed func(kind record.Kind, id string) bool
	// Streams replace what was known of the streams of the same names.
	Streams []StreamState
}

// Retirement is what of a log is too old to be stored any longer.
type Retirement struct {
	// Admissions take the place of the scans of their performances, which were over before Over, at At
	// by the venue's clock.
	Admissions []*record.Admissions
	Over, At   time.Time
	// Contacts are the ids of contacts that did not occur after Unheard.
	Contacts []string
	Unheard  time.Time
	// ScanEvent returns the event of a scan by its id, and Buyer what takes the place of a ticket's contact,
	// by the ticket's.
	ScanEvent, Buyer func(id string) string
}

// Empty reports whether there is nothing to retire.
func (r *Retirement) Empty() bool { return len(r.Admissions)+len(r.Contacts) == 0 }

// Appended is what became of a batch.
type Appended struct {
	// Revision is that of the newest version in the log.
	Revision int64
	// New is how many of the records were versions that the log did not have.
	New int
	// Damaged are those that were not stored, because they lack parts that the version before has (record.Lacks),
	// and those that are missing from a damaged row.
	Damaged []*record.Refusal
	// Gone are the records that no row gives any more.
	Gone []record.Key
}
