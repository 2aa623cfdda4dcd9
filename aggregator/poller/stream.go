package poller

import (
	"slices"
	"time"

	"golang.org/x/time/rate"

	"housecount/aggregator"
	"housecount/apiclient"
	"housecount/apiclient/record"
)

// stream is a list of the service during a tenure.
type stream struct {
	apiclient.Stream
	// before are the streams whose first poll precedes a first sync of this one. polled is closed when the first
	// poll of this one has ended.
	before []*stream
	polled chan struct{}
	// soleKinds are the kinds of record that no other stream of its service gives: a record missing
	// from the whole list is gone.
	soleKinds []record.Kind
	// partners are the other streams of its service that give a kind of record which it gives too: a record that is missing
	// from all of them is gone.
	partners map[record.Kind][]*stream
	// rowKinds are the kinds of which a record is gone once no row gives it any more.
	rowKinds []record.Kind
	// movedKinds are those that it does not give and another stream of its service does.
	movedKinds []record.Kind
	// nudged receives when the service says that the list has news.
	nudged chan struct{}
	// burst is the polls that may follow nudges.
	burst *rate.Limiter
	// answersAgain receives when another list of the service answers again after a fault.
	answersAgain chan struct{}
	// writeTurn holds a token while a state of the stream is being written, so that an older state
	// never follows a newer one.
	writeTurn chan struct{}
	// Used by the stream's own goroutine only.
	wholeReads
	recheck
	seenRows *apiclient.SeenRows
	// shrunk is when rows that lost a record had been changed: an older version of one, from a cache or a server of the
	// service that lags, would bring the record back.
	shrunk map[string]time.Time
	// shortChanges and shortWhole are how many reads of changes, and of everything, in a row ended before their own total.
	shortChanges, shortWhole int
	// stuck is how many reads in a row went no farther from one position; see leaveIfStuck.
	stuck int
	// scout is true while the list is its service's scout: see isScout.
	scout bool

	failing      *failing // what it fails with, nil if it does not; guarded by tenure.mu
	streamStatus          // guarded by tenure.mu; the stream's own goroutine reads without it what only it writes
}

// newStreams returns the streams of a source in its order, with their states from the log. Nudges have each polled every busy
// in the long run.
func newStreams(lists []apiclient.Stream, states map[string]aggregator.StreamState, busy time.Duration) []*stream {
	var all []*stream
	type ofService struct {
		service string
		kind    record.Kind
	}
	sources, native := map[ofService]int{}, map[ofService]bool{}
	for _, list := range lists {
		s := &stream{Stream: list, polled: make(chan struct{}), nudged: make(chan struct{}, 1), burst: rate.NewLimiter(rate.Every(busy), nudgeBurst), answersAgain: make(chan struct{}, 1), writeTurn: make(chan struct{}, 1), seenRows: apiclient.NewSeenRows(), shrunk: map[string]time.Time{}, partners: map[record.Kind][]*stream{}}
		state, known := states[list.Name]
		if !known {
			state = aggregator.StreamState{Name: list.Name, Total: -1}
		}
		s.streamStatus = newStreamStatus(state)
		if state.Overcounts {
			s.shortChanges = mostShort
		}
		if s.complete() && s.state.Mapping != list.Mapping {
			s.state.Rereading, s.state.Read, s.state.Total, s.dirty = true, 0, -1, true
		}
		for _, other := range all {
			// What is sold and what is paid are read in turns.
			if other.Service == s.Service && (!s.gives(record.KindTicket, record.KindScan, record.KindPayment) || other.gives(record.KindEvent)) {
				s.before = append(s.before, other)
			}
		}
		for _, kind := range list.Gives {
			of := ofService{list.Service, kind}
			sources[of]++
			native[of] = native[of] || list.IsNative
		}
		all = append(all, s)
	}
	for _, s := range all {
		for of := range sources {
			if of.service == s.Service && !s.gives(of.kind) {
				s.movedKinds = append(s.movedKinds, of.kind)
			}
		}
		for _, kind := range s.Gives {
			of := ofService{s.Service, kind}
			if sources[of] == 1 {
				s.soleKinds = append(s.soleKinds, kind)
			} else if kind != record.KindContact && kind != record.KindScan { // which are retired
				for _, other := range all {
					if other != s && other.Service == s.Service && other.gives(kind) {
						s.partners[kind] = append(s.partners[kind], other)
					}
				}
			}
			if !native[of] && kind != record.KindContact && kind != record.KindScan { // they are retired, and never taken back
				s.rowKinds = append(s.rowKinds, kind)
			}
		}
	}
	return all
}

// commitRows records that the rows so far are stored. If some are damaged, or a record is gone, all are read again when
// they come again: damage may have passed, and a row that comes back as it was brings its record back.
func (s *stream) commitRows(a *aggregator.Appended) {
	s.seenRows.Commit()
	if len(a.Damaged)+len(a.Gone) > 0 {
		s.seenRows.Clear()
	}
}

func (s *stream) gives(kinds ...record.Kind) bool {
	return slices.ContainsFunc(kinds, func(k record.Kind) bool { return slices.Contains(s.Gives, k) })
}

// isWhole reports whether q asks for everything.
func isWhole(q *apiclient.Query) bool { return q.UpdatedSince.IsZero() && q.EventID == "" }
