package admin

import (
	"io"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// Pairing is the page on which an admin makes a screen of a device that waits.
type Pairing struct {
	Locale web.Locale
	User   string
	// Code is what the device shows; without one, the page asks for it.
	Code string
	// Gone is true if no device shows the code.
	Gone bool
	// Kind, Size and From are what is known of the device, as outside text. Here is true if it is on the
	// viewer's network, and Shown is how long it has shown the code.
	Kind, Size, From string
	Here             bool
	Shown            time.Duration

	ScreenSettings

	Snapshot *figures.Snapshot
}

// Write writes a whole document.
func (p Pairing) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: p.Locale, User: p.User, Title: words.Of(p.Locale).Text("pair.title"), Body: p.html()})
}

// device returns what is known of the device, in a sentence or two.
func (p Pairing) device(w *words.Words) words.Sentence {
	what := words.Join(", ", words.NameAlone(p.Kind), words.NameAlone(p.Size))
	if len(what) == 0 {
		what = w.Say("pair.unknown_device")
	}
	asked := w.Say("pair.asked_now")
	if minutes := int(p.Shown / time.Minute); minutes > 0 {
		asked = w.Say("pair.asked", words.Text("spell", w.Spell(minutes)))
	}
	if p.Here {
		return words.Join(" ", w.Say("pair.device_here", words.Part("what", what)), asked)
	}
	return words.Join(" ", w.Say("pair.device_from", words.Part("what", what), words.Name("address", p.From)), asked)
}
