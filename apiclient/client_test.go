package apiclient_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"

	"housecount/apiclient"
)

func TestBreakStopsRequests(t *testing.T) {
	calls := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		writePage(w, r, tickets(30), 100, 30)
	}, apiclient.Options{PageSize: 10})
	for range readTickets(t.Context(), c, apiclient.Query{}) {
		break
	}
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

func TestEndOfContext(t *testing.T) {
	asked := make(chan struct{}, 1)
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}, apiclient.Options{Retries: 3})
	ctx, cancel := context.WithCancelCause(t.Context())
	going := errors.New("going home")
	go func() {
		<-asked
		cancel(going)
	}()
	g := gather(readEvents(ctx, c, apiclient.Query{}))
	if !errors.Is(g.err, going) {
		t.Errorf("ended with %v, want the cause", g.err)
	}
	if _, ok := errors.AsType[*apiclient.Error](g.err); ok {
		t.Errorf("%v is an Error: the service is not to blame", g.err)
	}
}

func TestConcurrentReads(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		writePage(w, r, tickets(40), 100, 40)
	}, apiclient.Options{PageSize: 10})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(g.records) != 40 {
				t.Errorf("%d records, %v", len(g.records), g.err)
			}
		})
	}
	wg.Wait()
}
