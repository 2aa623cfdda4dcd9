package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// extras are what was sold of an event beside its tickets, in the order in which they came.
type extras []extra

type extra struct {
	extraName
	number int
	amounts
}

type extraName struct {
	kind ref
	partName
}

// sellExtra adds an extra that was sold (n = 1) or takes it out (n = −1).
func (e *eventAccount) sellExtra(t *ticket, n int) {
	name := extraName{t.terms.extra, t.terms.part(figures.ByTicketType)}
	i := slices.IndexFunc(e.extras, func(x extra) bool { return x.extraName == name })
	if i < 0 {
		i = len(e.extras)
		e.extras = append(e.extras, extra{extraName: name})
	}
	x := &e.extras[i]
	x.number += n * int(t.places)
	for _, a := range t.money(n) {
		x.add(a)
	}
}

// extraFigures returns the extras by kind, then name.
func (e *eventAccount) extraFigures(n *names) (all []figures.Extra) {
	for i := range e.extras {
		x := &e.extras[i]
		if x.number == 0 {
			continue
		}
		f := figures.Extra{Kind: record.ExtraKind(n.text(x.kind)), Name: x.ofType(n, e.types), Number: x.number, Amount: x.publish(n).Of(figures.Fees)}
		same := func(o figures.Extra) bool { return o.Kind == f.Kind && o.Name == f.Name }
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Number, all[i].Amount = all[i].Number+f.Number, all[i].Amount.PlusAll(f.Amount, 1)
			continue
		}
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b figures.Extra) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return all
}
