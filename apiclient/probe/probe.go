// Package probe finds out what a service can do where a profile leaves it open: under which
// address a list is, how it goes on, whether parameters that the service does not know are
// refused, and whether its filters are honoured. It also says what a service lacks, and what
// that costs (Compare, Examine).
//
// What was found is an apiclient.Answer, which the Client obeys. A Source asks once and keeps
// the answers in a log; it asks anew when the service contradicts one.
package probe

import (
	"context"
	"errors"
	"slices"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// maxPages is how many pages are read of a list to see how it goes on.
const maxPages = 3

// Key is what the answer about a stream is kept under: it stands for the profile, the address
// and the stream, so that no answer is taken for that of another service.
func Key(c *apiclient.Client, stream string) string {
	return "probe " + c.Identity() + " " + stream
}

// Stream finds out how a stream is read, by at most a few requests, and makes the Client use
// that. The error is the Client's: what is not there, or does not answer, cannot be found out.
func Stream(ctx context.Context, c *apiclient.Client, stream string) (apiclient.Answer, error) {
	found, _, err := explore(ctx, c, stream)
	return found, err
}

// seen is what came while a stream was explored.
type seen struct {
	updated []time.Time
	event   string // that a record belongs to, empty where none tells
}

// explore reads the first pages of a stream.
func explore(ctx context.Context, c *apiclient.Client, stream string) (found apiclient.Answer, came seen, err error) {
	pages := 0
	enough := func(p apiclient.Page) bool {
		pages++
		found = p.Found
		return found.Paging != "" || pages == maxPages
	}
	for r, err := range c.Read(ctx, stream, apiclient.Query{Explore: true, Enough: enough}) {
		if _, isRefused := errors.AsType[*record.Refusal](err); err != nil && !isRefused {
			return found, came, err
		}
		came.note(r)
	}
	c.Use(stream, found)
	return found, came, nil
}

func (s *seen) note(r record.Record) {
	if r == nil {
		return
	}
	if at := r.RecordUpdated(); !at.IsZero() {
		s.updated = append(s.updated, at)
	}
	if t, ok := r.(*record.Ticket); ok && s.event == "" {
		s.event = t.EventID
	}
}

// Filters finds out, beside what Stream does, whether the stream's filters are honoured, as
// far as what it holds shows it.
func Filters(ctx context.Context, c *apiclient.Client, stream apiclient.Stream) (apiclient.Answer, error) {
	found, came, err := explore(ctx, c, stream.Name)
	if err != nil {
		return found, err
	}
	if since, ok := came.since(); ok && stream.Since != "" {
		if found.IgnoresSince, err = ignoresSince(ctx, c, stream.Name, since); err != nil {
			return found, err
		}
	}
	if came.event != "" && stream.ByEvent {
		page, err := firstPage(ctx, c, stream.Name, apiclient.Query{EventID: came.event})
		if err != nil {
			return found, err
		}
		found.IgnoresEvent = page.Found.IgnoresEvent
	}
	c.Use(stream.Name, found)
	return found, nil
}

// since is a time after which most of what came did not change; ok is false where the times
// do not differ.
func (s *seen) since() (at time.Time, ok bool) {
	slices.SortFunc(s.updated, time.Time.Compare)
	if len(s.updated) == 0 {
		return at, false
	}
	oldest, newest := s.updated[0], s.updated[len(s.updated)-1]
	if at = s.updated[len(s.updated)*9/10]; at.Equal(oldest) {
		at = newest
	}
	return at, at.After(oldest)
}

func ignoresSince(ctx context.Context, c *apiclient.Client, stream string, since time.Time) (bool, error) {
	_, err := firstPage(ctx, c, stream, apiclient.Query{UpdatedSince: since})
	if errors.Is(err, apiclient.ErrIgnoresSince) {
		return true, nil
	}
	return false, err
}

// firstPage is what the first answer to a query says about itself.
func firstPage(ctx context.Context, c *apiclient.Client, stream string, q apiclient.Query) (first apiclient.Page, err error) {
	q.Enough = func(p apiclient.Page) bool { first = p; return true }
	for _, err := range c.Read(ctx, stream, q) {
		if _, isRefused := errors.AsType[*record.Refusal](err); err != nil && !isRefused {
			return first, err
		}
	}
	return first, nil
}
