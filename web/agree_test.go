package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
)

// eventful is the busy evening with what makes pages differ: people who left, a performance that
// is cancelled and one that is oversold, a voided ticket of somebody inside, and a sale that is
// dated ahead of the clock.
func eventful(t testing.TB) *house {
	h := busy(t)
	over := h.event("evt_over", "Volle Bak", "Foyer", "17:15", "18:00", 20, available(-5))
	h.sell(over, sale{from: evening.AddDate(0, 0, -9), to: evening.Add(-3 * time.Hour), paid: 25, scans: true, in: []gateIn{{"F", 15, at("17:18"), at("17:55")}}})
	h.event("evt_off", "Afgelast", "Foyer", "19:15", "20:00", 20, available(20), func(e *record.Event) { e.Status = record.EventCancelled })
	h.event("evt_later", "Uitgesteld", "Foyer", "19:15", "20:00", 20, onDay(1), available(20), func(e *record.Event) { e.Status = record.EventPostponed })
	scans := func(times ...string) []record.Scan {
		var all []record.Scan
		for i, clock := range times {
			all = append(all, record.Scan{At: at(clock), Gate: "A", Direction: []record.Direction{record.Entry, record.Exit}[i%2]})
		}
		return all
	}
	for i, event := range []string{"evt_mat", "evt_vader", "evt_over", "evt_trio"} {
		for n, passed := range [][]record.Scan{scans("19:46", "19:48"), scans("19:46"), {}} {
			r := &record.Ticket{ID: fmt.Sprint("tkt_more_", i, n), EventID: event, Price: &record.Money{Amount: 1000, Currency: "EUR"}, Status: record.TicketValid,
				SoldAt: at("12:00"), Scans: passed, UpdatedAt: evening}
			if n == 1 {
				r.Status, r.CancelledAt = record.TicketVoid, at("19:50")
			}
			h.apply(r)
		}
	}
	h.apply(&record.Ticket{ID: "tkt_ahead", EventID: "evt_next_0", Price: &record.Money{Amount: 7700, Currency: "EUR"}, Status: record.TicketValid,
		SoldAt: at("23:00"), UpdatedAt: evening})
	h.apply(&record.Ticket{ID: "tkt_stray", EventID: "evt_gone", Price: &record.Money{Amount: 300, Currency: "EUR"}, Status: record.TicketValid,
		SoldAt: at("11:00"), UpdatedAt: evening})
	return h
}

// figureText is HTML as text, without the reasons of figures and with elements apart.
func figureText(html string) string {
	html = regexp.MustCompile(`<span class="why">[^<]*</span>`).ReplaceAllString(html, "")
	html = strings.NewReplacer("<tr", " ¦ <tr", "<td", " § <td", "<", " <").Replace(html)
	return strings.Join(strings.Fields(text(html)), " ")
}

// find is the first group of a pattern as a number, without the marks of money and thousands; 0
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

// A name that stands on two pages shows one number, and rows sum to their headline.
func TestPagesAgree(t *testing.T) {
	r, h := renderer(t), eventful(t)
	const number, euro = `(−?[\d,]+)`, `(−?€[\d,.]+)`
	seen := map[string]bool{}
	for _, clock := range []string{"12:01", "17:30", "18:01", "19:47", "19:52", "20:14", "20:20", "20:40", "22:46", "23:05", "23:20"} {
		now := at(clock)
		for i := range h.health.Streams {
			h.health.Streams[i].LastGood = now
		}
		h.asOf = now
		s := h.snapshot()
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
		of := func(v view) map[string]string {
			html := content(t, r, v.as(web.Manager), s, now).HTML
			for id := range html {
				html[id] = figureText(html[id])
			}
			return html
		}
		tonight, wall, revenue := of(view{page: "tonight"}), of(view{page: "wall"}), of(revenueView(7))
		var inside, still, late, free, freeShows, booked int
		rows := ""
		for id, html := range tonight {
			if strings.HasPrefix(id, "shows-") {
				rows += " " + html
			}
		}
		found := map[string]string{} // the rows of Events by event
		for _, row := range strings.Split(page(t, r, eventsView(url.Values{"skip": {"0"}}).as(web.Manager), s, now), "<tr") {
			if id := regexp.MustCompile(`href="/events/([^"]+)"`).FindStringSubmatch(row); id != nil {
				found[id[1]] = figureText("<tr" + row)
			}
		}
		for _, show := range s.Evening(now).Shows {
			e := of(eventView(show.Event.ID))
			tiles, row := e["figures"], found[show.Event.ID]
			if row == "" {
				t.Fatalf("at %s: Events has no row of %s", clock, show.Event.Title)
			}
			if show.Phase.GoesAhead() {
				same("sold in Events", find(t, tiles, `Sold `+number), find(t, row, `§ `+number+` (?:of|§)`))
				same("booked in Events", find(t, tiles, `Booked in all `+euro), find(t, row, euro+` booked`))
			}
			if strings.Contains(tiles, "Free ") {
				same("free in Events", find(t, tiles, `Free (?:≈ )?`+number), find(t, row, `§ (?:≈ )?`+number+` free`))
			}
			inside += find(t, tiles, `In the building (?:[≈≤] )?`+number)
			if strings.Contains(tiles, "still to come") {
				still += find(t, tiles, number+` still to come`)
				same("still to come, in its sentence", find(t, tiles, number+` still to come`), find(t, e["head"], number+` still to come`))
			}
			late += find(t, tiles, number+` latecomers?`)
			free += find(t, tiles, `Free (?:[≈≤] )?`+number)
			if strings.Contains(tiles, "Free ") || show.Oversold > 0 && show.Sale == 1 {
				freeShows++
			}
			booked += find(t, tiles, `Booked today `+euro)
		}
		same("in the building", inside, find(t, tonight["head"], number+` in the building`), find(t, wall["wall-main"], number+` in the building`),
			sumOf(findAll(t, rows, number+` (?:inside of|leaving)`)))
		same("still to come", still, find(t, tonight["head"], number+` still to come`), sumOf(findAll(t, rows, number+` still to come`)))
		if strings.Contains(wall["wall-main"], "still to come") {
			same("still to come, on the wall", still, find(t, wall["wall-main"], number+` still to come`))
		}
		same("latecomers", late, find(t, tonight["head"], number+` latecomers?`), sumOf(findAll(t, rows, number+` latecomers?`)))
		same("free", free, find(t, tonight["head"], number+` places? can still be sold`), sumOf(findAll(t, rows, number+` free`)))
		if strings.Contains(wall["wall-main"], "free") && freeShows > 1 {
			same("free, on the wall", free, find(t, wall["wall-main"], number+` free`))
		}
		sums := findAll(t, tonight["sum"], euro)
		sold := findAll(t, tonight["sum"], `(?:: |in all |^)`+number)
		same("booked today in the rows", sums[0], sumOf(findAll(t, rows, `sold(?: less cancelled)? today, +`+euro)))
		same("sold today in the rows", sold[0], sumOf(findAll(t, rows, number+` sold(?: less cancelled)? today`)))
		if len(sums) == 3 {
			same("booked today in all", sums[0]+sums[1], sums[2])
			same("sold today in all", sold[0]+sold[1], sold[2])
		}
		all := sums[len(sums)-1]
		same("booked today", all, find(t, tonight["head"], euro+` booked today`), find(t, revenue["days-rows-1"], `so far § [^§]+ § `+euro))
		// Revenue: its days and its performances are its headline.
		headline := find(t, revenue["money-1"], `Booked `+euro)
		same("revenue by day", headline, sumOf(findAll(t, revenue["days-rows-1"], `¦ [^§¦]+ § [^§¦]+ § `+euro)), find(t, revenue["head"], euro+` booked`),
			sumOf(findAll(t, revenue["events-1"], `¦ [^§¦]+ § [^§¦]+ § `+euro)))
		same("places by day", find(t, revenue["head"], number+` places? in 7`), sumOf(findAll(t, revenue["days-rows-1"], `¦ [^§¦]+ § `+number)),
			sumOf(findAll(t, revenue["events-1"], `¦ [^§¦]+ § `+number)))
	}
	for _, what := range []string{"in the building", "still to come", "still to come, on the wall", "still to come, in its sentence", "latecomers", "free", "free, on the wall", "booked today in the rows",
		"sold today in the rows", "booked today in all", "sold today in all", "booked today", "revenue by day", "places by day", "sold in Events", "booked in Events", "free in Events"} {
		if !seen[what] {
			t.Errorf("nothing is compared of %s", what)
		}
	}
}
