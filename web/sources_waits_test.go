package web_test

import (
	"strings"
	"testing"

	"housecount/web"
	"housecount/web/webtest"
)

// Administrators are told on Tonight that a change of the connection waits for the next start, with a link to it; nobody else is,
// and nobody while nothing waits.
func TestTonightTellsOfAChangeThatWaits(t *testing.T) {
	for _, waits := range []bool{true, false} {
		r := webtest.RendererWith(t, web.Sources{Waits: func() bool { return waits }})
		for _, role := range web.Roles {
			q := webtest.View{Page: "tonight"}.As(role)
			page := webtest.Page(t, r, q, webtest.NewHouse().Snapshot(), webtest.ShowTime)
			want := waits && role == web.Admin
			if got := strings.Contains(page, `href="`+web.ConnectionPath+`"`) && strings.Contains(page, "A change waits for housecount to be started again."); got != want {
				t.Errorf("%s, with a change that waits (%v): told %v, want %v", role, waits, got, want)
			}
		}
	}
}
