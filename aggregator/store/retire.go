package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

const (
	// retirePage is how many versions are read, and at most changed in one transaction.
	retirePage = 500
	// admissionsPage is how many performances are closed at once.
	admissionsPage = 50
)

// errNothingRetired ends a transaction in which nothing was to be done.
var errNothingRetired = errors.New("nothing was to be retired")

// retired is what the log does not take up any more, and what Retire takes out of it.
type retired struct {
	// forgotten are the hashes of contacts, each with the time before which it is kept out, in Unix
	// microseconds; 0 keeps it out of everything.
	forgotten map[string]int64
	// closed are the events whose scans are summed.
	closed map[string]bool
}

// keptOut says that the record's contact is forgotten, and whether only in what is old.
func (r *retired) keptOut(rec record.Record) (is, byAge bool) {
	contact := record.ContactOf(rec)
	if contact == "" || len(r.forgotten) == 0 {
		return false, false
	}
	before, forgotten := r.forgotten[string(hash(contact))]
	return forgotten && (before == 0 || micros(record.Heard(rec)) < before), before != 0
}

// without is a record without what is retired, and nil where nothing is left of it. EventOf is the
// event of a scan, and buyer what takes the place of a ticket's contact.
func (r *retired) without(rec record.Record, eventOf func(*record.TicketScan) string, buyer func(ticket string) string) record.Record {
	if is, byAge := r.keptOut(rec); is {
		t, ok := rec.(*record.Ticket)
		if ok && byAge {
			rec = record.WithBuyer(t, buyer(t.ID))
		} else if rec = record.WithoutContact(rec); rec == nil {
			return nil
		}
	}
	switch t := rec.(type) {
	case *record.Ticket:
		if len(t.Scans) > 0 && r.closed[t.EventID] {
			return record.WithoutScans(t)
		}
	case *record.TicketScan:
		if len(r.closed) > 0 && r.closed[eventOf(t)] {
			return nil
		}
	}
	return rec
}

// Retire takes out of the log what is retired, and what was before and came back: the contacts, and
// the scans of performances, whose sums it stores first. Append keeps both out from then on. It works
// in short transactions, so that others can append meanwhile. Where it changed anything it begins an
// epoch and ends the terms, so that who follows the log folds it anew. It fails with
// aggregator.ErrLeaseLost where term is not the lease's; one that fails keeps what was done, and the
// next one goes on with it. Backups still have what was taken out.
func (r *Records) Retire(ctx context.Context, term int64, what aggregator.Retirement) (changed int, err error) {
	changed, err = r.retire(ctx, term, what)
	if err != nil {
		return changed, r.failed("retire", err)
	}
	return changed, nil
}

func (r *Records) retire(ctx context.Context, term int64, what aggregator.Retirement) (changed int, err error) {
	for some := range slices.Chunk(what.Admissions, admissionsPage) {
		b := aggregator.Batch{Term: term, SeenAt: what.At}
		for _, a := range some {
			b.Records = append(b.Records, a)
		}
		if _, err := r.Append(ctx, b); err != nil {
			return 0, err
		}
	}
	out := retired{map[string]int64{}, map[string]bool{}}
	if err := out.read(ctx, r.reader, r.database.sql, r.service); err != nil {
		return 0, err
	}
	if err := r.reopen(ctx, &out, nil); err != nil {
		return 0, err
	}
	fresh := map[string]bool{} // contacts of which the log does not know yet that they are retired
	for _, contact := range what.Contacts {
		h := string(hash(contact))
		if before, known := out.forgotten[h]; !known || before != 0 {
			fresh[contact], out.forgotten[h] = true, micros(what.Unheard)
		}
	}
	var newest int64
	if err := r.row(ctx, r.reader, newestRevision, r.service).Scan(&newest); err != nil {
		return 0, err
	}
	// Of a scan all versions go that there are, whatever ticket they name.
	eventOf := func(s *record.TicketScan) string { return what.ScanEvent(s.ID) }
	without := func(rec record.Record) record.Record { return out.without(rec, eventOf, what.Buyer) }
	naming := map[string][]int64{} // revisions by contact
	for contact := range fresh {
		naming[contact] = nil
	}
	for after := int64(0); after < newest; {
		old, last, err := r.retirable(ctx, r.reader, after, newest, without)
		if err != nil {
			return changed, err
		}
		old = slices.DeleteFunc(old, func(v record.Version) bool {
			is, _ := out.keptOut(v.Record)
			if contact := record.ContactOf(v.Record); is {
				naming[contact] = append(naming[contact], v.Revision)
			}
			return is
		})
		if after = last; len(old) == 0 {
			continue
		}
		if err := r.write(ctx, func(tx *sql.Tx) error {
			if _, err := r.checkTerm(ctx, tx, term); err != nil {
				return err
			}
			return r.replaceAll(ctx, tx, old, without)
		}); err != nil {
			return changed, err
		}
		changed += len(old)
	}
	n, err := r.retireContacts(ctx, term, naming, fresh, micros(what.Unheard), without)
	if changed += n; err != nil {
		return changed, err
	}
	// What came meanwhile, by who did not know; from here on nobody appends who does not.
	err = r.anew(ctx, func(tx *sql.Tx) error {
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
		if changed == 0 {
			return errNothingRetired
		}
		return nil
	})
	if errors.Is(err, errNothingRetired) {
		err = nil
	}
	return changed, err
}

// retireContacts retires contacts with the versions that name them, and notes those that are fresh.
// Each contact goes whole in one transaction: how its tickets counted is known only while all of them
// name it.
func (r *Records) retireContacts(ctx context.Context, term int64, naming map[string][]int64, fresh map[string]bool, unheard int64, without func(record.Record) record.Record) (changed int, err error) {
	contacts := slices.Sorted(maps.Keys(naming))
	for len(contacts) > 0 {
		some, revisions := 0, []int64(nil)
		for some < min(len(contacts), retirePage) && (some == 0 || len(revisions)+len(naming[contacts[some]]) <= retirePage) {
			revisions = append(revisions, naming[contacts[some]]...)
			some++
		}
		slices.Sort(revisions)
		if err := r.write(ctx, func(tx *sql.Tx) error {
			if _, err := r.checkTerm(ctx, tx, term); err != nil {
				return err
			}
			for _, contact := range contacts[:some] {
				if !fresh[contact] {
					continue
				}
				if _, err := r.exec(ctx, tx, `INSERT INTO forgotten (service, contact, unheard) VALUES ($1, $2, $3)
					ON CONFLICT (service, contact) DO UPDATE SET unheard = CASE WHEN forgotten.unheard IS NULL THEN NULL ELSE excluded.unheard END`,
					r.service, hash(contact), unheard); err != nil {
					return err
				}
			}
			for _, revision := range revisions {
				old, _, err := r.retirable(ctx, tx, revision-1, revision, without)
				if err != nil {
					return err
				}
				if err := r.replaceAll(ctx, tx, old, without); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return changed, err
		}
		contacts, changed = contacts[some:], changed+len(revisions)
	}
	return changed, nil
}

// retirable are those of the next versions after a revision, up to another, that are not the same
// without what is retired, and the revision after which to go on.
func (r *Records) retirable(ctx context.Context, on runner, after, upTo int64, without func(record.Record) record.Record) (old []record.Version, last int64, err error) {
	rows, err := r.rows(ctx, on, `SELECT revision, kind, head, coalesce(seen, 0), body, memory FROM version
		WHERE service = $1 AND revision > $2 AND revision <= $3 AND kind IN (2, 3, 4, 6) ORDER BY revision LIMIT $4`, r.service, after, upTo, retirePage)
	if err != nil {
		return nil, 0, err
	}
	p := readPage(rows, page{})
	if p.err != nil {
		return nil, 0, p.err
	}
	all, err := p.decode(newParser())
	if last = upTo; len(all) == retirePage {
		last = all[len(all)-1].Revision
	}
	return slices.DeleteFunc(all, func(v record.Version) bool { return without(v.Record) == v.Record }), last, err
}

func (r *Records) replaceAll(ctx context.Context, tx *sql.Tx, versions []record.Version, without func(record.Record) record.Record) error {
	for _, v := range versions {
		if err := r.replace(ctx, tx, v, without(v.Record)); err != nil {
			return err
		}
	}
	return nil
}

// replace puts another record in the place of a version's. Where there is none it takes the version
// away, and its record with it: all its other versions have to go the same way.
func (r *Records) replace(ctx context.Context, tx *sql.Tx, v record.Version, with record.Record) error {
	kind, err := number(v.Record.RecordKind())
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
	body, err := appendBody(nil, with)
	if err != nil {
		return err
	}
	if _, err := r.exec(ctx, tx, `UPDATE version SET body = $1, hash = $2 WHERE revision = $3`, string(body), hashOf(body), v.Revision); err != nil {
		return err
	}
	_, err = r.exec(ctx, tx, `UPDATE head SET hash = $1 WHERE service = $2 AND kind = $3 AND id = $4 AND revision = $5`,
		hashOf(body), r.service, kind, v.Record.RecordID(), v.Revision)
	return err
}

// read reads what is retired of a service.
func (r *retired) read(ctx context.Context, on runner, words func(string) string, service int64) error {
	var contact []byte
	var before int64
	err := each(ctx, on, words(`SELECT contact, coalesce(unheard, 0) FROM forgotten WHERE service = $1`), service,
		func() { r.forgotten[string(contact)] = before }, &contact, &before)
	if err != nil {
		return err
	}
	kind, err := number(record.KindAdmissions)
	if err != nil {
		return err
	}
	var event string
	return each(ctx, on, words(fmt.Sprintf(`SELECT id FROM head WHERE service = $1 AND kind = %d`, kind)), service, func() { r.closed[event] = true }, &event)
}

// withoutRetired are records without what was retired before the term began.
func (r *Records) withoutRetired(ctx context.Context, records []record.Record) ([]record.Record, error) {
	t := r.leading.Load()
	if t == nil || len(t.forgotten)+len(t.closed) == 0 {
		return records, nil
	}
	var ask []string
	for _, rec := range records {
		switch s := rec.(type) {
		case *record.TicketScan:
			if len(t.closed) > 0 {
				ask = append(ask, s.TicketID)
			}
		case *record.Ticket:
			if is, byAge := t.keptOut(s); is && byAge {
				ask = append(ask, s.ID)
			}
		}
	}
	stored, err := r.stored(ctx, record.KindTicket, ask)
	if err != nil {
		return nil, err
	}
	eventOf := func(s *record.TicketScan) string {
		if t, ok := stored[s.TicketID].(*record.Ticket); ok {
			return t.EventID
		}
		return ""
	}
	buyer := func(ticket string) string {
		if t, ok := stored[ticket].(*record.Ticket); ok && record.ContactOf(t) == "" {
			return t.ContactID
		}
		return ""
	}
	out := retired{t.forgotten, map[string]bool{}} // only of the events that are asked for
	moved := map[string]*record.Event{}
	for _, rec := range records {
		switch rec := rec.(type) {
		case *record.Ticket:
			out.closed[rec.EventID] = len(rec.Scans) > 0 && t.closed[rec.EventID] || out.closed[rec.EventID]
		case *record.TicketScan:
			event := eventOf(rec)
			out.closed[event] = t.closed[event]
		case *record.Event:
			moved[rec.ID] = rec
		}
	}
	if err := r.reopen(ctx, &out, moved); err != nil {
		return nil, err
	}
	without := make([]record.Record, 0, len(records))
	for _, rec := range records {
		if rec = out.without(rec, eventOf, buyer); rec != nil {
			without = append(without, rec)
		}
	}
	return without, nil
}

// reopen takes out of the closed events those that were moved since, by what is stored of them or, of
// some, by newer records.
func (r *Records) reopen(ctx context.Context, out *retired, newer map[string]*record.Event) error {
	maps.DeleteFunc(out.closed, func(_ string, closed bool) bool { return !closed })
	ids := slices.Sorted(maps.Keys(out.closed))
	admissions, err := r.stored(ctx, record.KindAdmissions, ids)
	if err != nil {
		return err
	}
	events, err := r.stored(ctx, record.KindEvent, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		e := newer[id]
		if e == nil {
			e, _ = events[id].(*record.Event)
		}
		if a, ok := admissions[id].(*record.Admissions); ok && e != nil && a.Reopened(e) {
			delete(out.closed, id)
		}
	}
	return nil
}

// stored are the newest versions of records of a kind, by their ids.
func (r *Records) stored(ctx context.Context, kind record.Kind, ids []string) (map[string]record.Record, error) {
	stored := map[string]record.Record{}
	number, err := number(kind)
	if err != nil {
		return nil, err
	}
	parse := newParser()
	for some := range slices.Chunk(ids, retirePage) {
		args := []any{r.service, number}
		var list strings.Builder
		for i, id := range some {
			if i > 0 {
				list.WriteByte(',')
			}
			fmt.Fprintf(&list, "$%d", i+3)
			args = append(args, id)
		}
		rows, err := r.rows(ctx, r.reader, `SELECT v.body FROM head h JOIN version v ON v.revision = h.revision
			WHERE h.service = $1 AND h.kind = $2 AND h.id IN (`+list.String()+`)`, args...)
		if err != nil {
			return nil, err
		}
		if err := func() error {
			defer rows.Close()
			for rows.Next() {
				var body sql.RawBytes
				if err := rows.Scan(&body); err != nil {
					return err
				}
				rec, err := parse.record(kind, body)
				if err != nil {
					return err
				}
				stored[rec.RecordID()] = rec
			}
			return rows.Err()
		}(); err != nil {
			return nil, err
		}
	}
	return stored, nil
}
