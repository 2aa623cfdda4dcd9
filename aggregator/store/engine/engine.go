// Package engine is what SQLite and PostgreSQL do differently for the store: connecting, bringing the schema up to date
// (migrations), a statement in the database's own words, the rows of an append, the lease, and how other processes find out that
// something changed. The store's statements that both understand are not here, nor what its rows mean.
package engine

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"time"

	"housecount/aggregator/store/tables"
)

// Engine is a database, as the store uses it. It may be used by several goroutines once it is connected.
type Engine interface {
	// Name returns the database as errors may name it, without a password.
	Name() string
	// Connect opens the pools and leaves what is in the database alone.
	Connect(ctx context.Context) (writer, reader *sql.DB, err error)
	// Claim refuses a database that is not for this use, and marks a new one as ours. It has changed nothing if it refuses.
	Claim(ctx context.Context, use Use) error
	// Schema returns the version of the schema, 0 if there is none yet.
	Schema(ctx context.Context) (version int64, err error)
	// Migrate brings the schema up to date and reports each step.
	Migrate(ctx context.Context, p Progress) error
	// MigrateTo brings an empty database to a schema, that of a backup.
	MigrateTo(ctx context.Context, schema int64) error
	// RefuseNewer returns an error if the schema is that of a newer program, and RefuseOlder if it is that of an older one.
	RefuseNewer(ctx context.Context) error
	RefuseOlder(ctx context.Context) error
	// Prepare prepares statements, those of every append, for the schema that is up to date.
	Prepare(ctx context.Context, statements []string) error
	// Check returns an error if the database must not be used any more.
	Check() error
	// SQL returns a statement with parameters $1, $2… in the database's own words.
	SQL(statement string) string
	// Clock returns an expression of the time in milliseconds since 1970 by the clock of a database server, which is one for all
	// who use it; empty if the database is a file of this machine.
	Clock() string
	// Prepared returns the prepared statement of the writer; nil if it is not prepared.
	Prepared(statement string) *sql.Stmt
	// Unwritable reports whether an error means that nothing can be written at the moment, whatever it is.
	Unwritable(err error) bool
	// WithHint adds to an error what to do about it, if that is known.
	WithHint(err error) error

	// Locked returns the term of a service's lease and the tenure's id, which do not change until tx
	// ends.
	Locked(ctx context.Context, tx *sql.Tx, service int64) (term int64, tenure string, err error)
	// Heads calls f for each version whose hash differs from that of its record's head, with the version's index
	// and the head; the zero head if the record has none. There are versions, and all are of one kind.
	Heads(ctx context.Context, tx *sql.Tx, service int64, versions []*Version, f func(i int, h Head)) error
	// Insert stores versions with consecutive revisions, and the heads of all their records.
	Insert(ctx context.Context, tx *sql.Tx, service int64, versions []*Version, heads []*Head) error
	// Among returns an expression that is true if a hash is one of hashes, and the argument for it, which must be
	// the statement's first.
	Among(column string, hashes [][]byte) (expression string, argument any)
	// Elements returns a table with a column value: the elements of the JSON array that is the statement's first
	// argument.
	Elements() string

	// Acquire takes the lease of a service and begins a term; nil if another process has it.
	Acquire(ctx context.Context, service int64, begin Begin) (Lease, error)
	// WaitForTerms waits for transactions that append in the term of any lease, and blocks others until tx ends.
	WaitForTerms(ctx context.Context, tx *sql.Tx) error
	// EndTerms returns the statement that ends the term of every lease.
	EndTerms() string
	// Erasing runs f. After it, what f deletes is no longer in the database's files, as far as the program can
	// ensure that.
	Erasing(ctx context.Context, f func() error) error
	// Tables is how its tables are read and filled as a whole.
	Tables() tables.Dialect

	// Changed notifies other processes, when tx commits, that a subject changed.
	Changed(ctx context.Context, tx *sql.Tx, subject string) error
	// Watch hints changes by other processes until ctx ends.
	Watch(ctx context.Context, h Hints, log *slog.Logger) error
	// Close closes what Connect opened beside the pools that it returned.
	Close() error
}

// Use is what a database is opened for.
type Use int

const (
	// UseAny takes a database that holds a housecount or nothing.
	UseAny Use = iota
	// UseHeld takes a database that holds a housecount.
	UseHeld
	// UseEmpty is UseAny for a restore, which takes no table of another program beside its own.
	UseEmpty
)

// errNoHouse refuses a database for UseHeld.
var errNoHouse = errors.New("holds no housecount: give the one that serve uses")

// Hints are called by Watch. None of them may block.
type Hints interface {
	// Hint hints a subject of which another process was notified, or LeaseFreed.
	Hint(subject string)
	// HintLog hints what followers of the log wait for, and LeaseFreed: a notification may have been lost.
	HintLog()
	// HintHolders hints what makes every socket ask: a notification may have been lost.
	HintHolders()
	// HintAll hints every subject.
	HintAll()
}

// LeaseFreed is the subject that changes when somebody gives a lease back.
const LeaseFreed = "lease"

// Begin is called in the transaction in which a term begins. If it gives an error the term does not begin.
type Begin func(ctx context.Context, tx *sql.Tx, term int64) error

// Lease is the right to poll a service for a term.
type Lease interface {
	// Renew renews the lease and reports whether it is still held. After an error that is not known.
	Renew(ctx context.Context) (held bool, err error)
	// Every returns how often the lease must be renewed.
	Every() time.Duration
	// Release gives up the lease if it is still held.
	Release(ctx context.Context) error
}

// LeasePatience is how long one attempt to renew a lease may take.
const LeasePatience = 2 * time.Second
