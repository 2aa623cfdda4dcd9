package ledger

import (
	"cmp"
	"maps"
	"slices"

	"housecount/apiclient/record"
)

// raisedAlert is an alert that was raised, and the revision of its version.
type raisedAlert struct {
	*record.RaisedAlert
	revision int64
}

// applyRaised stores an alert that was raised in place of its older version.
func (l *Ledger) applyRaised(r *record.RaisedAlert, v *record.Version) {
	id := r.RecordID()
	if newest(v, l.raised[id].revision) {
		l.raised[id] = raisedAlert{r, v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}

// alerts returns every alert that was raised, in the order in which they were.
func (l *Ledger) alerts() []*record.RaisedAlert {
	all := make([]*record.RaisedAlert, 0, len(l.raised))
	for _, id := range slices.Sorted(maps.Keys(l.raised)) {
		all = append(all, l.raised[id].RaisedAlert)
	}
	slices.SortStableFunc(all, func(a, b *record.RaisedAlert) int { return cmp.Compare(a.Raised.UnixNano(), b.Raised.UnixNano()) })
	return all
}
