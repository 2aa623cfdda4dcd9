package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/bodies"
	"housecount/aggregator/store/pages"
	"housecount/apiclient/record"
)

const (
	// retirePage is how many versions are read at once, and the most that are changed in one transaction.
	retirePage = 500
	// admissionsPage is how many performances have their scans totalled at once.
	admissionsPage = 50
)

// errNothingRetired ends a transaction that had nothing to retire.
var errNothingRetired = errors.New("nothing was to be retired")

// Retire deletes from the log what is to be retired, and what was retired before and came back: contacts,
// and the scans of performances, whose sums it stores first. From then on Append leaves both out. It works
// in short transactions, so that others can append meanwhile. At the end it begins an epoch and ends the
// terms, so that followers fold the log again, and adds the result to the audit. It fails with
// aggregator.ErrLeaseLost if term is not the lease's.
//
// A call that fails or is killed leaves what was done, of each contact all or nothing. The next call, in
// any term, completes it, even one with nothing to retire, which otherwise does nothing. If the outcome is
// unknown, the term is over and Append fails with ErrLeaseLost. Backups still have what was deleted.
func (r *Records) Retire(ctx context.Context, term int64, what aggregator.Retirement) (changed int, err error) {
	changed, err = r.retire(ctx, term, what)
	return changed, r.wrap("retire", err)
}

func (r *Records) retire(ctx context.Context, term int64, what aggregator.Retirement) (changed int, err error) {
	if what.Empty() {
		if _, begun, err := r.begun(ctx, r.reader); err != nil || !begun {
			return 0, err
		}
	}
	if err := r.appendAdmissions(ctx, term, what); err != nil {
		return 0, err
	}
	out := retired{map[string]int64{}, map[string]bool{}}
	if err := out.read(ctx, ofService{r.reader, r.database.SQL, r.service}); err != nil {
		return 0, err
	}
	if err := r.reopen(ctx, &out, nil); err != nil {
		return 0, err
	}
	c := retiringContacts{naming: map[string][]int64{}, known: map[string]bool{}, unheard: what.Unheard, zone: what.At.Location()}
	for _, contact := range what.Contacts {
		h := string(hash(contact))
		if before, known := out.forgotten[h]; !known || before != 0 {
			c.naming[contact], c.known[contact], out.forgotten[h] = nil, known, bodies.Micros(what.Unheard)
		}
	}
	var newest int64
	if err := r.row(ctx, r.reader, newestRevision, r.service).Scan(&newest); err != nil {
		return 0, err
	}
	// Every version of a scan is deleted, whatever ticket it names.
	eventOf := func(s *record.TicketScan) string { return what.ScanEvent(s.ID) }
	without := func(v *record.Version) record.Record { return out.without(v.Record, v.SeenAt, eventOf, what.Buyer) }
	for after := int64(0); after < newest; {
		old, last, err := r.retirable(ctx, r.reader, after, newest, without)
		if err != nil {
			return changed, err
		}
		if old, after = c.sort(&out, old), last; len(old) == 0 {
			continue
		}
		if err := r.replaceInTerm(ctx, term, old, without); err != nil {
			return changed, err
		}
		changed += len(old)
	}
	c.after = newest
	c.left = append(c.left, slices.Sorted(maps.Keys(c.naming))...)
	for len(c.left) > 0 {
		n, err := r.retireContacts(ctx, term, &out, &c, without)
		if changed += n; err != nil {
			return changed, err
		}
	}
	// The scans that came in the meantime. From here on nobody appends without knowing what is retired.
	err = r.inNewEpoch(ctx, func(tx *sql.Tx) error {
		for after := newest; after < math.MaxInt64; {
			old, last, err := r.retirable(ctx, tx, after, math.MaxInt64, without)
			if err != nil {
				return err
			}
			if err := r.replaceAll(ctx, tx, old, without); err != nil {
				return err
			}
			after, changed = last, changed+len(old)
		}
		begun, err := r.endRetirement(ctx, tx)
		if err == nil && !begun && changed == 0 {
			err = errNothingRetired
		}
		return err
	})
	if errors.Is(err, errNothingRetired) {
		err = nil
	}
	return changed, err
}

// appendAdmissions appends the totals of the performances' scans.
func (r *Records) appendAdmissions(ctx context.Context, term int64, what aggregator.Retirement) error {
	for some := range slices.Chunk(what.Admissions, admissionsPage) {
		b := aggregator.Batch{Term: term, SeenAt: what.At}
		for _, a := range some {
			b.Records = append(b.Records, a)
		}
		if _, err := r.append(ctx, b, func(tx *sql.Tx, n int) error {
			return r.note(ctx, tx, retirement{Over: what.Over, Performances: n})
		}); err != nil {
			return err
		}
	}
	return nil
}

// replaceInTerm replaces versions in a transaction of the term, and stores that a retirement has begun.
func (r *Records) replaceInTerm(ctx context.Context, term int64, old []record.Version, without func(*record.Version) record.Record) error {
	return r.write(ctx, func(tx *sql.Tx) error {
		if _, err := r.checkTerm(ctx, tx, term); err != nil {
			return err
		}
		if err := r.note(ctx, tx, retirement{}); err != nil {
			return err
		}
		return r.replaceAll(ctx, tx, old, without)
	})
}

// retiringContacts are contacts that are being retired.
type retiringContacts struct {
	naming  map[string][]int64 // the revisions that name each contact
	known   map[string]bool    // contacts that are already stored as retired
	unheard time.Time          // since when the contacts in known have been without activity
	zone    *time.Location
	left    []string // contacts that are still to be retired
	after   int64    // versions after this revision may name the contacts without being in naming
}

// sort moves the versions of contacts from old to c, and returns the others.
func (c *retiringContacts) sort(out *retired, old []record.Version) (others []record.Version) {
	return slices.DeleteFunc(old, func(v record.Version) bool {
		is, _ := out.keptOut(v.Record, v.SeenAt)
		if is {
			contact := record.ContactOf(v.Record)
			c.naming[contact] = append(c.naming[contact], v.Revision)
		}
		return is
	})
}

// since returns since when the contacts have been without activity, by the last one that was retired; zero if they
// are not retired because of age.
func (c *retiringContacts) since(out *retired, contacts []string) (last time.Time) {
	for _, contact := range contacts {
		if at := out.forgotten[string(hash(contact))]; at != 0 && last.Before(time.UnixMicro(at)) {
			last = time.UnixMicro(at).In(c.zone)
		}
	}
	return last
}

// retireContacts retires the next contacts, with the versions that name them. Each contact is retired completely
// in one transaction, because how its tickets counted is known only while all of them name it. Nobody appends
// during it, and whoever appends afterwards leaves the contacts out.
func (r *Records) retireContacts(ctx context.Context, term int64, out *retired, c *retiringContacts, without func(*record.Version) record.Record) (changed int, err error) {
	r.retiring.Lock()
	defer r.retiring.Unlock()
	for more := true; more; {
		late, last, err := r.retirable(ctx, r.reader, c.after, math.MaxInt64, without)
		if err != nil {
			return 0, err
		}
		if more = last < math.MaxInt64; more {
			c.after = last
		}
		for _, v := range late {
			c.after = max(c.after, v.Revision)
		}
		c.sort(out, late)
	}
	some, revisions, named := 0, []int64(nil), 0
	for some < min(len(c.left), retirePage) && (some == 0 || len(revisions)+len(c.naming[c.left[some]]) <= retirePage) {
		contact := c.left[some]
		if revisions = append(revisions, c.naming[contact]...); !c.known[contact] || len(c.naming[contact]) > 0 {
			named++
		}
		some++
	}
	slices.Sort(revisions)
	var leads *tenure
	if err := r.write(ctx, func(tx *sql.Tx) (err error) {
		if leads, err = r.checkTerm(ctx, tx, term); err != nil {
			return err
		}
		for _, contact := range c.left[:some] {
			if _, fresh := c.known[contact]; !fresh {
				continue
			}
			if _, err := r.exec(ctx, tx, `INSERT INTO forgotten (service, contact, unheard) VALUES ($1, $2, $3)
				ON CONFLICT (service, contact) DO UPDATE SET unheard = CASE WHEN forgotten.unheard IS NULL THEN NULL ELSE excluded.unheard END`,
				r.service, hash(contact), bodies.Micros(c.unheard)); err != nil {
				return err
			}
		}
		old, err := r.at(ctx, tx, revisions)
		if err != nil {
			return err
		}
		if err := r.replaceAll(ctx, tx, old, without); err != nil {
			return err
		}
		return r.note(ctx, tx, retirement{Unheard: c.since(out, c.left[:some]), Contacts: named})
	}); err != nil {
		if leads != nil { // it may have been committed: whoever begins a term waits until that is known
			r.leading.CompareAndSwap(leads, nil)
		}
		return 0, err
	}
	for _, contact := range c.left[:some] {
		h := string(hash(contact))
		leads.forgotten[h] = out.forgotten[h]
	}
	c.left = c.left[some:]
	return len(revisions), nil
}

// retirable returns those of the next versions, after one revision and up to another, that contain something
// retired, and the revision at which to continue.
func (r *Records) retirable(ctx context.Context, on runner, after, upTo int64, without func(*record.Version) record.Record) (old []record.Version, last int64, err error) {
	rows, err := r.rows(ctx, on, `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version
		WHERE service = $1 AND revision > $2 AND revision <= $3 AND kind IN (2, 3, 4, 6) ORDER BY revision LIMIT $4`, r.service, after, upTo, retirePage)
	if err != nil {
		return nil, 0, err
	}
	p := pages.Read(rows, pages.Page{})
	all, err := p.Decode(bodies.NewParser())
	if last = upTo; len(all) == retirePage {
		last = all[len(all)-1].Revision
	}
	return slices.DeleteFunc(all, func(v record.Version) bool { return without(&v) == v.Record }), last, err
}

func (r *Records) replaceAll(ctx context.Context, tx *sql.Tx, versions []record.Version, without func(*record.Version) record.Record) error {
	for _, v := range versions {
		if err := r.replace(ctx, tx, v, without(&v)); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces a version's record. If with is nil it deletes the version and its record; all other versions of
// the record must then be deleted as well.
func (r *Records) replace(ctx context.Context, tx *sql.Tx, v record.Version, with record.Record) error {
	kind, err := bodies.Number(v.Record.RecordKind())
	if err != nil {
		return err
	}
	if with == nil {
		if _, err := r.exec(ctx, tx, `DELETE FROM head WHERE service = $1 AND kind = $2 AND id = $3`, r.service, kind, v.Record.RecordID()); err != nil {
			return err
		}
		_, err = r.exec(ctx, tx, `DELETE FROM version WHERE revision = $1`, v.Revision)
		return err
	}
	body, err := bodies.Append(nil, with)
	if err != nil {
		return err
	}
	if _, err := r.exec(ctx, tx, `UPDATE version SET body = $1, hash = $2 WHERE revision = $3`, string(body), bodies.Hash(body), v.Revision); err != nil {
		return err
	}
	_, err = r.exec(ctx, tx, `UPDATE head SET hash = $1 WHERE service = $2 AND kind = $3 AND id = $4 AND revision = $5`,
		bodies.Hash(body), r.service, kind, v.Record.RecordID(), v.Revision)
	return err
}
