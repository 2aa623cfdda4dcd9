package ledger

import (
	"cmp"
	"maps"
	"slices"

	"housecount/aggregator/figures"
)

// shownApart is how many ids of payments are published.
const shownApart = 20

// apart are the groups of payments that belong to no performance, by their ids.
type apart struct {
	ids       map[string]bool
	published []string // nil if they have to be sorted again
	groups    int      // of any performance or none, with postings
	changed   bool     // since the last Snapshot
}

// assign takes it up which money of a group there will be, and whether some belongs to no performance.
func (l *Ledger) assign(g *paymentGroup, postings []posting) {
	l.apart.groups += min(1, len(postings)) - min(1, len(g.posted))
	is := slices.ContainsFunc(postings, func(p posting) bool { return p.event == l.noEvent && !p.unmapped })
	if is == l.apart.ids[g.id] {
		return
	}
	l.apart.published = nil
	if is {
		l.apart.ids[g.id] = true
	} else {
		delete(l.apart.ids, g.id)
	}
}

// first returns the first ids, sorted.
func (a *apart) first() []string {
	if a.published == nil && len(a.ids) > 0 {
		sorted := slices.Sorted(maps.Keys(a.ids))
		a.published = slices.Clone(sorted[:min(len(sorted), shownApart)])
	}
	return a.published
}

// moneyApart returns the money that is in no performance that is shown, by the id that it names.
func (l *Ledger) moneyApart(k *Knowledge) (all []figures.UnmatchedPayments) {
	for _, e := range l.accounts {
		if !e.unattributed() || !e.holdsPayments() {
			continue
		}
		revenue := e.revenue(&l.names, k, refusals{}, true)
		a := figures.UnmatchedPayments{Event: e.id, Net: revenue.NetReceived().Value, Payments: max(1, e.named.payments)}
		if e == l.noEvent {
			a.Payments, a.IDs = len(l.apart.ids), l.apart.first()
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b figures.UnmatchedPayments) int { return cmp.Compare(a.Event, b.Event) })
	return all
}
