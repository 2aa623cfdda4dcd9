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

// Post makes and sends letters. All its fields are required, but for Sent.
type Post struct {
	Letters *store.Letters
	Changed <-chan struct{} // receives after the letters may have changed
	Server  Sender
	// Due returns what is due now, and Write what is in a letter to a person.
	Due   func() []Due
	Write func(ctx context.Context, letter store.Letter, to store.Subscriber) (Text, error)
	// Sent, if set, is called with the state of each letter that is done.
	Sent func(state string)
	Log  *slog.Logger

	made   map[string]bool // ids of letters that this process made
	failed string          // the failure of the last letter, empty if it was sent
}

// Sender sends a letter.
type Sender interface {
	// Send sends a text to an address. Letters with the same id are the same letter. An error that is Permanent will come
	// again.
	Send(ctx context.Context, id, address string, t Text) error
}

// Run makes and sends letters until ctx ends, and then returns nil.
func (p *Post) Run(ctx context.Context) error {
	p.made = map[string]bool{}
	tick := time.NewTicker(check)
	defer tick.Stop()
	for {
		err := p.round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			p.Log.Warn("letters cannot be made or noted now", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-p.Changed:
		}
	}
}

// round makes what is due and sends what waits.
func (p *Post) round(ctx context.Context) error {
	people, err := p.Letters.Subscribers(ctx)
	if err != nil {
		return err
	}
	if err := p.make(ctx, people); err != nil {
		return err
	}
	for ctx.Err() == nil {
		one, err := p.Letters.Claim(ctx)
		if err != nil || one == nil {
			return err
		}
		state, failure, wait := p.send(ctx, one, people)
		if ctx.Err() != nil {
			return nil // whether it was sent is not known: it is sent again after the claim
		}
		if err := p.Letters.Settle(ctx, one, state, failure, wait); err != nil {
			return err
		}
		if p.Sent != nil && state != store.LetterWaiting {
			p.Sent(state)
		}
	}
	return nil
}

// make makes the letters that are due, unless this process has.
func (p *Post) make(ctx context.Context, people []store.Subscriber) error {
	due := p.Due()
	var all []store.Letter
	for _, d := range due {
		for _, to := range people {
			one := store.Letter{Person: to.Person, Name: d.Name, Day: d.Day, Until: time.Now().Add(d.For)}
			if slices.Contains(to.Names, d.Name) && !p.made[one.ID()] {
				all = append(all, one)
			}
		}
	}
	if len(due) == 0 {
		clear(p.made)
	}
	if len(all) == 0 {
		return nil
	}
	if err := p.Letters.Make(ctx, all); err != nil {
		return err
	}
	for _, one := range all {
		p.made[one.ID()] = true
	}
	return nil
}

// send sends a letter that was claimed. It returns the state after that, why it is not sent, and for how long it waits.
func (p *Post) send(ctx context.Context, one *store.Letter, people []store.Subscriber) (state, failure string, wait time.Duration) {
	if time.Now().After(one.Until) {
		p.Log.Warn("a letter is given up", "letter", one.Name, "day", one.Day, "tries", one.Tries-1, "err", one.Failure)
		return store.LetterLate, one.Failure, 0
	}
	i := slices.IndexFunc(people, func(to store.Subscriber) bool { return to.Person == one.Person })
	if i < 0 {
		return store.LetterVoid, "", 0 // they have just stopped their letters
	}
	text, err := p.Write(ctx, *one, people[i])
	if err == nil {
		err = p.Server.Send(ctx, one.ID(), people[i].Address, text)
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
