package main

import (
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// What the browser is asked about alerts.
const (
	oversoldNotice = `[...document.querySelectorAll("#attention [data-alert=bad]")].find(e => e.textContent.includes("without a seat"))`
	announced      = `[...document.querySelectorAll("#announcer p")].map(p => p.getAttribute("role") + ": " + p.textContent).filter(s => !s.endsWith(": ")).join("; ")`
	// watchAnnouncer notes everything that the page says to screen readers.
	watchAnnouncer = `window.said = []; new MutationObserver(() => { const s = ` + announced + `; if (s && s !== said.at(-1)) said.push(s) }).observe(document.querySelector("#announcer"), {subtree: true, childList: true, characterData: true}), true`
)

// New alerts are announced once each by their level, many at once as their number, and not again when the line comes back.
// An alert is taken on by those whose work it is; others join, and each hands back what is theirs, without the
// page being loaded anew.
func TestBrowserAttention(t *testing.T) {
	h := newTestHouse(t)
	hall := func(title string) string {
		t.Helper()
		var made struct {
			ID string `json:"event_id"`
		}
		h.control("event", map[string]any{"title": title, "hall": "Studio", "doors_at": h.demo.service.Now().Add(time.Hour), "starts_at": h.demo.service.Now().Add(2 * time.Hour),
			"ends_at": h.demo.service.Now().Add(3 * time.Hour), "capacity": 10}, &made)
		return made.ID
	}
	oversold := func(n int) {
		t.Helper()
		h.until("oversold performances", func(s *figures.Snapshot) bool {
			all := 0
			for _, a := range evening.At(s, h.demo.service.Now()).Alerts {
				if a.Code == evening.AlertOversold {
					all++
				}
			}
			return all == n
		})
	}
	first, others := hall("Solo"), []string{hall("Duo"), hall("Trio"), hall("Kwartet")}

	b := newBrowser(t)
	manager := b.newTab(1280, 800)
	manager.login(h, "manager")
	h.until("every list once read", func(s *figures.Snapshot) bool { return !s.Unread() })
	manager.open(h.url + "/tonight")
	manager.live()
	eval[bool](manager, `window.neverReloaded = true`)
	eval[bool](manager, watchAnnouncer)
	h.sell(first, 12)
	// It may be known to be sold out before it is known to be oversold: the list of events may be read before that of tickets.
	manager.await(`said.at(-1)?.startsWith("alert: Solo: 2 without a seat") && (said = said.slice(-1))`)
	if text := eval[string](manager, `said[0]`); strings.Contains(text, "I'm on it") || strings.Contains(text, "since") {
		t.Errorf("announced: %q", text)
	}
	// Those that came while the line was lost are one announcement, and the page that is then given whole says nothing again.
	lost := func() {
		t.Helper()
		h.cable.put(refused)
		manager.await(`document.documentElement.dataset.socket === "lost"`)
	}
	lost()
	for _, event := range others {
		h.sell(event, 12)
	}
	oversold(1 + len(others))
	eval[bool](manager, `document.body.dataset.token = "", true`)
	h.cable.put(plugged)
	manager.await(`said.length === 2 && said[1] === "alert: 3 new alerts"`)
	lost()
	h.control("rename", map[string]any{"event_id": first, "title": "Solo II"}, nil)
	h.cable.put(plugged)
	manager.await(connected + ` && document.querySelector("#attention").textContent.includes("Solo II")`)
	if said := eval[[]string](manager, `said`); len(said) != 2 {
		t.Errorf("after the line was lost it said %q", said)
	}

	// The door sees that it is oversold, and is not offered it; the manager and the administrator look after it together.
	door := newBrowser(t).newTab(390, 844)
	door.login(h, "door")
	door.open(h.url + "/tonight")
	door.live()
	door.await(oversoldNotice + ` && !` + oversoldNotice + `.querySelector("form")`)
	const press = `[...(` + oversoldNotice + `).querySelectorAll("button")].find(b => b.checkVisibility() && b.textContent === "%s")`
	button := func(text string) string { return strings.Replace(press, "%s", text, 1) }
	tap := func(p *tab, text string) {
		t.Helper()
		p.await(button(text))
		eval[bool](p, button(text)+`.click(), true`)
	}
	tap(manager, "I'm on it")
	for _, p := range []*tab{manager, door} {
		p.await(oversoldNotice + `.textContent.includes("Marijke Terpstra is on it since")`)
	}
	manager.await(`!` + button("Me too") + ` && ` + button("Hand back"))
	admin := newBrowser(t).newTab(390, 844)
	admin.login(h, "admin")
	admin.open(h.url + "/tonight")
	admin.live()
	admin.await(button("Me too") + ` && !` + button("Hand back"))
	h.demo.service.Advance(time.Minute)
	tap(admin, "Me too")
	for _, p := range []*tab{manager, door, admin} {
		p.await(oversoldNotice + `.textContent.includes("Marijke Terpstra and Joost van Aken are on it since")`)
	}
	tap(manager, "Hand back")
	for _, p := range []*tab{manager, door, admin} {
		p.await(oversoldNotice + `.textContent.includes("Joost van Aken is on it since")`)
	}
	manager.await(button("Me too") + ` && !` + button("Hand back"))
	if !eval[bool](manager, `window.neverReloaded === true`) {
		t.Error("the page was loaded anew")
	}
	v := evening.At(h.demo.program.figures.Snapshot(), h.demo.service.Now())
	for _, a := range v.Alerts {
		if a.Code == evening.AlertOversold && a.Level != evening.Bad {
			t.Errorf("%s is %s now", a.Key, a.Level)
		}
	}
	if len(v.Snapshot.Acknowledged) != 1 {
		t.Errorf("%d alerts are taken on", len(v.Snapshot.Acknowledged))
	}
	for _, k := range v.Snapshot.Acknowledged {
		for _, one := range k {
			if !one.Personal || one.RecordKind() != record.KindAcknowledgement {
				t.Errorf("stored: %+v", one.Acknowledgement)
			}
		}
	}
	for _, p := range []*tab{manager, door, admin} {
		p.quiet("WebSocket connection to", "net::ERR_")
	}
}
