package admin

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/programme"
	"housecount/web/words"
)

// ProgrammeForm is the page on which an administrator edits a programme: what its screens show when.
type ProgrammeForm struct {
	Locale web.Locale
	User   string

	ID      string // empty for a new one
	Version int
	Name    string
	// Views are those of the programme; the page has room for MoreViews after them.
	Views []programme.View
	// Pages are the names of the pages that may be views.
	Pages []string
	// Others are all programmes, and Screens the screens that follow this one.
	Programmes []web.Choice
	Screens    []ProgrammeScreen
	// Wrong are the codes of what has to be looked at again, and WrongView of which view, from 1; 0 for
	// none.
	Wrong     []string
	WrongView int

	Snapshot *figures.Snapshot
	Now      time.Time

	next []*figures.EventFigures // to choose from
}

// ProgrammeScreen is a screen that follows a programme.
type ProgrammeScreen struct {
	Name   string
	Access web.Access
	Dark   programme.Hours
	Blank  bool // it was sent dark, whatever the hour
	// Follows are the programmes of which it shows the first that has something to show: this one, as far
	// as it may show that, and others.
	Follows []programme.Programme
}

// MoreViews is how many views can be added at once.
const MoreViews = 2

// Write writes a whole document.
func (f ProgrammeForm) Write(w io.Writer, r *web.Renderer) error {
	f.next = f.nextEvents()
	return r.Form(w, web.Form{Locale: f.Locale, User: f.User, Title: words.Of(f.Locale).Text("programme.title"), Body: f.html()})
}

// rows returns the views with room for more.
func (f ProgrammeForm) rows() []programme.View {
	return append(slices.Clip(f.Views), make([]programme.View, MoreViews)...)
}

// days are the days of the week on which a view may have a turn; a new one has them all.
func (f ProgrammeForm) onDay(v programme.View, day int) bool {
	return len(v.When.Days) == 0 || slices.Contains(v.When.Days, day)
}

func (f ProgrammeForm) names() (all []string) {
	for _, one := range f.Screens {
		all = append(all, one.Name)
	}
	return all
}

func (f ProgrammeForm) pages(w *words.Words, v programme.View) []web.Choice {
	all := []web.Choice{{ID: "", Name: w.Text("programme.no_view"), Chosen: v.Page == ""}}
	for _, page := range f.Pages {
		all = append(all, web.Choice{ID: page, Name: w.Code("screen_view", page), Chosen: page == v.Page})
	}
	return all
}

// mostEvents is how many performances there are to choose from.
const mostEvents = 60

// nextEvents returns the next performances that may be on.
func (f ProgrammeForm) nextEvents() (next []*figures.EventFigures) {
	today := f.Snapshot.Calendar.Day(f.Now)
	for _, e := range f.Snapshot.Events {
		if e.Date >= today && web.MayBeOn(e) {
			next = append(next, e)
		}
	}
	slices.SortStableFunc(next, func(x, y *figures.EventFigures) int {
		return cmp.Or(cmp.Compare(x.Date, y.Date), x.Hours().Curtain.Compare(y.Hours().Curtain))
	})
	return slices.Clip(next[:min(len(next), mostEvents)])
}

// events returns the next performances, and the one that a view is about, also where it is past or gone.
func (f ProgrammeForm) events(w *words.Words, v programme.View) []web.Choice {
	c, today := f.Snapshot.Calendar, f.Snapshot.Calendar.Day(f.Now)
	zone := c.Zone
	if zone == nil {
		zone = time.UTC
	}
	next, about := f.next, f.Snapshot.Event(v.Event)
	if about != nil && !slices.Contains(next, about) {
		next = append(next, about)
	}
	var all []web.Choice
	for _, e := range next {
		name := w.DayShort(string(e.Date), string(today))
		if at := e.Event.StartsAt; !at.IsZero() {
			name += " " + w.Clock(at, zone)
		}
		all = append(all, web.Choice{ID: e.Event.ID, Name: name + " · " + cmp.Or(e.Event.Title, w.Text("show.untitled")), Chosen: e.Event.ID == v.Event})
	}
	if v.Event != "" && about == nil {
		all = append(all, web.Choice{ID: v.Event, Name: v.Event, Chosen: true})
	}
	return all
}

// dayMoments are those that the day's performances give.
var dayMoments = []programme.Moment{programme.FirstDoors, programme.LastCurtain, programme.LastEnd}

// moments returns the moments, in addition to a time of day, at which a view may begin or end.
func moments(w *words.Words, chosen programme.Moment) []web.Choice {
	all := []web.Choice{{ID: "", Name: w.Text("programme.at_time"), Chosen: timeOf(chosen) == string(chosen)}}
	for _, m := range dayMoments {
		all = append(all, web.Choice{ID: string(m), Name: w.Code("programme_moment", string(m)), Chosen: m == chosen})
	}
	return all
}

// timeOf returns the time of day at which a view begins or ends; empty if that is another moment.
func timeOf(m programme.Moment) string {
	if slices.Contains(dayMoments, m) {
		return ""
	}
	return string(m)
}

func phases(w *words.Words, chosen programme.Phase) []web.Choice {
	all := []web.Choice{{ID: "", Name: w.Text("programme.any_phase"), Chosen: chosen == ""}}
	for _, p := range []programme.Phase{programme.Arriving, programme.Running, programme.Interval, programme.InUse} {
		all = append(all, web.Choice{ID: string(p), Name: w.Code("programme_phase", string(p)), Chosen: p == chosen})
	}
	return all
}

// when returns a view's condition in words.
func (f ProgrammeForm) when(w *words.Words, v programme.View) words.Sentence {
	var all []words.Sentence
	say := func(text string) { all = append(all, words.Sentence{{Text: text}}) }
	moment := func(m programme.Moment) string {
		if timeOf(m) == "" {
			return w.Code("programme_moment", string(m))
		}
		return string(m)
	}
	if c := v.When; c.From != "" {
		say(w.Text("programme.from", words.Text("time", moment(c.From))))
	}
	if c := v.When; c.To != "" {
		say(w.Text("programme.to", words.Text("time", moment(c.To))))
	}
	if v.When.Phase != "" {
		say(w.Code("programme_phase", string(v.When.Phase)))
	}
	if v.When.FewLeft {
		say(w.Text("programme.few_left"))
	}
	if v.When.Alert {
		say(w.Text("programme.alert"))
	}
	if len(v.When.Days) > 0 {
		var names []string
		for _, d := range v.When.Days {
			names = append(names, weekday(w, d))
		}
		say(w.List(names))
	}
	if len(all) == 0 {
		say(w.Text("programme.always"))
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

// weekday returns a day of the week, 1 for Monday, in a few letters.
func weekday(w *words.Words, day int) string { return w.Code("weekday", strconv.Itoa(day)) }

// programmeDay is what some screens show today.
type programmeDay struct {
	Of    words.Sentence // the screens, and what they may show; nothing if it is of none
	Spans []programmeSpan
}

// programmeSpan is what they show in a part of the day.
type programmeSpan struct {
	Time  string
	Now   bool
	Views words.Sentence
}

// days returns the day ahead, as the pure function has it: of the programme alone where no screen follows it, and
// otherwise of those that do. Screens with the same day share it.
func (f ProgrammeForm) days(w *words.Words) []programmeDay {
	if len(f.Screens) == 0 {
		return []programmeDay{{Spans: f.spans(w, programme.Day(f.Snapshot, f.Now, "", programme.Programme{Views: f.Views}))}}
	}
	type kind struct {
		access web.Access
		dark   programme.Hours
		blank  bool
	}
	names := make(map[kind][]string)
	var days []programmeDay
	var kinds []kind
	for _, one := range f.Screens {
		k := kind{one.Access, one.Dark, one.Blank}
		if names[k] == nil {
			kinds = append(kinds, k)
			day := programmeDay{}
			switch all := programme.Day(f.Snapshot, f.Now, one.Dark, one.Follows...); {
			case one.Blank:
				day.Spans = f.spans(w, []programme.Span{{From: all[0].From, To: all[len(all)-1].To, Dark: true}})
			default:
				day.Spans = f.spans(w, all)
			}
			days = append(days, day)
		}
		names[k] = append(names[k], one.Name)
	}
	for i, k := range kinds {
		days[i].Of = words.Join(" · ", w.Names(names[k]), MayShow(w, k.access))
	}
	return days
}

func (f ProgrammeForm) spans(w *words.Words, spans []programme.Span) (all []programmeSpan) {
	zone := f.Snapshot.Calendar.Zone
	if zone == nil {
		zone = time.UTC
	}
	for _, s := range spans {
		one := programmeSpan{Time: w.Text("time.span", words.Text("from", w.Clock(s.From, zone)), words.Text("to", w.Clock(s.To, zone))),
			Now: !f.Now.Before(s.From) && f.Now.Before(s.To)}
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
		one.Views = words.Join(" · ", views...)
		switch {
		case s.Dark:
			one.Views = words.Sentence{{Text: w.Code("screen_view", web.DarkPage)}}
		case len(views) == 0:
			one.Views = w.Say("programme.nothing")
		case s.Of > 0:
			one.Views = w.Say("programme.instead", words.Part("views", one.Views))
		}
		all = append(all, one)
	}
	return all
}

// leftOut returns what screens of the programme leave out because they may not show all of it: public
// screens, office screens without money, and screens of several halls if a view needs one hall and the
// programme names none.
func (f ProgrammeForm) leftOut(w *words.Words) (all []string) {
	public, office := web.Access{Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney}
	for _, kind := range []struct {
		code string
		not  func(*web.Page, programme.View) bool
	}{
		{"programme.public_without", func(p *web.Page, _ programme.View) bool { return !p.May(public) }},
		{"programme.office_without", func(p *web.Page, _ programme.View) bool { return !p.May(office) }},
		{"programme.hall_without", func(p *web.Page, v programme.View) bool { return v.Hall == "" && p.Needs("hall") }},
	} {
		var out []string
		for _, v := range f.Views {
			text := w.Code("screen_view", v.Page)
			if p := web.PageNamed(v.Page); p != nil && !slices.Contains(out, text) && kind.not(p, v) {
				out = append(out, text)
			}
		}
		if len(out) > 0 {
			all = append(all, w.Text(kind.code, words.Text("views", w.List(out))))
		}
	}
	return all
}

// fieldOf returns the name of a field of the i-th view.
func fieldOf(name string, i int) string { return name + "." + strconv.Itoa(i) }
