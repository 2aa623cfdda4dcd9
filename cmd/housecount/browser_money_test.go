package main

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures"
)

// TestBrowserRolesReceiveNoMoney reads everything that a page was sent: its HTML with the
// chart options in it, and every frame.
func TestBrowserRolesReceiveNoMoney(t *testing.T) {
	h := newTestHouse(t)
	e := h.grote()
	past := pastMoney(h)
	for _, c := range []struct {
		role  string
		money []string // what must be there
		never []string
		keys  []string // whose words must not be there, in any language
	}{
		{"door", nil, append([]string{"€", "EUR", "takings", "amount"}, past...), []string{"column.booked", "revenue.received", "revenue.refunded", "nav.revenue", "revenue.chargebacks"}},
		{"box_office", []string{"€"}, past, []string{"revenue.received", "revenue.refunded", "nav.revenue", "revenue.chargebacks"}},
	} {
		t.Run(c.role, func(t *testing.T) {
			b := newBrowser(t)
			b.newTab(1440, 900).login(h, c.role)
			tabs := b.newTabs(1440, 900)
			sent := map[*tab]string{}
			for _, path := range []string{"/tonight", "/events/" + e.Event.ID, "/wall", "/wall?hall=Grote+Zaal"} {
				frames := map[*tab]int{}
				for _, p := range tabs {
					p.open(h.url + path)
					p.live()
					frames[p] = len(p.received())
				}
				h.sell(e.Event.ID, 1)
				for _, p := range tabs {
					p.awaitFrames(frames[p] + 1)
					sent[p] += p.html()
				}
			}
			for _, p := range tabs {
				l, sent := p.words.Language(), randomly.ReplaceAllString(sent[p]+strings.Join(p.received(), "\n"), "")
				never := c.never
				for _, key := range c.keys {
					never = append(never[:len(never):len(never)], p.words.Text(key), strings.ToLower(p.words.Text(key)))
				}
				for _, word := range never {
					if at := around(sent, word); at != "" {
						t.Errorf("%s was sent %q in %s: …%s…", c.role, word, l, at)
					}
				}
				for _, word := range c.money {
					if !strings.Contains(sent, word) {
						t.Errorf("%s was not sent %q, today's takings, in %s", c.role, word, l)
					}
				}
				p.open(h.url + "/revenue")
				if body := eval[string](p, "document.body.innerText"); strings.Contains(body, "€") || !strings.Contains(body, p.words.Code("error_title", "role")) {
					t.Errorf("%s sees revenue in %s: %s", c.role, l, body)
				}
			}
		})
	}
}

// around returns a text with what stands on both sides of it, empty without. A number has to stand there whole: no
// digit is next to it, and it is no fraction.
func around(sent, text string) string {
	number := text[0] >= '0' && text[0] <= '9'
	digit := func(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }
	for from := 0; ; {
		i := strings.Index(sent[from:], text)
		if i < 0 {
			return ""
		}
		begin, end := from+i, from+i+len(text)
		before := strings.TrimSuffix(sent[:begin], ".")
		if !number || !digit(sent[end:]) && (before == "" || !digit(before[len(before)-1:])) {
			return sent[max(0, begin-80):min(len(sent), end+80)]
		}
		from = begin + 1
	}
}

// Money that is sent is found wherever it stands, and nothing else is taken for it.
func TestMoneyIsFound(t *testing.T) {
	for _, c := range []struct {
		sent, text string
		found      bool
	}{
		{`{"data":[12,365904,7]}`, "365904", true}, {`<p>365904`, "365904", true}, {"365904", "365904", true}, {`"of":365904.0`, "365904", true},
		{`"woken":1795365904037,"sum":365904}`, "365904", true}, {`"woken":1795365904037`, "365904", false}, {`"y":0.365904`, "365904", false},
		{"€3,659.04 today", "3,659.04", true}, {"€13,659.04", "3,659.04", false}, {"€3,659.04", "€3,659", true}, {`"3659.04 EUR"`, "3659.04", true},
		{`{"currency":"EUR"}`, "EUR", true}, {"12EUR", "EUR", true}, {"Omzet", "Omzet", true}, {"De omzetten", "omzet", true},
		{`{"from":"abEURcd-_fghijklmno9","token":"EURbcd-_fghijklmno90","parts":{}}`, "EUR", false}, {`data-token="xyEURcd-_fghijklmno9">`, "EUR", false},
		{`"token":"EUR"`, "EUR", true},
	} {
		if at := around(randomly.ReplaceAllString(c.sent, ""), c.text); (at != "") != c.found {
			t.Errorf("%q in %s: %q, want found: %v", c.text, c.sent, at, c.found)
		}
	}
}

// pastMoney returns the house's money before today, as it could be written anywhere.
func pastMoney(h *testHouse) (texts []string) {
	s := h.demo.program.figures.Snapshot()
	today := s.Calendar.Day(h.demo.service.Now())
	forbid := func(sums ...figures.Sums) {
		for _, all := range sums {
			for _, m := range all {
				if m.Amount >= 1_000_00 && m.Amount < 1_000_000_00 { // a smaller number may well be something else
					texts = append(texts, fmt.Sprint(m.Amount), fmt.Sprintf("€%d,%03d", m.Amount/100_000, m.Amount/100%1000),
						fmt.Sprintf("%d,%03d.%02d", m.Amount/100_000, m.Amount/100%1000, m.Amount%100), fmt.Sprintf("%d.%02d", m.Amount/100, m.Amount%100))
				}
			}
		}
	}
	forbid(s.Total.Of(figures.Booked).Value, s.Total.Of(figures.Received).Value, s.Total.Net.Value)
	for _, e := range s.Events {
		forbid(e.Revenue.Of(figures.Booked).Value, e.Revenue.Net.Value)
	}
	for _, d := range s.Days {
		if d.Day != today {
			forbid(d.Of(figures.Booked), d.Of(figures.Received), d.Net())
		}
	}
	return texts
}
