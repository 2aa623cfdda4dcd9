package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// ask sends a GET without reading the body; a fault may have none.
func (s *service) ask(ctx context.Context, path string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+testKey)
	return http.DefaultTransport.RoundTrip(r)
}

func TestFaults(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	for range 3 {
		s.addEvent(evt)
	}
	status := func(want int) func(*testing.T, *http.Response, error) {
		return func(t *testing.T, answer *http.Response, err error) {
			if err != nil || answer.StatusCode != want {
				t.Errorf("%v %v, want %d", answer, err, want)
			}
		}
	}
	for _, test := range []struct {
		name, fault string
		check       func(*testing.T, *http.Response, error)
	}{
		{"error", `"kind":"error"`, status(500)},
		{"error with a status", `"kind":"error","status":403`, status(403)},
		{"rate limit", `"kind":"rate-limit"`, func(t *testing.T, answer *http.Response, err error) {
			status(429)(t, answer, err)
			if got := answer.Header.Get("Retry-After"); got != "60" && got != "59" {
				t.Errorf("Retry-After %q", got)
			}
		}},
		{"truncate", `"kind":"truncate"`, func(t *testing.T, answer *http.Response, err error) {
			status(200)(t, answer, err)
			b, err := io.ReadAll(answer.Body)
			if err != nil || !bytes.HasPrefix(b, []byte(`{"data":[{"id":`)) || json.Valid(b) {
				t.Errorf("%v %s", err, b)
			}
		}},
		{"reset", `"kind":"reset"`, func(t *testing.T, _ *http.Response, err error) {
			if !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.EOF) {
				t.Errorf("want a reset, got %v", err)
			}
		}},
		{"endless", `"kind":"endless"`, func(t *testing.T, answer *http.Response, err error) {
			status(200)(t, answer, err)
			if n, err := io.CopyN(io.Discard, answer.Body, 20<<20); err != nil {
				t.Errorf("it ended after %d bytes: %v", n, err)
			}
		}},
		{"huge", `"kind":"huge"`, func(t *testing.T, answer *http.Response, err error) {
			status(200)(t, answer, err)
			if answer.ContentLength != 1<<30 {
				t.Errorf("length %d", answer.ContentLength)
			}
			if n, err := io.CopyN(io.Discard, answer.Body, 20<<20); err != nil {
				t.Errorf("it ended after %d bytes: %v", n, err)
			}
		}},
		{"garbage", `"kind":"garbage"`, func(t *testing.T, answer *http.Response, err error) {
			status(200)(t, answer, err)
			b, _ := io.ReadAll(answer.Body)
			if len(b) == 0 || json.Valid(b) {
				t.Errorf("%s", b)
			}
		}},
		{"loop", `"kind":"loop"`, func(t *testing.T, answer *http.Response, err error) {
			status(200)(t, answer, err)
			var p page[record.Event]
			if err := json.NewDecoder(answer.Body).Decode(&p); err != nil || p.Meta.Page != 1 || len(p.Data) != 2 {
				t.Errorf("%v %+v", err, p)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.control("fault", `{"stream":"events","for":60,`+test.fault+`}`, nil)
			answer, err := s.ask(t.Context(), "/v2/events?per_page=2&page=2")
			test.check(t, answer, err)
			if err == nil {
				answer.Body.Close()
			}
			if answer, _ := s.do(http.MethodGet, "/v2/tickets", ""); answer.StatusCode != 200 {
				t.Errorf("another stream: %s", answer.Status)
			}
			s.control("fault", `{"kind":"","for":0}`, nil)
			if got := list[record.Event](s, "/v2/events?per_page=2&page=2"); len(got.Data) != 1 || got.Meta.Page != 2 {
				t.Errorf("after the fault: %+v", got)
			}
		})
	}
}

func TestEveryNth(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	s.control("fault", `{"kind":"error","status":503,"for":60,"every":3}`, nil)
	var got []string
	for range 7 {
		answer, _ := s.do(http.MethodGet, "/v2/payments", "")
		got = append(got, fmt.Sprint(answer.StatusCode))
	}
	if strings.Join(got, " ") != "200 200 503 200 200 503 200" {
		t.Error(got)
	}
}

// TestStall: a stalled request is answered when the fault is cleared or runs out, and let go
// when nobody waits any more.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := sandbox.New(sandbox.Options{Empty: true, Start: evening, APIKey: testKey})
		if err != nil {
			t.Fatal(err)
		}
		serve := func(r *http.Request) *httptest.ResponseRecorder {
			r.RemoteAddr, r.Host = "127.0.0.1:1", "localhost"
			r.Header.Set("Authorization", "Bearer "+testKey)
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		stall := func(seconds string) {
			w := serve(httptest.NewRequest(http.MethodPost, "/sandbox/fault", strings.NewReader(`{"kind":"stall","for":`+seconds+`}`)))
			if w.Code != 200 {
				t.Fatal(w.Body)
			}
		}
		for _, test := range []struct {
			name     string
			end      func(cancel func())
			answered bool
		}{
			{"cleared", func(func()) { stall("0") }, true},
			{"ran out", func(func()) { time.Sleep(601 * time.Second) }, true},
			{"nobody waits", func(cancel func()) { cancel() }, false},
			{"closed", func(func()) { s.Close() }, true},
		} {
			stall("600")
			ctx, cancel := context.WithCancel(t.Context())
			answers := make(chan *httptest.ResponseRecorder, 1)
			go func() { answers <- serve(httptest.NewRequestWithContext(ctx, http.MethodGet, "/v2/events", nil)) }()
			if synctest.Wait(); len(answers) > 0 {
				t.Fatalf("%s: answered while stalled", test.name)
			}
			test.end(cancel)
			if synctest.Wait(); len(answers) == 0 {
				t.Fatalf("%s: still stalled", test.name)
			}
			if w := <-answers; (w.Body.Len() > 0) != test.answered {
				t.Errorf("%s: %d %s", test.name, w.Code, w.Body)
			}
			cancel()
		}
	})
}
