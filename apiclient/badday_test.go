package apiclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
)

func TestDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := newClient(t, apiclient.Options{BaseURL: "http://" + l.Addr().String(), Retries: -1})
	e := gather(readEvents(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Unreachable)
	if e.Stream != "events" || e.Status != 0 || e.Err == nil || strings.Contains(e.Error(), "/v2/") {
		t.Errorf("got %+v", e)
	}
}

func TestSlow(t *testing.T) {
	for name, start := range map[string]func(http.ResponseWriter){
		"no answer":             func(http.ResponseWriter) {},
		"a body without an end": func(w http.ResponseWriter) { io.WriteString(w, `{"data":[`); w.(http.Flusher).Flush() },
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				start(w)
				<-r.Context().Done()
			}, apiclient.Options{Timeout: 50 * time.Millisecond})
			e := gather(readEvents(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Slow)
			if !errors.Is(e, context.DeadlineExceeded) {
				t.Errorf("%v is no DeadlineExceeded", e)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		status  int
		body    string
		kind    apiclient.ErrorKind
		message string
	}{
		{401, `{"type":"about:blank","title":"No key","detail":"Send one."}`, apiclient.Unauthorized, "No key: Send one."},
		{403, `{"error":{"code":"scope","message":"payments.read is missing"}}`, apiclient.Forbidden, "scope: payments.read is missing"},
		{404, `404 page not found`, apiclient.NotOffered, "404 page not found"},
		{410, ``, apiclient.NotOffered, ""},
		{422, `{"message":"per_page is too large"}`, apiclient.Rejected, "per_page is too large"},
		{429, `{"detail":"slower"}`, apiclient.RateLimited, "slower"},
		{500, "<h1>Oops</h1>\n\x00", apiclient.Server, "<h1>Oops</h1>"},
		{503, "a" + strings.Repeat("ü", 400), apiclient.Server, "a" + strings.Repeat("ü", 149)},
		{500, "the key " + testKey + " is unknown; " + testKey, apiclient.Server, "the key [hidden] is unknown; [hidden]"},
		{304, ``, apiclient.Garbage, ""},
		{302, ``, apiclient.Garbage, ""}, // without a Location
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.status, test.kind), func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.WriteHeader(test.status)
				io.WriteString(w, test.body)
			}, apiclient.Options{})
			e := gather(readPayments(t.Context(), c, apiclient.Query{})).failure(t, test.kind)
			if e.Status != test.status || e.Message != test.message || e.Stream != "payments" {
				t.Errorf("got %+v, want status %d and %q", e, test.status, test.message)
			}
		})
	}
}

func TestGarbage(t *testing.T) {
	for name, body := range map[string]string{
		"empty":              ``,
		"not JSON":           `<!doctype html><title>Welcome to the hotel network</title>`,
		"cut in a row":       `{"data":[{"id":"tkt_1","event_id":"evt_1"},{"id":"tk`,
		"cut after the rows": `{"data":[{"id":"tkt_1","event_id":"evt_1"}]`,
		"two values":         `{"data":[]}{"data":[]}`,
		"no list":            `{"meta":{"total":0}}`,
		"null":               `{"data":null}`,
		"an object":          `{"data":{"id":"tkt_1"}}`,
		"no array":           `{"meta":{"total":0},"data":{}}`,
		"several lists":      `{"tickets":[],"scans":[]}`,
		"cut in a bare list": `[{"id":"tkt_1","event_id":"evt_1"},`,
		"a wrong bare list":  `[{"id":"tkt_1","event_id":"evt_1"}}`,
		"a wrong neighbour":  `{"data":[],"meta":{total:1}}`,
		"a wrong bracket":    `{"data":[{"id":"tkt_1","event_id":"evt_1"]]}`,
		"two lists":          `{"data":[],"data":[]}`,
		"a wrong row":        `{"data":[{"id":tkt_1}]}`,
		"deep":               `{"data":` + strings.Repeat("[", 20_000),
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }, apiclient.Options{})
			g := gather(readTickets(t.Context(), c, apiclient.Query{}))
			if e := g.failure(t, apiclient.Garbage); e.Status != 200 || e.Err == nil || len(g.records) != 0 {
				t.Errorf("got %+v after %d records", e, len(g.records))
			}
		})
	}
}

// The connection breaks within the body.
func TestCutShort(t *testing.T) {
	hijack := func(t *testing.T, w http.ResponseWriter, linger bool) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		buf.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"data\":[")
		buf.Flush()
		if !linger {
			conn.(*net.TCPConn).SetLinger(0) // closes with a reset
		}
		conn.Close()
	}
	t.Run("closed", func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { hijack(t, w, true) }, apiclient.Options{})
		gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Garbage)
	})
	t.Run("reset", func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { hijack(t, w, false) }, apiclient.Options{})
		gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Unreachable)
	})
}

func TestTooLarge(t *testing.T) {
	const limit = 1 << 20
	var written atomic.Int64
	huge := func(w http.ResponseWriter, announced bool) {
		if announced {
			w.Header().Set("Content-Length", fmt.Sprint(1<<30))
		}
		io.WriteString(w, `{"data":[`)
		chunk := bytes.Repeat([]byte(" "), 64<<10)
		for written.Load() < 1<<30 {
			n, err := w.Write(chunk)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	}
	var bomb bytes.Buffer
	z, _ := gzip.NewWriterLevel(&bomb, gzip.BestSpeed)
	for range 512 {
		z.Write(bytes.Repeat([]byte(" "), 64<<10)) // 32 MiB
	}
	z.Close()

	tests := map[string]http.HandlerFunc{
		"1 GB":            func(w http.ResponseWriter, r *http.Request) { huge(w, false) },
		"1 GB, announced": func(w http.ResponseWriter, r *http.Request) { huge(w, true) },
		"gzip bomb": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Accept-Encoding") != "gzip" {
				t.Error("the client does not ask for gzip")
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		},
		"a million rows": func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, `{"data":[{}`+strings.Repeat(`,{}`, 200_000)+`]}`)
		},
	}
	for name, h := range tests {
		t.Run(name, func(t *testing.T) {
			written.Store(0)
			s := httptest.NewServer(h)
			c := newClient(t, apiclient.Options{BaseURL: s.URL, MaxBody: limit, Retries: 3})
			g := gather(readTickets(t.Context(), c, apiclient.Query{}))
			s.Close() // waits for the handler
			g.failure(t, apiclient.TooLarge)
			if n := written.Load(); n > 64<<20 {
				t.Errorf("the service got rid of %d bytes, of which %d may be read", n, limit)
			}
		})
	}
}

func TestBodyUpToTheLimitIsRead(t *testing.T) {
	body := pageOf(`{"id":"tkt_1","event_id":"evt_1"}`)
	for _, more := range []int64{0, -1} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(body) }, apiclient.Options{MaxBody: int64(len(body)) + more})
		g := gather(readTickets(t.Context(), c, apiclient.Query{}))
		if more < 0 {
			g.failure(t, apiclient.TooLarge)
		} else if g.err != nil || len(g.records) != 1 {
			t.Errorf("%d records, %v", len(g.records), g.err)
		}
	}
}

func TestEndless(t *testing.T) {
	n := 0
	fresh := func() string { n++; return fmt.Sprintf(`{"id":"tkt_%d","event_id":"evt_1"}`, n) }
	tests := map[string]struct {
		page  func(n int) []string
		total string
		pages int // that may be asked for
		style profile.Paging
	}{
		"the same page for ever":  {func(int) []string { return []string{`{"id":"a","event_id":"e"}`, `{"id":"b","event_id":"e"}`} }, "100", 5, ""}, // the other ways of paging are tried
		"the same page, fixed":    {func(int) []string { return []string{`{"id":"a","event_id":"e"}`, `{"id":"b","event_id":"e"}`} }, "100", 2, profile.PagingPage},
		"the same rows, offset":   {func(int) []string { return []string{`{"id":"a","event_id":"e"}`} }, "100", 2, profile.PagingOffset},
		"the same page, no total": {func(int) []string { return []string{`{"id":"a","event_id":"e"}`} }, "null", 5, ""},
		"the same rows in another order": {func(n int) []string {
			rows := []string{`{"id":"a","event_id":"e"}`, `{"id":"b","event_id":"e"}`, `{"id":"c","event_id":"e"}`}
			return append(rows[n%3:], rows[:n%3]...)
		}, "100", 5, ""},
		"a circle of pages":             {func(n int) []string { return []string{fmt.Sprintf(`{"id":"tkt_%d","event_id":"e"}`, n%4)} }, "100", 5, ""},
		"a circle of refused rows":      {func(n int) []string { return []string{fmt.Sprintf(`[%d]`, n%4)} }, "100", 5, ""},
		"new rows for ever, no total":   {func(int) []string { return []string{fresh()} }, "null", 30, ""},
		"new rows for ever, of a total": {func(n int) []string { return []string{fresh()} }, "1000000000", 30, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			calls := 0
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls++
				fmt.Fprintf(w, `{"data":[%s],"meta":{"total":%s}}`, strings.Join(test.page(calls), ","), test.total)
			}, apiclient.Options{Paging: test.style})
			c.SetMaxPages(30)
			gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Endless)
			if calls != test.pages {
				t.Errorf("%d pages asked for, want %d", calls, test.pages)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	var reached atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		t.Errorf("the foreign host was asked, with %q", r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	port := thief.URL[strings.LastIndex(thief.URL, ":"):]

	for name, target := range map[string]string{
		"another port":   thief.URL + "/v2/tickets",
		"another name":   "http://localhost" + port + "/v2/tickets",
		"with the key":   thief.URL + "/" + testKey,
		"another scheme": "https://" + strings.TrimPrefix(thief.URL, "http://"),
		"no scheme":      "//127.0.0.1" + port + "/",
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, target, http.StatusTemporaryRedirect)
			}, apiclient.Options{Retries: 3})
			e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Foreign)
			if strings.Contains(e.Error(), testKey) {
				t.Errorf("%v shows the key", e)
			}
		})
	}
	t.Run("at home", func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+testKey {
				t.Error("the credential was left behind")
			}
			if !strings.HasSuffix(r.URL.Path, "/") {
				http.Redirect(w, r, r.URL.Path+"/?"+r.URL.RawQuery, http.StatusMovedPermanently)
				return
			}
			writePage(w, r, tickets(3), 100, 3)
		}, apiclient.Options{})
		if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(g.records) != 3 {
			t.Errorf("%d records, %v", len(g.records), g.err)
		}
	})
	t.Run("in circles", func(t *testing.T) {
		calls := 0
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			calls++
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}, apiclient.Options{})
		gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Endless)
		if calls > 6 {
			t.Errorf("followed %d redirects", calls)
		}
	})
}

// An answer that quotes our own request where HTTP expects a header ends up in Go's
// error text; the key must not.
func TestEchoedCredentialIsHidden(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\n%s %s\r\n\r\n", "Authorization", r.Header.Get("Authorization"))
		buf.Flush()
	}, apiclient.Options{})
	e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Unreachable)
	for err := error(e); err != nil; err = errors.Unwrap(err) {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), testKey) {
			t.Errorf("%#v shows the key", err)
		}
	}
	if !strings.Contains(e.Error(), "[hidden]") {
		t.Errorf("%v does not quote the answer: the test proves nothing", e)
	}
}

func TestConnectionIsKept(t *testing.T) {
	conns := map[string]bool{}
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conns[r.RemoteAddr] = true
		if len(r.FormValue("event_id")) > 0 {
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		writePage(w, r, tickets(50), 100, 50)
	}, apiclient.Options{PageSize: 10})
	for range 3 {
		gather(readTickets(t.Context(), c, apiclient.Query{EventID: "x"})).failure(t, apiclient.Rejected)
		if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil {
			t.Fatal(g.err)
		}
	}
	if len(conns) != 1 {
		t.Errorf("%d connections, want one that is kept", len(conns))
	}
}
