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

// Finding is what an examination of one list of the service came to.
type Finding struct {
	Stream apiclient.Stream
	// Answer is what was found out about how to read the list.
	Answer apiclient.Answer
	Err    error // that ended the reading; nil for none
	// Rows were read of Total, -1 when not reported; Whole says that there are no more.
	Rows, Total int
	Whole       bool
	Pages       int
	Paging      profile.Paging // by which it was seen to go on
	Took        time.Duration  // the longest answer
	Limits      []string       // in which answers spoke of the service's limits
	Skew        time.Duration  // the service's clock minus ours
	// Filter is what became of the question for changes, EventFilter of that for one event.
	Filter, EventFilter Filter
	Fields              *Fields

	updated []time.Time
	events  [2]string // that were named first, and another
}

// Filter is what became of a question for a part of the list.
type Filter string

// What may become of it.
const (
	FilterHonoured Filter = "can be asked for"
	FilterIgnored  Filter = "question ignored" // the service gives everything
	FilterNone     Filter = "none"             // the profile has no such question
	FilterUnseen   Filter = "not seen"
)

// Examine finds out anew how a list is read, reads it as far as about limit rows, 0 for all,
// and then its changes and the rows of one event. Progress, if not nil, is called after each page.
// The Client uses what was found. How the lists are read that this one needs, is found out before,
// unless the Client knows.
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

// page notes what an answer said about itself.
func (f *Finding) addPage(p apiclient.Page) {
	f.Rows += p.Rows
	f.Pages++
	f.Answer = p.Found
	f.Total, f.Whole, f.Skew = p.Total, p.Resume == "", p.Skew
	if f.Paging == "" || !f.Whole { // what showed how to go on, and not only where the end is
		f.Paging = p.Style
	}
	f.Took = max(f.Took, p.Took)
	for _, family := range p.Limits {
		if !slices.Contains(f.Limits, family) {
			f.Limits = append(f.Limits, family)
		}
	}
}

// note takes what was yielded; an error is one that ended the reading.
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

// askForChanges asks for what changed after most of what was read, and sees whether
// something older comes.
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

// askForEvent asks for the rows of one of several events that were read, and sees whether those
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

// ask asks for a part of the list that leaves out something that was read, and says what becomes
// of the question. That rows are as they ought to be shows that it is honoured only where they are
// fewer than without it: those that come first may be the right ones by accident.
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

// maxNewer is how many of the rows that were read are to come when changes are asked for.
const maxRecent = 20

// mostBefore is a time before which most of the times are, so that the others are likely to be on
// one page; ok is false where they do not differ. It sorts them.
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

// Costs says which figures all that came cannot give.
func Costs(all []*Finding) (lines []string) {
	sum := NewFields()
	offered := map[record.Kind]bool{}
	rows := map[record.Kind]int{} // of the lists that ought to give them
	for _, f := range all {
		for _, kind := range f.Stream.Gives {
			offered[kind] = offered[kind] || f.Err == nil
			rows[kind] += f.Rows
		}
		sum.join(f.Fields)
	}
	for _, c := range costs {
		switch {
		case c.fields != nil:
		case !offered[c.kind]:
			lines = append(lines, fmt.Sprintf("no %s: %s", Plural(c.kind), c.figures))
		case sum.Records[c.kind] == 0 && rows[c.kind] > 0:
			lines = append(lines, fmt.Sprintf("no %s came of %d rows: %s", c.kind, rows[c.kind], c.figures))
		}
	}
	return append(lines, sum.Lost(offered[record.KindScan])...)
}

// Skew is how far the service's clock is ahead, the most of the lists.
func Skew(all []*Finding) (most time.Duration) {
	for _, f := range all {
		if f.Skew.Abs() > most.Abs() {
			most = f.Skew
		}
	}
	return most
}
