package web_test

import (
	"html"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures/evening/compare"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/search"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// grouped returns a number with commas between thousands and as many decimals, as English has it.
func grouped(f float64, decimals int) string {
	text := strconv.FormatFloat(math.Abs(f), 'f', decimals, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if decimals > 0 {
		whole += "." + rest
	}
	if f < 0 && strings.ContainsAny(whole, "123456789") {
		return "−" + whole
	}
	return whole
}

// inEuros returns an amount in minor units as English has it.
func inEuros(cents int64) string {
	text := "€" + strings.TrimPrefix(grouped(float64(cents)/100, 2), "−")
	if cents < 0 {
		return "−" + text
	}
	return text
}

// percent returns a part of a whole: less than all of it is never 100%.
func percent(f float64, decimals int) string {
	scale := math.Pow10(decimals)
	p := math.Round(f*100*scale) / scale
	if f < 1 && p >= 100 {
		p = 100 - 1/scale
	}
	return grouped(p, decimals)
}

// asShown returns a figure as a page in English has it. Whole is a share without decimals, as walls have it.
func asShown(d *catalogue.Definition, v figures.Value, whole bool) string {
	var text string
	switch d.Unit {
	case figures.Money:
		text = inEuros(v.Amount.In("EUR"))
	case figures.Share:
		if text = percent(v.Share, 1) + "%"; whole {
			text = percent(v.Share, 0)
		}
	case figures.Mean:
		text = grouped(v.Share, 1)
	case figures.PerMinute:
		if text = grouped(v.Share, 0); v.Share < 3 && v.Share != math.Trunc(v.Share) {
			text = grouped(v.Share, 1)
		}
	default:
		text = grouped(float64(v.Count), 0)
	}
	switch {
	case v.Quality == figures.Unknown:
		return "—"
	case v.Quality == figures.LowerBound:
		return "≥ " + text
	case v.Quality == figures.Estimated:
		return "≈ " + text // or ≤
	}
	return text
}

// linkedFigure returns what a figure's link names: its key and its scope.
func linkedFigure(t *testing.T, href string) (*catalogue.Definition, figures.Scope) {
	t.Helper()
	u, err := url.Parse(html.UnescapeString(href))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	s := figures.Scope{Event: q.Get("event"), Area: q.Get("area"), Gate: q.Get("gate"), Hall: q.Get("hall"), From: figures.Day(q.Get("from")), To: figures.Day(q.Get("to")), Currency: q.Get("currency"),
		Night: q.Get("of") == "night", Orders: q.Get("of") == "orders", Performances: q.Get("of") == "performances", By: figures.Split(q.Get("by")), Part: q.Get("part")}
	s.Until, _ = time.Parse(time.RFC3339, strings.Replace(q.Get("until"), "Z", ":00Z", 1))
	switch vat := q.Get("vat"); vat {
	case "":
	case "given":
		s.VAT.Basis = figures.VATGiven
	case "missing":
		s.VAT.Basis = figures.VATMissing
	default:
		of, text := figures.VATByRate, vat
		if found, given := strings.CutPrefix(vat, "given-"); given {
			of, text = figures.VATGiven, found
		}
		rate, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		s.VAT = figures.VATSource{Basis: of, Rate: rate}
	}
	d := catalogue.Define(figures.Key(strings.TrimPrefix(u.Path, "/explain/")))
	if d == nil {
		t.Fatalf("%s leads to no figure", href)
	}
	return d, s
}

// saying is a text of a page with figures in it, each the key of one in braces; with an exclamation mark
// a share without decimals. {title}, {curtain}, {date} and {id} are
// those of the performance that it is of, {day} is its day of sale.
type saying struct {
	page, text string
	// of returns the scopes that it is said of; nil for each performance of the evening.
	of func(v *evening.Evening) []figures.Scope
}

func theEvening(*evening.Evening) []figures.Scope { return []figures.Scope{{}} }

func ofEvent(id string) func(*evening.Evening) []figures.Scope {
	return func(*evening.Evening) []figures.Scope { return []figures.Scope{{Event: id}} }
}

// everyEvent returns what a search without words finds on its first page.
func everyEvent(v *evening.Evening) (all []figures.Scope) {
	for _, s := range search.Find(v, search.Query{}) {
		all = append(all, figures.Scope{Event: s.Event.ID})
	}
	return all
}

func ofGate(gate string) func(*evening.Evening) []figures.Scope {
	return func(*evening.Evening) []figures.Scope { return []figures.Scope{{Event: "evt_mat", Gate: gate}} }
}

func ofRange(r compare.Range) func(*evening.Evening) []figures.Scope {
	return func(v *evening.Evening) []figures.Scope {
		s := compare.SpanOf(v, r)
		return []figures.Scope{{From: s.From, To: s.To}}
	}
}

func theWeek(*evening.Evening) []figures.Scope {
	return []figures.Scope{{From: "2026-11-14", To: "2026-11-20"}}
}

// eachInWeek is each performance of which something moved in the week.
func eachInWeek(v *evening.Evening) (all []figures.Scope) {
	for _, p := range v.ByEvent("2026-11-14", "2026-11-20") {
		if p.Event != nil {
			all = append(all, figures.Scope{Event: p.Event.Event.ID, From: "2026-11-14", To: "2026-11-20"})
		}
	}
	return all
}

func eachDayOfWeek(*evening.Evening) (all []figures.Scope) {
	for day := figures.Day("2026-11-14"); day <= "2026-11-20"; day = day.Add(1) {
		all = append(all, figures.Scope{From: day, To: day})
	}
	return all
}

func thisMonth(*evening.Evening) []figures.Scope {
	return []figures.Scope{{From: "2026-11-01", To: "2026-11-30", Performances: true}}
}

// sayings are the figures of pages that no link explains.
var sayings = []saying{
	{"wall", `{occupancy!} % {sold} of {capacity} places sold`, theEvening},
	{"wall", `places sold(?: ·)? {free} free for`, theEvening},
	{"wall", `{inside} in the building(?: ,|,|$)`, theEvening},
	{"wall", `, {leaving} of them leaving`, theEvening},
	{"wall", `, {still} still to come`, theEvening},
	{"wall", `, {still} not in,`, theEvening},
	{"wall", `{title} {curtain} [^·]*· {occupancy!}%`, nil},
	{"wall", `{title} {curtain} [^·]*· [^·]*(?:%|Sold out) · {inside} inside`, nil},
	{"wall", `{title} {curtain} [^·]*· {inside} leaving`, nil},
	{"wall", `{title} {curtain} [^·]*· [^·]*% · {free} free`, nil},
	{"wall", `{title} ?: {oversold} without a seat . {sold} sold of {capacity}\.`, nil},
	{"wall?hall=Grote+Zaal", `{occupancy!} % {sold} of {capacity} places sold · {free} free`, ofEvent("evt_mat")},
	{"wall?hall=Grote+Zaal", `{inside} inside , {still} still to come`, ofEvent("evt_mat")},
	{"performance?event=evt_vader", `{occupancy!} % {sold} of {capacity} places sold`, ofEvent("evt_vader")},
	{"performance?event=evt_vader", `places sold · {free} free`, ofEvent("evt_vader")},
	{"performance?event=evt_vader", `{inside} inside`, ofEvent("evt_vader")},
	{"performance?event=evt_vader", `, {still} still to come`, ofEvent("evt_vader")},
	{"arrivals?hall=Grote+Zaal", `{arrived} of {expected} came`, ofEvent("evt_mat")},
	{"arrivals?hall=Grote+Zaal", `came · {still} still to come`, ofEvent("evt_mat")},
	{"arrivals?hall=Grote+Zaal", `came · {still} not in`, ofEvent("evt_mat")},
	{"arrivals?hall=Grote+Zaal", ` A {entries_5} a minute`, ofGate("A")},
	{"arrivals?hall=Grote+Zaal", ` C {entries_5} a minute`, ofGate("C")},
	{"arrivals?hall=Grote+Zaal", `{sold_hour} sold in the last hour`, ofEvent("evt_mat")},
	{"places", `{curtain} {title} [^\d]* doors \d\d:\d\d {free} free`, nil},
	{"takings", `{booked_today} {sold_today} places sold`, theEvening},
	{"event?event=evt_mat&part=all", `Inside {inside} of {expected} expected`, ofEvent("evt_mat")},
	{"event?event=evt_mat&part=all", `{arrived} of {expected} visitors have come in`, ofEvent("evt_mat")},
	{"event?event=evt_mat&part=all", `Sales {sold} places sold since [^;]*; {sold_today} today`, ofEvent("evt_mat")},
	{"event?event=evt_mat&part=all", `sells most: [\d,]+ of {sold} places`, ofEvent("evt_mat")},
	{"event?event=evt_mat&part=all", `More than 90% sold . {sold} sold of {capacity}`, ofEvent("evt_mat")},
	{"tonight", `{title} ?: {oversold} without a seat . {sold} sold of {capacity}\.`, nil},
	{"tonight", `{title} : {free} left , {sold_hour} sold in 1 h\. {reserved} reserved`, nil},
	{"events", `#{id} [^¦]*§ {sold} of {capacity} §`, everyEvent},
	{"events", `#{id} [^¦]* of [\d,]+ § {occupancy} §`, everyEvent},
	{"events", `#{id} [^¦]*§ {free} free`, everyEvent},
	{"events", `#{id} [^¦]*§ {sold_7_days} net in 7 days`, everyEvent},
	{"events", `#{id} [^¦]*§ {booked} booked`, everyEvent},
	{"revenue", `These days, [^€≥≈]* {booked}`, theWeek},
	{"revenue", `¦ {day}(?:, so far)? § {sold} § {booked} § {net} §`, eachDayOfWeek},
	{"revenue", `¦ {title} [^¦§]*{date} § {sold} § {booked} § {refunded} § {net} §`, eachInWeek},
	{"revenue", `¦ All § {sold}[^§]* § {booked}[^§]* § {refunded}[^§]* § {net}[^§]* §`, theWeek},
	{"revenue", `(?:^| |Z|[a-z])Today {booked}`, ofRange(compare.ThisDay)},
	{"revenue", `(?:^| |Z|[a-z])Yesterday {booked}`, ofRange(compare.Yesterday)},
	{"revenue", `(?:^| |Z|[a-z])Week {booked}`, ofRange(compare.ThisWeek)},
	{"revenue", `(?:^| |Z|[a-z])Last week {booked}`, ofRange(compare.LastWeek)},
	{"revenue", `(?:^| |Z|[a-z])Month {booked}`, ofRange(compare.ThisMonth)},
	{"revenue", `(?:^| |Z|[a-z])Season {booked}`, ofRange(compare.ThisSeason)},
	{"marketing", `{ordered} places in {orders} orders`, thisMonth},
	{"marketing", `of {buyers_known} places with a name`, thisMonth},
	{"marketing", `New {buyers_new} Returning`, thisMonth},
	{"marketing", `New [^ ]+ Returning {buyers_returning}(?: |$)`, thisMonth},
	{"marketing", `Returning [^ ]+ No name {buyers_unknown}(?: |$)`, thisMonth},
}

// pattern returns the saying's text about a scope, and the figures whose numbers it finds.
func (s saying) pattern(snapshot *figures.Snapshot, of figures.Scope) (*regexp.Regexp, []string) {
	var keys []string
	pattern := regexp.MustCompile(`\{([\w!]+)\}`).ReplaceAllStringFunc(s.text, func(placeholder string) string {
		e := snapshot.Event(of.Event)
		switch name := strings.Trim(placeholder, "{}"); name {
		case "id":
			return regexp.QuoteMeta(e.Event.ID)
		case "title":
			return regexp.QuoteMeta(e.Event.Title)
		case "curtain":
			return e.Event.StartsAt.In(webtest.Amsterdam).Format("15:04")
		case "date":
			return e.Event.StartsAt.In(webtest.Amsterdam).Format("Mon 2 Jan")
		case "day":
			day, _ := time.Parse(time.DateOnly, string(of.From))
			return day.Format("Mon 2 Jan")
		default:
			keys = append(keys, name)
			return `((?:[≈≤≥] )?[−+]?€?\d[\d,.]*%?|—)`
		}
	})
	return regexp.MustCompile(pattern), keys
}

// sameShown compares a number on a page with a figure, whatever mark an estimate has.
func sameShown(shown, want string) bool {
	shown = strings.TrimRight(strings.ReplaceAll(shown, "\u00a0", " "), ".,")
	shown = strings.Replace(strings.Replace(shown, "≤", "≈", 1), "+", "", 1)
	return shown == want || shown == strings.Replace(want, "€0.00", "0", 1) // of a performance without a currency
}

// compareLinks compares the figures of a page that lead to their explanations, and returns how many.
func compareLinks(t *testing.T, page string, v *evening.Evening, body string) (n int) {
	for _, link := range webtest.FigureLink.FindAllStringSubmatch(body, -1) {
		d, scope := linkedFigure(t, link[1])
		x, ok := catalogue.Explain(v, d.Key, scope)
		want := asShown(d, x.Value, false)
		unmarked := scope.Area != "" && d.Key == figures.KeyFree && sameShown(html.UnescapeString(link[2]), strings.TrimPrefix(want, "≈ ")) // one line says for all areas that they share places
		if !ok || !unmarked && !sameShown(html.UnescapeString(link[2]), want) {
			t.Errorf("%s at %v: %s is %q, the catalogue has %q", page, v.Now.Format("15:04"), link[1], link[2], want)
		}
		n++
	}
	return n
}

// compare compares the figures of a saying wherever a page's text has it, and returns how many.
func (s saying) compare(t *testing.T, v *evening.Evening, snapshot *figures.Snapshot, text string) (n int) {
	var of []figures.Scope
	if s.of != nil {
		of = s.of(v)
	} else {
		for _, show := range v.Shows {
			of = append(of, figures.Scope{Event: show.Event.ID})
		}
	}
	for _, scope := range of {
		pattern, keys := s.pattern(snapshot, scope)
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			for i, name := range keys {
				key, whole := strings.CutSuffix(name, "!")
				d := catalogue.Define(figures.Key(key))
				x, ok := catalogue.Explain(v, d.Key, scope)
				want, is := asShown(d, x.Value, whole), found[i+1]
				if !ok || !sameShown(is, want) {
					t.Errorf("%s at %v: %q has %s as %s, the catalogue %q of %+v", s.page, v.Now.Format("15:04"), found[0], key, found[i+1], want, scope)
				}
				n++
			}
		}
	}
	return n
}

// Each number that a page shows as a figure is that figure of the catalogue, of the performance, gate or days
// that it is shown for: by its link, or by what the page says of it where nothing is explained.
func TestNumbersAreTheirFigures(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	odd := h.Event("evt_odd", "Zes Te Veel", "Foyer", "19:15", "20:00", 20, webtest.OnDay(6), webtest.Available(20), func(e *record.Event) { e.Blocked = new(0) })
	h.Sell(odd, webtest.Sale{From: webtest.At("10:00"), To: webtest.At("11:00"), Paid: 6, Scans: true})
	linked, said := map[string]int{}, make([]int, len(sayings))
	shown := append(webtest.Views(t, "evt_vader", "Grote Zaal", webtest.SeenBy(web.Manager)), webtest.View{Page: "revenue", Params: "against=last_year&period=month"}, webtest.View{Page: "revenue", Params: "against=budget&period=season"},
		webtest.View{Page: "marketing", Params: "period=week"}, webtest.View{Page: "night", Params: "day=2026-11-19"})
	for _, e := range h.Snapshot().Events {
		shown = append(shown, webtest.EventView(e.Event.ID))
	}
	for _, complete := range []bool{true, false} {
		h.Coverage.TicketsComplete, h.Coverage.PaymentsComplete = complete, complete
		s := h.Snapshot()
		for _, now := range []time.Time{webtest.At("17:30"), webtest.At("19:52"), webtest.At("20:20"), webtest.At("23:20"), webtest.At("09:00").AddDate(0, 0, 1)} {
			v := evening.At(s, now)
			for _, view := range shown {
				name := view.Page
				if view.Params != "" && !slices.Contains([]string{"events", "revenue", "marketing", "night"}, view.Page) {
					name += "?" + string(view.Params)
				}
				_, body, _ := strings.Cut(webtest.Page(t, r, view.As(web.Manager), s, now), "<main")
				linked[view.Page] += compareLinks(t, name, v, body)
				if other := view.Page == "revenue" && view != webtest.RevenueView(7) || view.Page == "marketing" && view != webtest.Marketing; other || view.Page == "revenue" && v.Today != "2026-11-20" {
					continue // what sayings are of is the week up to the evening
				}
				if view.Page == "events" { // a row is of the performance that it leads to
					body = regexp.MustCompile(`href="/events/([^"/]+)"[^>]*>`).ReplaceAllString(body, `$0#$1 `)
				}
				text := webtest.FigureText(regexp.MustCompile(`(?s)<script.*?</script>`).ReplaceAllString(body, ""))
				for i, saying := range sayings {
					if saying.page != name {
						continue
					}
					said[i] += saying.compare(t, v, s, text)
				}
			}
		}
	}
	for _, page := range web.Pages() {
		if page.Explained && linked[page.Name] == 0 && page.Name != "changes" { // whose numbers are differences
			t.Errorf("no figure of %s is compared", page.Name)
		}
	}
	bySaying := map[string]int{}
	for i, n := range said {
		bySaying[sayings[i].page] += n
		if n == 0 {
			t.Errorf("%s nowhere says %q", sayings[i].page, sayings[i].text)
		}
	}
	t.Logf("compared by link: %v; by what is said: %v", linked, bySaying)
}
