package figures_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

func TestCalendarDay(t *testing.T) {
	midnight, six := foldtest.Amsterdam(t, 0), foldtest.Amsterdam(t, 6*time.Hour)
	repeated := foldtest.Amsterdam(t, 2*time.Hour+30*time.Minute)
	apia, err := time.LoadLocation("Pacific/Apia")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		calendar figures.Calendar
		at       string // UTC
		want     figures.Day
	}{
		{"no zone", figures.Calendar{}, "2026-11-20T23:59:59Z", "2026-11-20"},
		{"no zone", figures.Calendar{}, "2026-11-21T00:00:00Z", "2026-11-21"},
		{"winter", midnight, "2026-11-20T22:59:59Z", "2026-11-20"},
		{"winter", midnight, "2026-11-20T23:00:00Z", "2026-11-21"},
		{"summer", midnight, "2026-07-20T22:00:00Z", "2026-07-21"},
		{"before 1970", midnight, "1969-12-31T22:30:00Z", "1969-12-31"},
		{"club", six, "2026-11-21T04:59:59Z", "2026-11-20"},
		{"club", six, "2026-11-21T05:00:00Z", "2026-11-21"},

		{"clocks go forward", midnight, "2026-03-28T22:59:59Z", "2026-03-28"},
		{"clocks go forward", midnight, "2026-03-28T23:00:00Z", "2026-03-29"},
		{"clocks go forward", midnight, "2026-03-29T21:59:59Z", "2026-03-29"},
		{"clocks go forward", midnight, "2026-03-29T22:00:00Z", "2026-03-30"},
		{"clocks go forward, club", six, "2026-03-29T03:59:59Z", "2026-03-28"},
		{"clocks go forward, club", six, "2026-03-29T04:00:00Z", "2026-03-29"},
		{"cut-off skipped", repeated, "2026-03-29T00:59:59Z", "2026-03-28"},
		{"cut-off skipped", repeated, "2026-03-29T01:00:00Z", "2026-03-29"},

		{"clocks go back", midnight, "2026-10-24T22:00:00Z", "2026-10-25"},
		{"clocks go back", midnight, "2026-10-25T22:59:59Z", "2026-10-25"},
		{"clocks go back", midnight, "2026-10-25T23:00:00Z", "2026-10-26"},
		{"clocks go back, club", six, "2026-10-25T04:59:59Z", "2026-10-24"},
		{"clocks go back, club", six, "2026-10-25T05:00:00Z", "2026-10-25"},
		{"cut-off twice", repeated, "2026-10-25T00:29:59Z", "2026-10-24"},
		{"cut-off twice", repeated, "2026-10-25T00:30:00Z", "2026-10-25"},
		{"cut-off twice, between", repeated, "2026-10-25T01:15:00Z", "2026-10-25"},

		{"a day that never was", figures.Calendar{Zone: apia}, "2011-12-30T09:59:59Z", "2011-12-29"},
		{"a day that never was", figures.Calendar{Zone: apia}, "2011-12-30T10:00:00Z", "2011-12-31"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.calendar.Day(at); got != c.want {
			t.Errorf("%s: %s is in %s, want %s", c.name, c.at, got, c.want)
		}
		if got := c.calendar.Start(c.want); at.Before(got) {
			t.Errorf("%s: %s starts at %s, after %s", c.name, c.want, got, at)
		}
		if got := c.calendar.Start(c.want.Add(1)); !at.Before(got) {
			t.Errorf("%s: the day after %s starts at %s, not after %s", c.name, c.want, got, at)
		}
	}
}

func TestCalendarDaysLeaveNoGap(t *testing.T) {
	for _, cutoff := range []time.Duration{0, 90 * time.Minute, 150 * time.Minute, 6 * time.Hour, 24*time.Hour - 1} {
		c := foldtest.Amsterdam(t, cutoff)
		hours := map[time.Duration]int{}
		for d := figures.Day("2026-01-01"); d < "2027-01-01"; d = d.Add(1) {
			start, end := c.Start(d), c.Start(d.Add(1))
			hours[end.Sub(start)]++
			if c.Day(start) != d || c.Day(start.Add(-time.Second)) != d.Add(-1) || c.Day(end.Add(-time.Second)) != d {
				t.Errorf("cut-off %v: %s is from %v to %v", cutoff, d, start, end)
			}
		}
		if hours[24*time.Hour] < 360 || hours[24*time.Hour] > 363 {
			t.Errorf("cut-off %v: lengths of days %v", cutoff, hours)
		}
	}
}

func TestDay(t *testing.T) {
	for _, c := range []struct {
		day  figures.Day
		n    int
		want figures.Day
	}{{"2026-12-31", 1, "2027-01-01"}, {"2028-03-01", -1, "2028-02-29"}, {"2026-03-29", 365, "2027-03-29"}, {"soon", 3, "soon"}} {
		if got := c.day.Add(c.n); got != c.want {
			t.Errorf("%s + %d is %s, want %s", c.day, c.n, got, c.want)
		}
	}
	if got := (figures.Calendar{}).Start("soon"); !got.IsZero() {
		t.Errorf("soon starts at %v", got)
	}
}

// TestUpToOverTheChangeOfClocks sells a ticket a quarter of an hour through the night on which
// the clocks go back: the hour that comes twice is two hours.
func TestUpToOverTheChangeOfClocks(t *testing.T) {
	from, err := time.Parse(time.RFC3339, "2026-10-25T01:00:00+02:00")
	if err != nil {
		t.Fatal(err)
	}
	for _, cutoff := range []time.Duration{0, 150 * time.Minute} {
		l := ledger.New(foldtest.Amsterdam(t, cutoff))
		for i := range 12 {
			l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: foldtest.Ticket(fmt.Sprint("t", i), "a", func(t *record.Ticket) { t.SoldAt = from.Add(time.Duration(i) * 15 * time.Minute) })})
		}
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		first := map[time.Duration]int{0: 0, 150 * time.Minute: 6}[cutoff] // sold before the day begins
		for i := range 12 {
			at := from.Add(time.Duration(i) * 15 * time.Minute)
			if got, want := s.Days[len(s.Days)-1].UpTo(at).Sold, max(0, i+1-first); got != want {
				t.Errorf("cut-off %v: %d sold up to %s, want %d", cutoff, got, at.UTC().Format("15:04"), want)
			}
		}
	}
}

// TestNumberIsThatOfTheDate compares each text of a date, and many that are none, with time.Parse.
func TestNumberIsThatOfTheDate(t *testing.T) {
	texts := []string{"", "2026", "2026-1-05", "2026-01-5", "2026-01-05 ", "2026/01/05", "2026-01/05", "20a6-01-05", "2026-0:-05", "2026-01-/5", "+026-01-05", "２026-01-0"}
	for _, year := range []int{0, 1, 3, 4, 99, 100, 399, 400, 1899, 1900, 1969, 1970, 1971, 1999, 2000, 2001, 2023, 2024, 2025, 2026, 2100, 2400, 9999} {
		for month := range 14 {
			for day := range 33 {
				texts = append(texts, fmt.Sprintf("%04d-%02d-%02d", year, month, day))
			}
		}
	}
	for _, text := range texts {
		at, err := time.Parse(time.DateOnly, text)
		n, ok := figures.Day(text).Number()
		if ok != (err == nil) || ok && int64(n)*figures.DaySeconds != at.Unix() {
			t.Errorf("%q is %d, %t, want %v, %v", text, n, ok, at, err)
		}
	}
}
