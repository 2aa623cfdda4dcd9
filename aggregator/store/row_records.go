package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"housecount/aggregator"
	"housecount/aggregator/store/bodies"
	"housecount/apiclient/record"
)

// appendRows stores which records the rows of a batch give, and stores as deleted the records that no row gives
// any more.
func (r *Records) appendRows(ctx context.Context, tx *sql.Tx, term *tenure, b aggregator.Batch, done *aggregator.Appended) error {
	if len(b.Rows) == 0 {
		return nil
	}
	before, err := r.rowRecords(ctx, tx, b.Rows)
	if err != nil {
		return err
	}
	changes := aggregator.CompareRows(b.Rows, before)
	if err := r.addRowRecords(ctx, tx, changes.Added); err != nil {
		return err
	}
	gone := aggregator.Batch{SeenAt: b.SeenAt}
	for _, lost := range changes.Lost {
		held, err := r.ungiven(ctx, tx, lost)
		if err != nil {
			return err
		}
		if held != nil && !slices.Contains(b.Moved, lost.Kind) {
			if damage := changes.Damage(lost, held, b.Confirmed); damage != nil {
				done.Damaged = append(done.Damaged, damage)
				if err := r.addRowRecords(ctx, tx, []aggregator.RowRecord{lost}); err != nil {
					return err
				}
				continue
			}
			gone.Records = append(gone.Records, record.Tombstone(held))
			done.Gone = append(done.Gone, lost)
		}
	}
	versions, _, err := encode(gone)
	if err != nil || len(versions) == 0 {
		return err
	}
	deleted, err := r.appendVersions(ctx, tx, term, versions, nil)
	done.Revision, done.New = deleted.Revision, done.New+deleted.New
	return err
}

// rowRecords returns which records the last versions of rows gave.
func (r *Records) rowRecords(ctx context.Context, tx *sql.Tx, rows []record.Row) (before []aggregator.RowRecord, err error) {
	ids := make([][2]string, len(rows))
	for i, row := range rows {
		ids[i] = [2]string{row.List, row.ID}
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	found, err := r.rows(ctx, tx, `SELECT stream, "row", kind, id FROM (SELECT DISTINCT value ->> 0 AS list, value ->> 1 AS given FROM `+r.database.Elements()+`) w
		JOIN row_record ON service = $2 AND stream = w.list AND "row" = w.given ORDER BY stream, "row", kind, id`, string(list), r.service)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var one aggregator.RowRecord
		var kind int
		if err := found.Scan(&one.List, &one.Row, &kind, &one.ID); err != nil {
			return nil, err
		}
		one.Kind = bodies.Kind(kind)
		before = append(before, one)
	}
	return before, found.Err()
}

// addRowRecords stores which records rows give.
func (r *Records) addRowRecords(ctx context.Context, tx *sql.Tx, added []aggregator.RowRecord) error {
	if len(added) == 0 {
		return nil
	}
	rows := make([][4]any, len(added))
	for i, one := range added {
		kind, err := bodies.Number(one.Kind)
		if err != nil {
			return err
		}
		rows[i] = [4]any{one.List, one.Row, kind, one.ID}
	}
	list, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	_, err = r.exec(ctx, tx, `INSERT INTO row_record (service, stream, "row", kind, id)
		SELECT $2, value ->> 0, value ->> 1, CAST(value ->> 2 AS INTEGER), value ->> 3 FROM `+r.database.Elements()+` WHERE true ON CONFLICT DO NOTHING`, string(list), r.service)
	return err
}

// ungiven stores that a row no longer gives a record, and returns the record if it is not deleted and no other row
// gives it.
func (r *Records) ungiven(ctx context.Context, tx *sql.Tx, lost aggregator.RowRecord) (record.Record, error) {
	kind, err := bodies.Number(lost.Kind)
	if err != nil {
		return nil, err
	}
	if _, err := r.exec(ctx, tx, `DELETE FROM row_record WHERE service = $1 AND stream = $2 AND "row" = $3 AND kind = $4 AND id = $5`,
		r.service, lost.List, lost.Row, kind, lost.ID); err != nil {
		return nil, err
	}
	var revision int64
	err = r.row(ctx, tx, `SELECT revision FROM head WHERE service = $1 AND kind = $2 AND id = $3 AND NOT deleted
		AND NOT EXISTS (SELECT 1 FROM row_record g WHERE g.service = head.service AND g.kind = head.kind AND g.id = head.id)`, r.service, kind, lost.ID).Scan(&revision)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	held, err := r.at(ctx, tx, []int64{revision})
	if err != nil || len(held) == 0 {
		return nil, err
	}
	return held[0].Record, nil
}
