package web

import (
	"encoding/json"

	"github.com/a-h/templ"
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
	b, _ := json.Marshal(s) // of texts and numbers
	return b
}

// ScreenPages returns the names of the pages that a programme of screens may show.
func ScreenPages() []string {
	var names []string
	for _, p := range pages {
		if p.Wall && p.Name != waitingPage && p.Name != DarkPage {
			names = append(names, p.Name)
		}
	}
	return names
}

func (b *Builder) dark() (View, error) {
	return View{Title: b.Text("screen.title"), Body: func(d *Document) templ.Component { return darkBody(d) }}, nil
}
