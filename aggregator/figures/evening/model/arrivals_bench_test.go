package model

import "testing"

// BenchmarkAhead is a forecast in a house with past nights: before anybody has come, where most is possible still, and once a
// few hundred are in.
func BenchmarkAhead(b *testing.B) {
	known := DefaultUsual()
	known.Nights, known.ShareSpread, known.ShiftSpread = 6, .05, 4
	curves := NewCurves(known)
	for _, of := range []struct {
		name  string
		until int
	}{{"before", 45}, {"coming", 67}} {
		b.Run(of.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := NewArrivals(curves, 812)
				for at := Block; at < of.until; at += Block {
					n := 0.
					if at > 45 {
						n = 145
					}
					m.Arrive(at, n)
				}
				m.Ahead(of.until, 0)
			}
		})
	}
}
