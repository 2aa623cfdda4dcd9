package admission

import (
	"context"
	"errors"
	"maps"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"housecount/aggregator/store"
)

const (
	// Many may share one address: turnBurst requests pass at once, and then one every turnEvery.
	turnBurst = 100
	turnEvery = 100 * time.Millisecond
	// turnPatience is the longest wait, which is enough for 200 requests of one address. turnQueues is how many
	// may wait, over all addresses.
	turnPatience = 20 * time.Second
	turnQueues   = 2000
	// turnAddresses is how many addresses are remembered; the others share one queue.
	turnAddresses = 10_000
)

// ErrTooMany is the error of a request that gets no turn.
var ErrTooMany = errors.New("too many are waiting")

// AddressLimiter limits what costs the database or the sign-in service something, by address, so that nobody can
// use up another's turns. Its zero value is ready to use.
type AddressLimiter struct {
	mu        sync.Mutex
	addresses map[netip.Prefix]*rate.Limiter
	waiting   int
}

// Wait waits for a turn. It returns ErrTooMany at once if too many are waiting.
func (t *AddressLimiter) Wait(ctx context.Context, from netip.Addr) error {
	turn, delay := t.join(from)
	if turn == nil {
		return ErrTooMany
	}
	if delay == 0 {
		return nil
	}
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waiting--
	}()
	select {
	case <-time.After(delay):
		return nil
	case <-ctx.Done():
		turn.Cancel()
		return ctx.Err()
	}
}

// join reserves a turn and returns how long to wait for it; turn is nil if it would come too late. A caller that
// has to wait is counted as waiting.
func (t *AddressLimiter) join(from netip.Addr) (turn *rate.Reservation, delay time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn = t.limiter(from).Reserve()
	switch delay = turn.Delay(); {
	case delay == 0:
	case delay > turnPatience || t.waiting >= turnQueues:
		turn.Cancel()
		return nil, 0
	default:
		t.waiting++
	}
	return turn, delay
}

// limiter returns the limiter of an address; t.mu must be locked.
func (t *AddressLimiter) limiter(from netip.Addr) *rate.Limiter {
	key := store.Network(from)
	if t.addresses[key] == nil && len(t.addresses) >= turnAddresses {
		maps.DeleteFunc(t.addresses, func(_ netip.Prefix, l *rate.Limiter) bool { return l.Tokens() >= turnBurst })
		if len(t.addresses) >= turnAddresses {
			key = netip.Prefix{}
		}
	}
	l := t.addresses[key]
	if l == nil {
		l = rate.NewLimiter(rate.Every(turnEvery), turnBurst)
		if t.addresses == nil {
			t.addresses = make(map[netip.Prefix]*rate.Limiter)
		}
		t.addresses[key] = l
	}
	return l
}
