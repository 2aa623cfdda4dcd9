package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/pages"
	"housecount/apiclient/record"
)

// Records is the log of one service: every version of every record that it reported, what
// was last learned of its streams, and what was found out about it. It may be used by many
// goroutines.
type Records struct {
	*Store
	service  int64
	changed  <-chan struct{}
	leading  atomic.Pointer[tenure] // nil until this process has the lease
	retiring sync.RWMutex           // locked while the term's retired records change, and read-locked while Append uses them
	position *sql.Stmt              // used every two seconds as long as the process lives
	appended pages.Appended         // for who follows the log
}

// Records returns the log of a service, creating it if there is none. The name distinguishes services, and
// the same one read in different ways: if it changes, everything is read again.
func (s *Store) Records(ctx context.Context, service string) (*Records, error) {
	r := &Records{Store: s}
	find := func(on runner) error {
		return s.row(ctx, on, `SELECT id FROM service WHERE name = $1`, service).Scan(&r.service)
	}
	err := find(s.reader)
	if errors.Is(err, sql.ErrNoRows) {
		err = s.write(ctx, func(tx *sql.Tx) error {
			if _, err := s.exec(ctx, tx, `INSERT INTO service (name) VALUES ($1) ON CONFLICT DO NOTHING`, service); err != nil {
				return err
			}
			return find(tx)
		})
	}
	if err == nil {
		r.position, err = s.reader.PrepareContext(ctx, s.database.SQL(`SELECT (SELECT value FROM meta WHERE key = 'epoch'), revision,
			(SELECT coalesce(sum(counter), 0) FROM stream WHERE service = $1),
			coalesce((SELECT tenure FROM lease WHERE service = $1), '') FROM service WHERE id = $1`))
	}
	if err != nil {
		return nil, s.wrap("records", err)
	}
	r.changed, _ = s.Watch(SubjectLog)
	return r, nil
}

// Services returns the names of the logs that the database has.
func (s *Store) Services(ctx context.Context) (names []string, err error) {
	err = s.each(ctx, s.reader, into(&names, scanText), `SELECT name FROM service ORDER BY id`)
	return names, s.wrap("services", err)
}

// Changed receives after the log may have changed. All callers share one channel.
func (r *Records) Changed() <-chan struct{} { return r.changed }

// Position returns the present position of the log.
func (r *Records) Position(ctx context.Context) (aggregator.Position, error) {
	var p aggregator.Position
	if err := r.database.Check(); err != nil {
		return p, r.wrap("position", err)
	}
	err := r.position.QueryRowContext(ctx, r.service).Scan(&p.Epoch, &p.Revision, &p.Streams, &p.Tenure)
	if err != nil {
		return aggregator.Position{}, r.wrap("position", err)
	}
	r.appended.In(p.Epoch, p.Tenure)
	return p, nil
}

// Renew begins a new epoch and ends the lease's term, unless the epoch is no longer old.
func (r *Records) Renew(ctx context.Context, old string) error {
	err := r.change(ctx, SubjectLog, func(tx *sql.Tx) error {
		if err := r.database.WaitForTerms(ctx, tx); err != nil {
			return err
		}
		n, err := r.exec(ctx, tx, `UPDATE meta SET value = $1 WHERE key = 'epoch' AND value = $2`, rand.Text(), old)
		if err != nil || n == 0 {
			return err
		}
		_, err = r.exec(ctx, tx, r.database.EndTerms())
		return err
	})
	return r.wrap("renew", err)
}

// Streams returns the newest states of the streams, by name, and the sum of their counters.
// Times are UTC, whatever the zone in which they were appended.
func (r *Records) Streams(ctx context.Context) (states []aggregator.StreamState, counter int64, err error) {
	err = r.each(ctx, r.reader, func(scan scanner) error {
		var n int64
		var text []byte
		if err := scan(&n, &text); err != nil {
			return err
		}
		var state aggregator.StreamState
		if err := json.Unmarshal(text, &state); err != nil {
			return fmt.Errorf("a stored state cannot be read: %w", err)
		}
		for _, at := range []*time.Time{&state.Since, &state.Began, &state.Synced, &state.Whole, &state.LastGood, &state.Next} {
			*at = at.UTC()
		}
		states = append(states, state)
		counter += n
		return nil
	}, `SELECT counter, state FROM stream WHERE service = $1 ORDER BY name`, r.service)
	return states, counter, r.wrap("streams", err)
}

// headsPage is how many records Heads reads at once.
const headsPage = 1000

// Heads yields the newest version of each record of the kinds that is not deleted, by kind
// and id: its Record and SeenAt alone. It keeps no transaction open between pages; an error is the last thing yielded.
func (r *Records) Heads(ctx context.Context, kinds ...record.Kind) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		for _, kind := range kinds {
			for after, more := "", true; more; {
				page, err := r.heads(ctx, kind, after)
				if err != nil {
					yield(record.Version{}, r.wrap("heads", err))
					return
				}
				for _, v := range page {
					if !yield(v, nil) {
						return
					}
					after = v.Record.RecordID()
				}
				more = len(page) == headsPage
			}
		}
	}
}

// HeadsOf yields what Heads of the log of a name would; nothing if there is no such log.
func (s *Store) HeadsOf(ctx context.Context, service string, kinds ...record.Kind) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		r := &Records{Store: s}
		err := s.row(ctx, s.reader, `SELECT id FROM service WHERE name = $1`, service).Scan(&r.service)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			yield(record.Version{}, s.wrap("heads", err))
		default:
			r.Heads(ctx, kinds...)(yield)
		}
	}
}

func (r *Records) heads(ctx context.Context, kind record.Kind, after string) ([]record.Version, error) {
	n, err := bodies.Number(kind)
	if err != nil {
		return nil, err
	}
	var page []record.Version
	parse := bodies.NewParser()
	err = r.each(ctx, r.reader, into(&page, func(scan scanner) (record.Version, error) {
		var body sql.RawBytes
		var seen int64
		if err := scan(&body, &seen); err != nil {
			return record.Version{}, err
		}
		rec, err := parse.Record(kind, body)
		return record.Version{SeenAt: time.UnixMicro(seen), Record: rec}, err
	}), `SELECT v.body, coalesce(v.seen, 0) FROM head h JOIN version v ON v.revision = h.revision
		WHERE h.service = $1 AND h.kind = $2 AND h.id > $3 AND NOT h.deleted ORDER BY h.id LIMIT $4`, r.service, n, after, headsPage)
	return page, err
}

// Answer returns what is stored under key; nil for nothing.
func (r *Records) Answer(ctx context.Context, key string) ([]byte, error) {
	var answer []byte
	err := r.row(ctx, r.reader, `SELECT answer FROM answer WHERE service = $1 AND key = $2`, r.service, key).Scan(&answer)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, r.wrap("answer", err)
	case answer == nil:
		return []byte{}, nil
	}
	return answer, nil
}

// SetAnswer stores what was found out about the service; nil deletes it. It fails with aggregator.ErrLeaseLost if
// term is not the lease's.
func (r *Records) SetAnswer(ctx context.Context, term int64, key string, answer []byte) error {
	err := r.write(ctx, func(tx *sql.Tx) error {
		if _, err := r.checkTerm(ctx, tx, term); err != nil {
			return err
		}
		statement, args := `DELETE FROM answer WHERE service = $1 AND key = $2`, []any{r.service, key}
		if answer != nil {
			statement = `INSERT INTO answer (service, key, answer) VALUES ($1, $2, $3)
				ON CONFLICT (service, key) DO UPDATE SET answer = excluded.answer`
			args = append(args, answer)
		}
		_, err := r.exec(ctx, tx, statement, args...)
		return err
	})
	return r.wrap("set answer", err)
}

// checkTerm fails with ErrLeaseLost unless term is the lease's term and held by this process. That then stays so
// until tx ends.
func (r *Records) checkTerm(ctx context.Context, tx *sql.Tx, term int64) (*tenure, error) {
	t := r.leading.Load()
	if t == nil || t.term != term {
		return nil, aggregator.ErrLeaseLost
	}
	now, id, err := r.database.Locked(ctx, tx, r.service)
	if errors.Is(err, sql.ErrNoRows) || err == nil && (now != term || id != t.id) {
		return nil, aggregator.ErrLeaseLost
	}
	return t, err
}

// Continues reports whether the log is a continuation of p: nothing of it was lost to a restored backup before the
// next term began. For the current term Append checks that.
func (r *Records) Continues(ctx context.Context, p aggregator.Position) (bool, error) {
	var found bool
	var next sql.NullInt64
	err := r.row(ctx, r.reader, `SELECT EXISTS (SELECT 1 FROM tenure WHERE service = $1 AND id = $2),
			(SELECT revision FROM tenure WHERE service = $1
				AND term > coalesce((SELECT term FROM tenure WHERE service = $1 AND id = $2), -1) ORDER BY term LIMIT 1)`,
		r.service, p.Tenure).Scan(&found, &next)
	if err != nil {
		return false, r.wrap("continues", err)
	}
	return (found || p.Tenure == "") && (!next.Valid || next.Int64 >= p.Revision), nil
}
