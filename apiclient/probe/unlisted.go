package probe

import (
	"maps"
	"slices"

	"housecount/apiclient/record"
)

// Unlisted are records of a kind that name an event, an order or a ticket that no list gave.
type Unlisted struct {
	Kind record.Kind
	// Names is what they name: event, order or ticket.
	Names string
	// Count is how many of them there are, Example one of the ids that they name.
	Count   int
	Example string
}

// reference is what records of a kind name by an id.
type reference struct {
	kind  record.Kind
	names string
	id    string
}

// references are what came and what it names.
type references struct {
	listed map[string]map[string]bool // ids of events, orders and tickets that came
	named  map[reference]int
}

func newReferences() references {
	return references{listed: map[string]map[string]bool{"event": {}, "order": {}, "ticket": {}}, named: map[reference]int{}}
}

// add notes a record and what it names. What is deleted names nothing.
func (f references) add(r record.Record) {
	names := func(what string, ids ...string) {
		for _, id := range ids {
			if id != "" && !record.Deleted(r) {
				f.named[reference{r.RecordKind(), what, id}]++
			}
		}
	}
	switch r := r.(type) {
	case *record.Event:
		f.listed["event"][r.ID] = true
	case *record.Ticket:
		f.listed["ticket"][r.ID] = true
		f.listed["order"][r.OrderID] = true
		names("event", r.EventID)
	case *record.Payment:
		names("event", r.EventID)
		names("order", r.OrderID)
		names("ticket", r.TicketIDs...)
	case *record.Planning:
		names("event", r.EventID)
	case *record.TicketScan:
		names("ticket", r.TicketID)
	}
}

// FindUnlisted counts the records that name what no list gave, as far as the lists that ought
// to give it were read whole.
func FindUnlisted(all []*Finding) (found []Unlisted) {
	sum := newReferences()
	partial := map[string]bool{"event": true, "ticket": true, "order": true}
	for kind, names := range map[record.Kind][]string{record.KindEvent: {"event"}, record.KindTicket: {"ticket", "order"}} {
		for _, name := range names {
			partial[name] = slices.ContainsFunc(all, func(f *Finding) bool {
				return slices.Contains(f.Stream.Gives, kind) && (f.Err != nil || !f.Whole || len(f.Came.Refused) > 0)
			}) || !slices.ContainsFunc(all, func(f *Finding) bool { return slices.Contains(f.Stream.Gives, kind) })
		}
	}
	for _, f := range all {
		for what, ids := range f.Came.references.listed {
			maps.Copy(sum.listed[what], ids)
		}
		for r, n := range f.Came.references.named {
			sum.named[r] += n
		}
	}
	byKind := map[[2]string]*Unlisted{}
	for r, n := range sum.named {
		if partial[r.names] || sum.listed[r.names][r.id] {
			continue
		}
		key := [2]string{string(r.kind), r.names}
		if byKind[key] == nil {
			byKind[key] = &Unlisted{Kind: r.kind, Names: r.names, Example: r.id}
		}
		byKind[key].Count += n
		byKind[key].Example = min(byKind[key].Example, r.id)
	}
	for _, key := range slices.SortedFunc(maps.Keys(byKind), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		found = append(found, *byKind[key])
	}
	return found
}
