package evening_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// folded is a sandbox's records in a ledger, read as its list of changes gives them.
type folded struct {
	*foldtest.Versions
	t       *testing.T
	service *sandbox.Sandbox
	read    time.Time // up to which all changes were
}

const sandboxKey = "key-of-the-test"

func newFolded(t *testing.T, o sandbox.Options) *folded {
	t.Helper()
	o.Speed, o.APIKey = -1, sandboxKey
	s, err := sandbox.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ledger := ledger.New(figures.Calendar{Zone: o.Start.Location(), Cutoff: 6 * time.Hour})
	return &folded{Versions: &foldtest.Versions{Ledger: ledger}, t: t, service: s}
}

// snapshot reads what has changed and publishes.
func (f *folded) snapshot() *figures.Snapshot {
	f.t.Helper()
	since := f.read
	f.read = f.service.Now()
	for path, kind := range map[string]record.Kind{"events": record.KindEvent, "tickets": record.KindTicket, "payments": record.KindPayment} {
		for n, more := 1, true; more; n++ {
			rows := f.page(fmt.Sprintf("/v2/%s?per_page=500&page=%d&updated_since=%s", path, n, since.UTC().Format(time.RFC3339)))
			for _, row := range rows {
				result, id, err := record.Decode(kind, row)
				if err != nil || result.Refused != nil {
					f.t.Fatalf("%s %s: %v, %v", path, id, err, result.Refused)
				}
				f.Add(result.Record)
			}
			more = len(rows) > 0
		}
	}
	c := foldtest.Complete
	c.EventsComplete = true
	s := f.Snapshot(figures.Position{}, c)
	s.AsOf = f.read
	return s
}

func (f *folded) page(path string) []json.RawMessage {
	f.t.Helper()
	var page struct{ Data []json.RawMessage }
	f.call(httptest.NewRequest(http.MethodGet, path, nil), &page)
	return page.Data
}

func (f *folded) call(r *http.Request, out any) {
	f.t.Helper()
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1" // the control path answers only this machine
	r.Header.Set("Authorization", "Bearer "+sandboxKey)
	w := httptest.NewRecorder()
	f.service.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil || w.Code != http.StatusOK {
		f.t.Fatalf("%s: %d, %v", r.URL, w.Code, err)
	}
}

// voidInside takes the tickets back of n people who are inside.
func (f *folded) voidInside(event string, n int) {
	f.t.Helper()
	for _, row := range f.page("/v2/tickets?per_page=500&sort=-updated_at&status=valid&event_id=" + event) {
		var k record.Ticket
		if err := json.Unmarshal(row, &k); err != nil {
			f.t.Fatal(err)
		}
		if n > 0 && len(k.Scans) == 1 {
			n--
			f.call(httptest.NewRequest(http.MethodPost, "/sandbox/void", strings.NewReader(`{"ticket_id":"`+k.ID+`"}`)), new(any))
		}
	}
	if n > 0 {
		f.t.Fatalf("%d people too few are inside", n)
	}
}

// TestTruthOfEvenings follows whole evenings, every five minutes until all are home, and
// holds who is inside, who is to come and who did not come against who really is, will, and did
// not, also when tickets of people inside are taken back. Where exits are not scanned the count is that of who came in, and after the end an estimate.
func TestTruthOfEvenings(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []uint64{1, 2} {
		start := time.Date(2026, 11, 21, 19, 0, 0, 0, zone)
		f := newFolded(t, sandbox.Options{Seed: seed, Start: start, Past: 3, Coming: 8})
		moments, scanned, unscanned, leaving := 0, 0, 0, 0
		for ; f.service.Now().Before(start.Add(10 * time.Hour)); f.service.Advance(5 * time.Minute) {
			now := f.service.Now()
			v, truth := evening.At(f.snapshot(), now), f.service.Truth()
			if len(v.Shows) != 4 {
				t.Fatalf("%d performances at %v", len(v.Shows), now.In(zone))
			}
			if now.Equal(start.Add(90 * time.Minute)) {
				for _, s := range v.Shows[:2] {
					f.voidInside(s.Event.ID, 5)
				}
				v, truth = evening.At(f.snapshot(), now), f.service.Truth()
			}
			inside, toCome := 0, 0
			for _, s := range v.Shows {
				want := truth.Events[s.Event.ID]
				name := fmt.Sprintf("seed %d, %s, %s (%s)", seed, now.In(zone).Format("15:04"), s.Event.Hall, s.Phase)
				in, counted := want.Inside, s.Phase.Open() || s.Leaving
				if !want.ScansExits {
					if in = want.Present; !counted {
						in = 0
					}
					if s.Leaving { // they leave the sandbox faster than most houses
						in = s.Inside.Value
						if in < want.Inside || in > want.Present || in > want.Present/10 && now.Sub(s.Event.EndsAt) >= 20*time.Minute {
							t.Errorf("%s: an estimate of %d inside, really %d of %d", name, in, want.Inside, want.Present)
						}
					} else if in < want.Inside {
						t.Errorf("%s: %d inside, really %d", name, in, want.Inside)
					}
					unscanned += want.Inside
				} else {
					scanned += want.Inside
				}
				if s.Leaving {
					leaving += in
				}
				inside += in
				if counted && in > 0 && (!s.Inside.Known() || s.Inside.Value != in) || !counted && s.Inside.Value != 0 {
					t.Errorf("%s: %d inside, want %d", name, s.Inside.Value, in)
				}
				if s.Phase.Open() {
					if !s.LateOver {
						toCome += want.ToCome
					}
					if s.Still.Known() && s.Still.Value != want.ToCome {
						t.Errorf("%s: %d still to come, want %d", name, s.Still.Value, want.ToCome)
					}
				}
				if s.Phase == evening.Over && s.Away.Value != want.ToCome {
					t.Errorf("%s: %d did not come, want %d", name, s.Away.Value, want.ToCome)
				}
			}
			if v.House.Inside.Value != inside {
				t.Errorf("seed %d, %s: %d in the house, want %d", seed, now.In(zone).Format("15:04"), v.House.Inside.Value, inside)
			}
			if got := v.House.Still.Value + v.House.Latecomers.Value; got != toCome {
				t.Errorf("seed %d, %s: %d still to come in all, want %d", seed, now.In(zone).Format("15:04"), got, toCome)
			}
			moments++
		}
		if cmp.Or(moments < 100, scanned < 10_000, unscanned < 5_000, leaving < 100) {
			t.Errorf("seed %d: %d moments, %d and %d people-moments with and without exits, %d leaving: not an evening", seed, moments, scanned, unscanned, leaving)
		}
	}
}
