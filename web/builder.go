package web

import (
	"cmp"
	"net/url"
	"time"

	"github.com/a-h/templ"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web/charts"
	"housecount/web/words"
)

// Builder makes what one page shows of a snapshot, at one moment and within one access.
type Builder struct {
	Request
	*words.Words      // in the request's language
	*figures.Snapshot // what the access includes of it
	// explains is true on pages whose figures lead to their explanations.
	explains bool
	Values   url.Values
	// Source is what the page's source returned; nil for a page without one.
	Source any
	// Form is a submitted form that could not be saved; nil if there is none.
	Form any
	// Evening is the snapshot at the moment shown. It is nil until MakeEvening takes it from recent.
	Evening *evening.Evening
	recent  *recent
	Program Program // what runs
	waits   bool    // a change of the connection waits for the next start
	// away is since when the database does not answer.
	away Away
	// Now is the moment shown, to the minute; only the strip is to the second.
	Now  time.Time
	At   time.Time // the minute of the figures
	Zone *time.Location
	// Today is the running day of sale.
	Today figures.Day
	// Date is the calendar date of now, for words such as tomorrow. After midnight it is later than the day of the evening.
	Date figures.Day
	// shows is the result, without its fragments once they are rendered.
	shows View
	// drawn are the rows rendered by this builder; before are those of the builder before it.
	drawn, before drawnRows
}

// View is what a page shows: its fragments, and the body that places them.
type View struct {
	Title string
	// Body places the fragments and the charts in the page.
	Body      func(*Document) templ.Component
	Fragments []Fragment
	Charts    []chart
}

// Fragment is an element that a frame can replace, with its id.
type Fragment struct {
	ID   string
	HTML templ.Component
}

// forget drops what is needed only while building, so that it can be freed.
func (b *Builder) forget() {
	b.Evening, b.before, b.shows.Fragments = nil, drawnRows{}, nil
}

// Draw adds the chart that belongs to the caption.
func (v *View) Draw(w Caption, p charts.Plot) error {
	option, err := p.Option()
	v.Charts = append(v.Charts, chart{w.Chart, w.Label, option})
	return err
}

// MakeEvening sets b.evening if it is not set. This costs far more than finding that a view is unchanged.
func (b *Builder) MakeEvening() {
	if b.Evening == nil {
		b.Evening = b.recent.eveningOf(b.Access, b.Snapshot, b.Now)
	}
}

func NewBuilder(q Request, s *figures.Snapshot, now time.Time) *Builder {
	s = q.Access.Within(s)
	zone := cmp.Or(s.Calendar.Zone, time.UTC)
	now = now.Truncate(time.Minute).In(zone)
	return &Builder{Request: q, Words: words.Of(q.Locale), Snapshot: s, explains: PageNamed(q.Page).Explained, Values: q.Params.Values(), Now: now, At: evening.MinuteOfFigures(s, now),
		Zone: zone, Today: s.Calendar.Day(now), Date: figures.Day(now.In(zone).Format(time.DateOnly))}
}
