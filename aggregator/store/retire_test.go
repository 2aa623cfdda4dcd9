package store_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// anEvening returns what a service reports of a performance that two people of one contact came to, once
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
	again := what
	again.Admissions = nil
	if n, err := l.Retire(t.Context(), l.term, again); err != nil || n != 0 {
		t.Errorf("%d versions changed once more, %v", n, err)
	}
	l.end()
	l = led(t, l.Records)
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
	again.ScanEvent = func(string) string { return "a" }
	if n, err := l.Retire(t.Context(), l.term, again); err != nil || n != 0 {
		t.Errorf("%d versions changed after it was moved, %v", n, err)
	}
}

// cutOff is a context that ends when it has been asked so often whether it has.
type cutOff struct {
	context.Context
	end  context.CancelFunc
	left *atomic.Int64
}

func (c cutOff) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		c.end()
	}
	return c.Context.Done()
}

// Wherever retiring is cut off, a contact is retired whole or not at all, also of what comes right
// afterwards; the next process goes on with it, and figures are as they were; who followed the log
// folds it anew; and what was done is in the audit once.
func testRetireInterrupted(t *testing.T, database string) {
	s := open(t, database)
	calendar := figures.Calendar{Zone: time.UTC}
	sold := func(id, contact string, days int, seat string) *record.Ticket {
		return &record.Ticket{ID: id, EventID: "e", ContactID: contact, Seat: seat, Status: record.TicketValid, SoldAt: noon.AddDate(0, 0, days), UpdatedAt: noon.AddDate(0, 0, days),
			Scans: []record.Scan{{At: noon.AddDate(0, 0, 3), Gate: "North", Direction: record.Entry}}}
	}
	keeping := func(t *testing.T, l log) (what aggregator.Retirement, buyers figures.Buyers, attendance int) {
		folded := ledger.New(calendar)
		for _, v := range versions(t, l.Records, 0) {
			folded.Apply(v)
		}
		at := noon.AddDate(0, 2, 0).In(time.FixedZone("", 13*60*60)) // where it is the day after
		e := folded.Snapshot(figures.Position{}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true, EventsComplete: true}).Event("e")
		return aggregator.Retirement{Admissions: folded.Admissions(at, at), Over: at, At: at, Contacts: folded.Unheard(at), Unheard: at, ScanEvent: folded.ScanEvent, Buyer: folded.Buyer},
			e.Buyers, e.Attendance.Value
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random, cutoffs := rand.New(rand.NewPCG(seed, 0)), 0
	const step = 6 // other ones each time
	for cut := 1 + random.Int64N(step); ; cut += step {
		l := led(t, records(t, s, fmt.Sprint("cut ", cut)))
		began := []record.Record{&record.Event{ID: "e", StartsAt: noon.AddDate(0, 0, 3), EndsAt: noon.AddDate(0, 0, 3), UpdatedAt: noon},
			sold("1", "x", 0, "A"), sold("2", "y", 0, "A"), sold("3", "x", 1, "A"), sold("4", "y", 1, "A"),
			&record.Contact{ID: "x", UpdatedAt: noon}, &record.Payment{ID: "p", ContactID: "y", PaidAt: noon.AddDate(20, 0, 0), UpdatedAt: noon}}
		if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon.AddDate(0, 0, 4), Records: began}); err != nil {
			t.Fatal(err)
		}
		before, err := l.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		what, buyers, attendance := keeping(t, l)
		if want := (figures.Buyers{New: 2, Returning: 2}); buyers != want || attendance != 4 || len(what.Admissions) != 1 || len(what.Contacts) != 2 {
			t.Fatalf("at first %+v, %d came, %+v", buyers, attendance, what)
		}
		ctx, end := context.WithCancel(t.Context())
		left := &atomic.Int64{}
		left.Store(cut)
		_, failed := l.Retire(cutOff{ctx, end, left}, l.term, what)
		end()
		// What comes right afterwards, in the same term if that goes on; one is seen for the first time.
		other := sold("5", "y", 1, "B")
		other.Scans = nil
		l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon.AddDate(0, 2, 0), Records: []record.Record{sold("3", "x", 1, "B"), other}})
		named := map[string]bool{}
		for _, v := range versions(t, l.Records, 0) {
			named[record.ContactOf(v.Record)+"/"+v.Record.RecordID()] = true
		}
		for _, ids := range [][]string{{"x/1", "x/3", "x/x"}, {"y/2", "y/4", "y/p"}} {
			for _, id := range ids {
				if named[id] != named[ids[0]] {
					t.Fatalf("cut off at %d: %s is there: %t, %s: %t", cut, ids[0], named[ids[0]], id, named[id])
				}
			}
		}
		if named["y/5"] && !named["y/2"] {
			t.Fatalf("cut off at %d: a contact that was retired is back", cut)
		}
		l.end()
		l = led(t, l.Records)
		if failed != nil {
			cutoffs++
			what, _, _ := keeping(t, l)
			if _, err := l.Retire(t.Context(), l.term, what); err != nil {
				t.Fatal(err)
			}
			l.end()
			l = led(t, l.Records)
		}
		for _, v := range versions(t, l.Records, 0) {
			if contact := record.ContactOf(v.Record); contact != "" {
				t.Fatalf("cut off at %d: %s %s names %s", cut, v.Record.RecordKind(), v.Record.RecordID(), contact)
			}
		}
		what, after, attendance := keeping(t, l)
		after.Returning, after.Anonymous = after.Returning+after.Anonymous, 0 // of ticket 5 it may not be known
		if got, _ := l.Position(t.Context()); got.Epoch == before.Epoch || len(what.Contacts)+len(what.Admissions) > 0 {
			t.Fatalf("cut off at %d: the epoch is still %q, or there is left %+v", cut, got.Epoch, what)
		}
		if after.New != 2 || after.Returning > 3 || after.Returning < 2 || attendance != 4 {
			t.Fatalf("cut off at %d: %+v, %d came", cut, after, attendance)
		}
		acts, err := s.Audit().Acts(t.Context(), store.ActQuery{}, 0, 1000)
		var said []string
		for _, a := range acts {
			said = append(said, a.Actor+" "+a.Action+" "+a.After+" "+a.Before)
		}
		if got, want := fmt.Sprint(said[:min(2, len(said))]), "[program contacts_retired 2 2027-01-22 program scans_retired 1 2027-01-22]"; err != nil || got != want {
			t.Fatalf("cut off at %d: acts %s, %v; want %s", cut, got, err, want)
		}
		l.end()
		if failed == nil {
			if cutoffs < 5 || len(acts) != 2*(cutoffs+1) {
				t.Errorf("cut off %d times, %d acts", cutoffs, len(acts))
			}
			return
		}
	}
}
