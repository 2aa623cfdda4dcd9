package wall_test

import (
	"bytes"
	"image"
	"image/color"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/boombuler/barcode/qr"

	"housecount/web"
	"housecount/web/live"
	"housecount/web/wall"
	"housecount/web/webtest"
	"housecount/web/words"
)

// waiting returns what a device shows that waits, in a language.
func waiting(t *testing.T, l web.Locale) string {
	t.Helper()
	var b bytes.Buffer
	if err := (wall.Waiting{Locale: l, Code: "K7R4XT", Link: "https://dash.example.org/screens/pair?code=K7R4XT", Address: "dash.example.org/pair",
		Device: "Tizen <6.5>", For: 14 * time.Minute, Snapshot: webtest.Small(t).Snapshot(), Now: webtest.ShowTime}).Write(&b, webtest.Renderer(t)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Strangers look at a device that waits: nothing of the house is in what it is sent.
func TestWaitingSaysNothingOfTheHouse(t *testing.T) {
	page := waiting(t, web.English)
	webtest.Wants(t, "waiting", webtest.Text(page), "K7R", "4XT", "dash.example.org/pair", "Tizen &lt;6.5&gt;", "A new code in 14 min")
	q := wall.WaitingRequest(web.English)
	s := webtest.Small(t).Snapshot()
	content, err := webtest.Renderer(t).Content(q, s, webtest.ShowTime, live.Content{})
	if err != nil {
		t.Fatal(err)
	}
	if len(content.HTML) != 1 || content.HTML["clock"] == "" || len(content.Charts) > 0 {
		t.Errorf("a frame has %+v", content)
	}
	if times := webtest.Renderer(t).Times(q, s, webtest.ShowTime); times != nil {
		t.Errorf("a beat has %s", times)
	}
	for _, e := range s.Events {
		if strings.Contains(page, e.Event.Title) || strings.Contains(page, e.Event.Hall) {
			t.Errorf("%s, %s is on the page", e.Event.Title, e.Event.Hall)
		}
	}
	if len(q.Wakes()) != 1 || q.Wakes()[0] != live.Minute {
		t.Errorf("it wakes with %v", q.Wakes())
	}
}

// The QR code says the address: a phone's camera sees the same modules as this.
func TestWaitingShowsAQRCode(t *testing.T) {
	page := waiting(t, web.English)
	box := regexp.MustCompile(`class="qr" viewBox="0 0 (\d+) (\d+)"`).FindStringSubmatch(page)
	path := regexp.MustCompile(`class="ink" d="([^"]+)"`).FindStringSubmatch(page)
	if box == nil || path == nil || box[1] != box[2] {
		t.Fatalf("there is no QR code in %s", page)
	}
	size, _ := strconv.Atoi(box[1])
	picture := image.NewGray(image.Rect(0, 0, size, size))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	for _, m := range regexp.MustCompile(`M(\d+) (\d+)h(\d+)v1h-(\d+)z`).FindAllStringSubmatch(path[1], -1) {
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1])
		}
		for x := range n[2] {
			picture.SetGray(n[0]+x, n[1], color.Gray{})
		}
	}
	const quiet = 4
	code, err := qr.Encode("https://dash.example.org/screens/pair?code=K7R4XT", qr.M, qr.Auto)
	if err != nil || code.Bounds().Dx() != size-2*quiet {
		t.Fatalf("a picture of %d, %v", size, err)
	}
	for y := range size {
		for x := range size {
			want := false
			if image.Pt(x-quiet, y-quiet).In(code.Bounds()) {
				r, _, _, _ := code.At(x-quiet, y-quiet).RGBA()
				want = r == 0
			}
			if got := picture.GrayAt(x, y).Y == 0; got != want {
				t.Fatalf("the module at %d, %d is dark: %v, want %v", x, y, got, want)
			}
		}
	}
}

func TestWaitingIsInTheCatalogue(t *testing.T) {
	webtest.LookForWords(t)("a device that waits", waiting(t, words.Pseudo))
}
