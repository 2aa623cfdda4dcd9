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
	Filter      Filter
	Came        *Fields

	updated []time.Time
}

// Filter is what became of the question for changes.
type Filter string

// What may become of it.
const (
	FilterHonoured Filter = "can be asked for"
	FilterIgnored  Filter = "question ignored" // the service gives everything
	FilterNone     Filter = "none"             // the profile has no question for them
	FilterUnseen   Filter = "not seen"
)

// Examine finds out anew how a list is read, reads it as far as about limit rows, 0 for all,
// and then its changes. Progress, if not nil, is called after each page. The Client uses what
// was found.
func Examine(ctx context.Context, client *apiclient.Client, stream apiclient.Stream, limit int, progress func(*Finding)) *Finding {
	f := &Finding{Stream: stream, Total: -1, Came: NewFields()}
	for r, err := range client.Read(ctx, stream.Name, apiclient.Query{
		Explore: true,
		OnPage: func(p apiclient.Page) {
			f.page(p)
			if progress != nil {
				progress(f)
			}
		},
		Enough: func(apiclient.Page) bool { return limit > 0 && f.Rows >= limit },
	}) {
		if f.Err = f.note(r, err); f.Err != nil {
			return f
		}
	}
	client.Use(stream.Name, f.Answer)
	f.Err = f.askForChanges(ctx, client)
	return f
}

// page notes what an answer said about itself.
func (f *Finding) page(p apiclient.Page) {
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
func (f *Finding) note(r record.Record, err error) error {
	refused, isRefused := errors.AsType[*record.Refusal](err)
	switch {
	case isRefused:
		f.Came.Refuse(refused)
	case err != nil:
		return err
	default:
		f.Came.Add(r)
		if at := r.RecordUpdated(); !at.IsZero() {
			f.updated = append(f.updated, at)
		}
	}
	return nil
}

// askForChanges asks for what changed after most of what was read, and sees whether
// something older comes.
func (f *Finding) askForChanges(ctx context.Context, client *apiclient.Client) error {
	since, differ := mostBefore(f.updated)
	if f.Filter = FilterUnseen; f.Stream.Since == "" {
		f.Filter = FilterNone
		return nil
	} else if !differ {
		return nil
	}
	first, err := firstPage(ctx, client, f.Stream.Name, apiclient.Query{UpdatedSince: since})
	switch {
	case errors.Is(err, apiclient.ErrIgnoresSince):
		f.Filter, f.Answer.IgnoresSince = FilterIgnored, true
		client.Use(f.Stream.Name, f.Answer)
		return nil
	case err != nil:
		return err
	case first.Rows > 0:
		f.Filter = FilterHonoured
	}
	return nil
}

// mostBefore is a time before which most of the times are; ok is false where they do not differ.
// It sorts them.
func mostBefore(times []time.Time) (at time.Time, ok bool) {
	slices.SortFunc(times, time.Time.Compare)
	if len(times) == 0 {
		return at, false
	}
	oldest, newest := times[0], times[len(times)-1]
	if at = times[len(times)*9/10]; at.Equal(oldest) {
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
		sum.join(f.Came)
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
