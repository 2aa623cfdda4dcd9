// Package notify sends letters by mail: it makes those that are due for the people who want them, sends them, and notes
// what became of each. What is due, and what is in a letter for whom, is handed in.
//
// The outbox is in the store, so that any process may make and send: a letter is made once and, unless a process dies
// between sending it and noting that, sent once. The second copy then has the Message-ID of the first, by which mail
// programs recognise it.
package notify

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"housecount/aggregator/store"
)

// Due is a letter that is due for whoever wants it, about a day, and is worth sending for a time.
type Due struct {
	Name, Day string
	For       time.Duration
}

// Text is what is in a letter.
type Text struct {
	Subject, Plain, HTML string
	// Stop is the address that stops the letters: a POST does so at once.
	Stop string
}

// Errors of Post.Write.
var (
	// ErrVoid means that there is nothing to send: nothing happened, or the person may not get the letter.
	ErrVoid = errors.New("notify: there is nothing to send")
	// ErrNotYet means that the figures are not known at present.
	ErrNotYet = errors.New("notify: the figures are not known")
)

const (
	// check is how often it is seen what is due.
	check = 20 * time.Second
	// again is after how long a letter that failed is sent again the first time; then twice as long each time, up to longest.
	again   = time.Minute
	longest = 15 * time.Minute
)

// Post makes and sends letters. All its fields are required.
type Post struct {
	Letters *store.Letters
	Changed <-chan struct{} // receives after the letters may have changed
	Server  Sender
	// Due returns what is due now, and Write what is in a letter to a person.
	Due   func() []Due
	Write func(ctx context.Context, letter store.Letter, to store.Subscriber) (Text, error)
	// Done is called with the state of each letter that waits no more.
	Done func(state string)
	Log  *slog.Logger

	failed string // the failure of the last letter, empty if it was sent
}

// Sender sends a letter.
type Sender interface {
	// Send sends a text to an address. Letters with the same id are the same letter. An error that is Permanent will come
	// again.
	Send(ctx context.Context, id, address string, t Text) error
}

// stopWithin is how long a letter that is being sent is waited for when the program stops.
const stopWithin = 2 * time.Second

// Run makes and sends letters until ctx ends, and then returns nil: once a letter that is being sent is noted, or after
// stopWithin.
func (p *Post) Run(ctx context.Context) error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(ctx)
	}()
	<-ctx.Done()
	select {
	case <-ended:
	case <-time.After(stopWithin):
	}
	return nil
}

func (p *Post) run(ctx context.Context) {
	tick := time.NewTicker(check)
	defer tick.Stop()
	for {
		if err := p.round(ctx); err != nil && ctx.Err() == nil {
			p.Log.Warn("letters cannot be made or noted now", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.Changed:
		}
	}
}

// round makes what is due and sends what waits.
func (p *Post) round(ctx context.Context) error {
	if err := p.make(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		one, err := p.Letters.Claim(ctx)
		if err != nil || one == nil {
			return err
		}
		state, failure, wait := p.send(ctx, one)
		if state == store.LetterWaiting && ctx.Err() != nil {
			return nil // it is sent again after the claim
		}
		if err := p.settle(ctx, one, state, failure, wait); err != nil {
			return err
		}
		if state != store.LetterWaiting {
			p.Done(state)
		}
	}
	return nil
}

// settleTimeout is how long to try to note what became of a letter.
const settleTimeout = 10 * time.Second

// settle notes what became of a letter, also while the program stops: a letter that was sent and not noted is sent again.
func (p *Post) settle(ctx context.Context, one *store.Letter, state, failure string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, p.Letters.Settle(ctx, one, state, failure, wait) })
	return err
}

// make makes the letters that are due.
func (p *Post) make(ctx context.Context) error {
	due := p.Due()
	if len(due) == 0 {
		return nil
	}
	people, err := p.Letters.Subscribers(ctx)
	if err != nil {
		return err
	}
	var all []store.Letter
	for _, d := range due {
		for _, to := range people {
			if slices.Contains(to.Names, d.Name) {
				all = append(all, store.Letter{Person: to.Person, Name: d.Name, Day: d.Day, Until: time.Now().Add(d.For)})
			}
		}
	}
	return p.Letters.Make(ctx, all)
}

// send sends a letter that was claimed. It returns the state after that, why it is not sent, and for how long it waits.
func (p *Post) send(ctx context.Context, one *store.Letter) (state, failure string, wait time.Duration) {
	if time.Now().After(one.Until) {
		p.Log.Warn("a letter is given up", "letter", one.Name, "day", one.Day, "tries", one.Tries-1, "err", one.Failure)
		return store.LetterLate, one.Failure, 0
	}
	to, err := p.Letters.Of(ctx, one.Person)
	switch {
	case err != nil:
		return store.LetterWaiting, one.Failure, again
	case to == nil || !slices.Contains(to.Names, one.Name):
		return store.LetterVoid, "", 0 // they have just stopped it
	}
	text, err := p.Write(ctx, *one, *to)
	if err == nil {
		err = p.Server.Send(ctx, one.ID(), to.Address, text)
	}
	switch {
	case err == nil:
		if p.failed != "" {
			p.Log.Info("letters are sent again")
		}
		p.failed = ""
		return store.LetterSent, "", 0
	case errors.Is(err, ErrVoid):
		return store.LetterVoid, "", 0
	case errors.Is(err, ErrNotYet):
		return store.LetterWaiting, one.Failure, again
	}
	if err.Error() != p.failed {
		p.failed = err.Error()
		p.Log.Warn("a letter was not sent", "letter", one.Name, "day", one.Day, "tries", one.Tries, "err", err)
	}
	if Permanent(err) {
		return store.LetterRefused, err.Error(), 0
	}
	return store.LetterWaiting, err.Error(), min(longest, again<<min(one.Tries-1, 10))
}
