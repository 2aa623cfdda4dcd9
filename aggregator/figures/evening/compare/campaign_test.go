package compare_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// A campaign's sales are held against the same weekdays before, with a band that was computed by hand: of 10, 12, 8 and 10 the
// mean is 10 and s = √(8/3) = 1.633, and 2.353 · 1.633 · √1.25 = 4.296.
func TestCampaign(t *testing.T) {
	setting := func(name record.SettingName, of, from string, value int64) *record.Setting {
		return &record.Setting{Name: name, Of: of, From: from, Value: new(value)}
	}
	for _, c := range []struct {
		name     string
		sold     map[string]int
		settings []*record.Setting
		from     string
		days     int
		want     string
	}{
		{"four times before", map[string]int{"2026-11-18": 20, "2026-11-11": 10, "2026-11-04": 12, "2026-10-28": 8, "2026-10-21": 10}, nil, "2026-11-18", 1, "20 against 10.000 of 4 ± 4.296: 10, 5 to 15"},
		{"three are too few", map[string]int{"2026-11-18": 20, "2026-11-11": 10, "2026-11-04": 12, "2026-10-28": 8}, nil, "2026-11-18", 1, "20 against nothing"},
		{"days without sales count", map[string]int{"2026-11-18": 20, "2026-11-11": 10, "2026-10-21": 2}, nil, "2026-11-18", 1, "20 against 3.000 of 4 ± 12.525: 17, 4 to 30"},
		{"never more than eight", map[string]int{"2026-11-18": 5, "2026-11-11": 1, "2026-11-04": 1, "2026-10-28": 1, "2026-10-21": 1, "2026-10-14": 1, "2026-10-07": 1, "2026-09-30": 1, "2026-09-23": 1, "2026-09-16": 900, "2026-01-01": 1}, nil, "2026-11-18", 1, "5 against 1.000 of 8 ± 0.000: 4, 4 to 4"},
		{"not other campaigns nor exceptional days", map[string]int{"2026-11-18": 20, "2026-11-11": 999, "2026-11-04": 10, "2026-10-28": 888, "2026-10-21": 12, "2026-10-14": 8, "2026-10-07": 10},
			[]*record.Setting{setting(record.SettingCampaign, "Radio", "2026-11-10", 2), setting(record.SettingNote, record.NoteOf("", "Storm"), "2026-10-28", 1), setting(record.SettingNote, record.NoteOf("", "Fair"), "2026-10-21", 0)},
			"2026-11-18", 1, "20 against 10.000 of 4 ± 4.296: 10, 5 to 15"},
		{"several days, over two weeks", map[string]int{"2026-11-10": 7, "2026-11-18": 3, "2026-10-27": 1, "2026-10-13": 1, "2026-09-29": 1, "2026-09-15": 1}, nil, "2026-11-10", 9, "10 against 1.000 of 4 ± 0.000: 9, 9 to 9"},
		{"only days that are over", map[string]int{"2026-11-19": 20, "2026-11-20": 500, "2026-11-12": 10, "2026-11-05": 12, "2026-10-29": 8, "2026-10-22": 10}, nil, "2026-11-19", 30, "20 against 10.000 of 4 ± 4.296: 10, 5 to 15"},
		{"not begun", map[string]int{"2026-11-18": 20}, nil, "2026-11-20", 3, "no day"},
		{"nothing was ever sold", nil, nil, "2026-11-18", 1, "0 against nothing"},
	} {
		held := map[string]figures.Setting{}
		for _, s := range c.settings {
			held[s.RecordID()] = figures.Setting{Setting: s}
		}
		s := &figures.Snapshot{Calendar: figures.Calendar{Zone: time.UTC}, House: figures.SettingsOf(held)}
		for day, n := range c.sold {
			s.Days = append(s.Days, &figures.DayFigures{Day: figures.Day(day), Flow: figures.Flow{Sold: n}})
		}
		slices.SortFunc(s.Days, func(a, b *figures.DayFigures) int { return a.Day.Since(b.Day) })
		got := compare.Campaign(evening.At(s, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), figures.Day(c.from), c.days)
		text := "no day"
		switch more, low, high := got.More(); {
		case got.To < got.From:
		case !got.Known():
			text = fmt.Sprintf("%d against nothing", got.Sold)
		default:
			text = fmt.Sprintf("%d against %.3f of %d ± %.3f: %d, %d to %d", got.Sold, got.Usual, got.Times, got.Margin, more, low, high)
		}
		if text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// Days on which many performances went on sale are not usual, unless the campaign has such a day.
func TestCampaignBesideReleases(t *testing.T) {
	at := func(released map[string]int) string {
		s := &figures.Snapshot{Calendar: figures.Calendar{Zone: time.UTC}}
		for day, n := range map[string]int{"2026-11-18": 20, "2026-11-11": 900, "2026-11-04": 10, "2026-10-28": 12, "2026-10-21": 8, "2026-10-14": 10} {
			s.Days = append(s.Days, &figures.DayFigures{Day: figures.Day(day), Flow: figures.Flow{Sold: n}})
		}
		slices.SortFunc(s.Days, func(a, b *figures.DayFigures) int { return a.Day.Since(b.Day) })
		for day, n := range released {
			for i := range n {
				s.Events = append(s.Events, &figures.EventFigures{Event: record.Event{ID: fmt.Sprint(day, i)}, SaleDays: []*figures.DayFigures{{Day: figures.Day(day)}, {Day: "2026-11-19"}}})
			}
		}
		c := compare.Campaign(evening.At(s, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), "2026-11-18", 1)
		return fmt.Sprintf("%d against %.0f of %d", c.Sold, c.Usual, c.Times)
	}
	for name, c := range map[string]struct {
		released map[string]int
		want     string
	}{
		"ten went on sale":           {map[string]int{"2026-11-11": 10}, "20 against 10 of 4"},
		"nine did":                   {map[string]int{"2026-11-11": 9}, "20 against 188 of 5"},
		"on the campaign's days too": {map[string]int{"2026-11-11": 10, "2026-11-18": 12}, "20 against 188 of 5"},
	} {
		if got := at(c.released); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
