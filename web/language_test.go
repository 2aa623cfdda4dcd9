package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/goccy/go-yaml"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/words"
)

// in is the request in another language.
func in(l web.Locale, q web.Request) web.Request {
	q.Locale = l
	return q
}

var (
	scriptData = regexp.MustCompile(`(?s)<script type="application/json"[^>]*>(.*?)</script>`)
	inline     = regexp.MustCompile(`</?(?:a|b|bdi|i|small|span|time)(?: [^>]*)?>`)
	anyTag     = regexp.MustCompile(`(?s)<[^>]*>`)
	readAloud  = regexp.MustCompile(` (?:aria-label|placeholder|title|alt|data-waits|data-seconds|data-minutes|data-hours)="([^"]*)"`)
	slots      = regexp.MustCompile(`\{[a-z]+\}`) // that the page's script fills
)

// readTexts are the texts of a page that a person may read: its own, those of its attributes, and
// those of its charts.
func readTexts(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	for _, m := range scriptData.FindAllStringSubmatch(page, -1) {
		var option any
		if err := json.Unmarshal([]byte(m[1]), &option); err != nil {
			t.Fatal(err)
		}
		all = chartTexts(option, "", all)
	}
	page = scriptData.ReplaceAllString(page, "")
	for _, m := range readAloud.FindAllStringSubmatch(page, -1) {
		all = append(all, html.UnescapeString(slots.ReplaceAllString(m[1], "")))
	}
	return append(all, html.UnescapeString(anyTag.ReplaceAllString(inline.ReplaceAllString(page, ""), "\n")))
}

// chartTexts adds what a chart shows as text.
func chartTexts(v any, key string, all []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for k, inside := range v {
			if k != "dimensions" { // the names of columns in the data
				all = chartTexts(inside, k, all)
			}
		}
	case []any:
		for _, inside := range v {
			all = chartTexts(inside, key, all)
		}
	case string:
		if slices.Contains([]string{"name", "formatter", "description", "data", "value"}, key) {
			all = append(all, v)
		}
	}
	return all
}

// unmarked is the letters of a text that stand outside all messages, in their words.
func unmarked(text string) []string {
	var b strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == '⟦':
			depth++
			b.WriteByte(' ')
		case r == '⟧':
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return slices.DeleteFunc(strings.Fields(b.String()), func(s string) bool {
		gate := len(strings.TrimRight(s, ",")) == 1
		return gate || strings.IndexFunc(s, unicode.IsLetter) < 0
	})
}

// everyHouse are houses that between them show what pages can say.
func everyHouse(t *testing.T) map[string]*house {
	odd := eventful(t)
	over := odd.event("evt_full", "Volle Bak", "Foyer", "19:15", "20:00", 20)
	odd.sell(over, sale{from: showTime.AddDate(0, 0, -9), to: showTime.Add(-time.Hour), paid: 25, scans: true, in: []gateIn{{"", 5, at("19:48"), showTime}}})
	odd.event("evt_called_off", "Afgelast", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled })
	odd.event("evt_put_off", "Uitgesteld", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventPostponed })
	odd.event("evt_unlimited", "Vrij", "Tuin", "19:15", "20:00", 20, func(e *record.Event) { e.Unlimited, e.Capacity = true, nil })
	odd.event("evt_bare", "", "", "19:15", "20:00", 20, onDay(3), func(e *record.Event) { e.Capacity, e.StartsAt, e.EndsAt = nil, time.Time{}, time.Time{} })
	for _, s := range []record.Setting{
		{Name: record.SettingVATRate, Value: new(int64(900))}, {Name: record.SettingVATRate, Of: "Rang", From: "2027-01-01", Value: new(int64(2100))},
		{Name: record.SettingLicensed, Value: new(int64(3))}, {Name: record.SettingLicensed, From: "2027-01-01", Value: new(int64(4))}, {Name: record.SettingNearlyFull, From: "2026-11-01", Value: new(int64(8000))}, {Name: record.SettingLicensed, Of: "Foyer", Value: new(int64(5))}, {Name: record.SettingLicensed, Of: "Nergens", Value: new(int64(5))},
		{Name: record.SettingBudget, Of: "EUR", From: "2026-09", Value: new(int64(5))}, {Name: record.SettingBudget, Of: "EUR", From: "2026-10", Value: new(int64(5))}, {Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(5))},
	} {
		s.At, s.By = showTime, "Fatima"
		odd.apply(&s)
	}
	odd.health.Streams[1].Complete, odd.health.Streams[1].Read, odd.health.Streams[1].Total = false, 12300, 54000
	faulty := busy(t)
	faulty.health.Streams[2].Fault = figures.FaultNotOffered
	faulty.health.Streams[1].Fault, faulty.health.Streams[1].Missed, faulty.health.Streams[1].FaultStatus = figures.FaultServer, 3, 503
	faulty.coverage, faulty.asOf = ledger.Coverage{}, showTime.Add(-26*time.Hour)
	return map[string]*house{"odd": odd, "faulty": faulty, "empty": newHouse()}
}

// fromOutside are the words of the houses that no catalogue has: names, and what the service
// calls things.
var fromOutside = []string{"Matthäus-Passion, Nederlands Kamerkoor", "Strijkkwartet Biënnale: Ragazze Quartet", "Familievoorstelling: Pluk", "Cinema Concert: Metropolis",
	"Late Night Trio", "De Vader", "Najaarsserie", "Volle Bak", "Afgelast", "Uitgesteld", "Vrij", "Grote Zaal", "Kleine Zaal", "Foyer", "Tuin", "Nergens",
	"Rang", "Jongeren", "Vrijkaart", "box office", "De Schouwburg", "Fatima <b>", "Europe/Amsterdam", "EUR", "Fatima", "evt_a", "evt_full", "evt_over", "housecount", "Esc", "Firefox, Linux", "nameless", "Bar", "Zaal", "Kassa",
	"pay_", "<b>Tel</b>", "Strijkkwartet", "evt_off", "evt_gone", "gone", "K7R", "4XT", "dash.example.org/pair", "Tizen", "FFFFFF", "HHH"}

// lookForWords has a test fail for what is on a page in the pseudo-language beside messages and
// names, and for messages that are missing or lack an argument.
func lookForWords(t *testing.T) func(name, page string) {
	names := slices.Clone(fromOutside)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	var outside []string
	for _, name := range names {
		outside = append(outside, name, "")
	}
	without := strings.NewReplacer(outside...)
	return func(name, page string) {
		t.Helper()
		for _, text := range readTexts(t, page) {
			if left := unmarked(without.Replace(text)); len(left) > 0 {
				t.Errorf("%s: %q in %.200q", name, left, text)
			}
			if strings.ContainsAny(text, "⟨⟩") {
				t.Errorf("%s: a message is missing or lacks an argument: %.200q", name, text)
			}
		}
	}
}

// Whatever a person reads is in the catalogue or comes from outside: in the pseudo-language, which
// marks every message, no other letter is left on any page of any role, from morning to morning.
func TestNothingIsWrittenBesideTheCatalogue(t *testing.T) {
	r, look := renderer(t), lookForWords(t)
	for name, h := range everyHouse(t) {
		s := *h.snapshot()
		s.Diagnostics = append(s.Diagnostics, figures.Diagnostic{Code: figures.CodePartition, Kind: record.KindEvent, ID: "evt_a", Text: record.Say("more places sold than there are"), Count: 2})
		seen := []view{{page: "tonight"}, eventsView(nil), eventsView(url.Values{"sort": {"-sold"}, "q": {"x"}}), eventsView(url.Values{"from": {"2026-12-02"}, "to": {"2026-12-01"}}), revenueView(30), marketing, {page: "reconcile"},
			eventView("evt_none"), hallView(""), hallView("Grote Zaal"), hallView("Nergens"), sessionsView("days=7&own=own&skip=50"), sessionsView("days=1"), {page: "settings"}, {"settings", "saved=vat"}}
		for _, e := range s.Events {
			seen = append(seen, eventView(e.Event.ID))
		}
		times := []time.Time{showTime, at("09:00").AddDate(0, 0, 9)}
		if name == "odd" {
			times = append(times, at("09:00"), at("20:40"), at("22:50"), at("01:30").AddDate(0, 0, 1))
		}
		for _, now := range times {
			for _, v := range seen {
				for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin} {
					if v.seenBy(role) && (role != web.Admin || v.page == "sessions" || v.page == "settings") {
						look(fmt.Sprintf("%s of %s at %s as %s", v, name, now.Format("2 15:04"), role), page(t, r, in(words.Pseudo, v.as(role)), &s, now))
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
	for name, h := range everyHouse(t) {
		for _, now := range []time.Time{at("09:00"), showTime, at("21:10"), at("23:50"), at("01:30").AddDate(0, 0, 1), at("09:00").AddDate(0, 0, 90)} {
			look("the board of "+name, page(t, r, board, h.snapshot(), now))
		}
	}
	look("a device that waits", waiting(t, words.Pseudo))
	for _, p := range []admin.Pairing{{}, {Code: "FFFFFF", Gone: true}, {Code: "HHHHHH", ScreenSettings: admin.ScreenSettings{Wrong: []string{"name"}}}, {Code: "HHHHHH", SameAddress: true, ShownFor: time.Hour}} {
		p.Locale, p.Snapshot = words.Pseudo, eventful(t).snapshot()
		var b bytes.Buffer
		if err := p.Write(&b, r); err != nil {
			t.Fatal(err)
		}
		look("the pairing of a device", b.String())
	}
}

// readLines are the lines of texts that have a letter.
func readLines(texts []string) string {
	var lines []string
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.Join(strings.Fields(line), " "); strings.IndexFunc(line, unicode.IsLetter) >= 0 {
				lines = append(lines, line)
			}
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// inCatalogue are the English texts of a section of the catalogue, by their names.
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
	r, look := renderer(t), lookForWords(t)
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
			} else if !strings.Contains(html.UnescapeString(anyTag.ReplaceAllString(page, "")), want) {
				t.Errorf("%s in %s: no %q", what, l, want)
			}
		}
		for some := range slices.Chunk(found, 20) {
			s := *newHouse().snapshot()
			for _, m := range some {
				s.Diagnostics = append(s.Diagnostics, figures.Diagnostic{Code: figures.CodeRefusedRecord, Kind: record.KindTicket, ID: "0817", Text: m, Count: 1})
			}
			page := page(t, r, in(l, tonight), &s, showTime)
			for _, m := range some {
				shows(m.Text, page, w.Message(m))
			}
		}
		for fault := range faults {
			for _, stream := range []int{1, 3} { // tickets, and contacts, from which nothing is counted
				s := *newHouse().snapshot()
				s.Health.Streams = slices.Clone(s.Health.Streams)
				f, want := &s.Health.Streams[stream], w.Code("fault", fault)
				f.Fault, f.Missed, f.FaultStatus, f.Next = figures.Fault(fault), 3, 503, time.Time{}
				if stream == 1 && f.Held() {
					want = w.Text("strip.held")
				}
				shows(fault, page(t, r, in(l, tonight), &s, showTime), want)
			}
		}
	}
	if len(found) < 120 || len(faults) < 16 {
		t.Errorf("only %d findings and %d faults", len(found), len(faults))
	}
}

// The small house in every language: read these when words change.
func TestGoldenLanguages(t *testing.T) {
	r, s := renderer(t), small(t).snapshot()
	for _, l := range words.Locales[1:] {
		for _, v := range views("evt_a", "Kleine Zaal") {
			if v == hallView("Kleine Zaal") {
				continue
			}
			t.Run(string(l)+"-"+v.page, func(t *testing.T) {
				texts := readTexts(t, page(t, r, in(l, v.as(web.Manager)), s, showTime))
				slices.Sort(texts[:len(texts)-1]) // those of charts come in no order
				got := readLines(texts)
				golden(t, v.page+"-"+string(l), got)
			})
		}
	}
}
