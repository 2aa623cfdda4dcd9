package evening

import (
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Telling is how alerts of a code are told, as the house has set it.
type Telling struct {
	// Off alerts are not shown at all. Those that are not Sent are shown on pages only.
	Off, Sent bool
	// From and Until are the hours of the clock between which they are sent, perhaps over midnight. They are the same if
	// none are set.
	From, Until int
	// After is for how long nobody must be on one until it is told again, to a Role: a position among the roles, from 1, or
	// 0 for all whose work it is.
	After time.Duration
	Role  int
	// By is the sum of the ways by which they are sent: figures.AlertByMail and so on.
	By int
}

// TellingOf returns how alerts of a code are told.
func TellingOf(s *figures.Settings, code string) Telling {
	of := func(name record.SettingName) int { return int(s.ValueOn(name, code, "")) }
	told := of(record.SettingAlertTold)
	t := Telling{Off: told == figures.AlertOff, Sent: told == figures.AlertSent, From: of(record.SettingAlertFrom), Until: of(record.SettingAlertUntil),
		After: time.Duration(of(record.SettingAlertAfter)) * time.Minute, Role: of(record.SettingAlertRole), By: of(record.SettingAlertBy)}
	if t.Until == 0 && t.From != 0 { // until midnight
		t.Until = 24
	}
	return t
}

// HasHours reports whether the house has set hours.
func (t Telling) HasHours() bool { return t.From != t.Until }

// Within reports whether a moment is within the hours, by the clock of its zone.
func (t Telling) Within(at time.Time) bool {
	hour := at.Hour()
	switch {
	case !t.HasHours():
		return true
	case t.From < t.Until:
		return hour >= t.From && hour < t.Until
	}
	return hour >= t.From || hour < t.Until
}

// Next returns the first moment from at on that is within the hours.
func (t Telling) Next(at time.Time) time.Time {
	if t.Within(at) {
		return at
	}
	next := time.Date(at.Year(), at.Month(), at.Day(), t.From, 0, 0, 0, at.Location())
	if !next.After(at) {
		next = time.Date(at.Year(), at.Month(), at.Day()+1, t.From, 0, 0, 0, at.Location())
	}
	return next
}

// Off reports whether the house has switched the alerts of a code off.
func (v *Evening) Off(code string) bool {
	return v.Snapshot.House.ValueOn(record.SettingAlertTold, code, "") == figures.AlertOff
}
