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
