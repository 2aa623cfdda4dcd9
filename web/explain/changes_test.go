package explain_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/explain"
	"housecount/web/query"
	"housecount/web/webtest"
	"housecount/web/words"
)

// What changed is said in a line, then by performance and by record; amounts and payments are for those
// who see money, and of what is stored no more it is said that it is gone.
func TestChangesPage(t *testing.T) {
	s := webtest.Small(t).Snapshot()
	was := s.Event("evt_a").Event
	is := was
	is.Hall, is.Title, is.StartsAt, is.Status = "Grote Zaal", "<b>Tel</b>", was.StartsAt.AddDate(0, 0, 1), record.EventCancelled
	changed := catalogue.Changed{From: webtest.ShowTime.AddDate(0, 0, -1), After: 12, Until: webtest.ShowTime.Add(-time.Hour), UpTo: 34, All: 70, Aside: 2,
		Events: []catalogue.EventChange{{Before: &was, After: &is, Sold: 43, Cancelled: 2, By: []catalogue.FigureChange{{Key: figures.KeySold, Value: figures.Value{Count: 41}},
			{Key: figures.KeyPaid, Value: figures.Value{Count: 7}}, {Key: figures.KeyUnpaid, Value: figures.Value{Count: 4}}, {Key: figures.KeyOversold, Value: figures.Value{Count: 5}}, {Key: figures.KeyReceived, Value: figures.Value{Amount: figures.Sums{{Amount: 7700, Currency: "EUR"}}}}, {Key: figures.KeyCame, Value: figures.Value{Count: 3}}, {Key: figures.KeyBooked, Value: figures.Value{Amount: figures.Sums{{Amount: -5500, Currency: "EUR"}}}}}},
			{After: &record.Event{ID: "evt_new", Title: "Volle Bak", Date: "2026-12-01"}}, {Before: &record.Event{ID: "evt_gone", Title: "Afgelast", Date: "2026-12-02"}}},
		Records: []catalogue.Change{{RecordBehind: catalogue.RecordBehind{Kind: record.KindPayment, ID: "pay_1", Amount: record.Money{Amount: 5500, Currency: "EUR"}, Status: "refunded"}, Seen: webtest.ShowTime},
			{RecordBehind: catalogue.RecordBehind{Kind: record.KindTicket, ID: "pay_<", Order: "o", Status: "valid"}, Seen: webtest.ShowTime}}}
	asked := ""
	r := webtest.RendererWith(t, web.Sources{Changed: func(since, until string) (catalogue.Changed, error) { asked = since + until; return changed, nil }})
	v := webtest.View{Page: "changes", Params: query.Params(url.Values{"since": {"2026-11-19T22:10"}, "until": {"2026-11-20T18:52"}}.Encode())}
	shown := func(role web.Role) string {
		return strings.ReplaceAll(webtest.Page(t, r, v.As(role), s, webtest.ShowTime), "\u00a0", " ")
	}
	manager, door := shown(web.Manager), shown(web.Door)
	if asked != "2026-11-19T22:102026-11-20T18:52" {
		t.Errorf("asked since %q", asked)
	}
	for _, want := range []string{"<b>43 places</b> sold, <b>2 places</b> cancelled, <b>3 visitors</b> more came", "2 more performances have changed", "&lt;b&gt;Tel&lt;/b&gt;</bdi></b> moved from", "Grote Zaal",
		"is <b>cancelled</b>", "was called", "Volle Bak</bdi></b> is new", "is not listed any more", ">+41</a>", "/explain/sold?event=evt_a", "pay_&lt;</code>", "without a seat +5 · not yet paid +4", `data-label="Sold"`, "</summary>paid +7", "18:52</b>", `value="2026-11-20T18:52"`} {
		if !strings.Contains(manager, want) || !strings.Contains(door, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, want := range []string{"booked <b>−€55.00</b>", "pay_1", "received before refunds +€77.00"} {
		if !strings.Contains(manager, want) || strings.Contains(door, want) {
			t.Errorf("%q is to be shown to who sees money alone", want)
		}
	}
	if m := webtest.Amounts.FindString(door); m != "" {
		t.Errorf("door sees %s", m)
	}
	look := webtest.LookForWords(t)
	for range 2 {
		look("changes", webtest.Page(t, r, webtest.In(words.Pseudo, v.As(web.Manager)), s, webtest.ShowTime))
		changed = catalogue.Changed{Gone: true, From: webtest.ShowTime.AddDate(-3, 0, 0), StoredFrom: webtest.ShowTime.AddDate(-1, 0, 0)}
	}
	s.Calendar.Cutoff = 6 * time.Hour
	changed = catalogue.Changed{From: webtest.At("03:15"), After: 12, UpTo: 34}
	if night := shown(web.Manager); !strings.Contains(night, "today, 03:15") {
		t.Error("three in the morning is not said to be of today")
	}
	webtest.Lacks(t, "a later visit", shown(web.Manager), "First visit")
	of := v
	v = webtest.View{Page: "changes", Params: query.Params(strings.TrimPrefix(explain.ChangesOfFirstVisit, web.ChangesPath+"?"))}
	first := shown(web.Manager)
	webtest.Wants(t, "the first visit", first, "First visit: the changes of today. From the next visit on, since this one.", `<a href="/changes/visit" aria-current="`)
	if strings.Count(first, "aria-current") != 2 || asked != "day" { // the navigation, and the last visit
		t.Errorf("the first visit asks since %q, and %d are current", asked, strings.Count(first, "aria-current"))
	}
	v = of
	changed = catalogue.Changed{Late: true}
	if late := shown(web.Manager); !strings.Contains(late, "has not answered in time") || strings.Contains(late, "of the log") {
		t.Error("nothing says that there was no time")
	}
	changed = catalogue.Changed{Gone: true, Reading: true, StoredFrom: webtest.ShowTime}
	if reading := shown(web.Manager); !strings.Contains(reading, "A list is still being read for the first time.") || strings.Contains(reading, "Choose a later moment.") {
		t.Errorf("while a list is read: %s", reading)
	}
	changed = catalogue.Changed{Gone: true, StoredFrom: webtest.ShowTime}
	if gone := shown(web.Manager); !strings.Contains(gone, "Changes are known since") || !strings.Contains(gone, "Choose a later moment.") || strings.Contains(gone, "<table") {
		t.Error("nothing says that what was before is gone, and what to do")
	}
	changed = catalogue.Changed{Cut: true, From: webtest.At("16:00"), StoredFrom: webtest.At("16:00"), Events: []catalogue.EventChange{{After: &record.Event{ID: "evt_a", Title: "De Vader"}, Sold: 3}}}
	webtest.Wants(t, "a visit before anything was stored", webtest.Text(shown(web.Manager)), "Since today, 16:00", "3 places sold.", "Changes before today, 16:00 are not known.")
}

// The values of since that an address may have, and what they mean.
func TestSince(t *testing.T) {
	c := figures.Calendar{Zone: webtest.Amsterdam, Cutoff: 6 * time.Hour}
	l := ledger.New(c)
	for i, e := range []record.Event{{ID: "earlier", Date: "2026-11-18", StartsAt: time.Date(2026, 11, 18, 20, 0, 0, 0, c.Zone), EndsAt: time.Date(2026, 11, 18, 23, 50, 0, 0, c.Zone)},
		{ID: "last", Date: "2026-11-19", StartsAt: time.Date(2026, 11, 19, 20, 0, 0, 0, c.Zone), EndsAt: time.Date(2026, 11, 19, 22, 0, 0, 0, c.Zone)},
		{ID: "first", Date: "2026-11-19", StartsAt: time.Date(2026, 11, 19, 15, 0, 0, 0, c.Zone), EndsAt: time.Date(2026, 11, 19, 17, 0, 0, 0, c.Zone)},
		{ID: "off", Date: "2026-11-19", Status: record.EventCancelled, StartsAt: time.Date(2026, 11, 19, 22, 0, 0, 0, c.Zone), EndsAt: time.Date(2026, 11, 19, 23, 50, 0, 0, c.Zone)},
		{ID: "tonight", Date: "2026-11-20", StartsAt: time.Date(2026, 11, 20, 10, 0, 0, 0, c.Zone), EndsAt: time.Date(2026, 11, 20, 11, 0, 0, 0, c.Zone)}} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: &e})
	}
	s := l.Snapshot(figures.Position{}, ledger.Coverage{})
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, c.Zone)
	for value, want := range map[string]string{"day": "2026-11-20 06:00 0", "yesterday": "2026-11-19 06:00 0", "week": "2026-11-13 06:00 0", "close": "2026-11-19 22:30 0", "2026-11-19T22:10": "2026-11-19 22:10 0", "1234": "0001-01-01 00:00 1234"} {
		if _, err := web.NewRequest("changes", url.Values{"since": {value}}, web.Door.Access(), web.English); err != nil {
			t.Errorf("%s: %v", value, err)
		}
		m := explain.Since(value, s, now)
		if got := m.At.Format("2006-01-02 15:04 ") + words.Of(words.English).Count(int(m.Revision)); strings.ReplaceAll(got, ",", "") != want {
			t.Errorf("%s means %s, want %s", value, got, want)
		}
	}
	for _, value := range []string{"tomorrow", "-1", "2026-13-01T00:00", "2026-11-19"} {
		if _, err := web.NewRequest("changes", url.Values{"since": {value}}, web.Door.Access(), web.English); err == nil {
			t.Errorf("%s is taken", value)
		}
	}
	if _, err := web.NewRequest("changes", url.Values{"until": {"close"}}, web.Door.Access(), web.English); err == nil {
		t.Error("a choice of since when is taken for until when")
	}
	if m := explain.Since("", s, now); m != (catalogue.Moment{}) {
		t.Errorf("nothing means %+v", m)
	}
	for _, c := range [][4]string{
		{"2026-11-19T22:10", "2026-11-20T10:00", "2026-11-19T22:10", "2026-11-20T10:00"},
		{"day", "2026-11-21T10:00", "day", "2026-11-20T12:00"}, // that is to come
		{"2026-11-22T10:00", "2026-11-21T10:00", "2026-11-20T12:00", "2026-11-20T12:00"},
		{"34", "12", "34", "12"},
		{"day", "12", "day", "12"},
		{"34", "", "34", ""},
		{"day", "", "day", ""},
	} {
		if from, to := explain.Between(c[0], c[1], s, now); from != explain.Since(c[2], s, now) || to != explain.Since(c[3], s, now) {
			t.Errorf("since %s until %s is from %v to %v, want %s to %s", c[0], c[1], from, to, c[2], c[3])
		}
	}
	early := time.Date(2026, 11, 18, 12, 0, 0, 0, c.Zone)
	if m := explain.Since("close", s, early); !m.At.Equal(c.Start("2026-11-18")) {
		t.Errorf("where nothing was on the evening closed at %v", m.At)
	}
	if got := explain.ChangesSince(time.Date(2026, 11, 19, 21, 10, 0, 0, time.UTC), c); got != "/changes?since=2026-11-19T22:10" {
		t.Errorf("since a moment is at %s", got)
	}
}
