package apiclient

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"time"

	"housecount/apiclient/profile"
)

// service is what reads share: how the service is called, what is in use of what was found out
// about it, and what is remembered of it.
type service struct {
	caller
	base      *url.URL
	paging    profile.Paging // empty for that of the profile
	pageSize  int
	maxPages  int
	maxShared int
	answers   learnedAnswers
	tags      tagStore
	shared    map[*profile.Stream]*sharedRows
}

// serverTime is the service's time of an answer, zero when it tells none.
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

// address is that of a list: where its stream is, with the key of the row that it belongs to.
func (s *service) address(of address, key string) *url.URL {
	return s.base.JoinPath(of.prefix, strings.ReplaceAll(of.path, "{key}", url.PathEscape(key)))
}
