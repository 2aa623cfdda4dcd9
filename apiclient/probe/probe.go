// Package probe finds out what a service can do where a profile leaves it open: under which
// address a list is, how it goes on, whether parameters that the service does not know are
// refused, and whether its filters are honoured. It also says what a service lacks, and what
// that costs (Compare, Examine).
//
// What was found is an apiclient.Answer, which the Client obeys; nobody else may have it explore.
// A Source asks once and keeps the answers in a log; it asks anew when the service contradicts
// one.
package probe

import (
	"context"
	"errors"

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

// Stream finds out how a stream is read, by its first pages, and makes the Client use that. The
// error is the Client's: what is not there, or does not answer, cannot be found out.
func Stream(ctx context.Context, c *apiclient.Client, stream string) (found apiclient.Answer, err error) {
	pages := 0
	err = read(ctx, c, stream, apiclient.Query{Explore: true, Enough: func(p apiclient.Page) bool {
		pages++
		found = p.Found
		return found.Paging != "" || pages == maxPages
	}})
	if err == nil {
		c.Use(stream, found)
	}
	return found, err
}

// askFilter asks for a part of a stream, by the one filter of q, and says whether the first page
// shows that the service ignores that: older rows than were asked for, or those of other events.
func askFilter(ctx context.Context, c *apiclient.Client, stream string, q apiclient.Query) (first apiclient.Page, ignored bool, err error) {
	q.Enough = func(p apiclient.Page) bool { first = p; return true }
	err = read(ctx, c, stream, q)
	if errors.Is(err, apiclient.ErrIgnoresSince) || errors.Is(err, apiclient.ErrIgnoresEvent) {
		return first, true, nil
	}
	return first, false, err
}

// filtered is an answer with what was found out about the filter of q.
func filtered(a apiclient.Answer, q apiclient.Query, ignored bool) apiclient.Answer {
	if q.EventID != "" {
		a.AskedEvent, a.IgnoresEvent = true, ignored
	} else {
		a.AskedSince, a.IgnoresSince = true, ignored
	}
	return a
}

// read reads for what the pages say, whatever records they hold.
func read(ctx context.Context, c *apiclient.Client, stream string, q apiclient.Query) error {
	for _, err := range c.Read(ctx, stream, q) {
		if _, isRefused := errors.AsType[*record.Refusal](err); err != nil && !isRefused {
			return err
		}
	}
	return nil
}
