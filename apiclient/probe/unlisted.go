package probe

import (
	"maps"
	"slices"

	"housecount/apiclient/record"
)

// Unlisted counts records of a kind that refer to an event, an order or a ticket that no list gave.
type Unlisted struct {
	Kind record.Kind
	// Names is what they refer to: event, order or ticket.
	Names string
	// Count is the number of references, Example one of the ids.
	Count   int
	Example string
}

// FindUnlisted counts the references to what no list gave, if the lists that should give it were
// read whole.
func FindUnlisted(all []*Finding) (found []Unlisted) {
	sum := newReferences()
	partial := map[string]bool{"event": true, "ticket": true, "order": true}
	for kind, names := range map[record.Kind][]string{record.KindEvent: {"event"}, record.KindTicket: {"ticket", "order"}} {
		for _, name := range names {
			partial[name] = slices.ContainsFunc(all, func(f *Finding) bool {
				return slices.Contains(f.Stream.Gives, kind) && (f.Err != nil || !f.Whole || len(f.Fields.Refused) > 0)
			}) || !slices.ContainsFunc(all, func(f *Finding) bool { return slices.Contains(f.Stream.Gives, kind) })
		}
	}
	for _, f := range all {
		for what, ids := range f.Fields.references.listed {
			maps.Copy(sum.listed[what], ids)
		}
		for r, n := range f.Fields.references.named {
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
