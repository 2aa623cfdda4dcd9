package apiclient

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"housecount/apiclient/profile"
)

// service is the state shared by all reads: how to call the service, the answers in use, and what
// is remembered between reads.
type service struct {
	caller
	base      *url.URL
	origins   map[string]*url.URL // further addresses, by name
	paging    profile.Paging      // empty means the profile's
	pageSize  int
	maxPages  int
	maxShared int
	answers   learnedAnswers
	tags      tagStore
	shared    map[*profile.Stream]*sharedRows
}

// serverTime returns the service's time of a response, zero if it reports none.
func (s *service) serverTime(a *response) time.Time {
	date := a.header.Get(cmp.Or(s.profile.ServerTime, "Date"))
	if t, err := time.Parse(time.RFC3339, date); err == nil {
		return t
	}
	if t, err := http.ParseTime(date); err == nil {
		return t
	}
	return a.date
}

// baseOf returns the address that the paths of a stream are relative to.
func (s *service) baseOf(of *profile.Stream) *url.URL {
	if of.Origin != "" {
		return s.origins[of.Origin]
	}
	return s.base
}

// address returns the URL of a list: its stream's address with the key of its parent row.
func (s *service) address(stream *profile.Stream, of address, key string) *url.URL {
	return s.baseOf(stream).JoinPath(of.prefix, strings.ReplaceAll(of.path, "{key}", url.PathEscape(key)))
}
