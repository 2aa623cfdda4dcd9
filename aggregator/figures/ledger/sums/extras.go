package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Extras are what was sold for an event besides tickets, in the order in which it arrived.
type Extras []extra

type extra struct {
	ExtraName
	number int
	Amounts
}

// ExtraName is what an extra is listed under.
type ExtraName struct {
	Kind Ref
	PartName
}

// Sell adds so many sold extras and what they brought in; negative ones remove them.
func (all *Extras) Sell(name ExtraName, number int, money Money) {
	i := slices.IndexFunc(*all, func(x extra) bool { return x.ExtraName == name })
	if i < 0 {
		i = len(*all)
		*all = append(*all, extra{ExtraName: name})
	}
	x := &(*all)[i]
	x.number += number
	for _, a := range money {
		x.Add(a)
	}
}

// Publish returns the extras by kind, then name, with the names that an event gives its ticket types.
func (all Extras) Publish(n *Names, types map[string]string) (published []figures.Extra) {
	for i := range all {
		x := &all[i]
		if x.number == 0 {
			continue
		}
		f := figures.Extra{Kind: record.ExtraKind(n.Text(x.Kind)), Name: x.OfType(n, types), Number: x.number, Amount: x.Amounts.Publish(n).Of(figures.Fees)}
		same := func(o figures.Extra) bool { return o.Kind == f.Kind && o.Name == f.Name }
		if i := slices.IndexFunc(published, same); i >= 0 {
			published[i].Number, published[i].Amount = published[i].Number+f.Number, published[i].Amount.PlusAll(f.Amount, 1)
			continue
		}
		published = append(published, f)
	}
	slices.SortFunc(published, func(a, b figures.Extra) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
	return published
}
