package web

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/a-h/templ"
	"github.com/boombuler/barcode/qr"

	"housecount/aggregator/figures"
	"housecount/web/live"
	"housecount/web/words"
)

// screenSocket is the address of a screen's socket. What it shows is for the server to say.
const screenSocket = "/screen/live"

// waitingPage is the name of what WaitingRequest asks for.
const waitingPage = "pairing"

// WaitingRequest is what a device shows that waits to become a screen: nothing of the figures.
func WaitingRequest(l Locale) Request {
	q, _ := NewRequest(waitingPage, nil, Access{Money: NoMoney}.InHalls(), l) // which has no parameter
	return q
}

// Waiting is a device that waits to become a screen, and shows a code until somebody has said
// what it is to show.
type Waiting struct {
	Locale Locale
	// Code is of two times three characters.
	Code string
	// Link is where a phone is led that reads the QR code, and Address what a person types.
	Link, Address string
	// Device is what is known of the device, as outside text; may be empty.
	Device string
	// For is how long the page stays; the next has another code.
	For time.Duration

	Snapshot *figures.Snapshot // of which nothing is shown but the venue's zone
	Now      time.Time
}

// pairing is the part that all devices share that wait: the time.
func (b *builder) pairing() (view, error) {
	return view{title: b.Text("pairing.title"), body: Waiting{}.body}, nil
}

// Waiting writes the whole document of a device that waits.
func (r *Renderer) Waiting(w io.Writer, p Waiting) error {
	content, err := r.Content(WaitingRequest(p.Locale), p.Snapshot, p.Now, live.Content{})
	if err != nil {
		return err
	}
	b := content.Basis.(*builder)
	d := &document{shell: r.shell, Title: b.shows.title, Name: "pairing", Wall: true, Screen: true, Locale: p.Locale, Live: screenSocket, Token: content.Token(),
		Zone: b.zone.String(), Now: p.Now.UnixMilli(), fragments: content.HTML}
	return d.write(w, p.body(d))
}

func (p Waiting) body(d *document) templ.Component { return p.html(d) }

// minutes is how long the page stays.
func (p Waiting) minutes() int { return int(p.For / time.Minute) }

// halves are the code in two times three characters.
func halves(code string) []string {
	if len(code) != 6 {
		return []string{code}
	}
	return []string{code[:3], code[3:]}
}

// spelled is a code as it is read aloud.
func spelled(code string) string { return strings.Join(strings.Split(code, ""), " ") }

// qrCode is a QR code as an SVG path of dark modules, each one wide, and the width of the whole
// with its quiet zone; zero for a text that has none.
type qrCode struct {
	Width int
	Path  string
}

// quiet is how many modules are left free around a QR code.
const quiet = 4

func newQRCode(text string) qrCode {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil { // it is too long, or there is none
		return qrCode{}
	}
	size := code.Bounds().Size()
	var path strings.Builder
	for y := range size.Y {
		for x := 0; x < size.X; x++ {
			from := x
			for x < size.X && dark(code.At(x, y)) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	return qrCode{size.X + 2*quiet, path.String()}
}

func dark(c interface{ RGBA() (r, g, b, a uint32) }) bool {
	r, _, _, _ := c.RGBA()
	return r == 0
}

// Pairing is the page on which an admin makes a screen of a device that waits.
type Pairing struct {
	Locale Locale
	User   string
	// Code is what the device shows; without one, the page asks for it.
	Code string
	// Gone says that no device shows the code.
	Gone bool
	// Kind, Size and From are what is known of the device, as outside text; Here says that it is
	// on the network of who looks at the page, and Shown for how long it has shown the code.
	Kind, Size, From string
	Here             bool
	Shown            time.Duration

	ScreenSettings

	Snapshot *figures.Snapshot
}

// MostName is how long the name and the place of a screen may be, in characters.
const MostName = 60

// Label is a screen's name or place as somebody typed it: on one line, and of MostName characters
// at most.
func Label(typed string) string {
	text := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(typed, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " "))
	return string(text[:min(len(text), MostName)])
}

// Pairing writes a whole document.
func (r *Renderer) Pairing(w io.Writer, p Pairing) error {
	d := &document{shell: r.shell, Title: words.Of(p.Locale).Text("pair.title"), Name: "pair", Locale: p.Locale, User: p.User}
	return d.write(w, p.html())
}

// device is what is known of the device, in a sentence or two.
func (p Pairing) device(w *words.Words) sentence {
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

// square is the view box of a picture that is as high as wide.
func square(width int) string { return fmt.Sprintf("0 0 %d %d", width, width) }
