package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
)

// In these tests time is the bubble's: it passes at once, and exactly.

func TestPassingFailuresAreTriedAgain(t *testing.T) {
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
		calls   int           // when it fails for ever, with 3 retries
		slowest time.Duration // that this may take
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
				var calls atomic.Int64 // the handler of a call that was given up is still there
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
		t.Run(test.name+" once", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int64 // the handler of a call that was given up is still there
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					if calls.Add(1) == 2 { // page 2
						test.fails(w, r)
						return
					}
					writePage(w, r, tickets(20), 100, 20)
				}, apiclient.Options{PageSize: 10})
				g := gather(readTickets(t.Context(), c, apiclient.Query{}))
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
		waits  time.Duration // inside the call; 0 when it ends instead
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

func TestRetryAfterIsGoneByTheServicesClock(t *testing.T) {
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

func TestOwnBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Time
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			at = append(at, time.Now())
			mu.Unlock()
			writePage(w, r, tickets(65), 100, 65)
		}, apiclient.Options{RequestsPerMinute: 60, PageSize: 1})
		if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil {
			t.Fatal(g.err)
		}
		// Five at once, then one a second.
		if took := at[len(at)-1].Sub(at[0]); len(at) != 65 || took.Round(time.Millisecond) != time.Minute {
			t.Errorf("%d calls in %v, want 65 in a minute", len(at), took)
		}
	})
}

func TestServicesBudget(t *testing.T) {
	theirs := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	until := func(f func(time.Time) string) func() string {
		return func() string { return f(theirs.Add(40 * time.Second)) }
	}
	seconds := func() string { return "40" }
	for name, header := range map[string]struct {
		remaining, reset string
		value            func() string
	}{
		"draft 6":      {"RateLimit-Remaining", "RateLimit-Reset", seconds},
		"seconds":      {"X-RateLimit-Remaining", "X-RateLimit-Reset", seconds},
		"epoch":        {"X-Rate-Limit-Remaining", "X-Rate-Limit-Reset", until(func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) })},
		"milliseconds": {"X-RateLimit-Remaining", "X-RateLimit-Reset", until(func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) })},
		"date":         {"Rate-Limit-Remaining", "Rate-Limit-Reset", until(func(t time.Time) string { return t.UTC().Format(time.RFC3339) })},
		"structured":   {"", "RateLimit", func() string { return `"second";r=3;t=1, "minute";r=0;t=40` }},
		"draft 5":      {"", "RateLimit", func() string { return `limit=100, remaining=0, reset=40` }},
		"a minute":     {"X-RateLimit-Remaining", "X-RateLimit-Reset", func() string { return "60" }},
		"an hour":      {"X-RateLimit-Remaining", "X-RateLimit-Reset", func() string { return "3600" }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Date", theirs.Format(http.TimeFormat))
					if calls++; calls == 2 {
						if header.remaining != "" {
							w.Header().Set(header.remaining, "0")
						}
						w.Header().Set(header.reset, header.value())
					}
					writePage(w, r, tickets(3), 100, 3)
				}, apiclient.Options{PageSize: 1})
				want := 40 * time.Second
				if name == "a minute" {
					want = time.Minute
				}
				start := time.Now()
				g := gather(readTickets(t.Context(), c, apiclient.Query{}))
				if name == "an hour" { // too long to sit out, and capped
					e := g.failure(t, apiclient.RateLimited)
					if took := time.Since(start); e.RetryAfter != 15*time.Minute || c.Paused() != 15*time.Minute || c.Limited() != 15*time.Minute || took != 0 || calls != 2 {
						t.Errorf("told to wait %v after %v and %d calls, paused for %v", e.RetryAfter, took, calls, c.Paused())
					}
					return
				}
				if took := time.Since(start).Round(time.Millisecond); g.err != nil || took != want || calls != 3 {
					t.Errorf("%d calls in %v, want 3 in %v; %v", calls, took, want, g.err)
				}
			})
		})
	}
}

// One stream that is told to slow down slows all of them down.
func TestAllCallsPauseTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var paymentsAt time.Time
		c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v2/tickets" && paymentsAt.IsZero() {
				w.Header().Set("Retry-After", "12")
				w.WriteHeader(429)
				return
			}
			paymentsAt = time.Now()
			fmt.Fprint(w, `{"data":[],"meta":{"total":0}}`)
		}, apiclient.Options{Retries: -1})
		start := time.Now()
		e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.RateLimited)
		if e.RetryAfter != 12*time.Second {
			t.Errorf("told to wait %v", e.RetryAfter)
		}
		if g := gather(readPayments(t.Context(), c, apiclient.Query{})); g.err != nil || paymentsAt.Sub(start) != 12*time.Second {
			t.Errorf("asked after %v; %v", paymentsAt.Sub(start), g.err)
		}
	})
}

func TestEndOfContextWhileWaiting(t *testing.T) {
	for name, h := range map[string]http.HandlerFunc{
		"between tries":  func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Retry-After", "20"); w.WriteHeader(503) },
		"for the budget": func(w http.ResponseWriter, r *http.Request) { writePage(w, r, tickets(3), 100, 3) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := inMemory(t, h, apiclient.Options{PageSize: 1, RequestsPerMinute: 1})
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(3*time.Second, cancel)
				start := time.Now()
				g := gather(readTickets(ctx, c, apiclient.Query{}))
				if took := time.Since(start); !errors.Is(g.err, context.Canceled) || took != 3*time.Second {
					t.Errorf("ended after %v with %v", took, g.err)
				}
			})
		})
	}
}
