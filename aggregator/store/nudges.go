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
	return r.wrap("nudge", err)
}

// Nudges returns how often each list was nudged. The numbers only grow.
func (r *Records) Nudges(ctx context.Context) (map[string]int64, error) {
	all := make(map[string]int64)
	err := r.each(ctx, r.reader, func(scan scanner) error {
		var list string
		var count int64
		err := scan(&list, &count)
		all[list] = count
		return err
	}, `SELECT list, count FROM nudge WHERE service = $1`, r.service)
	return all, r.wrap("nudges", err)
}
