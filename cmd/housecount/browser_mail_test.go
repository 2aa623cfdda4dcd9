package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/notify"
	"housecount/aggregator/notify/mailtest"
	"housecount/apiclient/record"
	"housecount/web"
	letters "housecount/web/night"
)

// newMailHouse returns a house with a mail server.
func newMailHouse(t *testing.T) (*testHouse, *mailtest.Server) {
	t.Helper()
	h, server, ln := newTestHouse(t), new(mailtest.Server), listen(t, "127.0.0.1:0")
	server.Serve(t, ln)
	var err error
	if h.demo.settings.mail, err = notify.NewSMTP("smtp://"+ln.Addr().String(), "", "", "De Waag <house@dewaag.example>"); err != nil {
		t.Fatal(err)
	}
	h.restart()
	return h, server
}

// A manager chooses the letter after the evening and that of the morning, gets each once through a mail server, opens what
// it leads to, and stops them with the link.
func TestBrowserMail(t *testing.T) {
	h, server := newMailHouse(t)
	h.demo.service.Advance(8 * time.Hour) // from 19:32, so that everybody has left
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	p.live()
	wait := func(n int) mailtest.Message {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
			if got := server.Got(); len(got) >= n || time.Now().After(end) {
				if len(got) != n {
					t.Fatalf("%d letters, want %d", len(got), n)
				}
				return got[n-1]
			}
		}
	}
	h.until("what came in the eight hours", func(s *figures.Snapshot) bool { // or the letter says that it is being read
		return s.AsOf.After(h.demo.service.Now().Add(-time.Minute)) && !slices.ContainsFunc(s.Health.Streams, func(l figures.StreamHealth) bool { return l.Behind })
	})
	p.open(h.url + web.LettersPath)
	p.await(`document.querySelectorAll("[name=letter]").length === 11`)
	eval[bool](p, `document.querySelectorAll("[value=morning], [value=night]").forEach(box => box.click()), true`)
	p.click("button.go")
	p.await(`document.querySelector(".saved")`)
	first := wait(1)
	if first.To != "marijke@dewaag.example" || !strings.HasPrefix(first.Header.Get("Subject"), "Theater De Waag: Tonight: ") {
		t.Errorf("the letter after the evening goes to %s: %s", first.To, first.Header.Get("Subject"))
	}
	h.demo.service.Advance(5 * time.Hour)
	morning := wait(2)
	if !strings.HasPrefix(morning.Header.Get("Subject"), "Theater De Waag: Last night: ") || morning.Header.Get("Message-ID") == first.Header.Get("Message-ID") {
		t.Errorf("the letter of the morning: %s", morning.Header)
	}
	p.open(h.url + web.LettersPath)
	p.await(`document.querySelector("form .note")?.textContent.includes("sent")`)

	// What the letter leads to says the same.
	_, came, _ := strings.Cut(morning.Header.Get("Subject"), "Last night: ")
	came, _, _ = strings.Cut(came, " ")
	_, rest, _ := strings.Cut(morning.Parts["text/plain"], "Open housecount: ")
	report, _, _ := strings.Cut(rest, "\r\n")
	p.open(report)
	p.await(`document.querySelector("#figs")?.textContent.includes(` + quote(came) + `)`)

	// On the narrowest phone every letter fits.
	p.do(chromedp.EmulateViewport(320, 640))
	for _, name := range letters.LetterNames {
		p.open(h.url + web.LettersPath + "/" + name)
		if eval[bool](p, `document.documentElement.scrollWidth > 320`) {
			t.Errorf("the letter %s is %d px wide", name, eval[int](p, `document.documentElement.scrollWidth`))
		}
	}
	p.do(chromedp.EmulateViewport(1440, 900))

	stop := strings.Trim(morning.Header.Get("List-Unsubscribe"), "<>")
	if !strings.HasPrefix(stop, h.url+web.StopPath+"/") {
		t.Fatalf("the link that stops is %s", stop)
	}
	p.open(stop)
	p.click("button.danger")
	p.await(`document.querySelector("h1")?.textContent.includes("No more letters go to marijke@dewaag.example")`)
	h.demo.service.Advance(24 * time.Hour)
	h.restart() // which looks at once what is due
	time.Sleep(time.Second)
	wait(2)
	p.quiet()
}

// An oversold performance is in the log, and in the mail of whoever chose that, within minutes; once somebody is on it nobody
// is told again, and the night report says who it was.
func TestBrowserMailOfAlerts(t *testing.T) {
	h, server := newMailHouse(t)
	var made struct {
		ID string `json:"event_id"`
	}
	now := h.demo.service.Now()
	h.control("event", map[string]any{"title": "Solo", "hall": "Studio", "doors_at": now.Add(time.Hour), "starts_at": now.Add(90 * time.Minute), "ends_at": now.Add(2 * time.Hour), "capacity": 10}, &made)
	p := newBrowser(t).newTab(1440, 900)
	p.login(h, "manager")
	p.live()
	p.open(h.url + web.LettersPath)
	p.await(`document.querySelectorAll("[name=letter]").length === 11`)
	p.live()
	eval[bool](p, `document.querySelectorAll("[value=alerts], [value=unanswered]").forEach(box => box.click()), true`)
	p.click("button.go")
	p.await(`document.querySelector(".saved")`)
	p.live()
	h.until("every list once read", func(s *figures.Snapshot) bool { return !s.Unread() })
	h.sell(made.ID, 12)
	solo := func(s *figures.Snapshot) *record.RaisedAlert {
		for _, a := range s.Alerts {
			if a.Alert == evening.AlertOversold+":"+made.ID {
				return a
			}
		}
		return nil
	}
	h.until("two places too many", func(s *figures.Snapshot) bool { return s.Event(made.ID).Oversold == 2 })
	// The processes look every few seconds; each time the venue's clock is a minute later.
	for end := time.Now().Add(patience); solo(h.demo.program.figures.Snapshot()) == nil; time.Sleep(alertInterval / 2) {
		if time.Now().After(end) {
			t.Fatal("the alert is not in the log")
		}
		h.demo.service.Advance(time.Minute)
	}
	told := func() (subjects []string) {
		for _, m := range server.Got() {
			if strings.Contains(m.Header.Get("Subject"), "Solo: 2 without a seat") {
				subjects = append(subjects, m.Header.Get("Subject"))
			}
		}
		return subjects
	}
	h.demo.service.Advance(2 * time.Minute)
	for end := time.Now().Add(patience); len(told()) == 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("nobody is told: %v", server.Got())
		}
	}
	p.open(h.url + "/tonight")
	p.live()
	p.await(oversoldNotice)
	eval[bool](p, oversoldNotice+`.querySelector("button").click(), true`)
	h.until("somebody on it", func(s *figures.Snapshot) bool { return len(solo(s).By) == 1 })
	h.demo.service.Advance(12 * time.Minute)
	time.Sleep(2 * time.Second)
	h.restart() // which looks at once what is due
	time.Sleep(2 * time.Second)
	if all := told(); len(all) != 1 {
		t.Errorf("told %q, want once", all)
	}
	p.open(h.url + web.NightPath + "?day=" + string(h.demo.program.figures.Snapshot().Event(made.ID).Date))
	p.await(`[...document.querySelectorAll("#happened tr")].some(r => r.textContent.includes("without a seat") && r.textContent.includes("Solo") && r.textContent.includes("Marijke"))`)
	p.live()
	p.quiet()
}
