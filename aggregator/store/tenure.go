package store

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/engine"
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
	// ids are those of all records of a kind, by its number, if the log had none of the kind when the first of them came in this term.
	ids map[int]*bodies.IDs
}

// known returns those versions of a kind whose records the log may have, and calls isNew for the others, whose records need not be
// looked for: while a list is read for the first time these are nearly all. It must see all versions that are appended in the term.
func (t *tenure) known(ctx context.Context, of ofService, kind int, versions []*engine.Version, isNew func(*engine.Version, engine.Head)) (known []*engine.Version, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	ids, asked := t.ids[kind]
	if !asked {
		var any bool
		if err := of.tx.QueryRowContext(ctx, of.sql(`SELECT EXISTS (SELECT 1 FROM head WHERE service = $1 AND kind = $2)`), of.service, kind).Scan(&any); err != nil {
			return nil, err
		}
		if !any {
			ids = bodies.NewIDs()
		}
		t.ids[kind] = ids
	}
	if ids == nil {
		return versions, nil
	}
	for _, v := range versions {
		if ids.Add(v.ID) {
			known = append(known, v)
		} else {
			isNew(v, engine.Head{})
		}
	}
	ids.Came(len(versions), time.UnixMicro(versions[0].Seen))
	return known, nil
}

// ofService reads and writes rows of one service.
type ofService struct {
	tx      runner
	sql     func(string) string // a statement in the database's own words
	service int64
}

// beginTenure notes in a transaction that a term begins.
func beginTenure(ctx context.Context, of ofService, term int64) (*tenure, error) {
	t := &tenure{term: term, id: rand.Text(), counters: map[string]int64{}, ids: map[int]*bodies.IDs{}, retired: retired{map[string]int64{}, map[string]bool{}}}
	if _, err := of.tx.ExecContext(ctx, of.sql(`UPDATE lease SET tenure = $1 WHERE service = $2`), t.id, of.service); err != nil {
		return nil, err
	}
	if err := of.tx.QueryRowContext(ctx, of.sql(`INSERT INTO tenure (service, term, id, revision)
		SELECT id, $2, $3, revision FROM service WHERE id = $1 RETURNING revision`), of.service, term, t.id).Scan(&t.revision); err != nil {
		return nil, err
	}
	var name string
	var counter int64
	if err := of.each(ctx, `SELECT name, counter FROM stream WHERE service = $1`, func() { t.counters[name] = counter }, &name, &counter); err != nil {
		return nil, err
	}
	return t, t.read(ctx, of)
}

// each calls f for each row of a statement about the service, with its columns in into.
func (of ofService) each(ctx context.Context, statement string, f func(), into ...any) error {
	rows, err := of.tx.QueryContext(ctx, of.sql(statement), of.service)
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
	for kind, ids := range t.ids { // also of kinds of which nothing comes any more
		if ids != nil && ids.Idle(b.SeenAt) {
			t.ids[kind] = nil
		}
	}
}
