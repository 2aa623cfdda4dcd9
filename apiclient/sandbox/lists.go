package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"
)

// query is what a list was asked for, but for the page of it.
type query struct {
	since                time.Time
	event, order, status string
	from, to             string         // dates, both included; events and planning only
	zone                 *time.Location // of the dates; planning only
	available            *bool          // events only
	newestChange         bool           // sort=-updated_at
	oldestChange         bool           // sort=updated_at; created_at when neither
}

// api wraps a stream's handlers, by method, in what every one needs: faults, method,
// credential. Whoever may GET may HEAD.
func (s *Sandbox) api(st *stream, by map[string]streamHandler) http.Handler {
	methods := []string{http.MethodGet, http.MethodHead}
	for _, m := range []string{http.MethodPost, http.MethodPatch} {
		if by[m] != nil {
			methods = append(methods, m)
		}
	}
	return s.faulty(st.name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allow(w, r, methods...) || !s.authorized(w, r, st.name) {
			return
		}
		serve := by[r.Method]
		if r.Method == http.MethodHead {
			serve = by[http.MethodGet]
		}
		serve(w, r, st)
	}))
}

type streamHandler func(http.ResponseWriter, *http.Request, *stream)

// serveList answers with a page of a stream. Date is the sandbox's clock at the moment of
// reading.
func (s *Sandbox) serveList(w http.ResponseWriter, r *http.Request, st *stream) {
	values := r.URL.Query()
	q, err := parseQuery(values, st.name, s.options.Zone)
	if err != nil {
		writeError(w, err)
		return
	}
	s.mu.Lock()
	now := s.catchUp()
	if s.paging == "cursor" && !q.since.IsZero() && values.Get("sort") == "" {
		q.oldestChange = true
	}
	win, err := parseWindow(s.paging, values, q)
	if err != nil {
		s.mu.Unlock()
		writeError(w, err)
		return
	}
	tamper := tamperingOf(r.Context())
	tag := s.tagOf(st.name, st.revision, win.style, r.URL.RequestURI(), tamper)
	rows := st.list(q)
	if tamper.late > 0 {
		rows = st.lateList(q, now, tamper.late)
	}
	c := win.cut(rows, q, tamper)
	var data []any
	if c.style != "bare" {
		data = served(c.rows)
	}
	s.mu.Unlock()

	w.Header().Set("Date", now.Format(http.TimeFormat))
	if tamper.late == 0 && unchanged(w, r, tag) { // the tag is that of the books
		return
	}
	if c.style == "bare" {
		s.writeBare(w, c.rows)
		return
	}
	s.writeCut(w, r, c, data)
}

// served is what is told of the rows: copies, to be encoded without the lock.
func served(rows []*row) []any {
	data := make([]any, len(rows))
	for i, r := range rows {
		data[i] = copyOf(r.record)
	}
	return data
}

// serveOne answers with one record.
func (s *Sandbox) serveOne(w http.ResponseWriter, r *http.Request, st *stream) {
	s.mu.Lock()
	now := s.catchUp()
	rec, err := find[record.Record](st, r.PathValue("id"))
	if late := tamperingOf(r.Context()).late; late > 0 && err == nil {
		if told := st.told(st.rows[rec.RecordID()], now, late); told != nil {
			rec = told.record
		} else {
			err = notFound(fmt.Sprintf("%s has no record %q", st.name, rec.RecordID()))
		}
	}
	if err == nil {
		rec = copyOf(rec)
	}
	s.mu.Unlock()
	w.Header().Set("Date", now.Format(http.TimeFormat))
	if err != nil {
		writeError(w, err)
		return
	}
	body, err := json.Marshal(struct {
		Data record.Record `json:"data"`
	}{rec})
	if err != nil {
		writeError(w, err)
		return
	}
	if unchanged(w, r, s.tagOf(string(body))) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

// parseQuery reads the parameters; the error names every one that is wrong. Parameters
// that are not ours are ignored.
func parseQuery(v url.Values, stream string, zone *time.Location) (query, error) {
	var faults []string
	q := query{}
	if stream != "contacts" {
		q.status = v.Get("status")
	}
	if stream == "tickets" || stream == "payments" {
		q.order = v.Get("order_id")
	}
	if stream != "contacts" && stream != "events" {
		q.event = v.Get("event_id")
	}
	if text := v.Get("updated_since"); text != "" {
		var err error
		if q.since, err = time.Parse(time.RFC3339, text); err != nil {
			faults = append(faults, fmt.Sprintf("updated_since must be an RFC 3339 time, not %q", text))
		}
		q.since = q.since.UTC() // so that the same moment is the same query
	}
	switch text := v.Get("sort"); text {
	case "", "created_at":
	case "updated_at":
		q.oldestChange = true
	case "-updated_at":
		q.newestChange = true
	default:
		faults = append(faults, fmt.Sprintf("sort must be created_at, updated_at or -updated_at, not %q", text))
	}
	if stream == "events" || stream == "planning" {
		date := func(name string) string {
			text := v.Get(name)
			if _, err := time.Parse(time.DateOnly, text); text != "" && err != nil {
				faults = append(faults, fmt.Sprintf("%s must be a date like 2026-11-20, not %q", name, text))
			}
			return text
		}
		q.from, q.to = date("from"), date("to")
		if stream == "planning" && q.from+q.to != "" {
			q.zone = zone
		}
	}
	if stream == "events" {
		switch text := v.Get("available"); text {
		case "":
		case "true", "false":
			q.available = new(text == "true")
		default:
			faults = append(faults, fmt.Sprintf("available must be true or false, not %q", text))
		}
	}
	if len(faults) > 0 {
		return q, badRequest(strings.Join(faults, "; ") + ".")
	}
	return q, nil
}

// matches says that a row is asked for, its time of change aside.
func (q query) matches(r *row) bool {
	event, order := belongings(r.record)
	if q.event != "" && event != q.event || q.order != "" && order != q.order || q.status != "" && statusOf(r.record) != q.status {
		return false
	}
	if e, ok := r.record.(*record.Event); ok {
		return (q.from == "" || e.Date >= q.from) && (q.to == "" || e.Date <= q.to) &&
			(q.available == nil || (*e.Available > 0) == *q.available)
	}
	if p, ok := r.record.(*record.Planning); ok && q.zone != nil {
		day := p.StartsAt.In(q.zone).Format(time.DateOnly)
		return (q.from == "" || day >= q.from) && (q.to == "" || day <= q.to)
	}
	return true
}

// list returns the rows that match, in the order asked for. It remembers those of the last
// query until a record changes, for whoever reads on page by page.
func (st *stream) list(q query) []*row {
	if q == (query{}) { // everything by creation: nothing to do
		return st.created
	}
	if m := &st.memo; m.rows == nil || m.revision != st.revision || m.query != q {
		*m = memo{st.revision, q, st.find(q)}
	}
	return st.memo.rows
}

// memo is a query with the rows that matched at a revision.
type memo struct {
	revision uint64
	query    query
	rows     []*row
}

// find goes through as few rows as it can, and sorts only those of an event or an order.
func (st *stream) find(q query) []*row {
	rows := []*row{}
	switch {
	case q.event != "" || q.order != "":
		of := st.byOrder[q.order]
		if q.order == "" {
			of = st.byEvent[q.event]
		}
		for _, r := range of {
			if q.matches(r) && !r.updated.before(q.since) {
				rows = append(rows, r)
			}
		}
		slices.SortFunc(rows, q.compare)
	case q.newestChange || q.oldestChange:
		if q.since.IsZero() {
			rows = make([]*row, 0, st.len())
		}
		for r := st.newest; r != nil && !r.updated.before(q.since); r = r.older {
			if q.matches(r) {
				rows = append(rows, r)
			}
		}
		if q.oldestChange {
			slices.Reverse(rows)
		}
	default:
		for _, r := range st.created {
			if q.matches(r) && !r.updated.before(q.since) {
				rows = append(rows, r)
			}
		}
	}
	return rows
}

// compare orders rows as asked; equal times are told apart by id.
func (q query) compare(a, b *row) int {
	if q.oldestChange {
		a, b = b, a
	}
	if q.newestChange || q.oldestChange {
		return cmp.Or(cmp.Compare(b.updated, a.updated), cmp.Compare(b.record.RecordID(), a.record.RecordID()))
	}
	return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.record.RecordID(), b.record.RecordID()))
}
