// Package probe finds out what a service can do where a profile leaves it open: the address of each
// list, its paging, whether unknown parameters are refused, and whether filters are honoured. It
// also reports what a service lacks and which figures that costs (Compare, Examine).
//
// The result is an apiclient.Answer, which the Client then relies on. Only this package makes the
// Client explore. A Source probes once and stores the answers in a log; it probes again when the
// service contradicts an answer.
//
// The files in the order of the data: probe (one question), source (answers while polling), examine
// and fields (a report on a list and its records), references and unlisted (ids that no list gave),
// compare (the service's OpenAPI document).
package probe

import (
	"context"
	"errors"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// maxPages is the most pages that are read of a list to find its paging.
const maxPages = 3

// Key returns the key under which the answer about a stream is stored. It identifies the profile,
// the address and the stream, so that no answer is used for another service.
func Key(c *apiclient.Client, stream string) string {
	return "probe " + c.Identity() + " " + stream
}

// Stream finds out from its first pages how a stream is read, and makes the Client use the answer.
// The error is the Client's: nothing can be found out about a list that does not exist or does not
// respond.
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

// askFilter reads the first page of a stream with the one filter of q and reports whether it shows
// that the service ignores the filter: older rows, or rows of other events.
func askFilter(ctx context.Context, c *apiclient.Client, stream string, q apiclient.Query) (first apiclient.Page, ignored bool, err error) {
	q.Enough = func(p apiclient.Page) bool { first = p; return true }
	err = read(ctx, c, stream, q)
	if errors.Is(err, apiclient.ErrIgnoresSince) || errors.Is(err, apiclient.ErrIgnoresEvent) {
		return first, true, nil
	}
	return first, false, err
}

// filtered returns a with the result of askFilter for q.
func filtered(a apiclient.Answer, q apiclient.Query, ignored bool) apiclient.Answer {
	if q.EventID != "" {
		a.AskedEvent, a.IgnoresEvent = true, ignored
	} else {
		a.AskedSince, a.IgnoresSince = true, ignored
	}
	return a
}

// read reads pages, ignoring their records and refusals.
func read(ctx context.Context, c *apiclient.Client, stream string, q apiclient.Query) error {
	for _, err := range c.Read(ctx, stream, q) {
		if _, isRefused := errors.AsType[*record.Refusal](err); err != nil && !isRefused {
			return err
		}
	}
	return nil
}
