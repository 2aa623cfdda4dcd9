package event

import (
	"net/url"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/query"
	"housecount/web/words"
)

// replayPage is the night of a performance as it went, with what was known at one of its minutes.
type replayPage struct {
	Head    web.Head
	Steps   []web.Link
	Figures web.NumberRow
	Chart   web.Caption
	Rows    web.Table
}

const (
	// replayBefore the doors and replayAfter the end, as far as it went, a night is shown.
	replayBefore = time.Hour
	replayAfter  = time.Hour
	// longestReplay is the longest that is shown: times of a performance may be absurd.
	longestReplay = 24 * time.Hour
	// beforeCurtain is how long before the curtain a night that is over is opened: most come in then.
	beforeCurtain = 10 * time.Minute
	// replayRows is the number of minutes from one row of the table to the next, and replayLabels that of
	// the chart's labels.
	replayRows, replayLabels = 15, 30
)

// replaySteps are how many minutes links go on or back.
var replaySteps = []int{-60, -30, -5, -1, 1, 5, 30, 60}

// replayHref returns where the night of a performance is.
func replayHref(event string) string { return web.EventHref(event) + "/replay" }

// seesNights is for pages of how a night went, with its money.
func seesNights(a web.Access, _ query.Params) bool { return a.SeesMoney() }

// replayed is the past of a performance over its night, minute by minute.
type replayed struct {
	*evening.Show
	from   int64                   // the first minute
	states []figures.MinuteFigures // at the end of each minute from then on
	doors  int                     // the last of them up to the doors, or the first
}

func (n *replayed) minute(i int) int64 { return n.from + int64(i) }

// replay builds the night of a performance.
func (b builder) replay() (web.View, error) {
	e := b.Event(b.Values.Get("event"))
	if e == nil {
		return web.View{}, web.ErrNotFound
	}
	show := b.Evening.Show(e)
	known, _ := b.Source.(past)
	n := b.nightOf(show, known.minutes)
	p := replayPage{
		Head: web.Head{Title: b.TitleOf(e), Name: true, When: b.when(show), Text: b.Say("replay.nothing"),
			Links: []web.Link{{Href: web.EventHref(e.Event.ID), Text: b.Text("replay.back")}}},
		Figures: web.NumberRow{ID: "replay-figures"}, Chart: web.Caption{ID: "replay", Chart: "chart-replay", Empty: true}, Rows: web.Table{ID: "replay-rows"},
	}
	var drawn charts.Plot
	if len(n.states) > 0 {
		i := b.replayedMinute(&n)
		p.Head.Text = b.Say("replay.text", words.Text("time", b.minuteClock(n.minute(i))))
		p.Steps = b.replayLinks(&n, i)
		p.Figures.List = b.replayTiles(&n, i)
		drawn = b.replayPlot(&n, i, &p)
	}
	v := web.View{Title: b.Text("replay.title", words.Name("title", b.TitleOf(e))), Body: replayBody}
	if err := v.Draw(p.Chart, drawn); err != nil {
		return web.View{}, err
	}
	v.Fragments = []web.Fragment{{ID: "head", HTML: p.Head.HTML()}, {ID: "replay-steps", HTML: stepLinks(p.Steps)}, {ID: "replay-figures", HTML: p.Figures.HTML()},
		{ID: "replay", HTML: p.Chart.HTML()}, {ID: "replay-rows", HTML: p.Rows.HTML()}}
	return v, nil
}

// nightMinutes returns the first and the last minute of a night, up to now; the last is before the first where the night has
// not begun.
func (b builder) nightMinutes(h figures.Hours) (first, last int64) {
	if h.Doors.IsZero() || !b.Now.After(h.Doors.Add(-replayBefore)) {
		return 0, -1
	}
	end := h.End.Add(replayAfter)
	if latest := h.Doors.Add(longestReplay); end.After(latest) {
		end = latest
	}
	if end.After(b.Now) {
		end = b.Now
	}
	return h.Doors.Add(-replayBefore).Unix() / 60, end.Unix() / 60
}

// nightOf returns the night up to now, from the first minute that is known.
func (b builder) nightOf(s *evening.Show, past []figures.MinuteFigures) (n replayed) {
	n.Show = s
	if len(past) == 0 {
		return n
	}
	first, last := b.nightMinutes(s.Hours())
	n.from = max(first, past[0].Minute)
	next := 0
	for minute := n.from; minute <= last; minute++ {
		for next < len(past) && past[next].Minute <= minute {
			next++
		}
		n.states = append(n.states, past[next-1])
	}
	n.doors = int(max(0, s.Hours().Doors.Unix()/60-n.from))
	return n
}

// replays reports whether something of the night of a performance is known, whose past is known from a moment on (zero
// for never).
func (b builder) replays(e *figures.EventFigures, from time.Time) bool {
	_, last := b.nightMinutes(e.Hours())
	return !from.IsZero() && from.Unix()/60 <= last
}

// replayedMinute returns which of the night's minutes is asked for, or else the last.
func (b builder) replayedMinute(n *replayed) int {
	last := len(n.states) - 1
	at, err := time.Parse(query.MinuteLayout, b.Values.Get("at"))
	switch curtain := n.Hours().Curtain; {
	case err != nil && n.Phase == evening.Over && !curtain.IsZero(): // the last minute of it has nobody any more
		at = curtain.Add(-beforeCurtain)
	case err != nil:
		return last
	}
	return int(min(max(0, at.Unix()/60-n.from), int64(last)))
}

// minuteClock returns a minute by the clock, with the zone's name in the hour that the clock shows twice.
func (b builder) minuteClock(minute int64) string {
	at := time.Unix(minute*60, 0).In(b.Zone)
	_, before := at.Add(-12 * time.Hour).Zone()
	_, after := at.Add(12 * time.Hour).Zone()
	shown := b.Clock(at, b.Zone)
	if back := time.Duration(before-after) * time.Second; back > 0 && (b.Clock(at.Add(back), b.Zone) == shown || b.Clock(at.Add(-back), b.Zone) == shown) {
		shown += " " + at.Format("MST")
	}
	return shown
}

// replayLinks lead to other minutes of the night.
func (b builder) replayLinks(n *replayed, at int) (links []web.Link) {
	for _, step := range replaySteps {
		i := min(max(0, at+step), len(n.states)-1)
		if i == at {
			continue
		}
		to := time.Unix(n.minute(i)*60, 0).In(b.Zone).Format(query.MinuteLayout)
		key := "replay.on"
		if step < 0 {
			step, key = -step, "replay.back_by"
		}
		links = append(links, web.Link{Href: replayHref(n.Event.ID) + "?" + url.Values{"at": {to}}.Encode(), Text: b.Text(key, words.Int("n", step))})
	}
	return links
}

// replayTiles returns the figures of a minute, with what they were when the doors opened.
func (b builder) replayTiles(n *replayed, i int) (list []web.Named) {
	r := n.states[i]
	opened := n.states[min(n.doors, i)]
	since := func(by int) words.Sentence {
		if i <= n.doors {
			return nil
		}
		return b.Say("replay.since_doors", words.Text("by", b.Signed(by)))
	}
	count := func(f figures.Figure[int], value int) words.Num {
		return b.Number(figures.Figure[int]{Value: value, Quality: f.Quality, Reasons: f.Reasons})
	}
	if n.PresentNow.Known() {
		list = append(list, web.Named{Term: b.Text("replay.present"), Main: count(n.Present(), r.Present), Note: b.Say("replay.present_of", words.Int("n", r.Sold))})
	}
	if n.Sold.Known() {
		list = append(list, web.Named{Term: b.Text("tile.sold"), Main: count(n.Sold, r.Sold), Note: since(r.Sold - opened.Sold)})
	}
	if r.Available != nil {
		note := words.Sentence(nil)
		if opened.Available != nil {
			note = since(*r.Available - *opened.Available)
		}
		list = append(list, web.Named{Term: b.Text("replay.left"), Main: words.Num{Text: b.Count(*r.Available), N: *r.Available, Why: b.Text("replay.left_why")}, Note: note})
	}
	if net := n.Revenue.NetReceived(); net.Known() && !r.NetUnknown {
		note := words.Sentence(nil)
		if i > n.doors {
			note = b.Say("replay.net_at_doors", words.Text("amount", b.Amounts(n.EventFigures, opened.Net)))
		}
		list = append(list, web.Named{Term: b.Text("tile.net"), Main: b.AmountOf(n.EventFigures, figures.Figure[figures.Sums]{Value: r.Net, Quality: net.Quality, Reasons: net.Reasons}), Note: note})
	}
	return list
}

// replayPlot draws the night with a mark at a minute, and sets the words and the table of the chart.
func (b builder) replayPlot(n *replayed, at int, p *replayPage) charts.Plot {
	out := charts.Plot{Axis: b.Text("replay.axis", words.Text("zone", b.Zone.String())), Every: replayLabels}
	var present, sold, left []charts.Point
	most, last, highest := 0, 0, 0
	for i, r := range n.states {
		out.X = append(out.X, b.minuteClock(n.minute(i)))
		present = append(present, charts.Point{Value: [3]any{i, r.Present, b.Count(r.Present)}})
		sold = append(sold, charts.Point{Value: [3]any{i, r.Sold, b.Count(r.Sold)}})
		if r.Available != nil {
			last = *r.Available
			left = append(left, charts.Point{Value: [3]any{i, *r.Available, b.Count(*r.Available)}})
		}
		if r.Present > n.states[most].Present {
			most = i
		}
		highest = max(highest, r.Present, r.Sold)
	}
	p.Chart.Title, p.Chart.Empty = b.Text("replay.chart"), false
	p.Rows = web.Table{ID: "replay-rows", Caption: b.Text("replay.rows"), Columns: []string{b.Text("column.time")}}
	if n.PresentNow.Known() {
		out.Series = append(out.Series, charts.Line("present", b.Text("replay.series_present"), "@in", present))
		p.Rows.Columns = append(p.Rows.Columns, b.Text("replay.present"))
		p.Chart.Key = append(p.Chart.Key, charts.Keyed{Class: "in", Text: words.Sentence{{Text: b.Text("replay.series_present")}}})
		p.Chart.Text = b.End(b.Say("replay.most", words.Int("n", n.states[most].Present), words.Text("time", out.X[most])))
	}
	if n.Sold.Known() {
		out.Series = append(out.Series, charts.Line("sold", b.Text("plot.series_sold"), "@house", sold))
		p.Chart.Key = append(p.Chart.Key, charts.Keyed{Class: "paid", Text: words.Sentence{{Text: b.Text("plot.series_sold")}}})
		p.Rows.Columns = append(p.Rows.Columns, b.Text("column.sold"))
	}
	if !n.Sold.Known() && len(left) > 0 { // there is nothing else of its sale
		out.Series = append(out.Series, charts.Line("left", b.Text("replay.left"), "@house", left))
		p.Chart.Key = append(p.Chart.Key, charts.Keyed{Class: "paid", Text: words.Sentence{{Text: b.Text("replay.left")}}})
		p.Rows.Columns = append(p.Rows.Columns, b.Text("replay.left"))
		p.Chart.Text = b.End(b.Say("replay.left_at_last", words.Int("n", last)))
	}
	if len(out.Series) == 0 {
		p.Chart.Empty, p.Rows.Columns = true, nil
		return out
	}
	mark := charts.MarkAt(at, out.X[at])
	switch n := len(n.states); { // near an edge the words go inwards
	case 8*at >= 7*(n-1):
		mark.Label["align"] = "right"
	case 8*at <= n-1:
		mark.Label["align"] = "left"
	}
	out.Series[0].MarkLine = mark
	b.addAllowed(n.Show, &out, highest)
	if last := n.states[len(n.states)-1]; len(p.Chart.Text) == 0 {
		p.Chart.Text = b.End(b.Say("places.sold", words.Plain("sold", b.Number(figures.Figure[int]{Value: last.Sold}))))
	}
	p.Chart.Label, out.Label = p.Chart.Text.String(), p.Chart.Text.String()
	for i := 0; i < len(n.states); i += replayRows {
		row := web.TableRow{Name: out.X[i]}
		if n.PresentNow.Known() {
			row.Cells = append(row.Cells, web.Plain(b.Count(n.states[i].Present)))
		}
		if n.Sold.Known() {
			row.Cells = append(row.Cells, web.Plain(b.Count(n.states[i].Sold)))
		} else if len(left) > 0 {
			cell := words.Dash
			if a := n.states[i].Available; a != nil {
				cell = b.Count(*a)
			}
			row.Cells = append(row.Cells, web.Plain(cell))
		}
		p.Rows.Rows = append(p.Rows.Rows, row)
	}
	return out
}

// replayLink links to the night of a performance whose doors have opened, if anything of it is known and
// the viewer may see it.
func (b builder) replayLink(s *evening.Show) []web.Link {
	h := s.Hours()
	if !b.Access.SeesMoney() || h.Doors.IsZero() || !s.Phase.GoesAhead() || b.Now.Before(h.Doors) {
		return nil
	}
	if known, _ := b.Source.(past); !known.replays {
		return nil
	}
	return []web.Link{{Href: replayHref(s.Event.ID), Text: b.Text("replay.link")}}
}

// takenPlot returns the sales curve of a performance of which the service reports only what is left.
func (b builder) takenPlot(s *evening.Show, past []figures.MinuteFigures, p *eventPlots) (out charts.Plot, ok bool) {
	first, days := marketing.TakenByDay(b.Evening, s, past, plotDays)
	if len(days) == 0 {
		return out, false
	}
	now := days[len(days)-1]
	p.Sales.Empty, p.Sales.Text = false, b.End(b.Say("plot.taken_since", words.Int("n", now.Taken), words.Text("day", b.DayOf(first)), words.Int("left", now.Left)))
	p.Sales.Label, out.Label = p.Sales.Text.String(), p.Sales.Text.String()
	out.Axis = b.Text("plot.taken_axis", words.Text("zone", b.Zone.String()))
	p.SalesRows = web.Table{ID: "sales-rows", Caption: b.Text("plot.taken_rows"), Columns: []string{b.Text("column.day_of_sale"), b.Text("column.free"), b.Text("plot.taken")}}
	var taken []charts.Point
	for i, d := range days {
		out.X = append(out.X, b.DayShortOf(first.Add(i)))
		taken = append(taken, charts.Point{Value: [3]any{i, d.Taken, b.Count(d.Taken)}})
	}
	for i, d := range slices.Backward(days) {
		if i > 0 && d == days[i-1] {
			continue // nothing changed on it
		}
		if len(p.SalesRows.Rows) == tableDays {
			break
		}
		p.SalesRows.Rows = append(p.SalesRows.Rows, web.TableRow{Name: out.X[i], Cells: web.Plains(b.Count(d.Left), b.Count(d.Taken))})
	}
	out.Series = []charts.Series{charts.Line("taken", b.Text("plot.series_taken"), "@house", taken)}
	return out, true
}
