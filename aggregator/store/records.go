package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

const (
	selectHighest = `SELECT coalesce(max(revision), 0) FROM record`
	selectBody    = `SELECT body FROM record WHERE kind = ? AND id = ?`
	upsertBody    = `INSERT INTO record (revision, kind, id, body, highest_available) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (kind, id) DO UPDATE SET revision = excluded.revision, body = excluded.body,
			highest_available = max(coalesce(highest_available, excluded.highest_available),
				coalesce(excluded.highest_available, highest_available))`
	upsertMark = `INSERT OR REPLACE INTO mark (stream, since, began, resume, whole) VALUES (?, ?, ?, ?, ?)`
)

// replayPage is how many records Replay reads at once.
const replayPage = 500

// Epoch is documented at aggregator.Log.
func (s *Store) Epoch() string { return s.epoch }

// Source remembers, the first time, from what the records come, and returns what it was then.
func (s *Store) Source(ctx context.Context, now string) (first string, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('source', ?) ON CONFLICT DO NOTHING`, now); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'source'`).Scan(&first)
	})
	if err != nil {
		return "", fmt.Errorf("store: source: %w", err)
	}
	return first, nil
}

// Append is documented at aggregator.Log. A record that comes twice in one call is kept
// twice only when the second is newer than the first. Nothing is kept when it fails.
func (s *Store) Append(ctx context.Context, records []record.Record, mark *aggregator.Mark) ([]record.Record, int64, error) {
	var kept []record.Record
	var revision int64
	err := s.write(ctx, func(tx *sql.Tx) (err error) {
		kept, revision, err = s.append(ctx, tx, records, mark)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("store: append: %w", err)
	}
	return kept, revision, nil
}

func (s *Store) append(ctx context.Context, tx *sql.Tx, records []record.Record, mark *aggregator.Mark) (kept []record.Record, revision int64, err error) {
	if err := tx.StmtContext(ctx, s.highest).QueryRowContext(ctx).Scan(&revision); err != nil {
		return nil, 0, err
	}
	oldBody, newBody := tx.StmtContext(ctx, s.oldBody), tx.StmtContext(ctx, s.newBody)
	for _, r := range records {
		kind := r.RecordKind()
		var body []byte
		switch err := oldBody.QueryRowContext(ctx, kind, r.RecordID()).Scan(&body); {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return nil, 0, err
		default:
			old, err := decode(kind, body)
			if err != nil {
				return nil, 0, err
			}
			if !record.Newer(old, r) {
				continue
			}
		}
		if body, err = json.Marshal(r); err != nil {
			return nil, 0, fmt.Errorf("%s %q: %w", kind, r.RecordID(), err)
		}
		revision++
		var available *int
		if e, ok := r.(*record.Event); ok {
			available = record.Baseline(e)
		}
		if _, err := newBody.ExecContext(ctx, revision, kind, r.RecordID(), string(body), available); err != nil {
			return nil, 0, err
		}
		kept = append(kept, r)
	}
	if m := mark; m != nil {
		resume := sql.NullString{String: m.From, Valid: m.From != ""}
		if _, err := tx.StmtContext(ctx, s.setMark).ExecContext(ctx, m.Stream, moment(m.Since), moment(m.Began), resume, moment(m.Whole)); err != nil {
			return nil, 0, err
		}
	}
	return kept, revision, nil
}

// Replay is documented at aggregator.Log. It holds a few hundred records at a time and
// keeps no transaction open between them: a record that is appended meanwhile comes at
// its new revision. An error is the last thing yielded.
func (s *Store) Replay(ctx context.Context, after int64) iter.Seq2[record.Version, error] {
	return func(yield func(record.Version, error) bool) {
		for {
			page, err := s.entries(ctx, after)
			if err != nil {
				yield(record.Version{}, fmt.Errorf("store: replay after revision %d: %w", after, err))
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
				after = e.Revision
			}
			if len(page) < replayPage {
				return
			}
		}
	}
}

func (s *Store) entries(ctx context.Context, after int64) ([]record.Version, error) {
	rows, err := s.reader.QueryContext(ctx,
		`SELECT revision, kind, body, highest_available FROM record WHERE revision > ? ORDER BY revision LIMIT ?`, after, replayPage)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	page := make([]record.Version, 0, replayPage)
	for rows.Next() {
		e := record.Version{Head: true}
		var kind record.Kind
		var body sql.RawBytes
		if err := rows.Scan(&e.Revision, &kind, &body, &e.Memory.HighestAvailable); err != nil {
			return nil, err
		}
		if e.Record, err = decode(kind, body); err != nil {
			return nil, fmt.Errorf("revision %d: %w", e.Revision, err)
		}
		page = append(page, e)
	}
	return page, rows.Err()
}

// decode reads back what json.Marshal wrote.
func decode(kind record.Kind, body []byte) (record.Record, error) {
	r := record.New(kind)
	if r == nil {
		return nil, fmt.Errorf("a record of the unknown kind %q", kind)
	}
	if err := json.Unmarshal(body, r); err != nil {
		return nil, fmt.Errorf("a stored %s cannot be read: %w", kind, err)
	}
	return r, nil
}

// Marks is documented at aggregator.Log.
func (s *Store) Marks(ctx context.Context) (map[string]aggregator.Mark, error) {
	rows, err := s.reader.QueryContext(ctx, `SELECT stream, since, began, resume, whole FROM mark`)
	if err != nil {
		return nil, fmt.Errorf("store: marks: %w", err)
	}
	defer rows.Close()
	marks := make(map[string]aggregator.Mark)
	for rows.Next() {
		var m aggregator.Mark
		var resume sql.NullString
		if err := rows.Scan(&m.Stream, (*moment)(&m.Since), (*moment)(&m.Began), &resume, (*moment)(&m.Whole)); err != nil {
			return nil, fmt.Errorf("store: marks: %w", err)
		}
		m.From = resume.String
		marks[m.Stream] = m
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("store: marks: %w", err)
	}
	return marks, nil
}

// moment is a time as the database has it: RFC 3339, UTC, NULL for the zero time.
type moment time.Time

// Value is documented at driver.Valuer.
func (m moment) Value() (driver.Value, error) {
	if time.Time(m).IsZero() {
		return nil, nil
	}
	return time.Time(m).UTC().Format(time.RFC3339Nano), nil
}

// Scan is documented at sql.Scanner.
func (m *moment) Scan(v any) error {
	if v == nil {
		*m = moment{}
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v))
	*m = moment(t)
	return err
}
