package figures

import (
	"housecount/apiclient/record"
)

// acknowledgement is what the ledger holds of one: the record, and the revision of its version.
type acknowledgement struct {
	*record.Acknowledgement
	revision int64
}

// growth is how many times as many an alert of a code has to count as when it was seen to be
// raised again. Alerts of other codes do not grow.
var growth = map[string]float64{
	AlertOversold: 1,   // every place is somebody who has none
	AlertHold:     1.5, // beyond what an estimate moves by itself
}

// applyAcknowledgement puts an acknowledgement in the place of what was held of it.
func (l *Ledger) applyAcknowledgement(r *record.Acknowledgement, v *record.Version) {
	if newest(v, l.acknowledged[r.Alert].revision) {
		l.acknowledged[r.Alert] = acknowledgement{r, v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}

// SeenAs says that people have seen, and screens are to say, the same as in another snapshot of the
// log.
func (s *Snapshot) SeenAs(o *Snapshot) bool { return s.entered == o.entered }

// of is by whom the alert was seen as it is: not where it began afterwards, or has grown.
func (k acknowledgement) of(a *Alert) *Seen {
	if k.Acknowledgement == nil || k.Undone || a.Since.After(k.At) {
		return nil
	}
	if by, grows := growth[a.Code]; grows && float64(a.Count.Value) > by*float64(k.Count) {
		return nil
	}
	return &Seen{By: k.By, At: k.At}
}
