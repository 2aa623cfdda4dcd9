package sandbox

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
)

// serveList serves a page of a stream. The Date header is the sandbox's clock at the time of the read.
func (s *service) serveList(w http.ResponseWriter, r *http.Request, st *stream) {
	values := r.URL.Query()
	q, err := parseQuery(values, st.name, s.options.Zone)
	if err != nil {
		idp.WriteError(w, err)
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
		idp.WriteError(w, err)
		return
	}
	tamper := faults.TamperingOf(r.Context())
	tag := s.tagOf(st.name, st.revision, win.style, r.URL.RequestURI(), tamper)
	rows := st.list(q)
	if tamper.Late > 0 {
		rows = st.lateList(q, now, tamper.Late)
	}
	c := win.page(rows, q, tamper)
	var data []any
	if c.style != "bare" {
		data = served(c.rows)
	}
	s.mu.Unlock()

	w.Header().Set("Date", now.Format(http.TimeFormat))
	if tamper.Late == 0 && unchanged(w, r, tag) { // a delayed list changes without a new revision
		return
	}
	if c.style == "bare" {
		s.writeBare(w, c.rows)
		return
	}
	s.writePage(w, r, c, data)
}

// served returns copies of the rows, which can be encoded without the lock.
func served(rows []*row) []any {
	data := make([]any, len(rows))
	for i, r := range rows {
		data[i] = copyOf(r.record)
	}
	return data
}

// serveOne serves one record.
func (s *service) serveOne(w http.ResponseWriter, r *http.Request, st *stream) {
	s.mu.Lock()
	now := s.catchUp()
	rec, err := find[record.Record](st, r.PathValue("id"))
	if late := faults.TamperingOf(r.Context()).Late; late > 0 && err == nil {
		if row := st.reported(st.rows[rec.RecordID()], now, late); row != nil {
			rec = row.record
		} else {
			err = idp.NotFound(fmt.Sprintf("%s has no record %q", st.name, rec.RecordID()))
		}
	}
	if err == nil {
		rec = copyOf(rec)
	}
	s.mu.Unlock()
	w.Header().Set("Date", now.Format(http.TimeFormat))
	if err != nil {
		idp.WriteError(w, err)
		return
	}
	body, err := json.Marshal(struct {
		Data record.Record `json:"data"`
	}{rec})
	if err != nil {
		idp.WriteError(w, err)
		return
	}
	if unchanged(w, r, s.tagOf(string(body))) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

// writePage writes a page in its paging style. data holds the served rows.
func (s *service) writePage(w http.ResponseWriter, r *http.Request, c listPage, data []any) {
	type page struct {
		Total   int `json:"total"`
		Page    int `json:"page"`
		PerPage int `json:"per_page"`
	}
	meta := any(page{c.total, c.from/max(c.size, 1) + 1, c.size})
	next := ""
	if c.style != "cursor" && c.from+c.size < c.total {
		v := r.URL.Query()
		v.Set("page", strconv.Itoa(c.from/max(c.size, 1)+2))
		next = s.login.Issuer(r) + r.URL.Path + "?" + v.Encode()
	}
	switch c.style {
	case "offset":
		meta = struct {
			Total  int `json:"total"`
			Offset int `json:"offset"`
			Limit  int `json:"limit"`
		}{c.total, c.from, c.size}
	case "cursor":
		var text *string
		if c.last != nil {
			text = new(c.last.String())
		}
		meta = struct {
			Total int     `json:"total"`
			Limit int     `json:"limit"`
			Next  *string `json:"next_cursor"`
		}{c.total, c.size, text}
	case "next":
		var link *string
		if next != "" {
			link = &next
		}
		idp.WriteJSON(w, struct {
			Data  []any              `json:"data"`
			Meta  any                `json:"meta"`
			Links map[string]*string `json:"links"`
		}{data, meta, map[string]*string{"next": link}})
		return
	case "link-header":
		if next != "" {
			w.Header().Set("Link", "<"+next+`>; rel="next"`)
		}
	}
	idp.WriteJSON(w, struct {
		Data []any `json:"data"`
		Meta any   `json:"meta"`
	}{data, meta})
}

// writeBare writes all rows as one array, in chunks because the list may be very large. A row that changes in the
// meantime is served with the change.
func (s *service) writeBare(w http.ResponseWriter, rows []*row) {
	w.Header().Set("Content-Type", "application/json")
	if len(rows) == 0 {
		w.Write([]byte("[]"))
		return
	}
	mark := byte('[')
	for part := range slices.Chunk(rows, bareChunk) {
		s.mu.Lock()
		data := served(part)
		s.mu.Unlock()
		body, err := json.Marshal(data)
		if err != nil {
			panic(http.ErrAbortHandler) // the header has been sent: the response can only be aborted
		}
		body[0] = mark
		mark = ','
		if _, err := w.Write(body[:len(body)-1]); err != nil {
			return // the client has gone
		}
	}
	w.Write([]byte("]"))
}

// tagOf returns an entity tag made of the parts. It is valid for one run of the sandbox, because edition is
// random.
func (s *service) tagOf(parts ...any) string {
	h := fnv.New128a()
	fmt.Fprint(h, s.edition)
	for _, p := range parts {
		fmt.Fprintf(h, "\x00%v", p)
	}
	return fmt.Sprintf(`W/"%x"`, h.Sum(nil))
}

// unchanged sets the caching headers. If the client already has the tag, it responds with 304 and returns true
// (RFC 9110, 13.1.2).
func unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("Vary", "Authorization")
	for _, line := range r.Header.Values("If-None-Match") {
		for known := range strings.SplitSeq(line, ",") {
			known = strings.TrimSpace(known)
			if known == "*" || strings.TrimPrefix(known, "W/") == strings.TrimPrefix(tag, "W/") {
				w.WriteHeader(http.StatusNotModified)
				return true
			}
		}
	}
	return false
}
