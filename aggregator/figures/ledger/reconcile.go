package ledger

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// reconciliation is what the ledger holds of a reconciliation: the record, and the revision of its version.
type reconciliation struct {
	*record.Reconciliation
	revision int64
}

// applyReconciliation stores the result of a check in place of its previous version.
func (l *Ledger) applyReconciliation(r *record.Reconciliation, v *record.Version) {
	if newest(v, l.reconciled[figures.Check(r.Check)].revision) {
		l.reconciled[figures.Check(r.Check)] = reconciliation{r, v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}

// found returns the newest result of each check.
func (l *Ledger) found() map[figures.Check]*record.Reconciliation {
	all := make(map[figures.Check]*record.Reconciliation, len(l.reconciled))
	for c, r := range l.reconciled {
		all[c] = r.Reconciliation
	}
	return all
}
