package engine

import (
	"context"
	"database/sql"
)

func (d *Postgres) Insert(ctx context.Context, tx *sql.Tx, service int64, versions []*Version, heads []*Head) error {
	var v struct {
		revision, previous, updated, seen, hash []int64
		kind                                    []int16
		head                                    []bool
		id, body                                []string
	}
	for _, row := range versions {
		v.revision = append(v.revision, row.Revision)
		v.previous = append(v.previous, row.Previous)
		v.updated = append(v.updated, row.Updated)
		v.seen = append(v.seen, row.Seen)
		v.hash = append(v.hash, row.Hash)
		v.kind = append(v.kind, int16(row.Kind))
		v.head = append(v.head, row.Head)
		v.id = append(v.id, row.ID)
		v.body = append(v.body, row.Body)
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO version (service, revision, previous, updated, seen, hash, kind, head, id, body)
		SELECT $1, r, nullif(p, 0), nullif(u, 0), nullif(s, 0), x, k, h, i, b
		FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::smallint[], $8::boolean[], $9::text[], $10::text[])
			AS t (r, p, u, s, x, k, h, i, b)`,
		service, v.revision, v.previous, v.updated, v.seen, v.hash, v.kind, v.head, v.id, v.body); err != nil {
		return err
	}
	var h struct {
		revision, latest, hash, updated []int64
		kind                            []int16
		deleted                         []bool
		id                              []string
	}
	for _, row := range heads {
		h.revision = append(h.revision, row.Revision)
		h.latest = append(h.latest, row.Latest)
		h.hash = append(h.hash, row.Hash)
		h.updated = append(h.updated, row.Updated)
		h.kind = append(h.kind, int16(row.Kind))
		h.deleted = append(h.deleted, row.Deleted)
		h.id = append(h.id, row.ID)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO head (service, revision, latest, hash, updated, kind, deleted, id)
		SELECT $1, r, l, x, nullif(u, 0), k, d, i
		FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::smallint[], $7::boolean[], $8::text[])
			AS t (r, l, x, u, k, d, i)
		ON CONFLICT (service, kind, id) DO UPDATE SET revision = excluded.revision, latest = excluded.latest,
			hash = excluded.hash, updated = excluded.updated, deleted = excluded.deleted`,
		service, h.revision, h.latest, h.hash, h.updated, h.kind, h.deleted, h.id)
	return err
}

func (d *Postgres) Heads(ctx context.Context, tx *sql.Tx, service int64, versions []*Version, f func(i int, h Head)) error {
	ids, hashes := make([]string, len(versions)), make([]int64, len(versions))
	for i, v := range versions {
		ids[i], hashes[i] = v.ID, v.Hash
	}
	// LIMIT keeps the planner, which may have no statistics of the table yet, from scanning it.
	rows, err := tx.QueryContext(ctx, `SELECT x.n - 1, coalesce(h.revision, 0), coalesce(h.latest, 0),
			coalesce(h.hash, 0), coalesce(h.updated, 0), coalesce(h.deleted, false)
		FROM unnest($3::text[], $4::bigint[]) WITH ORDINALITY AS x (id, hash, n) LEFT JOIN LATERAL (
			SELECT * FROM head WHERE head.service = $1 AND head.kind = $2 AND head.id = x.id LIMIT 1) h ON true
		WHERE h.hash IS DISTINCT FROM x.hash`, service, versions[0].Kind, ids, hashes)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var i int
		var h Head
		if err := rows.Scan(&i, &h.Revision, &h.Latest, &h.Hash, &h.Updated, &h.Deleted); err != nil {
			return err
		}
		f(i, h)
	}
	return rows.Err()
}
