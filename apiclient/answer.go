package apiclient

import (
	"errors"
	"slices"
	"sync"

	"housecount/apiclient/profile"
)

// Answer is what was found out about a stream of the service as far as the profile leaves it
// open. It is found by asking: by a read that explores (see Query.Explore), whose pages tell
// it. A Client that was given one obeys it, and fails with an Error of the kind Contradicts
// when the service does otherwise. The zero Answer says that nothing was found out.
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
	// IgnoresSince says that it sends everything though only changes are asked for.
	IgnoresSince bool `json:"ignores_since,omitempty"`
}

// address is where a stream may be, under the base.
type address struct{ prefix, path string }

// answers are those that a Client was given. It may be used by many goroutines at once.
type answers struct {
	mu       sync.Mutex
	byStream map[*profile.Stream]Answer
	prefix   string // of the last one
}

func (a *answers) of(s *profile.Stream) (answer Answer, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	answer, ok = a.byStream[s]
	return answer, ok
}

// candidates are the addresses at which s may be, the likeliest first: under the prefix of
// another stream that was found.
func (a *answers) candidates(s *profile.Stream) []address {
	all := candidates(s)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.byStream) > 0 {
		known := func(at address) bool { return at.prefix == a.prefix }
		others := slices.DeleteFunc(slices.Clone(all), known)
		return append(slices.DeleteFunc(all, func(at address) bool { return !known(at) }), others...)
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

// contradiction is the error of a service that does not do what was found out.
func contradiction(stream, what string) *Error {
	return &Error{Kind: Contradicts, Stream: stream, Err: errors.New(what)}
}

// ErrIgnoresSince is what an Error of the kind Contradicts wraps when the service sends what
// has not changed, though it was found to honour that only changes are asked for.
var ErrIgnoresSince = errors.New("the service ignores that only changes were asked for")
