package apiclient_test

import (
	"fmt"
	"net/http"
	"slices"
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
		"999999999":                     15 * time.Minute, // seconds, if very many
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

// callTimes makes n calls and tells when, from the first on; each answer has the headers.
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

// What the service says is left is spread over its window, and forgotten when that ends.
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
				// Two at once, then one each 5 s; the last word of the third holds for 10 s.
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

// No 24 hours see more calls than the daily budget.
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

// Whoever waits for our own budget is held back by us, and nobody who has been asked is.
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
