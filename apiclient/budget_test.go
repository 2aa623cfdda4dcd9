package apiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient"
)

func TestReset(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 500e6, time.UTC)
	in := now.Add(40 * time.Second)
	for s, want := range map[string]time.Duration{
		"40": 40 * time.Second, " 40 ": 40 * time.Second, "0.5": 500 * time.Millisecond, "0": 0, "-40": 0, "": 0, "soon": 0, "NaN": 0,
		fmt.Sprint(in.UnixMilli()):      40 * time.Second,
		fmt.Sprint(in.Unix()):           39500 * time.Millisecond,
		fmt.Sprint(now.Unix() - 40):     0,
		in.Format(time.RFC3339Nano):     40 * time.Second,
		in.Format(http.TimeFormat):      39500 * time.Millisecond,
		now.Add(-1).Format(time.RFC850): 0,
		"999999999":                     15 * time.Minute, // parsed as a very large number of seconds
		"1e300":                         15 * time.Minute,
		fmt.Sprint(now.Unix() + 86400):  15 * time.Minute,
	} {
		if got := apiclient.ResetOf(s, now).Round(time.Millisecond); got != want {
			t.Errorf("%q is in %v, want %v", s, got, want)
		}
	}
}

func TestLimitHeaders(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	epoch := fmt.Sprint(now.Add(30 * time.Second).Unix())
	for name, test := range map[string]struct {
		headers []string
		want    []string
	}{
		"nothing":        {nil, nil},
		"draft 6":        {[]string{"RateLimit-Limit", "60", "RateLimit-Remaining", "7", "RateLimit-Reset", "30"}, []string{"7 in 30s"}},
		"X-RateLimit":    {[]string{"X-RateLimit-Remaining", "7", "X-RateLimit-Reset", epoch}, []string{"7 in 30s"}},
		"X-Rate-Limit":   {[]string{"X-Rate-Limit-Remaining", "7", "X-Rate-Limit-Reset", epoch + "000"}, []string{"7 in 30s"}},
		"Rate-Limit":     {[]string{"Rate-Limit", "5000", "Rate-Limit-Available", "7", "Rate-Limit-Over", "0", "Rate-Limit-Reset", epoch}, []string{"7 in 30s"}},
		"overdrawn":      {[]string{"X-RateLimit-Remaining", "-3", "X-RateLimit-Reset", "30"}, []string{"0 in 30s"}},
		"no reset":       {[]string{"X-RateLimit-Remaining", "0"}, []string{"0 in 0s"}},
		"not a number":   {[]string{"X-RateLimit-Remaining", "many", "X-RateLimit-Reset", "30"}, nil},
		"structured":     {[]string{"RateLimit", `"minute";r=7;t=30, "day";t=600;r=9000`}, []string{"7 in 30s", "9000 in 10m0s"}},
		"without a time": {[]string{"RateLimit", `"minute";r=7`}, []string{"7 in 0s"}},
		"draft 5":        {[]string{"RateLimit", `limit=100, remaining=7, reset=30`}, []string{"7 in 30s"}},
		"policy":         {[]string{"RateLimit-Policy", `"policy";q=20;w=3, "day";q=5000;w=86400, "none";w=60`}, []string{"20 in 3s"}},
		"Mollie":         {[]string{"RateLimit", `"policy";r=15;t=2`, "RateLimit-Policy", `"policy";q=20;w=3`}, []string{"15 in 2s", "20 in 3s"}},
		"nonsense":       {[]string{"RateLimit", `;;;,=,r=,"x";r=1e9;t=`}, nil},
	} {
		h := http.Header{}
		for i := 0; i < len(test.headers); i += 2 {
			h.Set(test.headers[i], test.headers[i+1])
		}
		if got := apiclient.Windows(h, now); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// callTimes makes n calls and returns when each began, relative to the first; every response has
// the headers.
func callTimes(t *testing.T, n int, o apiclient.Options, header func(call int, h http.Header)) (at []time.Duration) {
	var mu sync.Mutex
	var start time.Time
	c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if start.IsZero() {
			start = time.Now()
		}
		at = append(at, time.Since(start).Round(time.Millisecond))
		header(len(at), w.Header())
		fmt.Fprintf(w, `{"data":[{"id":"tkt_%d","event_id":"e"}],"meta":{"total":%d}}`, len(at), n)
	}, o)
	if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(at) != n {
		t.Fatalf("%d calls, %v", len(at), g.err)
	}
	return at
}

// What the service reports as left is spread over its window, until the window ends.
func TestPaceFollowsTheService(t *testing.T) {
	for name, header := range map[string]func(h http.Header){
		"left":   func(h http.Header) { h.Set("X-RateLimit-Remaining", "2"); h.Set("X-RateLimit-Reset", "10") },
		"policy": func(h http.Header) { h.Set("RateLimit-Policy", `"slow";q=2;w=10`) },
		"the tightest of two": func(h http.Header) {
			h.Set("RateLimit", `"second";r=50;t=1, "minute";r=2;t=10`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				at := callTimes(t, 40, apiclient.Options{}, func(call int, h http.Header) {
					if call < 4 {
						header(h)
					}
				})
				// Two at once, then one every 5 s; the third response's report applies for 10 s.
				if at[3] < 5*time.Second || at[3] > 10*time.Second {
					t.Errorf("the fourth call after %v", at[3])
				}
				if last := at[39]; last < 10*time.Second || last > 30*time.Second {
					t.Errorf("40 calls took %v", last)
				}
			})
		})
	}
	t.Run("more again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			at := callTimes(t, 40, apiclient.Options{}, func(call int, h http.Header) {
				h.Set("X-RateLimit-Reset", "100")
				h.Set("X-RateLimit-Remaining", map[bool]string{true: "1", false: "1000000"}[call == 1])
			})
			if at[39] > 61*time.Second { // the slowest pace is one a minute
				t.Errorf("40 calls took %v", at[39])
			}
		})
	})
	t.Run("no more than our own", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			at := callTimes(t, 65, apiclient.Options{RequestsPerMinute: 60}, func(_ int, h http.Header) {
				h.Set("RateLimit-Remaining", "5000")
				h.Set("RateLimit-Reset", "1")
			})
			if at[64] != time.Minute {
				t.Errorf("65 calls took %v, want a minute", at[64])
			}
		})
	})
}

// The daily budget holds for any 24 hours.
func TestDailyBudget(t *testing.T) {
	for _, perDay := range []int{24, 100, 500} {
		synctest.Test(t, func(t *testing.T) {
			at := callTimes(t, perDay*5/2, apiclient.Options{RequestsPerDay: perDay}, func(int, http.Header) {})
			most := 0
			for i := range at {
				n := 0
				for n < len(at)-i && at[i+n]-at[i] < 24*time.Hour {
					n++
				}
				most = max(most, n)
			}
			if most > perDay || most < perDay-1 {
				t.Errorf("%d calls in 24 hours, want %d", most, perDay)
			}
		})
	}
}

// Paused includes waiting for our own budget; Limited does not.
func TestPausedByOurOwnBudget(t *testing.T) {
	for name, o := range map[string]apiclient.Options{"a day": {RequestsPerDay: 24}, "a minute": {RequestsPerMinute: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := inMemory(t, func(w http.ResponseWriter, r *http.Request) {
					time.Sleep(5 * time.Second)
					fmt.Fprint(w, `{"data":[{"id":"t","event_id":"e"}],"meta":{"total":1}}`)
				}, o)
				for range 2 {
					read := make(chan struct{})
					go func() { defer close(read); gather(readTickets(t.Context(), c, apiclient.Query{})) }()
					time.Sleep(time.Second)
					synctest.Wait()
					if o.RequestsPerDay > 0 && c.Paused() != 0 {
						t.Errorf("paused for %v while a question is out", c.Paused())
					}
					<-read
				}
				ended := make(chan struct{})
				go func() { defer close(ended); gather(readTickets(t.Context(), c, apiclient.Query{})) }()
				synctest.Wait()
				held := c.Paused()
				if held <= 0 || c.Limited() != 0 {
					t.Errorf("paused for %v, limited for %v, while a question waits for its turn by our own budget", held, c.Limited())
				}
				time.Sleep(held + time.Second)
				if c.Paused() != 0 {
					t.Errorf("paused for %v more once it is out", c.Paused())
				}
				<-ended
			})
		})
	}
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
				if name == "an hour" { // longer than maxPause, and capped
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

// A 429 on one stream pauses all streams.
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

func FuzzRetryAfter(f *testing.F) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for _, s := range []string{"", "7", "-1", "1e300", "NaN", "Inf", "0x10", " 5 ", "99999999999999999999", "1795291200", "1795291200000",
		now.Add(time.Minute).Format(http.TimeFormat), now.Format(time.RFC3339), `"a";r=0;t=5`, "limit=1, remaining=0, reset=5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		waits := []time.Duration{apiclient.RetryAfterOf(s, now), apiclient.Exhausted(http.Header{"Ratelimit": {s}}, now),
			apiclient.Exhausted(http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {s}}, now)}
		for i, d := range waits {
			if d < 0 || d > 15*time.Minute {
				t.Errorf("%d: %q asks for %v", i, s, d)
			}
		}
	})
}

func FuzzReset(f *testing.F) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for _, s := range []string{"", "40", "1795291200", "1795291200000", "1e400", "-Inf", now.Format(time.RFC3339), now.Format(http.TimeFormat), "2026-11-21T20:00:00+99:00"} {
		f.Add(s, `"a";r=0;t=5, "b";q=9;w=5`)
	}
	f.Add("40", "limit=1, remaining=0, reset=5,,;;=")
	f.Fuzz(func(t *testing.T, s, limits string) {
		if d := apiclient.ResetOf(s, now); d < 0 || d > 15*time.Minute {
			t.Errorf("%q is in %v", s, d)
		}
		h := http.Header{"Ratelimit": {limits}, "Ratelimit-Policy": {limits, s}, "X-Ratelimit-Remaining": {s}, "X-Ratelimit-Reset": {limits}}
		for _, w := range apiclient.Windows(h, now) {
			if strings.Contains(w, "-") {
				t.Errorf("%q and %q tell of %s", s, limits, w)
			}
		}
		if d := apiclient.Exhausted(h, now); d < 0 || d > 15*time.Minute {
			t.Errorf("%q and %q ask for %v", s, limits, d)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"": 0, "0": 0, "-5": 0, "soon": 0, "NaN": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "1.5": 1500 * time.Millisecond,
		"900": 15 * time.Minute, "901": 15 * time.Minute, "1e300": 15 * time.Minute, "Inf": 15 * time.Minute,
		"Sat, 21 Nov 2026 20:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 19:01:00 GMT": 0, "Mon, 21 Nov 2050 19:01:00 GMT": 15 * time.Minute,
	} {
		if got := apiclient.RetryAfterOf(s, now); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
	if math.MaxInt64 == apiclient.RetryAfterOf("9223372036854775807", now) {
		t.Error("not capped")
	}
}

// The lower of the profile's limit and ours applies.
func TestProfileLimits(t *testing.T) {
	for _, test := range []struct {
		rule     string
		ours     int
		interval time.Duration
	}{
		{"", 120, 500 * time.Millisecond},
		{"limits: {per_minute: 30}", 120, 2 * time.Second},
		{"limits: {per_minute: 300}", 120, 500 * time.Millisecond},
		{"limits: {per_minute: 6}", 0, 10 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			o := apiclient.Options{BaseURL: "http://api.test", APIKey: testKey, RequestsPerMinute: test.ours,
				Profile: profileOf(t, "name: a\n"+test.rule+"\nstreams: [{name: a, path: a, gives: [event], paging: {style: bare}}]")}
			c, err := apiclient.New(o)
			if err != nil {
				t.Fatal(err)
			}
			c.SetTransport(func(r *http.Request) (*http.Response, error) {
				calls++
				return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("[]")), Request: r, ContentLength: 2}, nil
			})
			for range 20 { // use up the burst
				read(t, c, "a", apiclient.Query{})
			}
			start := time.Now()
			for range 10 {
				if _, err := read(t, c, "a", apiclient.Query{}); err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(start).Round(10 * time.Millisecond); took != 10*test.interval {
				t.Errorf("%q with %d: 10 calls in %v, want %v", test.rule, test.ours, took, 10*test.interval)
			}
		})
	}
}
