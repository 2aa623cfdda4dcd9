package setup_test

import (
	"strings"
	"testing"

	"housecount/web"
	"housecount/web/setup"
	"housecount/web/webtest"
)

// Where nothing can be changed because there is no file, the page leads to the setup, in which another service is connected.
func TestConnectionWithoutAFile(t *testing.T) {
	for _, locale := range []web.Locale{"en", "nl", "de"} {
		for fixed, want := range map[string]bool{setup.FixedNotFile: true, "elsewhere": false} {
			var page strings.Builder
			if err := (setup.Connection{Locale: locale, Fixed: fixed}).Write(&page, webtest.Renderer(t)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(page.String(), "<b>housecount serve</b>") && strings.Contains(page.String(), `href="/manual/setup"`); got != want {
				t.Errorf("%s, %s: it leads to the setup: %v", locale, fixed, got)
			}
		}
	}
}
