package handlers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/live"
)

// led reads a screen's socket until it is led to a topic, or told a state, that has text in it.
func led(t *testing.T, conn *websocket.Conn, text string) {
	t.Helper()
	conn.SetReadDeadline(time.Now().Add(30 * time.Second)) // never, unless it does not come
	var heard []string
	for {
		var f struct {
			Topic string
			Whole bool
			State json.RawMessage
		}
		if err := conn.ReadJSON(&f); err != nil {
			t.Fatalf("waits for %s: %v; heard %q", text, err, heard)
		}
		if f.Topic != "" && !f.Whole {
			t.Errorf("it is led to %s in parts", f.Topic)
		}
		if f.Topic == "" && f.State == nil {
			continue
		}
		if got := f.Topic + string(f.State); got == text {
			return
		} else {
			heard = append(heard, got)
		}
	}
}

// A screen's one socket follows its programme, the clock, the figures and what is changed of the
// screen, and is never left without anything to show.
func TestScreensFollow(t *testing.T) {
	var clock atomic.Int64
	at := func(text string) time.Time {
		at, err := time.Parse(time.DateTime, "2026-11-21 "+text+":00")
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	set := func(text string) { clock.Store(at(text).UnixNano()) }
	set("12:00")
	h := newHouse(t, func(o *handlers.Options) { o.Now = func() time.Time { return time.Unix(0, clock.Load()).UTC() } })
	tv := h.browser(t)
	if p := h.loggedIn(t, web.Admin).pairs(tv.waits(), "shows", "office"); p.status != 200 {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	socket := tv.dialScreen("")
	led(t, socket, `{}`)
	led(t, socket, "nl/money=none/board")
	list, err := h.store.Screens().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	screen := list[0]
	change := func(do func(*store.Screen)) {
		t.Helper()
		if ok, err := h.store.Screens().Change(t.Context(), screen.ID, store.Act{}, do); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	set("19:50") // the doors are open
	led(t, socket, "nl/money=none/wall")
	document := func(views string) string { return `{"views":[` + views + `]}` }
	programmes := h.store.Programmes()
	p, err := programmes.Save(t.Context(), store.Programme{Name: "Foyer", Document: document(`{"page":"board","hall":"A&B","seconds":60}`)}, store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	change(func(s *store.Screen) { s.Programme, s.Margin = p.ID, 30 })
	led(t, socket, `{"margin":30}`)
	led(t, socket, "nl/money=none/board?hall=A%26B")
	p.Document = document(`{"page":"wall","hall":"Grote zaal","seconds":60}`)
	if p, err = programmes.Save(t.Context(), p, store.Act{}); err != nil {
		t.Fatal(err)
	}
	led(t, socket, "nl/money=none/wall?hall=Grote+zaal")
	change(func(s *store.Screen) { s.Language = "de" })
	led(t, socket, "de/money=none/wall?hall=Grote+zaal")
	// Of a hall that does not exist any more, it shows what it would without a programme.
	before := *h.snapshot.Load()
	gone := func() *figures.Snapshot {
		l := ledger.New(figures.Calendar{})
		l.Apply(record.Version{Revision: 1, Head: true, Record: &record.Event{ID: "evt_9", Title: "Another", Date: "2026-11-21", Hall: "Tuin"}})
		l.Apply(record.Version{Revision: 2, Head: true, Record: &record.ScreenMessage{ID: "m", Text: "Late entry", Urgent: true, Until: at("20:30"), At: at("19:00")}})
		for i, m := range []record.ScreenMessage{{Text: "Urgent, too", Urgent: true, Screens: []string{"another", screen.ID}}, {Text: "Calm"}, {Text: "Elsewhere", Urgent: true, Screens: []string{"another", "a third"}}} {
			m.ID, m.Until, m.At = m.Text, at("20:00"), at("18:00")
			l.Apply(record.Version{Revision: int64(3 + i), Head: true, Record: &m})
		}
		return l.Snapshot(figures.Position{Epoch: "e", Revision: 9}, ledger.Coverage{})
	}()
	there := func() *figures.Snapshot { return gone }
	h.snapshot.Store(&there)
	led(t, socket, fmt.Sprintf(`{"margin":30,"messages":[{"text":"Late entry","urgent":true,"until":%d},{"text":"Urgent, too","urgent":true,"until":%d}]}`, at("20:30").UnixMilli(), at("20:00").UnixMilli()))
	led(t, socket, "de/money=none/board")
	h.snapshot.Store(&before)
	led(t, socket, "de/money=none/wall?hall=Grote+zaal")
	// Of a performance that is called off as it is shown, nothing stays in view; when it is not after all, it is back.
	p.Document = document(`{"page":"performance","event":"evt_1","seconds":60}`)
	if p, err = programmes.Save(t.Context(), p, store.Act{}); err != nil {
		t.Fatal(err)
	}
	led(t, socket, "de/money=none/performance?event=evt_1")
	for _, c := range []struct {
		status record.EventStatus
		want   string
	}{{record.EventCancelled, "board"}, {record.EventOnSale, "performance?event=evt_1"}, {record.EventPostponed, "board"}} {
		l := ledger.New(figures.Calendar{})
		l.Apply(record.Version{Revision: 1, Head: true, Record: &record.Event{ID: "evt_1", Title: "It", Date: "2026-11-21", Hall: "Tuin", Status: c.status}})
		is := l.Snapshot(figures.Position{Epoch: "e", Revision: 9}, ledger.Coverage{})
		there := func() *figures.Snapshot { return is }
		h.snapshot.Store(&there)
		led(t, socket, "de/money=none/"+c.want)
	}
	h.snapshot.Store(&before)
	p.Document = document(`{"page":"wall","hall":"Grote zaal","seconds":60}`)
	if p, err = programmes.Save(t.Context(), p, store.Act{}); err != nil {
		t.Fatal(err)
	}
	led(t, socket, "de/money=none/wall?hall=Grote+zaal")
	if err := programmes.Delete(t.Context(), p.ID, p.Version, store.Act{}); err != nil {
		t.Fatal(err)
	}
	led(t, socket, "de/money=none/wall")
	if _, err := h.store.Screens().Tell(t.Context(), screen.ID, store.CommandIdentify, store.Act{}); err != nil {
		t.Fatal(err)
	}
	led(t, socket, `{"margin":30,"identify":"Bar"}`)
	change(func(s *store.Screen) { s.Dim = "19:00-08:00" })
	led(t, socket, `{"margin":30,"dim":true,"identify":"Bar"}`)
	change(func(s *store.Screen) { s.Dark = "19:30-08:00" })
	led(t, socket, "de/money=none/"+web.DarkPage)
	// What it shows at once, it is also sent as a page.
	if p := tv.get("/screen"); !strings.Contains(p.body, `class="wall dark"`) || !strings.Contains(p.body, `data-topic="de/money=none/dark"`) || !strings.Contains(p.body, `&#34;margin&#34;:30`) {
		t.Errorf("its page is %s", p.body)
	}
	if _, err := h.store.Screens().Tell(t.Context(), screen.ID, store.CommandReload, store.Act{}); err != nil {
		t.Fatal(err)
	}
	// One thing that it is asked takes nothing back of another.
	if _, err := h.store.Screens().Tell(t.Context(), screen.ID, store.CommandIdentify, store.Act{}); err != nil {
		t.Fatal(err)
	}
	socket.SetReadDeadline(time.Now().Add(30 * time.Second))
	for reloaded := false; ; {
		var f struct{ State *web.ScreenState }
		if err := socket.ReadJSON(&f); err != nil {
			t.Fatal(err)
		}
		if f.State == nil {
			continue
		}
		if reloaded && f.State.Reloaded == 0 {
			t.Fatalf("it is told %+v after it was asked to load its page anew", *f.State)
		}
		reloaded = f.State.Reloaded != 0
		if reloaded && f.State.Identify != "" {
			break
		}
	}
	// What it may show is less: nothing stays in view of what it showed before.
	change(func(s *store.Screen) { s.Access = web.Access{Money: web.NoMoney, Public: true}.String() })
	if code := closeCode(t, socket, 30*time.Second); code != live.CloseForbidden {
		t.Errorf("the socket of the screen that may show less ended with %d", code)
	}
}

// A screen's page and its socket begin with its programme, and nothing comes between that and the
// first reading of all screens. Nobody else's page says that it is a screen's.
func TestScreenBeginsWithItsProgramme(t *testing.T) {
	h := newHouse(t, nil)
	tv, admin := h.browser(t), h.loggedIn(t, web.Admin)
	if p := admin.pairs(tv.waits(), "shows", "office"); p.status != 200 {
		t.Fatalf("status %d: %s", p.status, p.body)
	}
	p, err := h.store.Programmes().Save(t.Context(), store.Programme{Name: "Foyer", Document: `{"views":[{"page":"message","text":"The bar is open","seconds":60}]}`}, store.Act{Action: "saved"})
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.store.Screens().List(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	change := func(do func(*store.Screen)) {
		t.Helper()
		if ok, err := h.store.Screens().Change(t.Context(), list[0].ID, store.Act{}, do); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	change(func(s *store.Screen) { s.Programme = p.ID })
	const topic = "nl/money=none/message?text=The+bar+is+open"
	if p := tv.get("/screen"); !strings.Contains(p.body, `data-topic="`+topic) || p.header.Get("Screen") == "" {
		t.Errorf("its page is %v %s", p.header, p.body)
	}
	for b, path := range map[*browser]string{admin: "/screens", h.browser(t): "/screen"} {
		if p := b.get(path); p.status != 200 || p.header.Get("Screen") != "" || strings.Contains(p.body, "data-service") {
			t.Errorf("%s is a screen's to be kept: %d %v %s", path, p.status, p.header, p.body)
		}
	}
	socket := tv.dialScreen("")
	socket.SetReadDeadline(time.Now().Add(30 * time.Second)) // never, unless it does not come
	for margin := 1; ; {
		var f struct {
			Topic string
			State *web.ScreenState
		}
		if err := socket.ReadJSON(&f); err != nil {
			t.Fatal(err)
		}
		if f.Topic != "" && f.Topic != topic {
			t.Fatalf("it is led to %s", f.Topic)
		}
		if f.State == nil {
			continue
		}
		if f.State.Margin == 3 {
			return
		}
		if f.State.Margin == margin-1 {
			change(func(s *store.Screen) { s.Margin = margin })
			margin++
		}
	}
}

// A programme that is deleted while screens of several replicas show it is none on any of them.
func TestProgrammeDeletedOnAllReplicas(t *testing.T) {
	onBoth(t, func(t *testing.T, h *house, other *handlers.Site, _ time.Duration) {
		admin := h.loggedIn(t, web.Admin)
		p, err := h.store.Programmes().Save(t.Context(), store.Programme{Name: "Foyer", Document: `{"views":[{"page":"message","text":"Open","seconds":60}]}`}, store.Act{})
		if err != nil {
			t.Fatal(err)
		}
		one := h.replica.Load()
		var sockets []*websocket.Conn
		for _, site := range []*handlers.Site{one, other} {
			h.replica.Store(one)
			tv := h.browser(t)
			if p := admin.pairs(tv.waits(), "shows", "office", "programme", p.ID); p.status != 200 {
				t.Fatalf("status %d: %s", p.status, p.body)
			}
			h.replica.Store(site)
			socket := tv.dialScreen("")
			led(t, socket, "nl/money=none/message?text=Open")
			sockets = append(sockets, socket)
		}
		if err := h.store.Programmes().Delete(t.Context(), p.ID, p.Version, store.Act{}); err != nil {
			t.Fatal(err)
		}
		for _, socket := range sockets {
			led(t, socket, "nl/money=none/board")
		}
	})
}
