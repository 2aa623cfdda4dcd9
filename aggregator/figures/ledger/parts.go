package ledger

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// partFigures returns the parts of the sales in every dimension. If split is false, payments are not known and
// nothing is unpaid.
func (e *eventAccount) partFigures(n *sums.Names, split bool) (all [figures.DimensionCount]figures.Parts) {
	if e.published != nil {
		all = e.published.Parts
	}
	called := func(p sums.PartName) string { return p.OfType(n, e.types) }
	for d := range e.parts {
		all[d] = e.parts[d].Publish(all[d], n, called, split)
		called = func(p sums.PartName) string { return n.Text(p.Name) }
	}
	return all
}
