package admin_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/web/admin"
	"housecount/web/webtest"
	"housecount/web/words"
)

// What an admin is told of a device is outside text.
func TestPairingPage(t *testing.T) {
	p := admin.Pairing{Locale: words.Dutch, User: "Anna <b>", Code: "K7R4XT", Kind: "Tizen <i>", Size: "1920 × 1080", Address: "10.0.4.21", ShownFor: 3 * time.Minute,
		ScreenSettings: admin.ScreenSettings{Halls: []string{"Grote Zaal"}, Language: words.German, Name: `"><script>`}, Snapshot: webtest.Small(t).Snapshot()}
	var b bytes.Buffer
	if err := p.Write(&b, webtest.Renderer(t)); err != nil {
		t.Fatal(err)
	}
	webtest.Wants(t, "pairing", webtest.Text(b.String()), "K7R", "Tizen &lt;i&gt;, 1920 × 1080, op 10.0.4.21. Het vroeg 3 min geleden.", "Anna &lt;b&gt;", "Grote Zaal")
	if page := b.String(); strings.Contains(page, "<script>") || strings.Contains(page, "data-live") || !strings.Contains(page, `value="de" selected`) || strings.Count(page, "selected") != 1 ||
		!strings.Contains(page, `value="Grote Zaal" checked`) || strings.Count(page, "checked") != 2 || !strings.Contains(page, `<label class="field money">`) {
		t.Errorf("the page is %s", page)
	}
	// The Enter key in a field presses the first button of the field's form.
	first := regexp.MustCompile(`<button name="do" value="(\w+)"`).FindStringSubmatch(b.String())
	if first == nil || first[1] != "pair" || !strings.Contains(b.String(), `<button form="refuse" name="do" value="refuse">`) {
		t.Errorf("Enter in a field presses %q", first)
	}
}
