package poller_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/aggregator/poller"
	"housecount/apiclient"
	"housecount/apiclient/probe"
)

// answers is a log of probe answers.
type answers struct {
	mu     sync.Mutex
	stored map[string][]byte
}

func (a *answers) Answer(_ context.Context, key string) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stored[key], nil
}

func (a *answers) SetAnswer(_ context.Context, key string, answer []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stored[key] = answer
	return nil
}

// Run ends with its context whatever it is doing and leaves no goroutine: the bubble would not end.
func TestRunEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*service)
	}{
		{"waiting", func(*service) {}},
		{"in a poll", func(s *service) { s.hang["tickets"] = make(chan struct{}) }},
		{"in a first poll", func(s *service) { s.hang["events"] = make(chan struct{}) }},
		{"after failures", func(s *service) { s.fail["events"] = &apiclient.Error{Kind: apiclient.Unreachable} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := tonight()
				c.set(s)
				h := run(t, s, logtest.New())
				pass(10 * time.Second)
				began := time.Now()
				if err := h.stop(); err != nil || time.Since(began) != 0 {
					t.Errorf("Run gave %v after %v", err, time.Since(began))
				}
			})
		})
	}
}

// Run ends with its context in the middle of a call.
func TestRunEndsInACall(t *testing.T) {
	for _, c := range []struct {
		name  string
		serve func(w http.ResponseWriter, r *http.Request)
	}{
		{"no answer", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"half an answer", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"data":[`)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := make(chan struct{}, 100)
			_, _, stop := asking(t, func(w http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				c.serve(w, r)
			})
			<-asked
			began := time.Now()
			if err := stop(); err != nil || time.Since(began) > 5*time.Second {
				t.Errorf("Run gave %v after %v", err, time.Since(began))
			}
		})
	}
}

func TestRunEndsInAPause(t *testing.T) {
	a, published, stop := asking(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-RateLimit-Remaining", "0")
		w.Header().Set("X-RateLimit-Reset", "50")
		empty(w)
	})
	for !a.Snapshot().Health.Streams[0].Complete {
		<-published
	}
	began := time.Now() // the next stream waits for its turn
	if err := stop(); err != nil || time.Since(began) > 5*time.Second {
		t.Errorf("Run gave %v after %v", err, time.Since(began))
	}
}

// asking runs a poller and figures with a real client until stop.
func asking(t *testing.T, h http.HandlerFunc) (f *aggregator.Figures, published chan struct{}, stop func() error) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	client, err := apiclient.New(apiclient.Options{BaseURL: server.URL, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	published = make(chan struct{}, 1)
	log := logtest.New().Open()
	f, err = aggregator.New(aggregator.Options{Log: log, Streams: streamsOf(client), Published: func(figures.Changes) {
		select {
		case published <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := poller.New(poller.Options{Source: probe.NewSource(client, &answers{stored: map[string][]byte{}}, nil), Log: log, Figures: f})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	return f, published, start(t, f, p)
}

func empty(w http.ResponseWriter) { fmt.Fprint(w, `{"data":[],"meta":{"total":0}}`) }
