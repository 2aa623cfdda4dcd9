package web_test

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// find returns the first group of a pattern as a number, without the marks of money and thousands; 0
// where the text does not say it.
func find(t *testing.T, in, pattern string) int {
	t.Helper()
	all := findAll(t, in, pattern)
	if len(all) == 0 {
		return 0
	}
	return all[0]
}

func findAll(t *testing.T, in, pattern string) (numbers []int) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(in, -1) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", ".", "", "€", "", "−", "-").Replace(m[1]))
		if err != nil {
			t.Fatalf("%q in %q: %v", m[1], pattern, err)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func sumOf(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

// The patterns of numbers on pages.
const (
	number = `(−?[\d,]+)`
	euro   = `(−?€[\d,.]+)`
	rated  = `([\d.]+)%`
)

// agree fails the test unless numbers of one name are the same.
type agree func(what string, numbers ...int)

// showAgrees compares a performance's row on Tonight, its page and its row in Events.
func showAgrees(t *testing.T, same agree, row string, page map[string]string, found string) {
	tiles, head := page["figures"], page["in-words"]
	same("sold on Tonight", find(t, tiles, `Sold `+number), max(find(t, row, number+` of [\d,]+(?: ¦|$| \d+ (?:unpaid|reserved|blocked))`), find(t, row, `sold, `+number), find(t, row, number+` sold of`)))
	if strings.Contains(tiles, " unpaid") && strings.Contains(row, "unpaid") {
		same("unpaid", find(t, tiles, number+` unpaid`), find(t, row, number+` unpaid`))
	}
	if strings.Contains(tiles, "Came ") {
		same("came", find(t, tiles, `Came `+number), find(t, head, number+` came`), find(t, row, number+` came`))
		same("did not come", find(t, tiles, `% `+number+` places?`), find(t, head, number+` did not`), find(t, row, number+` did not`))
		same("no-show", find(t, tiles, `No-show `+rated), find(t, head, `did not, `+rated), find(t, row, `did not, `+rated))
	}
	if strings.Contains(tiles, "Free ") {
		same("free on Tonight", find(t, tiles, `Free (?:≈[\s\x{a0}]*)?`+number), find(t, row, number+` free`))
		same("reserved", find(t, tiles, number+` more reserved`), find(t, head, number+` more (?:is|are) reserved`), find(t, row, number+` reserved`))
	}
	same("occupancy in Events", find(t, tiles, `Sold [\d,]+ `+rated), find(t, found, `§ `+rated))
	if strings.Contains(head, "in 24 hours") {
		same("sold in 7 days", find(t, head, number+` in 7 days`), find(t, found, `\+?`+number+` net in 7 days`))
		same("sold in the last hour", find(t, tiles, number+` in the last hour`), find(t, head, number+` in the last hour`))
	}
	if gates := findAll(t, row, `to come \S+ `+number+` people/min`); len(gates) == 1 { // of the only gate
		same("arrivals a minute", gates[0], find(t, page["arrivals"], number+` a minute in the last five`))
	}
}

// nightAgrees compares Last night with the pages of its performances and with Events.
func nightAgrees(t *testing.T, same agree, night string, pages map[string]map[string]string, found map[string]string) {
	text, table, _ := strings.Cut(night, "¦")
	var sold, came, away, net int
	for _, row := range strings.Split(table, "¦") {
		for id, page := range pages {
			name, _, _ := strings.Cut(page["head"], " Friday")
			if !strings.Contains(row, " "+strings.TrimSuffix(name, " Cancelled · was")+" ") || !strings.Contains(row, "§ ") {
				continue
			}
			tiles := page["figures"]
			if strings.Contains(row, "cancelled") {
				same("to pay back, last night", find(t, row, euro+` to pay back`), find(t, tiles, `To pay back `+euro), find(t, found[id], euro+` to pay back`))
				continue
			}
			same("sold last night", find(t, row, `§ `+number+` of`), find(t, tiles, `Sold `+number), find(t, found[id], `§ `+number+` of`))
			same("came last night", find(t, row, `of [\d,]+ § `+number), find(t, tiles, `Came `+number))
			same("did not come last night", find(t, row, number+` · `), find(t, tiles, `% `+number+` places?`))
			same("no-show last night", find(t, row, ` · `+rated), find(t, tiles, `No-show `+rated))
			same("received last night", find(t, row, `% § `+euro), find(t, tiles, `Received, net `+euro))
			sold, came = sold+find(t, tiles, `Sold `+number), came+find(t, tiles, `Came `+number)
			away, net = away+find(t, tiles, `% `+number+` places?`), net+find(t, tiles, `Received, net `+euro)
		}
	}
	last := table[strings.LastIndex(table, "¦"):]
	same("sold in the night", sold, find(t, text, number+` of [\d,]+ places sold`), find(t, last, `§ `+number+` of`))
	same("came in the night", came, find(t, text, number+` came`), find(t, last, `of [\d,]+ § `+number))
	same("did not come in the night", away, find(t, text, number+` did not`), find(t, last, number+` · `))
	same("received for the night", net, find(t, text, euro+` received`), find(t, last, `% § `+euro))
}

// A name that stands on two pages shows one number, and rows sum to their headline.
func TestPagesAgree(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Eventful(t)
	for _, event := range []string{"evt_off", "evt_over"} {
		pay := record.Payment{ID: "pay_" + event, EventID: event, Kind: record.KindOfPayment, Method: "ideal", Amount: record.Money{Amount: 4200, Currency: "EUR"}, Status: record.PaymentPaid,
			PaidAt: webtest.At("10:00"), UpdatedAt: webtest.ShowTime}
		back := pay
		back.ID, back.ParentID, back.Kind, back.Amount.Amount = "back_"+event, pay.ID, record.KindOfRefund, 700
		h.Apply(&pay)
		h.Apply(&back)
	}
	h.Apply(&record.Ticket{ID: "tkt_gratis", EventID: "evt_mat", OrderID: "ord_gratis", Price: &record.Money{Currency: "EUR"}, Status: record.TicketValid,
		SoldAt: webtest.At("12:00"), Scans: []record.Scan{}, UpdatedAt: webtest.ShowTime})
	seen := map[string]bool{}
	for _, clock := range []string{"12:01", "17:30", "18:01", "19:47", "19:52", "20:14", "20:20", "20:40", "22:46", "23:05", "23:20", "09:00 the next day"} {
		clock, next := strings.CutSuffix(clock, " the next day")
		now := webtest.At(clock)
		if next {
			now = now.AddDate(0, 0, 1)
		}
		for i := range h.Health.Streams {
			h.Health.Streams[i].LastGood = now
		}
		h.AsOf = now
		s := h.Snapshot()
		same := func(what string, numbers ...int) {
			t.Helper()
			for _, n := range numbers {
				seen[what] = seen[what] || n > 0
				if n != numbers[0] {
					t.Errorf("at %s: %s: %v", clock, what, numbers)
					return
				}
			}
		}
		of := func(v webtest.View) map[string]string {
			html := webtest.Content(t, r, v.As(web.Manager), s, now).HTML
			for id := range html {
				html[id] = webtest.FigureText(html[id])
			}
			return html
		}
		tonight, wall, revenue := of(webtest.View{Page: "tonight"}), of(webtest.View{Page: "wall"}), of(webtest.RevenueView(7))
		var inside, still, late, free, freeShows, booked, worth int
		rows, rowOf := "", map[string]string{}
		for _, html := range webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Manager), s, now).HTML {
			for _, row := range strings.Split(html, `<article id="show-`)[1:] {
				id, _, _ := strings.Cut(row, `"`)
				rowOf[id] = webtest.FigureText("<" + row)
				rows += " " + rowOf[id]
			}
		}
		found := map[string]string{} // the rows of Events by event
		for _, row := range strings.Split(webtest.Page(t, r, webtest.EventsView(t, url.Values{"skip": {"0"}}).As(web.Manager), s, now), "<tr") {
			if id := regexp.MustCompile(`href="/events/([^"]+)"`).FindStringSubmatch(row); id != nil {
				found[id[1]] = webtest.FigureText("<tr" + row)
			}
		}
		v := evening.At(s, now)
		for _, show := range v.Shows {
			e := of(webtest.EventView(show.Event.ID))
			tiles, row := e["figures"], found[show.Event.ID]
			if row == "" {
				t.Fatalf("at %s: Events has no row of %s", clock, show.Event.Title)
			}
			if own := rowOf[show.Event.ID]; show.Phase.GoesAhead() {
				showAgrees(t, same, own, e, row)
			} else if show.Phase == evening.Cancelled {
				same("to pay back", find(t, own, euro+` to pay back`), find(t, tiles, `To pay back `+euro), find(t, e["in-words"], euro+` is still to pay back`),
					find(t, row, euro+` to pay back`), find(t, tonight["attention"], euro+` to pay back`))
			}
			if show.Phase.GoesAhead() {
				same("sold in Events", find(t, tiles, `Sold `+number), find(t, row, `§ `+number+` (?:of|§)`))
				same("booked in Events", find(t, tiles, `Booked in all `+euro), find(t, row, euro+` booked`))
				worth += find(t, tiles, `Booked in all `+euro)
			}
			figs := of(webtest.EventPart(show.Event.ID, ""))["figs"]
			for term, tile := range map[string]string{"Free": "Free", "Sold": "Sold", "Inside": "Inside", "Came": "Came", "No-show": "No-show", "To pay back": "To pay back"} {
				amount := ` (?:[≈≤] )?[−-]?€?([\d,.]+)`
				if strings.Contains(figs, term+" ") && show.Phase.GoesAhead() == (term != "To pay back") {
					same(term+", on top of its page", find(t, " "+figs, ` `+term+amount), find(t, " "+tiles, ` `+tile+amount))
				}
			}
			if show.Phase.Open() {
				door := of(webtest.View{Page: "arrivals", Params: query.Params(url.Values{"hall": {show.Event.Hall}}.Encode())})
				if strings.Contains(door["wall-top"], show.Event.Title) {
					same("came of those expected", find(t, e["arrivals"], number+` of [\d,]+ visitors`), find(t, door["arrivals"], number+` of [\d,]+ came`))
				}
			}
			if note := regexp.MustCompile(`Came ([\d,]+) ([\d,]+) of ([\d,]+) expected`).FindString(tiles); note != "" {
				arrived := find(t, note, `Came [\d,]+ `+number)
				same("came of those expected, and who did not", find(t, note, `of `+number), arrived+find(t, tiles, `% `+number+` places?`))
			}
			for _, list := range []string{"types", "channels"} {
				if show.Phase.GoesAhead() && strings.Contains(e[list], "¦") {
					same(list+" of a performance", find(t, tiles, `Sold `+number), sumOf(findAll(t, e[list], `¦ [^§¦]+ § `+number)))
					same("booked by "+list, find(t, tiles, `Booked in all `+euro), sumOf(findAll(t, e[list], `¦ [^¦]+ § `+euro)))
				}
			}
			if strings.Contains(tiles, "Free ") {
				same("free in Events", find(t, tiles, `Free (?:≈ )?`+number), find(t, row, `§ (?:≈ )?`+number+` free`))
			}
			inside += find(t, tiles, `Inside (?:[≈≤] )?`+number)
			if strings.Contains(tiles, "still to come") {
				still += find(t, tiles, number+` still to come`)
				same("still to come, in its sentence", find(t, tiles, number+` still to come`), find(t, e["in-words"], number+` still to come`))
			}
			late += find(t, tiles, number+` not in`)
			free += find(t, tiles, `Free (?:[≈≤] )?`+number)
			if strings.Contains(tiles, "Free ") || show.Oversold > 0 && show.Sale == 1 {
				freeShows++
			}
			booked += find(t, tiles, `Booked today `+euro)
		}
		if len(v.LastNight) > 0 {
			pages := map[string]map[string]string{}
			for _, show := range v.LastNight {
				pages[show.Event.ID] = of(webtest.EventView(show.Event.ID))
			}
			nightAgrees(t, same, tonight["night"], pages, found)
		}
		same("in the building", inside, find(t, tonight["figs"], `In the building (?:[≈≤] )?`+number), find(t, wall["wall-main"], number+` in the building`),
			sumOf(findAll(t, rows, number+` (?:inside of|inside,|leaving)`)))
		notIn := v.House.NotIn.Value
		if top := find(t, tonight["figs"], `(?:Still to come|Not in) (?:[≈≤] )?`+number); top > 0 {
			same("not in, on top and on the wall", notIn, top, find(t, wall["wall-main"], `, `+number+` (?:still to come|not in)`))
			if still != notIn && v.House.Arriving > 0 {
				same("still to come where doors are open", still, find(t, tonight["figs"], number+` at open doors`))
			}
		}
		same("still to come", still, sumOf(findAll(t, rows, number+` to come`)))
		same("latecomers", late, sumOf(findAll(t, rows, number+` not in`)))
		if top := find(t, tonight["figs"], number+` not in`); top > 0 {
			same("latecomers, on top", late, top)
		} else if h := &v.House; h.Latecomers.Value != h.NotIn.Value && h.WillCome.Value == 0 {
			same("latecomers, on top", late, 0)
		}
		same("free", free, find(t, tonight["figs"], `Free (?:[≈≤] )?`+number), sumOf(findAll(t, rows, number+` free`)))
		if strings.Contains(wall["wall-main"], "free") && freeShows > 1 {
			same("free, on the wall", free, find(t, wall["wall-main"], number+` free`))
		}
		same("booked for the evening", worth, find(t, tonight["evening-money"], euro+` booked in all`))
		sums := findAll(t, tonight["sum"], euro)
		sold := findAll(t, tonight["sum"], `(?:: |^)`+number)
		same("booked today in the rows", sums[0], sumOf(findAll(t, rows, `sold today, +`+euro)))
		same("sold today in the rows", sold[0], sumOf(findAll(t, rows, number+` sold today`)))
		all := sumOf(sums)
		same("booked today", all, find(t, tonight["figs"], `Booked today `+euro), find(t, revenue["days-rows-1"], `so far § [^§]+ § `+euro))
		// The bridge from booked to received adds up, and open items by age are the headline.
		step := func(term string) int { return find(t, revenue["bridge-1"], `¦ `+term+` § [−+=]?\s*(?:≈ )?`+euro) }
		others := step("Orders or payments of other days")
		if strings.Contains(revenue["bridge-1"], "Orders or payments of other days § −") {
			others = -others
		}
		same("bridge", step("Received, net"), step("Booked")+step("Fees and goods")-step("Goodwill")-step("Not received")+step("Overpaid")+others)
		mat := of(webtest.EventView("evt_mat"))["items"]
		same("open items by age", find(t, mat, `(?:≈ )?`+euro+` not received`), sumOf(findAll(t, mat, `§ [\d,—]+ § `+euro+` §`)))
		// Revenue: its days and its performances are its headline.
		headline := find(t, revenue["glance"], `These days, [^€]*`+euro)
		allRow := regexp.MustCompile(`¦ All § [^¦]*`)
		inAll, performances := allRow.FindString(revenue["events-1"]), allRow.ReplaceAllString(revenue["events-1"], "")
		columns := func(text string, n int) string { return strings.Repeat(`§ [^§¦]+ `, n) + `§ ` + text }
		for n, column := range []string{"refunded", "received", "open"} {
			amount := `(?:≈ )?([−]?€[\d,.]+)`
			same(column+" by performance", sumOf(findAll(t, performances, `¦ [^§¦]+ `+columns(amount, n+2))), find(t, inAll, `¦ All `+columns(amount, n+2)))
		}
		same("revenue by day", headline, sumOf(findAll(t, revenue["days-rows-1"], `¦ [^§¦]+ § [^§¦]+ § `+euro)),
			sumOf(findAll(t, performances, `¦ [^§¦]+ § [^§¦]+ § `+euro)), find(t, inAll, `¦ All § [^§]+ § `+euro))
		// Marketing: each of its lists is its headline.
		sales := of(webtest.Marketing)
		places := find(t, sales["figures"], `Sold for these performances (?:[≈≥] )?`+number)
		for _, list := range []string{"channels", "lead-times"} {
			same(list, places, sumOf(findAll(t, sales[list], `¦ [^§¦]+ § § `+number)))
			if list != "channels" { // it is folded
				same(list+", as it says", places, find(t, sales[list], `^[^\d¦]*`+number))
			}
		}
		same("buyers", places, sumOf(findAll(t, sales["buyer-days"], `[^\d,]`+number)))
		same("places by day of sale and channel", places, sumOf(findAll(t, sales["days-rows"], `¦ [^§¦]+ § `+number)), sumOf(findAll(t, sales["days"], `[^\d,]`+number)))
		same("by method", find(t, sales["methods"], euro+` ¦`), sumOf(findAll(t, sales["methods"], `¦ [^§¦]+ § § [^§¦]+ § `+euro)))
		same("places by day", sumOf(findAll(t, revenue["days-rows-1"], `¦ [^§¦]+ § `+number)),
			sumOf(findAll(t, performances, `¦ [^§¦]+ § `+number)), find(t, inAll, `¦ All § `+number))
	}
	for _, what := range []string{"Free, on top of its page", "Sold, on top of its page", "Inside, on top of its page", "Came, on top of its page", "No-show, on top of its page", "in the building", "still to come", "not in, on top and on the wall", "still to come where doors are open", "still to come, in its sentence", "latecomers", "latecomers, on top", "free", "free, on the wall", "booked today in the rows",
		"sold today in the rows", "booked for the evening", "booked today", "bridge", "channels", "lead-times", "lead-times, as it says", "buyers", "places by day of sale and channel", "by method", "open items by age", "revenue by day", "refunded by performance", "received by performance", "open by performance", "places by day", "sold in Events", "booked in Events", "free in Events", "types of a performance", "channels of a performance", "booked by types", "booked by channels",
		"sold on Tonight", "unpaid", "came", "came of those expected", "came of those expected, and who did not", "did not come", "no-show", "free on Tonight", "reserved", "occupancy in Events", "sold in 7 days", "sold in the last hour",
		"arrivals a minute", "to pay back", "to pay back, last night", "sold last night", "came last night", "did not come last night", "no-show last night", "received last night",
		"sold in the night", "came in the night", "did not come in the night", "received for the night"} {
		if !seen[what] {
			t.Errorf("nothing is compared of %s", what)
		}
	}
}
