package main

import (
	"strings"
	"testing"
	"time"

	protocol "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"housecount/web"
)

// The browser has no service of its maker here: what that would answer is made up.
const subscribed = `PushManager.prototype.subscribe = async () => {
	const bytes = n => crypto.getRandomValues(new Uint8Array(n)), pair = await crypto.subtle.generateKey({name: "ECDH", namedCurve: "P-256"}, true, ["deriveBits"])
	const text = b => btoa(String.fromCharCode(...new Uint8Array(b))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
	const made = {endpoint: "https://fcm.googleapis.com/fcm/send/x", keys: {p256dh: text(await crypto.subtle.exportKey("raw", pair.publicKey)), auth: text(bytes(16))}}
	return {toJSON: () => made}
}, true`

// A device is added on the page of letters, shows a notification with every page of housecount closed, and is removed.
func TestBrowserPush(t *testing.T) {
	h := newTestHouse(t)
	b := newBrowserIn(t, t.TempDir()) // a profile that is kept for the test alone shows no notifications
	p := b.newTab(390, 844)
	p.login(h, "box_office")
	p.live()
	permit := func(setting protocol.PermissionSetting) {
		t.Helper()
		p.do(command(protocol.SetPermission, protocol.SetPermissionParams{Permission: &protocol.PermissionDescriptor{Name: "notifications"}, Setting: setting, Origin: h.url}))
	}
	registrations := make(chan serviceworker.RegistrationID, 100)
	if err := chromedp.Listen(p.ctx, func(ev any) {
		if u, ok := ev.(*serviceworker.EventWorkerRegistrationUpdated); ok {
			for _, r := range u.Registrations {
				if !r.IsDeleted && strings.HasSuffix(r.ScopeURL, web.LettersPath) {
					registrations <- r.RegistrationID
				}
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	p.do(command(serviceworker.Enable, cdp.Empty{}))

	p.open(h.url + web.LettersPath)
	p.live()
	permit(protocol.PermissionSettingDenied)
	p.await(`!document.querySelector("#device").hidden`)
	p.click("#device button")
	p.await(`!document.querySelector("#device [role=alert]").hidden`)
	permit(protocol.PermissionSettingGranted)
	p.open(h.url + web.LettersPath)
	p.live()
	p.await(`!document.querySelector("#device").hidden`)
	eval[bool](p, subscribed)
	p.click("#device button")
	p.await(`document.querySelector("[name=remove]")?.closest("tr").textContent.includes("Chrome")`)
	p.live()

	// The page is closed; what comes is shown all the same, and once.
	p.open("about:blank")
	var registration serviceworker.RegistrationID
	select {
	case registration = <-registrations:
	case <-time.After(patience):
		t.Fatal("no worker is registered")
	}
	for range 2 {
		p.do(command(serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{Origin: h.url, RegistrationID: registration,
			Data: `{"title":"Gate B is quiet","body":"Beethoven, 172 to come","url":"` + h.url + `/tonight","tag":"one"}`}))
	}
	p.open(h.url + web.LettersPath)
	p.live()
	p.await(`(navigator.serviceWorker.getRegistration("/letters").then(r => r.getNotifications()).then(all => window.shown = all.map(n => n.title + ": " + n.body + " " + n.data).join("; ")), window.shown)`)
	if shown := eval[string](p, `window.shown`); shown != "Gate B is quiet: Beethoven, 172 to come "+h.url+"/tonight" {
		t.Errorf("shown: %q", shown)
	}

	p.click("[name=remove]")
	p.await(`!document.querySelector("[name=remove]")`)
	p.live()
	p.quiet()
}
