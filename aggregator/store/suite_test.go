package store_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

// testStore is what every database must do. fresh makes an empty database and returns
// what opens it, as often as it was closed before.
func testStore(t *testing.T, fresh func(t *testing.T) (open func() *store.Store)) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, open func() *store.Store)
	}{
		{"append keeps what is newer", testAppendNewer},
		{"append repeats within a call", testAppendRepeats},
		{"append fails whole", testAppendFails},
		{"records come back as they were", testRoundTrip},
		{"the highest available outlives its version", testHighestAvailable},
		{"replay beside a writer", testReplayBesideWriter},
		{"replay ends on demand", testReplayEnds},
		{"marks and epoch outlive the process", testMarks},
		{"sessions", testSessions},
		{"sessions expire", testSessionExpiry},
		{"a deleted session stays dead", testTombstone},
		{"sessions at once", testSessionsAtOnce},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, fresh(t)) })
	}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func ticket(id string, minute int, status record.TicketStatus) *record.Ticket {
	return &record.Ticket{ID: id, EventID: "evt_1", Status: status, UpdatedAt: noon.Add(time.Duration(minute) * time.Minute)}
}

func tickets(n int) []record.Record {
	records := make([]record.Record, n)
	for i := range records {
		records[i] = ticket(fmt.Sprintf("tkt_%05d", i), 0, record.TicketValid)
	}
	return records
}

// mustAppend appends and checks the ids that were kept and the revision.
func mustAppend(t *testing.T, s *store.Store, records []record.Record, kept string, revision int64) {
	t.Helper()
	got, last, err := s.Append(t.Context(), records, nil)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range got {
		ids = append(ids, r.RecordID())
	}
	if strings.Join(ids, " ") != kept || last != revision {
		t.Fatalf("kept %v up to revision %d; want %q, %d", ids, last, kept, revision)
	}
}

func replay(t *testing.T, s *store.Store, after int64) []record.Version {
	t.Helper()
	var entries []record.Version
	for e, err := range s.Replay(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

func testAppendNewer(t *testing.T, open func() *store.Store) {
	s := open()
	mustAppend(t, s, nil, "", 0)
	mustAppend(t, s, []record.Record{ticket("a", 1, record.TicketReserved), ticket("b", 1, record.TicketValid)}, "a b", 2)
	mustAppend(t, s, []record.Record{ticket("b", 1, record.TicketValid)}, "", 2)
	mustAppend(t, s, []record.Record{ticket("a", 0, record.TicketExpired), ticket("c", 0, record.TicketValid)}, "c", 3)
	mustAppend(t, s, []record.Record{ticket("a", 2, record.TicketValid)}, "a", 4)
	// The same id in another stream is another record.
	mustAppend(t, s, []record.Record{&record.Payment{ID: "a"}, &record.Event{ID: "a"}}, "a a", 6)

	var got []string
	for _, e := range replay(t, s, 1) {
		got = append(got, fmt.Sprint(e.Revision, e.Record.RecordKind(), e.Record.RecordID()))
	}
	want := []string{"2 ticket b", "3 ticket c", "4 ticket a", "5 payment a", "6 event a"}
	for i := range want {
		want[i] = strings.ReplaceAll(want[i], " ", "")
		if i < len(got) {
			got[i] = strings.ReplaceAll(got[i], " ", "")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("replay gives %v, want %v", got, want)
	}
}

func testAppendRepeats(t *testing.T, open func() *store.Store) {
	s := open()
	mustAppend(t, s, []record.Record{
		ticket("a", 2, record.TicketValid),
		ticket("a", 1, record.TicketReserved), // older
		ticket("a", 2, record.TicketValid),    // again
		ticket("a", 3, record.TicketVoid),     // newer
	}, "a a", 2)
	entries := replay(t, s, 0)
	if len(entries) != 1 || entries[0].Revision != 2 || entries[0].Record.(*record.Ticket).Status != record.TicketVoid {
		t.Errorf("replay gives %+v, want the voided ticket at revision 2", entries)
	}
}

func testAppendFails(t *testing.T, open func() *store.Store) {
	s := open()
	mustAppend(t, s, []record.Record{ticket("a", 1, record.TicketValid)}, "a", 1)

	unwritable := ticket("c", 1, record.TicketValid)
	unwritable.SoldAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) // no RFC 3339
	mark := &aggregator.Mark{Stream: "tickets", Since: noon}
	if _, _, err := s.Append(t.Context(), []record.Record{ticket("b", 1, record.TicketValid), unwritable}, mark); err == nil {
		t.Error("an unwritable record was taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.Append(ctx, []record.Record{ticket("b", 1, record.TicketValid)}, mark); err == nil {
		t.Error("a cancelled append succeeded")
	}

	if entries := replay(t, s, 0); len(entries) != 1 {
		t.Errorf("%d records after failures, want 1", len(entries))
	}
	if marks, err := s.Marks(t.Context()); err != nil || len(marks) != 0 {
		t.Errorf("marks after failures: %v, %v", marks, err)
	}
	mustAppend(t, s, []record.Record{ticket("b", 1, record.TicketValid)}, "b", 2)
}

func testRoundTrip(t *testing.T, open func() *store.Store) {
	euros := &record.Money{Amount: 1250, Currency: "EUR"}
	at := time.Date(2026, 11, 20, 19, 32, 7, 123456789, time.UTC)
	want := []record.Record{
		&record.Event{ID: "evt_bare", Title: `</script> "ok" ` + "\u2028", Date: "2026-11-21"},
		&record.Event{ID: "evt_full", Title: "Full", Date: "2026-11-21", Available: new(-3), DoorsAt: at, StartsAt: at, EndsAt: at,
			Hall: "Grote Zaal", Series: "ser_1", Capacity: new(0), Unlimited: true, Blocked: new(4),
			TicketTypes: []record.TicketType{{ID: "tt_1", Name: "Rang 1", Capacity: new(10), Price: euros}},
			Status:      record.EventOnSale, CreatedAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Ticket{ID: "tkt_untold", Scans: nil},
		&record.Ticket{ID: "tkt_unscanned", Scans: []record.Scan{}},
		&record.Ticket{ID: "tkt_full", EventID: "evt_full", OrderID: "ord_1", ContactID: "con_1", Type: record.TypeRef{ID: "tt_1", Name: "Rang 1"},
			Quantity: new(2), Price: euros, Fee: euros, Complimentary: true, Admits: new(false), Status: "never_heard_of",
			Scans: []record.Scan{{At: at, Gate: "Noord", Direction: record.Entry, Result: "ok", Undone: true}},
			Seat:  "A1", Channel: "web", Referral: "mail", DiscountCode: "X", CreatedAt: at, SoldAt: at, CancelledAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Payment{ID: "pay_full", OrderID: "ord_1", EventID: "evt_full", ParentID: "pay_0", ContactID: "con_1", TicketIDs: []string{"tkt_full"},
			Kind: record.KindOfRefund, Amount: *euros, Status: record.PaymentPaid, AmountRefunded: euros, Method: "ideal",
			CreatedAt: at, PaidAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Contact{ID: "con_full", PostalArea: "1234", City: "Delft", Country: "NL", Types: []string{"friend"}, OptIn: new(false),
			CreatedAt: at, UpdatedAt: at, Test: true, Deleted: true},
		&record.Planning{ID: "pln_full", EventID: "evt_full", Kind: "show", Title: "Show", StartsAt: at, EndsAt: at, Location: "Grote Zaal",
			Status: "confirmed", ExpectedVisitors: new(0), Capacity: new(400), BudgetRevenue: euros, BudgetMarketing: euros,
			CreatedAt: at, UpdatedAt: at, Deleted: true},
		&record.TicketScan{ID: "scn_full", TicketID: "tkt_full", UpdatedAt: at, Deleted: true,
			Scan: record.Scan{At: at, Gate: "Noord", Direction: record.Exit, Result: "ok", Undone: true}},
	}
	s := open()
	if _, _, err := s.Append(t.Context(), want, nil); err != nil {
		t.Fatal(err)
	}
	for i, e := range replay(t, s, 0) {
		if !reflect.DeepEqual(e.Record, want[i]) {
			t.Errorf("got  %+v\nwant %+v", e.Record, want[i])
		}
	}
	// What was read back is not newer than itself.
	mustAppend(t, s, want, "", int64(len(want)))
}

func testHighestAvailable(t *testing.T, open func() *store.Store) {
	s := open()
	minute := 0
	put := func(e record.Event) {
		t.Helper()
		minute++
		e.ID, e.UpdatedAt = "evt", noon.Add(time.Duration(minute)*time.Minute)
		if _, _, err := s.Append(t.Context(), []record.Record{&e}, nil); err != nil {
			t.Fatal(err)
		}
	}
	check := func(want any) {
		t.Helper()
		var got any
		if p := replay(t, s, 0)[0].Memory.HighestAvailable; p != nil {
			got = *p
		}
		if got != want {
			t.Errorf("version %d: highest available %v, want %v", minute, got, want)
		}
	}
	put(record.Event{})
	check(nil)
	put(record.Event{Available: new(-3)})
	check(-3)
	put(record.Event{Available: new(100)})
	put(record.Event{Available: new(5)})
	check(100)
	put(record.Event{})
	put(record.Event{Available: new(1 << 60)})
	put(record.Event{Available: new(500), Unlimited: true})
	check(100)

	// What is not kept does not count.
	if _, _, err := s.Append(t.Context(), []record.Record{&record.Event{ID: "evt", Available: new(900), UpdatedAt: noon}}, nil); err != nil {
		t.Fatal(err)
	}
	minute++
	unwritable := &record.Event{ID: "no", StartsAt: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}
	if _, _, err := s.Append(t.Context(), []record.Record{
		&record.Event{ID: "evt", Available: new(900), UpdatedAt: noon.Add(time.Hour)}, unwritable}, nil); err == nil {
		t.Error("an unwritable record was taken")
	}
	check(100)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	check(100)
}

func testReplayBesideWriter(t *testing.T, open func() *store.Store) {
	s := open()
	const n = 1750
	if _, last, err := s.Append(t.Context(), tickets(n), nil); err != nil || last != n {
		t.Fatal(last, err)
	}
	newest := make(map[string]int64)
	var before int64
	for e, err := range s.Replay(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Revision <= before {
			t.Fatalf("revision %d after %d", e.Revision, before)
		}
		before = e.Revision
		newest[e.Record.RecordID()] = e.Revision
		if e.Revision == 10 { // neither waits for the other
			mustAppend(t, s, []record.Record{ticket("tkt_01700", 1, record.TicketVoid), ticket("tkt_00000", 1, record.TicketVoid)},
				"tkt_01700 tkt_00000", n+2)
		}
	}
	if len(newest) != n || before != n+2 || newest["tkt_01700"] != n+1 || newest["tkt_00000"] != n+2 {
		t.Errorf("replayed %d records up to revision %d; the changed ones at %d and %d", len(newest), before, newest["tkt_01700"], newest["tkt_00000"])
	}
}

func testReplayEnds(t *testing.T, open func() *store.Store) {
	s := open()
	if _, _, err := s.Append(t.Context(), tickets(20), nil); err != nil {
		t.Fatal(err)
	}
	for range s.Replay(t.Context(), 0) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var failed error
	for _, err := range s.Replay(ctx, 0) {
		failed = err
	}
	if failed == nil {
		t.Error("a cancelled replay gave no error")
	}
}

func testMarks(t *testing.T, open func() *store.Store) {
	s := open()
	epoch := s.Epoch()
	if len(epoch) < 20 {
		t.Errorf("epoch %q is not random enough", epoch)
	}
	first := aggregator.Mark{Stream: "tickets", Began: noon, From: "page 2"}
	if _, _, err := s.Append(t.Context(), tickets(3), &first); err != nil {
		t.Fatal(err)
	}
	other := aggregator.Mark{Stream: "orders", Began: noon, From: "page 9"}
	if _, _, err := s.Append(t.Context(), nil, &other); err != nil {
		t.Fatal(err)
	}
	second := aggregator.Mark{Stream: "tickets", Since: noon.Add(time.Second / 3), Whole: noon.Add(time.Hour)}
	if _, last, err := s.Append(t.Context(), nil, &second); err != nil || last != 3 {
		t.Fatal(last, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open()
	if s.Epoch() != epoch {
		t.Errorf("epoch was %q and is %q", epoch, s.Epoch())
	}
	marks, err := s.Marks(t.Context())
	if want := map[string]aggregator.Mark{"tickets": second, "orders": other}; err != nil || !reflect.DeepEqual(marks, want) {
		t.Errorf("marks %v, %v; want %v", marks, err, want)
	}
	if n := len(replay(t, s, 0)); n != 3 {
		t.Errorf("%d records after opening again, want 3", n)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// checkSession checks what every way of looking says of a session; want nil means none.
func checkSession(t *testing.T, s *store.Store, token string, want []byte) {
	t.Helper()
	got, found, err := s.FindCtx(t.Context(), token)
	if err != nil || found != (want != nil) || !bytes.Equal(got, want) {
		t.Errorf("FindCtx(%q) = %q, %v, %v; want %q", token, got, found, err, want)
	}
	if got, found, err = s.Find(token); err != nil || found != (want != nil) || !bytes.Equal(got, want) {
		t.Errorf("Find(%q) = %q, %v, %v; want %q", token, got, found, err, want)
	}
}

func testSessions(t *testing.T, open func() *store.Store) {
	s := open()
	expiry := time.Now().Add(time.Hour)
	checkSession(t, s, "never", nil)
	if err := s.Delete("never"); err != nil {
		t.Error(err)
	}
	if err := s.CommitCtx(t.Context(), "one", []byte("1"), expiry); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit("two", []byte("2"), expiry); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit("empty", nil, expiry); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "one", []byte("1"))
	checkSession(t, s, "empty", []byte{})
	if err := s.Commit("one", []byte("more"), expiry); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	checkSession(t, s, "one", []byte("more"))
	checkSession(t, s, "two", []byte("2"))
}

func testSessionExpiry(t *testing.T, open func() *store.Store) {
	s := open()
	now := noon
	s.SetNow(func() time.Time { return now })
	if err := s.Commit("a", []byte("1"), noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	now = noon.Add(time.Hour - time.Millisecond)
	checkSession(t, s, "a", []byte("1"))
	now = noon.Add(time.Hour)
	checkSession(t, s, "a", nil)
	// A handler that read the session before it expired writes it back.
	if err := s.Commit("a", []byte("late"), noon.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	// Another's commit clears the expired away: not even a clock set back finds it.
	if err := s.Commit("b", []byte("2"), noon.Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	now = noon
	checkSession(t, s, "a", nil)
	checkSession(t, s, "b", []byte("2"))
}

func testTombstone(t *testing.T, open func() *store.Store) {
	s := open()
	expiry := time.Now().Add(time.Hour)
	if err := s.Commit("a", []byte("in"), expiry); err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteCtx(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "a", nil)
	if err := s.Commit("a", []byte("back"), expiry.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "a", nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	if err := s.Commit("a", []byte("back"), expiry); err != nil {
		t.Fatal(err)
	}
	checkSession(t, s, "a", nil)
}

func testSessionsAtOnce(t *testing.T, open func() *store.Store) {
	s := open()
	expiry := time.Now().Add(time.Hour)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			token := fmt.Sprint("token", i)
			for n := range 20 {
				if err := s.CommitCtx(t.Context(), token, []byte{byte(n)}, expiry); err != nil {
					t.Error(err)
				}
				if b, found, err := s.FindCtx(t.Context(), token); err != nil || !found || b[0] != byte(n) {
					t.Errorf("%s: read %v, %v, %v after writing %d", token, b, found, err, n)
				}
			}
			if err := s.DeleteCtx(t.Context(), token); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Go(func() {
		for n := range 20 {
			if _, _, err := s.Append(t.Context(), []record.Record{ticket("a", n, record.TicketValid)}, nil); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	for i := range 8 {
		checkSession(t, s, fmt.Sprint("token", i), nil)
	}
}
