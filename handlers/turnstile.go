package handlers

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	// A whole staff shares one address when its shift begins: so many pass at once, and then one
	// every turnEvery.
	turnBurst = 100
	turnEvery = 100 * time.Millisecond
	// turnQueue is how many of one address may wait, turnQueues how many of all, turnPatience how
	// long each.
	turnQueue    = 200
	turnQueues   = 2000
	turnPatience = 30 * time.Second
	// turnAddresses is how many addresses are remembered; the others share one queue.
	turnAddresses = 10_000
)

var errTooMany = errors.New("too many are waiting")

// turnstile lets through what costs the database and the sign-in service something, so much of
// each address at a time: nobody can use up another's turns.
type turnstile struct {
	mu        sync.Mutex
	addresses map[netip.Prefix]*queue
	waiting   int
}

// queue is what comes from one address.
type queue struct {
	*rate.Limiter
	waiting int
}

// wait waits for a turn. It is errTooMany when too many of the address wait already.
func (t *turnstile) wait(ctx context.Context, from netip.Addr) error {
	q, ok := t.join(from)
	if !ok {
		return errTooMany
	}
	defer t.leave(q)
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	if err := q.Wait(ctx); err != nil {
		return errTooMany
	}
	return nil
}

func (t *turnstile) join(from netip.Addr) (*queue, bool) {
	// Who has one IPv6 address has 64 bits of them.
	key, err := from.Prefix(min(64, from.BitLen()))
	if err != nil {
		key = netip.Prefix{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.addresses[key] == nil && len(t.addresses) >= turnAddresses {
		for k, q := range t.addresses {
			if q.waiting == 0 && q.Tokens() >= turnBurst {
				delete(t.addresses, k)
			}
		}
		if len(t.addresses) >= turnAddresses {
			key = netip.Prefix{}
		}
	}
	q := t.addresses[key]
	if q == nil {
		q = &queue{Limiter: rate.NewLimiter(rate.Every(turnEvery), turnBurst)}
		if t.addresses == nil {
			t.addresses = make(map[netip.Prefix]*queue)
		}
		t.addresses[key] = q
	}
	if q.waiting >= turnQueue || t.waiting >= turnQueues {
		return nil, false
	}
	q.waiting++
	t.waiting++
	return q, true
}

func (t *turnstile) leave(q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q.waiting--
	t.waiting--
}
