package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Finding is the result of examining one list.
type Finding struct {
	Stream apiclient.Stream
	// Answer is how the list is read.
	Answer apiclient.Answer
	Err    error // ended the examination; nil if it completed
	// Rows is the number of rows read and Total the reported total, -1 if there is none. Whole
	// reports that all rows were read.
	Rows, Total int
	Whole       bool
	Pages       int
	Paging      profile.Paging // as observed
	Took        time.Duration  // of the slowest response
	Limits      []string       // headers in which responses reported rate limits
	Skew        time.Duration  // the service's clock minus ours
	// Filter is the result of testing the filter for changes, EventFilter of testing the filter by
	// event.
	Filter, EventFilter Filter
	Fields              *Fields

	updated []time.Time
	events  [2]string // the first one named, and another
}

// Filter is the result of testing a filter.
type Filter string

// The results of testing a filter.
const (
	FilterHonoured Filter = "can be asked for"
	FilterIgnored  Filter = "question ignored" // the service sends everything
	FilterNone     Filter = "none"             // the profile has no such filter
	FilterUnseen   Filter = "not seen"
)

// Examine finds out anew how a list is read, reads about limit rows of it (all if 0), and then
// tests the filters for changes and by event. progress, if not nil, is called after each page. The
// Client uses the answer afterwards. Streams that the list needs are probed first if they are
// unknown.
func Examine(ctx context.Context, client *apiclient.Client, stream apiclient.Stream, limit int, progress func(*Finding)) *Finding {
	f := &Finding{Stream: stream, Total: -1, Fields: NewFields()}
	for _, other := range client.Needs(stream.Name) {
		if _, known := client.Answer(other); known {
			continue
		}
		if _, f.Err = Stream(ctx, client, other); f.Err != nil {
			return f
		}
	}
	for r, err := range client.Read(ctx, stream.Name, apiclient.Query{
		Explore: true,
		OnPage: func(p apiclient.Page) {
			f.addPage(p)
			if progress != nil {
				progress(f)
			}
		},
		Enough: func(apiclient.Page) bool { return limit > 0 && f.Rows >= limit },
	}) {
		if f.Err = f.add(r, err); f.Err != nil {
			return f
		}
	}
	client.Use(stream.Name, f.Answer)
	if f.Err = f.askForChanges(ctx, client); f.Err == nil {
		f.Err = f.askForEvent(ctx, client)
	}
	return f
}

// addPage adds what a page reported about itself.
func (f *Finding) addPage(p apiclient.Page) {
	f.Rows += p.Rows
	f.Pages++
	f.Answer = p.Found
	f.Total, f.Whole, f.Skew = p.Total, p.Resume == "", p.Skew
	if f.Paging == "" || !f.Whole { // the page that shows the paging counts, not the last one
		f.Paging = p.Style
	}
	f.Took = max(f.Took, p.Took)
	for _, family := range p.Limits {
		if !slices.Contains(f.Limits, family) {
			f.Limits = append(f.Limits, family)
		}
	}
}

// add adds a yielded record or refusal; it returns an error that ended the read.
func (f *Finding) add(r record.Record, err error) error {
	refused, isRefused := errors.AsType[*record.Refusal](err)
	switch {
	case isRefused:
		f.Fields.Refuse(refused)
	case err != nil:
		return err
	default:
		f.Fields.Add(r)
		if at := r.RecordUpdated(); !at.IsZero() {
			f.updated = append(f.updated, at)
		}
		switch event := record.EventOf(r); {
		case f.events[0] == "":
			f.events[0] = event
		case event != "" && event != f.events[0]:
			f.events[1] = event
		}
	}
	return nil
}

// askForChanges asks for the newest changes and checks whether older ones come.
func (f *Finding) askForChanges(ctx context.Context, client *apiclient.Client) (err error) {
	since, differ := recentCutoff(f.updated)
	switch f.Filter = FilterUnseen; {
	case f.Stream.Since == "":
		f.Filter = FilterNone
	case differ:
		f.Filter, err = f.askFilter(ctx, client, apiclient.Query{UpdatedSince: since})
	}
	return err
}

// askForEvent asks for the rows of one of several events that were read, and checks whether those
// of others come.
func (f *Finding) askForEvent(ctx context.Context, client *apiclient.Client) (err error) {
	_, can := client.Filters(f.Stream.Name)
	switch f.EventFilter = FilterUnseen; {
	case !can:
		f.EventFilter = FilterNone
	case f.events[1] != "":
		f.EventFilter, err = f.askFilter(ctx, client, apiclient.Query{EventID: f.events[1]})
	}
	return err
}

// askFilter asks for a part of the list without some of the rows that were read. Correct rows alone
// do not prove that the filter is honoured: the first rows may be correct by chance. There also
// have to be fewer of them.
func (f *Finding) askFilter(ctx context.Context, client *apiclient.Client, q apiclient.Query) (Filter, error) {
	first, ignored, err := askFilter(ctx, client, f.Stream.Name, q)
	if err != nil {
		return FilterUnseen, err
	}
	f.Answer = filtered(f.Answer, q, ignored)
	client.Use(f.Stream.Name, f.Answer)
	switch fewer := first.Resume == "" && first.Rows < f.Rows || first.Total >= 0 && first.Total < f.Total; {
	case ignored:
		return FilterIgnored, nil
	case first.Rows > 0 && fewer:
		return FilterHonoured, nil
	}
	return FilterUnseen, nil
}

// maxRecent is how many of the rows that were read should come when asking for changes.
const maxRecent = 20

// recentCutoff returns a time after which few enough of the times are to fit on one page. ok is
// false if all are equal. It sorts times.
func recentCutoff(times []time.Time) (at time.Time, ok bool) {
	slices.SortFunc(times, time.Time.Compare)
	if len(times) == 0 {
		return at, false
	}
	oldest, newest := times[0], times[len(times)-1]
	if at = times[max(len(times)*9/10, len(times)-maxRecent)]; at.Equal(oldest) {
		at = newest
	}
	return at, at.After(oldest)
}

// Costs returns the figures that cannot be computed from what came, and apart those of kinds that the profile has no list for:
// the service does not have them.
func Costs(all []*Finding) (lines, without []string) {
	sum := NewFields()
	offered := map[record.Kind]bool{}
	rows := map[record.Kind]int{} // of the lists that should give them
	has := map[record.Kind]bool{}
	for _, f := range all {
		for _, kind := range f.Stream.Gives {
			has[kind] = true
			offered[kind] = offered[kind] || f.Err == nil
			rows[kind] += f.Rows
		}
		sum.join(f.Fields)
	}
	for _, c := range costs {
		switch {
		case c.fields != nil:
		case !has[c.kind]:
			without = append(without, fmt.Sprintf("no %s: %s", Plural(c.kind), c.figures))
		case !offered[c.kind]:
			lines = append(lines, fmt.Sprintf("no %s: %s", Plural(c.kind), c.figures))
		case sum.Records[c.kind] == 0 && rows[c.kind] > 0:
			lines = append(lines, fmt.Sprintf("no %s came of %d rows: %s", c.kind, rows[c.kind], c.figures))
		}
	}
	return append(lines, sum.Lost(offered[record.KindScan])...), without
}

// Skew returns the largest clock difference of the lists, positive if the service is ahead.
func Skew(all []*Finding) (most time.Duration) {
	for _, f := range all {
		if f.Skew.Abs() > most.Abs() {
			most = f.Skew
		}
	}
	return most
}
