package poller

import (
	"slices"

	"housecount/aggregator"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// stream is a list of the service in a tenure.
type stream struct {
	apiclient.Stream
	// before is the stream whose first poll comes before a first sync of this one, nil for
	// none; polled is closed when that poll has ended.
	before *stream
	polled chan struct{}
	// own are the kinds of record that no other stream gives: what does not come with the
	// whole list is gone.
	soleKinds []record.Kind
	// writing holds a token while a state of the stream is on its way into the log, so that
	// an older one never follows a newer one.
	writeTurn chan struct{}
	// Of its own goroutine: how it was read whole, and the rows that came and are stored.
	wholeReads
	seenRows *apiclient.SeenRows

	streamStatus // under tenure.mu, but for what only its own goroutine writes, which reads it without
}

// newStreams are the streams of a source in its order, as the log has them.
func newStreams(lists []apiclient.Stream, states map[string]aggregator.StreamState) []*stream {
	var all []*stream
	sources := map[record.Kind]int{}
	for _, list := range lists {
		s := &stream{Stream: list, polled: make(chan struct{}), writeTurn: make(chan struct{}, 1), seenRows: apiclient.NewSeenRows()}
		state, known := states[list.Name]
		if !known {
			state = aggregator.StreamState{Name: list.Name, Total: -1}
		}
		s.streamStatus = newStreamStatus(state)
		if len(all) > 0 {
			s.before = all[len(all)-1]
		}
		for _, kind := range list.Gives {
			sources[kind]++
		}
		all = append(all, s)
	}
	for _, s := range all {
		for _, kind := range s.Gives {
			if sources[kind] == 1 {
				s.soleKinds = append(s.soleKinds, kind)
			}
		}
	}
	return all
}

func (s *stream) gives(kinds ...record.Kind) bool {
	return slices.ContainsFunc(kinds, func(k record.Kind) bool { return slices.Contains(s.Gives, k) })
}

// isWhole says that q asks for everything.
func isWhole(q *apiclient.Query) bool { return q.UpdatedSince.IsZero() && q.EventID == "" }
