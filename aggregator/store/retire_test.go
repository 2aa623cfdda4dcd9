package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// anEvening is what a service reports of a performance that two people of one contact came to, once
// with the scans on the ticket and once in a list of their own, and of another of somebody else.
func anEvening() []record.Record {
	sold := func(id, event, contact string, day int, scans ...record.Scan) *record.Ticket {
		at := noon.AddDate(0, 0, day)
		return &record.Ticket{ID: id, EventID: event, ContactID: contact, Seat: "C 4", Status: record.TicketValid, SoldAt: at, UpdatedAt: at, Scans: scans}
	}
	in := record.Scan{At: noon.Add(8 * time.Hour), Gate: "gate_Q9XK", Direction: record.Entry}
	return []record.Record{
		&record.Contact{ID: "con_Q9XK", City: "Zeist", UpdatedAt: noon.AddDate(0, 0, -9)},
		sold("4", "a", "", -9), &record.TicketScan{ID: "v", TicketID: "4", Scan: in, UpdatedAt: noon},
		sold("1", "a", "con_Q9XK", -9, in), sold("2", "a", "con_Q9XK", -8), sold("3", "b", "con_1", 20, in),
		&record.TicketScan{ID: "s", TicketID: "2", Scan: in, UpdatedAt: noon},
		&record.TicketScan{ID: "u", TicketID: "3", Scan: in, UpdatedAt: noon},
		&record.Payment{ID: "p", ContactID: "con_Q9XK", Amount: record.Money{Amount: 1250, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: noon.AddDate(0, 0, -9), UpdatedAt: noon},
	}
}

// What is retired is in no version and not in the file, its sums are, and the same does not come back
// with what the service reports; what comes of another day does.
func testRetire(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 9, 9, anEvening()...)
	l.put(t, 1, 10, &record.Ticket{ID: "1", EventID: "a", ContactID: "con_Q9XK", Status: record.TicketValid, SoldAt: noon.AddDate(0, 0, -9), UpdatedAt: noon.Add(time.Hour),
		Scans: []record.Scan{{At: noon, Gate: "gate_Q9XK", Direction: record.Entry}}})
	what := aggregator.Retirement{
		Admissions: []*record.Admissions{{EventID: "a", At: noon, Reported: 2, Attendance: 2, Gates: []record.GateAdmissions{{Gate: "gates", Entries: 2, Minutes: record.Minutes{{29_000_000, 2}}}}}},
		At:         noon, Contacts: []string{"con_Q9XK"}, Unheard: noon,
		ScanEvent: func(scan string) string { return map[string]string{"s": "a", "v": "a", "u": "b"}[scan] },
		Buyer: func(ticket string) string {
			return map[string]string{"1": record.NewBuyer, "2": record.ReturningBuyer}[ticket]
		},
	}
	if _, err := l.Retire(t.Context(), l.term+1, what); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("retired under another's term: %v", err)
	}
	before, err := l.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := l.Retire(t.Context(), l.term, what); err != nil || n != 7 {
		t.Fatalf("%d versions changed, %v; want 7", n, err)
	}
	if after, err := l.Position(t.Context()); err != nil || after.Epoch == before.Epoch {
		t.Errorf("position %+v, %v; it was %+v", after, err, before)
	}
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, Records: anEvening()}); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("append by what was known before: %v", err)
	}
	check := func(when, want string) {
		t.Helper()
		var got []string
		for _, v := range versions(t, l.Records, 0) {
			text := string(v.Record.RecordKind()) + v.Record.RecordID()
			if r, ok := v.Record.(*record.Ticket); ok {
				text += ":" + r.ContactID
			}
			got = append(got, text)
			if body, _ := json.Marshal(v.Record); bytes.Contains(body, []byte("Q9XK")) && v.Record.RecordID() != "3" && v.Record.RecordID() != "u" {
				t.Errorf("%s: revision %d is %s", when, v.Revision, body)
			}
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s:\n%s, want\n%s", when, got, want)
		}
	}
	left := "ticket4: ticket1:forgotten:new ticket2:forgotten:returning ticket3:con_1 scanu paymentp ticket1:forgotten:new admissionsa"
	check("retired", left)
	if !strings.HasPrefix(database, "postgres") {
		for _, suffix := range []string{"", "-wal"} {
			if b, err := os.ReadFile(database + suffix); err != nil || bytes.Contains(b, []byte("con_Q9XK")) || bytes.Contains(b, []byte("Zeist")) {
				t.Errorf("house.db%s still has it (%v)", suffix, err)
			}
		}
	}
	l.end()
	l = led(t, l.Records)
	l.put(t, 0, 11, anEvening()...)
	check("reported again", left)
	if n, err := l.Retire(t.Context(), l.term, aggregator.Retirement{ScanEvent: what.ScanEvent, Buyer: what.Buyer}); err != nil || n != 0 {
		t.Errorf("%d versions changed once more, %v", n, err)
	}
	// Who comes back is known again.
	l.put(t, 2, 13, &record.Contact{ID: "con_Q9XK", City: "Zeist", UpdatedAt: noon.Add(time.Hour)},
		&record.Ticket{ID: "9", EventID: "b", ContactID: "con_Q9XK", Status: record.TicketValid, SoldAt: noon.Add(time.Hour), UpdatedAt: noon})
	if got := heads(t, l.Records, record.KindContact, record.KindScan); got != "con_Q9XK u" {
		t.Errorf("heads %s", got)
	}
	// A performance that is moved to after its scans were summed has scans again.
	in := record.Scan{At: noon.AddDate(0, 1, 0), Gate: "South", Direction: record.Entry}
	l.put(t, 2, 15, &record.Event{ID: "a", StartsAt: noon.AddDate(0, 1, 0), UpdatedAt: noon},
		&record.Ticket{ID: "4", EventID: "a", Seat: "C 4", Status: record.TicketValid, SoldAt: noon.AddDate(0, 0, -9), UpdatedAt: noon.AddDate(0, 0, -9), Scans: []record.Scan{in}})
	l.put(t, 1, 16, &record.TicketScan{ID: "w", TicketID: "4", Scan: in, UpdatedAt: noon})
	if n, err := l.Retire(t.Context(), l.term, aggregator.Retirement{ScanEvent: func(string) string { return "a" }, Buyer: what.Buyer}); err != nil || n != 0 {
		t.Errorf("%d versions changed after it was moved, %v", n, err)
	}
}

// A contact is retired whole or not at all, wherever that is interrupted.
func testRetireInterrupted(t *testing.T, database string) {
	l := openLog(t, database)
	sold := func(id, contact string) record.Record {
		return &record.Ticket{ID: id, EventID: "a", ContactID: contact, Status: record.TicketValid, SoldAt: noon, UpdatedAt: noon}
	}
	records := []record.Record{sold("first", "x")}
	what := aggregator.Retirement{At: noon, Contacts: []string{"x"}, Unheard: noon.Add(time.Hour)}
	for i := range 600 {
		records = append(records, sold(fmt.Sprint(i), fmt.Sprint("c", i)))
		what.Contacts = append(what.Contacts, fmt.Sprint("c", i))
	}
	l.put(t, 602, 602, append(records, sold("second", "x"))...)
	for calls := 1; ; calls++ {
		ctx, cancel := context.WithCancel(t.Context())
		left := calls
		what.Buyer = func(ticket string) string {
			if left--; ticket != "second" {
				left++
			}
			if left == 0 {
				cancel()
			}
			return record.NewBuyer
		}
		_, err := l.Retire(ctx, l.term, what)
		cancel()
		retired := map[string]bool{}
		for _, v := range versions(t, l.Records, 0) {
			retired[v.Record.RecordID()] = record.ContactOf(v.Record) == ""
		}
		if retired["first"] != retired["second"] {
			t.Fatalf("interrupted the %dth time, of one contact %v", calls, retired)
		}
		if err == nil && calls > 1 && retired["first"] {
			return
		}
		if err == nil || calls == 9 {
			t.Fatalf("the %dth time: %v, %v", calls, err, retired["first"])
		}
	}
}
