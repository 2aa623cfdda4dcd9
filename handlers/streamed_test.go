package handlers_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

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
	if err != nil || len(rows) != 3 {
		t.Errorf("%d rows (%v)", len(rows), err)
	}
	acts, err := h.store.Audit().Count(t.Context(), store.ActQuery{Action: "figures_exported"})
	if err != nil || acts != 1 {
		t.Errorf("%d exports are recorded (%v)", acts, err)
	}
}
