package model

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// plain is the model of arrivals that adds every block to every weight.
type plain struct {
	curves   *Curves
	expected float64
	weights  []float64
	minute   int
	come     float64
}

func newPlain(c *Curves, expected float64) *plain {
	m := &plain{curves: c, expected: expected}
	for _, prior := range c.priors {
		for _, share := range c.shares {
			m.weights = append(m.weights, prior+share)
		}
	}
	return m
}

func (m *plain) arrive(until int, n float64) {
	until = min(max(until, 0), len(m.curves.come[0])-1)
	m.weights = m.with(until, n)
	m.minute, m.come = until, m.come+n
}

func (m *plain) with(until int, n float64) []float64 {
	weights := make([]float64, len(m.weights))
	for i, course := range m.curves.come {
		part := course[until] - course[m.minute]
		if m.minute == 0 {
			part = course[until]
		}
		for j, share := range shares {
			mean := m.expected * share * part
			spread := mean + mean*mean/clusters + .5
			k := i*len(shares) + j
			weights[k] = m.weights[k] - trust*((n-mean)*(n-mean)/spread+math.Log(spread))/2
		}
	}
	return weights
}

func (m *plain) outlook(until int, n float64, from, hold int, limit float64) (o Outlook) {
	until = min(max(until, 0), len(m.curves.come[0])-1)
	weights := m.with(until, n)
	most := slices.Max(weights)
	left := math.Max(0, m.expected-m.come-n)
	from, sum := max(from, until), 0.
	o.Count, o.later = newCount(left), make([]float64, hold+1)
	for i, course := range m.curves.come {
		after, held := 1-courseAt(course, float64(from)), courseAt(course, float64(from+hold))-courseAt(course, float64(from))
		people := 0.
		for j, share := range shares {
			p := math.Exp(weights[i*len(shares)+j] - most)
			if p < leastPart {
				continue
			}
			mean := math.Min(left, m.expected*share*after)
			sum += p
			o.Mean += p * mean
			o.Within += p * math.Min(mean, m.expected*share*held)
			people += p * m.expected * share
			o.Count.add(mean, p)
		}
		for k := range o.later {
			o.later[k] += people * (1 - courseAt(course, float64(from+k)))
		}
	}
	if o.Mean > 0 {
		o.Within /= o.Mean
	}
	o.Mean /= sum
	o.Count.scale(1 / sum)
	for k := range o.later {
		o.later[k] = math.Min(left, o.later[k]/sum)
	}
	o.Sure = o.Count.Above(limit + .5)
	return o
}

func (m *plain) ahead(until int, n float64) *Ahead {
	until = min(max(until, 0), len(m.curves.come[0])-1)
	weights := m.with(until, n)
	most, sum := slices.Max(weights), 0.
	a := &Ahead{minute: until, left: math.Max(0, m.expected-m.come-n)}
	for i, come := range m.curves.come {
		of := courseAhead{come: come}
		for j, share := range shares {
			if p := math.Exp(weights[i*len(shares)+j] - most); p >= leastPart {
				of.people, of.parts = append(of.people, m.expected*share), append(of.parts, p)
				of.roots = append(of.roots, math.Sqrt(m.expected*share))
				sum += p
			}
		}
		if len(of.parts) > 0 {
			a.courses = append(a.courses, of)
		}
	}
	for i := range a.courses {
		for j := range a.courses[i].parts {
			a.courses[i].parts[j] /= sum
		}
	}
	return a
}

// alike reports whether two values are the same, but for numbers that differ by a millionth: a case that is just not left out.
func alike(got, want reflect.Value) bool {
	switch got.Kind() {
	case reflect.Pointer:
		return alike(got.Elem(), want.Elem())
	case reflect.Float64:
		return math.Abs(got.Float()-want.Float()) <= 2e-6*max(1, math.Abs(want.Float()))
	case reflect.Struct:
		for i := range got.NumField() {
			if !alike(got.Field(i), want.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		for i := range min(got.Len(), want.Len()) {
			if !alike(got.Index(i), want.Index(i)) {
				return false
			}
		}
		return got.Len() == want.Len()
	default:
		return got.Equal(want)
	}
}

// What is left out because it has no chance changes nothing of a forecast, on nights of every kind: as expected, hardly
// anybody, far too many, all at once, none for long and then a rush.
func TestArrivalsAsWithoutShortcuts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	known := DefaultUsual()
	known.Nights, known.Share, known.ShareSpread, known.ShiftSpread = 6, .9, .04, 4
	curves := []*Curves{NewCurves(DefaultUsual()), NewCurves(known)}
	for night := range 150 {
		c := curves[night%2]
		expected := float64(r.IntN(1 << r.IntN(12)))
		fast, slow := NewArrivals(c, expected), newPlain(c, expected)
		course := c.come[r.IntN(len(c.come))]
		share, wild, last := r.Float64()*1.3, r.IntN(4), 0
		before, n := 0, 0.
		for minute := 1; minute < len(course)+3; minute++ {
			m := min(minute, len(course)-1)
			n += math.Round(max(0, expected*share*(course[m]-course[m-1])*(1+r.NormFloat64())))
			switch {
			case wild == 1 && minute > 60:
				n += float64(r.IntN(40))
			case wild == 2:
				n = math.Round(n * r.Float64())
			case wild == 3 && r.IntN(20) == 0:
				n += expected
			}
			if r.IntN(3) == 0 {
				from, hold, limit := r.IntN(len(course)), r.IntN(13), float64(r.IntN(40))
				if got, want := fast.Outlook(minute, n, from, hold, limit), slow.outlook(minute, n, from, hold, limit); !alike(reflect.ValueOf(got), reflect.ValueOf(want)) {
					t.Fatalf("night %d, minute %d: an outlook of %+v, want %+v", night, minute, got, want)
				}
			}
			if r.IntN(20) == 0 {
				if got, want := fast.Ahead(minute, n), slow.ahead(minute, n); !alike(reflect.ValueOf(got), reflect.ValueOf(want)) {
					t.Fatalf("night %d, minute %d: ahead are %+v, want %+v", night, minute, got, want)
				}
			}
			if minute-before >= Block {
				fast.Arrive(minute, n)
				slow.arrive(minute, n)
				before, n, last = minute, 0, minute
			}
		}
		if last == 0 {
			t.Fatal("no block was added")
		}
	}
}
