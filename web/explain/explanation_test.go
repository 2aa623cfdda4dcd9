package explain_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/explain"
	"housecount/web/webtest"
)

var valueShown = regexp.MustCompile(`<p class="value">(?:<span[^>]*>)?([^<]*)<`)

// explainedAlone is a filter of the pages that show only figures of the catalogue: changes has differences, and night what is left
// of a day.
func explainedAlone(p *web.Page) bool {
	return p.Explained && p.Name != "changes" && p.Name != "night"
}

// Every figure on a page whose figures are explained is in the catalogue: it leads to an
// explanation within the same access, and there stands the same number.
func TestEveryFigureIsExplained(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	seen := map[figures.Key]bool{}
	for _, complete := range []bool{true, false} {
		h.Coverage.TicketsComplete, h.Coverage.PaymentsComplete = complete, complete
		s := h.Snapshot()
		for _, now := range []time.Time{webtest.At("19:52"), webtest.At("20:20"), webtest.At("23:20"), webtest.At("09:00").AddDate(0, 0, 1)} {
			known := map[string]bool{}
			for _, role := range web.Roles[:3] {
				shown := webtest.Views(t, "evt_mat", "Grote Zaal", explainedAlone)
				for _, show := range evening.At(s, now).Shows {
					shown = append(shown, webtest.EventView(show.Event.ID))
				}
				for _, v := range shown {
					if !v.SeenBy(role) {
						continue
					}
					body := webtest.Page(t, r, v.As(role), s, now)
					for _, q := range regexp.MustCompile(`<span class="q[^>]*>[^<]*[\d—][^<]*<[^<]*<`).FindAllString(body, -1) {
						t.Errorf("%s at %v: a figure that is not in the catalogue: %s", v.As(role).Topic(), now, q)
					}
					for _, link := range webtest.FigureLink.FindAllStringSubmatch(body, -1) {
						if known[string(role)+link[1]+link[2]] {
							continue
						}
						known[string(role)+link[1]+link[2]] = true
						q, err := webtest.ExplainRequest(t, link[1], role)
						if err != nil {
							t.Fatalf("%s leads to %s: %v", v.As(role).Topic(), link[1], err)
						}
						seen[figures.Key(strings.TrimPrefix(strings.Split(link[1], "?")[0], "/explain/"))] = true
						got := valueShown.FindStringSubmatch(webtest.Page(t, r, q, s, now))
						if got == nil || got[1] != link[2] {
							t.Errorf("%s at %v: %q leads to %s, where it is %q", v.As(role).Topic(), now, link[2], link[1], got)
						}
					}
				}
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d figures were seen: %v", len(seen), seen)
	}
}

// What a role may not see is not explained, and not a part of what is: door staff are shown no amount,
// the box office that of today alone.
func TestExplanationsKeepToTheAccess(t *testing.T) {
	r, s := webtest.Renderer(t), webtest.Eventful(t).Snapshot()
	scopes := []string{"", "?event=evt_mat", "?event=evt_off", "?of=night", "?from=2026-11-14&to=2026-11-20", "?from=2026-11-14&of=orders&to=2026-11-20", "?from=2026-11-14&of=performances&to=2026-11-20", "?event=evt_mat&from=2026-11-14&of=orders&to=2026-11-20", "?currency=EUR&event=evt_mat", "?event=evt_mat&from=2026-11-14&gate=A&to=2026-11-20", "?area=Rang+1&event=evt_mat&from=2026-11-14&to=2026-11-20",
		"?by=channels&event=evt_mat&part=web", "?by=codes&event=evt_mat", "?by=lead-times&event=evt_mat&part=0"}
	explained := map[web.Role]int{}
	for _, d := range catalogue.All() {
		for _, scope := range scopes {
			for _, role := range web.Roles {
				q, err := webtest.ExplainRequest(t, "/explain/"+string(d.Key)+scope, role)
				may := role == web.Manager || role == web.Admin || !strings.Contains(scope, "from=") && !strings.Contains(scope, "by=codes") && !strings.Contains(scope, "by=lead") && (d.Unit != figures.Money && !d.OfSalesOnly() || role == web.BoxOffice && (d.Today || d.OfSalesOnly()))
				if may != (err == nil) || err != nil && !errors.Is(err, web.ErrForbidden) {
					t.Fatalf("%s%s as %s: %v", d.Key, scope, role, err)
				}
				if err != nil {
					continue
				}
				var b bytes.Buffer
				err = r.Page(&b, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, Ready: true})
				if errors.Is(err, web.ErrNotFound) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				_, shown, ok := strings.Cut(b.String(), `<article id="explanation"`)
				if !ok {
					t.Fatalf("%s%s as %s: nothing is explained", d.Key, scope, role)
				}
				explained[role]++
				if role == web.Door && strings.ContainsAny(shown, "€$") || role == web.BoxOffice && !d.Today && strings.ContainsAny(shown, "€$") {
					t.Errorf("%s%s as %s shows money: %s", d.Key, scope, role, shown)
				}
			}
		}
	}
	for _, role := range web.Roles {
		if explained[role] < 20 {
			t.Errorf("%s is explained %d figures", role, explained[role])
		}
	}
}

// An explanation is the formula with its terms of now, which lead on, the definition, and why it is
// not exact and what can be done about that.
func TestExplanation(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	q, err := webtest.ExplainRequest(t, "/explain/inside?event=evt_mat", web.Door)
	if err != nil {
		t.Fatal(err)
	}
	got := webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime)
	x, ok := catalogue.Explain(evening.At(h.Snapshot(), webtest.ShowTime), figures.KeyInside, figures.Scope{Event: "evt_mat"})
	if !ok || len(x.Terms) != 2 {
		t.Fatal(x)
	}
	for _, want := range []string{`href="/explain/present?event=evt_mat">Came in and not out</a>`, `href="/explain/walk_ins?event=evt_mat">Walk-ins</a>`, `People inside of this performance`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	h.Coverage.TicketsComplete = false
	q, _ = webtest.ExplainRequest(t, "/explain/came?event=evt_mat", web.Door)
	if got := webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime)); !strings.Contains(got, "At least: it may be more.") || !strings.Contains(got, "Not all tickets have been read yet. It settles by itself once everything has been read.") ||
		!strings.Contains(got, "Counted one by one from tickets and scans.") {
		t.Errorf("no reason with a remedy: %s", got)
	}
	var b bytes.Buffer
	q, _ = webtest.ExplainRequest(t, "/explain/latecomers?event=evt_mat", web.Door)
	if err := r.Page(&b, web.Frame{Request: q, Snapshot: h.Snapshot(), Now: webtest.ShowTime, Ready: true}); !errors.Is(err, web.ErrNotFound) {
		t.Errorf("a figure that the scope does not have: %v", err)
	}
}

// A figure of several performances has a row for each, which leads on, and says of how many of them what
// follows is.
func TestExplanationOfSeveral(t *testing.T) {
	behind := catalogue.Behind{Read: 1, Parts: 3, All: 1, Records: []catalogue.RecordBehind{{Kind: record.KindTicket, ID: "tkt_1"}}}
	r := webtest.RendererWith(t, web.Sources{Behind: func(catalogue.Explanation) (catalogue.Behind, error) { return behind, nil }})
	s := webtest.Eventful(t).Snapshot()
	q, err := webtest.ExplainRequest(t, "/explain/booked?currency=EUR&from=2026-11-14&to=2026-11-20", web.Manager)
	if err != nil {
		t.Fatal(err)
	}
	x, ok := catalogue.Explain(evening.At(s, webtest.ShowTime), figures.KeyBooked, figures.Scope{From: "2026-11-14", To: "2026-11-20", Currency: "EUR"})
	if !ok || len(x.Parts) < 3 {
		t.Fatal(x)
	}
	body := webtest.Page(t, r, q, s, webtest.ShowTime)
	var data strings.Builder
	if err := explain.JSON(&data, r, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, Ready: true}); err != nil {
		t.Fatal(err)
	}
	for _, p := range x.Parts {
		if p.Event != nil && !strings.Contains(body, `href="/explain/booked?currency=EUR&amp;event=`+p.Event.Event.ID+`&amp;from=2026-11-14&amp;to=2026-11-20"`) {
			t.Errorf("nothing leads to %s", p.Event.Event.ID)
		}
		if p.Event != nil && !strings.Contains(data.String(), `"event":"`+p.Event.Event.ID+`"`) {
			t.Errorf("the data lack %s", p.Event.Event.ID)
		}
	}
	if got := webtest.Text(body); !strings.Contains(got, "Of the one performance that changed last, of 3.") {
		t.Errorf("of what follows is is not said: %s", got)
	}
}

// Of more performances than are listed, those that add most are, and the sum of the others follows.
func TestExplanationListsWhatAddsMost(t *testing.T) {
	h := webtest.NewHouse()
	for i := range 30 { // the later the performance, the more are sold, at so low a price that most is booked for others
		e := h.Event(fmt.Sprintf("evt_%02d", i), fmt.Sprintf("Stuk %02d", i), "Foyer", "19:00", "20:00", 80, webtest.OnDay(i))
		for range i + 1 {
			h.SellOne(e, webtest.ShowTime.Add(-5*time.Hour), int64((31-i)*(31-i)))
		}
	}
	r := webtest.RendererWith(t, web.Sources{Behind: func(catalogue.Explanation) (catalogue.Behind, error) { return catalogue.Behind{}, nil }})
	q, err := webtest.ExplainRequest(t, "/explain/sold?from=2026-11-14&to=2026-11-20", web.Manager)
	if err != nil {
		t.Fatal(err)
	}
	text := webtest.Text(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime))
	last := -1
	for i := 29; i > 4; i-- {
		at := strings.Index(text, fmt.Sprintf("Stuk %02d", i))
		if at <= last {
			t.Fatalf("Stuk %02d is at %d, what adds more at %d: %s", i, at, last, text)
		}
		last = at
	}
	webtest.Wants(t, "the others", text, "5 more performances15=") // 1 to 5 places
	webtest.Lacks(t, "the others", text, "Stuk 04")
}

// What is behind a figure names no payment to who may not see all money, and a change of a share is
// in percentage points.
func TestBehindKeepsToTheAccess(t *testing.T) {
	ticket := catalogue.RecordBehind{Kind: record.KindTicket, ID: "tkt_1", Order: "ord_1", Status: "valid"}
	payment := catalogue.RecordBehind{Kind: record.KindPayment, ID: "pay_1", Order: "ord_1", Status: "paid"}
	given := catalogue.Behind{Records: []catalogue.RecordBehind{payment, ticket}, All: 2,
		Changes: []catalogue.Change{{RecordBehind: payment, By: figures.Value{Count: 1, Share: .021}}, {RecordBehind: ticket, By: figures.Value{Count: 1, Share: .02}}}}
	r := webtest.RendererWith(t, web.Sources{Behind: func(catalogue.Explanation) (catalogue.Behind, error) { return given, nil }})
	s := webtest.Eventful(t).Snapshot()
	for _, role := range web.Roles {
		q, err := webtest.ExplainRequest(t, "/explain/paid?event=evt_mat", role)
		if err != nil {
			t.Fatal(err)
		}
		body := webtest.Page(t, r, q, s, webtest.ShowTime)
		sees := role == web.Manager || role == web.Admin
		of := map[bool]string{true: "All 2 records", false: "One record"}[sees]
		if strings.Contains(body, "pay_1") != sees || !strings.Contains(body, "tkt_1") || !strings.Contains(body, of) {
			t.Errorf("%s is shown %s", role, body)
		}
		var data strings.Builder
		if err := explain.JSON(&data, r, web.Frame{Request: q, Snapshot: s, Now: webtest.ShowTime, Ready: true}); err != nil {
			t.Fatal(err)
		}
		if got := data.String(); strings.Contains(got, "pay_1") != sees || !strings.Contains(got, `"by":1,"kind":"ticket","id":"tkt_1"`) || !strings.Contains(got, map[bool]string{true: `"all":2`, false: `"all":1`}[sees]) {
			t.Errorf("%s is given %s", role, got)
		}
	}
	given.All = 3
	q, _ := webtest.ExplainRequest(t, "/explain/occupancy?event=evt_mat", web.Manager)
	if got := webtest.Text(webtest.Page(t, r, q, s, webtest.ShowTime)); !strings.Contains(got, "The 2 of 3 that changed last") {
		t.Errorf("the newest of them: %s", got)
	}
	if got := webtest.Text(webtest.Page(t, r, q, s, webtest.ShowTime)); !strings.Contains(got, "+2.1 pp") {
		t.Errorf("the change of a share: %s", got)
	}
}

// What changed since the day began is said with its time: a club's day begins at six.
func TestBehindSaysWhenTheDayBegan(t *testing.T) {
	given := catalogue.Behind{Today: &figures.Value{Count: 3}}
	r, s := webtest.RendererWith(t, web.Sources{Behind: func(catalogue.Explanation) (catalogue.Behind, error) { return given, nil }}), *webtest.Eventful(t).Snapshot()
	q, err := webtest.ExplainRequest(t, "/explain/sold?event=evt_mat", web.Manager)
	if err != nil {
		t.Fatal(err)
	}
	for cutoff, want := range map[time.Duration]string{0: "+3 since 00:00.", 6 * time.Hour: "+3 since 06:00."} {
		s.Calendar.Cutoff = cutoff
		webtest.Wants(t, want, webtest.Text(webtest.Page(t, r, q, &s, webtest.ShowTime)), want)
	}
	night := webtest.At("03:00").AddDate(0, 0, 1) // still the day that began the morning before
	late := s
	late.AsOf, late.Health = night, webtest.Healthy(night)
	webtest.Wants(t, "after midnight", webtest.Text(webtest.Page(t, r, q, &late, night)), "+3 since Fri 20 Nov, 06:00.")
	given.Today = &figures.Value{}
	webtest.Wants(t, "no change", webtest.Text(webtest.Page(t, r, q, &s, webtest.ShowTime)), "The same as at 06:00.")
}

// The bar of places has a key of what may be free again alone. The explanations of its numbers name every colour of it, with the bar's own
// samples, and no other term has one.
func TestExplanationNamesTheColoursOfTheBar(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	for of, want := range map[string][]string{"sold": {"paid", "unpaid", "comp", "gratis"}, "came": nil} {
		q, err := webtest.ExplainRequest(t, "/explain/"+of+"?event=evt_mat", web.Door)
		if err != nil {
			t.Fatal(err)
		}
		_, explained, _ := strings.Cut(webtest.Page(t, r, q, h.Snapshot(), webtest.ShowTime), `<article id="explanation"`)
		var got []string
		for _, m := range regexp.MustCompile(`</a> <svg class="swatch"[^>]*><rect class="(\w+)"`).FindAllStringSubmatch(explained, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s has the colours %q, want %q", of, got, want)
		}
	}
}

// Until when places are held stands under the number, and beside each record; nothing does where the service reports nothing.
func TestExplanationOfReservedSaysUntilWhen(t *testing.T) {
	held := catalogue.RecordBehind{Kind: record.KindTicket, ID: "tkt_1", Order: "ord_1", Status: "reserved", Held: webtest.At("20:15")}
	given := catalogue.Behind{Records: []catalogue.RecordBehind{held, {Kind: record.KindTicket, ID: "tkt_2", Status: "reserved"}}, All: 2}
	r := webtest.RendererWith(t, web.Sources{Behind: func(catalogue.Explanation) (catalogue.Behind, error) { return given, nil }})
	s := webtest.Eventful(t).Snapshot()
	q, err := webtest.ExplainRequest(t, "/explain/reserved?event=evt_mat", web.BoxOffice)
	if err != nil {
		t.Fatal(err)
	}
	text := func() string { return webtest.Text(webtest.Page(t, r, q, s, webtest.ShowTime)) }
	webtest.Lacks(t, "not reported", text(), "Held until")
	given.HeldFirst, given.HeldLast = held.Held, held.Held
	webtest.Wants(t, "one time", text(), "Held until 20:15", "ord_1—reserved20:15", "reserved—")
	given.HeldLast = webtest.At("20:30").AddDate(0, 0, 1)
	webtest.Wants(t, "two times", text(), "Held until: the first 20:15, the last Sat 21 Nov, 20:30")
	given.Read, given.Parts = 6, 7
	webtest.Lacks(t, "those of some performances", text(), "Held until: the first")
}
