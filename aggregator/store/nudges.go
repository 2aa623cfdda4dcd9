package store

import (
	"context"
	"database/sql"
)

// AllLists is the name under which Nudge counts nudges that name no list.
const AllLists = ""

// Nudge notes that the service says that a list has news, AllLists for any, and hints SubjectNudge. Any process may
// nudge; the one that polls reads Nudges.
func (r *Records) Nudge(ctx context.Context, list string) error {
	err := r.change(ctx, SubjectNudge, func(tx *sql.Tx) error {
		_, err := r.exec(ctx, tx, `INSERT INTO nudge (service, list, count) VALUES ($1, $2, 1)
			ON CONFLICT (service, list) DO UPDATE SET count = nudge.count + 1`, r.service, list)
		return err
	})
	if err != nil {
		return r.failed("nudge", err)
	}
	return nil
}

// Nudges returns how often each list was nudged. The numbers only grow.
func (r *Records) Nudges(ctx context.Context) (map[string]int64, error) {
	rows, err := r.rows(ctx, r.reader, `SELECT list, count FROM nudge WHERE service = $1`, r.service)
	if err != nil {
		return nil, r.failed("nudges", err)
	}
	defer rows.Close()
	all := make(map[string]int64)
	for rows.Next() {
		var list string
		var count int64
		if err := rows.Scan(&list, &count); err != nil {
			return nil, r.failed("nudges", err)
		}
		all[list] = count
	}
	if err := rows.Err(); err != nil {
		return nil, r.failed("nudges", err)
	}
	return all, nil
}
