package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"sync"

	"housecount/aggregator"
)

// errRestored is returned if the log has less than this process wrote to it.
var errRestored = errors.New("the database was restored from a backup while it was in use")

// tenure is a term in which this process leads, with the least that the log must have since, because nobody
// else writes to it.
type tenure struct {
	term    int64
	id      string // random, because a restored database counts its terms again
	retired        // what Append keeps out; the contacts also of those that were retired in this term

	mu       sync.Mutex
	revision int64
	counters map[string]int64 // of the streams, by name
}

// beginTenure notes in tx that a term begins.
func beginTenure(ctx context.Context, tx *sql.Tx, words func(string) string, service, term int64) (*tenure, error) {
	t := &tenure{term: term, id: rand.Text(), counters: map[string]int64{}, retired: retired{map[string]int64{}, map[string]bool{}}}
	if _, err := tx.ExecContext(ctx, words(`UPDATE lease SET tenure = $1 WHERE service = $2`), t.id, service); err != nil {
		return nil, err
	}
	if err := tx.QueryRowContext(ctx, words(`INSERT INTO tenure (service, term, id, revision)
		SELECT id, $2, $3, revision FROM service WHERE id = $1 RETURNING revision`), service, term, t.id).Scan(&t.revision); err != nil {
		return nil, err
	}
	var name string
	var counter int64
	if err := each(ctx, tx, words(`SELECT name, counter FROM stream WHERE service = $1`), service, func() { t.counters[name] = counter }, &name, &counter); err != nil {
		return nil, err
	}
	return t, t.read(ctx, tx, words, service)
}

// each calls f for each row of a statement about a service, with its columns in into.
func each(ctx context.Context, on runner, statement string, service int64, f func(), into ...any) error {
	rows, err := on.QueryContext(ctx, statement, service)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		f()
	}
	return rows.Err()
}

// newest returns the newest revision that was written.
func (t *tenure) newest() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.revision
}

// counter returns what a stream's counter was when it was written last.
func (t *tenure) counter(stream string) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counters[stream]
}

// wrote notes what has been committed.
func (t *tenure) wrote(revision int64, b aggregator.Batch, counters []int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.revision = max(t.revision, revision)
	for i, s := range b.Streams {
		t.counters[s.Name] = max(t.counters[s.Name], counters[i])
	}
}
