package handlers_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/figures"
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
		{"door, revenue", door, "view=revenue&period=week", live.CloseForbidden},
		{"manager, revenue", manager, "view=revenue&period=week", 0},
		{"manager, another period", manager, "view=revenue&period=8", live.CloseForbidden},
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
			conn.SetReadDeadline(time.Now().Add(30 * time.Second))
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
		if code := closeCode(t, conn, 30*time.Second); code != live.CloseForbidden {
			t.Errorf("closed with %d, want %d", code, live.CloseForbidden)
		}
	})
	t.Run("session gone", func(t *testing.T) {
		b := h.loggedIn(t, web.Manager)
		conn := b.watch("view=tonight")
		if err := h.store.Sessions().DeleteCtx(t.Context(), b.session()); err != nil {
			t.Fatal(err)
		}
		if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
			t.Errorf("closed with %d, want %d", code, live.CloseSignedOut)
		}
	})
}

// Who is logged in cannot have made-up halls rendered, nor take the sockets of others, and may
// switch to what their role sees alone.
func TestMadeUpHalls(t *testing.T) {
	h := newHouse(t, nil)
	door, colleague := h.loggedIn(t, web.Door), h.loggedIn(t, web.Manager)
	watching := colleague.watch("view=tonight")
	before := h.opened.Load()
	var crowd sync.WaitGroup
	for group := range 10 {
		crowd.Go(func() {
			for i := range 100 {
				conn, _, err := door.dial(fmt.Sprintf("view=wall&hall=Made+up+%d", 100*group+i), h.URL)
				if err != nil {
					t.Error(err)
					return
				}
				if _, _, err := conn.ReadMessage(); !websocket.IsCloseError(err, int(live.CloseForbidden)) {
					t.Errorf("a made-up hall: %v", err)
				}
				conn.Close()
			}
		})
	}
	crowd.Wait()
	if n := h.opened.Load() - before; n != 0 {
		t.Errorf("%d topics were opened", n)
	}
	// Of what exists, a person has 32 sockets, in all sessions together.
	again := h.loggedIn(t, web.Door)
	for range 40 {
		conn, _, err := door.dial("view=tonight", h.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	full, _, err := again.dial("view=tonight", h.URL)
	if err != nil {
		t.Fatal(err)
	}
	if code := closeCode(t, full, 30*time.Second); code != live.CloseTryLater {
		t.Errorf("one socket more closes with %d, want %d", code, live.CloseTryLater)
	}
	if holders := h.hub.Holders(); len(holders) != 2 {
		t.Errorf("sockets of %d holders are open, want two", len(holders))
	}
	// The colleague has noticed nothing.
	if err := watching.WriteJSON(map[string]string{"switch": "view=revenue&period=week"}); err != nil {
		t.Fatal(err)
	}
	if topic := firstTopic(t, watching); !strings.HasSuffix(topic, "/revenue?against=before&period=week") {
		t.Errorf("after a switch the colleague is sent %s", topic)
	}
}

// Pages about days of somebody's own are answered by half of the processors, however many are asked for.
func TestCustomPeriodsAtOnce(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Manager)
	first := (*h.snapshot.Load())()
	var now, most atomic.Int64
	read := func() *figures.Snapshot {
		n := now.Add(1)
		defer now.Add(-1)
		for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		return first
	}
	h.snapshot.Store(&read)
	ask := func(query string) int64 {
		most.Store(0)
		var crowd sync.WaitGroup
		for day := range 20 {
			crowd.Go(func() {
				if p := b.get(fmt.Sprintf("/revenue?%s&from=2026-11-%02d&to=2026-11-21", query, day+1)); p.status != http.StatusOK {
					t.Errorf("status %d", p.status)
				}
			})
		}
		crowd.Wait()
		return most.Load()
	}
	if n, limit := ask("period=custom"), int64(max(1, runtime.GOMAXPROCS(0)/2)); n > limit {
		t.Errorf("%d are answered at once, want at most %d", n, limit)
	}
}

// A page switches to another without a new socket, and only to what its session may see.
func TestLiveSwitch(t *testing.T) {
	h := newHouse(t, nil)
	b := h.loggedIn(t, web.Door)
	for address, code := range map[string]live.CloseCode{
		"view=event&event=" + eventID: 0, "view=wall&hall=A%26B": 0,
		"view=event&event=evt_9": live.CloseForbidden, "view=revenue&period=week": live.CloseForbidden, "view=payroll": live.CloseForbidden, "%zz": live.CloseForbidden,
	} {
		conn := b.watch("view=tonight")
		if err := conn.WriteJSON(map[string]string{"switch": address}); err != nil {
			t.Fatal(err)
		}
		if code != 0 {
			if got := closeCode(t, conn, 30*time.Second); got != code {
				t.Errorf("a switch to %s closes with %d, want %d", address, got, code)
			}
			continue
		}
		view, _, _ := strings.Cut(strings.TrimPrefix(address, "view="), "&")
		if topic := firstTopic(t, conn); !strings.Contains(topic, "/"+view+"?") {
			t.Errorf("after a switch to %s it is sent %s", address, topic)
		}
		conn.Close()
	}
	conn := b.watch("view=tonight")
	if err := h.store.Sessions().DeleteCtx(t.Context(), b.session()); err != nil {
		t.Fatal(err)
	}
	conn.WriteJSON(map[string]string{"switch": "view=tonight"}) // where the socket is not closed yet
	if code := closeCode(t, conn, 30*time.Second); code != live.CloseSignedOut {
		t.Errorf("a session that ended closes with %d", code)
	}
}
