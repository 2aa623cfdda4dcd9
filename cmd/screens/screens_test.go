package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/sandbox"
	"housecount/web/words"
)

func TestAt(t *testing.T) {
	o, err := parse([]string{"-day", "2026-11-21"})
	if err != nil {
		t.Fatal(err)
	}
	for clock, want := range map[string]string{
		"16:30": "2026-11-21 16:30", "23:59": "2026-11-21 23:59", "00:05": "2026-11-22 00:05", "12:00": "2026-11-22 12:00", "12:01": "2026-11-21 12:01",
	} {
		if got, err := o.at(clock); err != nil || got.Format("2006-01-02 15:04") != want {
			t.Errorf("%s is %v (%v), want %s", clock, got, err, want)
		}
	}
	for _, args := range [][]string{{"-day", "today"}, {"-from", "noon"}, {"-to", "25:00"}, {"-every", "1s"}, {"-only", "("}, {"-soak", "1h", "-speed", "0"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%v is let through", args)
		}
	}
}

func TestHouseCount(t *testing.T) {
	for lede, want := range map[string]string{
		"Free 224 in two performances Still to come 132 In the building 1,102 38 of them leaving": "1102",
		"In the building ≤ 719 426 of them leaving":                                               "719",
		"Free 224 in two performances":                                                            "",
	} {
		if got := houseCount(lede); got != want {
			t.Errorf("%q: %q, want %q", lede, got, want)
		}
	}
}

// TestLine: a line has a cell for every column, and sums the evening's own performances.
func TestLine(t *testing.T) {
	events := []performance{{id: "a", hall: "Grote Zaal"}, {id: "b", hall: "Foyer"}}
	truth := sandbox.Truth{Events: map[string]sandbox.EventTruth{
		"a":     {Totals: sandbox.Totals{Sold: 9, Attendance: 7, Inside: 5, Present: 6, ToCome: 2, OnTheWay: 1}},
		"b":     {Totals: sandbox.Totals{Sold: 4, Attendance: 3, Inside: 3, Present: 3, ToCome: 1}},
		"other": {Totals: sandbox.Totals{Inside: 100, Present: 100, ToCome: 100, OnTheWay: 100}},
	}}
	got := line(time.Date(2026, 11, 21, 20, 5, 0, 0, time.UTC), map[string]string{"tonight figs": "In the building 8", "wall main": "8", "event lede": "7 in the building"}, truth, events)
	if len(got) != len(columns(events)) {
		t.Errorf("%d cells under %d columns", len(got), len(columns(events)))
	}
	if want := []string{"2026-11-21 20:05", "8", "8", "9", "3", "1", "9/7/5/2", "4/3/3/1"}; !slices.Equal(got[:len(want)], want) {
		t.Errorf("%q, want %q", got[:len(want)], want)
	}
	if got[slices.Index(columns(events), "wall main")] != "8" {
		t.Errorf("the wall's words are not under their column: %q", got)
	}
}

// TestShrink: a picture stays as it was in its main colours, and becomes smaller.
func TestShrink(t *testing.T) {
	from := image.NewRGBA(image.Rect(0, 0, 200, 100))
	for y := range 100 {
		for x := range 200 {
			c := color.RGBA{250, 250, 247, 255}
			switch {
			case x < 40:
				c = color.RGBA{180, 69, 31, 255}
			case x == 40:
				c = color.RGBA{uint8(100 + y), 150, 140, 255} // an edge in many shades
			}
			from.SetRGBA(x, y, c)
		}
	}
	var large bytes.Buffer
	if err := png.Encode(&large, from); err != nil {
		t.Fatal(err)
	}
	small, err := shrink(large.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if len(small) >= large.Len() {
		t.Errorf("%d bytes became %d", large.Len(), len(small))
	}
	to, err := png.Decode(bytes.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []int{0, 39, 41, 199} {
		if got, want := at(to, x, 50), at(from, x, 50); got != want {
			t.Errorf("at %d it is %v, was %v", x, got, want)
		}
	}
	if got := len(to.(*image.Paletted).Palette); got > 64 || got < 3 {
		t.Errorf("%d colours", got)
	}
}

func TestFileNames(t *testing.T) {
	p := place{name: pathName("/events/evt_1?x=1"), path: "/"}
	if got := p.file(&visitor{role: "door", language: words.Dutch}, screen{390, 844, "dark"}); got != "events-evt-1-x-1-door-390-dark-nl.png" {
		t.Error(got)
	}
	if got := pathName("/"); got != "home" || strings.ContainsAny(pathName("Kleine Zaal/é"), " /é") {
		t.Error(got, pathName("Kleine Zaal/é"))
	}
}

// A soak ends well where all is as before, and else says what is not.
func TestSoakEnds(t *testing.T) {
	for want, change := range map[string]func(i int, s *soaked){
		"":                               func(int, *soaked) {},
		"heap grew from 100 to 120":      func(i int, s *soaked) { s.heap += float64(i) / 3 },
		"nodes grew from 100 to 120":     func(i int, s *soaked) { s.nodes += float64(i) / 3 },
		"listeners grew from 100 to 120": func(i int, s *soaked) { s.listeners += float64(i) / 3 },
		"after 9s on a: empty":           func(i int, s *soaked) { s.ink = float64(9 - i) },
		"after 9s on a: white":           func(i int, s *soaked) { s.white = float64(i-8) * .6 },
		"after 9s on a: loaded again":    func(i int, s *soaked) { s.fresh = float64(i - 9) },
	} {
		var all []soaked
		for i := range 60 {
			s := soaked{at: time.Duration(i) * time.Second, topic: "a", heap: 100, nodes: 100, listeners: 100, fresh: 1, ink: .1}
			if strings.HasPrefix(want, "after") == (i == 9) {
				change(i, &s)
			}
			all = append(all, s)
		}
		_, err := verdict(all, []string{"a"})
		if got := ""; err != nil || want != "" {
			if err != nil {
				got = err.Error()
			}
			if len(want) > 5 && want[:5] != "after" {
				want = want[:len("heap grew")] // the numbers are the medians'
			}
			if !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	seen := []soaked{{topic: "en/money=none/a?hall=b", fresh: 1, ink: .1}, {topic: "en/money=none/c", fresh: 1, ink: .1}}
	if _, err := verdict(slices.Repeat(seen, 10), []string{"a", "b", "c"}); err == nil || err.Error() != "b was never shown" {
		t.Errorf("of views that were never shown it says %v", err)
	}
	if _, err := verdict(nil, nil); err == nil {
		t.Error("nothing is let through")
	}
}

// TestShares: white paper and an empty screen are told from a screen with something on it.
func TestShares(t *testing.T) {
	for name, c := range map[string]struct {
		ground, ink color.Gray
		want        string
	}{"white": {color.Gray{255}, color.Gray{255}, "white"}, "empty": {color.Gray{17}, color.Gray{17}, "empty"}, "a line on dark": {color.Gray{17}, color.Gray{255}, ""}} {
		p := image.NewGray(image.Rect(0, 0, 100, 100))
		for i := range p.Pix {
			p.Pix[i] = c.ground.Y
			if i > 5000 && i < 5100 {
				p.Pix[i] = c.ink.Y
			}
		}
		s := soaked{fresh: 1}
		s.white, s.ink = shares(p)
		if got := s.fault(); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
