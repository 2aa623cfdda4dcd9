package hooks

import (
	"context"
	"sync"
	"time"

	"housecount/aggregator/figures"
)

// heldFor is for how long Held keeps what it read.
const heldFor = time.Minute

// Held is Since, read at most once a minute. What it returns may begin earlier than asked for. Its zero value is ready.
type Held struct {
	mu          sync.Mutex
	read, since time.Time // when, and since when, it was read
	all         map[string][]figures.Messages
	err         error
}

// Since returns what Since returned within the last minute, also if that was an error.
func (h *Held) Since(ctx context.Context, services []Service, since time.Time, at func(time.Time) time.Time) (map[string][]figures.Messages, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	// The begin of a day varies by the time between two readings of two clocks.
	if now := time.Now(); h.read.IsZero() || now.Sub(h.read) >= heldFor || since.Before(h.since.Add(-time.Second)) {
		h.all, h.err = Since(ctx, services, since, at)
		h.read, h.since = now, since
	}
	return h.all, h.err
}

// Since returns the messages that services have sent since a moment, by the names that their lists have, which is none of the first
// service, with times that at brings to the venue's clock. Of a service that has no address for messages there is nothing.
func Since(ctx context.Context, services []Service, since time.Time, at func(time.Time) time.Time) (map[string][]figures.Messages, error) {
	all := map[string][]figures.Messages{}
	for i, s := range services {
		if s.Secret == "" || s.Noted == nil {
			continue
		}
		noted, err := s.Noted(ctx, since)
		if err != nil {
			return nil, err
		}
		name := s.Name
		if i == 0 {
			name = ""
		}
		all[name] = []figures.Messages{}
		for _, m := range noted[s.Name] {
			all[name] = append(all[name], figures.Messages{From: at(m.From), Taken: m.Taken, Refused: m.Refused, Last: at(m.Last)})
		}
	}
	return all, nil
}
