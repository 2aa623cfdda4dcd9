package ledger

import (
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// applySetting stores a setting in place of its previous version.
func (l *Ledger) applySetting(r *record.Setting, v *record.Version) {
	id := r.RecordID()
	if !newest(v, l.settings[id].Revision) {
		return
	}
	l.settings[id] = figures.Setting{Setting: r, Revision: v.Revision}
	l.Settings = figures.SettingsOf(l.settings)
	l.entered = max(l.entered, v.Revision)
	l.moved.entered = true
	if r.Name == record.SettingVATRate {
		l.rateAll()
	}
}
