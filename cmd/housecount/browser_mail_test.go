package main

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/notify"
	"housecount/aggregator/notify/mailtest"
	"housecount/web"
)

// A manager chooses the letter after the evening and that of the morning, gets each once through a mail server, opens what
// it leads to, and stops them with the link.
func TestBrowserMail(t *testing.T) {
	h := newTestHouse(t)
	var server mailtest.Server
	ln := listen(t, "127.0.0.1:0")
	server.Serve(t, ln)
	var err error
	if h.demo.settings.mail, err = notify.NewSMTP("smtp://"+ln.Addr().String(), "", "", "De Waag <house@dewaag.example>"); err != nil {
		t.Fatal(err)
	}
	h.restart()
	h.demo.service.Advance(6 * time.Hour) // from 19:32, so that it is the middle of the night
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
	p.open(h.url + web.LettersPath)
	p.await(`document.querySelectorAll("[name=letter]").length === 2`)
	eval[bool](p, `document.querySelectorAll("[name=letter]").forEach(box => box.click()), true`)
	p.click("button.go")
	p.await(`document.querySelector(".saved")`)
	first := wait(1)
	if first.To != "marijke@dewaag.example" || !strings.HasPrefix(first.Header.Get("Subject"), "Theater De Waag: Tonight: ") {
		t.Errorf("the letter after the evening goes to %s: %s", first.To, first.Header.Get("Subject"))
	}
	h.demo.service.Advance(6 * time.Hour)
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
