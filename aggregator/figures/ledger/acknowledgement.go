package ledger

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// applyAcknowledgement stores an acknowledgement in place of the one with the same alert.
func (l *Ledger) applyAcknowledgement(r *record.Acknowledgement, v *record.Version) {
	if newest(v, l.acknowledged[r.Alert].Revision) {
		l.acknowledged[r.Alert] = figures.Acknowledgement{Acknowledgement: r, Revision: v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}
