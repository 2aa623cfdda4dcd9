package web_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

// workbook returns the workbook of a page.
func workbook(t *testing.T, r *web.Renderer, q web.Request, s *figures.Snapshot) *excelize.File {
	t.Helper()
	var b bytes.Buffer
	name, err := r.Sheets(&b, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, Ready: true}, web.Workbook)
	if err != nil || !strings.HasPrefix(name, "housecount-") {
		t.Fatalf("%s: %q, %v", q.Topic(), name, err)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// raw returns a table's rows as they are stored, without the head, and the place of each head.
func raw(t *testing.T, f *excelize.File, tab string) (rows [][]string, column map[string]int) {
	t.Helper()
	rows, err := f.GetRows(tab, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	column = map[string]int{}
	for i, head := range rows[0] {
		column[head] = i
	}
	for i := range rows {
		rows[i] = append(rows[i], make([]string, len(rows[0])-len(rows[i]))...) // empty cells at the end are left out
	}
	return rows[1:], column
}

// The rows of a workbook are the performances of the page, and their numbers those of the catalogue, for each role; amounts
// are there for those who see them alone.
func TestWorkbookHasThePagesFigures(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	v := evening.At(s, webtest.ShowTime)
	for _, role := range web.Roles {
		for _, q := range []web.Request{webtest.View{Page: "tonight"}.As(role), webtest.View{Page: "night", Params: "day=2026-11-20"}.As(role), webtest.EventsView(t, nil).As(role)} {
			rows, column := raw(t, workbook(t, r, q, s), "Performances")
			for head, sees := range map[string]bool{"Booked, EUR": role.Access().SeesMoney(), "Received, net, EUR": role.Access().SeesMoney(), "Sold": true, "Came": true} {
				if _, ok := column[head]; ok != sees {
					t.Errorf("%s of %s has %q: %t", q.Page, role, head, ok)
				}
			}
			if len(rows) < 3 {
				t.Fatalf("%s has %d performances", q.Page, len(rows))
			}
			for _, row := range rows {
				if row[column["Performance"]] == "Sum, without what is called off" {
					continue
				}
				e := s.Event(row[column["Id"]])
				if e == nil {
					t.Fatalf("%s has a row of %q", q.Page, row[column["Id"]])
				}
				show := v.Show(e)
				for head, want := range map[string]figures.Figure[int]{"Sold": show.Sold, "Capacity": show.Capacity, "Came": show.Attendance, "Free": show.Free} {
					text := ""
					if want.Known() {
						text = strconv.Itoa(want.Value)
					}
					if got := row[column[head]]; got != text {
						t.Errorf("%s of %s: %s of %s is %q, want %q", q.Page, role, head, e.Event.ID, got, text)
					}
				}
				if at, ok := column["Booked, EUR"]; ok && show.Revenue.Of(figures.Booked).Known() {
					amount, _ := strconv.ParseFloat(row[at], 64)
					if want := float64(show.Revenue.Of(figures.Booked).Value.In("EUR")) / 100; fmt.Sprintf("%.2f", amount) != fmt.Sprintf("%.2f", want) {
						t.Errorf("%s of %s: booked of %s is %s, want %.2f", q.Page, role, e.Event.ID, row[at], want)
					}
				}
				if note := row[column["Certainty"]]; strings.Contains(note, "Sold:") != (show.Sold.Quality == figures.Estimated || show.Sold.Quality == figures.LowerBound) {
					t.Errorf("%s of %s: the certainty of %s is %q", q.Page, role, e.Event.ID, note)
				}
			}
		}
	}
}

// The last row of Tonight's workbook has the sums that the page has: of the evening, without what is called off and without last night.
// Other workbooks sum their rows.
func TestWorkbooksHaveSums(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	h.Sell(h.Event("evt_sold_off", "Ook afgelast", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled }), webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -2), Paid: 7})
	s := h.Snapshot()
	v := evening.At(s, webtest.ShowTime)
	last := func(q web.Request, tab string) (row []string, column map[string]int, rows [][]string) {
		rows, column = raw(t, workbook(t, r, q, s), tab)
		return rows[len(rows)-1], column, rows[:len(rows)-1]
	}
	sums, column, rows := last(webtest.Tonight, "Performances")
	if sums[column["Performance"]] != "Sum, without what is called off" {
		t.Fatalf("the last row is %q", sums)
	}
	for head, want := range map[string]int{"Sold": v.House.Sold.Value, "Capacity": v.House.Capacity.Value, "Paid": v.House.Paid.Value, "Complimentary": v.House.Complimentary.Value} {
		if got := sums[column[head]]; got != strconv.Itoa(want) || want == 0 {
			t.Errorf("%s sums to %s, the page to %d", head, got, want)
		}
	}
	if sums[column["Occupancy"]] != "" {
		t.Errorf("a share has a sum: %q", sums)
	}
	if !slices.ContainsFunc(rows, func(row []string) bool {
		return row[column["Performance"]] == "Ook afgelast" && row[column["Sold"]] == "7"
	}) {
		t.Error("what is called off has no row")
	}
	for tab, first := range map[string]string{"Days": "Day of sale", "Performances": "Performance"} {
		sums, column, rows := last(webtest.View{Page: "revenue", Params: "against=before&period=week"}.As(web.Manager), tab)
		sum := 0
		for _, row := range rows {
			n, _ := strconv.Atoi(row[column["Sold"]])
			sum += n
		}
		if sums[column[first]] != "Sum" || sums[column["Sold"]] != strconv.Itoa(sum) {
			t.Errorf("%s: the sums are %q, want %d sold", tab, sums, sum)
		}
	}
	// In the morning last night has rows, too, and is in no sum.
	morning := webtest.At("09:00").AddDate(0, 0, 1)
	var next bytes.Buffer
	if _, err := r.Sheets(&next, web.Frame{Request: webtest.Tonight, Snapshot: s, Now: morning, Ready: true}, web.Workbook); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&next)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v = evening.At(s, morning)
	rows, column = raw(t, f, "Performances")
	sums = rows[len(rows)-1]
	if len(v.LastNight) == 0 || len(rows) != len(v.LastNight)+len(v.Shows)+1 || sums[column["Performance"]] != "Sum of Sat 21 Nov, without what is called off" || sums[column["Sold"]] != strconv.Itoa(v.House.Sold.Value) {
		t.Errorf("with %d of last night: the sums of %d rows are %q, want %d sold", len(v.LastNight), len(rows)-1, sums, v.House.Sold.Value)
	}
	// Programs read rows alone.
	var b bytes.Buffer
	if _, err := r.Sheets(&b, web.Frame{Request: webtest.Tonight, Snapshot: s, Now: webtest.ShowTime, Ready: true}, web.SheetOfCSV); err != nil || strings.Contains(b.String(), "called off") || !strings.Contains(b.String(), "Ook afgelast") {
		t.Errorf("the CSV has sums (%v)", err)
	}
}

// The workbook of a performance has its figures, and its sales by ticket type, channel and day, with heads in the language of the reader and
// without amounts for who sees none; each table sums to the page.
func TestWorkbookOfAPerformance(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	s := h.Snapshot()
	e := s.Event("evt_mat")
	for _, role := range []web.Role{web.Manager, web.Door} {
		q := webtest.EventView("evt_mat").As(role)
		f := workbook(t, r, q, s)
		want := map[web.Role]string{web.Manager: "Performances, Ticket types, Channels, Days of sale, About", web.Door: "Performances, Ticket types, Channels, About"}[role]
		if got := strings.Join(f.GetSheetList(), ", "); got != want {
			t.Errorf("%s has the tables %s, want %s", role, got, want)
		}
		for _, tab := range f.GetSheetList()[:len(f.GetSheetList())-1] {
			rows, column := raw(t, f, tab)
			if got := rows[len(rows)-1][column["Sold"]]; got != strconv.Itoa(e.Sold.Value) {
				t.Errorf("%s: %s sums to %s sold, want %d", role, tab, got, e.Sold.Value)
			}
			if at, ok := column["Booked, EUR"]; ok != role.Access().SeesMoney() || ok && rows[len(rows)-1][at] != strings.TrimPrefix(fmt.Sprintf("%.2f", float64(e.Revenue.Of(figures.Booked).Value.In("EUR"))/100), " ") {
				t.Errorf("%s: %s has amounts: %t, %q", role, tab, ok, rows[len(rows)-1])
			}
		}
	}
	page := webtest.Page(t, r, webtest.EventView("evt_mat").As(web.Manager), s, webtest.ShowTime)
	webtest.Wants(t, "the page", page, `href="/events/evt_mat/table.xlsx"`)
	webtest.Lacks(t, "the page", page, "figures.csv")
	german := webtest.EventView("evt_mat").As(web.Manager)
	german.Locale = words.German
	if _, column := raw(t, workbook(t, r, german, s), "Verkaufstage"); column["Verkauft"] == 0 {
		t.Errorf("in German the heads are %v", column)
	}
}

// The days of Revenue's workbook, and its performances with what belongs to none, both sum to the period.
func TestWorkbookOfRevenueSums(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	f := workbook(t, r, webtest.RevenueView(7).As(web.Manager), s)
	v := evening.At(s, webtest.ShowTime)
	want, _ := catalogue.Of(v, figures.KeyBooked, figures.Scope{From: v.Today.Add(-6), To: v.Today})
	for _, tab := range []string{"Days", "Performances"} {
		rows, column := raw(t, f, tab)
		sum, sold := 0.0, 0
		for _, row := range rows[:len(rows)-1] { // the last one has their sums
			amount, _ := strconv.ParseFloat(row[column["Booked, EUR"]], 64)
			places, _ := strconv.Atoi(row[column["Sold"]])
			sum, sold = sum+amount, sold+places
		}
		if got := fmt.Sprintf("%.2f", sum); got != fmt.Sprintf("%.2f", float64(want.Amount.In("EUR"))/100) {
			t.Errorf("%s sum to %s, want %v", tab, got, want.Amount)
		}
		if places, _ := catalogue.Of(v, figures.KeySold, figures.Scope{From: v.Today.Add(-6), To: v.Today}); sold != places.Count {
			t.Errorf("%s sum to %d places, want %d", tab, sold, places.Count)
		}
	}
	if rows, column := raw(t, f, "Days"); len(rows) != 8 || !strings.Contains(rows[6][column["Certainty"]], "so far") {
		t.Errorf("%d days, the last %q", len(rows), rows[len(rows)-1][column["Certainty"]])
	}
}

// Cells have types: a day is a date, a time a time of day, a share a percentage, an amount a number with the decimals of its
// currency; a title that looks like a formula is text, in both files.
func TestWorkbookHasTypes(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	e := h.Event("evt_a", "=1+1", "@Zaal", "19:00", "20:15", 100)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 25})
	q := webtest.View{Page: "tonight"}.As(web.Manager)
	snapshot := h.Snapshot()
	snapshot.Calendar.Cutoff = 6 * time.Hour
	f := workbook(t, r, q, snapshot)
	rows, column := raw(t, f, "Performances")
	cell := func(head string, row int) string {
		name, err := excelize.CoordinatesToCellName(column[head]+1, row)
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	for head, want := range map[string]string{"Date": "2026-11-20", "Time": "20:15", "Performance": "=1+1", "Hall": "@Zaal", "Occupancy": "25.0%", "Sold": "25"} {
		if got, err := f.GetCellValue("Performances", cell(head, 2)); err != nil || got != want {
			t.Errorf("%s is shown as %q, want %q (%v)", head, got, want, err)
		}
	}
	for head, want := range map[string]excelize.CellType{"Date": excelize.CellTypeUnset, "Performance": excelize.CellTypeInlineString, "Sold": excelize.CellTypeUnset, "Booked, EUR": excelize.CellTypeUnset} {
		if got, err := f.GetCellType("Performances", cell(head, 2)); err != nil || got != want && !(want == excelize.CellTypeUnset && got == excelize.CellTypeNumber) {
			t.Errorf("%s has the type %v, want %v (%v)", head, got, want, err)
		}
	}
	if formula, err := f.GetCellFormula("Performances", cell("Performance", 2)); formula != "" || err != nil {
		t.Errorf("the title is the formula %q (%v)", formula, err)
	}
	if rows[0][column["Occupancy"]] != "0.25" {
		t.Errorf("occupancy is stored as %q", rows[0][column["Occupancy"]])
	}
	about, err := f.GetRows("About")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(about, func(row []string) bool {
		return len(row) > 2 && row[0] == "Sold" && strings.HasPrefix(row[1], "Places of valid tickets") && row[2] == "Seen by: Door, Box office, Manager and Administrator"
	}) || !slices.ContainsFunc(about, func(row []string) bool {
		return len(row) > 2 && row[0] == "Booked" && row[2] == "Seen by: Manager and Administrator"
	}) {
		t.Errorf("nothing says what is sold, or who sees what is booked: %q", about)
	}
	if !slices.ContainsFunc(about, func(row []string) bool { return slices.Equal(row, []string{"A day begins at", "06:00"}) }) {
		t.Errorf("nothing says when a day begins: %q", about)
	}

	var b bytes.Buffer
	if _, err := r.Sheets(&b, web.Frame{Request: webtest.In("nl", q), Snapshot: h.Snapshot(), Now: webtest.ShowTime, Ready: true}, web.SheetOfCSV); err != nil {
		t.Fatal(err)
	}
	table := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\ufeff")))
	table.Comma = ';'
	lines, err := table.ReadAll()
	if err != nil || len(lines) != 2 {
		t.Fatalf("%d lines: %v", len(lines), err)
	}
	text := strings.Join(lines[1], "|")
	webtest.Wants(t, "the CSV", text, "2026-11-20|20:15|'=1+1|'@Zaal|", "|0,2500|")
	webtest.Wants(t, "its heads", strings.Join(lines[0], "|"), "(date)|", "(sold)|", "(booked)|")
}

// A page without performances has a table with heads alone.
// A cell is empty where a figure is not known, and the row says why; where no row knows it, its definition does.
func TestWorkbookSaysWhatIsNotKnown(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.NewHouse()
	for id, scans := range map[string]bool{"evt_a": true, "evt_b": false} {
		e := h.Event(id, id, map[bool]string{true: "Zaal", false: "Foyer"}[scans], "19:00", "20:00", 100, webtest.OnDay(-1))
		s := webtest.Sale{From: e.DoorsAt.AddDate(0, 0, -9), To: e.DoorsAt.AddDate(0, 0, -8), Paid: 50, Scans: scans}
		if scans {
			s.In = []webtest.GateIn{{Gate: "A", N: 40, From: e.StartsAt.Add(-40 * time.Minute), To: e.StartsAt.Add(-8 * time.Minute)}}
		}
		h.Sell(e, s)
	}
	f := workbook(t, r, webtest.View{Page: "night"}.As(web.Manager), h.Snapshot())
	rows, column := raw(t, f, "Performances")
	for _, row := range rows[:len(rows)-1] { // the last are the sums
		said := row[column["Certainty"]]
		if unknown := row[column["Performance"]] == "evt_b"; unknown != strings.Contains(said, "Came: not known: no scan data") || unknown != (row[column["Came"]] == "") || strings.Contains(said, "VAT") {
			t.Errorf("%s, came %q: %q", row[column["Performance"]], row[column["Came"]], said)
		}
	}
	about, err := f.GetRows("About")
	if err != nil || !slices.ContainsFunc(about, func(row []string) bool {
		return len(row) > 1 && row[0] == "VAT" && strings.HasSuffix(row[1], "(not known: some tickets give no amount of VAT)")
	}) {
		t.Errorf("nothing says that no VAT is known: %q, %v", about, err)
	}
}

// A performance that runs is on now, and not to come, once nothing more of it is sold.
func TestSheetStatus(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_early", "early", "Foyer", "14:00", "15:00", 80)
	h.Event("evt_runs", "runs", "Foyer", "18:00", "19:00", 80)
	h.Event("evt_open", "open", "Zaal", "19:00", "20:15", 80, func(e *record.Event) { e.Status = record.EventSalesClosed })
	h.Event("evt_late", "late", "Kelder", "19:30", "20:15", 80)
	rows, column := raw(t, workbook(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot()), "Performances")
	got := map[string]string{}
	for _, row := range rows {
		got[row[column["Performance"]]] = row[column["Status"]]
	}
	delete(got, "Sum, without what is called off")
	if want := map[string]string{"early": "over", "runs": "on now", "open": "to come", "late": "on sale"}; !maps.Equal(got, want) {
		t.Errorf("statuses are %v, want %v", got, want)
	}
}

func TestWorkbookOfNothing(t *testing.T) {
	s := webtest.NewHouse().Snapshot()
	for _, q := range []web.Request{webtest.View{Page: "tonight"}.As(web.Manager), webtest.EventsView(t, nil).As(web.Door), webtest.View{Page: "night"}.As(web.BoxOffice)} {
		if rows, column := raw(t, workbook(t, webtest.Renderer(t), q, s), "Performances"); len(rows) != 0 || len(column) < 8 {
			t.Errorf("%s has %d rows and %d columns", q.Page, len(rows), len(column))
		}
	}
}

// flushed notes how much was written when it was flushed.
type flushed struct {
	bytes.Buffer
	at []int
}

func (f *flushed) Flush() { f.at = append(f.at, f.Len()) }

// A workbook begins to be sent before its rows are made.
func TestWorkbookBegins(t *testing.T) {
	h := webtest.NewHouse()
	for i := range 600 {
		h.Event(fmt.Sprint("evt_", i), "Avond", "Zaal", "19:15", "20:00", 100, webtest.OnDay(-i))
	}
	var w flushed
	if _, err := webtest.Renderer(t).Sheets(&w, web.Frame{Request: webtest.EventsView(t, nil).As(web.Manager), Snapshot: h.Snapshot(), Now: webtest.ShowTime, Ready: true}, web.Workbook); err != nil {
		t.Fatal(err)
	}
	if len(w.at) != 1 || w.at[0]*2 > w.Len() {
		t.Fatalf("of %d bytes it is flushed after %v", w.Len(), w.at)
	}
	begun := w.String()[:w.at[0]]
	if !strings.Contains(begun, "xl/styles.xml") || strings.Contains(begun, "xl/worksheets/sheet1.xml") {
		t.Errorf("it begins with %q", begun)
	}
}

// Text is in a workbook as it is elsewhere: what XML knows, what a workbook takes for a character, and no more than a cell takes.
func TestWorkbookHasTexts(t *testing.T) {
	h := webtest.NewHouse()
	titles := map[string]string{"evt_a": `<b> & "Tosca" ]]>`, "evt_b": "_x0041_ida", "evt_c": "  Zauberflöte 🎭 ", "evt_d": strings.Repeat("🎭", 20_000), "evt_e": "Nu\x01l"}
	for id, title := range titles {
		h.Event(id, title, "Zaal", "19:15", "20:00", 100)
	}
	rows, column := raw(t, workbook(t, webtest.Renderer(t), webtest.EventsView(t, nil).As(web.Manager), h.Snapshot()), "Performances")
	titles[""] = "Sum, without what is called off"
	titles["evt_d"], titles["evt_e"] = strings.Repeat("🎭", mostCellText/2), "Nul"
	for _, row := range rows {
		if got, want := strings.TrimRight(row[column["Performance"]], "\ufffd"), titles[row[column["Id"]]]; got != want {
			t.Errorf("%s is called %.80q, want %.80q", row[column["Id"]], got, want)
		}
	}
}

// mostCellText is the most a cell takes, in units of UTF-16.
const mostCellText = 32767

func BenchmarkWorkbook(b *testing.B) {
	b.ReportAllocs()
	h := webtest.NewHouse()
	for i := range 5000 {
		h.Event(fmt.Sprint("evt_", i), "Avond", "Zaal", "19:15", "20:00", 100, webtest.OnDay(-i/4))
	}
	s, r := h.Snapshot(), webtest.Renderer(b)
	q := webtest.EventsView(b, nil).As(web.Manager)
	for b.Loop() {
		var out bytes.Buffer
		if _, err := r.Sheets(&out, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime.Add(time.Second), Ready: true}, web.Workbook); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(out.Len()), "bytes")
	}
}

// The date of a performance is that of its time, also after midnight.
func TestSheetHasTheDateOfTheTime(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_late", "Nachtmis", "Foyer", "23:30", "23:50", 80, func(e *record.Event) {
		e.StartsAt = e.StartsAt.Add(70 * time.Minute)
	})
	s := h.Snapshot()
	if s.Events[0].Date != "2026-11-21" { // a day of this house begins at midnight
		t.Fatal(s.Events[0].Date)
	}
	c := s.Calendar
	c.Cutoff = 6 * time.Hour
	late := *s
	late.Calendar = c
	e := *s.Events[0]
	e.Date = c.Day(e.Event.StartsAt)
	late.Events = []*figures.EventFigures{&e}
	rows, column := raw(t, workbook(t, webtest.Renderer(t), webtest.EventsView(t, nil).As(web.Manager), &late), "Performances")
	at, err := strconv.ParseFloat(rows[0][column["Date"]], 64)
	if got, bad := excelize.ExcelDateToTime(at, false); err != nil || bad != nil || got.Format(time.DateOnly) != "2026-11-21" {
		t.Errorf("%s of the evening of %s is on %s, want 2026-11-21 (%v)", rows[0], e.Date, got, err)
	}
}
