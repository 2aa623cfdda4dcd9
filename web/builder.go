package web

import (
	"cmp"
	"encoding/json"
	"net/url"
	"time"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// builder builds what one page shows of a snapshot, at one moment and within one access.
type builder struct {
	Request
	*words.Words      // in the request's language
	*figures.Snapshot // what the access includes of it
	// params are the values of the request's parameters.
	params url.Values
	// evening is the snapshot at the moment that is shown; nil until a view is built.
	evening *figures.Evening
	// now is the minute that is shown; only the strip is finer.
	now  time.Time
	at   time.Time // the minute of the figures
	zone *time.Location
	// today is the running day of sale.
	today figures.Day
	// date is the calendar date of now, in words such as tomorrow. After midnight it is later than
	// the day of the evening.
	date figures.Day
}

// view is what a page shows: its fragments, and what places them in the page.
type view struct {
	title     string
	data      any
	fragments []fragment
	charts    map[string]json.RawMessage
	// missing says that what the page is about does not exist.
	missing bool
}

// fragment is one element that a frame may replace.
type fragment struct {
	id       string
	template string
	data     any
}

func newBuilder(q Request, s *figures.Snapshot, now time.Time) *builder {
	if !q.Access.wholeHouse() {
		s = s.InHalls(q.Access.Halls())
	}
	now = now.Truncate(time.Minute)
	zone := cmp.Or(s.Calendar.Zone, time.UTC)
	return &builder{Request: q, Words: words.Of(q.Locale), Snapshot: s, params: q.Params.values(), now: now, at: s.MinuteOfFigures(now),
		zone: zone, today: s.Calendar.Day(now), date: figures.Day(now.In(zone).Format(time.DateOnly))}
}
