package hooks_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/handlers/hooks"
)

const hookSecret = "a-secret-of-thirty-two-characters"

// hookHouse is a house that is nudged.
type hookHouse struct {
	*httptest.Server
	nudged []string
	fail   error
	log    bytes.Buffer
}

func newHookHouse(t *testing.T, set func(*hooks.Service)) *hookHouse {
	h := &hookHouse{}
	one := hooks.Service{Name: "tickets", Secret: hookSecret, Lists: []string{"events", "orders"}, Nudge: func(_ context.Context, list string) error {
		if h.fail != nil {
			return h.fail
		}
		h.nudged = append(h.nudged, list)
		return nil
	}}
	set(&one)
	services := []hooks.Service{{Name: "money", Secret: strings.Repeat("m", 32), Nudge: one.Nudge}, one}
	mux := http.NewServeMux()
	mux.Handle("POST "+hooks.Path, hooks.New(services, slog.New(slog.NewTextHandler(&h.log, nil)), func(*http.Request) string { return "192.0.2.1" }))
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

// post sends a message and returns the status.
func (h *hookHouse) post(t *testing.T, path, header, signature, body string) int {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header != "" {
		q.Header.Set(header, signature)
	}
	a, err := h.Client().Do(q)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	return a.StatusCode
}

func signed(key, text string) []byte {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(text))
	return m.Sum(nil)
}

func TestHookAddress(t *testing.T) {
	h := newHookHouse(t, func(*hooks.Service) {})
	for _, c := range []struct {
		path   string
		status int
		nudged string
	}{
		{"/hooks/tickets/" + hookSecret, http.StatusNoContent, ""},
		{"/hooks/tickets/" + hookSecret + "?list=orders", http.StatusNoContent, "orders"},
		{"/hooks/tickets/" + hookSecret + "?list=nothing", http.StatusNotFound, "-"},
		{"/hooks/tickets/" + hookSecret[1:], http.StatusNotFound, "-"},
		{"/hooks/another/" + hookSecret, http.StatusNotFound, "-"},
		{"/hooks/tickets/", http.StatusNotFound, "-"},
	} {
		h.nudged = nil
		got := h.post(t, c.path, "", "", `{"order": "<script>"}`)
		if got != c.status || c.nudged == "-" && h.nudged != nil || c.nudged != "-" && (len(h.nudged) != 1 || h.nudged[0] != c.nudged) {
			t.Errorf("%s: status %d, nudged %q", strings.ReplaceAll(c.path, hookSecret, "SECRET"), got, h.nudged)
		}
	}
	if got := h.post(t, "/hooks/tickets/"+hookSecret, "", "", strings.Repeat("x", 65<<10)); got != http.StatusRequestEntityTooLarge {
		t.Errorf("65 kB: status %d", got)
	}
	h.fail = errors.New("no database")
	if got := h.post(t, "/hooks/tickets/"+hookSecret, "", "", "x"); got != http.StatusServiceUnavailable {
		t.Errorf("a nudge that is not noted: status %d", got)
	}
	if text := h.log.String(); strings.Contains(text, hookSecret) || strings.Contains(text, "<script>") || !strings.Contains(text, "no database") {
		t.Errorf("the log has the secret or the message, or not the failure:\n%s", text)
	}
	without := newHookHouse(t, func(h *hooks.Service) { h.Secret = "" })
	if got := without.post(t, "/hooks/tickets/", "", "", ""); got != http.StatusNotFound {
		t.Errorf("without a secret: status %d", got)
	}
}

// A message whose signature is wrong, missing, old or repeated has nothing polled.
func TestHookSignature(t *testing.T) {
	const key, body = "the key", `{"kind": "order.created"}`
	path := "/hooks/tickets/" + hookSecret
	now := time.Now().Unix()
	stamp := func(at int64, separator, key, body string) string {
		return fmt.Sprintf("t=%d,v1=%x", at, signed(key, fmt.Sprint(at)+separator+body))
	}
	for _, service := range []struct {
		name string
		set  func(*hooks.Service)
		sent []struct {
			name, signature string
			status          int
		}
	}{
		{"hex", func(h *hooks.Service) {}, []struct {
			name, signature string
			status          int
		}{
			{"good", hex.EncodeToString(signed(key, body)), 204}, {"again", hex.EncodeToString(signed(key, body)), 204},
			{"with its kind", "sha256=" + hex.EncodeToString(signed(key, body)), 204}, {"another key", hex.EncodeToString(signed("other", body)), 403},
			{"of another body", hex.EncodeToString(signed(key, body+" ")), 403}, {"none", "", 403}, {"garbage", "zz", 403},
		}},
		{"base64", func(h *hooks.Service) { h.Base64 = true }, []struct {
			name, signature string
			status          int
		}{
			{"good", base64.StdEncoding.EncodeToString(signed(key, body)), 204}, {"another key", base64.StdEncoding.EncodeToString(signed("other", body)), 403},
		}},
		{"time and body", func(h *hooks.Service) { h.Timed = true }, []struct {
			name, signature string
			status          int
		}{
			{"good", stamp(now, "", key, body), 204}, {"repeated", stamp(now, "", key, body), 403}, {"another", stamp(now-1, "", key, body), 204},
			{"two keys, of which one is ours", strings.Replace(stamp(now-2, "", key, body), "v1=", "v1="+hex.EncodeToString(signed("other", "x"))+",v1=", 1), 204},
			{"two keys, of which the first is ours", stamp(now-4, "", key, body) + ",v1=" + hex.EncodeToString(signed("other", "x")), 204},
			{"old", stamp(now-400, "", key, body), 403}, {"from the future", stamp(now+400, "", key, body), 403},
			{"with a point", stamp(now, ".", key, body), 403}, {"a time that is not signed", strings.Replace(stamp(now-3, "", key, body), fmt.Sprint(now-3), fmt.Sprint(now-2), 1), 403},
			{"no time", hex.EncodeToString(signed(key, body)), 403},
		}},
		{"time, a point and body", func(h *hooks.Service) { h.Timed, h.Separator = true, "." }, []struct {
			name, signature string
			status          int
		}{{"good", stamp(now, ".", key, body), 204}, {"without the point", stamp(now-1, "", key, body), 403}}},
	} {
		t.Run(service.name, func(t *testing.T) {
			h := newHookHouse(t, func(h *hooks.Service) {
				h.Key, h.Header = key, "X-Signature"
				service.set(h)
			})
			good := 0
			for _, c := range service.sent {
				if c.status == http.StatusNoContent {
					good++
				}
				if got := h.post(t, path, "X-Signature", c.signature, body); got != c.status || len(h.nudged) != good {
					t.Errorf("%s: status %d, want %d; nudged %d times, want %d", c.name, got, c.status, len(h.nudged), good)
				}
			}
		})
	}
}

// A message that could not be noted may come again.
func TestHookComesAgain(t *testing.T) {
	h := newHookHouse(t, func(h *hooks.Service) { h.Key, h.Header, h.Timed = "the key", "X-Signature", true })
	at := fmt.Sprint(time.Now().Unix())
	signature := fmt.Sprintf("t=%s,v1=%x", at, signed("the key", at+"x"))
	h.fail = errors.New("no database")
	for _, want := range []int{http.StatusServiceUnavailable, http.StatusNoContent, http.StatusForbidden} {
		if got := h.post(t, "/hooks/tickets/"+hookSecret, "X-Signature", signature, "x"); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
		h.fail = nil
	}
}

// A storm is refused after a while, and tells when to come again.
func TestHookStorm(t *testing.T) {
	h := newHookHouse(t, func(*hooks.Service) {})
	refused := 0
	for range 200 {
		if h.post(t, "/hooks/tickets/"+hookSecret, "", "", "x") == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 || len(h.nudged) != 200-refused {
		t.Errorf("%d of 200 were refused, %d nudged", refused, len(h.nudged))
	}
}

// A message is counted once it is noted, and where its signature is wrong, as refused; not what a stranger sends, nor what is sent again.
func TestHooksAreCounted(t *testing.T) {
	counted := make(chan string, 9)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var services []hooks.Service
	h := newHookHouse(t, func(s *hooks.Service) {
		s.Key, s.Header = "key", "X-Signature"
		s.Note = func(_ context.Context, name string, taken bool) error {
			counted <- fmt.Sprint(name, " ", taken)
			return errors.New("away")
		}
		s.Noted = func(_ context.Context, since time.Time) (map[string][]store.Messages, error) {
			return map[string][]store.Messages{"tickets": {{From: since, Taken: 3, Refused: 2, Last: at}}, "money": {{From: since, Taken: 9}}}, nil
		}
		services = []hooks.Service{*s, {Name: "money", Noted: s.Noted}, {Name: "tickets", Secret: "x", Noted: s.Noted}, {Name: "silent", Secret: "x"}}
	})
	right := hex.EncodeToString(signed("key", "news"))
	for _, c := range []struct {
		path, signature string
		status          int
	}{{"/hooks/tickets/" + hookSecret, right, 204}, {"/hooks/tickets/" + hookSecret, "00", 403}, {"/hooks/tickets/wrong", right, 404}, {"/hooks/tickets/" + hookSecret + "?list=none", right, 404}} {
		if got := h.post(t, c.path, "X-Signature", c.signature, "news"); got != c.status {
			t.Errorf("%s: %d, want %d", c.path, got, c.status)
		}
	}
	h.fail = errors.New("away")
	if got := h.post(t, "/hooks/tickets/"+hookSecret, "X-Signature", right, "news"); got != 503 {
		t.Errorf("answered %d", got)
	}
	h.Close() // each message is counted, after its answer
	close(counted)
	if got, want := sorted(counted), []string{"tickets false", "tickets true"}; !slices.Equal(got, want) {
		t.Errorf("counted %q, want %q", got, want)
	}
	later := func(at time.Time) time.Time { return at.Add(time.Hour) }
	got, err := hooks.Since(t.Context(), services, at, later)
	first := figures.Messages{From: later(at), Taken: 3, Refused: 2, Last: later(at)}
	if err != nil || len(got) != 2 || !slices.Equal(got[""], []figures.Messages{first}) || !slices.Equal(got["tickets"], []figures.Messages{first}) {
		t.Errorf("the messages are %+v (%v)", got, err)
	}
}

// sorted returns what is in a closed channel.
func sorted(all chan string) (in []string) {
	for one := range all {
		in = append(in, one)
	}
	slices.Sort(in)
	return in
}

// A message that a service sends once more is refused, but not counted as if its signature were wrong.
func TestHookSentAgainIsNotCounted(t *testing.T) {
	counted := make(chan string, 9)
	h := newHookHouse(t, func(s *hooks.Service) {
		s.Key, s.Header, s.Timed = "the key", "X-Signature", true
		s.Note = func(_ context.Context, name string, taken bool) error {
			counted <- fmt.Sprint(name, " ", taken)
			return nil
		}
	})
	at := fmt.Sprint(time.Now().Unix())
	for _, want := range []int{http.StatusNoContent, http.StatusForbidden, http.StatusForbidden} {
		if got := h.post(t, "/hooks/tickets/"+hookSecret, "X-Signature", fmt.Sprintf("t=%s,v1=%x", at, signed("the key", at+"x")), "x"); got != want {
			t.Errorf("status %d, want %d", got, want)
		}
	}
	h.Close()
	close(counted)
	if got := sorted(counted); !slices.Equal(got, []string{"tickets true"}) {
		t.Errorf("counted %q", got)
	}
}

// A busy database delays no answer, and has some time to count the message, also if the service has hung up.
func TestHookIsAnsweredBeforeItIsCounted(t *testing.T) {
	busy, counted := make(chan struct{}), make(chan error, 2)
	h := newHookHouse(t, func(s *hooks.Service) {
		s.Key, s.Header = "key", "X-Signature"
		s.Note = func(ctx context.Context, _ string, _ bool) error {
			<-busy
			if _, limited := ctx.Deadline(); !limited {
				counted <- errors.New("for any time")
			}
			counted <- ctx.Err()
			return nil
		}
	})
	path := h.URL + "/hooks/tickets/" + hookSecret
	for _, c := range []struct {
		signature, body string
	}{{hex.EncodeToString(signed("key", "news")), ""}, {"00", "another signature\n"}} {
		ctx, hangUp := context.WithTimeout(t.Context(), 10*time.Second)
		q, err := http.NewRequestWithContext(ctx, http.MethodPost, path, strings.NewReader("news"))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("X-Signature", c.signature)
		a, err := new(http.Transport).RoundTrip(q)
		if err != nil {
			close(busy)
			t.Fatal("no answer while the database is busy: ", err)
		}
		body, err := io.ReadAll(a.Body)
		if err != nil || string(body) != c.body {
			t.Errorf("answered %q (%v), want %q", body, err, c.body)
		}
		a.Body.Close()
		hangUp()
	}
	h.CloseClientConnections()
	time.Sleep(20 * time.Millisecond)
	close(busy)
	for range 2 {
		if err := <-counted; err != nil {
			t.Error(err)
		}
	}
}

// What was counted is read once a minute, however often it is asked for and also where it cannot be read, and at once for an earlier day.
func TestCountsAreReadOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var held hooks.Held
		reads, fail := 0, error(nil)
		services := []hooks.Service{{Name: "tickets", Secret: "x", Noted: func(_ context.Context, since time.Time) (map[string][]store.Messages, error) {
			reads++
			return map[string][]store.Messages{"tickets": {{From: since, Taken: reads}}}, fail
		}}}
		day := time.Now()
		ask := func(since time.Time, taken, wantReads int, wantErr error) {
			t.Helper()
			got, err := held.Since(t.Context(), services, since, func(at time.Time) time.Time { return at })
			if reads != wantReads || err != wantErr || err == nil && got[""][0].Taken != taken || err != nil && got != nil {
				t.Errorf("after %d reads there are %+v (%v), want %d after %d (%v)", reads, got, err, taken, wantReads, wantErr)
			}
		}
		ask(day, 1, 1, nil)
		time.Sleep(59 * time.Second)
		ask(day.Add(-time.Microsecond), 1, 1, nil)
		ask(day.AddDate(0, 0, -1), 2, 2, nil)
		ask(day, 2, 2, nil)
		time.Sleep(time.Minute)
		fail = errors.New("away")
		ask(day, 0, 3, fail)
		ask(day, 0, 3, fail)
		time.Sleep(time.Minute)
		fail = nil
		ask(day, 4, 4, nil)
	})
}

// Messages to a wrong secret or name are counted as refused and logged once, without the secret, and a flood of them stores and
// logs no more than one now and then.
func TestMessagesToAWrongAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var stored []string
		var away error // what storing fails with
		var mu sync.Mutex
		note := func(ctx context.Context, name string, n int) error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			mu.Lock()
			defer mu.Unlock()
			stored = append(stored, fmt.Sprint(name, " ", n))
			return away
		}
		fails := func(err error) {
			mu.Lock()
			defer mu.Unlock()
			away = err
		}
		wants := func(when string, want ...string) {
			t.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if slices.Sort(stored); !slices.Equal(stored, want) {
				t.Errorf("%s: stored %q, want %q", when, stored, want)
			}
			stored = nil
		}
		handler := hooks.New([]hooks.Service{{Name: "silent"}, {Name: "tickets", Secret: hookSecret, NoteRefused: note}, {Name: "money", Secret: hookSecret, NoteRefused: note}},
			slog.New(slog.NewTextHandler(&log, nil)), func(*http.Request) string { return "192.0.2.1" })
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go handler.Run(ctx)
		mux := http.NewServeMux()
		mux.Handle("POST "+hooks.Path, handler)
		post := func(path string) {
			t.Helper()
			w := httptest.NewRecorder()
			mux.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader("x")))
			if w.Code != http.StatusNotFound || w.Body.String() != "not found\n" {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
		post("/hooks/money/another-secret")
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "/hooks/money/…") || !strings.Contains(text, "192.0.2.1") || strings.Contains(text, "another-secret") {
			t.Errorf("the log has %q", text)
		}
		wants("the first", "money 1")
		for range 1000 {
			post("/hooks/money/another-secret")
		}
		post("/hooks/tikets/" + hookSecret)
		post("/hooks/silent/x")
		time.Sleep(9 * time.Second)
		wants("a flood")
		time.Sleep(2 * time.Second) // and nothing comes after it
		wants("after a flood", "money 1000", "tickets 2")
		if text := log.String(); strings.Count(text, "\n") != 1 {
			t.Errorf("the log has %q", text)
		}
		fails(errors.New("away"))
		post("/hooks/money/another-secret")
		time.Sleep(10 * time.Second)
		wants("the database is away", "money 1")
		post("/hooks/money/another-secret")
		post("/hooks/tikets/x")
		time.Sleep(10 * time.Second)
		wants("it still is", "money 2", "tickets 1")
		fails(nil)
		time.Sleep(10 * time.Second)
		wants("it is back", "money 2", "tickets 1")
		time.Sleep(10 * time.Minute)
		wants("nothing comes")
		log.Reset()
		post("/hooks/" + hookSecret + "/tickets") // in the place of the name
		if text := log.String(); !strings.Contains(text, "no service has this name") || !strings.Contains(text, "/hooks/tickets/SECRET") || strings.Contains(text, hookSecret) {
			t.Errorf("the log has %q", text)
		}
		wants("after a while", "tickets 1")
		post("/hooks/money/x")
		stop()
		wants("at the end", "money 1")
	})
}
