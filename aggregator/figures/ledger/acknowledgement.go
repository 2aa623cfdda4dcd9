package ledger

import (
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// applyAcknowledgement stores an acknowledgement in place of the one with the same alert.
func (l *Ledger) applyAcknowledgement(r *record.Acknowledgement, v *record.Version) {
	id := r.RecordID()
	if newest(v, l.acknowledged[id].Revision) {
		l.acknowledged[id] = figures.Acknowledgement{Acknowledgement: r, Revision: v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}

// acknowledgements returns those of each alert, in the order of their ids.
func (l *Ledger) acknowledgements() map[string][]figures.Acknowledgement {
	all := make(map[string][]figures.Acknowledgement, len(l.acknowledged))
	for _, id := range slices.Sorted(maps.Keys(l.acknowledged)) {
		k := l.acknowledged[id]
		all[k.Alert] = append(all[k.Alert], k)
	}
	return all
}
