package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/pages"
	"housecount/apiclient/record"
)

// foldPage is how many versions are folded in one transaction.
const foldPage = 500

// Fold takes versions away that were seen before a time and are not the newest of their
// record; what figures need of them stays with the newest, as its Memory. Heads, and the
// memory of the versions of each record, are the same before and after, also to who reads
// Versions meanwhile. A version that was taken away is one that the log does not have: where the
// service sends an old one again and again, Append stores it once more after each Fold. Fold works
// in short transactions, so that others can append meanwhile: one that fails keeps what those
// before it did. It fails with aggregator.ErrLeaseLost where term is not the lease's.
func (r *Records) Fold(ctx context.Context, term int64, before time.Time) (folded int, err error) {
	for after, more := int64(0), true; more; {
		old, err := r.foldable(ctx, after, before)
		if err != nil {
			return folded, r.wrap("fold", err)
		}
		if err := r.write(ctx, func(tx *sql.Tx) error {
			if _, err := r.checkTerm(ctx, tx, term); err != nil {
				return err
			}
			return r.fold(ctx, tx, old)
		}); err != nil {
			return folded, r.wrap("fold", err)
		}
		folded += len(old)
		if more = len(old) == foldPage; more {
			after = old[len(old)-1].Revision
		}
	}
	return folded, nil
}

// foldable are versions after a revision that can be folded: those before the newest of their
// record. One that came late, after the newest, waits until another comes: who reads the log
// meanwhile may be past the newest, and would not learn what is moved there. They stay so: only
// a version that is appended becomes the newest.
func (r *Records) foldable(ctx context.Context, after int64, before time.Time) (old []record.Version, err error) {
	rows, err := r.rows(ctx, r.reader, `SELECT v.revision, v.kind, v.head, coalesce(v.seen, 0), v.body, v.memory
		FROM version v JOIN head h ON h.service = v.service AND h.kind = v.kind AND h.id = v.id
		WHERE v.revision > $1 AND v.service = $2 AND coalesce(v.seen, 0) < $3 AND v.revision < h.revision
		ORDER BY v.revision LIMIT $4`, after, r.service, before.UnixMicro(), foldPage)
	if err != nil {
		return nil, err
	}
	p := pages.Read(rows, pages.Page{})
	return p.Decode(bodies.NewParser())
}

// fold moves what is remembered of old versions to the newest of their records.
func (r *Records) fold(ctx context.Context, tx *sql.Tx, old []record.Version) error {
	if len(old) == 0 {
		return nil
	}
	memories := map[headKey]record.Memory{}
	for _, v := range old {
		kind, err := bodies.Number(v.Record.RecordKind())
		if err != nil {
			return err
		}
		key := headKey{kind, v.Record.RecordID()}
		memories[key] = memories[key].With(&v)
	}
	for key, m := range memories {
		if err := r.remember(ctx, tx, key, m); err != nil {
			return err
		}
	}
	revisions := make([]string, len(old))
	for i, v := range old {
		revisions[i] = strconv.FormatInt(v.Revision, 10)
	}
	_, err := r.exec(ctx, tx, `DELETE FROM version WHERE revision IN (`+strings.Join(revisions, ",")+`)`)
	return err
}

// remember adds to what the newest version of a record remembers.
func (r *Records) remember(ctx context.Context, tx *sql.Tx, key headKey, m record.Memory) error {
	if m.IsZero() {
		return nil
	}
	var revision int64
	var text []byte
	err := r.row(ctx, tx, `SELECT v.revision, v.memory FROM head h JOIN version v ON v.revision = h.revision
		WHERE h.service = $1 AND h.kind = $2 AND h.id = $3`, r.service, key.kind, key.id).Scan(&revision, &text)
	if err != nil {
		return fmt.Errorf("the newest version of %s %q: %w", bodies.Kind(key.kind), key.id, err)
	}
	var known record.Memory
	if text != nil {
		if err := json.Unmarshal(text, &known); err != nil {
			return fmt.Errorf("revision %d: what is remembered cannot be read: %w", revision, err)
		}
	}
	if text, err = json.Marshal(known.Merge(m)); err != nil {
		return err
	}
	_, err = r.exec(ctx, tx, `UPDATE version SET memory = $1 WHERE revision = $2`, string(text), revision)
	return err
}
