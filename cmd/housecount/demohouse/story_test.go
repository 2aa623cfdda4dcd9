package demohouse

import (
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Budgets are last year's months and a little more, of the months that are known alone.
func TestDemoBudgets(t *testing.T) {
	day := func(of figures.Day, cents int64) *figures.DayFigures {
		d := &figures.DayFigures{Day: of}
		d.Rows = []record.Money{{Amount: cents, Currency: "EUR"}}
		for i := range d.Ends {
			d.Ends[i] = 1 // booked is the first measure
		}
		return d
	}
	s := &figures.Snapshot{Days: []*figures.DayFigures{day("2025-10-03", 400_000_00), day("2025-10-28", 90_000_00), day("2025-11-02", 1_000_00), day("2026-10-02", 800_000_00)}}
	got := budgets(s, "2026-11-21")
	if len(got) != 1 || got[0].From != "2026-10" || got[0].Of != "EUR" || *got[0].Value != 525_000_00 {
		t.Errorf("budgets %+v", got)
	}
}

// The story is in the order of its times, within what ten minutes are of the evening, and looks at pages that there are; what it
// says of alerts is of alerts.
func TestStory(t *testing.T) {
	began, err := clock(Start)
	if err != nil {
		t.Fatal(err)
	}
	began += StoryEarlier
	last := began
	for _, b := range Story {
		at, err := clock(b.At)
		if err != nil || at < last {
			t.Errorf("%s is not after the beat before (%v)", b.At, err)
		}
		last = at
		if b.Does == nil && b.Says == "" || b.Says != "" && b.Look == "" {
			t.Errorf("at %s nothing happens, or there is nothing to look at", b.At)
		}
	}
	if took := (last - began) / storyStep * time.Second; took < 9*time.Minute || took > 11*time.Minute {
		t.Errorf("it takes %s", took)
	}
	for code := range storyAlerts {
		if !slices.Contains(evening.AlertCodes(), code) {
			t.Errorf("%q is no alert", code)
		}
	}
}

// clock returns how long after midnight HH:MM is.
func clock(text string) (time.Duration, error) {
	t, err := time.Parse("15:04", text)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}
