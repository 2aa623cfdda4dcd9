package charts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"housecount/web/charts"
)

func TestShades(t *testing.T) {
	for greatest, want := range map[int]string{0: "[] []", -3: "[] []", 1: "[1] [o1]", 2: "[1] [o1]", 3: "[1 2] [o1 o4]", 8: "[1 2 4] [o1 o3 o4]", 1746: "[1 219 437 873] [o1 o2 o3 o4]"} {
		from, classes := charts.Shades(greatest)
		if got := fmt.Sprint(from, " ", classes); got != want {
			t.Errorf("of %d: %s, want %s", greatest, got, want)
		}
	}
}

func TestTiles(t *testing.T) {
	m := charts.Tiles{Label: "<b>", Cols: 2, Rows: 3, Squares: []charts.Square{{Col: 1, Row: 2, Name: "35", Number: "1,204", Class: "o4", Title: `35 "Utrecht" <i>`}, {Name: "89"}}}
	var s strings.Builder
	if err := m.HTML().Render(context.Background(), &s); err != nil {
		t.Fatal(err)
	}
	want := `<svg class="tiles" font-size="4.42" viewBox="0 0 20 30" role="img" aria-label="&lt;b&gt;"><g class="o4"><rect x="10" y="20" width="9.4" height="9.4" rx="1"></rect><text x="14.7" y="25.4">35</text>` +
		`<text class="n" font-size="3.2" x="14.7" y="28.6">1,204</text><title>35 &#34;Utrecht&#34; &lt;i&gt;</title></g><g class="none"><rect x="0" y="0" width="9.4" height="9.4" rx="1"></rect><text x="4.7" y="5.4">89</text></g></svg>`
	if s.String() != want {
		t.Errorf("got %s", s.String())
	}
}
