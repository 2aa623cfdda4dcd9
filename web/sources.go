package web

import (
	"errors"
	"fmt"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/web/live"
)

// Sources give pages what they show beside the figures; whoever makes a Renderer hands them to it.
// A page's row names its source. They are asked for every rendering, and what they give counts as
// what the page shows: where it is the same, nothing is rendered anew. They may take their time,
// for which no other page waits (Request.Waits), and end by themselves. An error is one of the page.
type Sources struct {
	// Sessions is who is signed in, and what was done. It is asked of people whose access includes
	// the page alone.
	Sessions func(SessionsQuery) (Sessions, error)
	// Screens are those that hang, for those who look after the house.
	Screens func() (Screens, error)
	// ScreenAlerts are of screens that need attention. It answers at once; nil for none.
	ScreenAlerts func() []ScreenAlert
	// PastFrom returns the moment from which the past is known, zero where it is not known at all; nil for never. It
	// returns at once.
	PastFrom func() time.Time
	// Past returns the past of a performance, minute by minute, none where it is not known.
	Past func(event string) ([]figures.MinuteFigures, error)
	// PastSoon returns it at once, as it was last known where it is not known now; nil for none.
	PastSoon func(event string) []figures.MinuteFigures
	// Changed is what changed between values of the parameters since and until (see Since); nil where that
	// cannot be told.
	Changed func(since, until string) (catalogue.Changed, error)
	// Behind is what is behind a figure that is explained; nil where no explanation goes so far.
	Behind func(catalogue.Explanation) (catalogue.Behind, error)
}

// source is where a page has from what it shows beside the figures.
type source struct {
	// subject wakes the page; see Request.Wakes.
	subject string
	// atOnce says that it answers at once.
	atOnce bool
	read   func(Sources, *builder) (any, error)
}

// The subjects of sources. Who hands a source to a Renderer wakes its subject when it may give
// something else.
const (
	WakeSessions     = "sessions"
	WakeScreens      = "screens"
	WakeScreenAlerts = "screen alerts"
	wakeRecords      = "records" // and the past, which nothing wakes: an explanation is of the moment at which it was asked for
)

var fromScreens = &source{WakeScreens, false, func(s Sources, _ *builder) (any, error) {
	if s.Screens == nil {
		return nil, errors.New("no source of screens was given")
	}
	return s.Screens()
}}

var fromScreenAlerts = &source{WakeScreenAlerts, true, func(s Sources, _ *builder) (any, error) {
	if s.ScreenAlerts == nil {
		return []ScreenAlert(nil), nil
	}
	return s.ScreenAlerts(), nil
}}

var fromSessions = &source{WakeSessions, false, func(s Sources, b *builder) (any, error) {
	if s.Sessions == nil {
		return nil, errors.New("no source of sessions was given")
	}
	return s.Sessions(sessionsQuery(b.params))
}}

// fromRecords asks of nothing where no figure is named: what the live topic shows is none. Its figure is
// explained before, at an evening that the page is built of then.
var fromRecords = &source{wakeRecords, false, func(s Sources, b *builder) (any, error) {
	k := figures.Key(b.params.Get("figure"))
	if k == "" {
		return explained{}, nil
	}
	b.makeEvening()
	x, ok := catalogue.Explain(b.evening, k, scopeOf(b.params.Get))
	if !ok {
		return nil, ErrNotFound
	}
	if s.Behind == nil {
		return explained{Explanation: x}, nil
	}
	behind, err := s.Behind(x)
	return explained{x, behind}, err
}}

// explained is a figure with what is behind it.
type explained struct {
	catalogue.Explanation
	behind catalogue.Behind
}

// past is what is known of a performance before now.
type past struct {
	replays bool // there is something to replay
	minutes []figures.MinuteFigures
}

// fromPast asks nothing where no performance is named, as fromRecords does.
var fromPast = &source{wakeRecords, false, func(s Sources, b *builder) (any, error) {
	event := b.params.Get("event")
	if s.Past == nil || event == "" {
		return past{}, nil
	}
	minutes, err := s.Past(event)
	return past{minutes: minutes}, err
}}

// fromPastSoon is asked again with every minute. The minutes are only of a performance whose sales curve is made of them.
var fromPastSoon = &source{live.Minute, true, func(s Sources, b *builder) (any, error) {
	var p past
	e := b.Event(b.params.Get("event"))
	if e == nil {
		return p, nil
	}
	if s.PastFrom != nil {
		p.replays = b.replays(e, s.PastFrom())
	}
	if s.PastSoon != nil && e.OnlyAvailableKnown() {
		p.minutes = s.PastSoon(e.Event.ID)
	}
	return p, nil
}}

// fromChanges is of the moment at which it was asked for.
var fromChanges = &source{wakeRecords, false, func(s Sources, b *builder) (any, error) {
	if s.Changed == nil {
		return catalogue.Changed{}, nil
	}
	return s.Changed(b.params.Get("since"), b.params.Get("until"))
}}

// readSource asks the page's source, if it has one.
func (b *builder) readSource(s Sources) (err error) {
	if from := PageNamed(b.Page).source; from != nil {
		if b.beside, err = from.read(s, b); err != nil {
			return fmt.Errorf("web: page %s: %w", b.Page, err)
		}
	}
	return nil
}

// Waits says that to render the request means to wait for its source.
func (q Request) Waits() bool {
	from := PageNamed(q.Page).source
	return from != nil && !from.atOnce
}

// OnWall says that the request is of a page that hangs on a wall.
func (q Request) OnWall() bool { return PageNamed(q.Page).Wall }
