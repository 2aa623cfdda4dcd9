package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
)

// What is streamed is with its reader before it is whole; what breaks off is no whole answer to a browser, and is in the log.
func TestStreamsThatBreakOff(t *testing.T) {
	h := newHouse(t, nil)
	for _, c := range []struct {
		what string
		end  func() error
		cut  bool
	}{{"whole", func() error { return nil }, false}, {"failed", func() error { return errors.New("the disk is full") }, true}, {"panics", func() error { panic("the disk is full") }, true}} {
		read := make(chan struct{})
		server := httptest.NewServer(handlers.Streaming(h.replica.Load(), func(w io.Writer) error {
			io.WriteString(w, "half")
			w.(http.Flusher).Flush()
			<-read
			return c.end()
		}))
		answer, err := http.Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		var first [4]byte
		if _, err := io.ReadFull(answer.Body, first[:]); err != nil || string(first[:]) != "half" {
			t.Errorf("%s: begins with %q (%v)", c.what, first, err)
		}
		close(read)
		if _, err := io.ReadAll(answer.Body); (err != nil) != c.cut {
			t.Errorf("%s: ends with %v", c.what, err)
		}
		answer.Body.Close()
		server.Close()
	}
	if n := strings.Count(h.log.String(), "the disk is full"); n < 2 {
		t.Errorf("the log has %d failures", n)
	}
}

// Who went away before the answer is no fault of ours: neither in the log, nor in the metrics as one. A panic is, whoever waits.
func TestVisitorWhoWentAway(t *testing.T) {
	served := 0
	h := newHouse(t, func(o *handlers.Options) { o.Served = func(_ string, status int, _ time.Duration) { served = status } })
	cookie := h.loggedIn(t, web.Manager).cookie("housecount_session")
	for _, c := range []struct {
		what   string
		read   func() // is called once it is known who asks, and the visitor has gone
		status int
		level  string
	}{
		{"before it is known who asks", nil, 499, "INFO"},
		{"panics", func() { panic("the reason") }, http.StatusInternalServerError, "ERROR"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if c.read == nil {
			cancel()
		}
		broken := func() *figures.Snapshot { cancel(); c.read(); return nil }
		h.snapshot.Store(&broken)
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, h.URL+"/tonight", nil)
		r.AddCookie(cookie)
		before := len(h.log.String())
		h.replica.Load().ServeHTTP(httptest.NewRecorder(), r)
		line := h.log.String()[before:]
		if served != c.status || !strings.Contains(line, fmt.Sprintf("status=%d", c.status)) || !strings.Contains(line, "level="+c.level) {
			t.Errorf("%s: served %d, want %d; the log has %s", c.what, served, c.status, line)
		}
	}
}

// A workbook comes through the compression of pages as it is, with the name of its file, and is recorded.
func TestWorkbookIsSent(t *testing.T) {
	h, _ := lettersHouse(t)
	p := h.signedIn(t, web.Manager, "").get("/events/table.xlsx")
	if p.status != http.StatusOK || p.header.Get("Content-Encoding") != "" || !strings.HasPrefix(p.header.Get("Content-Disposition"), `attachment; filename="housecount-performances-`) || p.header.Get("No-Gzip-Compression") != "" {
		t.Errorf("%d, %v", p.status, p.header)
	}
	f, err := excelize.OpenReader(strings.NewReader(p.body))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := f.GetRows("Performances")
	if err != nil || len(rows) != 4 { // with the heads and the sums
		t.Errorf("%d rows (%v)", len(rows), err)
	}
	acts, err := h.store.Audit().Count(t.Context(), store.ActQuery{Action: "figures_exported"})
	if err != nil || acts != 1 {
		t.Errorf("%d exports are recorded (%v)", acts, err)
	}
}
