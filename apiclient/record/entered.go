package record

import "time"

// What people enter is recorded beside what the service reports, in the same log. No service
// gives records of these kinds: they are not among Kinds.
const (
	KindAcknowledgement Kind = "acknowledgement"
	KindWalkIn          Kind = "walk_in"
	KindScreenMessage   Kind = "screen_message"
	KindSetting         Kind = "setting"
)

// Acknowledgement says that somebody has seen what needs attention. Who sees it again makes
// another version of the record.
type Acknowledgement struct {
	// Alert is the key of what was seen, and the record's id.
	Alert string    `json:"alert"`
	At    time.Time `json:"at"` // by the venue's clock
	By    string    `json:"by"` // the person's name
	// Count is how many there were of what the alert counts.
	Count int `json:"count,omitzero"`
	// Undone says that it was taken back: nobody has seen the alert.
	Undone bool `json:"undone,omitzero"`
}

func (a *Acknowledgement) RecordKind() Kind         { return KindAcknowledgement }
func (a *Acknowledgement) RecordID() string         { return a.Alert }
func (a *Acknowledgement) RecordUpdated() time.Time { return a.At }

// WalkIn says that people came in, or went out, who have no ticket to scan: somebody counted them.
// Each count is a record of its own, so that none is lost to another.
type WalkIn struct {
	ID      string    `json:"id"` // random
	EventID string    `json:"event_id"`
	Gate    string    `json:"gate,omitzero"`
	Count   int       `json:"count"` // below 0 for people who went out, or a mistake put right
	At      time.Time `json:"at"`    // by the venue's clock
	By      string    `json:"by"`    // the person's name
}

func (w *WalkIn) RecordKind() Kind         { return KindWalkIn }
func (w *WalkIn) RecordID() string         { return w.ID }
func (w *WalkIn) RecordUpdated() time.Time { return w.At }

// ScreenMessage is what screens say beside what they show. Who changes or withdraws it makes another
// version of the record.
type ScreenMessage struct {
	ID     string `json:"id"` // random
	Text   string `json:"text"`
	Urgent bool   `json:"urgent,omitzero"`
	// Screens are the ids of those that show it; all where empty.
	Screens []string  `json:"screens,omitzero"`
	Until   time.Time `json:"until"` // by the venue's clock, as At
	// Withdrawn says that no screen shows it any more.
	Withdrawn bool      `json:"withdrawn,omitzero"`
	At        time.Time `json:"at"`
	By        string    `json:"by"` // the person's name
}

func (m *ScreenMessage) RecordKind() Kind         { return KindScreenMessage }
func (m *ScreenMessage) RecordID() string         { return m.ID }
func (m *ScreenMessage) RecordUpdated() time.Time { return m.At }
