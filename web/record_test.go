package web_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/assets"
	"housecount/web"
	"housecount/web/explain"
	"housecount/web/live"
	"housecount/web/query"
	"housecount/web/words"
)

// recordTo has every document of the sandbox's evening written to a folder, to be compared (diff -r) with those of
// another commit: it is how a change that moves code is known to change nothing that is shown.
var recordTo = flag.String("record", "", "write every page, frame, export and explanation of an evening to this `folder`")

// TestRecordEvening renders pages at moments of the sandbox's evening, from records that were folded in the
// order in which they came and from the same in the opposite order. Both must be the same, byte for byte.
func TestRecordEvening(t *testing.T) {
	moments := []string{"20:40"}
	if *recordTo != "" {
		moments = []string{"10:05", "17:30", "19:20", "19:45", "19:58", "20:06", "20:40", "21:15", "22:10", "22:40", "23:30", "30:00", "36:00"}
	}
	e := newSandboxEvening(t)
	if *recordTo == "" {
		e.readUntil("19:45") // when somebody walks in
	}
	for _, at := range moments {
		e.readUntil(at)
		forward := e.documents(at, e.all)
		if *recordTo != "" {
			var b bytes.Buffer
			for _, name := range slices.Sorted(maps.Keys(forward)) {
				fmt.Fprintf(&b, "=== %s\n%s\n", name, strings.ReplaceAll(forward[name], "><", ">\n<"))
			}
			if err := os.WriteFile(filepath.Join(*recordTo, strings.ReplaceAll(at, ":", "")+".txt"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		backward := slices.Clone(e.all)
		slices.Reverse(backward)
		again, differ := e.documents(at, backward), 0
		for name, text := range forward {
			if again[name] != text && differ < 3 {
				t.Errorf("%s: %s differs when the records are folded backwards", at, name)
				differ++
			}
		}
	}
}

// sandboxEvening reads the sandbox's records.
type sandboxEvening struct {
	t       *testing.T
	service *sandbox.Sandbox
	start   time.Time
	read    time.Time // of the last reading, zero for none
	all     []record.Version
}

func newSandboxEvening(t *testing.T) *sandboxEvening {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 11, 21, 10, 0, 0, 0, zone)
	service, err := sandbox.New(sandbox.Options{Seed: 7, Start: start, Past: 20, Coming: 12, Speed: -1, APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	e := &sandboxEvening{t: t, service: service, start: start}
	e.add(&record.Setting{Name: record.SettingLicensed, Value: new(int64(200))}, start)
	e.add(&record.Setting{Name: record.SettingVATRate, Value: new(int64(900))}, start)
	e.add(&record.ScreenMessage{ID: "m1", Text: "The bar is open", Until: start.Add(14 * time.Hour)}, start)
	return e
}

func (e *sandboxEvening) add(r record.Record, at time.Time) {
	e.all = append(e.all, record.Version{Revision: int64(len(e.all) + 1), Head: true, SeenAt: at, Record: r})
}

// call asks the sandbox and decodes its answer.
func (e *sandboxEvening) call(r *http.Request, out any) {
	e.t.Helper()
	r.RemoteAddr, r.Host = "127.0.0.1:1", "127.0.0.1"
	r.Header.Set("Authorization", "Bearer k")
	w := httptest.NewRecorder()
	e.service.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil || w.Code != http.StatusOK {
		e.t.Fatalf("%s: %d, %v %.200s", r.URL, w.Code, err, w.Body)
	}
}

// readUntil advances the sandbox to a time of its first day, which may be past 24:00, and reads what changed.
func (e *sandboxEvening) readUntil(at string) {
	e.t.Helper()
	var h, m int
	if _, err := fmt.Sscanf(at, "%d:%d", &h, &m); err != nil {
		e.t.Fatal(err)
	}
	moment := e.start.Add(time.Duration(h-10)*time.Hour + time.Duration(m)*time.Minute)
	e.call(httptest.NewRequest(http.MethodPost, "/sandbox/advance", strings.NewReader(fmt.Sprintf(`{"seconds":%f}`, moment.Sub(e.service.Now()).Seconds()))), new(any))
	since := e.read
	e.read = e.service.Now()
	for _, list := range []struct {
		path string
		kind record.Kind
	}{{"events", record.KindEvent}, {"planning", record.KindPlanning}, {"contacts", record.KindContact}, {"tickets", record.KindTicket}, {"payments", record.KindPayment}} {
		for n, more := 1, true; more; n++ {
			var page struct{ Data []json.RawMessage }
			e.call(httptest.NewRequest(http.MethodGet, fmt.Sprintf("/v2/%s?per_page=500&page=%d&updated_since=%s", list.path, n, since.UTC().Format(time.RFC3339)), nil), &page)
			for _, row := range page.Data {
				result, id, err := record.Decode(list.kind, row)
				if err != nil || result.Refused != nil {
					e.t.Fatalf("%s %s: %v, %v", list.path, id, err, result.Refused)
				}
				e.add(result.Record, e.read)
			}
			more = len(page.Data) > 0
		}
	}
	if at == "19:45" {
		e.add(&record.WalkIn{ID: "w1", EventID: fold(e.start.Location(), e.all).Snapshot(figures.Position{}, ledger.Coverage{}).Events[0].Event.ID, Gate: "East", Count: 3, At: e.read}, e.read)
	}
}

// fold folds versions of records in their order in the slice.
func fold(zone *time.Location, all []record.Version) *ledger.Ledger {
	l := ledger.New(figures.Calendar{Zone: zone, Cutoff: 6 * time.Hour})
	for _, v := range all {
		l.Apply(v)
	}
	return l
}

// versionsOf returns the versions of the records that belong to a performance, or to none.
func versionsOf(all []record.Version, event string) (of []record.Version) {
	for _, v := range all {
		id := event
		switch r := v.Record.(type) {
		case *record.Event:
			id = r.ID
		case *record.Ticket:
			id = r.EventID
		case *record.Payment:
			id = r.EventID
		case *record.Planning:
			id = r.EventID
		case *record.Contact:
			continue
		}
		if id == event {
			of = append(of, v)
		}
	}
	return of
}

// documents renders every page of the table in every language for every access, by a name. At 19:45 the first
// read of the payments is not complete, at 20:40 they fail.
func (e *sandboxEvening) documents(at string, all []record.Version) map[string]string {
	e.t.Helper()
	c := ledger.Coverage{EventsComplete: true, TicketsComplete: true, PaymentsComplete: at != "19:45", ScansComplete: true, TicketsOffered: true, PaymentsOffered: true, ScansOffered: true}
	s := fold(e.start.Location(), all).Snapshot(figures.Position{Epoch: "e", Revision: int64(len(all))}, c)
	now := e.read.Add(3 * time.Second)
	s.AsOf, s.Health = e.read, recordHealth(now, at == "20:40")
	history := func(id string) *catalogue.History {
		return &catalogue.History{Snapshot: s, Coverage: c, Versions: versionsOf(e.all, id), Now: now}
	}
	bundle, err := assets.Load()
	if err != nil {
		e.t.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle, Venue: "Theater De Waag", Sources: web.Sources{
		Sessions: func(web.SessionsQuery) (web.Sessions, error) { return web.Sessions{}, nil },
		Screens:  func() (web.Screens, error) { return web.Screens{}, nil },
		Changed: func(since, until string) (catalogue.Changed, error) {
			from, to := explain.Between(since, until, s, now)
			out := catalogue.Changed{From: from.At, Until: to.At, After: int64(len(all) / 2), UpTo: int64(len(all))}
			for _, of := range s.Events[:min(6, len(s.Events))] {
				if d, changed, ok := history(of.Event.ID).Compare(of.Event.ID, out.After, out.UpTo); ok && changed {
					out.Events = append(out.Events, d)
				}
			}
			return out, nil
		},
		Behind: func(x catalogue.Explanation) (catalogue.Behind, error) {
			if x.Event == nil {
				return catalogue.Behind{}, nil
			}
			return history(x.Event.Event.ID).Behind(x.Key, x.Scope), nil
		},
	}})
	if err != nil {
		e.t.Fatal(err)
	}
	d := documents{e.t, renderer, s, now, map[string]string{}}
	accesses := []web.Access{{Money: web.NoMoney, Public: true}, web.Access{Money: web.TodaysMoney}.InHalls(s.Events[0].Event.Hall)}
	for _, role := range web.Roles {
		accesses = append(accesses, role.Access())
	}
	locales, queries := []web.Locale{web.English, words.Dutch, words.German}, pageQueries(s, now)
	for _, p := range web.Pages() {
		for n, values := range append([]url.Values{{}}, queries[p.Name]...) {
			for j, a := range accesses {
				for k, locale := range locales {
					// The first two queries in every language where they are written, the others in turn; of the many explanations an
					// administrator's and every sixth.
					if *recordTo != "" && n <= 1 || (n+j)%3 == k && (p.Name != "explain" || n <= 3 || j == len(accesses)-1 || (n+j)%6 == 0) {
						d.add(p, values, a, locale, fmt.Sprintf("%s %s %d %s", p.Name, values.Encode(), j, locale))
					}
				}
			}
		}
	}
	return d.text
}

// recordHealth returns the state of three streams; failing has the payments unreachable.
func recordHealth(now time.Time, failing bool) (h figures.Health) {
	for _, s := range []figures.StreamHealth{{Name: "events", Kinds: []record.Kind{record.KindEvent}}, {Name: "payments", Kinds: []record.Kind{record.KindPayment}}, {Name: "tickets", Kinds: []record.Kind{record.KindTicket, record.KindScan}}} {
		s.LastGood, s.Complete = now.Add(-2*time.Second), true
		if failing && s.Name == "payments" {
			s.LastGood, s.Missed, s.Fault = now.Add(-5*time.Minute), 4, figures.FaultUnreachable
		}
		h.Streams = append(h.Streams, s)
	}
	return h
}

// pageQueries returns addresses of pages besides the one without parameters, by the page's name.
func pageQueries(s *figures.Snapshot, now time.Time) map[string][]url.Values {
	day := s.Calendar.Day(now)
	var tonight, other string
	for _, e := range s.Events {
		if e.Date == day {
			tonight = cmp.Or(tonight, e.Event.ID)
		} else {
			other = e.Event.ID
		}
	}
	tonight = cmp.Or(tonight, other)
	hall, today := s.Events[0].Event.Hall, string(day)
	queries := map[string][]url.Values{
		"event":     {{"event": {"evt_none"}}},
		"revenue":   {{"period": {"week"}}, {"period": {"season"}, "against": {"last_year"}}, {"period": {"today"}, "against": {"nothing"}}, {"period": {"yesterday"}}, {"period": {"month"}, "by": {"week"}}},
		"message":   {{"text": {"The bar is open"}}},
		"events":    {{"q": {"sat"}}, {"status": {"sold_out"}}, {"order": {"free"}}, {"when": {"past"}}},
		"calendar":  {{"span": {"week"}}, {"day": {"2026-12-24"}}},
		"marketing": {{"period": {"season"}}, {"period": {"yesterday"}}},
		"tonight":   {{"hall": {hall}}},
		"changes":   {{"since": {"1"}}},
		"wall":      {{"hall": {hall}}},
		"arrivals":  {{"hall": {hall}}},
		"board":     {{"hall": {hall}}},
	}
	for i, e := range s.Events {
		id := url.Values{"event": {e.Event.ID}}
		if i%5 == 0 || e.Event.ID == tonight {
			queries["event"] = append(queries["event"], id)
		}
		if i%15 == 0 || e.Event.ID == tonight {
			queries["performance"] = append(queries["performance"], id)
		}
	}
	for _, d := range catalogue.All() {
		for _, scope := range []string{"", "event=" + tonight, "from=" + today + "&to=" + today, "from=2026-11-01&orders=1&to=" + today, "night=1", "event=" + other + "&from=2026-10-01&to=" + today,
			"by=channels&event=" + tonight + "&part=web", "event=" + tonight + "&gate=East", "from=2026-11-01&performances=1&to=2026-12-01", "hall=" + url.QueryEscape(hall)} {
			values, _ := url.ParseQuery(scope)
			values.Set("figure", string(d.Key))
			queries["explain"] = append(queries["explain"], values)
		}
	}
	return queries
}

// documents renders pages of one snapshot.
type documents struct {
	t        *testing.T
	renderer *web.Renderer
	snapshot *figures.Snapshot
	now      time.Time
	text     map[string]string
}

// add renders a page, its frame, its export and its explanations. What is refused is a document, too.
func (d documents) add(p web.Page, values url.Values, a web.Access, l web.Locale, name string) {
	d.t.Helper()
	q, err := web.NewRequest(p.Name, values, a, l)
	if _, wrong := errors.AsType[*query.Error](err); wrong || errors.Is(err, web.ErrForbidden) {
		d.text[name+" refused"] = err.Error()
		return
	} else if err != nil {
		d.t.Fatal(err)
	}
	frame := web.Frame{Request: q, Snapshot: d.snapshot, Now: d.now, User: "Marijke", Ready: true}
	write := func(kind string, render func(*bytes.Buffer) error) {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			fmt.Fprintf(&b, "error: %v", err)
		}
		d.text[name+kind] = b.String()
	}
	write("", func(b *bytes.Buffer) error { return d.renderer.Page(b, frame) })
	write(" frame", func(b *bytes.Buffer) error {
		content, err := d.renderer.Content(q, d.snapshot, d.now, live.Content{})
		if err != nil {
			return err
		}
		fmt.Fprintln(b, content.Token())
		return json.NewEncoder(b).Encode(map[string]any{"html": content.HTML, "charts": content.Charts, "same": content.Same})
	})
	if p.Exports() {
		write(" export", func(b *bytes.Buffer) error {
			n, err := d.renderer.Export(b, frame)
			fmt.Fprintf(b, "\n%s", n)
			return err
		})
	}
	if q.Explains() {
		write(" explanation", func(b *bytes.Buffer) error { return explain.JSON(b, d.renderer, frame) })
	}
}
