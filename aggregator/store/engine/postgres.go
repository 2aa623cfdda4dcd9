package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"housecount/aggregator/store/tables"
)

const (
	// channel is the channel of the notifications, whose payloads are subjects.
	channel = "housecount"
	// hintEvery is how often changes are hinted anyway, in case notifications are lost. Sessions, which make every
	// socket ask, are hinted every second time.
	hintEvery = 2 * time.Second
	// leaseTerm is how long a lease holds without being renewed, and renewEvery how often it is renewed.
	leaseTerm  = 8 * time.Second
	renewEvery = 3 * time.Second
)

// Postgres is a PostgreSQL database; its methods are described at Engine.
type Postgres struct {
	config *pgx.ConnConfig
	name   string // without the password
	holder string // of leases
	pool   *sql.DB
	// leases is a separate pool, so that no lease is lost because all connections are busy reading.
	leases *sql.DB
	// patient is for upgrades of the schema, of which a step may wait for its turn in the middle of a transaction for as long
	// as the machine is busy. It keeps no connection.
	patient *sql.DB
}

// NewPostgres returns the database at a URL that begins with postgres://. It does not connect. Errors do not repeat the URL.
func NewPostgres(url string) (*Postgres, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		// pgx's error is left out, because it quotes what it could not parse, which may contain the password.
		return nil, errors.New("the address of the database cannot be read: give one like postgres://user:password@host:5432/name, " +
			"with %40, %2F, %3F, %23 and %25 for @, /, ?, # and % in the password, and without parameters that PostgreSQL does not know")
	}
	for key, value := range map[string]string{
		"application_name": "housecount",
		// A process that freezes within a transaction must not hold its locks forever.
		"idle_in_transaction_session_timeout": "5000",
		// A plan made for an empty table would scan it once it has grown.
		"plan_cache_mode": "force_custom_plan",
	} {
		if _, set := config.RuntimeParams[key]; !set {
			config.RuntimeParams[key] = value
		}
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, 5*time.Second)
	where := net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	if strings.HasPrefix(config.Host, "/") {
		where = config.Host
	}
	return &Postgres{config: config, holder: rand.Text(),
		name: fmt.Sprintf("PostgreSQL database %s at %s", config.Database, where)}, nil
}

// Name returns the name of the database and where it is.
func (d *Postgres) Name() string { return d.name }

func (d *Postgres) Connect(context.Context) (writer, reader *sql.DB, err error) {
	d.pool = stdlib.OpenDB(*d.config)
	d.pool.SetMaxOpenConns(10)
	d.pool.SetMaxIdleConns(10)
	d.pool.SetConnMaxIdleTime(5 * time.Minute)
	d.leases = stdlib.OpenDB(*d.config)
	d.leases.SetMaxOpenConns(2)
	patient := d.config.Copy()
	patient.RuntimeParams["idle_in_transaction_session_timeout"] = "0"
	d.patient = stdlib.OpenDB(*patient)
	d.patient.SetMaxIdleConns(-1)
	return d.pool, d.pool, nil
}

// Prepare has nothing to do: pgx prepares what it runs.
func (d *Postgres) Prepare(context.Context, []string) error { return nil }

// MigrateTo is as in Engine.
func (d *Postgres) MigrateTo(ctx context.Context, schema int64) error {
	return migrateTo(ctx, d, schema)
}

// RefuseNewer is as in Engine.
func (d *Postgres) RefuseNewer(ctx context.Context) error { return refuseNewerOf(ctx, d) }

// RefuseOlder is as in Engine.
func (d *Postgres) RefuseOlder(ctx context.Context) error { return refuseOlderOf(ctx, d) }

// versionTable is where goose has the version of the schema. Other programs use goose, too.
const versionTable = "goose_db_version"

// Claim is as in Engine. Tables of extensions do not count.
func (d *Postgres) Claim(ctx context.Context, use Use) error {
	ours, err := OurTables()
	if err != nil {
		return err
	}
	rows, err := d.pool.QueryContext(ctx, `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'f')
			AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = c.oid AND e.deptype = 'e')
		ORDER BY c.relname`)
	if err != nil {
		return err
	}
	defer rows.Close()
	has, first, foreign := map[string]bool{}, "", "" // the first table that an empty database has not, and the first that is not ours
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		has[name] = true
		if name != versionTable {
			first = cmp.Or(first, name)
			if !ours[name] {
				foreign = cmp.Or(foreign, name)
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	house := has[versionTable] && has["meta"] && has["service"] && has["counter"] && has["version"] && has["head"]
	switch {
	case use == UseHeld && !house:
		return errNoHouse
	case use == UseEmpty && foreign != "":
		return anothers(foreign)
	case use != UseHeld && !house && first != "":
		return anothers(cmp.Or(foreign, first))
	}
	return nil
}

func anothers(table string) error {
	return fmt.Errorf("is the database of another program, with a table %s: name a new one (CREATE DATABASE)", table)
}

func (d *Postgres) provider() (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, err
	}
	return provider(goose.DialectPostgres, d.patient, "postgres", goose.WithSessionLocker(locker))
}

func (d *Postgres) Schema(ctx context.Context) (version int64, err error) {
	if err := d.pool.QueryRowContext(ctx, `SELECT count(*) FROM pg_tables WHERE tablename = 'goose_db_version' AND schemaname = current_schema()`).Scan(&version); err != nil || version == 0 {
		return 0, err
	}
	err = d.pool.QueryRowContext(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version`).Scan(&version)
	return version, err
}

func (d *Postgres) Migrate(ctx context.Context, to Progress) error {
	p, err := d.provider()
	if err != nil {
		return err
	}
	current, err := d.Schema(ctx)
	if err != nil {
		return err
	}
	return upgrade(ctx, p, current, to, func(f func() error) error { return f() })
}

func (d *Postgres) Check() error { return nil }

func (d *Postgres) SQL(statement string) string { return statement }

func (d *Postgres) Clock() string {
	return `CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`
}

// Prepared returns nil: pgx prepares what it runs, and caches it.
func (d *Postgres) Prepared(string) *sql.Stmt { return nil }

// Locked keeps others from taking the lease over. The holder can still renew it, because that changes no key.
func (d *Postgres) Locked(ctx context.Context, tx *sql.Tx, service int64) (term int64, tenure string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT term, tenure FROM lease WHERE service = $1 FOR KEY SHARE`, service).Scan(&term, &tenure)
	return term, tenure, err
}

func (d *Postgres) Among(column string, hashes [][]byte) (expression string, argument any) {
	return column + ` = ANY ($1::bytea[])`, hashes
}

func (d *Postgres) Tables() tables.Dialect { return tables.Postgres(d.config) }

func (d *Postgres) Elements() string { return `json_array_elements($1::json) AS e (value)` }

// WaitForTerms takes the lock that endTerms does not take by itself, because it changes no key.
func (d *Postgres) WaitForTerms(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `SELECT FROM lease ORDER BY service FOR UPDATE`)
	return err
}

func (d *Postgres) EndTerms() string {
	return `UPDATE lease SET term = term + 1, holder = '', expires = '-infinity'`
}

// Erasing leaves the files to PostgreSQL, which clears them when it vacuums.
func (d *Postgres) Erasing(_ context.Context, f func() error) error { return f() }

func (d *Postgres) Changed(ctx context.Context, tx *sql.Tx, subject string) error {
	_, err := tx.ExecContext(ctx, `SELECT pg_notify($1, $2)`, channel, subject)
	return err
}

// Watch listens for notifications. Every two seconds it also hints, because a notification may have been lost, and
// checks its connection.
func (d *Postgres) Watch(ctx context.Context, h Hints, log *slog.Logger) error {
	wait, logged := time.Duration(0), false // logged once until it has connected again
	for ctx.Err() == nil {
		connected, err := d.listen(ctx, h)
		if ctx.Err() != nil {
			break
		}
		if connected {
			wait, logged = 0, false
		}
		if !logged {
			log.Warn("the database's notifications are lost; connecting again", "database", d.name, "error", d.WithHint(err))
			logged = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(hintEvery, 2*wait+100*time.Millisecond)
		h.HintAll()
	}
	return nil
}

// listen returns when its connection is lost.
func (d *Postgres) listen(ctx context.Context, h Hints) (connected bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return false, err
	}
	defer func() {
		orderly, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		conn.Close(orderly)
	}()
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		return false, err
	}
	h.HintAll()
	next := time.Now().Add(hintEvery)
	for holdersToo := false; ; {
		until, cancel := context.WithDeadline(ctx, next)
		n, err := conn.WaitForNotification(until)
		timedOut := until.Err() != nil
		cancel()
		switch {
		case err == nil:
			h.Hint(n.Payload)
		case ctx.Err() != nil || !timedOut:
			return true, err
		}
		if timedOut {
			h.HintLog()
			if holdersToo {
				h.HintHolders()
			}
			holdersToo = !holdersToo
			next = time.Now().Add(hintEvery)
			answer, cancel := context.WithTimeout(ctx, LeasePatience)
			err := conn.Ping(answer)
			cancel()
			if err != nil {
				return true, err
			}
		}
	}
}

func (d *Postgres) Close() error {
	if d.leases == nil {
		return nil
	}
	return errors.Join(d.leases.Close(), d.patient.Close())
}

// rowLease is a lease in a row of the database that expires by the database's clock.
type rowLease struct {
	d       *Postgres
	service int64
	term    int64
}

func (d *Postgres) Acquire(ctx context.Context, service int64, begin Begin) (Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*leaseTerm)
	defer cancel()
	if _, err := d.leases.ExecContext(ctx, `INSERT INTO lease (service, term, holder, expires) VALUES ($1, 0, '', '-infinity')
		ON CONFLICT DO NOTHING`, service); err != nil {
		return nil, err
	}
	// FOR UPDATE waits for transactions that append in the expired term.
	tx, err := d.leases.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() // does nothing after Commit
	var term int64
	err = tx.QueryRowContext(ctx, `WITH free AS (SELECT service FROM lease WHERE service = $1 AND expires < clock_timestamp() FOR UPDATE)
		UPDATE lease SET term = term + 1, holder = $2, expires = clock_timestamp() + $3 * interval '1 ms'
		FROM free WHERE lease.service = free.service RETURNING term`, service, d.holder, leaseTerm.Milliseconds()).Scan(&term)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if err := begin(ctx, tx, term); err != nil {
		return nil, err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	return &rowLease{d: d, service: service, term: term}, nil
}

func (l *rowLease) Every() time.Duration { return renewEvery }

func (l *rowLease) Renew(ctx context.Context) (held bool, err error) {
	result, err := l.d.leases.ExecContext(ctx, `UPDATE lease SET expires = clock_timestamp() + $4 * interval '1 ms'
		WHERE service = $1 AND term = $2 AND holder = $3`, l.service, l.term, l.d.holder, leaseTerm.Milliseconds())
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}

func (l *rowLease) Release(ctx context.Context) error {
	_, err := l.d.leases.ExecContext(ctx, `WITH freed AS (UPDATE lease SET holder = '', expires = '-infinity'
		WHERE service = $1 AND term = $2 AND holder = $3 RETURNING 1)
		SELECT pg_notify($4, $5) FROM freed`, l.service, l.term, l.d.holder, channel, LeaseFreed)
	return err
}

// saidOnce is an error in the words of one of those that it wraps.
type saidOnce struct{ error, words error }

func (e saidOnce) Error() string { return e.words.Error() }

func (e saidOnce) Unwrap() error { return e.error }

// innermost returns the last of the causes of an error, of several beside each other that of the last: PostgreSQL is tried without
// TLS after it was tried with it.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			if all := several.Unwrap(); len(all) > 0 {
				next = all[len(all)-1]
			}
		}
		if next == nil {
			return err
		}
		err = next
	}
}

// Unwritable is true of a full disk, and of a server that only reads, as one that is not the first any more.
func (d *Postgres) Unwritable(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "53100" || e.Code == "25006")
}

// WithHint adds to an error what to do about it, where that is known.
func (d *Postgres) WithHint(err error) error {
	mend := ""
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case strings.HasPrefix(e.Code, "28"):
			mend = "refuses the user: give the right user and password in --database"
		case e.Code == "3D000":
			mend = "does not exist: make it (CREATE DATABASE), or name another"
		case e.Code == "42501":
			mend = "may not be changed by this user: make the user its owner"
		case e.Code == "53100":
			mend = "has no room to grow: make room on the server's disk"
		case e.Code == "53300":
			mend = "has no connection left: raise max_connections"
		}
		if _, ok := errors.AsType[*pgconn.ConnectError](err); ok { // it has a line for each way that was tried
			err = saidOnce{err, e}
		}
	} else if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = saidOnce{err, innermost(e)}
		mend = "cannot be reached: start PostgreSQL, or correct the address in --database"
	}
	if mend == "" {
		return err
	}
	return fmt.Errorf("%s: %w", mend, err)
}
