package charts

import (
	"strings"
	"testing"
)

// What is drawn by hand says what a template would: each part with its pattern, the mark of an
// oversold bar, and nothing that ends an attribute or an element.
func TestMarkup(t *testing.T) {
	for _, test := range []struct {
		name string
		html func(*strings.Builder) error
		want string
	}{
		{"bar", func(b *strings.Builder) error {
			bar := NewBar("", 10, Piece{"paid", 8}, Piece{"resv", 2}, Piece{"blocked", 6})
			bar.Usual(10)
			return barParts(bar).Render(t.Context(), b)
		}, `<rect class="paid" x="0.00%" width="50.00%" height="100%"></rect>` +
			`<rect class="resv" fill="url(#hatch)" x="50.00%" width="12.50%" height="100%"></rect>` +
			`<rect class="blocked" fill="url(#cross)" x="62.50%" width="37.50%" height="100%"></rect>` +
			`<line class="usual" x1="62.50%" x2="62.50%" y1="0" y2="100%"></line>`},
		{"bar with too many", func(b *strings.Builder) error {
			return barParts(NewBar("", 10, Beyond(12, Piece{"paid", 16})...)).Render(t.Context(), b)
		}, `<rect class="paid" x="0.00%" width="75.00%" height="100%"></rect>` +
			`<rect class="over" fill="var(--bad)" stroke="var(--paper)" x="75.00%" width="25.00%" height="100%"></rect>`},
		{"bar with too many people", func(b *strings.Builder) error {
			return barParts(NewBar("", 10, Beyond(12, Piece{"in", 16})...)).Render(t.Context(), b)
		}, `<rect class="fits" fill="var(--bad)" x="0.00%" width="75.00%" height="100%"></rect>` +
			`<rect class="over" fill="var(--bad)" stroke="var(--paper)" x="75.00%" width="25.00%" height="100%"></rect>`},
		{"bar with as many people as are allowed", func(b *strings.Builder) error {
			return barParts(NewBar("", 10, Beyond(16, Piece{"in", 16})...)).Render(t.Context(), b)
		}, `<rect class="in" x="0.00%" width="100.00%" height="100%"></rect>`},
		{"bar with room", func(b *strings.Builder) error { return barParts(NewBar("", 10)).Render(t.Context(), b) }, ""},
		{"swatch", func(b *strings.Builder) error { return swatch("blocked").Render(t.Context(), b) },
			`<rect class="blocked" fill="url(#cross)" width="10" height="10"></rect>`},
		{"hostile swatch", func(b *strings.Builder) error { return swatch(`"><i>`).Render(t.Context(), b) },
			`<rect class="&#34;&gt;&lt;i&gt;" width="10" height="10"></rect>`},
	} {
		var b strings.Builder
		if err := test.html(&b); err != nil || b.String() != test.want {
			t.Errorf("%s: %s (%v), want %s", test.name, &b, err, test.want)
		}
	}
}
