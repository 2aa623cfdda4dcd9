package web

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is written by hand says what a template would, and nothing that ends an attribute or an element.
func TestMarkup(t *testing.T) {
	for _, test := range []struct {
		name string
		html func(*strings.Builder) error
		want string
	}{
		{"chart", func(b *strings.Builder) error {
			return chartOption{ID: `a"b`, Option: json.RawMessage(`{"x":1}`)}.Render(t.Context(), b)
		}, `<script type="application/json" data-option-for="a&#34;b">{"x":1}</script>`},
	} {
		var b strings.Builder
		if err := test.html(&b); err != nil || b.String() != test.want {
			t.Errorf("%s: %s (%v), want %s", test.name, &b, err, test.want)
		}
	}
}
