package record

import (
	"net/url"
	"strconv"
	"time"
)

// The kinds of record that people enter. They are in the same log as the service's records, but no
// service gives them and they are not among Kinds.
const (
	KindAcknowledgement Kind = "acknowledgement"
	KindWalkIn          Kind = "walk_in"
	KindScreenMessage   Kind = "screen_message"
	KindSetting         Kind = "setting"
	KindAlert           Kind = "alert" // entered by the program
)

// Acknowledgement records that somebody looks after an alert. Taking it on again makes another version of
// the record.
type Acknowledgement struct {
	Alert string    `json:"alert"` // the alert's key
	At    time.Time `json:"at"`    // by the venue's clock
	By    string    `json:"by"`    // the person's name
	// Personal reports that the record is this person's alone, so that two people who take on one alert do not
	// overwrite each other. Without it the record is the alert's, as in logs of older versions.
	Personal bool `json:"personal,omitzero"`
	// Count is the alert's count at that time.
	Count int `json:"count,omitzero"`
	// Undone reports that the acknowledgement was withdrawn; Passed that nobody did, but the alert was over.
	Undone bool `json:"undone,omitzero"`
	Passed bool `json:"passed,omitzero"`
}

func (a *Acknowledgement) RecordKind() Kind         { return KindAcknowledgement }
func (a *Acknowledgement) RecordUpdated() time.Time { return a.At }

// RecordID returns the key of the alert, with the person before it if the record is personal. No key of an alert
// begins like that.
func (a *Acknowledgement) RecordID() string {
	if a.Personal {
		return "by:" + url.QueryEscape(a.By) + ":" + a.Alert
	}
	return a.Alert
}

// RaisedAlert records an alert from when it is raised to when it is cleared. Each time that an alert is raised is a record of
// its own; who takes it on and that it is cleared make other versions.
type RaisedAlert struct {
	Alert  string `json:"alert"`  // the alert's key
	Number int    `json:"number"` // 1 for the first time that this alert was raised
	Level  string `json:"level"`
	// EventID is its performance, empty for the whole house.
	EventID string `json:"event_id,omitzero"`
	// First is what the alert counted when it was raised, and Last what it counted when it was last seen standing before this version.
	First int `json:"first,omitzero"`
	Last  int `json:"last,omitzero"`
	// By are the names of those who look after it, and Taken is when the first of them or, if there are none, of Took took it on; zero if
	// nobody did.
	By      []string  `json:"by,omitzero"`
	Taken   time.Time `json:"taken,omitzero"`
	Took    []string  `json:"took,omitzero"`    // those who took it on before it grew, if nobody looks after it since
	Raised  time.Time `json:"raised"`           // by the venue's clock, as the other times
	Since   time.Time `json:"since,omitzero"`   // when it began, if records show that it was before it was raised
	Cleared time.Time `json:"cleared,omitzero"` // zero while it stands
	// Changed is when somebody took it on or handed it back last, or when it was found to be cleared.
	Changed time.Time `json:"changed,omitzero"`
	// Licensed is how many people were allowed when it was raised, for alerts about that.
	Licensed int `json:"licensed,omitzero"`
	// Steps are what became of it between being raised and cleared, the first first. Logs of older versions have none.
	Steps []AlertStep `json:"steps,omitzero"`
}

// AlertStep is a step in an alert's life.
type AlertStep struct {
	At   time.Time `json:"at"` // by the venue's clock
	What AlertWhat `json:"what"`
	By   string    `json:"by,omitzero"`    // the person's name; empty if it was nobody's doing
	N    int       `json:"count,omitzero"` // what the alert counted then
}

// AlertWhat is what became of an alert.
type AlertWhat string

// The steps of an alert.
const (
	AlertTaken      AlertWhat = "taken"       // somebody looks after it
	AlertHandedBack AlertWhat = "handed_back" // and does no longer
	AlertGrown      AlertWhat = "grown"       // so much that nobody looks after it any more
	AlertWorse      AlertWhat = "worse"       // it is more severe
)

// Began returns when what the alert is about began, as far as that is known, or else when it was raised.
func (a *RaisedAlert) Began() time.Time {
	if !a.Since.IsZero() && a.Since.Before(a.Raised) {
		return a.Since
	}
	return a.Raised
}

func (a *RaisedAlert) RecordKind() Kind { return KindAlert }
func (a *RaisedAlert) RecordID() string { return a.Alert + "#" + strconv.Itoa(a.Number) }
func (a *RaisedAlert) RecordUpdated() time.Time {
	last := a.Raised
	for _, t := range []time.Time{a.Taken, a.Cleared, a.Changed} {
		if t.After(last) {
			last = t
		}
	}
	return last
}

// WalkIn is a count of people who came in or went out without a ticket to scan. Each count is its
// own record, so that counts cannot overwrite each other.
type WalkIn struct {
	ID      string    `json:"id"` // random
	EventID string    `json:"event_id"`
	Gate    string    `json:"gate,omitzero"`
	Count   int       `json:"count"` // negative for people who left, or to correct a mistake
	At      time.Time `json:"at"`    // by the venue's clock
	By      string    `json:"by"`    // the person's name
}

func (w *WalkIn) RecordKind() Kind         { return KindWalkIn }
func (w *WalkIn) RecordID() string         { return w.ID }
func (w *WalkIn) RecordUpdated() time.Time { return w.At }

// ScreenMessage is a message shown on screens. Changing or withdrawing it makes another version of
// the record.
type ScreenMessage struct {
	ID     string `json:"id"` // random
	Text   string `json:"text"`
	Urgent bool   `json:"urgent,omitzero"`
	// Screens are the ids of the screens that show it; empty for all.
	Screens []string  `json:"screens,omitzero"`
	Until   time.Time `json:"until"` // by the venue's clock, as At
	// Withdrawn reports that no screen shows it any more.
	Withdrawn bool      `json:"withdrawn,omitzero"`
	At        time.Time `json:"at"`
	By        string    `json:"by"` // the person's name
}

func (m *ScreenMessage) RecordKind() Kind         { return KindScreenMessage }
func (m *ScreenMessage) RecordID() string         { return m.ID }
func (m *ScreenMessage) RecordUpdated() time.Time { return m.At }
