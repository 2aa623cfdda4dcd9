package apiclient

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"housecount/apiclient/profile"
)

// Answer is what was found out about a stream of the service as far as the profile leaves it
// open. It is found by asking: by a read that explores (see Query.Explore), whose pages tell
// it, and by a question with a filter. A Client that was given one obeys it, and fails with an
// Error of the kind Contradicts when the service does otherwise. The zero Answer says that
// nothing was found out.
type Answer struct {
	// Prefix and Path are where the stream is, under the base; Found says that it was there.
	Found  bool   `json:"found"`
	Prefix string `json:"prefix,omitempty"`
	Path   string `json:"path,omitempty"`
	// Paging is how a list goes on where the profile says auto; empty while there was but one
	// page, which did not say. Param is the parameter that does it where it is not the usual
	// one; FromZero says that pages are counted from 0.
	Paging   profile.Paging `json:"paging,omitempty"`
	Param    string         `json:"param,omitempty"`
	FromZero bool           `json:"from_zero,omitempty"`
	// RejectsUnknownParams says that the service refuses a request for parameters that it does
	// not know.
	RejectsUnknownParams bool `json:"rejects_unknown_params,omitempty"`
	// AskedSince says that it was asked for changes to see whether it sends only those, and
	// IgnoresSince that it sends everything.
	AskedSince   bool `json:"asked_since,omitempty"`
	IgnoresSince bool `json:"ignores_since,omitempty"`
	// AskedEvent says that it was asked for the records of one event to see whether it sends only
	// those, and IgnoresEvent that it sends those of others.
	AskedEvent   bool `json:"asked_event,omitempty"`
	IgnoresEvent bool `json:"ignores_event,omitempty"`
}

// address is where a stream may be, under the base.
type address struct{ prefix, path string }

// answers are those that a Client was given. They may be used by many goroutines at once.
type learnedAnswers struct {
	mu       sync.Mutex
	byStream map[*profile.Stream]Answer
	prefix   string // of the last one
}

// candidates are the addresses at which s may be, the likeliest first: under the prefix of
// another stream that was found.
func (a *learnedAnswers) candidates(s *profile.Stream) []address {
	all := candidates(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.byStream) > 0 {
		known := func(at address) bool { return at.prefix == a.prefix }
		rest := slices.DeleteFunc(slices.Clone(all), known)
		return append(slices.DeleteFunc(all, func(at address) bool { return !known(at) }), rest...)
	}
	return all
}

// candidates are the addresses at which s may be, in the profile's order.
func candidates(s *profile.Stream) (all []address) {
	prefixes := s.Profile.Prefixes
	if len(prefixes) == 0 {
		prefixes = []string{""}
	}
	for _, prefix := range prefixes {
		for _, path := range append([]string{s.Path}, s.Alternatives...) {
			all = append(all, address{prefix, path})
		}
	}
	return all
}

// answer is what is in use of a stream: what the Client was given or, of one of which the profile
// leaves nothing open, where it is. known is false where neither tells how the stream is read.
func (c *service) answer(s *profile.Stream) (a Answer, known bool) {
	c.answers.mu.Lock()
	defer c.answers.mu.Unlock()
	if a, known = c.answers.byStream[s]; known {
		return a, true
	}
	at := candidates(s)
	if len(at) > 1 || withStyle(s.Paging, c.paging).Style == profile.PagingAuto {
		return Answer{}, false
	}
	return Answer{Found: true, Prefix: at[0].prefix, Path: at[0].path}, true
}

// unknown is the error of a read that would have to guess how s is read.
func (c *service) notProbed(s *profile.Stream) *Error {
	e := &Error{Kind: Unknown, Stream: s.Name, Err: fmt.Errorf("where the list of %s is, is not known: probe it, or give it one address in its profile", s.Name)}
	if withStyle(s.Paging, c.paging).Style == profile.PagingAuto {
		e.Err = fmt.Errorf("how the list of %s is paged is not known: probe it, or set paging in its profile", s.Name)
	}
	return e
}

// contradiction is the error of a service that does not do what was found out.
func contradiction(stream, what string) *Error {
	return &Error{Kind: Contradicts, Stream: stream, Err: errors.New(what)}
}

// ErrIgnoresSince is what an Error of the kind Contradicts wraps when the service sends what
// has not changed, though it was not found to ignore that only changes are asked for.
var ErrIgnoresSince = errors.New("the service ignores that only changes were asked for")

// ErrIgnoresEvent is what an Error wraps when the service ignores that only the records of one
// event are asked for: of the kind Contradicts when a read shows it, and of the kind Rejected,
// before anything is asked, when it was found out.
var ErrIgnoresEvent = errors.New("the service ignores that only the records of one event were asked for")
