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

// builder makes what one page shows of a snapshot, at one moment and within one access.
type builder struct {
	Request
	*words.Words      // in the request's language
	*figures.Snapshot // what the access includes of it
	// explains is true on pages whose figures lead to their explanations.
	explains bool
	params   url.Values
	// source is what the page's source returned; nil for a page without one.
	source any
	// form is a submitted form that could not be saved; nil if there is none.
	form *SettingsForm
	// evening is the snapshot at the moment shown. It is nil until makeEvening takes it from recent.
	evening *evening.Evening
	recent  *recent
	// now is the moment shown, to the minute; only the strip is to the second.
	now  time.Time
	at   time.Time // the minute of the figures
	zone *time.Location
	// today is the running day of sale.
	today figures.Day
	// date is the calendar date of now, for words such as tomorrow. After midnight it is later than the day
	// of the evening.
	date figures.Day
	// shows is the result, without its fragments once they are rendered.
	shows view
	// drawn are the rows rendered by this builder; before are those of the builder before it.
	drawn, before drawnRows
}

// view is what a page shows: its fragments, and the body that places them.
type view struct {
	title string
	// body places the fragments and the charts in the page.
	body      func(*document) templ.Component
	fragments []fragment
	charts    []chart
}

// fragment is an element that a frame can replace, with its id.
type fragment struct {
	id   string
	html templ.Component
}

// forget drops what is needed only while building, so that it can be freed.
func (b *builder) forget() {
	b.evening, b.before, b.shows.fragments = nil, drawnRows{}, nil
}

// draw adds the chart that belongs to the caption.
func (v *view) draw(w caption, p plot) error {
	option, err := p.option()
	v.charts = append(v.charts, chart{w.Chart, w.Label, option})
	return err
}

// makeEvening sets b.evening if it is not set. This costs far more than finding that a view is unchanged.
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
