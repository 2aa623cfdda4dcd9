package handlers_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/handlers/hooks"
)

// How many webhooks came to a wrong address is stored, and no answer waits for that.
func TestWebhooksToAWrongAddressAreStored(t *testing.T) {
	stored := make(chan int)
	h := newHouse(t, func(o *handlers.Options) {
		o.Hooks = []hooks.Service{{Name: "tickets", Secret: "x", NoteRefused: func(_ context.Context, _ string, n int) error {
			stored <- n
			return nil
		}}}
	})
	a, err := h.Client().Post(h.URL+"/hooks/tickets/y", "text/plain", strings.NewReader("news"))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	select {
	case n := <-stored:
		if n != 1 || a.StatusCode != http.StatusNotFound {
			t.Errorf("%d are stored, answered %d", n, a.StatusCode)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing is stored")
	}
}

// A webhook is answered while the database is still busy with counting it.
func TestWebhookIsAnsweredAtOnce(t *testing.T) {
	busy := make(chan struct{})
	h := newHouse(t, func(o *handlers.Options) {
		o.Hooks = []hooks.Service{{Name: "tickets", Secret: "x", Nudge: func(context.Context, string) error { return nil }, Note: func(context.Context, string, bool) error {
			<-busy
			return nil
		}}}
	})
	defer close(busy)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL+"/hooks/tickets/x", strings.NewReader("news"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := h.Client().Do(q)
	if err != nil {
		t.Fatal("no answer: ", err)
	}
	a.Body.Close()
	if a.StatusCode != http.StatusNoContent {
		t.Errorf("answered %d", a.StatusCode)
	}
}
