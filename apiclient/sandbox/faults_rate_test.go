package sandbox_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/faults"
)

func TestFaultWithoutRateIsRefused(t *testing.T) {
	if _, err := sandbox.New(sandbox.Options{Empty: true, Faults: []faults.Fault{{Kind: "reset"}}}); err == nil {
		t.Error("a fault without a rate was taken")
	}
}

// TestFaultsBySeed: what goes wrong is the same for the same seed, and at about its rate.
func TestFaultsBySeed(t *testing.T) {
	run := func(seed uint64) string {
		s, err := sandbox.New(sandbox.Options{Seed: seed, Empty: true, Start: evening, APIKey: testKey, Faults: []faults.Fault{
			{Kind: "error", Rate: .25}, {Kind: "storm", Rate: .02}, {Kind: "garbage", Rate: .1, Stream: "events"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		for range 400 {
			r := httptest.NewRequest(http.MethodGet, "/v2/events", nil)
			r.Header.Set("Authorization", "Bearer "+testKey)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			fmt.Fprintln(&log, w.Code, json.Valid(w.Body.Bytes()))
		}
		return log.String()
	}
	first := run(7)
	if run(7) != first {
		t.Error("the same seed went wrong otherwise")
	}
	if run(8) == first {
		t.Error("another seed went wrong alike")
	}
	if n := strings.Count(first, "50"); n < 60 || n > 140 {
		t.Errorf("%d errors of 400", n)
	}
	for _, want := range []string{"500 true", "502 true", "503 true", "504 true", "200 false", "429 true\n429 true\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("there was no %q", want)
		}
	}
}

func TestLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := sandbox.New(sandbox.Options{Empty: true, APIKey: testKey, Faults: []faults.Fault{{Kind: "latency", Rate: 1, Delay: time.Second}}})
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			begin := time.Now()
			r := httptest.NewRequest(http.MethodGet, "/v2/events", nil)
			r.Header.Set("Authorization", "Bearer "+testKey)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if took := time.Since(begin); w.Code != 200 || took < time.Second/2 || took > 3*time.Second/2 {
				t.Errorf("%d after %v", w.Code, took)
			}
		}
	})
}

// withTickets returns a house of 100 tickets, and the records of a list as it serves them.
func withTickets(t *testing.T) (*service, string, func(path string) []map[string]any) {
	s := open(t, sandbox.Options{Empty: true})
	id := s.addEvent(evt)
	for range 20 {
		s.sell(id, 5)
		s.Advance(time.Second)
	}
	return s, id, func(path string) []map[string]any { return list[map[string]any](s, path).Data }
}

// TestRecordFaults: what is served changes, the truth does not.
func TestRecordFaults(t *testing.T) {
	s, _, rows := withTickets(t)
	const path = "/v2/tickets?per_page=500"
	before, truth := rows(path), fmt.Sprint(s.Truth())
	changed := func(after []map[string]any) (n int) {
		for i := range min(len(before), len(after)) {
			if fmt.Sprint(before[i]) != fmt.Sprint(after[i]) {
				n++
			}
		}
		return n
	}
	for _, test := range []struct {
		kind  string
		check func(after []map[string]any) bool
	}{
		{"vanish", func(after []map[string]any) bool { return len(after) == 99 }},
		{"test-record", func(after []map[string]any) bool {
			n := slices.IndexFunc(after, func(r map[string]any) bool { return r["test"] == true })
			return len(after) == 101 && n >= 0 && strings.HasSuffix(fmt.Sprint(after[n]["id"]), "_test")
		}},
		{"unknown-status", func(after []map[string]any) bool {
			n := 0
			for _, r := range after {
				if r["status"] == "under_review" {
					n++
				}
			}
			return len(after) == 100 && n >= 1 && n < 40 && n == changed(after)
		}},
		{"absent", func(after []map[string]any) bool {
			for i, r := range after {
				if r["id"] == nil || r["event_id"] == nil || r["status"] == nil || len(r) < len(before[i])-1 {
					return false
				}
			}
			return len(after) == 100 && changed(after) >= 1 && changed(after) < 40
		}},
		{"null", func(after []map[string]any) bool {
			n := 0
			for _, r := range after {
				for _, v := range r {
					if v == nil {
						n++
					}
				}
			}
			return len(after) == 100 && n >= 1 && n == changed(after)
		}},
	} {
		answer, _ := s.do(http.MethodGet, path, "")
		s.control("fault", `{"kind":"`+test.kind+`","for":600,"rate":1}`, nil)
		if after := rows(path); !test.check(after) {
			t.Errorf("%s: %d rows, %d changed", test.kind, len(after), changed(after))
		}
		if altered, _ := s.do(http.MethodGet, path, ""); altered.Header.Get("ETag") != "" || answer.Header.Get("ETag") == "" {
			t.Errorf("%s: ETag %q on what is not in the books", test.kind, altered.Header.Get("ETag"))
		}
		one, body := s.do(http.MethodGet, "/v2/tickets/"+fmt.Sprint(before[3]["id"]), "")
		if want := map[bool]int{true: 404, false: 200}[test.kind == "vanish"]; one.StatusCode != want || !json.Valid(body) {
			t.Errorf("%s: one record %s %s", test.kind, one.Status, body)
		}
		if got := fmt.Sprint(s.Truth()); got != truth {
			t.Errorf("%s changed the truth", test.kind)
		}
		s.control("fault", `{"kind":"`+test.kind+`"}`, nil)
		if after := rows(path); len(after) != 100 || changed(after) > 0 {
			t.Errorf("%s: %d rows, %d still changed", test.kind, len(after), changed(after))
		}
	}
}

func TestDuplicates(t *testing.T) {
	s, _, rows := withTickets(t)
	s.control("fault", `{"kind":"duplicate","for":600,"rate":1}`, nil)
	one, two := rows("/v2/tickets?per_page=10"), rows("/v2/tickets?per_page=10&page=2")
	if len(one) != 10 || len(two) != 11 || two[0]["id"] != one[9]["id"] {
		t.Errorf("pages of %d and %d", len(one), len(two))
	}
}

// TestShift: rows seem to come in front while the list is read: some are read twice, none
// is lost, and who begins anew sees all in place.
func TestShift(t *testing.T) {
	s, _, rows := withTickets(t)
	s.control("fault", `{"kind":"shift","for":600,"rate":0.5}`, nil)
	for _, style := range []string{"page", "offset", "next", "link-header", "cursor"} {
		s.control("paging", `{"style":"`+style+`"}`, nil)
		for range 2 {
			got := ids(s.read(style, "sort=-updated_at", 10, nil))
			distinct := slices.Compact(slices.Sorted(slices.Values(got)))
			if len(distinct) != 100 || len(got) == 100 && style != "cursor" || len(got) > 100 && style == "cursor" {
				t.Errorf("%s: %d rows, %d of them different", style, len(got), len(distinct))
			}
		}
	}

	// The rows in front stay when the fault ends.
	s.control("paging", `{"style":"page"}`, nil)
	s.control("fault", `{"kind":"shift","for":600,"rate":1}`, nil)
	seen := map[any]bool{}
	for page, want := range []int{40, 40, 21} {
		if page == 2 {
			s.control("fault", `{"kind":"shift"}`, nil)
		}
		of := rows(fmt.Sprintf("/v2/tickets?per_page=40&page=%d", page+1))
		if len(of) != want {
			t.Errorf("page %d has %d rows, want %d", page+1, len(of), want)
		}
		for _, r := range of {
			seen[r["id"]] = true
		}
	}
	if len(seen) != 100 {
		t.Errorf("%d of 100 rows when the fault ended in the middle", len(seen))
	}
	// Who looks at the first page in the middle of a read does not undo them; who begins anew
	// has none.
	for _, one := range []struct{ page, rows int }{{1, 40}, {3, 21}} {
		if again := rows(fmt.Sprintf("/v2/tickets?per_page=40&page=%d", one.page)); len(again) != one.rows {
			t.Errorf("page %d, again, has %d rows, want %d", one.page, len(again), one.rows)
		}
	}
	for page, want := range []int{40, 40, 20} {
		if again := rows(fmt.Sprintf("/v2/tickets?per_page=40&page=%d", page+1)); len(again) != want {
			t.Errorf("page %d of a list that was begun anew has %d rows, want %d", page+1, len(again), want)
		}
	}
}

// TestLate: a change is reported with a delay of its own, until then what was before; all of it in
// time, and without the fault at once.
func TestLate(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	order := s.sell(s.addEvent(evt), 40)
	s.control("fault", `{"kind":"late","for":86400,"rate":1}`, nil)
	begin := s.Now()
	for i, id := range order.TicketIDs[:20] {
		if s.Advance(time.Second); i%2 == 0 {
			s.control("void", fmt.Sprintf(`{"ticket_id":%q}`, id), nil)
		}
	}
	s.sell(s.addEvent(evt), 10)
	since := "/v2/tickets?per_page=500&sort=-updated_at&updated_since=" + begin.Add(time.Millisecond).Format(time.RFC3339Nano)
	before := -1
	for _, after := range []time.Duration{0, 30 * time.Second, 30 * time.Second} {
		s.Advance(after)
		reported, whole := all[record.Ticket](s, since), all[record.Ticket](s, "/v2/tickets?")
		if len(reported) <= before || len(reported) >= 20 || len(whole) < 40 || len(whole) >= 50 {
			t.Errorf("after %v: %d of 20 changes reported, then %d; %d of 50 tickets", after, before, len(reported), len(whole))
		}
		before = len(reported)
		for _, x := range whole {
			one, body := s.do(http.MethodGet, "/v2/tickets/"+x.ID, "")
			if one.StatusCode != 200 || x.Status == record.TicketValid == bytes.Contains(body, []byte(`"void"`)) {
				t.Errorf("%s in the list, by itself %s", x.Status, body)
			}
			if x.Status == record.TicketVoid != x.UpdatedAt.After(x.CreatedAt) {
				t.Errorf("reported as %s, changed at %v", x.Status, x.UpdatedAt)
			}
		}
	}
	s.Advance(90 * time.Second)
	if reported := all[record.Ticket](s, since); len(reported) != 20 {
		t.Errorf("%d of 20 changes reported at last", len(reported))
	}

	s.sell(s.addEvent(evt), 10)
	if reported := all[record.Ticket](s, since); len(reported) == 30 {
		t.Errorf("%d changes reported at once", len(reported))
	}
	if answer, _ := s.do(http.MethodGet, "/v2/tickets", ""); answer.Header.Get("ETag") != "" {
		t.Error("a late list has the tag of the books")
	}
	s.control("fault", `{"kind":"late"}`, nil)
	if reported := all[record.Ticket](s, since); len(reported) != 30 {
		t.Errorf("%d of 30 changes reported without the fault", len(reported))
	}
}

// TestFaultsTogether: a late, skewed and broken answer with a record that is not there.
func TestFaultsTogether(t *testing.T) {
	s, _, _ := withTickets(t)
	for _, call := range []string{
		`{"kind":"latency","for":600,"rate":1,"delay":0.001}`, `{"kind":"clock-skew","for":600,"rate":1,"delay":-90}`,
		`{"kind":"test-record","for":600,"rate":1}`, `{"kind":"reset-body","for":600,"rate":1}`,
	} {
		s.control("fault", call, nil)
	}
	answer, err := s.ask(t.Context(), "/v2/tickets?per_page=500")
	if err == nil { // a reset may also overtake the header
		if got, want := answer.Header.Get("Date"), s.Now().Add(-90*time.Second).Format(http.TimeFormat); got != want {
			t.Errorf("Date %q, want %q", got, want)
		}
		if b, err := io.ReadAll(answer.Body); err == nil || json.Valid(b) || int64(len(b)) >= answer.ContentLength {
			t.Errorf("%d bytes of %d, %v", len(b), answer.ContentLength, err)
		}
		answer.Body.Close()
	}
	s.control("fault", `{"kind":"reset-body"}`, nil)
	s.control("fault", `{"kind":"truncate","for":600,"rate":1}`, nil)
	answer, body := s.do(http.MethodGet, "/v2/tickets?per_page=500", "")
	if json.Valid(body) || answer.Header.Get("Date") == s.Now().Format(http.TimeFormat) || !strings.Contains(answer.Header.Get("Date"), "GMT") {
		t.Errorf("truncated: %v", answer.Header)
	}
	for _, bad := range []string{`{"kind":"latency","for":1,"delay":-1}`, `{"kind":"late","for":1,"delay":601}`, `{"kind":"reset","for":1,"rate":1.5}`, `{"kind":"reset","for":1,"rate":-1}`} {
		if answer, body := s.do(http.MethodPost, "/sandbox/fault", bad); answer.StatusCode != 400 {
			t.Errorf("%s: %s %s", bad, answer.Status, body)
		}
	}
}
