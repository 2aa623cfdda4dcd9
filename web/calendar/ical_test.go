package calendar_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/calendar"
	"housecount/web/webtest"
)

// A calendar reads each performance once, with its times, and what is cancelled as cancelled; names are text; no role reads
// an amount.
func TestFeed(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt 1", "Tosca;\r\nATTENDEE:mailto:x@y.example, <b>", "Grote Zaal", "19:00", "20:15", 100)
	h.Sell(e, webtest.Sale{From: e.DoorsAt.Add(-3 * time.Hour), To: e.DoorsAt.Add(-2 * time.Hour), Paid: 5})
	h.Event("evt_off", "Afgelast", "", "19:00", "20:00", 20, webtest.OnDay(3), func(e *record.Event) { e.Status = record.EventCancelled })
	h.Event("evt_later", "Uitgesteld", "Foyer", "19:00", "20:00", 20, webtest.OnDay(4), func(e *record.Event) { e.Status = record.EventPostponed })
	h.Event("evt_old", "Oud", "", "19:00", "20:00", 20, webtest.OnDay(-40))
	h.Event("evt_day", "Hele dag", "", "19:00", "20:00", 20, webtest.OnDay(2), func(e *record.Event) {
		e.Date = e.StartsAt.Format(time.DateOnly)
		e.StartsAt, e.DoorsAt, e.EndsAt = time.Time{}, time.Time{}, time.Time{}
	})
	public, err := url.Parse("https://house.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range web.Roles {
		var b bytes.Buffer
		q := webtest.View{Page: "calendar", Params: "span=month"}.As(role)
		if err := calendar.Feed(&b, webtest.Renderer(t), web.Frame{Request: q, Snapshot: h.Snapshot(), Now: webtest.At("12:00"), Ready: true}, "De Waag", public); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "€") || strings.Contains(b.String(), "\nATTENDEE") {
			t.Errorf("%s reads\n%s", role, b.String())
		}
		for line := range strings.SplitSeq(b.String(), "\r\n") {
			if len(line) > 75 {
				t.Errorf("a line of %d bytes: %s", len(line), line)
			}
		}
		c, err := ics.ParseCalendar(&b)
		if err != nil {
			t.Fatal(err)
		}
		events := map[string]*ics.VEvent{}
		for _, one := range c.Events() {
			events[one.Id()] = one
		}
		if len(events) != 4 || len(c.Events()) != 4 {
			t.Fatalf("%s: %d events", role, len(events))
		}
		one := events["evt+1@house.example"]
		start, err := one.GetStartAt()
		if err != nil || !start.Equal(e.StartsAt) {
			t.Errorf("it begins at %v (%v), want %v", start, err, e.StartsAt)
		}
		for _, p := range []struct {
			of   *ics.VEvent
			name ics.ComponentProperty
			want string
		}{
			{one, ics.ComponentPropertySummary, "Tosca;ATTENDEE:mailto:x@y.example, <b>"}, {one, ics.ComponentPropertyLocation, "Grote Zaal, De Waag"}, {one, ics.ComponentPropertyStatus, "CONFIRMED"},
			{one, ics.ComponentPropertyDescription, "5 of 100 sold"}, {one, ics.ComponentPropertyUrl, "https://house.example/events/evt%201"},
			{events["evt_off@house.example"], ics.ComponentPropertyStatus, "CANCELLED"}, {events["evt_off@house.example"], ics.ComponentPropertySummary, "Cancelled: Afgelast"},
			{events["evt_off@house.example"], ics.ComponentPropertyLocation, "De Waag"}, {events["evt_later@house.example"], ics.ComponentPropertyStatus, "TENTATIVE"},
			{events["evt_later@house.example"], ics.ComponentPropertySummary, "Postponed, new date not known: Uitgesteld"}, {events["evt_later@house.example"], ics.ComponentPropertyTransp, "TRANSPARENT"}, {events["evt_day@house.example"], ics.ComponentPropertyDtStart, "20261122"},
		} {
			if got := p.of.GetProperty(p.name); got == nil || got.Value != p.want {
				t.Errorf("%s: %s is %v, want %q", role, p.name, got, p.want)
			}
		}
	}
}
