package probe

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Fields counts the records that came and the fields that they had.
type Fields struct {
	// Records counts the records of each kind.
	Records map[record.Kind]int
	// Filled holds the fields that some record of the kind had; fields of nested objects are
	// written with a dot.
	Filled map[record.Kind]map[string]bool
	// Unknown counts words without a mapping, by field and word.
	Unknown map[string]int
	Refused []*record.Refusal

	references references
}

// NewFields returns empty Fields.
func NewFields() *Fields {
	return &Fields{Records: map[record.Kind]int{}, Filled: map[record.Kind]map[string]bool{}, Unknown: map[string]int{}, references: newReferences()}
}

// Add counts a record and its fields; nil is ignored.
func (f *Fields) Add(r record.Record) {
	if r == nil {
		return
	}
	kind := r.RecordKind()
	f.Records[kind]++
	f.references.add(r)
	if f.Filled[kind] == nil {
		f.Filled[kind] = map[string]bool{}
	}
	b, err := json.Marshal(r)
	var v any
	if err == nil && json.Unmarshal(b, &v) == nil {
		markFilled(f.Filled[kind], "", v)
	}
	for field, word := range record.UnknownWords(r) {
		f.Unknown[fmt.Sprintf("%s.%s %q", kind, field, word)]++
	}
}

// markFilled marks the fields of v that have a value.
func markFilled(filled map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		filled[path] = true
		for name, inner := range v {
			markFilled(filled, strings.TrimPrefix(path+"."+name, "."), inner)
		}
	case []any: // an empty list means that there are none
		filled[path] = true
		for _, inner := range v {
			markFilled(filled, path, inner)
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

// NeverFilled returns the fields of a kind that no record had, without those that may be omitted.
func (f *Fields) NeverFilled(kind record.Kind) (names []string) {
	for _, name := range profile.Fields(kind) {
		if !f.Filled[kind][name] && name != "test" && name != "deleted" && name != "unlimited" {
			names = append(names, name)
		}
	}
	return names
}

// Refuse adds a refused record.
func (f *Fields) Refuse(e *record.Refusal) { f.Refused = append(f.Refused, e) }

// cost is a field, or several alternatives, with the figures that are lost if none of them comes.
// Without fields it is a kind of record. figures are names of the catalogue.
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

// Lost returns the figures that cannot be computed because a field never came. Kinds of which
// nothing came are left out. separateScans reports that scans come from a list of their own.
func (f *Fields) Lost(separateScans bool) (lines []string) {
	for _, c := range costs {
		filled := f.Filled[c.kind]
		switch {
		case c.fields == nil, f.Records[c.kind] == 0,
			slices.ContainsFunc(c.fields, func(name string) bool { return filled[name] }),
			c.fields[0] == "scans" && separateScans,
			c.fields[0] == "capacity" && f.Filled[record.KindPlanning]["capacity"]: // the planning's capacity is used instead
		default:
			lines = append(lines, fmt.Sprintf("no %s has %s: %s", c.kind, strings.Join(c.fields, " or "), c.figures))
		}
	}
	return lines
}

// join adds the counts of o.
func (f *Fields) join(o *Fields) {
	for kind, n := range o.Records {
		f.Records[kind] += n
	}
	for kind, filled := range o.Filled {
		if f.Filled[kind] == nil {
			f.Filled[kind] = map[string]bool{}
		}
		maps.Copy(f.Filled[kind], filled)
	}
}

// Causes returns the refusals grouped by cause, each with some of the records concerned.
func (f *Fields) Causes() (lines []string) {
	type cause struct{ stream, kind, field, why string }
	ids := map[cause][]string{}
	var order []cause
	for _, e := range f.Refused {
		c := cause{e.Stream, string(e.Kind), e.Field, e.Why.String()}
		if ids[c] == nil {
			order = append(order, c)
		}
		id := fmt.Sprintf("%q", e.ID)
		if e.ID == "" {
			id = "a row without an id"
		}
		ids[c] = append(ids[c], id)
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

// Unmapped returns the words without a mapping, each with how to map it.
func (f *Fields) Unmapped() (lines []string) {
	for _, word := range slices.Sorted(maps.Keys(f.Unknown)) {
		field, _, _ := strings.Cut(word, " ")
		lines = append(lines, fmt.Sprintf("%s in %d: say in the profile's words, under %s, what it means", word, f.Unknown[word], field))
	}
	return lines
}

// Plural returns the plural of a kind.
func Plural(k record.Kind) string {
	if k == record.KindPlanning {
		return string(k)
	}
	return string(k) + "s"
}
