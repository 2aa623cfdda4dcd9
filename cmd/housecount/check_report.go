package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

const (
	// maxSkew is how far the service's clock may be from ours before it matters.
	maxSkew = 30 * time.Second
	// maxExamples is how many refusals and unknown words of a list are printed.
	maxExamples = 5
)

// fields are the records that came, and what was in them.
type fields struct {
	records map[record.Kind]int
	// filled are the fields that some record of the kind had, those of objects in it with a
	// dot.
	filled  map[record.Kind]map[string]bool
	unknown map[string]int // words that nobody has mapped, with the field that they stand in
	refused []*record.Refusal
}

func newFields() *fields {
	return &fields{records: map[record.Kind]int{}, filled: map[record.Kind]map[string]bool{}, unknown: map[string]int{}}
}

func (f *fields) add(r record.Record) {
	if r == nil {
		return
	}
	kind := r.RecordKind()
	f.records[kind]++
	if f.filled[kind] == nil {
		f.filled[kind] = map[string]bool{}
	}
	b, err := json.Marshal(r)
	var v any
	if err == nil && json.Unmarshal(b, &v) == nil {
		fill(f.filled[kind], "", v)
	}
	for field, word := range record.UnknownWords(r) {
		f.unknown[fmt.Sprintf("%s.%s %q", kind, field, word)]++
	}
}

// fill notes the fields of v that say something.
func fill(filled map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		filled[path] = true
		for name, inner := range v {
			fill(filled, strings.TrimPrefix(path+"."+name, "."), inner)
		}
	case []any: // also an empty one: it says that there are none
		filled[path] = true
		for _, inner := range v {
			fill(filled, path, inner)
		}
	case string:
		if v != "" {
			filled[path] = true
		}
	case nil:
	default:
		filled[path] = true
	}
}

// never are the fields of a kind that no record had, without those that say nothing where
// they are missing.
func (f *fields) never(kind record.Kind) (names []string) {
	for _, name := range profile.Fields(kind) {
		if !f.filled[kind][name] && name != "test" && name != "deleted" && name != "unlimited" {
			names = append(names, name)
		}
	}
	return names
}

func (f *fields) refuse(e *record.Refusal) { f.refused = append(f.refused, e) }

// cost is a field, or several that can stand in for each other, and what is lost where
// none of them comes; without fields it is a kind of record. Names are those of the
// catalogue of figures.
type cost struct {
	kind    record.Kind
	fields  []string
	figures string
}

var costs = []cost{
	{record.KindEvent, nil, "everything: there is nothing to show"},
	{record.KindEvent, []string{"capacity", "ticket_types.capacity", "available"}, "capacity, occupancy, revenue per available place"},
	{record.KindEvent, []string{"starts_at", "doors_at"}, "still to come at curtain, no-show rate, the order of the evening"},
	{record.KindTicket, nil, "sold, paid occupancy, attendance, booked: only the places that the service says are left"},
	{record.KindTicket, []string{"status"}, "sold, reserved, booked: a ticket of which nothing tells the state counts as none"},
	{record.KindTicket, []string{"price"}, "booked, average ticket price"},
	{record.KindTicket, []string{"sold_at", "created_at"}, "sales by day, velocity, pace"},
	{record.KindTicket, []string{"scans"}, "attendance, arrivals per minute, no-show rate"},
	{record.KindTicket, []string{"type.name", "type.id"}, "sales by ticket type"},
	{record.KindTicket, []string{"channel"}, "sales by channel"},
	{record.KindTicket, []string{"contact_id"}, "new against returning contacts"},
	{record.KindPayment, nil, "received, refunded, net received, open items: booked stands in for revenue"},
	{record.KindPayment, []string{"status"}, "received, refunded, net received: a payment of which nothing tells the state counts as none"},
	{record.KindPayment, []string{"paid_at", "created_at"}, "received by day"},
	{record.KindPayment, []string{"event_id", "order_id", "ticket_ids"}, "revenue by event: every payment is unattributed"},
	{record.KindContact, nil, "opt-in share, contacts by area"},
	{record.KindPlanning, nil, "sold against the forecast, marketing cost per ticket"},
}

// lost says which figures all that came cannot give.
func lost(all []*finding) (lines []string) {
	sum := newFields()
	offered := map[record.Kind]bool{}
	rows := map[record.Kind]int{} // of the lists that ought to give them
	for _, f := range all {
		for _, kind := range f.stream.Gives {
			offered[kind] = offered[kind] || f.err == nil
			rows[kind] += f.rows
		}
		sum.join(f.came)
	}
	for _, c := range costs {
		switch {
		case c.fields != nil:
		case !offered[c.kind]:
			lines = append(lines, fmt.Sprintf("no %s: %s", plural(c.kind), c.figures))
		case sum.records[c.kind] == 0 && rows[c.kind] > 0:
			lines = append(lines, fmt.Sprintf("no %s came of %d rows: %s", c.kind, rows[c.kind], c.figures))
		}
	}
	return append(lines, sum.lost(offered[record.KindScan])...)
}

// lost says which figures the records cannot give for want of a field. What did not come at
// all cannot be judged. scansApart says that scans come from a list of their own.
func (f *fields) lost(scansApart bool) (lines []string) {
	for _, c := range costs {
		filled := f.filled[c.kind]
		switch {
		case c.fields == nil, f.records[c.kind] == 0,
			slices.ContainsFunc(c.fields, func(name string) bool { return filled[name] }),
			c.fields[0] == "scans" && scansApart,
			c.fields[0] == "capacity" && f.filled[record.KindPlanning]["capacity"]: // which stands in
		default:
			lines = append(lines, fmt.Sprintf("no %s has %s: %s", c.kind, strings.Join(c.fields, " or "), c.figures))
		}
	}
	return lines
}

// join adds what came elsewhere.
func (f *fields) join(o *fields) {
	for kind, n := range o.records {
		f.records[kind] += n
	}
	for kind, filled := range o.filled {
		if f.filled[kind] == nil {
			f.filled[kind] = map[string]bool{}
		}
		maps.Copy(f.filled[kind], filled)
	}
}

// causes are the refusals, those of the same cause together, with some of the records that
// they concern.
func (f *fields) causes() (lines []string) {
	type cause struct{ stream, kind, field, why string }
	ids := map[cause][]string{}
	var order []cause
	for _, e := range f.refused {
		c := cause{e.Stream, string(e.Kind), e.Field, e.Why}
		if ids[c] == nil {
			order = append(order, c)
		}
		ids[c] = append(ids[c], fmt.Sprintf("%q", e.ID))
	}
	for _, c := range order {
		what := strings.TrimSpace(c.kind + " " + strings.Join(ids[c][:min(len(ids[c]), 3)], ", "))
		if n := len(ids[c]); n > 3 {
			what += fmt.Sprintf(" and %d more", n-3)
		}
		lines = append(lines, fmt.Sprintf("%s: %s: %s", c.stream, what, strings.TrimSpace(c.field+" "+c.why)))
	}
	return lines
}

// unmapped are the words that nobody has mapped, each with what to do about it.
func (f *fields) unmapped() (lines []string) {
	for _, word := range slices.Sorted(maps.Keys(f.unknown)) {
		field, _, _ := strings.Cut(word, " ")
		lines = append(lines, fmt.Sprintf("%s in %d: say in the profile's words, under %s, what it means", word, f.unknown[word], field))
	}
	return lines
}

func plural(k record.Kind) string {
	if k == record.KindPlanning {
		return string(k)
	}
	return string(k) + "s"
}

// report prints what was found and returns the verdict, nil when all is well.
func report(w io.Writer, all []*finding) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "list\tanswer\trows\tof\tpages\tchanges\trecords")
	for _, f := range all {
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\t%s\t%s\n", f.stream.Name, f.answer(), f.rows, f.of(), f.cut(), f.filter, f.records())
	}
	table.Flush()
	worse := verdict(exitOK)
	for _, f := range all {
		for _, line := range f.troubles() {
			worse = exitFailed
			fmt.Fprintf(w, "\n%s: %s", f.stream.Name, line)
		}
	}
	if worse != exitOK {
		fmt.Fprintln(w)
	}
	if !slices.ContainsFunc(all, func(f *finding) bool { return f.err == nil }) {
		if !slices.ContainsFunc(all, func(f *finding) bool { return !notOffered(f.err) }) {
			fmt.Fprintln(w, "\nnone of the lists is there: is --api-url the service's address, and --profile the right one?")
		}
		return verdict(exitUsage)
	}
	for _, f := range all {
		if missing := f.missing(); missing != "" {
			fmt.Fprintf(w, "\n%s\n", missing)
		}
	}
	fmt.Fprintf(w, "\nclock: %s\n", skewWords(all))
	fmt.Fprintf(w, "limits told: %s\n", limitWords(all))
	figures := lost(all)
	if len(figures) == 0 {
		fmt.Fprintln(w, "figures: all of them"+map[bool]string{true: ", as far as the lists were read"}[worse != exitOK])
	} else {
		worse = max(worse, exitFailed)
		fmt.Fprintln(w, "figures that this costs:")
		for _, line := range figures {
			fmt.Fprintln(w, "  "+line)
		}
	}
	if s := skew(all); s > maxSkew || s < -maxSkew {
		worse = max(worse, exitFailed)
	}
	if !slices.ContainsFunc(all, func(f *finding) bool { return f.err == nil && slices.Contains(f.stream.Gives, record.KindEvent) }) {
		worse = exitUsage
	}
	if worse == exitOK {
		fmt.Fprintln(w, "\nall is well")
		return nil
	}
	return worse
}

func notOffered(err error) bool {
	e, ok := errors.AsType[*apiclient.Error](err)
	return ok && e.Kind == apiclient.NotOffered
}

// cut is how the list was seen to be cut into pages.
func (f *finding) cut() string {
	if f.pages == 1 && f.whole && f.paging != profile.PagingBare {
		return "one page"
	}
	return pagingWords[f.paging]
}

var pagingWords = map[profile.Paging]string{
	profile.PagingPage: "page numbers", profile.PagingOffset: "offsets", profile.PagingCursor: "cursor",
	profile.PagingNext: "link in the body", profile.PagingLinkHeader: "Link header", profile.PagingBare: "one answer",
	"": "-",
}

// answer is how the list answered, in a word.
func (f *finding) answer() string {
	e, ok := errors.AsType[*apiclient.Error](f.err)
	switch {
	case f.err == nil:
		return fmt.Sprintf("in %.1f s", f.took.Seconds())
	case ok && e.Status != 0:
		return fmt.Sprintf("%s (%d)", e.Kind, e.Status)
	case ok:
		return string(e.Kind)
	}
	return "failed"
}

// of is the service's total, and whether it was read.
func (f *finding) of() string {
	switch {
	case f.err != nil:
		return "-"
	case f.whole && f.total < 0:
		return "all"
	case f.total < 0:
		return "more"
	case f.whole && f.rows >= f.total:
		return fmt.Sprintf("all %d", f.total)
	}
	return fmt.Sprint(f.total)
}

func (f *finding) records() string {
	var parts []string
	for _, kind := range f.stream.Gives {
		if n := f.came.records[kind]; n != 1 {
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(kind)))
		} else {
			parts = append(parts, "1 "+string(kind))
		}
	}
	return strings.Join(parts, ", ")
}

// troubles are what is wrong with the list.
func (f *finding) troubles() (lines []string) {
	if f.err != nil {
		said := strings.TrimPrefix(f.err.Error(), "apiclient: ") // of another list, where this one needs that
		lines = append(lines, strings.TrimPrefix(said, f.stream.Name+": "))
	}
	if f.err == nil && f.rows > 0 && len(f.came.records)+len(f.came.refused) == 0 {
		lines = append(lines, fmt.Sprintf("none of %d rows became a record; see what the profile's records makes of them", f.rows))
	}
	if f.err == nil && f.whole && f.rows < f.total {
		lines = append(lines, fmt.Sprintf("the pages ended after %d of %d rows; try another --paging", f.rows, f.total))
	}
	if f.filter == filterIgnored {
		lines = append(lines, "the service ignores the question for changes; every look will read more than it needs")
	}
	if n := len(f.came.refused); n > 0 {
		causes := f.came.causes()
		lines = append(lines, fmt.Sprintf("%d refused, and left out:\n  %s", n, strings.Join(causes[:min(len(causes), maxExamples)], "\n  ")))
	}
	if words := f.came.unmapped(); len(words) > 0 {
		lines = append(lines, "words that nobody has mapped; what has them is kept out of money:\n  "+
			strings.Join(words[:min(len(words), maxExamples)], "\n  "))
	}
	return lines
}

// missing are the fields of our records that never came, and those that did.
func (f *finding) missing() string {
	var lines []string
	for _, kind := range f.stream.Gives {
		if f.came.records[kind] == 0 {
			continue
		}
		not := f.came.never(kind)
		came := slices.DeleteFunc(profile.Fields(kind), func(name string) bool { return !f.came.filled[kind][name] })
		line := fmt.Sprintf("%s from %s: %s", plural(kind), f.stream.Name, strings.Join(came, ", "))
		if len(not) > 0 {
			line += "\n  never: " + strings.Join(not, ", ")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// skew is how far the service's clock is ahead, the most of the lists.
func skew(all []*finding) (most time.Duration) {
	for _, f := range all {
		if f.skew.Abs() > most.Abs() {
			most = f.skew
		}
	}
	return most
}

func skewWords(all []*finding) string {
	switch s := skew(all); {
	case s.Abs() <= time.Second:
		return "as ours"
	case s > 0 && s <= maxSkew:
		return fmt.Sprintf("the service's is %s ahead of ours", s)
	case s < 0 && -s <= maxSkew:
		return fmt.Sprintf("the service's is %s behind ours", -s)
	case s > 0:
		return fmt.Sprintf("the service's is %s ahead of ours; set one of them right", s)
	default:
		return fmt.Sprintf("the service's is %s behind ours; set one of them right", -s)
	}
}

func limitWords(all []*finding) string {
	var families []string
	for _, f := range all {
		families = append(families, f.limits...)
	}
	slices.Sort(families)
	if families = slices.Compact(families); len(families) > 0 {
		return strings.Join(families, ", ")
	}
	return "none"
}
