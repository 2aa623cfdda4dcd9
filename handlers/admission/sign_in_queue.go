package admission

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"housecount/aggregator/store"
)

const (
	// exchangesAtOnce is how many sign-ins are completed at the same time. The first exchangesBurst begin at once,
	// because a whole staff may come together, and then one every exchangesEvery. The sign-in service may refuse a site
	// that asks more often, and then nobody can sign in.
	exchangesAtOnce = 16
	exchangesEvery  = 25 * time.Millisecond
	exchangesBurst  = 100
	// exchangePatience is the longest wait for a turn.
	exchangePatience = 20 * time.Second
	// queueOfAll and queueOfNetwork limit how many sign-ins wait, in all and from one network, so that nobody waits
	// longer than 3 s. Known browsers do not count towards them; at most queueOfKnown of those wait.
	queueOfAll     = 120
	queueOfNetwork = 80
	queueOfKnown   = 1000
)

// SignInQueue is the queue of people who return from the sign-in service, over all addresses. Browsers in which somebody
// signed in before go first. The other turns go alternately to the sign-in that began first of all and to the one that
// began first in the next network. A person began some time ago and keeps that place when they come back; a request
// that is sent only to fill the queue began just now. A crowd from one network does not hold up other networks.
// The zero value is ready to use.
type SignInQueue struct {
	mu       sync.Mutex
	limit    *rate.Limiter
	busy     int // sign-ins that are being completed
	known    []*inQueue
	networks map[netip.Prefix][]*inQueue
	turns    []netip.Prefix // the keys of networks, the next to go first
	oldest   bool           // the last turn was of whoever began first of all
	waiting  int
	timer    *time.Timer // set while the limit lets nobody pass
}

// inQueue is a sign-in that waits for its turn.
type inQueue struct {
	began time.Time
	turn  chan bool // true for a turn, false if the sign-in has to come back
}

// Wait waits for a turn and returns the function that ends it. It returns ErrTooMany if there is no place in the
// queue; the sign-in may come back, with the same place.
func (q *SignInQueue) Wait(ctx context.Context, from netip.Addr, began time.Time, known bool) (done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, exchangePatience)
	defer cancel()
	w := &inQueue{began, make(chan bool, 1)}
	network := store.Network(from)
	q.mu.Lock()
	q.join(w, network, known)
	q.serve()
	q.mu.Unlock()
	select {
	case served := <-w.turn:
		if !served {
			return nil, ErrTooMany
		}
	case <-ctx.Done():
		if !q.leave(w, network) && <-w.turn {
			q.done()
		}
		return nil, ErrTooMany
	}
	return q.done, nil
}

// done ends a turn.
func (q *SignInQueue) done() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
	q.serve()
}

// join gives a sign-in its place, or turns one away: this one, or one that began later.
func (q *SignInQueue) join(w *inQueue, network netip.Prefix, known bool) {
	if known && len(q.known) < queueOfKnown {
		q.known = insert(q.known, w)
		return
	}
	if q.networks == nil {
		q.networks = make(map[netip.Prefix][]*inQueue)
	}
	if len(q.networks[network]) == 0 {
		q.turns = append(q.turns, network)
	}
	q.networks[network] = insert(q.networks[network], w)
	q.waiting++
	if len(q.networks[network]) > queueOfNetwork {
		q.turnAway(network)
	} else if q.waiting > queueOfAll {
		latest := network
		for n, line := range q.networks {
			if last(line).began.After(last(q.networks[latest]).began) {
				latest = n
			}
		}
		q.turnAway(latest)
	}
}

func last(line []*inQueue) *inQueue { return line[len(line)-1] }

// insert puts a sign-in behind those that began before it.
func insert(line []*inQueue, w *inQueue) []*inQueue {
	i, _ := slices.BinarySearchFunc(line, w.began, func(o *inQueue, began time.Time) int {
		if o.began.After(began) {
			return 1
		}
		return -1
	})
	return slices.Insert(line, i, w)
}

// turnAway refuses the sign-in of a network that began last.
func (q *SignInQueue) turnAway(network netip.Prefix) {
	line := q.networks[network]
	last(line).turn <- false
	q.keep(network, line[:len(line)-1])
}

// keep sets the queue of a network after one sign-in has left it.
func (q *SignInQueue) keep(network netip.Prefix, line []*inQueue) {
	q.waiting--
	if q.networks[network] = line; len(line) == 0 {
		delete(q.networks, network)
		q.turns = slices.DeleteFunc(q.turns, func(n netip.Prefix) bool { return n == network })
	}
}

// leave removes a sign-in that has stopped waiting. It returns false if the sign-in already had its turn or was refused.
func (q *SignInQueue) leave(w *inQueue, network netip.Prefix) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.known, w); i >= 0 {
		q.known = slices.Delete(q.known, i, i+1)
		return true
	}
	if i := slices.Index(q.networks[network], w); i >= 0 {
		q.keep(network, slices.Delete(q.networks[network], i, i+1))
		return true
	}
	return false
}

// serve gives turns to those who may pass now.
func (q *SignInQueue) serve() {
	if q.limit == nil {
		q.limit = rate.NewLimiter(rate.Every(exchangesEvery), exchangesBurst)
	}
	for len(q.known)+q.waiting > 0 && q.busy < exchangesAtOnce && q.timer == nil {
		turn := q.limit.Reserve()
		if delay := turn.Delay(); delay > 0 {
			turn.Cancel()
			q.timer = time.AfterFunc(delay, func() {
				q.mu.Lock()
				defer q.mu.Unlock()
				q.timer = nil
				q.serve()
			})
			return
		}
		q.busy++
		q.next().turn <- true
	}
}

// next removes the sign-in whose turn it is and returns it. The queue must not be empty.
func (q *SignInQueue) next() (w *inQueue) {
	if len(q.known) > 0 {
		w, q.known = q.known[0], q.known[1:]
		return w
	}
	network := q.turns[0]
	if q.oldest = !q.oldest; q.oldest {
		for n, line := range q.networks {
			if line[0].began.Before(q.networks[network][0].began) {
				network = n
			}
		}
	} else {
		q.turns = append(q.turns[1:], network)
	}
	line := q.networks[network]
	q.keep(network, line[1:])
	return line[0]
}
