package ledger

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// message is what the ledger holds of a screen's message.
type message struct {
	*record.ScreenMessage
	revision int64
}

// applyMessage stores a screen's message in place of its previous version.
func (l *Ledger) applyMessage(r *record.ScreenMessage, v *record.Version) {
	if newest(v, l.messages[r.ID].revision) {
		l.messages[r.ID] = message{r, v.Revision}
		l.entered = max(l.entered, v.Revision)
		l.moved.entered = true
	}
}

// standing returns the messages that were not withdrawn: urgent ones first, then the newest.
func (l *Ledger) standing() []*record.ScreenMessage {
	var all []*record.ScreenMessage
	for _, m := range l.messages {
		if !m.Withdrawn {
			all = append(all, m.ScreenMessage)
		}
	}
	slices.SortFunc(all, func(a, b *record.ScreenMessage) int {
		switch {
		case a.Urgent && !b.Urgent:
			return -1
		case b.Urgent && !a.Urgent:
			return 1
		}
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return all
}
