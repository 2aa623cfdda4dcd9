package admin

import (
	"cmp"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/programme"
	"housecount/web/words"
)

// ProgrammeForm is the page on which an administrator edits a programme.
type ProgrammeForm struct {
	Locale web.Locale
	User   string

	ID      string // empty for a new programme
	Version int
	Name    string
	// Views are the views of the programme. The form adds BlankViews empty ones.
	Views []programme.View
	// Pages are the names of the pages that a view may show.
	Pages []string
	// Programmes are all programmes. Screens are the screens that have this one.
	Programmes []web.Choice
	Screens    []ProgrammeScreen
	// Wrong lists the faults of a submitted form, as codes of the family screen_wrong. WrongView is the
	// number of a faulty view, from 1; 0 means none.
	Wrong     []string
	WrongView int

	Snapshot *figures.Snapshot
	Now      time.Time

	upcoming []*figures.EventFigures // set by Write; see upcomingEvents
}

// ProgrammeScreen is a screen that has the programme of a form.
type ProgrammeScreen struct {
	Name   string
	Access web.Access
	Dark   programme.Hours
	Blank  bool // an administrator has blanked it, whatever the hour
	// Programmes are the programmes that the screen tries in order; it shows the first that has a view to
	// show. The first is the form's programme, limited to what the screen may show.
	Programmes []programme.Programme
}

// BlankViews is the number of empty views at the end of a form.
const BlankViews = 2

// Write writes the page as a document.
func (f ProgrammeForm) Write(w io.Writer, r *web.Renderer) error {
	f.upcoming = f.upcomingEvents()
	return r.Form(w, web.Form{Locale: f.Locale, User: f.User, Title: words.Of(f.Locale).Text("programme.title"), Body: f.html()})
}

// rows returns the views of the form, with the empty ones.
func (f ProgrammeForm) rows() []programme.View {
	return append(slices.Clip(f.Views), make([]programme.View, BlankViews)...)
}

// onDay reports whether a view may be shown on a day of the week, 1 for Monday. A view without days is shown
// every day.
func (f ProgrammeForm) onDay(v programme.View, day int) bool {
	return len(v.When.Days) == 0 || slices.Contains(v.When.Days, day)
}

func (f ProgrammeForm) screenNames() (all []string) {
	for _, screen := range f.Screens {
		all = append(all, screen.Name)
	}
	return all
}

func (f ProgrammeForm) pageChoices(w *words.Words, v programme.View) []web.Choice {
	all := []web.Choice{{ID: "", Name: w.Text("programme.no_view"), Chosen: v.Page == ""}}
	for _, page := range f.Pages {
		all = append(all, web.Choice{ID: page, Name: w.Code("screen_view", page), Chosen: page == v.Page})
	}
	return all
}

// maxEvents is the most upcoming performances that a form offers.
const maxEvents = 60

// upcomingEvents returns the first maxEvents performances from today on that may take place, by time.
func (f ProgrammeForm) upcomingEvents() (upcoming []*figures.EventFigures) {
	today := f.Snapshot.Calendar.Day(f.Now)
	for _, e := range f.Snapshot.Events {
		if e.Date >= today && evening.MayBeOn(e) {
			upcoming = append(upcoming, e)
		}
	}
	slices.SortStableFunc(upcoming, func(x, y *figures.EventFigures) int {
		return cmp.Or(cmp.Compare(x.Date, y.Date), x.Hours().Curtain.Compare(y.Hours().Curtain))
	})
	return slices.Clip(upcoming[:min(len(upcoming), maxEvents)])
}

// eventChoices returns the upcoming performances, and the performance of the view even if it is past or has
// been deleted.
func (f ProgrammeForm) eventChoices(w *words.Words, v programme.View) []web.Choice {
	c, today := f.Snapshot.Calendar, f.Snapshot.Calendar.Day(f.Now)
	zone := c.Zone
	if zone == nil {
		zone = time.UTC
	}
	upcoming, event := f.upcoming, f.Snapshot.Event(v.Event)
	if event != nil && !slices.Contains(upcoming, event) {
		upcoming = append(upcoming, event)
	}
	var all []web.Choice
	for _, e := range upcoming {
		name := w.DayShort(string(e.Date), string(today))
		if at := e.Event.StartsAt; !at.IsZero() {
			name += " " + w.Clock(at, zone)
		}
		all = append(all, web.Choice{ID: e.Event.ID, Name: name + " · " + cmp.Or(e.Event.Title, w.Text("show.untitled")), Chosen: e.Event.ID == v.Event})
	}
	if v.Event != "" && event == nil {
		all = append(all, web.Choice{ID: v.Event, Name: v.Event, Chosen: true})
	}
	return all
}

// dayMoments are the moments that depend on the performances of the day.
var dayMoments = []programme.Moment{programme.FirstDoors, programme.LastCurtain, programme.LastEnd}

// momentChoices returns the moments at which a view may begin or end. An empty id means a time of day.
func momentChoices(w *words.Words, chosen programme.Moment) []web.Choice {
	all := []web.Choice{{ID: "", Name: w.Text("programme.at_time"), Chosen: clockTime(chosen) == string(chosen)}}
	for _, m := range dayMoments {
		all = append(all, web.Choice{ID: string(m), Name: w.Code("programme_moment", string(m)), Chosen: m == chosen})
	}
	return all
}

// clockTime returns the moment if it is a time of day, empty if it depends on the performances.
func clockTime(m programme.Moment) string {
	if slices.Contains(dayMoments, m) {
		return ""
	}
	return string(m)
}

func phaseChoices(w *words.Words, chosen programme.Phase) []web.Choice {
	all := []web.Choice{{ID: "", Name: w.Text("programme.any_phase"), Chosen: chosen == ""}}
	for _, p := range []programme.Phase{programme.Arriving, programme.Running, programme.Interval, programme.InUse} {
		all = append(all, web.Choice{ID: string(p), Name: w.Code("programme_phase", string(p)), Chosen: p == chosen})
	}
	return all
}

// conditionWords describes when a view is shown, what it is about and for how long.
func (f ProgrammeForm) conditionWords(w *words.Words, v programme.View) words.Sentence {
	var all []words.Sentence
	add := func(text string) { all = append(all, words.Sentence{{Text: text}}) }
	momentText := func(m programme.Moment) string {
		if clockTime(m) == "" {
			return w.Code("programme_moment", string(m))
		}
		return string(m)
	}
	if c := v.When; c.From != "" {
		add(w.Text("programme.from", words.Text("time", momentText(c.From))))
	}
	if c := v.When; c.To != "" {
		add(w.Text("programme.to", words.Text("time", momentText(c.To))))
	}
	if v.When.Phase != "" {
		add(w.Code("programme_phase", string(v.When.Phase)))
	}
	if v.When.FewLeft {
		add(w.Text("programme.few_left"))
	}
	if v.When.Alert {
		add(w.Text("programme.alert"))
	}
	if len(v.When.Days) > 0 {
		var names []string
		for _, d := range v.When.Days {
			names = append(names, weekday(w, d))
		}
		add(w.List(names))
	}
	if len(all) == 0 {
		add(w.Text("programme.always"))
	}
	if c := v.When; c.Hall != "" && c.Hall != v.Hall {
		all = append(all, w.Say("programme.by_hall", words.Name("hall", c.Hall)))
	}
	if v.Hall != "" {
		all = append(all, words.NameAlone(v.Hall))
	}
	if e := f.Snapshot.Event(v.Event); e != nil && web.HasParam(v.Page, "event") {
		all = append(all, words.NameAlone(e.Event.Title))
	}
	if v.Text != "" && web.HasParam(v.Page, "text") {
		all = append(all, words.NameAlone(v.Text))
	}
	turn := w.Text("programme.seconds_each", words.Int("n", v.Seconds))
	if v.Alone {
		turn = w.Text("programme.alone")
	}
	return words.Join(" · ", append(all, words.Sentence{{Text: turn}})...)
}

// weekday returns the abbreviation of a day of the week, 1 for Monday.
func weekday(w *words.Words, day int) string { return w.Code("weekday", strconv.Itoa(day)) }

// programmeDay is what a group of screens shows today.
type programmeDay struct {
	Screens words.Sentence // their names and access; empty if no screen has the programme
	Spans   []programmeSpan
}

// programmeSpan is what the screens show in a part of the day.
type programmeSpan struct {
	Time  string
	Now   bool
	Dark  bool
	Views words.Sentence
	// Height is as long as the part is, within limits, and Turns are the views side by side, each as wide as its seconds.
	Height int
	Turns  []turn
}

// turn is where the turn of a view begins from the left, and how wide it is.
type turn struct{ At, Width int }

// turnsWidth is how wide the turns are together, in pixels; between two is one of them.
const turnsWidth = 72

// turnsOf returns the turns of the views that are shown in a part of the day.
func turnsOf(s programme.Span) (turns []turn) {
	if s.Dark {
		return []turn{{0, turnsWidth}}
	}
	all, before := 0, 0
	for _, v := range s.Views {
		all += max(v.Seconds, 1)
	}
	for _, v := range s.Views {
		at := turnsWidth * before / all
		before += max(v.Seconds, 1)
		turns = append(turns, turn{at, max(turnsWidth*before/all-at-1, 1)})
	}
	return turns
}

// days returns what the screens of the programme show today, computed by programme.Day. Screens with the same
// access, dark hours and blank state share a day. If no screen has the programme, it is the day of the
// programme alone.
func (f ProgrammeForm) days(w *words.Words) []programmeDay {
	if len(f.Screens) == 0 {
		return []programmeDay{{Spans: f.spans(w, programme.Day(f.Snapshot, f.Now, "", programme.Programme{Views: f.Views}))}}
	}
	type dayKey struct {
		access web.Access
		dark   programme.Hours
		blank  bool
	}
	names := make(map[dayKey][]string)
	var days []programmeDay
	var keys []dayKey
	for _, screen := range f.Screens {
		k := dayKey{screen.Access, screen.Dark, screen.Blank}
		if names[k] == nil {
			keys = append(keys, k)
			day := programmeDay{}
			spans := programme.Day(f.Snapshot, f.Now, screen.Dark, screen.Programmes...)
			if screen.Blank {
				spans = []programme.Span{{From: spans[0].From, To: spans[len(spans)-1].To, Dark: true}}
			}
			day.Spans = f.spans(w, spans)
			days = append(days, day)
		}
		names[k] = append(names[k], screen.Name)
	}
	for i, k := range keys {
		days[i].Screens = words.Join(" · ", w.Names(names[k]), AccessWords(w, k.access))
	}
	return days
}

func (f ProgrammeForm) spans(w *words.Words, spans []programme.Span) (all []programmeSpan) {
	zone := f.Snapshot.Calendar.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, s := range spans {
		row := programmeSpan{Time: w.Text("time.span", words.Text("from", w.Clock(s.From, zone)), words.Text("to", w.Clock(s.To, zone))),
			Now: !f.Now.Before(s.From) && f.Now.Before(s.To), Dark: s.Dark,
			Height: min(max(int(s.To.Sub(s.From).Minutes())/3, 24), 120), Turns: turnsOf(s)}
		var views []words.Sentence
		for _, v := range s.Views {
			text := w.Code("screen_view", v.Page)
			if len(s.Views) > 1 {
				text = w.Text("programme.turn", words.Text("view", text), words.Int("n", v.Seconds))
			}
			view := words.Sentence{{Text: text}}
			if v.Hall != "" {
				view = words.Join(", ", view, words.NameAlone(v.Hall))
			}
			views = append(views, view)
		}
		row.Views = words.Join(" · ", views...)
		switch {
		case s.Dark:
			row.Views = words.Sentence{{Text: w.Code("screen_view", web.DarkPage)}}
		case len(views) == 0:
			row.Views = w.Say("programme.nothing")
		case s.Of > 0:
			row.Views = w.Say("programme.instead", words.Part("views", row.Views))
		}
		all = append(all, row)
	}
	return all
}

// leftOut names the views that some kinds of screens cannot show: public screens, office screens without
// money, and screens of several halls if a view needs one and does not name it.
func (f ProgrammeForm) leftOut(w *words.Words) (all []string) {
	public, office := web.Access{Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney}
	for _, kind := range []struct {
		code     string
		excluded func(*web.Page, programme.View) bool
	}{
		{"programme.public_without", func(p *web.Page, _ programme.View) bool { return !p.May(public) }},
		{"programme.office_without", func(p *web.Page, _ programme.View) bool { return !p.May(office) }},
		{"programme.hall_without", func(p *web.Page, v programme.View) bool { return v.Hall == "" && p.Needs("hall") }},
	} {
		var out []string
		for _, v := range f.Views {
			text := w.Code("screen_view", v.Page)
			if p := web.PageNamed(v.Page); p != nil && !slices.Contains(out, text) && kind.excluded(p, v) {
				out = append(out, text)
			}
		}
		if len(out) > 0 {
			all = append(all, w.Text(kind.code, words.Text("views", w.List(out))))
		}
	}
	return all
}

// fieldName returns the name of a form field of view i, counted from 0.
func fieldName(name string, i int) string { return name + "." + strconv.Itoa(i) }

// momentIn returns the chosen moment of the day, or the time in the field next to it if none is chosen.
func momentIn(field func(string) string, name string) programme.Moment {
	return programme.Moment(cmp.Or(field(name), field(name+"_time")))
}

// ReadViews returns the views that were sent with the form of a programme, in the order of its numbers.
func ReadViews(form url.Values) []programme.View {
	type placed struct {
		programme.View
		place float64
	}
	var all []placed
	for i := range programme.MostViews + BlankViews {
		field := func(name string) string { return form.Get(name + "." + strconv.Itoa(i)) }
		if field("page") == "" {
			continue
		}
		v := placed{View: programme.View{Page: field("page"), Hall: field("hall"), Event: field("event"), Text: strings.TrimSpace(field("text")), Alone: field("alone") != "", When: programme.Condition{
			From: momentIn(field, "from"), To: momentIn(field, "to"), Phase: programme.Phase(field("phase")), Hall: field("when_hall"), FewLeft: field("few") != "", Alert: field("alert") != ""}}}
		v.Seconds, _ = strconv.Atoi(strings.TrimSpace(field("seconds"))) // an invalid number is 0, which is too few
		for _, day := range form["day."+strconv.Itoa(i)] {
			if n, err := strconv.Atoi(day); err == nil {
				v.When.Days = append(v.When.Days, n)
			}
		}
		if len(v.When.Days) == 7 {
			v.When.Days = nil
		}
		var err error
		if v.place, err = strconv.ParseFloat(strings.TrimSpace(field("order")), 64); err != nil || math.IsNaN(v.place) {
			v.place = float64(i + 1)
		}
		all = append(all, v)
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	views := make([]programme.View, len(all))
	for i, v := range all {
		views[i] = v.View
	}
	return views
}
