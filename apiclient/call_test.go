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
	"testing/synctest"
	"time"

	"housecount/apiclient"
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

// The connection breaks in the middle of the body.
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

// Transient failures are retried. Time in these tests is the synctest bubble's.
func TestTransientFailuresAreRetried(t *testing.T) {
	abort := func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) }
	status := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(n) }
	}
	cut := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `{"data":[{"id"`) }
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := []struct {
		name    string
		fails   http.HandlerFunc
		kind    apiclient.ErrorKind
		calls   int           // if it always fails, with 3 retries
		slowest time.Duration // the most time that this may take
	}{
		{"aborted", abort, apiclient.Unreachable, 4, 3500 * time.Millisecond},
		{"cut short", cut, apiclient.Garbage, 4, 3500 * time.Millisecond},
		{"429", status(429), apiclient.RateLimited, 4, 3500 * time.Millisecond},
		{"500", status(500), apiclient.Server, 4, 3500 * time.Millisecond},
		{"502", status(502), apiclient.Server, 4, 3500 * time.Millisecond},
		{"503", status(503), apiclient.Server, 4, 3500 * time.Millisecond},
		{"504", status(504), apiclient.Server, 4, 3500 * time.Millisecond},
		{"slow", hang, apiclient.Slow, 2, 21 * time.Second},
		{"501", status(501), apiclient.Server, 1, 0},
		{"405", status(405), apiclient.Rejected, 1, 0},
		{"401", status(401), apiclient.Unauthorized, 1, 0},
		{"403", status(403), apiclient.Forbidden, 1, 0},
		{"404", status(404), apiclient.NotOffered, 2, 0}, // once under each prefix
		{"not JSON", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") }, apiclient.Garbage, 1, 0},
	}
	for _, test := range tests {
		t.Run(test.name+" for ever", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64 // the handler of an abandoned call is still running
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					calls.Add(1)
					test.fails(w, r)
				}, apiclient.Options{Timeout: 10 * time.Second})
				start := time.Now()
				gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, test.kind)
				if took := time.Since(start); calls.Load() != int64(test.calls) || took > test.slowest {
					t.Errorf("%d calls in %v, want %d in at most %v", calls.Load(), took, test.calls, test.slowest)
				}
			})
		})
		if test.calls == 1 || test.kind == apiclient.NotOffered {
			continue
		}
		t.Run(test.name+" on the first page, asked for once", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					calls.Add(1)
					test.fails(w, r)
				}, apiclient.Options{Timeout: 10 * time.Second})
				gather(readTickets(t.Context(), c, apiclient.Query{Once: true})).failure(t, test.kind)
				if calls.Load() != 1 {
					t.Errorf("%d calls", calls.Load())
				}
			})
		})
		t.Run(test.name+" once", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64 // the handler of an abandoned call is still running
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					if calls.Add(1) == 2 { // page 2
						test.fails(w, r)
						return
					}
					writePage(w, r, tickets(20), 100, 20)
				}, apiclient.Options{PageSize: 10})
				g := gather(readTickets(t.Context(), c, apiclient.Query{Once: true}))
				if g.err != nil || len(g.records) != 20 || calls.Load() != 3 {
					t.Errorf("%d records by %d calls, %v", len(g.records), calls.Load(), g.err)
				}
			})
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	tests := []struct {
		name   string
		header func() (name, value string)
		status int
		waits  time.Duration // within the call; 0 if the call fails instead
		tells  time.Duration
	}{
		{"seconds", func() (string, string) { return "Retry-After", "7" }, 429, 7 * time.Second, 0},
		{"a date", func() (string, string) { return "Retry-After", date(20 * time.Second) }, 503, 20 * time.Second, 0},
		{"the most that is sat out", func() (string, string) { return "Retry-After", "30" }, 429, 30 * time.Second, 0},
		{"reset", func() (string, string) { return "X-RateLimit-Reset", "9" }, 429, 9 * time.Second, 0},
		{"longer", func() (string, string) { return "Retry-After", "31" }, 429, 0, 31 * time.Second},
		{"a day", func() (string, string) { return "Retry-After", "86400" }, 503, 0, 15 * time.Minute},
		{"a far date", func() (string, string) { return "Retry-After", date(time.Hour) }, 429, 0, 15 * time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					if calls++; calls > 1 {
						writePage(w, r, tickets(1), 100, 1)
						return
					}
					w.Header().Set(test.header())
					w.Header().Set("X-RateLimit-Remaining", "0")
					w.WriteHeader(test.status)
				}, apiclient.Options{})
				start := time.Now()
				g := gather(readTickets(t.Context(), c, apiclient.Query{}))
				took := time.Since(start)
				if test.waits > 0 {
					if g.err != nil || took != test.waits {
						t.Errorf("took %v, want %v; %v", took, test.waits, g.err)
					}
					return
				}
				e, ok := errors.AsType[*apiclient.Error](g.err)
				if !ok || e.RetryAfter != test.tells || took != 0 || calls != 1 {
					t.Errorf("%v after %v and %d calls, want to be told %v at once", g.err, took, calls, test.tells)
				}
			})
		})
	}
}

func TestRetryAfterUsesTheServicesClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		theirs := time.Date(2031, 1, 1, 20, 0, 0, 0, time.UTC)
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", theirs.Format(http.TimeFormat))
			if calls++; calls == 1 {
				w.Header().Set("Retry-After", theirs.Add(4*time.Second).Format(http.TimeFormat))
				w.WriteHeader(429)
				return
			}
			writePage(w, r, tickets(1), 100, 1)
		}, apiclient.Options{})
		start := time.Now()
		var at time.Time
		g := gather(readTickets(t.Context(), c, apiclient.Query{OnPage: func(p apiclient.Page) { at = p.ServerTime }}))
		if took := time.Since(start); g.err != nil || took != 4*time.Second || !at.Equal(theirs) {
			t.Errorf("took %v, told %v; %v", took, at, g.err)
		}
	})
}

func TestRequest(t *testing.T) {
	var got *http.Request
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		writeJSON(w, map[string]any{"data": []any{}, "meta": map[string]any{"total": 0}})
	}, apiclient.Options{PageSize: 250, UserAgent: "housecount/1.0"})

	since := time.Date(2026, 11, 21, 20, 0, 0, 900, time.FixedZone("", 3600))
	tests := []struct {
		name string
		read func() error
		want string
	}{
		{"whole", func() error { return gather(readEvents(t.Context(), c, apiclient.Query{})).err },
			"/v2/events?page=1&per_page=250&sort=created_at"},
		{"changed", func() error { return gather(readTickets(t.Context(), c, apiclient.Query{UpdatedSince: since})).err },
			"/v2/tickets?page=1&per_page=250&sort=-updated_at&updated_since=2026-11-21T19%3A00%3A00Z"},
		{"of an event", func() error { return gather(readPayments(t.Context(), c, apiclient.Query{EventID: "evt 1"})).err },
			"/v2/payments?event_id=evt+1&page=1&per_page=250&sort=created_at"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.read(); err != nil {
				t.Fatal(err)
			}
			if got.URL.String() != test.want {
				t.Errorf("asked for %s, want %s", got.URL, test.want)
			}
			for name, want := range map[string]string{
				"Authorization": "Bearer " + testKey, "Accept": "application/json",
				"Content-Type": "application/json", "User-Agent": "housecount/1.0",
			} {
				if got.Header.Get(name) != want {
					t.Errorf("%s is %q, want %q", name, got.Header.Get(name), want)
				}
			}
		})
	}
}

func TestErrorRules(t *testing.T) {
	profile := profileOf(t, "name: a\nerrors: {message: fault.text, retry: [409]}\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")
	synctest.Test(t, func(t *testing.T) {
		body, calls := "", 0
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if calls++; calls < 3 {
				w.WriteHeader(409)
				io.WriteString(w, body)
				return
			}
			io.WriteString(w, "[]")
		}, apiclient.Options{Profile: profile})
		if _, err := read(t, c, "a", apiclient.Query{}); err != nil || calls != 3 {
			t.Errorf("%v by %d calls", err, calls)
		}
		for _, test := range []struct{ body, want string }{
			{`{"message":"no","fault":{"text":"busy"}}`, "busy"},
			{`{"message":"no","fault":{"text":{}}}`, "no"},
			{`{"message":"no"}`, "no"},
		} {
			body, calls = test.body, -100
			e := gather(probing(t.Context(), c, "a", apiclient.Query{})).failure(t, apiclient.Rejected)
			if e.Message != test.want || e.Stream != "a" || calls != -96 {
				t.Errorf("%s: %v by %d calls", test.body, e, calls+100)
			}
		}
	})
}
