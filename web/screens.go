package web

import (
	"time"

	"housecount/aggregator/figures/evening"
)

// Screens is what the page of screens shows.
type Screens struct {
	Now    time.Time // to which the others are compared, to the minute
	Thumbs bool      // pictures of what screens show are to be had at PicturePath
	List   []Screen
}

// Screen is a paired screen.
type Screen struct {
	ID, Name, Place string
	State           ScreenStanding
	Since           time.Time // of its State
	// Shows is what it shows, or showed last; nil if that is not known.
	Shows *Request
	// Identifies is true while it shows its name.
	Identifies bool
	// Programme is the name of its programme, empty for the automatic one.
	Programme string
	Language  Locale
	Access    Access
	Dark, Dim string // hours, as 23:30-08:00; empty for none
	// Kind, Size, Address and Fault are what is known of its device, as outside text; FaultAt is when
	// the device said so, and Version that of its page, which it had last.
	Kind, Size, Address, Fault string
	Version                    string
	FaultAt                    time.Time
	By                         string // who made it a screen
}

// ScreenStanding is how it is with a screen.
type ScreenStanding string

// The standings, in the order of the page.
const (
	ScreenSilent  ScreenStanding = "silent"  // it should be on, and is not
	ScreenNew     ScreenStanding = "new"     // no device is it yet
	ScreenOn      ScreenStanding = "on"      // it shows something
	ScreenBlank   ScreenStanding = "blank"   // it is on and shows nothing, as somebody wants it
	ScreenResting ScreenStanding = "resting" // it is off in its dark hours
	ScreenOff     ScreenStanding = "off"     // it is meant to be off
)

// ScreenAlert is of a screen that should be on and is not.
type ScreenAlert struct {
	ID, Name string
	Since    time.Time
}

// alert returns the screen's alert among others.
func (s ScreenAlert) alert() evening.Alert {
	a := evening.Alert{Code: evening.AlertSilentScreen, Level: evening.Warn, Since: s.Since, AlertArgs: evening.AlertArgs{Screen: s.Name}}
	a.Key = a.Code + ":" + s.ID
	return a
}
