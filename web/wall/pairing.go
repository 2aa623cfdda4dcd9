package wall

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/boombuler/barcode/qr"

	"housecount/aggregator/figures"
	"housecount/web"
)

// WaitingRequest returns what a device shows that waits to become a screen: nothing of the figures.
func WaitingRequest(l web.Locale) web.Request {
	q, _ := web.NewRequest(web.WaitingPage, nil, web.Access{Money: web.NoMoney}.InHalls(), l) // the page has no parameters
	return q
}

// Waiting is a device that waits to become a screen, and shows a code until somebody has said
// what it is to show.
type Waiting struct {
	Locale web.Locale
	// Code is of two times three characters.
	Code string
	// Link is the address in the QR code, and Address the one that a person types.
	Link, Address string
	// Device is what is known of the device, as outside text; may be empty.
	Device string
	// For is how long the page stays; the next has another code.
	For time.Duration

	Snapshot *figures.Snapshot // only the venue's zone of it is shown
	Now      time.Time
}

// pairing returns the part that all devices share that wait: the time.
func (b builder) pairing() (web.View, error) {
	return web.View{Title: b.Text("pairing.title"), Body: Waiting{}.body}, nil
}

// Write writes the whole document of a device that waits.
func (p Waiting) Write(w io.Writer, r *web.Renderer) error {
	return r.Waiting(w, web.Frame{Request: WaitingRequest(p.Locale), Snapshot: p.Snapshot, Now: p.Now}, p.body)
}

func (p Waiting) body(d *web.Document) templ.Component { return p.html(d) }

// minutes returns how long the page stays.
func (p Waiting) minutes() int { return int(p.For / time.Minute) }

// spelled returns a code as it is read aloud.
func spelled(code string) string { return strings.Join(strings.Split(code, ""), " ") }

// qrCode is a QR code as an SVG path of dark modules, each one wide, and the width of the whole
// with its quiet zone; zero for a text that has none.
type qrCode struct {
	Width int
	Path  string
}

// quiet is the width of the quiet zone around a QR code, in modules.
const quiet = 4

func newQRCode(text string) qrCode {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil { // the text is too long, or empty
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

// square returns the view box of a picture that is as high as wide.
func square(width int) string { return fmt.Sprintf("0 0 %d %d", width, width) }
