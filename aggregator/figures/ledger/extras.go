package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// extras are what was sold for an event besides tickets, in the order in which it arrived.
type extras []extra

type extra struct {
	extraName
	number int
	sums.Amounts
}

type extraName struct {
	kind sums.Ref
	sums.PartName
}

// sellExtra adds a sold extra (n = 1) or removes it (n = −1).
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
		x.Add(a)
	}
}

// extraFigures returns the extras by kind, then name.
func (e *eventAccount) extraFigures(n *sums.Names) (all []figures.Extra) {
	for i := range e.extras {
		x := &e.extras[i]
		if x.number == 0 {
			continue
		}
		f := figures.Extra{Kind: record.ExtraKind(n.Text(x.kind)), Name: x.OfType(n, e.types), Number: x.number, Amount: x.Publish(n).Of(figures.Fees)}
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
