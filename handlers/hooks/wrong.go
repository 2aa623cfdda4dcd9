package hooks

import (
	"context"
	"net/http"
	"sync"
	"time"
)

const (
	// wrongCounted is how long messages to a wrong address are counted before they are stored, and wrongLogged how long after a
	// line of log the next comes: a flood of them writes no more than that. lastPatience is how long the last may take to be stored.
	wrongCounted = 10 * time.Second
	wrongLogged  = 10 * time.Minute
	lastPatience = time.Second
	// longestName is the longest name of a service that is logged. A longer one may be a secret in its place.
	longestName = 24
)

// wrong counts the messages to an address that is no service's: its name or its secret is another.
type wrong struct {
	some    chan struct{} // has one while some are not stored yet
	mu      sync.Mutex
	counted map[*guarded]int // those not stored yet
	logged  time.Time
}

// add counts messages as of a service.
func (c *wrong) add(of *guarded, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counted == nil {
		c.counted = map[*guarded]int{}
	}
	c.counted[of] += n
	select {
	case c.some <- struct{}{}:
	default: // there are others
	}
}

// toLog reports whether a message is to be logged.
func (c *wrong) toLog(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	log := now.Sub(c.logged) >= wrongLogged
	if log {
		c.logged = now
	}
	return log
}

// store stores what was counted since the last time. What cannot be stored is counted again, for the next.
func (c *wrong) store(ctx context.Context, patience time.Duration) {
	c.mu.Lock()
	all := c.counted
	c.counted = nil
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for of, n := range all {
		if of.NoteRefused(ctx, of.Name, n) != nil {
			c.add(of, n)
		}
	}
}

// Run stores how many messages were sent to a wrong address, until ctx ends, and then what is left: the first at once, and those
// that come after it wrongCounted later, however many they are.
func (h *Handler) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-timer.C:
		}
		select {
		case <-ctx.Done():
		case <-h.wrong.some:
			h.wrong.store(ctx, countPatience)
			timer.Reset(wrongCounted)
		}
	}
	h.wrong.store(context.WithoutCancel(ctx), lastPatience) // if that fails, the log has that there were some
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
	h.wrong.add(of, 1)
	if !h.wrong.toLog(time.Now()) {
		return
	}
	why := "the secret is another: give the service the address with --hook-secret"
	if of.Name != name {
		why = "no service has this name: give the service the address " + PathStart + of.Name + "/SECRET"
	}
	if len(name) > longestName {
		name = "…"
	}
	h.log.Warn("messages come to a wrong address; more are counted, and logged every ten minutes", "path", PathStart+name+"/…", "address", h.from(r), "mend", why)
}
