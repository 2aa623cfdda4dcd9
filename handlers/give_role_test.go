package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

// withAddress has somebody log in of whom the sign-in service knows no role, only an address.
func (h *house) withAddress(t *testing.T, subject, address string, verified any) (*browser, page) {
	t.Helper()
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": subject, "name": "Name of " + subject, "email": address}
		if verified != nil {
			p.who["email_verified"] = verified
		}
	})
	b := h.browser(t)
	return b, b.get("/login")
}

func (h *house) give(t *testing.T, address string, role web.Role) {
	t.Helper()
	if err := h.store.Grants().Give(t.Context(), store.Grant{Address: address, Role: string(role)}, store.Act{Action: store.ActRoleGiven}); err != nil {
		t.Fatal(err)
	}
}

// A role comes from an address only where the sign-in service has verified it, and the highest counts.
func TestRoleOfAnAddress(t *testing.T) {
	h := newHouse(t, func(o *handlers.Options) { o.Login.Admins = []string{"First@House.Example"} })
	h.give(t, "@house.example", web.Door)
	h.give(t, "mia@house.example", web.Manager)
	h.give(t, "low@house.example", web.Door)
	h.give(t, "mia@xn--bcher-kva.example", web.BoxOffice)
	h.give(t, "old@house.example", "janitor") // of another version
	for _, c := range []struct {
		address  string
		verified any
		roles    []string
		want     web.Role // empty for none
	}{
		{"mia@house.example", true, nil, web.Manager},
		{"MIA@House.example", "true", nil, web.Manager},
		{"bob@house.example", true, nil, web.Door},
		{"first@house.example", true, nil, web.Admin},
		{"mia@bücher.example", true, nil, web.BoxOffice},
		{"low@house.example", true, []string{"manager"}, web.Manager},
		{"mia@house.example", true, []string{"door"}, web.Manager},
		{"old@house.example", true, nil, web.Door},
		{"mia@house.example", nil, nil, ""},
		{"mia@house.example", false, nil, ""},
		{"mia@house.example", "false", nil, ""},
		{"mia@house.example", 1, nil, ""},
		{"first@house.example", nil, nil, ""},
		{"mia@sub.house.example", true, nil, ""},
		{"mia@house.example.evil.example", true, nil, ""},
		{"mia@house.example@evil.example", true, nil, ""},
		{"@house.example", true, nil, ""},
		{"", true, nil, ""},
		{"m\u0456a@bücher.example", true, nil, ""},
		{"mia@house.example", false, []string{"door"}, web.Door},
	} {
		t.Run(fmt.Sprint(c.address, c.verified, c.roles), func(t *testing.T) {
			h.idp.set(func(p *standIn) {
				p.who = map[string]any{"sub": "mia", "email": c.address, "roles": c.roles}
				if c.verified != nil {
					p.who["email_verified"] = c.verified
				}
			})
			b := h.browser(t)
			if p := b.get("/login"); c.want == "" {
				h.refused(t, b, p, http.StatusForbidden)
				return
			}
			for path, least := range map[string]web.Role{"/tonight": web.Door, "/revenue": web.Manager, "/settings": web.Admin} {
				want := http.StatusOK
				if slices.Index(web.Roles, c.want) < slices.Index(web.Roles, least) {
					want = http.StatusForbidden
				}
				if got := b.get(path).status; got != want {
					t.Errorf("%s is answered %d, want %d", path, got, want)
				}
			}
		})
	}
}

// The address may be only at the userinfo endpoint, and is not verified by what another place says.
func TestAddressFromUserinfo(t *testing.T) {
	for _, c := range []struct {
		name            string
		token, userinfo map[string]any
		scopes          []string
		asked, status   int
	}{
		{"there", map[string]any{"roles": "nobody"}, map[string]any{"email": "mia@house.example", "email_verified": true}, []string{"openid", "email"}, 1, http.StatusOK},
		{"in the token", map[string]any{"roles": "nobody", "email": "mia@house.example", "email_verified": true}, map[string]any{}, []string{"openid", "email"}, 0, http.StatusOK},
		{"the address here, verified there", map[string]any{"email": "mia@house.example"}, map[string]any{"email": "eve@evil.example", "email_verified": true}, []string{"openid", "email"}, 1, http.StatusForbidden},
		{"not asked for", map[string]any{"roles": "nobody"}, map[string]any{"email": "mia@house.example", "email_verified": true}, []string{"openid"}, 0, http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := &house{}
			h.open(t, func(o *handlers.Options) {
				o.Login.Scopes = c.scopes
				h.idp.set(func(p *standIn) {
					p.who, p.userinfo = c.token, c.userinfo
					p.who["sub"], p.userinfo["sub"] = "mia", "mia"
				})
			})
			h.give(t, "mia@house.example", web.Door)
			if p := h.browser(t).get("/login"); p.status != c.status {
				t.Errorf("status %d, want %d: %s", p.status, c.status, p.body)
			}
			if got := h.idp.called("/userinfo"); got != c.asked {
				t.Errorf("asked %d times, want %d", got, c.asked)
			}
		})
	}
}

// The scope email is asked for where it is known and nobody said which scopes to ask for.
func TestEmailScope(t *testing.T) {
	for _, c := range []struct {
		published, given []string
		want             string
	}{
		{[]string{"openid", "email"}, nil, "openid profile email"},
		{[]string{"openid"}, nil, "openid profile"},
		{nil, nil, "openid profile"},
		{[]string{"openid", "email"}, []string{"openid"}, "openid"},
	} {
		h := &house{}
		h.open(t, func(o *handlers.Options) {
			o.Login.Scopes = c.given
			h.idp.set(func(p *standIn) { p.scopes = c.published })
		})
		if got := h.browser(t).stopBefore("/authorize", "/login").Query().Get("scope"); got != c.want {
			t.Errorf("with %q published and %q given %q is asked for, want %q", c.published, c.given, got, c.want)
		}
	}
}

// Who is taken off is out at once: on every replica, with their sockets. Who is put on comes in.
func TestAddressIsTakenOff(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, hints time.Duration) {
		one := h.replica.Load()
		admin := h.loggedIn(t, web.Admin)
		change := func(address, role string, take ...string) page {
			t.Helper()
			return admin.stay().post(h.URL+"/sessions/roles", url.Values{"address": {address}, "role": {role}, "take": take}) // nil is left out
		}
		if p := change(" Mia@House.example", "manager"); p.status != http.StatusSeeOther {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
		h.replica.Store(other)
		mia, p := h.withAddress(t, "mia", "mia@house.example", true)
		if p.status != http.StatusOK {
			t.Fatalf("status %d: %s", p.status, p.body)
		}
		conn := mia.watch("view=revenue")
		h.replica.Store(one)
		body := admin.get("/sessions").body
		for _, want := range []string{"mia@house.example", "own address", "given by <bdi>Name of the admin</bdi>", "1 signed in"} {
			if !strings.Contains(body, want) && !strings.Contains(body, strings.ReplaceAll(strings.ReplaceAll(want, "<bdi>", ""), "</bdi>", "")) {
				t.Errorf("the page lacks %q", want)
			}
		}
		// With fewer rights, a page that is open is closed and loads again.
		change("mia@house.example", "door")
		start := time.Now()
		if code := closeCode(t, conn, 30*time.Second); code != live.CloseForbidden || time.Since(start) > hints+time.Second {
			t.Errorf("closed with %d after %v", code, time.Since(start))
		}
		h.replica.Store(other)
		if p := mia.get("/revenue"); p.status != http.StatusForbidden {
			t.Errorf("revenue is answered %d", p.status)
		}
		conn = mia.watch("view=tonight")
		h.replica.Store(one)
		change("mia@house.example", "", "yes")
		start = time.Now()
		h.replica.Store(other)
		if p := mia.stay().get("/tonight"); p.status != http.StatusSeeOther {
			t.Errorf("who was taken off is answered %d", p.status)
		}
		if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut || time.Since(start) > hints+time.Second {
			t.Errorf("closed with %d after %v", code, time.Since(start))
		}
		if p := mia.get("/login"); p.status != http.StatusForbidden || !strings.Contains(p.body, "(mia@house.example)") {
			t.Errorf("signs in again, with an address that the page names: %d %s", p.status, p.body)
		}
		want := []string{
			"mia login_refused of :  > , no_role",
			"the admin session_ended of Name of mia: door > , role_taken",
			"the admin role_taken of mia@house.example: door > , ",
			"the admin role_given of mia@house.example: manager > door, ",
			"mia login of :  > manager, ",
			"the admin role_given of mia@house.example:  > manager, ",
			"the admin login of :  > admin, ",
		}
		if got := h.acts(t); !slices.Equal(got, want) {
			t.Errorf("acts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// What cannot be is refused by name, and an administrator does not shut themselves out.
func TestRoleFormIsChecked(t *testing.T) {
	h := newHouse(t, nil)
	h.give(t, "ada@house.example", web.Admin)
	ada, p := h.withAddress(t, "ada", "ada@house.example", true)
	if p.status != http.StatusOK {
		t.Fatalf("status %d", p.status)
	}
	for _, c := range []struct {
		form   url.Values
		status int
		text   string
	}{
		{url.Values{"address": {"mia"}, "role": {"door"}}, http.StatusBadRequest, "“mia” is no e-mail address"},
		{url.Values{"address": {"@gmail.com"}, "role": {"door"}}, http.StatusBadRequest, "Anybody can have an address at @gmail.com"},
		{url.Values{"address": {"mia@house.example"}, "role": {"king"}}, http.StatusBadRequest, ""},
		{url.Values{"address": {"mia@house.example"}}, http.StatusBadRequest, ""},
		{url.Values{}, http.StatusBadRequest, ""},
		{url.Values{"address": {"ada@house.example"}, "role": {"door"}}, http.StatusConflict, "no longer be an administrator"},
		{url.Values{"address": {"ADA@house.example"}, "take": {"yes"}}, http.StatusConflict, "no longer be an administrator"},
		{url.Values{"address": {"nobody@house.example"}, "take": {"yes"}}, http.StatusSeeOther, ""},
	} {
		p := ada.stay().post(h.URL+"/sessions/roles", c.form)
		if p.status != c.status || !strings.Contains(p.body, c.text) {
			t.Errorf("%v: status %d, want %d and %q: %s", c.form, p.status, c.status, c.text, p.body)
		}
	}
	if p := ada.get("/settings"); p.status != http.StatusOK {
		t.Errorf("the administrator is answered %d", p.status)
	}
	// A manager has nothing to do with it.
	manager := h.loggedIn(t, web.Manager)
	if p := manager.stay().post(h.URL+"/sessions/roles", url.Values{"address": {"eve@evil.example"}, "role": {"admin"}}); p.status != http.StatusForbidden {
		t.Errorf("a manager gives roles: %d", p.status)
	}
	if list, err := h.store.Grants().List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}

// The sign-in service is asked again for the address as for the roles.
func TestRecheckAddress(t *testing.T) {
	h := newHouseAt(t, func(p *standIn) { p.refreshes = true })
	h.give(t, "mia@house.example", web.Door)
	mia, _ := h.withAddress(t, "mia", "mia@house.example", true)
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := mia.stay().get("/tonight"); p.status != http.StatusOK {
		t.Fatalf("nothing new is answered %d", p.status)
	}
	h.idp.set(func(p *standIn) { delete(p.who, "email"); delete(p.who, "email_verified") }) // left out of the renewed token
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := mia.stay().get("/tonight"); p.status != http.StatusOK {
		t.Errorf("with a token without the address a page is answered %d", p.status)
	}
	h.idp.set(func(p *standIn) { p.who["email"], p.who["email_verified"] = "mia@house.example", false })
	h.later(t, 6*time.Minute)
	h.askAgain(t)
	if p := mia.stay().get("/tonight"); p.status != http.StatusSeeOther {
		t.Errorf("with an address that is not verified any more a page is answered %d", p.status)
	}
}
