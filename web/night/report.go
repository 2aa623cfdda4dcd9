package night

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/licence"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
	"housecount/web/xlsx"
)

// report is the page: a day's figures, its performances, and what follows.
type report struct {
	Head     web.Head
	Day      dayForm
	Passed   passed
	Figs     web.Figs
	Chart    web.Caption
	Shows    showTable
	Happened happened
	Next     nextDay
	Needs    needs
	Note     *web.NoteForm
}

// dayForm asks for another day, up to the last that is finished; it is not there while none is.
type dayForm struct{ Day, Last figures.Day }

// showTable has a row for each performance.
type showTable struct {
	Money bool // the amounts are shown
	Late  bool // who came after the curtain is known of one
	Rows  []showRow
	Rest  *restRow // what was sold on the day for other performances; nil if amounts are not shown
	Sum   *showRow // nil if there is one row
}

type showRow struct {
	Time, Href, Title string
	Off               words.Sentence // instead of figures, if the performance did not go ahead
	Bar               bar            // how much of it is sold, in a letter
	// The amounts are what was booked for the performance on the day, and in all.
	Places, Sold, Came, Late, Away, Booked, All words.Num
}

type restRow struct {
	Text   words.Sentence
	Booked words.Num
}

// nextDay lists the performances of the day after.
type nextDay struct {
	Title string
	Rows  []web.Next
}

// needs lists what nobody has done yet.
type needs struct {
	Shown bool // only in the report of the last day
	Rows  []needRow
}

type needRow struct {
	Level evening.Level
	Text  words.Sentence
	By    string
}

// mostNeeds is the most alerts that are listed: a sheet has room for so many.
const mostNeeds = 8

// report builds the report of a day; without one, of the last day that is finished.
func (b builder) report() (web.View, error) {
	last := b.Evening.LastFinished()
	day := b.day()
	shows := b.Evening.Night(day)
	r := evening.ResultOf(shows)
	p := report{Day: dayForm{day, last}}
	var notes []figures.Note
	if day != "" {
		p.Note, notes = b.NoteForm("", day), b.NotesOn(day, day)
	}
	v := web.View{Title: b.Text("nav.night"), Body: p.body}
	p.Head = b.head(day, last, &r, shows)
	p.Chart = web.Caption{ID: "crowd", Chart: "chart-crowd", Empty: true}
	over := licence.Of(b.Evening, shows)
	var plot charts.Plot
	if r.Shows == 0 && len(shows) > 0 && b.Access.SeesMarketing() {
		p.Figs = b.figs(day, &r, shows)[3:] // nobody was to come
	}
	if r.Shows > 0 {
		p.Figs = b.figs(day, &r, shows)
		plot = b.crowdPlot(shows, over, &r, &p.Chart)
	}
	if len(shows) > 0 {
		p.Passed.Rows = b.Passed(over)
		p.Shows = b.showTable(day, shows, &r)
		p.Happened = b.happened(day, over)
		p.Next = b.nextDay(day.Add(1))
	}
	if day != "" && day == last {
		p.Needs = b.needs(false)
	}
	if err := v.Draw(p.Chart, plot); err != nil {
		return web.View{}, err
	}
	v.Fragments = []web.Fragment{{ID: "head", HTML: p.Head.HTML()}, {ID: "passed", HTML: p.Passed.html()}, {ID: "figs", HTML: p.Figs.HTML()}, {ID: "crowd", HTML: p.Chart.HTML()}, {ID: "performances", HTML: p.Shows.html()},
		{ID: "happened", HTML: p.Happened.html()}, {ID: "next-day", HTML: p.Next.html()}, {ID: "needs", HTML: p.Needs.html()},
		{ID: "day-notes", HTML: b.NoteList("day-notes", notes).HTML()}}
	return v, nil
}

// day returns the day that is asked for, or the last that is finished.
func (b builder) day() figures.Day {
	return cmp.Or(figures.Day(b.Values.Get("day")), b.Evening.LastFinished())
}

// sheets returns the performances of the day, and the night that they made.
func (b builder) sheets() ([]web.Sheet, error) {
	day := b.day()
	name, shows := "housecount-night-"+string(day), b.Evening.Night(day)
	all := []web.Sheet{b.PerformanceSheet(name, shows, figures.KeyCameLate)}
	booked := func(of figures.Scope) figures.Value {
		of.From, of.To = day, day
		v, _ := catalogue.Of(b.Evening, figures.KeyBooked, of)
		return v
	}
	if b.Access.SeesMoney() {
		b.AddAmounts(&all[0], b.Text("report.booked"), "booked_on_day", true, func(i int) figures.Value { return booked(figures.Scope{Event: shows[i].Event.ID}) })
	}
	of := figures.Scope{Night: true, From: day, To: day}
	if r := evening.ResultOf(shows); r.Shows == 0 {
		return all, nil
	}
	night := b.SheetOf(web.SheetOf{Name: name, Tab: b.Text("nav.night"), Columns: []web.Column{{Head: b.Text("column.date"), Key: "date", Kind: xlsx.Day}}, Of: of, Rows: [][]any{{day}},
		Figures: []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyOccupancy, figures.KeyCame, figures.KeyNoShows, figures.KeyNoShow, figures.KeyMostInside, figures.KeyLicensed},
		Value: func(_ int, k figures.Key) figures.Value {
			v, _ := catalogue.Of(b.Evening, k, of)
			return v
		}})
	if b.Access.SeesMarketing() {
		b.AddAmounts(&night, b.Text("report.booked"), "booked_on_day", true, func(int) figures.Value { return booked(figures.Scope{}) })
	}
	return append(all, night), nil
}

// head returns the day, with links to those before and after that have performances.
func (b builder) head(day, last figures.Day, r *evening.Result, shows []*evening.Show) web.Head {
	if day == "" {
		return web.Head{Title: b.Text("nav.night"), Text: b.Say("report.none_yet")}
	}
	h := web.Head{Title: b.DayTitle(string(day), string(b.Today)), When: b.Say("report.when", words.Text("time", b.MomentShort(b.At)))}
	switch {
	case len(shows) == 0:
		h.Text = b.Say("report.no_performance")
	case slices.ContainsFunc(shows, func(s *evening.Show) bool { return !s.Finished(b.Now) }):
		h.Text = b.Say("report.not_finished")
	case b.Values.Get("day") == "" && b.Evening.Day > day && len(b.Evening.Shows) > 0:
		h.Text = b.Say("report.day_not_finished", words.Text("day", b.DayShortOf(b.Evening.Day)))
	}
	before, after := figures.Day(""), figures.Day("")
	for _, e := range b.Snapshot.Events {
		if e.Date != "" && e.Date < day {
			before = max(before, e.Date)
		}
		if e.Date > day && e.Date <= last && (after == "" || e.Date < after) {
			after = e.Date
		}
	}
	for _, d := range []figures.Day{before, after} {
		if d != "" {
			h.Links = append(h.Links, web.Link{Href: web.NightPath + "?" + url.Values{"day": {string(d)}}.Encode(), Text: b.DayShortOf(d)})
		}
	}
	h.Links = append(h.Links, b.SheetLink(web.NightPath, b.Values))
	return h
}

// figs returns who came, who did not, what was sold, and for those who see money what was booked on the day.
func (b builder) figs(day figures.Day, r *evening.Result, shows []*evening.Show) (all web.Figs) {
	if all = b.resultFigs(r, shows); b.Access.SeesMarketing() {
		all = append(all, web.Fig{Term: b.Text("report.booked"), Main: b.ofDays(nil, day, day, figures.KeyBooked), Note: b.Say("figs.places", words.Fig("n", b.ofDays(nil, day, day, figures.KeySold)))})
	}
	return all
}

// resultFigs returns who came to shows, who did not, and what was sold: no share of places that are more than people are allowed.
func (b builder) resultFigs(r *evening.Result, shows []*evening.Show) web.Figs {
	all := web.Figs{
		{Term: b.Text("column.came"), Main: b.OfNight(r, figures.KeyCame), Note: b.Say("report.of_sold", words.Fig("sold", b.OfNight(r, figures.KeySold))), People: true},
		{Term: b.Text("report.away"), Main: b.OfNight(r, figures.KeyNoShows), Note: web.Known(b.OfNight(r, figures.KeyNoShow))},
		{Term: b.Text("column.sold"), Main: b.OfNight(r, figures.KeyOccupancy), Note: b.Say("places.number_of", words.Fig("sold", b.OfNight(r, figures.KeySold)), words.Fig("capacity", b.OfNight(r, figures.KeyCapacity)))},
	}
	if b.Evening.BeyondAllowed(shows) {
		all[2].Main, all[2].Note = b.OfNight(r, figures.KeySold), nil
	}
	return all
}

type crowdColor struct{ line, class string }

// crowdColors are the colours of halls in the order in which people came, and the classes of their swatches.
var crowdColors = []crowdColor{{"@in", "in"}, {"@past", "gone"}, {"@in-3", "due"}, {"@line", "others"}}

// crowdPlot draws how many people were in the building, and sets the words of the chart; r is the result of the shows, and over is when
// more people were inside than are allowed.
func (b builder) crowdPlot(shows []*evening.Show, over []licence.Passed, r *evening.Result, caption *web.Caption) (plot charts.Plot) {
	c := b.Evening.Crowd(shows)
	licence.AddMost(b.Evening, r, &c)
	if c.Most.Value == 0 {
		return plot
	}
	caption.Title, caption.Empty = b.Text("report.building"), false
	most, at := words.Fig("n", b.OfNight(r, figures.KeyMostInside)), words.Text("time", b.Clock(c.MostAt, b.Zone))
	caption.Side = b.Say("report.most", most, at)
	if r.Licensed.Known() {
		licensed, key := words.Fig("licensed", b.OfNight(r, figures.KeyLicensed)), "report.most_of"
		over := r.Most.Value - r.Licensed.Value
		if caption.Bad = over > 0 && !slices.Contains(r.Most.Reasons, figures.ReasonNoExits); caption.Bad { // and is not only an upper bound
			key = "report.most_over"
		}
		caption.Side = b.Say(key, most, at, licensed, words.Text("over", b.Qualified(r.Most.Quality, r.Most.Reasons, b.Count(over)).Text))
	}
	caption.Label = caption.Title + ". " + caption.Side.String()
	plot = charts.Plot{Label: caption.Label, Axis: b.Text("arrived.axis", words.Text("zone", b.Zone.String())), Every: 12}
	for i := range c.Halls[0].Inside {
		plot.X = append(plot.X, b.Clock(c.From.Add(time.Duration(i)*evening.CrowdStep), b.Zone))
	}
	tooFull := tooFullFirst(c.Halls, over)
	atFoot := b.limitedFirst(c.Halls[:tooFull], shows[0].Date)
	for i, h := range c.Halls {
		var points []charts.Point
		for at, n := range h.Inside {
			points = append(points, charts.Point{Value: [3]any{at, n, b.Count(n)}})
		}
		color := crowdColors[min(i, len(crowdColors)-1)]
		if i < tooFull {
			color = tooFullColor
		}
		s := charts.Line("hall-"+url.QueryEscape(h.Hall), words.Bare(b.hallName(h.Hall)), color.line, points)
		s.Area("halls")
		plot.Series = append(plot.Series, s)
		caption.Key = append(caption.Key, charts.Keyed{Class: color.class, Text: words.NameAlone(b.hallName(h.Hall))})
	}
	if most, ok := b.crowdLimit(&c, shows[0].Date); ok {
		plot.Series = append(plot.Series, b.allowedLine("licensed", most, len(plot.X), b.Text("places.allowed", words.Int("n", most))))
	}
	if atFoot > 0 && len(c.Halls) > 1 { // the line of an only hall is that of the chart
		line := b.allowedLine("licensed-hall", atFoot, len(plot.X), b.Text("report.allowed_in", words.Name("hall", c.Halls[0].Hall), words.Int("n", atFoot)))
		from, to := ownStretch(c.Halls, atFoot)
		line.Data = line.Data[from:to]
		plot.Series = append(plot.Series, line)
	}
	return plot
}

// allowedLine returns a level line of the people allowed over n moments, with its words at its end.
func (b builder) allowedLine(id string, most, n int, text string) charts.Series {
	line := charts.Line(id, b.Text("plot.series_allowed"), "@bad", nil)
	for i := range n {
		line.Data = append(line.Data, charts.Point{Value: [3]any{i, most, b.Count(most)}})
	}
	line.LineStyle.Width, line.LineStyle.Type = 1, "dashed"
	line.EndLabel = &charts.EndLabel{Show: true, Formatter: text, Color: "@bad", Align: "right", VerticalAlign: "bottom", Offset: []int{-6, -4}}
	return line
}

// limitedFirst moves the hall that was fullest for the people allowed in it, of those that were too full and are drawn first, to the foot
// of the chart and returns how many they are: their line is true of the lowest hall alone. It returns 0 where none was too full.
func (b builder) limitedFirst(tooFull []evening.HallCrowd, day figures.Day) (allowed int) {
	fullest, share := 0, 0.
	for i, h := range tooFull {
		most, _ := b.Evening.Licensed(h.Hall, day)
		if of := float64(slices.Max(h.Inside)) / float64(max(most, 1)); of > share {
			fullest, share, allowed = i, of, most
		}
	}
	if allowed > 0 {
		first := tooFull[fullest]
		copy(tooFull[1:fullest+1], tooFull[:fullest])
		tooFull[0] = first
	}
	return allowed
}

// ownStretch returns from when until when the line of the people allowed in the lowest hall can be drawn: around when it was too full, as
// far as nobody takes it for a line of the others, whose people are drawn at its height.
func ownStretch(halls []evening.HallCrowd, allowed int) (from, to int) {
	inside := halls[0].Inside
	own := func(at int) bool {
		all := 0
		for _, h := range halls {
			all += h.Inside[at]
		}
		return inside[at] >= allowed || all < allowed
	}
	for from = slices.Index(inside, slices.Max(inside)); from > 0 && own(from-1); from-- {
	}
	for to = from; to < len(inside) && own(to); to++ {
	}
	return from, to
}

// tooFullColor is that of a hall with more people inside than are allowed.
var tooFullColor = crowdColor{"@bad", "overfull"}

// tooFullFirst moves the halls that were too full to the front, which are drawn from the foot of the chart, and returns how many they are.
func tooFullFirst(halls []evening.HallCrowd, over []licence.Passed) int {
	isOver := func(h evening.HallCrowd) bool {
		return h.Hall != "" && slices.ContainsFunc(over, func(p licence.Passed) bool { return p.Hall == h.Hall })
	}
	n := 0
	for i, h := range halls {
		if isOver(h) {
			copy(halls[n+1:i+1], halls[n:i])
			halls[n], n = h, n+1
		}
	}
	return n
}

// crowdLimit returns how many people are allowed where the chart can have a line of it: in its only hall or, as halls stand on each other
// in it, in the building.
func (b builder) crowdLimit(c *evening.Crowd, day figures.Day) (most int, set bool) {
	if only := c.Halls[0].Hall; only != "" && len(c.Halls) == 1 {
		return b.Evening.Licensed(only, day)
	}
	if b.Snapshot.Whole != nil {
		return 0, false
	}
	return b.Evening.Licensed("", day)
}

// hallName returns the name of a hall, which may be empty.
func (b builder) hallName(hall string) string { return cmp.Or(hall, b.Text("report.no_hall")) }

// showTable returns the performances of a day, with what was sold on it for others.
func (b builder) showTable(day figures.Day, shows []*evening.Show, r *evening.Result) (t showTable) {
	t.Money = b.Access.SeesMoney()
	sold, late, booked, elsewhere := 0, 0, figures.Sums(nil), b.Access.SeesMarketing()
	known := true // of each that is over, exactly who came late
	for _, s := range shows {
		row := showRow{Time: words.Dash, Href: web.EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), Bar: barOf(s)}
		if !s.Event.StartsAt.IsZero() {
			row.Time = b.Clock(s.Event.StartsAt, b.Zone)
		}
		if s.Phase != evening.Over {
			row.Off = b.off(s)
		}
		row.Places, row.Sold, row.Came, row.Away = b.OfShow(s, figures.KeyCapacity), b.OfShow(s, figures.KeySold), b.OfShow(s, figures.KeyCame), b.OfShow(s, figures.KeyNoShows)
		row.Late = b.OfShow(s, figures.KeyCameLate)
		if t.Late = t.Late || !row.Late.Unknown(); s.Phase == evening.Over {
			late, known = late+row.Late.N, known && !row.Late.Unknown() && row.Late.Why == ""
		}
		if t.Money {
			row.Booked, row.All = b.ofDays(s.EventFigures, day, day, figures.KeyBooked), b.OfShow(s, figures.KeyBooked)
			p := b.Evening.PeriodOf(s.EventFigures, day, day, time.Time{})
			sold, booked = sold+p.Sold, booked.PlusAll(p.Of(figures.Booked), 1)
		}
		t.Rows = append(t.Rows, row)
	}
	if r.Shows > 1 || t.Money && elsewhere && len(shows) > 0 {
		of := func(k figures.Key) words.Num {
			if r.Shows == 0 { // none of them is over
				return web.Plain(words.Dash)
			}
			return b.OfNight(r, k)
		}
		t.Sum = &showRow{Title: b.Text("report.all"), Places: of(figures.KeyCapacity), Sold: of(figures.KeySold), Came: of(figures.KeyCame), Away: of(figures.KeyNoShows), Late: web.Plain(words.Dash)}
		if known && r.Shows > 0 {
			t.Sum.Late = web.Plain(b.Count(late))
		}
		if t.Money && elsewhere {
			t.Sum.Booked = b.ofDays(nil, day, day, figures.KeyBooked)
		}
	}
	if t.Money && elsewhere && t.Sum != nil {
		all, _ := catalogue.Of(b.Evening, figures.KeyBooked, figures.Scope{From: day, To: day})
		places, _ := catalogue.Of(b.Evening, figures.KeySold, figures.Scope{From: day, To: day})
		rest := all.Amount.PlusAll(booked, -1)
		if all.Quality != figures.Unknown && (places.Count != sold || len(rest) > 0) {
			t.Rest = &restRow{Text: b.Say("report.others", words.Int("n", places.Count-sold)), Booked: b.QualifiedSums(all.Quality, all.Reasons, b.HouseSums(rest))}
		}
	}
	return t
}

// columns returns a number of columns with that of who came late, if it is there.
func (t showTable) columns(n int) string {
	if t.Late {
		n++
	}
	return strconv.Itoa(n)
}

// off returns why a performance has no result.
func (b builder) off(s *evening.Show) words.Sentence {
	if s.MayOwe() && b.Access.SeesMoney() {
		return b.Say("night.cancelled_owed", words.Fig("amount", b.OfShow(s, figures.KeyToPayBack)))
	}
	return words.Sentence{{Text: b.Code("status", s.Phase.String())}}
}

// nextDay returns the performances of a day, in order of time.
func (b builder) nextDay(day figures.Day) (n nextDay) {
	for _, s := range b.Evening.Night(day) {
		n.Rows = append(n.Rows, b.NextOf(s))
	}
	if len(n.Rows) > 0 {
		n.Title = b.DayTitle(string(day), string(b.Today))
	}
	return n
}

// needs returns the alerts that stand and call for something; if own is set, of somebody who may take them on.
func (b builder) needs(own bool) (n needs) {
	n.Shown = true
	standing := slices.DeleteFunc(web.StandingAlerts(b.Evening, b.Access, nil), func(a evening.Alert) bool { return own && !b.Access.TakesOn(a.Code) })
	all := web.WorstFirst(b.Notices(standing))
	for _, one := range all[:min(len(all), mostNeeds)] {
		n.Rows = append(n.Rows, needRow{Level: one.Level, Text: one.Text, By: cmp.Or(b.List(one.By), one.Taken)})
	}
	return n
}
