package night

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/figures/evening/licence"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// Names of letters.
const (
	Morning = "morning" // last night, and today
	Close   = "night"   // tonight, when it is over, and tomorrow
	Week    = "week"    // on Monday: the week that is over, and the one that begins
	// Alerts that call for something now and that nobody has taken on: when they are raised, and when that is still so
	// after a while.
	Alerts     = "alerts"
	Unanswered = "unanswered"
	// Alerts that are over, of which the house's own address was told.
	Cleared = "cleared"
)

// LetterNames are the names of letters that people choose, besides Exports.
var LetterNames = []string{Morning, Close, Week, Alerts, Unanswered}

// File is a file that goes with a letter.
type File struct {
	Name, Type string
	Content    []byte
}

// LetterTo is what a letter needs besides what its reader may see.
type LetterTo struct {
	Name string      // of the letter
	Day  figures.Day // of a morning, the evening that is over, or the day on which a week or a month begins
	// About reports of an alert whether the letter is about it, and Screens are those that are silent.
	About   func(*evening.Alert) bool
	Screens []web.ScreenAlert
	// Cleared are the alerts that are over.
	Cleared []*record.RaisedAlert
	Venue   string
	// Public is the address of the pages, without a slash at the end, and Stop the address that stops the letters.
	Public, Stop string
}

// Letter is a letter to be sent by mail, or as a notification: Brief is what that shows below the subject, and Open the address
// to which it leads.
type Letter struct {
	Subject, Plain, HTML, Brief, Open string
	// Alerts are those that it is about, the worst first, each with its words.
	Alerts []LetterAlert
	File   *File // that goes with it; nil for none
}

// LetterAlert is an alert that a letter is about.
type LetterAlert struct {
	evening.Alert
	Text string
	Over *record.RaisedAlert // nil while it stands
}

// letter is what a letter shows.
type letter struct {
	LetterTo
	Title, When string
	Page        string           // the address of the page about the same; empty for Tonight
	Passed      []words.Sentence // when more people were inside than are allowed
	Figs        web.Figs
	Note        string     // below the figures
	table       *Export    // that goes with it; nil for none
	choices     url.Values // of its page
	Last        []showRow
	Sum         *showRow   // nil if there is one performance
	Week        *weekTable // nil unless it is about a week
	Next        []nextRow
	NextTitle   string
	Needs       []needRow
	Alerts      []LetterAlert
	words       *words.Words
}

// nextRow is a performance to come.
type nextRow struct {
	Day                     string // of the first on a day, where there are several days
	Time, Href, Title, Hall string
	Off                     words.Sentence
	Bar                     bar
	Sold                    words.Num
	Forecast                words.Num // what will be sold by the forecast; empty where that is not known, or says nothing new
	Free                    words.Num
	Allowed                 words.Sentence // how many of them may be sold, where that is near
}

// bar is how much of barWidth is sold.
type bar int

// barWidth is the width of a bar, in pixels.
const barWidth = 96

func (n bar) rest() bar { return barWidth - n }

// NewLetter returns a letter to somebody who may see what f asks for: the page of this package, without parameters. It is nil
// if there is nothing in it: no performance last night, and none on the day, or no alert. What it shows and the file that goes
// with it are of one snapshot.
func NewLetter(ctx context.Context, r *web.Renderer, f web.Frame, to LetterTo) (*Letter, error) {
	made, err := r.Builder(f)
	if err != nil {
		return nil, err
	}
	made.MakeEvening()
	b := builder{made}
	l := b.letter(to)
	if l == nil {
		return nil, nil
	}
	subject := l.Title
	if to.Venue != "" {
		subject = b.Text("letter.subject", words.Name("venue", to.Venue), words.Text("title", l.Title))
	}
	file, err := l.file(r, f)
	if err != nil {
		return nil, err
	}
	var html bytes.Buffer
	if err := l.html().Render(words.NewContext(ctx, b.Words), &html); err != nil {
		return nil, err
	}
	var plain strings.Builder
	l.plain(&plain)
	var brief []string
	for _, row := range l.Passed {
		brief = append(brief, words.Bare(row.String()))
	}
	for _, n := range l.Needs {
		brief = append(brief, words.Bare(n.Text.String()))
	}
	return &Letter{Subject: words.Bare(subject), Plain: plain.String(), HTML: html.String(), Brief: strings.Join(brief, "\n"), Open: l.open(), Alerts: l.Alerts, File: file}, nil
}

// letter returns what a letter shows, nil for nothing.
func (b builder) letter(to LetterTo) *letter {
	l := &letter{LetterTo: to, When: b.Text("letter.when", words.Text("day", b.DayOf(b.Date)), words.Text("time", b.Clock(b.Now, b.Zone))), words: b.Words}
	if to.Name == Alerts || to.Name == Unanswered {
		return b.alerts(l)
	}
	if to.Name == Week {
		return b.week(l)
	}
	if to.Name == Cleared {
		return b.cleared(l)
	}
	if ExportOf(to.Name) != nil {
		return b.export(l)
	}
	last, next, title := to.Day.Add(-1), to.Day, "letter.last_night"
	if to.Name == Close {
		if last, next = to.Day, to.Day.Add(1); last == b.Evening.Day {
			title = "letter.tonight"
		}
	}
	_, goesOn := b.Evening.GoesOnUntil(last)
	if goesOn = goesOn && last == b.Evening.Day; goesOn || last == b.Evening.LastFinished() {
		b.lastNight(l, last, title)
	}
	l.NextTitle = b.DayTitle(string(next), string(b.Today))
	for _, s := range b.Evening.Night(next) {
		l.Next = append(l.Next, b.nextRow(s, l.Public))
	}
	if len(l.Last)+len(l.Next) == 0 || to.Name == Close && len(l.Last) == 0 {
		return nil
	}
	if l.Title == "" {
		l.Title = b.Text("letter.performances", words.Int("n", len(l.Next)))
	}
	l.Needs = b.needs(true).Rows
	return l
}

// alerts adds the alerts that a letter is about and that nobody has taken on; it returns nil if there are none.
func (b builder) alerts(l *letter) *letter {
	all := slices.DeleteFunc(web.UnansweredAlerts(b.Evening, b.Access, l.Screens), func(a evening.Alert) bool { return !l.About(&a) })
	if len(all) == 0 {
		return nil
	}
	notices := web.WorstFirst(b.Notices(all))
	for _, n := range notices {
		i := slices.IndexFunc(all, func(a evening.Alert) bool { return url.QueryEscape(a.Key) == n.Key })
		l.Alerts = append(l.Alerts, LetterAlert{Alert: all[i], Text: words.Bare(n.Text.String())})
	}
	if len(notices) == 1 {
		l.Title = strings.TrimSuffix(notices[0].Text.String(), ".")
		return l
	}
	l.Title = b.Text("letter.alerts", words.Int("n", len(notices)-1), words.Text("first", inShort(notices[0].Text)))
	for _, n := range notices {
		l.Needs = append(l.Needs, needRow{Level: n.Level, Text: n.Text})
	}
	return l
}

// inShort returns an alert without what follows its strong words, unless these only name what it is about.
func inShort(alert words.Sentence) string {
	lead := alert.Lead()
	text := strings.TrimSuffix(lead.String(), ".")
	if strings.HasSuffix(text, ":") || !slices.ContainsFunc(lead, func(r words.Run) bool { return !r.Name }) {
		return strings.TrimSuffix(alert.String(), ".")
	}
	return text
}

// cleared adds the alerts that are over and that the reader may see; it returns nil if there are none.
func (b builder) cleared(l *letter) *letter {
	for _, r := range l.Cleared {
		code, id, _ := strings.Cut(r.Alert, ":")
		a := evening.Alert{Key: r.Alert, Code: code, Event: r.EventID, Level: evening.Level(r.Level)}
		if !b.Access.SeesAlert(&a) || !b.within(r.Alert) {
			continue
		}
		what := b.alertTitle(code, id)
		l.Alerts = append(l.Alerts, LetterAlert{a, words.Bare(b.Text("letter.over", words.Text("what", what.String()))), r})
	}
	if len(l.Alerts) == 0 {
		return nil
	}
	if l.Title = l.Alerts[0].Text; len(l.Alerts) > 1 {
		l.Title = b.Text("letter.alerts", words.Int("n", len(l.Alerts)-1), words.Text("first", l.Title))
	}
	return l
}

// lastNight adds the performances of a day that is over, or of one that goes on as it stands.
func (b builder) lastNight(l *letter, day figures.Day, title string) {
	shows := b.Evening.Night(day)
	r := evening.ResultOf(shows)
	if len(shows) == 0 {
		return
	}
	l.Passed = b.Passed(licence.Of(b.Evening, shows))
	t := b.showTable(day, shows, &r)
	l.Last = t.Rows
	for i := range l.Last {
		l.Last[i].Href = l.Public + l.Last[i].Href
	}
	l.Page = l.Public + web.NightPath + "?day=" + string(day)
	if r.Shows == 0 {
		return
	}
	l.Figs = b.figs(day, &r, shows)
	if b.Access.SeesMarketing() {
		l.Figs[len(l.Figs)-1].Note = b.weekBefore(day)
	}
	if r.Shows > 1 {
		l.Sum = t.Sum
	}
	if r.Came.Known() {
		l.Title = b.Say(title, words.Fig("n", b.OfNight(&r, figures.KeyCame))).WithoutWhy().String()
	}
	b.soFar(l, shows, &r)
}

// weekBefore says what was booked a week before a day: of a day that is not over, up to the same point. It is empty if nothing is
// known of that.
func (b builder) weekBefore(day figures.Day) words.Sentence {
	c := compare.Compare(b.Evening, compare.NewSpan(b.Evening, day, day), compare.TheOneBefore)
	if !c.Comparable() {
		return nil
	}
	before := c.Before.To
	v, _ := catalogue.Of(b.Evening, figures.KeyBooked, c.ScopeBefore(before, before))
	amount := words.Fig("amount", b.Figure(catalogue.Define(figures.KeyBooked), v, "", nil))
	if c.EndsEarly() {
		return b.Say("letter.week_before_until", words.Text("day", b.DayShortOf(before)), words.Text("time", b.Clock(c.Before.Until, b.Zone)), amount)
	}
	return b.Say("letter.week_before", words.Text("day", b.DayShortOf(before)), amount)
}

// soFar says of the performances that are not over how they stand, and beside what is added up that it is without them.
func (b builder) soFar(l *letter, shows []*evening.Show, r *evening.Result) {
	ahead := 0
	for i, s := range shows {
		if s.Phase == evening.Over || !s.Phase.GoesAhead() {
			continue
		}
		ahead++
		var off []words.Sentence
		if came := b.OfShow(s, figures.KeyCame); !came.Unknown() {
			off = append(off, b.Say("letter.goes_on", words.Fig("came", came), words.Fig("sold", b.OfShow(s, figures.KeySold))))
		}
		if end := s.Hours().End; !end.IsZero() {
			off = append(off, b.Say("letter.until", words.Text("time", b.Clock(end, b.Zone))))
		}
		if len(off) > 0 {
			l.Last[i].Off = words.Join(" · ", off...)
		}
	}
	if ahead == 0 {
		return
	}
	over, all := words.Int("over", r.Shows), words.Int("all", r.Shows+ahead)
	if r.Came.Known() {
		l.Title = b.Say("letter.so_far", words.Fig("n", b.OfNight(r, figures.KeyCame)), over, all).WithoutWhy().String()
	}
	if l.Sum != nil {
		l.Sum.Title = b.Text("letter.over_of", over, all)
	}
}

// nextRow returns a performance to come.
func (b builder) nextRow(s *evening.Show, public string) nextRow {
	row := nextRow{Time: words.Dash, Href: public + web.EventHref(s.Event.ID), Title: b.TitleOf(s.EventFigures), Hall: s.Event.Hall, Bar: barOf(s),
		Sold: b.OfShow(s, figures.KeySold), Forecast: b.forecast(s)}
	row.Free, _ = b.FreeWords(s)
	row.Allowed = b.Allowed(s)
	if s.Event.Unlimited && !s.SoldOut {
		row.Free = web.Plain(words.Dash)
	}
	if !s.Event.StartsAt.IsZero() {
		row.Time = b.Clock(s.Event.StartsAt, b.Zone)
	}
	if !s.Phase.GoesAhead() {
		row.Off = words.Sentence{{Text: b.Code("status", s.Phase.String())}}
	}
	return row
}

// forecast returns what will be sold of a performance by the pace of its sale, or else by planning; empty if there is no forecast, if it
// says what is sold already, and once the sale is over.
func (b builder) forecast(s *evening.Show) words.Num {
	if s.Sale != evening.SaleOpen || !s.Phase.GoesAhead() || s.SoldOut {
		return words.Num{}
	}
	if b.Access.SeesToday() {
		switch p := b.Evening.Pace(s); {
		case p.Finish.Known() && p.Finish.Value > s.Sold.Value:
			return b.OfPace(figures.Scope{Event: s.Event.ID}, &p, figures.KeyFinish)
		case p.Finish.Known():
			return words.Num{}
		}
	}
	if s.Forecast.Known() && s.Forecast.Value > s.Sold.Value {
		return b.OfShow(s, figures.KeyForecast)
	}
	return words.Num{}
}

// hasForecast reports whether there is a forecast of any performance to come.
func (l *letter) hasForecast() bool {
	return slices.ContainsFunc(l.Next, func(r nextRow) bool { return r.Forecast.Text != "" })
}

// barOf returns how much of a performance is sold.
func barOf(s *evening.Show) bar {
	o := s.Occupancy()
	if !o.Known() {
		return 0
	}
	return bar(max(0, min(1, o.Value)) * barWidth)
}

// plain writes the letter without markup, for programs that show none.
func (l *letter) plain(w io.Writer) {
	t := l.words
	line := func(parts ...string) {
		fmt.Fprintln(w, words.Bare(strings.Join(filled(parts), "  ")))
	}
	line(l.Title)
	line(strings.Join(filled([]string{l.Venue, l.When}), " · "))
	for _, row := range l.Passed {
		line(badShape + " " + row.String())
	}
	for _, f := range l.Figs {
		line(f.Term+": "+f.Main.Text, f.Note.String())
	}
	if l.Note != "" {
		line(l.Note)
	}
	if len(l.Last) > 0 {
		line()
		for _, r := range l.Last {
			if line(r.Time, r.Title); len(r.Off) > 0 {
				line("      ", r.Off.String())
				continue
			}
			line("      ", figure(t.Text("column.sold"), r.Sold), figure(t.Text("column.came"), r.Came), figure(t.Text("column.away"), r.Away))
		}
	}
	if l.Week != nil {
		l.Week.plain(t, line)
	}
	if len(l.Next) > 0 {
		line()
		line(l.NextTitle)
		for _, r := range l.Next {
			if r.Day != "" {
				line(r.Day)
			}
			line(r.Time, r.Title, r.Hall)
			if len(r.Off) > 0 {
				line("      ", r.Off.String())
				continue
			}
			forecast := ""
			if r.Forecast.Text != "" {
				forecast = figure(t.Text("letter.forecast"), r.Forecast)
			}
			line("      ", figure(t.Text("column.sold"), r.Sold), forecast, figure(t.Text("column.free"), r.Free), r.Allowed.String())
		}
	}
	if len(l.Needs) > 0 {
		line()
		line(t.Text("report.needs"))
		for _, n := range l.Needs {
			by := n.By
			if by == "" {
				by = t.Text("report.nobody")
			}
			line("- "+n.Text.String(), "("+by+")")
		}
	}
	line()
	line(t.Text("letter.open") + ": " + l.open())
	line(t.Text("letter.change") + ": " + l.Public + web.LettersPath)
	line(t.Text("letter.stop") + ": " + l.Stop)
}

// figure returns a figure after its name.
func figure(term string, n words.Num) string { return term + " " + n.Text }

// open returns the address of the page about the letter.
func (l *letter) open() string {
	if l.Page != "" {
		return l.Page
	}
	return l.Public + "/tonight"
}

// filled returns the texts that are not empty.
func filled(all []string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

// badShape and badColor show what is bad.
const (
	badShape = "■"
	badColor = "#b3261e"
)

// shape and color show the level of what needs somebody.
func (n *needRow) shape() string {
	if n.Level == evening.Bad {
		return badShape
	}
	return "▲"
}

func (n *needRow) color() string {
	if n.Level == evening.Bad {
		return badColor
	}
	return "#8a5c00"
}
