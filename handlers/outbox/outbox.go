// Package outbox says what became of letters, and who was told of an alert by them, for pages.
package outbox

import (
	"cmp"
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/web"
)

// mostFailure is the most bytes of what a mail server said.
const mostFailure = 300

// State returns what became of a letter, by the venue's clock, to which at brings a moment; nil for no letter.
func State(one store.Letter, at func(time.Time) time.Time) *web.LetterState {
	if one.State == "" {
		return nil
	}
	state := &web.LetterState{Name: one.Name, State: one.State, Failure: strings.ToValidUTF8(one.Failure[:min(len(one.Failure), mostFailure)], ""), At: at(one.Done)}
	if one.Done.IsZero() {
		state.At = at(one.Made)
	}
	return state
}

// Told returns who was told of an alert with an id in the log: for each letter the person, whom their devices have as well, or the host
// of an address of the house, without a person.
func Told(ctx context.Context, letters *store.Letters, hosts map[string]string, alert string, at func(time.Time) time.Time) (all []web.LetterReader, err error) {
	told, err := letters.Told(ctx, alert)
	for _, one := range told {
		reader := web.LetterReader{Person: cmp.Or(one.Owner, store.OwnerOf(one.Person), one.Person), Address: one.Address, Device: one.Device, Last: State(one.Letter, at)}
		if one.Device == "" && store.OwnerOf(one.Person) != "" {
			reader.Device = one.Person // it gets notifications no more, and was no mail
		}
		if store.IsHouse(one.Person) {
			reader.Person, reader.Address = "", hosts[one.Person]
		}
		all = append(all, reader)
	}
	return all, err
}

const (
	// heldFor is for how long Held keeps what it read, and failureFor for how long that it could not be read.
	heldFor    = time.Minute
	failureFor = time.Second
)

// Held is Told, read at most once a minute for each alert while no letter changes: its page wakes with each sale. Its zero value is
// ready, and so is one with Changed.
type Held struct {
	Changed <-chan struct{} // receives after letters may have changed

	mu  sync.Mutex
	all map[string]*held // by the alert's id in the log
}

type held struct {
	until time.Time // with the lock of Held; zero while it is not read

	mu   sync.Mutex // locked while it is read
	read bool
	told []web.LetterReader
	err  error
}

// of returns what is held of an alert, perhaps yet to be read.
func (h *Held) of(alert string) *held {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case <-h.Changed: // what is being read may be from before, and is for those who asked before
		clear(h.all)
	default:
	}
	now := time.Now()
	maps.DeleteFunc(h.all, func(_ string, one *held) bool { return !one.until.IsZero() && !now.Before(one.until) })
	one := h.all[alert]
	if one == nil {
		if one = new(held); h.all == nil {
			h.all = map[string]*held{}
		}
		h.all[alert] = one
	}
	return one
}

// Of returns what read returned of an alert within the last minute, or the last second if that was an error. Of one alert it is
// called one at a time; other alerts do not wait for it.
func (h *Held) Of(alert string, read func() ([]web.LetterReader, error)) ([]web.LetterReader, error) {
	one := h.of(alert)
	one.mu.Lock()
	defer one.mu.Unlock()
	if !one.read {
		one.told, one.err = read()
		one.read = true
		long := heldFor
		if one.err != nil {
			long = failureFor
		}
		h.mu.Lock()
		one.until = time.Now().Add(long)
		h.mu.Unlock()
	}
	return one.told, one.err
}
