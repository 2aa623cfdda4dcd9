package sandbox

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient"
)

// Page sizes; a larger one that is asked for is cut, as the answer's meta says.
const (
	defaultPerPage = 50
	maxPerPage     = 500
)

// query is what a list was asked for.
type query struct {
	page, perPage        int
	since                time.Time
	event, order, status string
	from, to             string // dates, both included; events only
	available            *bool  // events only
	newestChange         bool   // sort=-updated_at, otherwise created_at
}

// api wraps a stream's handler in what every one needs: faults, method, credential.
func (s *Sandbox) api(st *stream, serve func(http.ResponseWriter, *http.Request, *stream)) http.Handler {
	return s.faulty(st.name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allow(w, r, http.MethodGet, http.MethodHead) {
			return
		}
		if !s.authorized(w, r) {
			return
		}
		serve(w, r, st)
	}))
}

// serveList answers with a page of a stream. Date is the sandbox's clock at the moment of
// reading.
func (s *Sandbox) serveList(w http.ResponseWriter, r *http.Request, st *stream) {
	q, err := parseQuery(r.URL.Query(), st == s.house.events)
	if err != nil {
		writeError(w, err)
		return
	}
	s.mu.Lock()
	now := s.catchUp()
	rows, total := st.list(q)
	data := make([]apiclient.Record, len(rows))
	for i, row := range rows {
		data[i] = copyOf(row.record)
	}
	s.mu.Unlock()

	type meta struct {
		Total   int `json:"total"`
		Page    int `json:"page"`
		PerPage int `json:"per_page"`
	}
	w.Header().Set("Date", now.Format(http.TimeFormat))
	writeJSON(w, struct {
		Data []apiclient.Record `json:"data"`
		Meta meta               `json:"meta"`
	}{data, meta{total, q.page, q.perPage}})
}

// serveOne answers with one record.
func (s *Sandbox) serveOne(w http.ResponseWriter, r *http.Request, st *stream) {
	s.mu.Lock()
	now := s.catchUp()
	rec, err := find[apiclient.Record](st, r.PathValue("id"))
	if err == nil {
		rec = copyOf(rec)
	}
	s.mu.Unlock()
	w.Header().Set("Date", now.Format(http.TimeFormat))
	if err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, struct {
		Data apiclient.Record `json:"data"`
	}{rec})
}

// parseQuery reads the parameters; the error names every one that is wrong. Parameters
// that are not ours are ignored.
func parseQuery(v url.Values, events bool) (query, error) {
	var faults []string
	number := func(name string, missing int) int {
		text := v.Get(name)
		if text == "" {
			return missing
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 1<<31 {
			faults = append(faults, fmt.Sprintf("%s must be a whole number from 1, not %q", name, text))
		}
		return n
	}
	q := query{
		page: number("page", 1), perPage: min(number("per_page", defaultPerPage), maxPerPage),
		event: v.Get("event_id"), order: v.Get("order_id"), status: v.Get("status"),
	}
	if text := v.Get("updated_since"); text != "" {
		var err error
		if q.since, err = time.Parse(time.RFC3339, text); err != nil {
			faults = append(faults, fmt.Sprintf("updated_since must be an RFC 3339 time, not %q", text))
		}
	}
	switch text := v.Get("sort"); text {
	case "", "created_at":
	case "-updated_at":
		q.newestChange = true
	default:
		faults = append(faults, fmt.Sprintf("sort must be created_at or -updated_at, not %q", text))
	}
	if events {
		date := func(name string) string {
			text := v.Get(name)
			if _, err := time.Parse(time.DateOnly, text); text != "" && err != nil {
				faults = append(faults, fmt.Sprintf("%s must be a date like 2026-11-20, not %q", name, text))
			}
			return text
		}
		q.from, q.to = date("from"), date("to")
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
	if e, ok := r.record.(*apiclient.Event); ok {
		return (q.from == "" || e.Date >= q.from) && (q.to == "" || e.Date <= q.to) &&
			(q.available == nil || (*e.Available > 0) == *q.available)
	}
	return true
}

// list returns the rows of the page and how many match on all pages.
func (st *stream) list(q query) ([]*row, int) {
	var rows []*row
	switch {
	case q == query{page: q.page, perPage: q.perPage}: // everything by creation: nothing to do
		return paged(st.created, q), len(st.created)
	case q.event != "" || q.order != "":
		of := st.byOrder[q.order]
		if q.order == "" {
			of = st.byEvent[q.event]
		}
		for _, r := range of {
			if q.matches(r) && !r.updated.Before(q.since) {
				rows = append(rows, r)
			}
		}
		slices.SortFunc(rows, q.compare)
	case !q.since.IsZero() || q.newestChange:
		for r := st.newest; r != nil && !r.updated.Before(q.since); r = r.older {
			if q.matches(r) {
				rows = append(rows, r)
			}
		}
		if !q.newestChange {
			slices.SortFunc(rows, q.compare)
		}
	default:
		for _, r := range st.created {
			if q.matches(r) {
				rows = append(rows, r)
			}
		}
	}
	return paged(rows, q), len(rows)
}

// compare orders rows as asked; equal times are told apart by id.
func (q query) compare(a, b *row) int {
	if q.newestChange {
		return cmp.Or(b.updated.Compare(a.updated), cmp.Compare(b.record.RecordID(), a.record.RecordID()))
	}
	return cmp.Or(a.created.Compare(b.created), cmp.Compare(a.record.RecordID(), b.record.RecordID()))
}

func paged(rows []*row, q query) []*row {
	from := min((q.page-1)*q.perPage, len(rows))
	return rows[from:min(from+q.perPage, len(rows))]
}
