package live_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web/live"
)

func TestCloseCodes(t *testing.T) {
	tests := []struct {
		name  string
		query string
		then  func(h *house)
		want  int
	}{
		{"refused, signed out", "refuse=4401", nil, 4401},
		{"refused, forbidden", "refuse=4403", nil, 4403},
		{"another version", "version=older", nil, 4409},
		{"one too many", "", func(h *house) {}, 1013},
		{"holder's credential ended", "version=v2&holder=s", func(h *house) { h.hub.CloseHolder("s", live.CloseSignedOut) }, 4401},
		{"shutdown", "version=v2", func(h *house) { h.stop() }, 1001},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open(t, live.Options{Version: "v2", MaxWatchers: 1})
				if test.want == 1013 {
					h.watch("version=v2").take() // dialled is not yet joined
					test.query = "version=v2"
				}
				p := h.watch(test.query)
				p.take()
				start := time.Now()
				if test.then != nil {
					if p.closeCode() != 0 && test.want != 1013 {
						t.Fatalf("closed too soon, with %d", p.closeCode())
					}
					test.then(h)
				}
				<-p.closed
				if got := p.closeCode(); got != test.want {
					t.Errorf("close code %d, want %d", got, test.want)
				}
				if d := time.Since(start); d != 0 {
					t.Errorf("took %v", d)
				}
			})
		})
	}
}

// Strangers use up their own sockets, and nobody else's.
func TestStrangersAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{MaxWatchers: 100})
		watch := func(query string, want live.CloseCode) *page {
			t.Helper()
			p := h.watch(query)
			synctest.Wait()
			if got := p.closeCode(); got != int(want) {
				t.Errorf("%s: close code %d, want %d", query, got, want)
			}
			return p
		}
		watch("stranger=&holder=a", 0)
		watch("stranger=&holder=a", 0)
		watch("stranger=&holder=a", live.CloseTryLater)
		for range 3 {
			watch("stranger=", 0)
		}
		watch("stranger=", live.CloseTryLater)
		for range 3 {
			watch("holder=staff", 0)
		}
		if all := h.hub.Presence(); len(all) != 1 || all[0].Credential != "staff" || all[0].Sockets != 3 {
			t.Errorf("present: %+v", all)
		}
		h.hub.CloseHolder("a", live.CloseForbidden)
		synctest.Wait()
		watch("stranger=", 0) // in the place of who has left
	})
}

func TestCloseHolderClosesOnlyIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		mine := []*page{h.watch("holder=mine"), h.watch("holder=mine&topic=other")}
		theirs, nobodys := h.watch("holder=theirs"), h.watch("")
		synctest.Wait()
		h.hub.CloseHolder("nobody", live.CloseSignedOut)
		h.hub.CloseHolder("mine", live.CloseSignedOut)
		synctest.Wait()
		for _, p := range mine {
			if p.closeCode() != 4401 {
				t.Errorf("close code %d, want 4401", p.closeCode())
			}
		}
		if theirs.closeCode() != 0 || nobodys.closeCode() != 0 {
			t.Error("another's socket was closed")
		}
		if n := h.hub.Watchers(); n != 2 {
			t.Errorf("%d watchers left, want 2", n)
		}
	})
}

// A page whose write hangs gets no close code, but it is gone within the second.
func TestCloseHolderOfAStalledPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		h.dial("holder=s") // never reads, so that its first frame hangs
		silent := h.dial("holder=s&token=" + paragraph("0").Token())
		synctest.Wait()
		h.hub.CloseHolder("s", live.CloseSignedOut)
		time.Sleep(time.Second)
		synctest.Wait()
		if n := h.hub.Watchers(); n != 0 {
			t.Errorf("%d watchers a second after their session ended", n)
		}
		silent.Close()
	})
}

// On a real network, closing a connection that still receives can take what was sent
// last from the peer. So the connection stays until the page has answered.
func TestTheConnectionOutlivesTheCloseFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		for name, query := range map[string]string{"watcher": "holder=s", "refused": "refuse=4401"} {
			conn := h.dial(query)
			conn.SetCloseHandler(func(int, string) error { return nil }) // and does not answer
			p := read(t, conn)
			p.take()
			h.hub.CloseHolder("s", live.CloseSignedOut)
			<-p.closed
			start := time.Now()
			if _, err := conn.NetConn().Read(make([]byte, 1)); err == nil {
				t.Errorf("%s: something followed the close frame", name)
			}
			if d := time.Since(start); d < 500*time.Millisecond || d > time.Second {
				t.Errorf("%s: the connection ended %v after the close frame", name, d)
			}
		}
	})
}

func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		pages := []*page{h.watch(""), h.watch("topic=other")}
		h.dial("") // stalled
		synctest.Wait()
		start := time.Now()
		h.stop()
		if d := time.Since(start); d > time.Second {
			t.Errorf("Run took %v to end", d)
		}
		if n := h.hub.Watchers(); n != 0 {
			t.Errorf("%d watchers after Run's end", n)
		}
		synctest.Wait()
		for _, p := range pages {
			if p.closeCode() != 1001 {
				t.Errorf("close code %d, want 1001", p.closeCode())
			}
		}
		for _, query := range []string{"", "refuse=4401"} {
			_, answer, err := h.dialer(nil).Dial("ws://house/live?"+query, http.Header{"Origin": {origin}})
			if err == nil || answer == nil || answer.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("a request after the end: %v, %v, want 503", answer, err)
			}
		}
		if err := h.hub.Run(t.Context()); err == nil {
			t.Error("Run ran twice")
		}
		h.hub.Wake("hall")
		h.hub.CloseHolder("s", live.CloseSignedOut)
	})
}

func TestARequestBeforeRunWaitsForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := unstarted(t, live.Options{})
		opened := make(chan *page, 1)
		go func() { opened <- h.watch("") }()
		synctest.Wait()
		select {
		case <-opened:
			t.Fatal("a socket opened before Run")
		default:
		}
		h.start()
		if got := (<-opened).take(); len(got) != 1 {
			t.Errorf("%d frames, want the whole topic", len(got))
		}
	})
}

// A page hears the time at once and then every four seconds, whatever else it hears.
func TestBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})
		time.Sleep(3 * time.Second)
		start := time.Now()
		p := h.watch("token=" + paragraph("0").Token())
		time.Sleep(15 * time.Second)
		h.show(paragraph("1"))
		h.hub.Wake("hall")
		time.Sleep(39 * time.Second)
		if n := len(p.take()); n != 1 {
			t.Errorf("%d frames beside the beats, want 1", n)
		}
		if n := len(p.beats); n != 15 { // at 0, 1, 5, 9, … 53
			t.Errorf("%d beats in 54 s, want 15", n)
		}
		last := start
		for _, b := range p.beats {
			if b.at.Sub(last) > 4*time.Second || b.says.Sub(b.at) != time.Hour {
				t.Errorf("a beat %v after the one before says %v at %v", b.at.Sub(last), b.says, b.at)
			}
			last = b.at
		}
		if len(p.beats) > 0 && !p.beats[0].at.Equal(start) {
			t.Errorf("the first beat came after %v", p.beats[0].at.Sub(start))
		}
		if n := len(p.pings); n != 2 {
			t.Errorf("%d pings in 54 s, want 2", n)
		}
	})
}

// Topics that take long together hold up no beat: a page that hears none for nine seconds takes
// itself for cut off.
func TestBeatsBetweenTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			topic := topicOf(name, func(live.Content) (live.Content, error) {
				time.Sleep(time.Second)
				return paragraph("0"), nil
			})
			topic.Wakes = []string{live.Minute}
			return topic, nil
		}})
		for i := range 20 {
			h.watch(fmt.Sprint("topic=", i))
		}
		p := h.watch("")
		time.Sleep(time.Minute)
		p.take()
		if len(p.beats) < 12 {
			t.Errorf("%d beats in a minute", len(p.beats))
		}
		for i, b := range p.beats[1:] {
			if gap := b.at.Sub(p.beats[i].at); gap > 6*time.Second {
				t.Errorf("no beat for %v", gap)
			}
		}
	})
}

// A hub that hangs while it renders is not taken for one that has nothing new.
func TestNoBeatsWhileRenderHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		renders := 0
		h := open(t, live.Options{Open: every(func(live.Content) (live.Content, error) {
			if renders++; renders > 1 {
				<-hang
			}
			return paragraph("0"), nil
		})})
		p := h.watch("")
		p.take()
		h.hub.Wake("hall")
		time.Sleep(time.Minute)
		if p.take(); len(p.beats) > 2 {
			t.Errorf("%d beats while nothing is rendered, want that of the beginning and one more", len(p.beats))
		}
		before := len(p.beats)
		close(hang)
		time.Sleep(5 * time.Second)
		if p.take(); len(p.beats) == before {
			t.Error("no beat once it goes on")
		}
	})
}

func TestSilentPagesAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		ponging := h.watch("holder=ponging")
		talking, silent := h.dial("holder=talking"), h.dial("holder=silent")
		for _, c := range []*websocket.Conn{talking, silent} {
			c.SetPingHandler(func(string) error { return nil })
		}
		talker, mute := read(t, talking), read(t, silent)
		start := time.Now()
		for range 20 {
			time.Sleep(25 * time.Second)
			talker.say(t, `{}`)
		}
		synctest.Wait()
		if ponging.closeCode() != 0 || talker.closeCode() != 0 {
			t.Error("a page that is alive was dropped")
		}
		if mute.closeCode() == 0 {
			t.Fatalf("a page that is dead is still there after %v", time.Since(start))
		}
		if last := mute.times[len(mute.times)-1].Sub(start); last > time.Minute {
			t.Errorf("a dead page was dropped after %v, want 1 min", last)
		}
	})
}

func TestServeReturnsWhileTheSocketIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		var returned atomic.Bool
		serve := h.server.Handler
		h.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			serve.ServeHTTP(w, r)
			returned.Store(true)
		})
		p := h.watch("")
		p.take()
		if !returned.Load() || p.closeCode() != 0 {
			t.Errorf("returned %v, close code %d; want an open socket without its handler", returned.Load(), p.closeCode())
		}
	})
}

func TestOrigin(t *testing.T) {
	hub, err := live.New(live.Options{Origin: "https://House.example:443", Open: every(func(live.Content) (live.Content, error) { return live.Content{}, nil })})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- hub.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("refuse") {
			hub.Refuse(w, r, live.CloseSignedOut)
			return
		}
		hub.Serve(w, r, live.Watcher{Holder: live.Holder{Credential: "somebody"}, Topics: map[string]string{"hall": ""}})
	}))
	for _, test := range []struct {
		name   string
		origin []string
		want   int
	}{
		{"ours", []string{"https://house.example"}, http.StatusSwitchingProtocols},
		{"missing", nil, http.StatusForbidden},
		{"null", []string{"null"}, http.StatusForbidden},
		{"two", []string{"https://house.example", "https://evil.example"}, http.StatusForbidden},
		{"another host", []string{"https://evil.example"}, http.StatusForbidden},
		{"another scheme", []string{"http://house.example"}, http.StatusForbidden},
		{"another port", []string{"https://house.example:8443"}, http.StatusForbidden},
		{"a longer host", []string{"https://house.example.evil.example"}, http.StatusForbidden},
		{"the address dialled", []string{server.URL}, http.StatusForbidden},
	} {
		for _, query := range []string{"", "?refuse"} {
			header := http.Header{}
			if test.origin != nil {
				header["Origin"] = test.origin
			}
			conn, answer, _ := websocket.DefaultDialer.Dial("ws"+server.URL[len("http"):]+query, header)
			if conn != nil {
				conn.Close()
			}
			if answer == nil || answer.StatusCode != test.want {
				t.Errorf("origin %s%s: %v, want %d", test.name, query, answer, test.want)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	render := every(func(live.Content) (live.Content, error) { return live.Content{}, nil })
	for _, o := range []live.Options{
		{Origin: origin},
		{Open: render},
		{Open: render, Origin: "house.example"},
		{Open: render, Origin: "ftp://house.example"},
		{Open: render, Origin: "https://house.example/path"},
		{Open: render, Origin: "https://user@house.example"},
	} {
		if _, err := live.New(o); err == nil {
			t.Errorf("New(%s) found no fault", fmt.Sprintf("%+v", o))
		}
	}
}
