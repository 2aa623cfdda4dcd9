package web_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/webtest"
)

// withNights returns the figures known and those of the nights, and of the weeks of nights, that letters are about.
func (known figuresKnown) withNights(v *evening.Evening) figuresKnown {
	known = maps.Clone(known)
	week := compare.SpanOf(v, compare.ThisWeek).From
	for _, from := range []figures.Day{week.Add(-14), week.Add(-7)} {
		known.scope(v, "a week", figures.Scope{From: from, To: from.Add(6)})
		for _, key := range []figures.Key{figures.KeySold, figures.KeyCame, figures.KeyNoShows} {
			sum := 0
			for day := from; day < from.Add(7); day = day.Add(1) {
				if night, ok := catalogue.Of(v, key, figures.Scope{Night: true, From: day, To: day}); ok {
					sum += night.Count
				}
			}
			known.count("a week of nights", sum)
		}
	}
	for day := week.Add(-8); day <= v.Today; day = day.Add(1) {
		known.scope(v, "a night", figures.Scope{Night: true, From: day, To: day})
		known.scope(v, "a day", figures.Scope{From: day, To: day})
		for _, e := range v.Snapshot.Events {
			p := v.PeriodOf(e, day, day, time.Time{})
			known.flow("a performance on a day", &p.Flow)
		}
	}
	return known
}

// outOfThePage returns what letters and workbooks say, by their names.
func outOfThePage(t *testing.T, r *web.Renderer, s *figures.Snapshot, now time.Time) map[string]string {
	t.Helper()
	all, v := map[string]string{}, evening.At(s, now)
	for name, day := range map[string]figures.Day{night.Morning: v.Today, night.Close: v.LastFinished(), night.Week: compare.SpanOf(v, compare.ThisWeek).From} {
		f := web.Frame{Request: webtest.View{Page: "night"}.As(web.Manager), Snapshot: s, Now: now, Ready: true}
		letter, err := night.NewLetter(t.Context(), r, f, night.LetterTo{Name: name, Day: day, Public: "https://house.example"})
		if err != nil {
			t.Fatal(err)
		}
		if letter != nil {
			all["the letter "+name] = webtest.FigureText(letter.HTML)
			all["the plain letter "+name] = strings.NewReplacer("https://", " ", "\n", " ", "/", " /", "=", " =").Replace(letter.Plain)
		}
	}
	for _, of := range []web.Request{webtest.View{Page: "tonight"}.As(web.Manager), webtest.View{Page: "night"}.As(web.Manager), webtest.EventsView(t, nil).As(web.Manager), webtest.RevenueView(7).As(web.Manager)} {
		var b bytes.Buffer
		if _, err := r.Sheets(&b, web.Frame{Request: of, Snapshot: s, Now: now, Ready: true}, web.Workbook); err != nil {
			t.Fatal(err)
		}
		f, err := excelize.OpenReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, tab := range f.GetSheetList() {
			if tab != "About" {
				all["the workbook of "+of.Page+", "+tab] = cellsOf(t, f, tab)
			}
		}
	}
	return all
}

// cellsOf returns the cells of a table that are no text, amounts in euros as pages have them.
func cellsOf(t *testing.T, f *excelize.File, tab string) string {
	t.Helper()
	shown, err := f.GetRows(tab)
	if err != nil {
		t.Fatal(err)
	}
	stored, column := raw(t, f, tab)
	texts := []int{column["Id"], column["Performance"], column["Hall"]}
	var b strings.Builder
	for i, row := range stored[:max(0, len(stored)-1)] { // the last has the sums of the others
		for head, at := range column {
			switch {
			case row[at] == "" || slices.Contains(texts, at):
			case strings.HasSuffix(head, ", EUR"):
				amount, err := strconv.ParseFloat(row[at], 64)
				if err != nil {
					t.Fatalf("%s of %s is %q", head, tab, row[at])
				}
				b.WriteString(" €" + strconv.FormatFloat(max(amount, -amount), 'f', 2, 64))
			default:
				b.WriteString(" " + shown[i+1][at])
			}
		}
	}
	return b.String()
}
