package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// postMethod adds money received to its method (n = 1) or removes it (n = −1).
func (e *eventAccount) postMethod(p posting, n int) {
	if p.Measure == figures.Received && !p.unmapped {
		entry(e.methods, p.listed).Add(p.Amount.Times(n))
	}
}

// methodFigures returns the account's methods, by name.
func (e *eventAccount) methodFigures(n *sums.Names) (all []figures.MethodFigures) {
	for method, received := range e.methods {
		if sums := received.Publish(n).Of(figures.Received); len(sums) > 0 {
			all = append(all, figures.MethodFigures{Name: n.Text(method), Received: sums})
		}
	}
	slices.SortFunc(all, func(a, b figures.MethodFigures) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
