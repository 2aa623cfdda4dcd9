package calendar

import (
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	ics "github.com/arran4/golang-ical"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

const (
	// feedBefore and feedAfter are how many days before and after today the feed has.
	feedBefore, feedAfter = 31, 400
	// feedEvery is how often calendars are asked to look, as RFC 5545 writes a duration.
	feedEvery = "PT1H"
)

// Feed writes the performances as an iCalendar feed (RFC 5545), for calendars that read it by its address. public is the
// address of the pages. f asks for the page of this package.
func Feed(w io.Writer, r *web.Renderer, f web.Frame, venue string, public *url.URL) error {
	made, err := r.Builder(f)
	if err != nil {
		return err
	}
	made.MakeEvening()
	b := builder{Builder: made}
	c := ics.NewCalendarFor("housecount")
	c.SetMethod(ics.MethodPublish)
	name := venue
	if name == "" {
		name = "housecount"
	}
	c.SetName(name)
	c.SetXWRCalName(name)
	c.SetXWRTimezone(b.Zone.String())
	c.SetRefreshInterval(feedEvery)
	c.SetXPublishedTTL(feedEvery)
	from, to := b.Today.Add(-feedBefore), b.Today.Add(feedAfter)
	for _, e := range b.Snapshot.Events {
		if e.Date < from || e.Date > to || e.Date == "" {
			continue
		}
		b.addToFeed(c, b.Evening.Show(e), feedOf{venue, public})
	}
	return c.SerializeTo(w, ics.WithNewLineWindows)
}

// feedOf is whose feed it is: the name of the house, empty for none, and the address of its pages.
type feedOf struct {
	venue  string
	public *url.URL
}

// addToFeed adds a performance. One that is cancelled stays, as cancelled. One that is postponed is tentative, because calendars drop
// what is cancelled, and its tickets are still valid; its title says that its time is no longer that on which it is on.
func (b builder) addToFeed(c *ics.Calendar, s *evening.Show, of feedOf) {
	e := c.AddEvent(url.QueryEscape(s.Event.ID) + "@" + of.public.Hostname())
	changed := figures.Later(s.Event.UpdatedAt, time.Unix(0, 0))
	e.SetDtStampTime(b.At)
	e.SetModifiedAt(changed)
	e.SetSequence(int(changed.Unix() / 60)) // it grows with every change, and is small enough for calendars
	if at := s.Event.StartsAt; at.IsZero() {
		day, _ := time.Parse(time.DateOnly, string(s.Date)) // dates of performances are dates
		e.SetAllDayStartAt(day)
	} else {
		e.SetStartAt(at)
		if end := s.Event.EndsAt; end.After(at) {
			e.SetEndAt(end)
		}
	}
	title := words.Bare(b.TitleOf(s.EventFigures))
	e.SetSummary(title)
	hall := words.Bare(s.Event.Hall)
	if where := slices.DeleteFunc([]string{hall, of.venue}, func(s string) bool { return s == "" }); len(where) > 0 {
		e.SetLocation(strings.Join(slices.Compact(where), ", "))
	}
	e.SetURL(of.public.String() + web.EventHref(s.Event.ID))
	e.SetStatus(ics.ObjectStatusConfirmed)
	switch s.Phase {
	case evening.Cancelled:
		e.SetStatus(ics.ObjectStatusCancelled)
		e.SetSummary(b.Text("calendar.feed_off", words.Text("status", b.Badge(s)), words.Text("title", title)))
		e.SetDescription(b.Code("status", s.Phase.String()))
		return
	case evening.Postponed:
		e.SetStatus(ics.ObjectStatusTentative)
		e.SetSummary(b.Text("calendar.feed_postponed", words.Text("title", title)))
		e.SetDescription(b.offState(s))
		e.SetTimeTransparency(ics.TransparencyTransparent)
		return
	}
	if text := b.SoldOfShow(s).String(); text != "" && !strings.HasPrefix(text, words.Dash) {
		e.SetDescription(b.Text("calendar.feed_sold", words.Text("sold", text)))
	}
}
