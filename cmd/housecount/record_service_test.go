package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/web"
)

// recordService is a stand-in of a service that speaks our own records, which a test writes down, and a housecount that reads
// it over HTTP with the default profile. Staff sign in at an empty sandbox, whose clock is that of both; it stands still.
type recordService struct {
	*countedService
	t        *testing.T
	front    *front
	database string
	served   *served
	staff    *visitor

	mu    sync.Mutex
	rows  map[string][]object // by list, in the order in which they came
	known map[string]int      // the index of a row, by list and id
	asked []url.URL           // in order
	// answering, if set, is called before a list is answered, and may wait or answer by itself, with true.
	answering func(w http.ResponseWriter, r *http.Request, list string) bool
	// ignores is whether the filter by event is ignored.
	ignores bool
}

// recordLists are the lists of the service.
var recordLists = []string{"events", "tickets", "payments", "contacts", "planning"}

// newRecordService returns a service with records that changed the day before, at a moment, which no housecount reads yet.
func newRecordService(t *testing.T, at time.Time, records ...record.Record) *recordService {
	t.Helper()
	t.Parallel()
	h := &recordService{t: t, front: newFront(t), rows: map[string][]object{}, known: map[string]int{}, database: filepath.Join(t.TempDir(), "house.db")}
	h.countedService = newService(t, loginAt(h.front), func(o *sandbox.Options) { o.Empty, o.Start = true, at.AddDate(0, 0, -1) })
	h.stand(h.serve)
	h.put(records...)
	h.Advance(at.Sub(h.Now()))
	return h
}

// put adds records, or newer versions of those that are there, as changed now.
func (h *recordService) put(records ...record.Record) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Now().UTC().Format(time.RFC3339)
	for _, r := range records {
		b, err := json.Marshal(r)
		if err != nil {
			h.t.Fatal(err)
		}
		row, list := object{}, string(r.RecordKind())+"s"
		if err := json.Unmarshal(b, &row); err != nil {
			h.t.Fatal(err)
		}
		row["updated_at"] = now
		i, known := h.known[list+" "+r.RecordID()]
		if known {
			h.rows[list][i] = row
			continue
		}
		h.known[list+" "+r.RecordID()] = len(h.rows[list])
		h.rows[list] = append(h.rows[list], row)
	}
}

// serve answers a request for a list by pages, as the description of our own records has it, and any other as the sandbox.
func (h *recordService) serve(w http.ResponseWriter, r *http.Request) {
	list, ok := strings.CutPrefix(r.URL.Path, "/v2/")
	if !ok || !slices.Contains(recordLists, list) {
		h.Sandbox.ServeHTTP(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+testKey {
		http.Error(w, `{"message": "who is this?"}`, http.StatusUnauthorized)
		return
	}
	h.mu.Lock()
	h.asked = append(h.asked, *r.URL)
	answering := h.answering
	h.mu.Unlock()
	if answering != nil && answering(w, r, list) {
		return
	}
	q, now := r.URL.Query(), h.Now()
	h.mu.Lock()
	rows := slices.DeleteFunc(slices.Clone(h.rows[list]), func(x object) bool {
		return x["updated_at"].(string) < q.Get("updated_since") || !h.ignores && q.Get("event_id") != "" && x["event_id"] != q.Get("event_id")
	})
	h.mu.Unlock()
	if q.Get("sort") == "-updated_at" {
		slices.SortStableFunc(rows, func(a, b object) int { return cmp.Compare(b["updated_at"].(string), a["updated_at"].(string)) })
	}
	size, _ := strconv.Atoi(q.Get("per_page"))
	page := max(1, pageOf(r.URL))
	size = cmp.Or(size, 50)
	from := min((page-1)*size, len(rows))
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	json.NewEncoder(w).Encode(object{"data": append([]object{}, rows[from:min(from+size, len(rows))]...), "meta": object{"total": len(rows), "page": page, "per_page": size}})
}

// pageOf returns the number of the page that an address asks for, 0 if it names none.
func pageOf(u *url.URL) int {
	n, _ := strconv.Atoi(u.Query().Get("page"))
	return n
}

// requests returns the addresses of a list that were asked for up to now, in order.
func (h *recordService) requests(list string) (all []url.URL) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, u := range h.asked {
		if u.Path == "/v2/"+list {
			all = append(all, u)
		}
	}
	return all
}

// start starts a housecount that polls many times a second, on the database of the one before it.
func (h *recordService) start(args ...string) {
	h.t.Helper()
	args = append([]string{"--timezone", "UTC", "--page-size", "500"}, args...)
	c := h.front.configuration(h.t, h.countedService, h.database, args...)
	c.PollBusy, c.PollOnSale, c.PollIdle = recordPoll, recordPoll, recordPoll
	h.served = h.front.run(h.t, c)
	if h.staff == nil {
		h.staff = h.front.visitor(h.t)
		h.staff.login()
	}
}

// recordPoll is the time between two polls of a list.
const recordPoll = 40 * time.Millisecond

// read starts a housecount and waits until it has read all.
func (h *recordService) read(args ...string) {
	h.t.Helper()
	h.start(args...)
	h.house().awaitFirstSync()
	h.polled()
}

// house returns what waits for figures of the housecount.
func (h *recordService) house() *testHouse {
	return &testHouse{t: h.t, demo: &demo{program: h.served.program}}
}

// at moves the clock to a moment, adds records that changed then, and waits for the figures of them.
func (h *recordService) at(moment time.Time, records ...record.Record) {
	h.t.Helper()
	h.Advance(moment.Sub(h.Now()))
	h.put(records...)
	h.polled()
}

// polled waits until what the service has now is in the figures: the second request after the next of a list begins only after
// the answer to that is stored.
func (h *recordService) polled() {
	h.t.Helper()
	want := map[string]int{}
	for _, list := range recordLists {
		want[list] = len(h.requests(list)) + 3
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(recordPoll / 4) {
		late := slices.DeleteFunc(slices.Clone(recordLists), func(list string) bool { return len(h.requests(list)) >= want[list] })
		if len(late) == 0 {
			break
		} else if time.Now().After(deadline) {
			h.t.Fatalf("waited %s for polls of %s", patience, late)
		}
	}
	position, err := h.served.records.Position(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if err := h.served.figures.Await(h.t.Context(), position.Revision); err != nil {
		h.t.Fatal(err)
	}
}

// page returns a page of the program as a manager reads it, without the reasons that are a tap away.
func (h *recordService) page(path string) string {
	h.t.Helper()
	status, _, body := h.staff.send(http.MethodGet, h.front.URL+path, nil)
	if status != http.StatusOK {
		h.t.Fatalf("%s is answered %d: %s", path, status, body)
	}
	text := regexp.MustCompile(`(?s)<(script|style)\b.*?</(script|style)>|<span class="why">[^<]*</span>`).ReplaceAllString(body, "")
	text = regexp.MustCompile(`</?(a|b|strong|span)\b[^>]*>`).ReplaceAllString(text, "") // they are within a sentence
	text = html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))
	return strings.Join(strings.Fields(text), " ")
}

// wants fails the test unless a page has all the texts, and lacks if it has one of them.
func wants(t *testing.T, name, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%s has no %q: %s", name, text, page)
		}
	}
}

func lacks(t *testing.T, name, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("%s has %q: %s", name, text, page)
		}
	}
}

// figure returns a figure of an export, as quality and value with its band: of a performance, or of the house if event is empty.
func (h *recordService) figure(event, key string) string {
	h.t.Helper()
	path := "/tonight"
	if event != "" {
		path = web.EventHref(event)
	}
	rows := h.table(path + web.ExportName)
	for _, r := range rows {
		if r["performance"] == event && r["figure"] == key {
			return strings.TrimSpace(r["quality"] + " " + r["value"] + strings.TrimSuffix(" "+r["low"]+"–"+r["high"], " –"))
		}
	}
	h.t.Fatalf("%s has no %s of %q", path, key, event)
	return ""
}

// table returns the rows of an export by the names of its columns that are the same in every language.
func (h *recordService) table(path string) (all []map[string]string) {
	h.t.Helper()
	status, _, body := h.staff.send(http.MethodGet, h.front.URL+path, nil)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(body, "\ufeff"))).ReadAll()
	if status != http.StatusOK || err != nil || len(rows) == 0 {
		h.t.Fatalf("%s is answered %d: %v %s", path, status, err, body)
	}
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, head := range rows[0] {
			name := head[strings.LastIndex(head, " ")+1:]
			row[strings.Trim(name, "()")] = cells[i]
		}
		all = append(all, row)
	}
	return all
}
