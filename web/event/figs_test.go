package event_test

import (
	"net/url"
	"strings"
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// The page of a performance has parts with addresses of their own: those that the role may see, and that there is
// something of.
func TestPartsOfAPerformance(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	s := h.Snapshot()
	parts := func(id string, role web.Role, clock string) (names string) {
		now := webtest.At(clock)
		head := webtest.Content(t, r, webtest.EventPart(id, "").As(role), s, now).HTML["head"]
		_, nav, _ := strings.Cut(head, `subnav`)
		for _, part := range []string{"sales", "arrivals", "money", "all"} {
			if !strings.Contains(nav, `href="/events/`+id+`?part=`+part+`"`) {
				continue
			}
			names += part + " "
			c := webtest.Content(t, r, webtest.EventPart(id, part).As(role), s, now)
			if current := webtest.Text(c.HTML["head"]); len(c.HTML) < 4 || !strings.Contains(c.HTML["head"], `?part=`+part+`" aria-current="true"`) {
				t.Errorf("%s of %s at %s: %d fragments, head %q", part, id, clock, len(c.HTML), current)
			}
		}
		return strings.TrimSpace(names)
	}
	for _, c := range []struct {
		id    string
		role  web.Role
		clock string
		want  string
	}{
		{"evt_mat", web.Manager, "19:47", "sales arrivals money all"},
		{"evt_mat", web.Door, "19:47", "sales arrivals all"},
		{"evt_mat", web.BoxOffice, "12:01", "sales all"},
		{"evt_off", web.Manager, "19:47", "sales money all"},
	} {
		if got := parts(c.id, c.role, c.clock); got != c.want {
			t.Errorf("%s as %s at %s: %q, want %q", c.id, c.role, c.clock, got, c.want)
		}
	}
	if s.Event("evt_off").Event.Status != record.EventCancelled {
		t.Error("evt_off goes ahead")
	}
	if _, err := web.NewRequest("event", url.Values{"event": {"evt_mat"}, "part": {"none"}}, web.Manager.Access(), web.English); err == nil {
		t.Error("a part that there is not is shown")
	}
	if door := webtest.All(t, webtest.Content(t, r, webtest.EventPart("evt_mat", "money").As(web.Door), s, webtest.At("19:47"))); webtest.Amounts.MatchString(door) {
		t.Error("the door sees amounts at the address of Money")
	}
}

// On top of the page of a performance is what is decided in its phase.
func TestFigsOfAPerformance(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	s := h.Snapshot()
	for clock, want := range map[string][]string{
		"12:01": {"Free", "Sold", "Sold in 7 days, net"},
		"19:47": {"Inside", "Still to come", "Free"},
		"20:20": {"Inside", "Not in"},
		"23:20": {"Came", "No-show", "Sold", "Received, net"},
	} {
		figs := webtest.FigureText(webtest.Content(t, r, webtest.EventPart("evt_mat", "").As(web.Manager), s, webtest.At(clock)).HTML["figs"])
		at := 0
		for _, term := range want {
			i := strings.Index(figs[at:], term+" ")
			if i < 0 {
				t.Errorf("at %s no %q in its place in %q", clock, term, figs)
				break
			}
			at += i
		}
	}
}

// Who went out before the curtain is named beside those inside, who would else be fewer than have come.
func TestWhoWentOutBeforeTheCurtain(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Een", "Foyer", "19:00", "20:00", 100)
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 40, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 20, From: webtest.At("19:10"), To: webtest.At("19:30")}}})
	h.Apply(&record.Ticket{ID: "out", EventID: "evt_a", Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -2), UpdatedAt: webtest.At("19:35"),
		Scans: []record.Scan{{At: webtest.At("19:20"), Gate: "A", Direction: record.Entry}, {At: webtest.At("19:35"), Gate: "A", Direction: record.Exit}}})
	got := webtest.FigureText(webtest.Content(t, webtest.Renderer(t), webtest.EventPart("evt_a", "").As(web.Door), h.Snapshot(), webtest.ShowTime).HTML["figs"])
	webtest.Wants(t, "before the curtain", got, "Inside ≤ 20", "of 41 expected · ≥ 1 out", "Still to come 20")
}
