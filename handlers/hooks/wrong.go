package hooks

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// wrongCounted is how long messages to a wrong address are counted before they are stored, and wrongLogged how long after a
	// line of log the next comes: a flood of them writes no more than that.
	wrongCounted = 10 * time.Second
	wrongLogged  = 10 * time.Minute
	// longestName is the longest name of a service that is logged. A longer one may be a secret in its place.
	longestName = 24
)

// wrong counts the messages to an address that is no service's: its name or its secret is another. Its zero value is ready.
type wrong struct {
	mu             sync.Mutex
	counted        map[string]int // those not stored yet, by service
	stored, logged time.Time
}

// count counts a message for a service, and returns how many are to be stored now, by service, and whether to log it.
func (c *wrong) count(service string, now time.Time) (store map[string]int, log bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counted == nil {
		c.counted = map[string]int{}
	}
	c.counted[service]++
	if now.Sub(c.stored) >= wrongCounted {
		store, c.counted, c.stored = c.counted, nil, now
	}
	if log = now.Sub(c.logged) >= wrongLogged; log {
		c.logged = now
	}
	return store, log
}

// refuse answers a message to an address that is no service's as one that does not exist. It is counted as refused for the service
// that it names, or the first that takes messages.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusNotFound, "not found")
	name := r.PathValue("service")
	var of *guarded
	for i := range h.services {
		if s := &h.services[i]; s.Secret != "" && (of == nil || s.Name == name) {
			of = s
		}
	}
	if of == nil || of.NoteRefused == nil {
		return
	}
	all, log := h.wrong.count(of.Name, time.Now())
	if log {
		why := "the secret is another: give the service the address with --hook-secret"
		if of.Name != name {
			why = "no service has this name: give the service the address " + PathStart + of.Name + "/SECRET"
		}
		if len(name) > longestName {
			name = "…"
		}
		h.log.Warn("messages come to a wrong address; more are counted, and logged every ten minutes", "path", PathStart+name+"/…", "address", h.from(r), "mend", why)
	}
	if len(all) > 0 {
		_ = http.NewResponseController(w).Flush()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), countPatience)
		defer cancel()
		for service, n := range all {
			_ = of.NoteRefused(ctx, service, n) // none is answered otherwise because it cannot be counted
		}
	}
}
