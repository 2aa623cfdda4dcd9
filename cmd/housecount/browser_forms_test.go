package main

import "testing"

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
