package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"housecount/aggregator"
)

// readingsPage is how many readings are stored in one statement.
const readingsPage = 1000

// Record stores readings, in the place of those of the same event and minute, and then that all those
// of versions up to a revision are stored. One that fails has stored some of them, which the next one
// stores again. It fails with aggregator.ErrLeaseLost where term is not the lease's.
func (r *Records) Record(ctx context.Context, term int64, rows []aggregator.Reading, upTo int64) error {
	pages := slices.Collect(slices.Chunk(rows, readingsPage))
	for i := range max(1, len(pages)) {
		var page []aggregator.Reading
		if i < len(pages) {
			page = pages[i]
		}
		if err := r.write(ctx, func(tx *sql.Tx) error {
			if _, err := r.checkTerm(ctx, tx, term); err != nil {
				return err
			}
			if err := r.insertReadings(ctx, tx, page); err != nil || i < len(pages)-1 {
				return err
			}
			n, err := r.exec(ctx, tx, `UPDATE service SET readings = CASE WHEN readings > $1 THEN readings ELSE $1 END WHERE id = $2 AND revision >= $1`, upTo, r.service)
			if err == nil && n == 0 {
				err = errRestored
			}
			return err
		}); err != nil {
			return r.failed("record", err)
		}
	}
	return nil
}

func (r *Records) insertReadings(ctx context.Context, tx *sql.Tx, rows []aggregator.Reading) error {
	if len(rows) == 0 {
		return nil
	}
	// Of an event and a minute the last: a statement changes no row twice.
	type place struct {
		event  string
		minute int64
	}
	last := map[place]int{}
	for i, row := range rows {
		last[place{row.Event, row.Minute}] = i
	}
	list := make([][6]any, 0, len(last))
	for i, row := range rows {
		if last[place{row.Event, row.Minute}] != i {
			continue
		}
		one := [6]any{row.Event, row.Minute, row.Available, row.Sold, row.Present, nil}
		if len(row.Net) > 0 {
			text, err := json.Marshal(row.Net)
			if err != nil {
				return err
			}
			one[5] = string(text)
		}
		list = append(list, one)
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	// BIGINT is INTEGER to SQLite.
	_, err = r.exec(ctx, tx, `INSERT INTO reading (service, event, minute, available, sold, present, net)
		SELECT $2, value ->> 0, CAST(value ->> 1 AS BIGINT), CAST(value ->> 2 AS BIGINT), CAST(value ->> 3 AS BIGINT), CAST(value ->> 4 AS BIGINT), value ->> 5
		FROM `+r.database.elements()+` WHERE true
		ON CONFLICT (service, event, minute) DO UPDATE SET available = excluded.available, sold = excluded.sold, present = excluded.present, net = excluded.net`,
		string(text), r.service)
	return err
}

// Recorded is the revision up to which readings of all versions are stored.
func (r *Records) Recorded(ctx context.Context) (revision int64, err error) {
	if err := r.row(ctx, r.reader, `SELECT readings FROM service WHERE id = $1`, r.service).Scan(&revision); err != nil {
		return 0, r.failed("recorded", err)
	}
	return revision, nil
}

// Readings are those of an event that were made from a time on, ascending.
func (r *Records) Readings(ctx context.Context, event string, from time.Time) (all []aggregator.Reading, err error) {
	err = func() error {
		rows, err := r.rows(ctx, r.reader, `SELECT minute, available, sold, present, net FROM reading
			WHERE service = $1 AND event = $2 AND minute >= $3 ORDER BY minute`, r.service, event, from.Unix()/60)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			row := aggregator.Reading{Event: event}
			var net []byte
			if err := rows.Scan(&row.Minute, &row.Available, &row.Sold, &row.Present, &net); err != nil {
				return err
			}
			if net != nil {
				if err := json.Unmarshal(net, &row.Net); err != nil {
					return err
				}
			}
			all = append(all, row)
		}
		return rows.Err()
	}()
	if err != nil {
		return nil, r.failed("readings", err)
	}
	return all, nil
}

// FirstReading is the minute of the oldest reading that was made from a time on, zero where there is none.
func (r *Records) FirstReading(ctx context.Context, from time.Time) (at time.Time, err error) {
	var minute int64
	err = r.row(ctx, r.reader, `SELECT minute FROM reading WHERE service = $1 AND minute >= $2 ORDER BY minute LIMIT 1`, r.service, from.Unix()/60).Scan(&minute)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return at, nil
	case err != nil:
		return at, r.failed("first reading", err)
	}
	return time.Unix(minute*60, 0), nil
}

// ThinReadings takes away the readings in [from, until) but for the last of each event in every bucket
// from from on. It fails with aggregator.ErrLeaseLost where term is not the lease's.
func (r *Records) ThinReadings(ctx context.Context, term int64, from, until time.Time, bucket time.Duration) error {
	err := r.write(ctx, func(tx *sql.Tx) error {
		if _, err := r.checkTerm(ctx, tx, term); err != nil {
			return err
		}
		_, err := r.exec(ctx, tx, `DELETE FROM reading WHERE service = $1 AND minute >= $2 AND minute < $3 AND EXISTS (
			SELECT 1 FROM reading later WHERE later.service = $1 AND later.event = reading.event AND later.minute > reading.minute
				AND later.minute < $3 AND later.minute < $2 + ((reading.minute - $2) / $4 + 1) * $4)`,
			r.service, from.Unix()/60, until.Unix()/60, int64(bucket/time.Minute))
		return err
	})
	if err != nil {
		return r.failed("thin readings", err)
	}
	return nil
}
