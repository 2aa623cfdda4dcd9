package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// All lists of a service answer without an end, at once and again and again: the program needs the memory of a small
// machine, and goes on.
func TestMemoryOfEndlessBodies(t *testing.T) {
	const lists, rounds, most = 5, 4, 300 // MB
	f := newFront(t)
	s := newService(t, loginAt(f))
	running := f.start(t, s, filepath.Join(t.TempDir(), "house.db"))
	f.to.Store(running.url)
	for _, stream := range []string{"events", "tickets", "payments", "contacts", "planning"} {
		running.out.await(t, `msg="first sync ended" stream=`+stream)
	}
	var asking, ended, sent atomic.Int64
	together, all := make(chan struct{}), make(chan struct{})
	s.stand(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v2/") {
			s.ServeHTTP(w, r)
			return
		}
		if asking.Add(1) == lists {
			close(together)
		}
		select {
		case <-together:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		text := append([]byte(`{"data":[`), bytes.Repeat([]byte(" "), 64<<10)...)
		for {
			n, err := w.Write(text)
			if sent.Add(int64(n)); err != nil {
				break
			}
			text = text[len(text)-64<<10:]
		}
		if ended.Add(1) == lists*rounds {
			close(all)
		}
	})
	select {
	case <-all:
	case <-time.After(patience):
		t.Fatalf("%d bodies of %d ended", ended.Load(), lists*rounds)
	}
	if each := sent.Load() / ended.Load(); each < 32<<20 {
		t.Errorf("%d MB of each body were read: that is no measure of endless ones", each>>20)
	}
	needed := peak(t, running.Process.Pid)
	t.Logf("%.0f MB", needed)
	if needed > most {
		t.Errorf("the program needed %.0f MB, want %d at most", needed, most)
	}
	person := f.visitor(t)
	person.login()
	if status, _, _ := person.send(http.MethodGet, f.URL+"/tonight", nil); status != http.StatusOK {
		t.Errorf("Tonight is answered %d", status)
	}
}
