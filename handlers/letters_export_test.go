package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"housecount/aggregator/notify"
	"housecount/aggregator/notify/mailtest"
	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/words"
)

// post sends the letters that are due through a mail server, until n of them wait no more, and returns their states.
func (h *house) post(t *testing.T, server *mailtest.Server, n int) (states []string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server.Serve(t, ln)
	mail, err := notify.NewSMTP("smtp://"+ln.Addr().String(), "", "", "De Waag <house@dewaag.example>")
	if err != nil {
		t.Fatal(err)
	}
	site := h.replica.Load()
	var mu sync.Mutex
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := &notify.Post{Letters: h.store.Letters(), Mail: mail, Due: site.DueLetters, Write: site.WriteLetter, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Done: func(state string) {
			mu.Lock()
			defer mu.Unlock()
			if states = append(states, state); len(states) == n {
				cancel()
			}
		}}
	if err := p.Run(ctx); err != nil || len(states) != n {
		t.Fatalf("the letters are %q (%v), want %d", states, err, n)
	}
	return states
}

// sums returns what the columns of a table with some heads sum to.
func sums(t *testing.T, f *excelize.File, table string, heads ...string) (all []float64) {
	t.Helper()
	rows, err := f.GetRows(table, excelize.Options{RawCellValue: true})
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %q (%v)", table, rows, err)
	}
	for _, head := range heads {
		sum, column := 0.0, -1
		for i, name := range rows[0] {
			if name == head {
				column = i
			}
		}
		if column < 0 {
			t.Fatalf("%s has no column %q but %q", table, head, rows[0])
		}
		for _, row := range rows[1 : len(rows)-1] { // the last has the sums
			if column < len(row) && row[column] != "" {
				n, err := strconv.ParseFloat(row[column], 64)
				if err != nil {
					t.Fatal(err)
				}
				sum += n
			}
		}
		all = append(all, sum)
	}
	return all
}

// A manager who chooses it gets the workbook of Revenue of the last week by mail, in their language, once; what it sums to is
// what the page shows at that moment.
func TestLettersBringTheWorkbook(t *testing.T) {
	for _, c := range []struct {
		name, clock, letter, from, to string
		language                      web.Locale
		title, sheet, booked, sold    string
		shown                         string
	}{
		{"week", "2026-11-23 07:40", night.RevenueWeek, "2026-11-16", "2026-11-22", "en", "De Waag: Revenue, Mon 16 Nov to Sun 22 Nov", "Performances", "Booked, EUR", "Sold", "1,235.56"},
		{"month", "2026-12-01 09:00", night.RevenueMonth, "2026-11-01", "2026-11-30", "nl", "De Waag: Omzet, zo 1 nov t/m ma 30 nov", "Voorstellingen", "Geboekt, EUR", "Verkocht", "1.235,56"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, clock := lettersHouse(t)
			mia := h.signedIn(t, web.Manager, "mia@house.example")
			mia.enter("/language", web.LettersPath, url.Values{"language": {string(c.language)}})
			if p := mia.enter(web.LettersPath, web.LettersPath, letters(c.letter)); p.status != http.StatusSeeOther {
				t.Fatalf("chosen: %d", p.status)
			}
			clock(c.clock)
			var server mailtest.Server
			h.post(t, &server, 1)
			if again := h.replica.Load().DueLetters(); len(again) == 0 || server.Tried() != 1 {
				t.Fatalf("due is %v, sent %d", again, server.Tried())
			}
			m := server.Got()[0]
			if subject, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get("Subject")); err != nil || m.To != "mia@house.example" || subject != c.title || !strings.Contains(m.Header.Get("List-Unsubscribe"), web.StopPath) {
				t.Errorf("%q to %s", subject, m.To)
			}
			content := m.Files["housecount-revenue-"+c.from+"-"+c.to+".xlsx"]
			f, err := excelize.OpenReader(bytes.NewReader(content))
			if err != nil {
				t.Fatalf("the files are %v: %v", len(m.Files), err)
			}
			defer f.Close()
			if got := sums(t, f, c.sheet, c.booked, c.sold); got[0] != 1235.56 || got[1] != 2 {
				t.Errorf("the workbook sums to %v", got)
			}
			page := mia.get(web.RevenuePath + "?" + url.Values{"period": {"custom"}, "from": {c.from}, "to": {c.to}}.Encode())
			for where, text := range map[string]string{"page": page.body, "letter": m.Parts["text/html"]} {
				if !strings.Contains(words.Bare(html.UnescapeString(text)), c.shown) {
					t.Errorf("%s is not on the %s", c.shown, where)
				}
			}
			if link := fmt.Sprintf("from=%s&period=custom&to=%s", c.from, c.to); !strings.Contains(m.Parts["text/plain"], link) {
				t.Errorf("the letter leads to no %s: %s", link, m.Parts["text/plain"])
			}
		})
	}
}

// The workbook is for those who see Revenue: when they choose, and when it is sent.
func TestLettersBringNoWorkbookToOthers(t *testing.T) {
	h, clock := lettersHouse(t)
	box := h.signedIn(t, web.BoxOffice, "bo@house.example")
	if p := box.get(web.LettersPath); strings.Contains(p.body, night.RevenueWeek) || !strings.Contains(p.body, night.Morning) {
		t.Error("the box office is offered the workbook of Revenue")
	}
	if p := box.enter(web.LettersPath, web.LettersPath, letters(night.RevenueWeek)); p.status != http.StatusBadRequest {
		t.Errorf("the box office chose it: %d", p.status)
	}
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.RevenueWeek))
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(people) != 1 {
		t.Fatalf("%v (%v)", people, err)
	}
	if _, err := h.replica.Load().WriteLetter(t.Context(), []store.Letter{{Name: night.RevenueWeek, About: "2026-01-05"}}, people[0]); !errors.Is(err, notify.ErrVoid) {
		t.Errorf("of a week without sales: %v", err)
	}
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "the manager", "name": "Mia", "roles": "box_office", "email": "mia@house.example", "email_verified": true}
	})
	h.browser(t).get("/login")
	clock("2026-11-23 07:40")
	var server mailtest.Server
	if states := h.post(t, &server, 1); states[0] != store.LetterVoid || server.Tried() != 0 {
		t.Errorf("to who sees no money any more: %q, tried %d", states, server.Tried())
	}
}

// Each table comes in the form that was chosen, with what the person may see when it is sent, once, and has what its page has at that
// moment.
func TestLettersBringTables(t *testing.T) {
	for _, c := range []struct {
		letter, clock string
		role          web.Role
		file, page    string // the page whose table it is
		has, lacks    string
	}{
		{night.TonightDay + night.CSV, "2026-11-22 07:40", web.BoxOffice, "housecount-tonight-2026-11-22.csv", "/tonight", "Fado", "1,234.56"},
		{night.NightDay + night.CSV, "2026-11-22 07:40", web.Manager, "housecount-night-2026-11-21.csv", "/night?day=2026-11-21", "1235.56", "Fado"},
		{night.NightDay + night.CSV, "2026-11-22 07:40", web.Door, "housecount-night-2026-11-21.csv", "/night?day=2026-11-21", "Tosca", "1235.56"},
		{night.RevenueDay + night.CSV, "2026-11-22 07:40", web.Manager, "housecount-revenue-2026-11-21-2026-11-21.csv", "/revenue?from=2026-11-21&period=custom&to=2026-11-21", "1235.56", "2026-11-22"},
		{night.EventsWeek + night.CSV, "2026-11-23 07:40", web.Door, "housecount-performances-2026-11-23.csv", "/events?from=2026-11-23", "", "Tosca"},
		{night.NightDay, "2026-11-22 07:40", web.Door, "housecount-night-2026-11-21.xlsx", "", "PK", ""},
	} {
		t.Run(c.letter+" "+string(c.role), func(t *testing.T) {
			h, clock := lettersHouse(t)
			clock(c.clock)
			person := h.signedIn(t, c.role, "mia@house.example")
			if p := person.enter(web.LettersPath, web.LettersPath, letters("", c.letter, "")); p.status != http.StatusSeeOther {
				t.Fatalf("chosen: %d", p.status)
			}
			if page := person.get(web.LettersPath).body; !strings.Contains(page, `<option value="`+c.letter+`" selected>`) || strings.Count(page, " selected>") != 1 {
				t.Error("the page does not show what is chosen")
			}
			var server mailtest.Server
			h.post(t, &server, 1)
			m := server.Got()[0]
			content, sent := m.Files[c.file]
			if len(m.Files) != 1 || !sent || !strings.Contains(string(content), c.has) || c.lacks != "" && strings.Contains(string(content), c.lacks) {
				t.Fatalf("sent are %d files, %q", len(m.Files), content)
			}
			if !strings.Contains(m.Parts["text/plain"], c.file) || !strings.Contains(m.Parts["text/plain"], c.page) {
				t.Errorf("the letter is %q", m.Parts["text/plain"])
			}
			if path, choices, _ := strings.Cut(c.page, "?"); path != "" {
				if choices != "" {
					choices = "?" + choices
				}
				if table := person.get(path + web.SheetCSV + choices).body; table != string(content) {
					t.Errorf("the page's table is\n%s\nand that of the letter\n%s", table, content)
				}
			}
		})
	}
}

// A table of which there is nothing is not sent, and none that there is not can be chosen.
func TestLettersBringNoEmptyTable(t *testing.T) {
	h, clock := lettersHouse(t)
	mia := h.signedIn(t, web.Manager, "mia@house.example")
	mia.enter(web.LettersPath, web.LettersPath, letters(night.NightDay, night.TonightDay, night.RevenueDay))
	clock("2026-11-25 07:40")
	var server mailtest.Server
	for _, state := range h.post(t, &server, 3) {
		if state != store.LetterVoid {
			t.Errorf("a letter is %q", state)
		}
	}
	for _, name := range []string{"tonight_day.pdf", "tonight_year", night.CSV, night.Morning + night.CSV} {
		if p := mia.enter(web.LettersPath, web.LettersPath, letters(name)); p.status != http.StatusBadRequest {
			t.Errorf("%q is chosen: %d", name, p.status)
		}
	}
}
