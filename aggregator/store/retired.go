package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store/bodies"
	"housecount/apiclient/record"
)

// retired is what Append leaves out of the log and Retire deletes from it.
type retired struct {
	// forgotten maps hashes of contacts to the time, in Unix microseconds, before which records of the contact are
	// left out; 0 leaves out all of them.
	forgotten map[string]int64
	// closed are the events whose scans are totalled.
	closed map[string]bool
}

// keptOut reports whether a record names a forgotten contact, given when it was seen, and whether the contact was
// forgotten because of age only.
func (r *retired) keptOut(rec record.Record, seen time.Time) (is, byAge bool) {
	contact := record.ContactOf(rec)
	if contact == "" || len(r.forgotten) == 0 {
		return false, false
	}
	before, forgotten := r.forgotten[string(hash(contact))]
	return forgotten && (before == 0 || bodies.Micros(record.LastActivity(rec, seen)) < before), before != 0
}

// without returns a record without what is retired; nil if nothing is left of it. eventOf returns the event of a
// scan, and buyer what replaces a ticket's contact.
func (r *retired) without(rec record.Record, seen time.Time, eventOf func(*record.TicketScan) string, buyer func(ticket string) string) record.Record {
	if is, byAge := r.keptOut(rec, seen); is {
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

// read reads what is retired of a service.
func (r *retired) read(ctx context.Context, of ofService) error {
	var contact []byte
	var before int64
	err := of.each(ctx, `SELECT contact, coalesce(unheard, 0) FROM forgotten WHERE service = $1`,
		func() { r.forgotten[string(contact)] = before }, &contact, &before)
	if err != nil {
		return err
	}
	kind, err := bodies.Number(record.KindAdmissions)
	if err != nil {
		return err
	}
	var event string
	return of.each(ctx, fmt.Sprintf(`SELECT id FROM head WHERE service = $1 AND kind = %d`, kind), func() { r.closed[event] = true }, &event)
}

// withoutRetired returns a batch's records without what is retired.
func (r *Records) withoutRetired(ctx context.Context, b aggregator.Batch) ([]record.Record, error) {
	t, records := r.leading.Load(), b.Records
	if t == nil || len(t.forgotten)+len(t.closed) == 0 {
		return records, nil
	}
	var ask []string
	for _, rec := range records {
		switch s := rec.(type) {
		case *record.TicketScan:
			if len(t.closed) > 0 && s.TicketID != "" {
				ask = append(ask, s.TicketID)
			}
		case *record.Ticket:
			if is, byAge := t.keptOut(s, b.SeenAt); is && byAge {
				ask = append(ask, s.ID)
			}
		}
	}
	stored, err := r.stored(ctx, record.KindTicket, ask)
	if err != nil {
		return nil, err
	}
	eventOf := func(s *record.TicketScan) string {
		if s.TicketID == "" {
			return s.EventID
		}
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
	out := retired{t.forgotten, map[string]bool{}} // only the events that the batch needs
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
		if rec = out.without(rec, b.SeenAt, eventOf, buyer); rec != nil {
			without = append(without, rec)
		}
	}
	return without, nil
}

// reopen removes from the closed events those that were moved to a later date since, by their stored or newer
// records.
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

// stored returns the newest versions of records of a kind, by their ids.
func (r *Records) stored(ctx context.Context, kind record.Kind, ids []string) (map[string]record.Record, error) {
	stored := map[string]record.Record{}
	number, err := bodies.Number(kind)
	if err != nil {
		return nil, err
	}
	parse := bodies.NewParser()
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
		if err := r.each(ctx, r.reader, func(scan scanner) error {
			var body sql.RawBytes
			if err := scan(&body); err != nil {
				return err
			}
			rec, err := parse.Record(kind, body)
			if err == nil {
				stored[rec.RecordID()] = rec
			}
			return err
		}, `SELECT v.body FROM head h JOIN version v ON v.revision = h.revision
			WHERE h.service = $1 AND h.kind = $2 AND h.id IN (`+list.String()+`)`, args...); err != nil {
			return nil, err
		}
	}
	return stored, nil
}
