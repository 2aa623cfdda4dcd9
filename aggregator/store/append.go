package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/engine"
	"housecount/aggregator/store/pages"
	"housecount/apiclient/record"
)

// The statements of every append.
const (
	newestRevision = `SELECT revision FROM service WHERE id = $1`
	lockCounter    = `UPDATE counter SET revision = revision RETURNING revision, (` + newestRevision + `)`
	setCounter     = `UPDATE counter SET revision = $1`
	setRevision    = `UPDATE service SET revision = $1 WHERE id = $2`
	setStream      = `INSERT INTO stream (service, name, counter, state) VALUES ($1, $2, 1, $3)
		ON CONFLICT (service, name) DO UPDATE SET counter = stream.counter + 1, state = excluded.state RETURNING counter`
)

var appendStatements = []string{newestRevision, lockCounter, setCounter, setRevision, setStream}

// version is a version that is to be appended.
type version struct {
	engine.Version
	record record.Record // nil if people entered it
}

// head is the newest version of a record while others are appended.
type head struct {
	engine.Head
	stored  int64         // Latest before the batch; 0 for none
	pending []int64       // hashes of the record's versions in the batch
	record  record.Record // of the version at Revision; nil until it is needed
}

type headKey struct {
	kind int
	id   string
}

// Append stores those of the records that are versions which the log does not have, in
// their order, and the states of the streams, all in one transaction. It fails with
// aggregator.ErrLeaseLost where b.Term is not the lease's, and where the log has lost what
// was written in that term, as one that was restored from a backup: then it also gets a new
// epoch, for who followed it.
func (r *Records) Append(ctx context.Context, b aggregator.Batch) (aggregator.Appended, error) {
	r.retiring.RLock()
	defer r.retiring.RUnlock()
	return r.append(ctx, b, func(*sql.Tx, int) error { return nil })
}

// append is Append with also called in the same transaction, with the number of new versions.
func (r *Records) append(ctx context.Context, b aggregator.Batch, also func(tx *sql.Tx, n int) error) (aggregator.Appended, error) {
	var versions []*version
	var states []string
	var err error
	if b.Records, err = r.withoutRetired(ctx, b); err == nil {
		versions, states, err = encode(b)
	}
	if err != nil {
		return aggregator.Appended{}, r.wrap("append", err)
	}
	var done aggregator.Appended
	var term *tenure
	counters, epoch := make([]int64, len(states)), r.appended.Epoch()
	err = r.write(ctx, func(tx *sql.Tx) (err error) {
		if term, err = r.checkTerm(ctx, tx, b.Term); err != nil {
			return err
		}
		if done, err = r.appendVersions(ctx, tx, term, versions, b.Confirmed); err != nil {
			return err
		}
		if err := r.appendRows(ctx, tx, term, b, &done); err != nil {
			return err
		}
		for i, state := range states {
			name := b.Streams[i].Name
			if err := r.row(ctx, tx, setStream, r.service, name, state).Scan(&counters[i]); err != nil {
				return err
			}
			if counters[i] <= term.counter(name) {
				return errRestored
			}
		}
		if err := also(tx, done.New); err != nil {
			return err
		}
		return r.database.Changed(ctx, tx, string(SubjectLog))
	})
	if errors.Is(err, errRestored) {
		err = r.restored(ctx)
	}
	if err != nil {
		return aggregator.Appended{}, r.wrap("append", err)
	}
	term.wrote(done.Revision, b, counters)
	r.appended.Add(epoch, term.id, storedOf(versions))
	r.hints.hint(SubjectLog) // whoever it wakes finds the versions there
	return done, nil
}

// storedOf returns those versions of a batch that the log did not have.
func storedOf(versions []*version) (all []pages.Version) {
	for _, v := range versions {
		if v.Revision != 0 {
			all = append(all, pages.Version{Row: bodies.Row{Revision: v.Revision, Kind: v.Kind, Head: v.Head, Seen: v.Seen}, Body: v.Body})
		}
	}
	return all
}

// Enter stores what people entered, in order and in one transaction, and returns the revision of the newest
// version in the log. Any process may enter, with or without the lease.
func (r *Records) Enter(ctx context.Context, at time.Time, entered ...record.Record) (revision int64, err error) {
	versions, _, err := encode(aggregator.Batch{SeenAt: at, Records: entered})
	if err != nil {
		return 0, r.wrap("enter", err)
	}
	var done aggregator.Appended
	err = r.change(ctx, SubjectLog, func(tx *sql.Tx) (err error) {
		done, err = r.appendVersions(ctx, tx, nil, versions, nil)
		return err
	})
	if err != nil {
		return 0, r.wrap("enter", err)
	}
	return done.Revision, nil
}

// Replace is Enter for changes based on the state at revision read. If one of the records was entered again
// since, or would not be the newest version of its record, nothing is stored and the error is ErrChanged.
// The acts are added to the audit in the same transaction.
func (r *Records) Replace(ctx context.Context, at time.Time, read int64, acts []Act, entered ...record.Record) (revision int64, err error) {
	versions, _, err := encode(aggregator.Batch{SeenAt: at, Records: entered})
	if err != nil {
		return 0, r.wrap("enter", err)
	}
	var done aggregator.Appended
	err = r.change(ctx, SubjectLog, func(tx *sql.Tx) (err error) {
		if done, err = r.appendVersions(ctx, tx, nil, versions, nil); err != nil {
			return err
		}
		for _, v := range versions {
			if v.Previous > read || !v.Head {
				return ErrChanged
			}
		}
		for _, a := range acts {
			r.appendAct(tx, a)
		}
		return nil
	})
	if err != nil {
		return 0, r.wrap("enter", err)
	}
	r.hints.hint(SubjectAudit)
	return done.Revision, nil
}

// restored gives the log a new epoch, because it lost versions that this process wrote.
func (r *Records) restored(ctx context.Context) error {
	r.Logger.Warn("the database was restored from a backup; what is missing is read again", "database", r.name)
	p, err := r.Position(ctx)
	if err == nil {
		err = r.Renew(ctx, p.Epoch)
	}
	return errors.Join(aggregator.ErrLeaseLost, err)
}

// encode converts a batch to rows, before any lock is taken.
func encode(b aggregator.Batch) (versions []*version, states []string, err error) {
	versions = make([]*version, len(b.Records))
	rows := make([]version, len(b.Records))
	var text []byte // of one body
	for i, rec := range b.Records {
		v := &rows[i]
		v.Version = engine.Version{ID: rec.RecordID(), Seen: bodies.Micros(b.SeenAt), Deleted: record.Deleted(rec)}
		v.Updated = believed(bodies.Micros(rec.RecordUpdated()), v.Seen)
		if slices.Contains(record.Kinds, rec.RecordKind()) {
			v.record = rec
		}
		if v.Kind, err = bodies.Number(rec.RecordKind()); err != nil {
			return nil, nil, err
		}
		if text, err = bodies.Append(text[:0], rec); err != nil {
			return nil, nil, fmt.Errorf("%s %q: %w", rec.RecordKind(), v.ID, err)
		}
		v.Body, v.Hash = string(text), bodies.Hash(text)
		versions[i] = v
	}
	for _, state := range b.Streams {
		text, err := json.Marshal(state)
		if err != nil {
			return nil, nil, fmt.Errorf("stream %q: %w", state.Name, err)
		}
		states = append(states, string(text))
	}
	return versions, states, nil
}

// appendVersions stores the versions that the log does not have, in a term, or in none (nil) if people entered them. A log that has less
// than the term had committed before this transaction was restored from a backup: also if it is called again in the same transaction, as
// appendRows does, of which the term does not know yet.
func (r *Records) appendVersions(ctx context.Context, tx *sql.Tx, term *tenure, versions []*version, confirmed func(record.Kind, string) bool) (done aggregator.Appended, err error) {
	var last, written int64
	if term != nil {
		written = term.newest() // before the revision is read, beside which others may write
	}
	if len(versions) == 0 {
		err = r.row(ctx, tx, newestRevision, r.service).Scan(&done.Revision)
	} else {
		err = r.row(ctx, tx, lockCounter, r.service).Scan(&last, &done.Revision)
	}
	switch {
	case err != nil:
		return done, err
	case done.Revision < written:
		return done, errRestored
	case len(versions) == 0:
		return done, nil
	}
	heads, err := r.headsOf(ctx, tx, term, versions)
	if err != nil {
		return done, err
	}
	var stored []*engine.Version
	var moved []*engine.Head
	for _, v := range versions {
		h := heads[headKey{v.Kind, v.ID}]
		switch {
		case h == nil || h.Latest != 0 && h.Hash == v.Hash:
			v.Head = true // the log has it already
			continue
		case h.Latest == 0:
			v.Head = true
		case v.Updated == 0 || v.Updated >= believed(h.Updated, v.Seen):
			damage, err := r.damage(ctx, tx, v, h)
			if err != nil {
				return done, err
			}
			if damage != nil && (confirmed == nil || !confirmed(damage.Kind, v.ID)) {
				done.Damaged = append(done.Damaged, damage)
				continue
			}
			v.Head = true
		default:
			if known, err := r.knows(ctx, tx, h, v.Hash); err != nil {
				return done, err
			} else if known {
				continue
			}
		}
		last++
		v.Revision, v.Previous = last, h.Latest
		h.Latest, h.pending = last, append(h.pending, v.Hash)
		if v.Head {
			h.Revision, h.Hash, h.Updated, h.Deleted, h.record = last, v.Hash, v.Updated, v.Deleted, v.record
		}
		stored = append(stored, &v.Version)
		if len(h.pending) == 1 {
			moved = append(moved, &h.Head)
		}
	}
	if len(stored) == 0 {
		return done, nil
	}
	if err := r.database.Insert(ctx, tx, r.service, stored, moved); err != nil {
		return done, err
	}
	if _, err := r.exec(ctx, tx, setCounter, last); err != nil {
		return done, err
	}
	if _, err := r.exec(ctx, tx, setRevision, last, r.service); err != nil {
		return done, err
	}
	done.Revision, done.New = last, len(stored)
	return done, nil
}

// damage returns the refusal of a version that would become the head, nil if it is sound. The head is read only if the
// version may be damaged: if both have the same time, or a part is missing that every version has to have.
func (r *Records) damage(ctx context.Context, tx *sql.Tx, v *version, h *head) (*record.Refusal, error) {
	sameTime := v.Updated == h.Updated || v.Updated == 0 // the time may be the missing part
	if v.record == nil || v.Deleted || h.Deleted || !sameTime && !record.MayLackRequired(v.record) {
		return nil, nil
	}
	if h.record == nil {
		held, err := r.at(ctx, tx, []int64{h.Revision})
		if err != nil || len(held) == 0 {
			return nil, err
		}
		h.record = held[0].Record
	}
	return record.Damage(v.record, h.record, sameTime), nil
}

// believed returns a time of update, or 0 if it is too far ahead of when the version was seen. A record with such
// a time would not change until then. Heads that were stored by older programs may still have them.
func believed(updated, seen int64) int64 {
	if seen == 0 {
		return updated
	}
	return bodies.Micros(record.Plausible(time.UnixMicro(updated), time.UnixMicro(seen)))
}

// headsOf returns the heads of the records in versions, with zero heads for new records. Records whose versions
// all equal their head are left out.
func (r *Records) headsOf(ctx context.Context, tx *sql.Tx, term *tenure, versions []*version) (map[headKey]*head, error) {
	var byKind [16][]*engine.Version
	for _, v := range versions {
		byKind[v.Kind] = append(byKind[v.Kind], &v.Version)
	}
	var heads map[headKey]*head
	for kind, versions := range byKind {
		if versions == nil {
			continue
		}
		var different []head
		add := func(v *engine.Version, row engine.Head) {
			if different == nil {
				different = make([]head, 0, len(versions))
			}
			row.Kind, row.ID = kind, v.ID
			different = append(different, head{Head: row, stored: row.Latest})
		}
		known := versions
		if term != nil {
			var err error
			if known, err = term.known(ctx, ofService{tx, r.database.SQL, r.service}, kind, versions, add); err != nil {
				return nil, err
			}
		}
		if len(known) > 0 {
			if err := r.database.Heads(ctx, tx, r.service, known, func(i int, row engine.Head) { add(known[i], row) }); err != nil {
				return nil, err
			}
		}
		if heads == nil {
			heads = make(map[headKey]*head, len(different))
		}
		for i := range different {
			heads[headKey{kind, different[i].ID}] = &different[i]
		}
	}
	return heads, nil
}

// knows reports whether an older version is stored already.
func (r *Records) knows(ctx context.Context, tx *sql.Tx, h *head, hash int64) (known bool, err error) {
	for _, p := range h.pending {
		if p == hash {
			return true, nil
		}
	}
	err = r.row(ctx, tx, `WITH RECURSIVE chain (previous, hash) AS (
			SELECT previous, hash FROM version WHERE revision = $1
			UNION ALL
			SELECT v.previous, v.hash FROM chain c JOIN version v ON v.revision = c.previous WHERE c.hash <> $2
		) SELECT EXISTS (SELECT 1 FROM chain WHERE hash = $2)`, h.stored, hash).Scan(&known)
	return known, err
}
