package main

import (
	"testing"

	"housecount/aggregator/figures"
)

// TestBrowserAddsACampaign has a manager note a campaign on Marketing, and an administrator read a setting as text
// until the form is asked for.
func TestBrowserAddsACampaign(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowser(t)
	p := b.newTab(1440, 1000)
	p.login(h, "manager")
	p.open(h.url + "/marketing?period=month")
	p.live()
	p.click(".line-form summary")
	p.await(`document.querySelector(".line-form form").checkVisibility()`)
	eval[bool](p, `(document.querySelector(".line-form [name=of]").value = "Newsletter, radio", true)`)
	p.click(".line-form button")
	p.await(`document.querySelector("#campaigns th bdi")?.checkVisibility() && document.querySelector("#campaigns th bdi").textContent === "Newsletter, radio"`)
	p.await(`document.getElementById("chart-days")?.querySelector("svg, canvas") !== null`)
	p.shoot("campaign")

	admin := newBrowser(t).newTab(1440, 1000)
	admin.login(h, "admin")
	admin.open(h.url + "/settings")
	admin.live()
	admin.await(`document.querySelector("#attention .now").checkVisibility() && !document.querySelector("#attention form").checkVisibility()`)
	admin.click("#attention .change > summary")
	admin.await(`!document.querySelector("#attention .now").checkVisibility() && document.querySelector("#attention form").checkVisibility()`)
	admin.shoot("settings")
}

// TestBrowserMarketingHasOneWideChart has the sales by channel as wide as the page, and those by buyer drawn once somebody unfolds them.
func TestBrowserMarketingHasOneWideChart(t *testing.T) {
	h := newTestHouse(t)
	h.until("every list once read", func(s *figures.Snapshot) bool { return !s.Unread() })
	p := newBrowser(t).newTab(1440, 1000)
	p.login(h, "manager")
	p.open(h.url + "/marketing?period=month")
	p.live()
	p.await(`document.querySelector("#chart-days canvas") !== null`)
	if chart, main := eval[int](p, `document.querySelector("#chart-days").clientWidth`), eval[int](p, `document.querySelector("main").clientWidth`); chart < main*95/100 {
		t.Errorf("the chart is %d px wide, the page %d", chart, main)
	}
	if seen := eval[int](p, `[...document.querySelectorAll(".chart")].filter(c => c.checkVisibility()).length`); seen != 1 {
		t.Errorf("%d charts are seen", seen)
	}
	p.click("details.plot > summary")
	p.await(`document.querySelector("#chart-buyer-days canvas")?.checkVisibility()`)
}
