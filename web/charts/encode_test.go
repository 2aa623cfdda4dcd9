package charts

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

// An option is what json.Marshal makes of it, to the byte: whatever the values and texts of its points, with series without
// points, and with texts that look like JSON.
func TestEncodedAsByMarshal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "1,234", "€ 5", "a\u2028b", "1\u202f234", "<b", "b>", "b&c", `say "data":null,"dimensions":`, `back\slash`, "\x00\n\x7f", "bad\xff", "ü"}
	values := []any{0, -5, 12345678, 0., math.Copysign(0, -1), 1.5, -1e-7, 1e-6, 1e20, 1e21, 3e300, json.Number("12.50"), nil, true}
	for _, s := range texts {
		values = append(values, s)
	}
	any1 := func() any { return values[r.IntN(len(values))] }
	for range 500 {
		p := Plot{Label: texts[r.IntN(len(texts))], X: texts}
		for range r.IntN(4) {
			s := Line("id", texts[r.IntN(len(texts))], "@in", nil)
			if r.IntN(4) > 0 {
				s.Data = []Point{}
			}
			for i := range r.IntN(6) {
				s.Data = append(s.Data, Point{Value: [3]any{i, any1(), any1()}})
				if at := &s.Data[i]; r.IntN(3) == 0 {
					at.ItemStyle, at.Label = []*Style{nil, {Color: "@in"}}[r.IntN(2)], []*label{nil, {Formatter: "{1|5}"}}[r.IntN(2)]
					at.Symbol, at.SymbolSize = []string{"", "none"}[r.IntN(2)], r.IntN(2)
				}
			}
			if len(s.Data) > 0 && r.IntN(2) == 0 {
				s.MarkLine = MarkAt(0, texts[r.IntN(len(texts))])
			}
			p.Series = append(p.Series, s)
		}
		if r.IntN(3) == 0 {
			p.Below = &Below{Series: p.Series}
		}
		o := p.option()
		want, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := p.Option(); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("an option of %s (%v), want %s", got, err, want)
		}
	}
	for _, v := range []any{math.NaN(), math.Inf(1), json.Number("no"), func() {}} {
		p := Plot{Series: []Series{Line("id", "name", "@in", []Point{{Value: [3]any{0, v, ""}}})}}
		if b, err := p.Option(); err == nil {
			t.Errorf("%v is written as %s", v, b)
		}
	}
}
