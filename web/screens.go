package web

import (
	"encoding/json"
	"time"

	"housecount/aggregator/figures/evening"
)

// Screens is the data of the screens page.
type Screens struct {
	Now         time.Time // the time that the other times are compared with, truncated to the minute
	HasPictures bool      // PicturePath serves pictures of what screens show
	Address     string    // what a device opens to become a screen
	List        []Screen
}

// Screen is a screen of the venue.
type Screen struct {
	ID, Name, Place string
	State           ScreenStatus
	Since           time.Time // the beginning of its State
	// Shows is the page that it shows or last showed, or else the page that its programme gives; nil if unknown.
	Shows *Request
	// Identifying reports whether it is showing its name.
	Identifying bool
	// Programme is the name of its programme; empty means the automatic one.
	Programme string
	Language  Locale
	Access    Access
	Dark, Dim string // hours, such as 23:30-08:00; empty means none
	// Kind, Size, Address and Fault describe its device; they come from outside and are not trusted. Fault is
	// the last fault that the device reported, at FaultAt. Version is the version of the page last seen on it.
	Kind, Size, Address, Fault string
	Version                    string
	FaultAt                    time.Time
	// Copied is when another device was last noticed with its credential; zero if nobody has to deal with that.
	Copied time.Time
	// UnusedMoney reports whether its access includes amounts that no view of its programme shows.
	UnusedMoney bool
	By          string // a person's name, or the command, that added it
}

// ScreenStatus is the state of a screen, a code of the catalogue.
type ScreenStatus string

const (
	ScreenSilent  ScreenStatus = "silent"  // should be on, but is not connected
	ScreenNew     ScreenStatus = "new"     // no device has connected yet
	ScreenOn      ScreenStatus = "on"      // connected, or disconnected only moments ago
	ScreenBlank   ScreenStatus = "blank"   // as ScreenOn, but an administrator has blanked it
	ScreenResting ScreenStatus = "resting" // not connected, in its dark hours
	ScreenOff     ScreenStatus = "off"     // not connected, and an administrator has marked it as off
)

// ScreenState is what a screen shows in addition to its page. If any of it changes, all of it is sent
// again.
type ScreenState struct {
	// Margin is what is left free around the picture, in thousandths of its short side.
	Margin int `json:"margin,omitzero"`
	// Dim is true if the picture is dimmed.
	Dim bool `json:"dim,omitzero"`
	// Identify is the screen's name while it is to show it; empty otherwise.
	Identify string `json:"identify,omitzero"`
	// Reloaded is when the screen was last asked to reload. A page loaded with an earlier time reloads.
	Reloaded int64 `json:"reloaded,omitzero"`
	// Messages are shown in addition to the page, one after another.
	Messages []MessageState `json:"messages,omitempty"`
}

// MessageState is a message as a screen's script reads it. Until is in milliseconds of the Unix epoch, by
// the venue's clock.
type MessageState struct {
	Text   string `json:"text"`
	Urgent bool   `json:"urgent,omitzero"`
	Until  int64  `json:"until"`
}

// JSON returns the state as the page reads it.
func (s ScreenState) JSON() json.RawMessage {
	b, _ := json.Marshal(s) // it cannot fail for texts and numbers
	return b
}

// ScreenAlert reports a screen that should be on but is not connected, or one whose credential another device has.
type ScreenAlert struct {
	ID, Name string
	Since    time.Time
	Copied   bool
}

func (s ScreenAlert) alert() evening.Alert {
	a := evening.Alert{Code: evening.AlertSilentScreen, Level: evening.Warn, Since: s.Since, AlertArgs: evening.AlertArgs{Screen: s.Name}}
	if s.Copied {
		a.Code = evening.AlertCopiedScreen
	}
	a.Key = a.Code + ":" + s.ID
	return a
}
