package night_test

import (
	"strings"
	"testing"

	"housecount/web"
	"housecount/web/night"
	"housecount/web/webtest"
)

// A table that is too long for mail stays on its page, to which the letter leads.
func TestTableTooLongForMail(t *testing.T) {
	h, now := house(t), webtest.At("07:30")
	letter := write(t, h, web.Manager, web.English, night.NightDay, "2026-11-20", now)
	if letter.File == nil || !strings.Contains(letter.Plain, "Attached: "+letter.File.Name) || !strings.HasPrefix(letter.Subject, "De Waag: Night report, ") {
		t.Fatalf("%q has %v:\n%s", letter.Subject, letter.File, letter.Plain)
	}
	for most, sent := range map[int]bool{len(letter.File.Content) + 200: true, len(letter.File.Content) / 2: false} {
		restore := night.SetMostBytes(most)
		got := write(t, h, web.Manager, web.English, night.NightDay, "2026-11-20", now)
		restore()
		if (got.File != nil) != sent || strings.Contains(got.HTML, "too long for mail") == sent || !strings.Contains(got.HTML, `href="https://house.example/night?day=2026-11-19"`) {
			t.Errorf("of %d bytes, at most %d, there is a file: %t\n%s", len(letter.File.Content), most, got.File != nil, got.Plain)
		}
	}
}
