package ledger

import (
	"cmp"
	"maps"
	"slices"

	"housecount/aggregator/figures"
)

// shownUnmatched is how many ids of payments are published.
const shownUnmatched = 20

// unmatched holds the ids of payment groups that belong to no performance.
type unmatched struct {
	ids       map[string]bool
	published []string // the first ids, sorted; nil if they have to be sorted again
	groups    int      // all groups with postings, matched or not
	changed   bool     // since the last Snapshot
}

// assign is called before a group is posted anew, and stores whether some of its money belongs to no performance.
func (l *Ledger) assign(g *paymentGroup, postings []posting) {
	l.unmatched.groups += min(1, len(postings)) - min(1, len(l.postings.Get(g.posted)))
	is := slices.ContainsFunc(postings, func(p posting) bool { return p.event == l.noEvent.number && !p.unmapped })
	id := l.groupID(g)
	if is == l.unmatched.ids[id] {
		return
	}
	l.unmatched.published = nil
	if is {
		l.unmatched.ids[id] = true
	} else {
		delete(l.unmatched.ids, id)
	}
}

// first returns the first ids, sorted.
func (a *unmatched) first() []string {
	if a.published == nil && len(a.ids) > 0 {
		sorted := slices.Sorted(maps.Keys(a.ids))
		a.published = slices.Clone(sorted[:min(len(sorted), shownUnmatched)])
	}
	return a.published
}

// unmatchedMoney returns the money that belongs to no published performance, by the event id that it names.
func (l *Ledger) unmatchedMoney(k *Knowledge) (all []figures.UnmatchedPayments) {
	for _, e := range l.accounts {
		if !e.unattributed() || !e.holdsPayments() {
			continue
		}
		revenue := e.revenue(&l.names, k, refusals{}, true)
		a := figures.UnmatchedPayments{Event: e.id, Net: revenue.NetReceived().Value, Payments: max(1, e.named.payments)}
		if e == l.noEvent {
			a.Payments, a.IDs = len(l.unmatched.ids), l.unmatched.first()
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b figures.UnmatchedPayments) int { return cmp.Compare(a.Event, b.Event) })
	return all
}
