package handlers_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/night"
)

// subscription returns what a browser says when it is to be notified.
func subscription(t *testing.T, endpoint string) url.Values {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"endpoint": endpoint, "keys": map[string]string{"p256dh": base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), "auth": base64.RawURLEncoding.EncodeToString(make([]byte, 16))}})
	if err != nil {
		t.Fatal(err)
	}
	return url.Values{"device": {string(text)}}
}

// Somebody's devices are added and removed by themselves alone, also without an address, and end with the role.
func TestDevices(t *testing.T) {
	h, _ := lettersHouse(t)
	devices := func() (all []store.Subscriber) {
		t.Helper()
		all, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	mia := h.signedIn(t, web.Manager, "")
	add := func(b *browser, endpoint string, status int) {
		t.Helper()
		if p := b.enter(web.DevicesPath, web.LettersPath, subscription(t, endpoint)); p.status != status {
			t.Errorf("%s: %d, want %d", endpoint, p.status, status)
		}
	}
	add(mia, "https://fcm.googleapis.com/a", http.StatusSeeOther)
	add(mia, "https://fcm.googleapis.com/a", http.StatusSeeOther)
	add(mia, "https://10.0.0.1/a", http.StatusBadRequest)
	all := devices()
	if len(all) != 1 || all[0].Owner == "" || !slices.Equal(all[0].Names, []string{night.Alerts, night.Unanswered}) {
		t.Fatalf("the devices are %+v", all)
	}
	door := h.signedIn(t, web.Door, "dirk@house.example")
	remove := url.Values{"remove": {all[0].Person}}
	if p := h.browser(t).enter(web.DevicesPath, "/healthz", remove); p.status == http.StatusInternalServerError || len(devices()) != 1 {
		t.Errorf("a stranger removes a device: %d", p.status)
	}
	if door.enter(web.DevicesPath, web.LettersPath, remove); len(devices()) != 1 {
		t.Error("somebody removes another's device")
	}
	if p := door.get(web.LettersPath); strings.Contains(p.body, `name="remove"`) {
		t.Error("somebody sees another's device")
	}
	page := mia.get(web.LettersPath).body
	found := regexp.MustCompile(`name="remove" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil || html.UnescapeString(found[1]) != all[0].Person || !strings.Contains(page, `data-key="B`) || strings.Contains(page, "fcm.googleapis.com") {
		t.Errorf("the page: %s", page)
	}
	if p := h.signedIn(t, web.Admin, "ann@house.example").get(web.LettersPath); !strings.Contains(p.body, html.EscapeString(all[0].Person)) {
		t.Error("an administrator does not see who gets notifications")
	}

	// The browser is somebody else's now: the one before gets nothing there any more.
	add(door, "https://fcm.googleapis.com/a", http.StatusSeeOther)
	if now := devices(); len(now) != 1 || now[0].Owner == all[0].Owner {
		t.Errorf("the devices are %+v", now)
	}
	for i := range 11 {
		add(mia, fmt.Sprintf("https://fcm.googleapis.com/%d", i), map[bool]int{true: http.StatusSeeOther, false: http.StatusBadRequest}[i < 10])
	}
	write := func(want error) {
		t.Helper()
		all := devices()
		i := slices.IndexFunc(all, func(one store.Subscriber) bool { return strings.Contains(one.Person, "the manager") })
		_, err := h.replica.Load().WriteLetter(t.Context(), []store.Letter{{Person: all[i].Person, Name: night.Morning, About: "2026-11-22"}}, all[i])
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	write(nil)
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "the manager", "name": "Mia", "roles": "janitor"}
	})
	if p := h.browser(t).get("/login"); p.status != http.StatusForbidden {
		t.Fatal(p.status)
	}
	write(notify.ErrVoid)
}

// An alert goes by the ways that the house has set for it, and of these by those by which a person wants it, at once and also for
// what waits; who changed what is audited.
func TestWaysOfAlerts(t *testing.T) {
	h, _, clock := oversoldHouse(t, func(o *handlers.Options) {
		o.HouseRole, o.HouseHosts = web.Manager, map[string]string{store.HousePerson: "pager.example"}
	})
	mia := h.signedIn(t, web.Manager, "mia@house.example")
	mia.enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Morning))
	mia.enter(web.DevicesPath, web.LettersPath, subscription(t, "https://fcm.googleapis.com/a"))
	admin := h.signedIn(t, web.Admin, "ann@house.example")
	clock("18:16")
	site := h.replica.Load()
	ways := func() string {
		t.Helper()
		people, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, store.Subscriber{Person: store.HousePerson, Language: "en", Names: handlers.HouseLetters})
		var all []string
		for _, p := range people {
			way := map[bool]string{true: "device", false: "mail"}[p.Device != ""]
			if store.IsHouse(p.Person) {
				way = "house"
			}
			due := slices.ContainsFunc(site.DueLetters(), func(d notify.Due) bool {
				return d.Name == night.Alerts && d.About == "oversold:a#1" && d.To(p)
			})
			_, err := site.WriteLetter(t.Context(), []store.Letter{{Person: p.Person, Name: night.Alerts, About: "oversold:a#1"}}, p)
			if due != (err == nil) {
				t.Errorf("by %s: due %t, written: %v", way, due, err)
			}
			if due {
				all = append(all, way)
			}
		}
		slices.Sort(all)
		return strings.Join(all, " ")
	}
	// page has mia's boxes for oversold performances: checked, unchecked, or none where the house does not send it so.
	page := func() string {
		t.Helper()
		body, boxes := mia.get(web.LettersPath).body, []string{}
		for _, way := range []string{"mail", "device"} {
			box := regexp.MustCompile(`<input type="checkbox" name="` + way + `" value="oversold"( checked)?`).FindStringSubmatch(body)
			switch {
			case box == nil:
				boxes = append(boxes, "none")
			case box[1] == "":
				boxes = append(boxes, "off")
			default:
				boxes = append(boxes, "on")
			}
		}
		return strings.Join(boxes, " ")
	}
	choose := func(told ...string) {
		t.Helper()
		form := url.Values{"offered_mail": {"oversold", "hold"}, "offered_device": {"oversold", "hold"}}
		for _, way := range told {
			form[way] = []string{"oversold", "hold"}
		}
		if p := mia.enter(web.WhichAlertsPath, web.LettersPath, form); p.status != http.StatusSeeOther {
			t.Fatalf("chosen: %d %s", p.status, p.body)
		}
	}
	want := func(what, wantWays, wantPage string) {
		t.Helper()
		if got := ways(); got != wantWays {
			t.Errorf("%s: told by %q, want %q", what, got, wantWays)
		}
		if got := page(); got != wantPage {
			t.Errorf("%s: the page has %q, want %q", what, got, wantPage)
		}
	}
	want("as usual", "device house mail", "on on")
	rules(t, admin, map[record.SettingName]string{record.SettingAlertBy: "2"})
	want("by devices", "device", "none on")
	rules(t, admin, map[record.SettingName]string{record.SettingAlertBy: "5"})
	want("by mail and chats", "house mail", "on none")
	rules(t, admin, map[record.SettingName]string{record.SettingAlertBy: ""})
	choose("mail")
	want("mia wants it by mail", "house mail", "on off")
	choose("device")
	want("mia wants it on her device", "device house", "off on")
	mia.enter(web.LettersPath, web.LettersPath, letters(night.Alerts, night.Unanswered))
	want("after another choice of letters", "device house", "off on")
	if p := mia.enter(web.WhichAlertsPath, web.LettersPath, url.Values{"offered_mail": {"hold"}, "mail": {"hold"}}); p.status != http.StatusSeeOther {
		t.Fatal(p.status)
	}
	want("what the page did not offer stays", "device house", "off on")
	if !slices.ContainsFunc(h.entered, func(e string) bool { return strings.Contains(e, `audited alert_by "oversold": "" to "2"`) }) {
		t.Errorf("audited is %q", h.entered)
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{}, 0, 50)
	if err != nil || !slices.ContainsFunc(acts, func(a store.Act) bool {
		return a.Action == store.ActLettersChosen && a.ObjectName == "mia@house.example" && a.After == "alerts morning -hold -oversold"
	}) {
		t.Errorf("audited are %+v (%v)", acts, err)
	}

	// A door is offered what is its work alone.
	for code, offered := range map[string]bool{"hold": true, "streams": true, "owed": false, "sold_out": false, "behind_pace": false, "few_left": false} {
		if body := mia.get(web.LettersPath).body; strings.Contains(body, `name="offered_mail" value="`+code+`"`) != offered {
			t.Errorf("%s is offered: %t", code, !offered)
		}
	}
	door := h.signedIn(t, web.Door, "dirk@house.example")
	door.enter(web.LettersPath, web.LettersPath, letters(night.Alerts))
	if body := door.get(web.LettersPath).body; strings.Contains(body, `value="oversold"`) || !strings.Contains(body, `name="mail" value="quiet_gate" checked`) {
		t.Error("a door is offered other alerts than its own")
	}
}
