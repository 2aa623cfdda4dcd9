package webtest

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web"
)

// In is the request in another language.
func In(l web.Locale, q web.Request) web.Request {
	q.Locale = l
	return q
}

var scriptData = regexp.MustCompile(`(?s)<script type="application/json"[^>]*>(.*?)</script>`)

var inline = regexp.MustCompile(`</?(?:a|b|bdi|i|small|span|time)(?: [^>]*)?>`)

var AnyTag = regexp.MustCompile(`(?s)<[^>]*>`)

var readAloud = regexp.MustCompile(` (?:aria-label|placeholder|title|alt|data-waits|data-seconds|data-minutes|data-hours)="([^"]*)"`)

// Amounts are what looks like money.
var Amounts = regexp.MustCompile(`[€$£¥][\d,.]*\d|\bEUR\b|\bUSD\b`)

var slots = regexp.MustCompile(`\{[a-z]+\}`) // that the page's script fills

// ReadTexts are the texts of a page that a person may read: its own, those of its attributes, and
// those of its charts.
func ReadTexts(t *testing.T, page string) []string {
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
	return append(all, html.UnescapeString(AnyTag.ReplaceAllString(inline.ReplaceAllString(page, ""), "\n")))
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

// EveryHouse are houses that between them show what pages can say.
func EveryHouse(t *testing.T) map[string]*House {
	odd := Eventful(t)
	over := odd.Event("evt_full", "Volle Bak", "Foyer", "19:15", "20:00", 20)
	odd.Sell(over, Sale{From: ShowTime.AddDate(0, 0, -9), To: ShowTime.Add(-time.Hour), Paid: 25, Scans: true, In: []GateIn{{"", 5, At("19:48"), ShowTime}}})
	odd.Event("evt_called_off", "Afgelast", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventCancelled })
	odd.Event("evt_put_off", "Uitgesteld", "Foyer", "19:15", "20:00", 20, func(e *record.Event) { e.Status = record.EventPostponed })
	odd.Event("evt_unlimited", "Vrij", "Tuin", "19:15", "20:00", 20, func(e *record.Event) { e.Unlimited, e.Capacity = true, nil })
	odd.Event("evt_bare", "", "", "19:15", "20:00", 20, OnDay(3), func(e *record.Event) { e.Capacity, e.StartsAt, e.EndsAt = nil, time.Time{}, time.Time{} })
	for _, s := range []record.Setting{
		{Name: record.SettingVATRate, Value: new(int64(900))}, {Name: record.SettingVATRate, Of: "Rang", From: "2027-01-01", Value: new(int64(2100))},
		{Name: record.SettingLicensed, Value: new(int64(3))}, {Name: record.SettingLicensed, From: "2027-01-01", Value: new(int64(4))}, {Name: record.SettingNearlyFull, From: "2026-11-01", Value: new(int64(8000))}, {Name: record.SettingLicensed, Of: "Foyer", Value: new(int64(5))}, {Name: record.SettingLicensed, Of: "Nergens", Value: new(int64(5))},
		{Name: record.SettingBudget, Of: "EUR", From: "2026-09", Value: new(int64(5))}, {Name: record.SettingBudget, Of: "EUR", From: "2026-10", Value: new(int64(5))}, {Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(5))},
	} {
		s.At, s.By = ShowTime, "Fatima"
		odd.Apply(&s)
	}
	odd.Health.Streams[1].Complete, odd.Health.Streams[1].Read, odd.Health.Streams[1].Total = false, 12300, 54000
	faulty := Busy(t)
	faulty.Health.Streams[2].Fault = figures.FaultNotOffered
	faulty.Health.Streams[1].Fault, faulty.Health.Streams[1].Missed, faulty.Health.Streams[1].FaultStatus = figures.FaultServer, 3, 503
	faulty.Coverage, faulty.AsOf = ledger.Coverage{}, ShowTime.Add(-26*time.Hour)
	return map[string]*House{"odd": odd, "faulty": faulty, "empty": NewHouse()}
}

// fromOutside are the words of the houses that no catalogue has: names, and what the service
// calls things.
var fromOutside = []string{"Old <b>intern", "Keycloak", "login.house.example", "event_list", "ticket_list", "payment_list", "contact_list", "planning_list", "scan_list", "evt_next_0", "evt_vader", "evt_trio", "evt_mat", "Matthäus-Passion, Nederlands Kamerkoor", "Strijkkwartet Biënnale: Ragazze Quartet", "Familievoorstelling: Pluk", "Cinema Concert: Metropolis",
	"Late Night Trio", "De Vader", "Najaarsserie", "Volle Bak", "Afgelast", "Uitgesteld", "Vrij", "Grote Zaal", "Kleine Zaal", "Foyer", "Tuin", "Nergens",
	"Rang", "Jongeren", "Vrijkaart", "box office", "De Schouwburg", "Fatima <b>", "Europe/Amsterdam", "EUR", "Fatima", "evt_a", "evt_full", "evt_over", "housecount", "Esc", "Firefox, Linux", "nameless", "Bar", "Zaal", "Kassa",
	"fatima@house.example", "first@house.example", "mia@house.example", "@house.example", "directors", "name@example.org", "pay_", "<b>Tel</b>", "Strijkkwartet", "evt_off", "evt_gone", "gone", "K7R", "4XT", "dash.example.org/pair", "Tizen", "FFFFFF", "HHH"}

// LookForWords has a test fail for what is on a page in the pseudo-language beside messages and
// names, and for messages that are missing or lack an argument.
func LookForWords(t *testing.T) func(name, page string) {
	names := slices.Clone(fromOutside)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	var outside []string
	for _, name := range names {
		outside = append(outside, name, "")
	}
	without := strings.NewReplacer(outside...)
	return func(name, page string) {
		t.Helper()
		for _, text := range ReadTexts(t, page) {
			if left := unmarked(without.Replace(text)); len(left) > 0 {
				t.Errorf("%s: %q in %.200q", name, left, text)
			}
			if strings.ContainsAny(text, "⟨⟩") {
				t.Errorf("%s: a message is missing or lacks an argument: %.200q", name, text)
			}
		}
	}
}

// ReadLines are the lines of texts that have a letter.
func ReadLines(texts []string) string {
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

// FigureText is HTML as text, without the reasons of figures and with elements apart.
func FigureText(html string) string {
	html = regexp.MustCompile(`<span class="why">[^<]*</span>`).ReplaceAllString(html, "")
	html = regexp.MustCompile(`<a class="f[^>]*>([^<]*)</a>`).ReplaceAllString(html, "$1")
	html = strings.NewReplacer("<tr", " ¦ <tr", "<td", " § <td", "<", " <").Replace(html)
	return strings.Join(strings.Fields(Text(html)), " ")
}

// FragmentsOf returns the fragments whose names begin so.
func FragmentsOf(all map[string]string, prefix string) (of []string) {
	for name, html := range all {
		if strings.HasPrefix(name, prefix) {
			of = append(of, html)
		}
	}
	return of
}
