package web_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/webtest"
)

// Whoever may see some halls alone is shown and sent nothing of the others: no title, no id, no
// amount, no total of the house.
func TestHallsOfAccess(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	s := h.Snapshot()
	s.Diagnostics = append(s.Diagnostics, figures.Diagnostic{Code: figures.CodeOversold, Kind: record.KindEvent, ID: "evt_mat", Count: 1})
	a := web.Admin.Access().InHalls("Kleine Zaal", "Foyer", "Kleine Zaal")
	if got := a.Halls(); !slices.Equal(got, []string{"Foyer", "Kleine Zaal"}) {
		t.Errorf("halls %q", got)
	}
	allowed := map[string]bool{}
	for _, d := range s.Days {
		if d.Day == "2026-11-20" {
			for _, m := range d.Of(figures.Booked) {
				allowed[webtest.Euros(m.Amount)] = true // to be sure that it is the house's sum that is missing
			}
		}
	}
	for _, v := range []webtest.View{{Page: "tonight"}, {Page: "wall"}, webtest.HallView("Foyer"), webtest.HallView("Kleine Zaal"), webtest.EventView("evt_mat"), webtest.EventView("evt_vader")} {
		q := web.Request{Page: v.Page, Params: v.Params, Access: a, Locale: web.English}
		for _, text := range []string{webtest.All(t, webtest.Content(t, r, q, s, webtest.ShowTime)), webtest.Page(t, r, q, s, webtest.ShowTime)} {
			for _, other := range []string{"Matth", "Grote Zaal", "evt_next_1", "Metropolis", "Najaarsserie", "all performances", "Revenue"} {
				if strings.Contains(text, other) {
					t.Errorf("%s shows %q", q.Topic(), other)
				}
			}
			if strings.Contains(text, "evt_mat") && v != webtest.EventView("evt_mat") {
				t.Errorf("%s names an event of another hall", q.Topic())
			}
			for sum := range allowed {
				if strings.Contains(text, sum) {
					t.Errorf("%s shows %s, the whole house's", q.Topic(), sum)
				}
			}
		}
	}
	foyer := web.Request{Page: "tonight", Access: a, Locale: web.English}
	webtest.Wants(t, "tonight", webtest.Text(webtest.Page(t, r, foyer, s, webtest.ShowTime)), "De Vader", "Late Night Trio")
	var b strings.Builder
	other := web.Request{Page: "event", Params: "event=evt_mat", Access: a, Locale: web.English}
	if err := r.Page(&b, web.Frame{Request: other, Snapshot: s, Now: webtest.ShowTime, Ready: true}); err != web.ErrNotFound || b.Len() > 0 {
		t.Errorf("an event of another hall: %v, %d bytes, want %v", err, b.Len(), web.ErrNotFound)
	}
}

// A list of halls that has none, by whatever mistake, opens nothing.
func TestNoHallsIsNotTheWholeHouse(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Busy(t).Snapshot()
	none := web.Admin.Access().InHalls()
	for _, v := range []webtest.View{{Page: "tonight"}, {Page: "wall"}, webtest.EventView("evt_mat")} {
		q := web.Request{Page: v.Page, Params: v.Params, Access: none, Locale: web.English}
		webtest.Lacks(t, q.Topic(), webtest.All(t, webtest.Content(t, r, q, s, webtest.ShowTime)), "Matth", "Vader", "Trio", "Zaal", "Foyer", "booked", "1,280")
		if got, err := web.ParseTopic(q.Topic()); err != nil || got != q {
			t.Errorf("%+v is read back as %+v, %v", q, got, err)
		}
	}
	for page, values := range map[string]url.Values{"revenue": nil, "wall": {"hall": {"Foyer"}}} {
		if _, err := web.NewRequest(page, values, none, web.English); err != web.ErrForbidden {
			t.Errorf("%s: %v, want %v", page, err, web.ErrForbidden)
		}
	}
}

// A poll that found nothing costs a hall's screen its strip and clock alone, and a sale in
// another hall changes nothing on it.
func TestHallsOfAccessTakeOver(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	first := h.Snapshot()
	q := web.Request{Page: "wall", Params: "hall=Foyer", Access: web.Door.Access().InHalls("Foyer"), Locale: web.English}
	last := webtest.Content(t, r, q, first, webtest.ShowTime)
	quiet := *first
	quiet.Position.Streams++
	marked := live.Content{HTML: map[string]string{}, Charts: last.Charts, Basis: last.Basis}
	for id := range last.HTML {
		marked.HTML[id] = "taken over"
	}
	next, err := r.Content(q, &quiet, webtest.ShowTime.Add(time.Second), marked)
	if err != nil {
		t.Fatal(err)
	}
	for id, html := range next.HTML {
		if taken := html == "taken over"; taken == (id == "strip" || id == "clock") {
			t.Errorf("fragment %s taken over: %v", id, taken)
		}
	}
	mat := first.Event("evt_mat").Event
	h.Sell(&mat, webtest.Sale{From: webtest.ShowTime.Add(-time.Minute), To: webtest.ShowTime, Paid: 3, Scans: true})
	if after := webtest.Content(t, r, q, h.Snapshot(), webtest.ShowTime); after.Token() != last.Token() {
		t.Error("a sale in another hall changes the screen")
	}
}

// Payments alone change nothing of what the door is sent: neither a fragment nor what names the
// state tells how fast money comes in.
func TestDoorSeesNoPaceOfPayments(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	pay := func() {
		h.Apply(&record.Payment{ID: h.ID("pay"), EventID: "evt_past_0", Amount: record.Money{Amount: 4200, Currency: "EUR"}, Status: record.PaymentPaid,
			PaidAt: webtest.ShowTime, CreatedAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
	}
	pay() // from here on the day has something of the performance
	first := h.Snapshot()
	for range 5 {
		pay()
	}
	then := h.Snapshot()
	if then.Position == first.Position {
		t.Fatal("the position did not move")
	}
	for _, role := range []web.Role{web.Door, web.Manager} {
		moved := 0
		for _, v := range []webtest.View{{Page: "tonight"}, {Page: "wall"}, webtest.EventView("evt_past_0"), webtest.EventView("evt_mat")} {
			q := web.Request{Page: v.Page, Params: v.Params, Access: role.Access(), Locale: web.English}
			if travels(t, webtest.Content(t, r, q, first, webtest.ShowTime)) != travels(t, webtest.Content(t, r, q, then, webtest.ShowTime)) {
				moved++
			}
		}
		if told := moved > 0; told != (role == web.Manager) {
			t.Errorf("%d pages tell the %s of payments", moved, role)
		}
	}
}

// travels returns all of a content that leaves the program.
func travels(t *testing.T, c live.Content) string {
	t.Helper()
	b, err := json.Marshal([]any{c.HTML, c.Charts})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
