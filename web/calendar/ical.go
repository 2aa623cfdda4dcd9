package calendar

import (
	"io"
	"net/url"
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
	b := builder{made}
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
		b.addToFeed(c, b.Evening.Show(e), public)
	}
	return c.SerializeTo(w, ics.WithNewLineWindows)
}

// addToFeed adds a performance. One that is off stays, as cancelled.
func (b builder) addToFeed(c *ics.Calendar, s *evening.Show, public *url.URL) {
	e := c.AddEvent(url.QueryEscape(s.Event.ID) + "@" + public.Hostname())
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
	e.SetSummary(words.Bare(b.TitleOf(s.EventFigures)))
	if hall := words.Bare(s.Event.Hall); hall != "" {
		e.SetLocation(hall)
	}
	e.SetURL(public.String() + web.EventHref(s.Event.ID))
	e.SetStatus(ics.ObjectStatusConfirmed)
	if !s.Phase.GoesAhead() {
		e.SetStatus(ics.ObjectStatusCancelled)
		e.SetDescription(b.Code("status", s.Phase.String()))
		return
	}
	if text := b.SoldOfShow(s).String(); text != "" && !strings.HasPrefix(text, words.Dash) {
		e.SetDescription(b.Text("calendar.feed_sold", words.Text("sold", text)))
	}
}
