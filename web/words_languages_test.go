package web_test

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/webtest"
	"housecount/web/words"
)

// Whatever a person reads is in the catalogue or comes from outside: in the pseudo-language, which
// marks every message, no other letter is left on any page of any role, from morning to morning.
func TestNothingIsWrittenBesideTheCatalogue(t *testing.T) {
	r, look := webtest.Renderer(t), webtest.LookForWords(t)
	for name, h := range webtest.EveryHouse(t) {
		s := *h.Snapshot()
		s.Diagnostics = append(s.Diagnostics, figures.Diagnostic{Code: figures.CodePartition, Kind: record.KindEvent, ID: "evt_a", Text: record.Say("more places sold than there are"), Count: 2})
		seen := append(webtest.Views(t, "evt_none", "Grote Zaal", func(p *web.Page) bool { return p.PathParams() == nil }), webtest.EventsView(t, url.Values{"sort": {"-sold"}, "q": {"x"}}), webtest.EventsView(t, url.Values{"from": {"2026-12-02"}, "to": {"2026-12-01"}}), webtest.View{Page: "calendar", Params: "day=2031-02-03&span=week"},
			webtest.EventView("evt_none"), webtest.HallView("Nergens"), webtest.RevenueView(30), webtest.SessionsView("days=7&own=own&skip=50"), webtest.View{Page: "settings", Params: "saved=vat"})
		for _, e := range s.Events {
			seen = append(seen, webtest.EventView(e.Event.ID), webtest.ReplayView(e.Event.ID, ""))
		}
		times := []time.Time{webtest.ShowTime, webtest.At("09:00").AddDate(0, 0, 9)}
		if name == "odd" {
			times = append(times, webtest.At("09:00"), webtest.At("20:40"), webtest.At("22:50"), webtest.At("01:30").AddDate(0, 0, 1))
		}
		for _, now := range times {
			for _, v := range seen {
				for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin} {
					if v.SeenBy(role) && (role != web.Admin || !v.SeenBy(web.Manager)) {
						look(fmt.Sprintf("%s of %s at %s as %s", v, name, now.Format("2 15:04"), role), webtest.Page(t, r, webtest.In(words.Pseudo, v.As(role)), &s, now))
					}
				}
			}
		}
	}
	for _, m := range []web.Message{{User: "Fatima <b>", Role: web.Door, Needs: web.Manager, RequestID: "17"}, {Role: web.Admin, SignIn: true}, {User: "Fatima <b>"}} {
		m.Locale = words.Pseudo
		var b bytes.Buffer
		if err := r.Message(&b, m); err != nil {
			t.Fatal(err)
		}
		look("a message", b.String())
	}
	board, err := web.NewRequest("board", nil, web.Access{Money: web.NoMoney, Public: true}, words.Pseudo)
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range webtest.EveryHouse(t) {
		for _, now := range []time.Time{webtest.At("09:00"), webtest.ShowTime, webtest.At("21:10"), webtest.At("23:50"), webtest.At("01:30").AddDate(0, 0, 1), webtest.At("09:00").AddDate(0, 0, 90)} {
			look("the board of "+name, webtest.Page(t, r, board, h.Snapshot(), now))
		}
	}
	for _, p := range []admin.Pairing{{}, {Code: "FFFFFF", Gone: true}, {Code: "HHHHHH", ScreenSettings: admin.ScreenSettings{Wrong: []string{"name"}}}, {Code: "HHHHHH", SameAddress: true, ShownFor: time.Hour}} {
		p.Locale, p.Snapshot = words.Pseudo, webtest.Eventful(t).Snapshot()
		var b bytes.Buffer
		if err := p.Write(&b, r); err != nil {
			t.Fatal(err)
		}
		look("the pairing of a device", b.String())
	}
}

// inCatalogue returns the English texts of a section of the catalogue, by their names.
func inCatalogue(t *testing.T, section string) map[string]string {
	t.Helper()
	file, err := os.ReadFile("words/en.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]map[string]string
	if err := yaml.Unmarshal(file, &sections); err != nil {
		t.Fatal(err)
	}
	return sections[section]
}

// Every fault of every list, and every message of what is wrong with a record, is on a page in each
// language, and nothing of it in another.
func TestEveryFaultAndFindingIsInEveryLanguage(t *testing.T) {
	r, look := webtest.Renderer(t), webtest.LookForWords(t)
	var found []record.Message
	for said := range inCatalogue(t, "detail") {
		m := record.Say(said)
		for _, arg := range regexp.MustCompile(`\{([a-z]+)\}`).FindAllStringSubmatch(said, -1) {
			m.Args = append(m.Args, record.Verbatim(arg[1], "0815"))
		}
		found = append(found, m, record.Say("{field} {why}", record.Verbatim("field", "0816"), record.Of("why", m)))
	}
	faults := inCatalogue(t, "fault")
	delete(faults, "none")
	for _, l := range append([]web.Locale{words.Pseudo}, words.Locales...) {
		w := words.Of(l)
		shows := func(what, page, want string) {
			t.Helper()
			if l == words.Pseudo {
				look(what, page)
			} else if !strings.Contains(html.UnescapeString(webtest.AnyTag.ReplaceAllString(page, "")), want) {
				t.Errorf("%s in %s: no %q", what, l, want)
			}
		}
		for some := range slices.Chunk(found, 20) {
			s := *webtest.NewHouse().Snapshot()
			for _, m := range some {
				s.Diagnostics = append(s.Diagnostics, figures.Diagnostic{Code: figures.CodeRefusedRecord, Kind: record.KindTicket, ID: "0817", Text: m, Count: 1})
			}
			page := webtest.Page(t, r, webtest.In(l, webtest.Tonight), &s, webtest.ShowTime)
			for _, m := range some {
				shows(m.Text, page, w.Message(m))
			}
		}
		for fault := range faults {
			for _, stream := range []int{1, 3} { // tickets, and contacts, from which nothing is counted
				s := *webtest.NewHouse().Snapshot()
				s.Health.Streams = slices.Clone(s.Health.Streams)
				f, want := &s.Health.Streams[stream], w.Code("fault", fault)
				f.Fault, f.Missed, f.FaultStatus, f.Next = figures.Fault(fault), 3, 503, time.Time{}
				if stream == 1 && f.Held() {
					want = w.Text("strip.held")
				}
				shows(fault, webtest.Page(t, r, webtest.In(l, webtest.Tonight), &s, webtest.ShowTime), want)
			}
		}
	}
	if len(found) < 120 || len(faults) < 16 {
		t.Errorf("only %d findings and %d faults", len(found), len(faults))
	}
}

// Read these when words change.
func TestGoldenLanguages(t *testing.T) { webtest.GoldenLanguages(t, ownViews(t)...) }
