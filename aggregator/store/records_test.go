package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

func testStreams(t *testing.T, database string) {
	l := openLog(t, database)
	start, err := l.Position(t.Context())
	if err != nil || len(start.Epoch) < 20 || start.Revision != 0 || start.Streams != 0 {
		t.Errorf("a new log is at %+v, %v", start, err)
	}
	full := aggregator.StreamState{Name: "tickets", Since: noon.Add(time.Second / 3), Began: noon, Resume: "page 2", Whole: noon.Add(time.Hour),
		Withdrawn: true, Missed: 3, Fault: figures.FaultServer, FaultStatus: 503, Read: 7, Total: -1, Unfiltered: true,
		Refused: []aggregator.RefusedRecord{{Kind: record.KindTicket, ID: "a", EventID: "e", Field: "seat", Why: record.Say("is {value}", record.Verbatim("value", "odd"), record.Number("n", 3), record.Of("of", record.Say("it")))}}, Unlisted: map[record.Kind]map[string]int{record.KindTicket: {"f": 1}},
		Alarms:   []figures.Diagnostic{{Code: figures.CodeSweepGuard, Count: 9}},
		LastGood: noon, Took: time.Second, Next: noon.Add(time.Minute), Wait: time.Minute}
	other := aggregator.StreamState{Name: "orders", Began: noon, Resume: "page 9"}
	set := func(records []record.Record, states ...aggregator.StreamState) {
		t.Helper()
		if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: records, Streams: states}); err != nil {
			t.Fatal(err)
		}
	}
	set(tickets(3), aggregator.StreamState{Name: "tickets", Began: noon})
	set(nil, other)
	set(nil, full)
	elsewhere := full
	elsewhere.LastGood, elsewhere.Next = full.LastGood.In(time.FixedZone("", 3600)), full.Next.In(time.Local)
	set(nil, other, elsewhere)
	l.end()
	closed(t, l.Store)

	r := records(t, open(t, database), "default")
	states, counter, err := r.Streams(t.Context())
	if want := []aggregator.StreamState{other, full}; err != nil || counter != 5 || !reflect.DeepEqual(states, want) {
		t.Errorf("streams %+v at %d, %v; want %+v at 5", states, counter, err, want)
	}
	want := figures.Position{Epoch: start.Epoch, Revision: 3, Streams: 5, Tenure: start.Tenure}
	if p, err := r.Position(t.Context()); err != nil || p != want {
		t.Errorf("position %+v, %v; want %+v", p, err, want)
	}
	if err := r.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

func testServices(t *testing.T, database string) {
	one := openLog(t, database)
	two := led(t, records(t, one.Store, "two")) // each has its own poller
	one.put(t, 2, 2, ticket("a", 1, record.TicketValid), ticket("b", 1, record.TicketValid))
	two.put(t, 1, 3, ticket("a", 0, record.TicketVoid))
	one.put(t, 0, 2, ticket("a", 1, record.TicketValid))
	one.check(t, 0, "1:t:a 2:t:b")
	two.check(t, 0, "3:t:a")
	if _, err := one.Append(t.Context(), aggregator.Batch{Term: one.term, Streams: []aggregator.StreamState{{Name: "tickets"}}}); err != nil {
		t.Fatal(err)
	}
	p, err := one.Position(t.Context())
	q, err2 := two.Position(t.Context())
	if err != nil || err2 != nil || p.Revision != 2 || p.Streams != 1 || q.Revision != 3 || q.Streams != 0 || p.Epoch != q.Epoch {
		t.Errorf("positions %+v and %+v, %v, %v", p, q, err, err2)
	}
	if got := heads(t, two.Records, record.KindTicket); got != "a:void" {
		t.Errorf("heads of the second service %s", got)
	}
	if names, err := one.Services(t.Context()); err != nil || strings.Join(names, " ") != "default two" {
		t.Errorf("services %q, %v", names, err)
	}
}

func testHeads(t *testing.T, database string) {
	l := openLog(t, database)
	all := append(tickets(2345), &record.Event{ID: "evt_1"}, &record.Payment{ID: "pay_1"})
	l.append(t, all...)
	if got := heads(t, l.Records, record.KindEvent, record.KindPayment); got != "evt_1 pay_1" {
		t.Errorf("heads %s", got)
	}
	if n := len(strings.Fields(heads(t, l.Records, record.KindTicket))); n != 2345 {
		t.Errorf("%d tickets", n)
	}
	for range l.Heads(t.Context(), record.KindTicket) {
		break
	}
	var failed error
	for _, err := range l.Heads(t.Context(), "unheard of") {
		failed = err
	}
	if failed == nil {
		t.Error("an unknown kind is no error")
	}
}

func testAnswers(t *testing.T, database string) {
	l := openLog(t, database)
	get := func() string {
		t.Helper()
		b, err := l.Answer(t.Context(), "paging of tickets")
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			return "none"
		}
		return string(b)
	}
	set := func(b []byte) {
		t.Helper()
		if err := l.SetAnswer(t.Context(), l.term, "paging of tickets", b); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		set  []byte
		want string
	}{{[]byte("cursor"), "cursor"}, {[]byte("page"), "page"}, {nil, "none"}, {[]byte{}, ""}} {
		if set(c.set); get() != c.want {
			t.Errorf("answer %q, want %q", get(), c.want)
		}
	}
}

func testRenew(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 1, 1, ticket("a", 1, record.TicketValid))
	before, err := l.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	renew := func(old string) figures.Position {
		t.Helper()
		if err := l.Renew(t.Context(), old); err != nil {
			t.Fatal(err)
		}
		p, err := l.Position(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := renew("another"); p != before {
		t.Errorf("another epoch was renewed to %+v", p)
	}
	l.put(t, 1, 2, ticket("b", 1, record.TicketValid))
	after := renew(before.Epoch)
	if after.Epoch == before.Epoch || len(after.Epoch) < 20 || after.Revision != 2 {
		t.Errorf("renewed %+v to %+v", before, after)
	}
	if p := renew(before.Epoch); p != after {
		t.Errorf("renewed twice, to %+v", p)
	}
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, Records: tickets(1)}); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("append in the term before: %v", err)
	}
	l.end()
	led(t, l.Records).put(t, 1, 3, tickets(1)...)
}

// Appends of many streams and other writes at once lose nothing, and revisions have no gap.
func testWritersTakeTurns(t *testing.T, database string) {
	l := openLog(t, database)
	var wg sync.WaitGroup
	for stream := range 4 {
		wg.Go(func() {
			for n := range 25 {
				b := aggregator.Batch{Term: l.term, SeenAt: noon, Streams: []aggregator.StreamState{{Name: fmt.Sprint(stream), Read: n}},
					Records: []record.Record{ticket(fmt.Sprintf("%d_%d", stream, n), 0, record.TicketValid), ticket("shared", n, record.TicketValid)}}
				if _, err := l.Append(t.Context(), b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i, v := range versions(t, l.Records, 0) {
		if v.Revision != int64(i)+1 {
			t.Fatalf("revision %d is followed by %d", i, v.Revision)
		}
	}
	if p, err := l.Position(t.Context()); err != nil || p.Revision < 125 || p.Revision > 200 || p.Streams != 100 {
		t.Errorf("position %+v, %v", p, err)
	}
}

// What people enter is in the log as what the service reports, whoever has the lease, and does not
// come between who polls and the log.
func testEnter(t *testing.T, database string) {
	l := openLog(t, database)
	other := records(t, open(t, database), "default")
	l.put(t, 1, 1, ticket("a", 1, record.TicketValid))
	seen := &record.Acknowledgement{Alert: "oversold:x", At: noon, By: "Marijke", Count: 2}
	for range 2 { // the second time it is there
		if revision, err := other.Enter(t.Context(), noon, seen); err != nil || revision != 2 {
			t.Fatalf("revision %d, %v", revision, err)
		}
	}
	again := &record.Acknowledgement{Alert: "oversold:x", At: noon.Add(time.Minute), By: "Joost", Count: 3}
	if revision, err := l.Enter(t.Context(), noon, again); err != nil || revision != 3 {
		t.Fatalf("revision %d, %v", revision, err)
	}
	l.put(t, 1, 4, ticket("b", 1, record.TicketValid))
	l.check(t, 0, "1:t:a 2:a:oversold:x 3:a:oversold:x 4:t:b")
	says := &record.ScreenMessage{ID: "m", Text: "Late entry by door B", Urgent: true, Screens: []string{"foyer"}, Until: noon.Add(time.Hour), At: noon, By: "Mia"}
	if revision, err := other.Enter(t.Context(), noon, says); err != nil || revision != 5 {
		t.Fatalf("revision %d, %v", revision, err)
	}
	if all := versions(t, other, 4); !reflect.DeepEqual(all[0].Record, says) {
		t.Errorf("entered %+v", all[0].Record)
	}
	if all := versions(t, other, 2); !reflect.DeepEqual(all[0].Record, again) || !all[0].SeenAt.Equal(noon) {
		t.Errorf("entered %+v, seen at %s", all[0].Record, all[0].SeenAt)
	}
}

// Who changes what somebody else changed since they read it is told, and nothing of it is stored: no
// record and no act.
func testReplace(t *testing.T, database string) {
	l := openLog(t, database)
	other := records(t, open(t, database), "default")
	set := func(of string, value int64, by string, minute int) *record.Setting {
		return &record.Setting{Name: record.SettingLicensed, Of: of, Value: &value, At: noon.Add(time.Duration(minute) * time.Minute), By: by}
	}
	act := func(what string) []store.Act {
		return []store.Act{{Actor: "iss mia", Action: "setting_changed", ObjectName: what}}
	}
	if revision, err := l.Replace(t.Context(), noon, 0, act("both"), set("Main", 400, "Mia", 0), set("", 900, "Mia", 0)); err != nil || revision != 2 {
		t.Fatalf("revision %d, %v", revision, err)
	}
	if revision, err := other.Replace(t.Context(), noon, 2, act("main"), set("Main", 420, "Joost", 1)); err != nil || revision != 3 {
		t.Fatalf("revision %d, %v", revision, err)
	}
	_, err := l.Replace(t.Context(), noon, 2, act("never"), set("", 800, "Mia", 2), set("Main", 410, "Mia", 2))
	if !errors.Is(err, store.ErrChanged) {
		t.Errorf("who read revision 2 gets %v", err)
	}
	if revision, err := l.Replace(t.Context(), noon, 2, nil, set("", 800, "Mia", 3)); err != nil || revision != 4 {
		t.Errorf("what nobody else changed: revision %d, %v", revision, err)
	}
	if all := versions(t, other, 2); len(all) != 2 || !reflect.DeepEqual(all[0].Record, set("Main", 420, "Joost", 1)) || !all[0].Head {
		t.Errorf("after the first two: %+v", all)
	}
	// What would not be the newest is not stored either: it was taken back by a clock that is ahead.
	gone := &record.Setting{Name: record.SettingLicensed, Of: "Main", At: noon.Add(5 * time.Minute), By: "Joost"}
	if revision, err := other.Replace(t.Context(), noon, 4, nil, gone); err != nil || revision != 5 {
		t.Fatalf("revision %d, %v", revision, err)
	}
	for _, late := range []*record.Setting{set("Main", 400, "Mia", 4), set("Main", 420, "Joost", 1)} { // one that the log does not have, and one that it has
		if _, err := l.Replace(t.Context(), noon, 5, act("never"), late); !errors.Is(err, store.ErrChanged) {
			t.Errorf("what is not the newest: %v", err)
		}
	}
	if revision, err := l.Replace(t.Context(), noon, 5, nil, gone); err != nil || revision != 5 {
		t.Errorf("what is so already: revision %d, %v", revision, err)
	}
	acts, err := l.Audit().Acts(t.Context(), store.ActQuery{Action: "setting_changed"}, 0, 10)
	if err != nil || len(acts) != 2 || acts[0].ObjectName != "main" || acts[1].ObjectName != "both" {
		t.Errorf("the audit has %+v, %v", acts, err)
	}
}
