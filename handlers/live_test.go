package handlers_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web"
	"housecount/web/live"
)

func TestLive(t *testing.T) {
	h := newHouse(t, nil)
	door, manager := h.loggedIn(t, web.Door), h.loggedIn(t, web.Manager)
	for _, c := range []struct {
		name  string
		b     *browser
		query string
		code  live.CloseCode // 0 for a socket that stays
	}{
		{"nobody", h.browser(t), "view=tonight", live.CloseSignedOut},
		{"nobody, no view", h.browser(t), "", live.CloseSignedOut},
		{"a made-up cookie", h.withSession(t, "x"), "view=tonight", live.CloseSignedOut},
		{"door", door, "view=tonight", 0},
		{"door, event", door, "view=event&event=" + eventID, 0},
		{"door, wall", door, "view=wall&hall=Grote+zaal", 0},
		{"door, an event that does not exist", door, "view=event&event=evt_9", live.CloseForbidden},
		{"door, a hall that does not exist", door, "view=wall&hall=Zaal+9", live.CloseForbidden},
		{"door, revenue", door, "view=revenue&days=7", live.CloseForbidden},
		{"manager, revenue", manager, "view=revenue&days=7", 0},
		{"manager, another period", manager, "view=revenue&days=8", live.CloseForbidden},
		{"manager, no such view", manager, "view=payroll", live.CloseForbidden},
		{"manager, no view", manager, "", live.CloseForbidden},
		{"manager, no event", manager, "view=event", live.CloseForbidden},
		{"door, role of its own choice", door, "view=tonight&role=admin", live.CloseForbidden},
		{"door, money of its own choice", door, "view=tonight&money=all", live.CloseForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.code == 0 {
				(&browser{Client: c.b.Client, t: t, h: h}).watch(c.query).Close()
				return
			}
			conn, _, err := c.b.dial(c.query, h.URL)
			if err != nil {
				t.Fatal(err)
			}
			conn.SetReadDeadline(time.Now().Add(5 * time.Second))
			if _, message, err := conn.ReadMessage(); !websocket.IsCloseError(err, int(c.code)) {
				t.Errorf("received %q, %v, want nothing and a close with %d", message, err, c.code)
			}
		})
	}
}

// The topic says whose figures these are: what the role may not see is not in it.
func TestLiveTopic(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.BoxOffice)
	for query, want := range map[string]web.Request{
		"view=wall&hall=A%26B":            {Page: "wall", Params: "hall=A%26B"},
		"view=events&q=bartok&sort=-free": {Page: "events", Params: "sort=date"}, // searches share one
	} {
		conn, _, err := b.dial(query, h.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		topic := firstTopic(t, conn)
		want.Access, want.Locale = web.BoxOffice.Access(), web.English
		if got, err := web.ParseTopic(topic); err != nil || got != want {
			t.Errorf("topic %q is %+v (%v), want %+v", topic, got, err, want)
		}
	}
}

func TestLiveOrigin(t *testing.T) {
	h := newHouse(t, nil)
	for _, who := range []*browser{h.loggedIn(t, web.Manager), h.browser(t)} {
		for _, origin := range []string{"", "null", "https://evil.example", h.idp.URL, h.URL + ".evil.example"} {
			_, resp, err := who.dial("view=tonight", origin)
			if err == nil || resp == nil || resp.StatusCode != http.StatusForbidden {
				t.Errorf("origin %q: %v, %v, want 403", origin, resp, err)
			}
		}
	}
	if open := h.hub.Holders(); len(open) != 0 {
		t.Errorf("sockets of %d logins are open", len(open))
	}
}

// The session changes behind an open socket's back.
func TestLiveRecheck(t *testing.T) {
	h := newHouse(t, nil)

	t.Run("role changed", func(t *testing.T) {
		b := h.loggedIn(t, web.Manager)
		conn := b.watch("view=tonight")
		h.changeStaff(t, b.session(), func(who map[string]any) { who["values"] = []web.Role{web.Door} })
		if code := closeCode(t, conn, 5*time.Second); code != live.CloseForbidden {
			t.Errorf("closed with %d, want %d", code, live.CloseForbidden)
		}
	})
	t.Run("session gone", func(t *testing.T) {
		b := h.loggedIn(t, web.Manager)
		conn := b.watch("view=tonight")
		if err := h.store.Sessions().DeleteCtx(t.Context(), b.session()); err != nil {
			t.Fatal(err)
		}
		if code := closeCode(t, conn, 5*time.Second); code != live.CloseSignedOut {
			t.Errorf("closed with %d, want %d", code, live.CloseSignedOut)
		}
	})
}
