package web

import (
	"errors"
	"fmt"

	"housecount/aggregator/figures"
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
	// Readings are those of a performance, ascending; nil where none are stored.
	Readings func(event string) ([]figures.Reading, error)
	// Curve are those of a performance of which only what is left is known, the first of one whose doors
	// have opened, and none of any other. It answers at once; nil for none.
	Curve func(event string) []figures.Reading
	// Changed is what changed between values of the parameters since and until (see Since); nil where that
	// cannot be told.
	Changed func(since, until string) (figures.Changed, error)
	// Behind is what is behind a figure that is explained; nil where no explanation goes so far.
	Behind func(figures.Explanation) (figures.Behind, error)
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
	wakeRecords      = "records" // and readings, which nothing wakes: an explanation is of the moment at which it was asked for
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
	x, ok := b.evening.Explain(k, scopeOf(b.params.Get))
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
	figures.Explanation
	behind figures.Behind
}

// fromReadings asks of nothing where no performance is named, as fromRecords does.
var fromReadings = &source{wakeRecords, false, func(s Sources, b *builder) (any, error) {
	event := b.params.Get("event")
	if s.Readings == nil || event == "" {
		return []figures.Reading(nil), nil
	}
	return s.Readings(event)
}}

// fromCurve is asked again with every minute.
var fromCurve = &source{live.Minute, true, func(s Sources, b *builder) (any, error) {
	if s.Curve == nil {
		return []figures.Reading(nil), nil
	}
	return s.Curve(b.params.Get("event")), nil
}}

// fromChanges is of the moment at which it was asked for.
var fromChanges = &source{wakeRecords, false, func(s Sources, b *builder) (any, error) {
	if s.Changed == nil {
		return figures.Changed{}, nil
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
