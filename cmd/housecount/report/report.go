// Package report prints what a check of a service found, and what that means for the figures.
package report

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

const (
	// maxSkew is by how much the service's clock may differ from ours before it is reported.
	maxSkew = 30 * time.Second
	// maxExamples is how many refusals and unknown words of a list are printed.
	maxExamples = 5
)

// Verdict is the result of a check that is not all well. It is the program's exit code.
type Verdict int

const (
	Degraded Verdict = 1 // something is missing or wrong
	Unusable Verdict = 2 // nothing can be shown
)

func (v Verdict) Error() string {
	if v == Unusable {
		return "unusable: nothing can be shown from this service as it is configured; see housecount help connect"
	}
	return "degraded: the service can be used, without what is said above; see housecount help connect"
}

// Write prints what was found and returns the Verdict; nil if all is well.
func Write(w io.Writer, all []*probe.Finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "list\tanswer\trows\tof\tpages\tchanges\trecords")
	for _, f := range all {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", f.Stream.Name, answerOf(f), f.Rows, totalOf(f), pagingOf(f), f.Filter, recordsOf(f))
	}
	table.Flush()
	worse := Verdict(0)
	for _, f := range all {
		for _, line := range troublesOf(f) {
			worse = Degraded
			fmt.Fprintf(w, "\n%s: %s", f.Stream.Name, line)
		}
	}
	if worse != 0 {
		fmt.Fprintln(w)
	}
	if !slices.ContainsFunc(all, func(f *probe.Finding) bool { return f.Err == nil }) {
		if !slices.ContainsFunc(all, func(f *probe.Finding) bool { return !notOffered(f.Err) }) {
			fmt.Fprintln(w, "\nnone of the lists is there: is --api-url the service's address, and --profile the right one?")
		}
		return Unusable
	}
	for _, f := range all {
		if missing := missingOf(f); missing != "" {
			fmt.Fprintf(w, "\n%s\n", missing)
		}
	}
	for _, u := range probe.FindUnlisted(all) {
		worse = max(worse, Degraded)
		fmt.Fprintf(w, "\n%s naming %s that no list gave: %d, such as %q\n", probe.Plural(u.Kind), map[string]string{"event": "an event", "order": "an order", "ticket": "a ticket"}[u.Names], u.Count, record.PrintableID(u.Example))
	}
	fmt.Fprintf(w, "\nclock: %s\n", skewWords(all))
	fmt.Fprintf(w, "limits told: %s\n", limitWords(all))
	figures, without := probe.Costs(all)
	if len(figures) == 0 {
		fmt.Fprintln(w, map[bool]string{true: "figures: all of them", false: "figures: all but those of what the service does not have"}[len(without) == 0]+map[bool]string{true: ", as far as the lists were read"}[worse != 0])
	} else {
		worse = max(worse, Degraded)
		fmt.Fprintln(w, "figures that this costs:")
		for _, line := range figures {
			fmt.Fprintln(w, "  "+line)
		}
	}
	if len(without) > 0 { // which is no fault: the profile says so
		fmt.Fprintln(w, "what the service does not have, as the profile says:\n  "+strings.Join(without, "\n  "))
	}
	if !slices.ContainsFunc(all, func(f *probe.Finding) bool { return f.Err == nil && f.Fields.Records[record.KindEvent] > 0 }) {
		fmt.Fprintln(w, "\nno performance came: there is nothing to show")
		worse = Unusable
	}
	if worse == 0 {
		well := "all is well"
		if probe.Skew(all).Abs() > maxSkew {
			well += ", but for the clock"
		}
		fmt.Fprintln(w, "\n"+well)
		return nil
	}
	return worse
}

func notOffered(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && e.Kind == apiclient.NotOffered
}

// pagingOf returns how the list is divided into pages.
func pagingOf(f *probe.Finding) string {
	if f.Pages == 1 && f.Whole && f.Paging != profile.PagingBare {
		return "one page"
	}
	return pagingWords[f.Paging]
}

var pagingWords = map[profile.Paging]string{
	profile.PagingPage: "page numbers", profile.PagingOffset: "offsets", profile.PagingCursor: "cursor",
	profile.PagingNext: "link in the body", profile.PagingLinkHeader: "Link header", profile.PagingBare: "one answer",
	"": "-",
}

// answerOf returns in a word how the service answered for the list.
func answerOf(f *probe.Finding) string {
	e, ok := errors.AsType[*apiclient.Error](f.Err)
	switch {
	case f.Err == nil:
		return fmt.Sprintf("in %.1f s", f.Took.Seconds())
	case ok && e.Status != 0:
		return fmt.Sprintf("%s (%d)", e.Kind, e.Status)
	case ok:
		return string(e.Kind)
	}
	return "failed"
}

// totalOf returns the service's total, and whether as many rows were read.
func totalOf(f *probe.Finding) string {
	switch {
	case f.Err != nil:
		return "-"
	case f.Whole && f.Total < 0:
		return "all"
	case f.Total < 0:
		return "more"
	case f.Whole && f.Rows >= f.Total:
		return fmt.Sprintf("all %d", f.Total)
	}
	return fmt.Sprint(f.Total)
}

func recordsOf(f *probe.Finding) string {
	var parts []string
	for _, kind := range f.Stream.Gives {
		if n := f.Fields.Records[kind]; n != 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, probe.Plural(kind)))
		} else {
			parts = append(parts, "1 "+string(kind))
		}
	}
	return strings.Join(parts, ", ")
}

// troublesOf returns what is wrong with the list.
func troublesOf(f *probe.Finding) (lines []string) {
	if f.Err != nil {
		said := f.Err.Error()
		if e, ok := errors.AsType[*apiclient.Error](f.Err); ok {
			if said = e.Cause(); e.Stream != f.Stream.Name { // the failure is of another list, which this one needs
				said = e.Of() + ": " + said
			}
			switch e.Kind {
			case apiclient.Unauthorized:
				said += "; is the key right, and is it sent as the service wants it? auth in the profile says how"
			case apiclient.Forbidden:
				said += "; is each --var right, such as the organizer, and may this key read the list?"
			}
		}
		lines = append(lines, said)
	}
	if f.Err == nil && f.Rows > 0 && len(f.Fields.Records)+len(f.Fields.Refused) == 0 {
		lines = append(lines, fmt.Sprintf("none of %d rows became a record; see what the profile's records makes of them", f.Rows))
	}
	if f.Err == nil && f.Whole && f.Rows < f.Total {
		lines = append(lines, fmt.Sprintf("the pages ended after %d of %d rows; try another --paging", f.Rows, f.Total))
	}
	if f.Filter == probe.FilterIgnored {
		lines = append(lines, "the service ignores the question for changes; every poll will read more than it needs")
	}
	if f.EventFilter == probe.FilterIgnored {
		lines = append(lines, "the service ignores the question for one event; tonight's are not read before the others")
	}
	if n := len(f.Fields.Refused); n > 0 {
		causes := f.Fields.Causes()
		lines = append(lines, fmt.Sprintf("%d refused, and left out:\n  %s", n, strings.Join(causes[:min(len(causes), maxExamples)], "\n  ")))
	}
	if words := f.Fields.Unmapped(); len(words) > 0 {
		lines = append(lines, "words that nobody has mapped; what has them is kept out of money:\n  "+
			strings.Join(words[:min(len(words), maxExamples)], "\n  "))
	}
	return lines
}

// missingOf returns which fields of our records never came, and which did.
func missingOf(f *probe.Finding) string {
	var lines []string
	for _, kind := range f.Stream.Gives {
		if f.Fields.Records[kind] == 0 {
			continue
		}
		not := f.Fields.NeverFilled(kind)
		came := slices.DeleteFunc(profile.Fields(kind), func(name string) bool { return !f.Fields.Filled[kind][name] })
		line := fmt.Sprintf("%s from %s: %s", probe.Plural(kind), f.Stream.Name, strings.Join(came, ", "))
		if len(not) > 0 {
			line += "\n  never: " + strings.Join(not, ", ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func skewWords(all []*probe.Finding) string {
	switch s := probe.Skew(all); {
	case s.Abs() <= time.Second:
		return "as ours"
	case s > 0 && s <= maxSkew:
		return fmt.Sprintf("the service's is %s ahead of ours", s)
	case s < 0 && -s <= maxSkew:
		return fmt.Sprintf("the service's is %s behind ours", -s)
	case s > 0:
		return fmt.Sprintf("the service's is %s ahead of ours; set one of them right\n"+
			"  until then: what it dates now is counted that much later, when our clock gets there", s)
	default:
		return fmt.Sprintf("the service's is %s behind ours; set one of them right\n"+
			"  until then: what has just happened is counted as that old, and is missing in arrivals a minute and sales of the last hour", -s)
	}
}

func limitWords(all []*probe.Finding) string {
	var families []string
	for _, f := range all {
		families = append(families, f.Limits...)
	}
	slices.Sort(families)
	if families = slices.Compact(families); len(families) > 0 {
		return strings.Join(families, ", ")
	}
	return "none"
}
