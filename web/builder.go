package web

import (
	"cmp"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// builder builds what one page shows of a snapshot, at one moment and within one access.
type builder struct {
	Request
	*words.Words      // in the request's language
	*figures.Snapshot // what the access includes of it
	// explains says that figures lead to their explanations.
	explains bool
	// params are the values of the request's parameters.
	params url.Values
	// beside is what the page's source gave; nil without one.
	beside any
	// form is what somebody typed into the page's form that could not be saved; nil where nothing was.
	form *SettingsForm
	// evening is the snapshot at the moment that is shown; nil until it is made, of recent ones.
	evening *evening.Evening
	recent  *recent
	// now is the minute that is shown; only the strip is finer.
	now  time.Time
	at   time.Time // the minute of the figures
	zone *time.Location
	// today is the running day of sale.
	today figures.Day
	// date is the calendar date of now, in words such as tomorrow. After midnight it is later than
	// the day of the evening.
	date figures.Day
	// shows is what was built, without its fragments once they are rendered.
	shows view
	// drawn are the rows that were rendered for this builder, and before those for the last one.
	drawn, before drawnRows
}

// view is what a page shows: its fragments, and what places them in the page.
type view struct {
	title string
	// body places the fragments and the charts in the page.
	body      func(*document) templ.Component
	fragments []fragment
	charts    []chart
}

// fragment is one element that a frame may replace, with its id.
type fragment struct {
	id   string
	html templ.Component
}

// forget lets go of what was only needed to build.
func (b *builder) forget() {
	b.evening, b.before, b.shows.fragments = nil, drawnRows{}, nil
}

// draw adds the chart that the caption is about.
func (v *view) draw(w caption, p plot) error {
	option, err := p.option()
	v.charts = append(v.charts, chart{w.Chart, w.Label, option})
	return err
}

// makeEvening makes the evening, unless it is made. It costs far more than to know that a view still shows the same.
func (b *builder) makeEvening() {
	if b.evening == nil {
		b.evening = b.recent.eveningOf(b.Access, b.Snapshot, b.now)
	}
}

func newBuilder(q Request, s *figures.Snapshot, now time.Time) *builder {
	s = q.Access.Within(s)
	zone := cmp.Or(s.Calendar.Zone, time.UTC)
	now = now.Truncate(time.Minute).In(zone)
	return &builder{Request: q, Words: words.Of(q.Locale), Snapshot: s, explains: PageNamed(q.Page).Explained, params: q.Params.values(), now: now, at: evening.MinuteOfFigures(s, now),
		zone: zone, today: s.Calendar.Day(now), date: figures.Day(now.In(zone).Format(time.DateOnly))}
}
