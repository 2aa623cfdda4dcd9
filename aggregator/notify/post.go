package notify

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"housecount/aggregator/store"
)

const (
	// check is how often it is seen what is due.
	check = 20 * time.Second
	// again is after how long a letter that failed is sent again the first time; then twice as long each time, up to longest.
	again   = time.Minute
	longest = 15 * time.Minute
)

// Post makes and sends letters. All its fields are required but Mail and House.
type Post struct {
	Letters *store.Letters
	Changed <-chan struct{} // receives after the letters may have changed
	Mail    Sender          // nil without a mail server
	Push    Sender
	// House are the house's own addresses.
	House []Address
	// Due returns what is due now, and Write what is in letters of one name to a person, as one; those that it leaves out wait.
	Due   func() []Due
	Write func(ctx context.Context, letters []store.Letter, to store.Subscriber) (Text, error)
	// Done is called with the state of each letter that waits no more, by several goroutines.
	Done func(state string)
	Log  *slog.Logger

	mu      sync.Mutex
	failed  map[Sender]string // the failure of the last letter by a way; none if it was sent
	failing store.Failing     // by task
}

// Address is one of the house's own addresses: it gets letters without being in the store. store.IsHouse is true of its Person.
type Address struct {
	store.Subscriber
	By Sender
}

// way is how letters go out, with how many of them at once.
type way struct {
	by     store.Way
	atOnce int
}

// ways returns all. Letters to an address of the house go one after another from each replica: in order where there is one replica,
// and out of it where several send at once.
func (p *Post) ways() []way {
	all := []way{{store.ByMail, 3}, {store.ByPush, 4}}
	for _, a := range p.House {
		all = append(all, way{store.Way(a.Person), 1})
	}
	return all
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

// run makes letters and sends them by every way until ctx ends.
func (p *Post) run(ctx context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	var wakes []chan struct{}
	for _, way := range p.ways() {
		wake := make(chan struct{}, 1)
		wakes = append(wakes, wake)
		for range way.atOnce {
			sending.Go(func() { p.sendBy(ctx, way.by, wake) })
		}
	}
	tick := time.NewTicker(check)
	defer tick.Stop()
	for {
		p.note(ctx, "make", p.make(ctx))
		for _, wake := range wakes {
			wakeOne(wake)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.Changed:
		}
	}
}

// note notes how a task ended, unless ctx has.
func (p *Post) note(ctx context.Context, task string, err error) {
	if ctx.Err() != nil {
		return
	}
	switch _, toLog := p.failing.Note(task, err); {
	case !toLog:
	case err == nil:
		p.Log.Info("letters are made and noted again")
	default:
		p.Log.Warn("letters cannot be made or noted now", "err", err)
	}
}

// wakeOne wakes a sender of a way; nothing is lost if all of them are busy, as the first to be free looks again.
func wakeOne(wake chan<- struct{}) {
	select {
	case wake <- struct{}{}:
	default: // one is yet to look
	}
}

// sendBy sends what waits for a way whenever it is woken, until ctx ends. A sender that finds a letter wakes the next, so
// that one looks while there is nothing.
func (p *Post) sendBy(ctx context.Context, by store.Way, wake chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-wake:
			p.note(ctx, string(by), p.sendWaiting(ctx, by, wake))
		}
	}
}

// sendWaiting sends what waits for a way.
func (p *Post) sendWaiting(ctx context.Context, by store.Way, wake chan<- struct{}) error {
	for ctx.Err() == nil {
		all, err := p.Letters.Claim(ctx, by)
		if err != nil || all == nil {
			return err
		}
		wakeOne(wake)
		late := slices.DeleteFunc(slices.Clone(all), func(l store.Letter) bool { return !time.Now().After(l.Until) })
		all = slices.DeleteFunc(all, func(l store.Letter) bool { return time.Now().After(l.Until) })
		for _, one := range late {
			p.Log.Warn("a letter is given up", "letter", one.Name, "about", one.About, "tries", one.Tries-1, "err", one.Failure)
			if err := p.settle(ctx, []store.Letter{one}, store.LetterLate, one.Failure, 0); err != nil {
				return err
			}
		}
		if len(all) == 0 {
			continue
		}
		sent, state, failure, wait := p.send(ctx, all)
		if state == store.LetterWaiting && ctx.Err() != nil {
			return nil // they are sent again after the claim
		}
		if err := p.settle(ctx, sent, state, failure, wait); err != nil {
			return err
		}
		left := slices.DeleteFunc(all, func(l store.Letter) bool {
			return slices.ContainsFunc(sent, func(o store.Letter) bool { return o.About == l.About })
		})
		if len(left) > 0 {
			if err := p.settle(ctx, left, store.LetterWaiting, left[0].Failure, again); err != nil {
				return err
			}
		}
	}
	return nil
}

// settleTimeout is how long to try to note what became of a letter.
const settleTimeout = 10 * time.Second

// settle notes what became of letters, also while the program stops: a letter that was sent and not noted is sent again.
func (p *Post) settle(ctx context.Context, all []store.Letter, state, failure string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	_, err := backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, p.Letters.Settle(ctx, all, state, failure, wait) })
	if err == nil && state != store.LetterWaiting {
		for range all {
			p.Done(state)
		}
	}
	return err
}

// make makes the letters that are due.
func (p *Post) make(ctx context.Context) error {
	people, err := p.Letters.Subscribers(ctx)
	if err != nil {
		return err
	}
	for _, a := range p.House {
		people = append(people, a.Subscriber)
	}
	if len(people) == 0 {
		return nil
	}
	due := p.Due()
	var all []store.Letter
	for _, d := range due {
		for _, to := range people {
			if slices.Contains(to.Names, d.Name) && p.sender(&to) != nil && (d.To == nil || d.To(to)) {
				all = append(all, store.Letter{Person: to.Person, Name: d.Name, About: d.About, Until: time.Now().Add(d.For), Apart: d.Apart})
			}
		}
	}
	return p.Letters.Make(ctx, all)
}

// sender returns the way to a subscriber; nil if there is none.
func (p *Post) sender(to *store.Subscriber) Sender {
	if a := p.house(to.Person); a != nil {
		return a.By
	}
	if to.Device != "" {
		return p.Push
	}
	return p.Mail
}

// house returns the house's own address that is a person to the store; nil for none.
func (p *Post) house(person string) *Address {
	if i := slices.IndexFunc(p.House, func(a Address) bool { return a.Person == person }); i >= 0 {
		return &p.House[i]
	}
	return nil
}

// subscriber returns who a letter is to, nil if they get none any more.
func (p *Post) subscriber(ctx context.Context, person string) (*store.Subscriber, error) {
	if a := p.house(person); a != nil {
		return &a.Subscriber, nil
	}
	return p.Letters.Of(ctx, person)
}

// idOf returns the id of letters that are sent as one. One more letter makes it another, so that a receiver that has seen the
// others does not take it for them.
func idOf(all []store.Letter) string {
	var ids []string
	for _, one := range all {
		ids = append(ids, one.ID())
	}
	return strings.Join(ids, "\n")
}

// send sends letters that were claimed, as one, but those that Write leaves out. It returns the others with the state after that, why they
// are not sent, and for how long they wait.
func (p *Post) send(ctx context.Context, all []store.Letter) (sent []store.Letter, state, failure string, wait time.Duration) {
	one := &all[0]
	to, err := p.subscriber(ctx, one.Person)
	switch {
	case err != nil:
		return all, store.LetterWaiting, one.Failure, again
	case to == nil || !slices.Contains(to.Names, one.Name) || p.sender(to) == nil:
		return all, store.LetterVoid, "", 0 // they have just stopped it
	}
	way := p.sender(to)
	text, err := p.Write(ctx, all, *to)
	all = slices.DeleteFunc(slices.Clone(all), func(l store.Letter) bool { return slices.Contains(text.Waits, l.About) })
	switch {
	case err == nil && len(all) == 0:
		err = ErrNotYet
	case err == nil:
		err = way.Send(ctx, idOf(all), *to, text, time.Until(all[len(all)-1].Until))
	}
	switch {
	case err == nil:
		if p.nowFails(way, "") {
			p.Log.Info("letters are sent again")
		}
		return all, store.LetterSent, "", 0
	case errors.Is(err, ErrVoid):
		return all, store.LetterVoid, "", 0
	case errors.Is(err, ErrGone):
		if err := p.Letters.Gone(ctx, to.Person); err != nil {
			p.Log.Warn("a device that exists no more stays", "err", err)
		}
		return all, store.LetterVoid, "", 0
	case errors.Is(err, ErrNotYet):
		return all, store.LetterWaiting, one.Failure, again
	}
	if p.nowFails(way, err.Error()) {
		p.Log.Warn("a letter was not sent", "letter", one.Name, "about", one.About, "tries", one.Tries, "err", err)
	}
	if Permanent(err) {
		return all, store.LetterRefused, err.Error(), 0
	}
	return all, store.LetterWaiting, err.Error(), min(longest, again<<min(one.Tries-1, 10))
}

// nowFails notes how a way fails, or that it does not, and reports whether that is another than before.
func (p *Post) nowFails(way Sender, failure string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed[way] == failure {
		return false
	}
	if p.failed == nil {
		p.failed = map[Sender]string{}
	}
	p.failed[way] = failure
	return true
}
