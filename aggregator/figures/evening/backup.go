package evening

import "housecount/aggregator/figures"

// Backup returns an alert if the last backup of the database failed, or the next is late. It began with the first
// failure, or when the next one had to be there.
func (v *Evening) Backup() (a Alert, missing bool) {
	last := v.Snapshot.Checks[figures.CheckBackup]
	if last == nil {
		return a, false
	}
	a = Alert{Key: AlertBackup, Code: AlertBackup, Level: Warn}
	switch {
	case len(last.Found) > 0:
		a.Since = last.Found[0].Since
	case !last.Due.IsZero() && v.Now.After(last.Due):
		a.Since = last.Due
	default:
		return Alert{}, false
	}
	a.Seen = v.SeenBy(&a)
	return a, true
}
