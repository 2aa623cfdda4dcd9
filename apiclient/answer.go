package apiclient

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"housecount/apiclient/profile"
)

// Answer is what was found out about a stream where the profile leaves it open. A read that
// explores (see Query.Explore) finds out where the stream is and how it is paged; a read with a
// filter finds out whether the service honours the filter. A Client with an Answer relies on it and
// fails with an Error of kind Contradicts if the service behaves differently. The zero Answer means
// that nothing was found out.
type Answer struct {
	// Prefix and Path are the stream's address under the base, if Found.
	Found  bool   `json:"found"`
	Prefix string `json:"prefix,omitempty"`
	Path   string `json:"path,omitempty"`
	// Paging is how a list continues if the profile says auto; empty if only one page was seen.
	// Param is the parameter for it if it is not the usual one; FromZero reports that pages are
	// counted from 0.
	Paging   profile.Paging `json:"paging,omitempty"`
	Param    string         `json:"param,omitempty"`
	FromZero bool           `json:"from_zero,omitempty"`
	// RejectsUnknownParams reports that the service refuses requests with parameters that it does
	// not know.
	RejectsUnknownParams bool `json:"rejects_unknown_params,omitempty"`
	// AskedSince reports that the filter for changes was tested, and IgnoresSince that the service
	// ignores it.
	AskedSince   bool `json:"asked_since,omitempty"`
	IgnoresSince bool `json:"ignores_since,omitempty"`
	// AskedEvent reports that the filter by event was tested, and IgnoresEvent that the service
	// ignores it.
	AskedEvent   bool `json:"asked_event,omitempty"`
	IgnoresEvent bool `json:"ignores_event,omitempty"`
}

// address is where a stream may be, under the base.
type address struct{ prefix, path string }

// learnedAnswers holds the answers given to Client.Use. It is safe for concurrent use.
type learnedAnswers struct {
	mu       sync.Mutex
	byStream map[*profile.Stream]Answer
	prefix   string // of the last answer
}

// candidates returns the addresses at which s may be, likeliest first: those with the prefix at
// which another stream was found.
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

// candidates returns the addresses at which s may be, in the profile's order.
func candidates(s *profile.Stream) (all []address) {
	prefixes := s.Profile.Prefixes
	if len(prefixes) == 0 || s.Origin != "" {
		prefixes = []string{""}
	}
	for _, prefix := range prefixes {
		for _, path := range append([]string{s.Path}, s.Alternatives...) {
			all = append(all, address{prefix, path})
		}
	}
	return all
}

// answer implements Client.Answer.
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

// notProbed returns the error of a read that would have to guess how s is read.
func (c *service) notProbed(s *profile.Stream) *Error {
	e := &Error{Kind: Unknown, Stream: s.Name, Err: fmt.Errorf("where the list of %s is, is not known: probe it, or give it one address in its profile", s.Name)}
	if withStyle(s.Paging, c.paging).Style == profile.PagingAuto {
		e.Err = fmt.Errorf("how the list of %s is paged is not known: probe it, or set paging in its profile", s.Name)
	}
	return e
}

// contradiction returns the error of a service that behaves differently from its Answer.
func contradiction(stream, what string) *Error {
	return &Error{Kind: Contradicts, Stream: stream, Err: errors.New(what)}
}

// ErrIgnoresSince is wrapped by an Error of kind Contradicts if the service sends unchanged rows
// although it was not known to ignore the filter for changes.
var ErrIgnoresSince = errors.New("the service ignores that only changes were asked for")

// ErrIgnoresEvent is wrapped by an Error if the service ignores the filter by event: of kind
// Contradicts if a read shows it, and of kind Rejected, before any call, if it was known.
var ErrIgnoresEvent = errors.New("the service ignores that only the records of one event were asked for")
