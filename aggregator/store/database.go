package store

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"housecount/aggregator/store/tables"
)

// database is what SQLite and PostgreSQL do differently.
type database interface {
	// connect opens the pools and leaves the schema alone.
	connect(ctx context.Context) (writer, reader *sql.DB, err error)
	// schema returns the version of the schema, 0 if there is none yet.
	schema(ctx context.Context) (version int64, err error)
	// migrate brings the schema up to date, logs it, and calls report, if that is not nil, before each step.
	migrate(ctx context.Context, log *slog.Logger, report func(UpgradeStep)) error
	// provider returns what brings the schema up to date.
	provider() (*goose.Provider, error)
	// prepare prepares statements for the schema that is up to date.
	prepare(ctx context.Context) error
	// check returns an error if the database must not be used any more.
	check() error
	// sql returns a statement with parameters $1, $2… in the database's own words.
	sql(statement string) string
	// prepared returns the prepared statement of the writer; nil if it is not prepared.
	prepared(statement string) *sql.Stmt
	// unwritable reports whether an error means that nothing can be written at the moment, whatever it is.
	unwritable(err error) bool
	// withHint adds to an error what to do about it, if that is known.
	withHint(err error) error

	// locked returns the term of a service's lease and the tenure's id, which do not change until tx
	// ends.
	locked(ctx context.Context, tx *sql.Tx, service int64) (term int64, tenure string, err error)
	// heads calls f for each version whose hash differs from that of its record's head, with the version's index
	// and the head; the zero head if the record has none. All versions are of one kind.
	heads(ctx context.Context, tx *sql.Tx, service int64, kind int, versions []*version, f func(i int, h head)) error
	// insert stores versions with consecutive revisions, and the heads of all their records.
	insert(ctx context.Context, tx *sql.Tx, service int64, versions []*version, heads []*head) error
	// among returns an expression that is true if a hash is one of hashes, and the argument for it, which must be
	// the statement's first.
	among(column string, hashes [][]byte) (expression string, argument any)
	// elements returns a table with a column value: the elements of the JSON array that is the statement's first
	// argument.
	elements() string

	// acquire takes the lease of a service; nil if another process has it.
	acquire(ctx context.Context, service int64) (lease, error)
	// waitForTerms waits for transactions that append in the term of any lease, and blocks others until tx ends.
	waitForTerms(ctx context.Context, tx *sql.Tx) error
	// endTerms returns the statement that ends the term of every lease.
	endTerms() string
	// erasing runs f. After it, what f deletes is no longer in the database's files, as far as the program can
	// ensure that.
	erasing(ctx context.Context, f func() error) error
	// tables is how its tables are read and filled as a whole.
	tables() tables.Dialect

	// changed notifies other processes, when tx commits, that a subject changed.
	changed(ctx context.Context, tx *sql.Tx, subject Subject) error
	// watch hints changes by other processes until ctx ends.
	watch(ctx context.Context, h *hints, log *slog.Logger) error
	close() error
}

// lease is the right to poll a service for a term.
type lease interface {
	// began returns the term at its beginning.
	began() *tenure
	// renew renews the lease and reports whether it is still held. After an error that is not known.
	renew(ctx context.Context) (held bool, err error)
	// every returns how often the lease must be renewed.
	every() time.Duration
	// release gives up the lease if it is still held.
	release(ctx context.Context) error
}

// leasePatience is how long one attempt to renew a lease may take.
const leasePatience = 2 * time.Second
