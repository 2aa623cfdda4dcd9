package ledger

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// applyAcknowledgement puts an acknowledgement in the place of what was held of it.
func (l *Ledger) applyAcknowledgement(r *record.Acknowledgement, v *record.Version) {
	if newest(v, l.acknowledged[r.Alert].Revision) {
		l.acknowledged[r.Alert] = figures.Acknowledgement{Acknowledgement: r, Revision: v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}
