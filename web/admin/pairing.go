package admin

import (
	"io"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// Pairing is the page on which an administrator pairs a waiting device as a screen.
type Pairing struct {
	Locale web.Locale
	User   string
	// Code is the code that the device shows. If it is empty, the page asks for it.
	Code string
	// Gone reports whether no device shows the code.
	Gone bool
	// Kind, Size and Address describe the device; they come from outside and are not trusted. SameAddress
	// reports whether its address is the reader's. ShownFor is how long it has shown the code.
	Kind, Size, Address string
	SameAddress         bool
	ShownFor            time.Duration

	ScreenSettings

	Snapshot *figures.Snapshot
}

// Write writes the page as a document.
func (p Pairing) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: p.Locale, User: p.User, Title: words.Of(p.Locale).Text("pair.title"), Body: p.html()})
}

// device describes the device.
func (p Pairing) device(w *words.Words) words.Sentence {
	what := words.Join(", ", words.NameAlone(p.Kind), words.NameAlone(p.Size))
	if len(what) == 0 {
		what = w.Say("pair.unknown_device")
	}
	asked := w.Say("pair.asked_now")
	if minutes := int(p.ShownFor / time.Minute); minutes > 0 {
		asked = w.Say("pair.asked", words.Text("spell", w.Spell(minutes)))
	}
	if p.SameAddress {
		return words.Join(" ", w.Say("pair.device_here", words.Part("what", what)), asked)
	}
	return words.Join(" ", w.Say("pair.device_from", words.Part("what", what), words.Name("address", p.Address)), asked)
}
