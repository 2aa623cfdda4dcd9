package live_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"housecount/web/live"
)

func TestOnlyWhatChangedIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		first := live.Content{
			HTML:   map[string]string{"still": "<p id=still>", "moving": "<p id=moving>1", "old": "<p id=old>"},
			Charts: map[string]json.RawMessage{"same": []byte(`{"a":1}`), "curve": []byte(`{"b":1}`), "leaving": []byte(`{}`)},
		}
		second := live.Content{
			HTML:   map[string]string{"still": "<p id=still>", "moving": "<p id=moving>2", "new": "<p id=new>"},
			Charts: map[string]json.RawMessage{"same": []byte(`{"a":1}`), "curve": []byte(`{"b":2}`)},
		}
		h.show(first)
		p := h.watch("token=" + first.Token())
		if got := p.take(); len(got) != 0 {
			t.Fatalf("a page that shows the newest content was sent %+v", got)
		}
		h.show(second)
		h.hub.Wake("hall")
		time.Sleep(250 * time.Millisecond)
		got := p.take()
		if len(got) != 1 {
			t.Fatalf("%d frames for one change", len(got))
		}
		f := got[0]
		if f.Topic != "hall" || f.Whole {
			t.Errorf("frame says %+v", f)
		}
		if f.From != first.Token() || f.Token != second.Token() {
			t.Errorf("frame leads from %q to %q, want %q to %q", f.From, f.Token, first.Token(), second.Token())
		}
		if want := map[string]string{"moving": "<p id=moving>2", "new": "<p id=new>"}; !maps.Equal(f.HTML, want) {
			t.Errorf("fragments %v, want %v", f.HTML, want)
		}
		if e := f.Edits["curve"]; len(f.Charts) != 0 || len(f.Edits) != 1 || len(e) != 1 || e[0].At[0] != "b" || string(e[0].To) != "2" {
			t.Errorf("charts %s and edits %+v, want only what is new of curve", f.Charts, f.Edits)
		}
		if want := []string{"leaving", "old"}; !slices.Equal(f.Gone, want) {
			t.Errorf("gone %v, want %v", f.Gone, want)
		}
		h.show(second)
		h.hub.Wake("hall")
		time.Sleep(5 * time.Second)
		if got := p.take(); len(got) != 0 {
			t.Errorf("nothing changed and %d frames came", len(got))
		}
	})
}

func TestWholeTopicFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		content := paragraph("1")
		h.show(content)
		whole := func(name string, got []frame) {
			t.Helper()
			if len(got) != 1 || !got[0].Whole || got[0].Token != content.Token() || !maps.Equal(got[0].HTML, content.HTML) {
				t.Errorf("%s: got %+v, want the whole topic once", name, got)
			}
		}
		whole("a page without a token", h.watch("").take())
		whole("a page with another token", h.watch("token=nonsense").take())
		p := h.watch("token=" + content.Token())
		p.take()
		p.say(t, `{"whole":true}`)
		whole("a page that asks", p.take())
		p.say(t, `{"beat":true}`)
		p.say(t, `no JSON`)
		p.say(t, `{"whole":false}`)
		if got := p.take(); len(got) != 0 {
			t.Errorf("a page that did not ask was sent %+v", got)
		}
	})
}

// A topic is rendered once for all who watch it, at once after a quiet spell, and rests after that
// for four times as long as it took, within a tick and a fifth of one: but not so long that a change is
// with its watchers later than a tick, as far as half of a processor does that.
func TestATopicRestsByWhatItCosts(t *testing.T) {
	for cost, rest := range map[time.Duration]time.Duration{0: 50, 20: 80, 40: 160, 60: 190, 80: 170, 100: 200, 200: 250} {
		cost, rest = cost*time.Millisecond, rest*time.Millisecond
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var began []time.Time
			h := open(t, live.Options{Open: every(func(live.Content) (live.Content, error) {
				mu.Lock()
				began = append(began, time.Now())
				mu.Unlock()
				content := paragraph(fmt.Sprint(time.Now().UnixNano()))
				time.Sleep(cost)
				return content, nil
			})})
			var pages []*page
			for range 50 {
				pages = append(pages, h.watch(""))
			}
			time.Sleep(time.Second)
			for _, p := range pages {
				p.take()
			}
			mu.Lock()
			if len(began) != 1 {
				t.Errorf("%d renderings for the first content of 50 pages", len(began))
			}
			began = nil
			mu.Unlock()
			quiet := time.Now()
			for time.Since(quiet) < 2*time.Second { // a change every 10 ms
				h.hub.Wake("hall")
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			if n := int(2 * time.Second / rest); !began[0].Equal(quiet) || len(began) < n || len(began) > n+2 {
				t.Errorf("a topic that takes %v: %d renderings in 2 s, the first after %v; want about %d, the first at once", cost, len(began), began[0].Sub(quiet), n)
			}
			for i := 1; i < len(began); i++ {
				if gap := began[i].Sub(began[i-1]); gap < rest {
					t.Errorf("a topic that takes %v is rendered again after %v, want %v", cost, gap, rest)
				}
			}
			for _, p := range pages {
				if n := len(p.take()); n != len(began) {
					t.Fatalf("%d frames for %d renderings", n, len(began))
				}
			}
		})
	}
}

func TestNobodyWatchesNothingIsRendered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		p := h.watch("")
		p.take()
		p.conn.Close()
		synctest.Wait()
		if n := h.hub.Watchers(); n != 0 {
			t.Fatalf("%d watchers after the only one went", n)
		}
		before := h.renderCount()
		h.hub.Wake("hall")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := h.renderCount(); n != before {
			t.Errorf("%d renderings for nobody", n-before)
		}
	})
}

func TestStalledWatchersHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		for range 10 {
			h.dial("") // and never reads
		}
		healthy := h.watch("token=" + paragraph("0").Token())
		healthy.take()
		start := time.Now() // of the first rendering, too
		time.Sleep(100 * time.Millisecond)
		for i := 1; i <= 8; i++ {
			h.show(paragraph(fmt.Sprint(i)))
			h.hub.Wake("hall")
			time.Sleep(250 * time.Millisecond)
		}
		synctest.Wait()
		for i, at := range healthy.times {
			if late := at.Sub(start) - time.Duration(i+1)*250*time.Millisecond; late > 0 {
				t.Errorf("frame %d came %v late", i+1, late)
			}
		}
		if n := len(healthy.take()); n != 8 {
			t.Errorf("the healthy page got %d frames of 8", n)
		}
		if n := h.hub.Watchers(); n != 11 {
			t.Errorf("%d watchers before the write deadline, want 11", n)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if n := h.hub.Watchers(); n != 1 {
			t.Errorf("%d watchers after the write deadline, want the healthy one", n)
		}
	})
}

func TestSlowWatcherGetsTheNewestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		slow := h.dial("token=" + paragraph("0").Token())
		if _, _, err := slow.ReadMessage(); err != nil { // its first beat
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // so that no change falls together with a tick
		for i := 1; i <= 20; i++ {         // five seconds, in which the page reads nothing
			h.show(paragraph(fmt.Sprint(i)))
			h.hub.Wake("hall")
			time.Sleep(250 * time.Millisecond)
		}
		got := read(t, slow).take()
		if len(got) != 2 {
			t.Fatalf("%d frames after 20 changes, want the one that was on its way and the newest", len(got))
		}
		if got[0].Whole || got[0].HTML["p"] != paragraph("1").HTML["p"] {
			t.Errorf("first %+v, want the change to 1", got[0])
		}
		if !got[1].Whole || got[1].Token != paragraph("20").Token() {
			t.Errorf("then %+v, want the whole topic at 20", got[1])
		}
	})
}

func TestFailedRenderingKeepsTheLastContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged logCounter
		var fault atomic.Pointer[func() (live.Content, error)]
		var h *house
		h = open(t, live.Options{Log: slog.New(&logged), Open: every(func(live.Content) (live.Content, error) {
			if f := fault.Load(); f != nil {
				return (*f)()
			}
			return h.render("hall")
		})})
		p := h.watch("")
		p.take()
		fails := func() (live.Content, error) { return live.Content{}, errors.New("no figures") }
		for _, test := range []struct {
			name string
			f    func() (live.Content, error)
		}{
			{"error", fails},
			{"the same again", fails},
			{"panic", func() (live.Content, error) { panic("nil figures") }},
			{"broken option", func() (live.Content, error) {
				return live.Content{Charts: map[string]json.RawMessage{"c": []byte(`{`)}}, nil
			}},
		} {
			name, f := test.name, test.f
			before := logged.topics()
			fault.Store(&f)
			h.hub.Wake("hall")
			time.Sleep(30 * time.Second)
			if got := p.take(); len(got) != 0 {
				t.Errorf("%s: sent %+v", name, got)
			}
			if told := p.heard(); (len(told) != 1 || told[0].Say == nil || *told[0].Say != "cannot be shown") && name != "the same again" {
				t.Errorf("%s: the page was told %+v, want once that it cannot be shown", name, told)
			}
			later := h.watch("")
			later.take()
			if told := later.heard(); len(told) != 1 || told[0].Say == nil || *told[0].Say != "cannot be shown" {
				t.Errorf("%s: a page that comes later was told %+v", name, told)
			}
			later.conn.Close()
			if n := logged.topics() - before; n != 1 {
				t.Errorf("%s: logged %d times in 30 s, want once", name, n)
			}
			fault.Store(nil)
			h.show(paragraph("after the " + name))
			time.Sleep(4 * time.Second) // it is tried again by itself
			if told := p.heard(); len(told) != 1 || told[0].Say == nil || *told[0].Say != "" {
				t.Errorf("%s: afterwards told %+v, want that all is right", name, told)
			}
			if got := p.take(); len(got) != 1 || got[0].HTML["p"] == "" {
				t.Errorf("%s: afterwards got %+v", name, got)
			}
		}
	})
}

func TestFirstRenderingThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		h.show(live.Content{Charts: map[string]json.RawMessage{"c": []byte(`{`)}})
		p := h.watch("")
		time.Sleep(5 * time.Second)
		if got := p.take(); len(got) != 0 || p.closeCode() != 0 {
			t.Errorf("sent %+v, close code %d; want an open socket that waits", got, p.closeCode())
		}
		h.show(paragraph("1"))
		time.Sleep(4 * time.Second)
		if got := p.take(); len(got) != 1 || !got[0].Whole {
			t.Errorf("then got %+v, want the whole topic", got)
		}
	})
}

// logCounter counts the lines that say a topic could not be rendered.
type logCounter struct {
	slog.Handler
	mu sync.Mutex
	n  int
}

func (l *logCounter) Enabled(_ context.Context, _ slog.Level) bool { return true }
func (l *logCounter) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.HasPrefix(r.Message, "a topic could not be rendered") {
		l.n++
	}
	return nil
}
func (l *logCounter) topics() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func TestLargeFramesTravelCompressedSmallOnesDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		var received atomic.Int64
		d := h.dialer(func(c net.Conn) net.Conn { return countingConn{c, &received} })
		d.EnableCompression = true
		conn, _, err := d.Dial("ws://house/live", http.Header{"Origin": {origin}})
		if err != nil {
			t.Fatal(err)
		}
		p := read(t, conn)
		p.take()
		size := func(text string) (onWire, frameLength int) {
			before := received.Load()
			h.show(paragraph(text))
			h.hub.Wake("hall")
			time.Sleep(time.Second)
			got := p.take()
			if len(got) != 1 || got[0].HTML["p"] != `<p id=p>`+text+`</p>` {
				t.Fatalf("got %d frames for a change", len(got))
			}
			return int(received.Load() - before), len(text)
		}
		if wire, length := size(strings.Repeat("row ", 5000)); wire > length/10 {
			t.Errorf("a frame of %d bytes took %d on the wire: not compressed", length, wire)
		}
		if wire, length := size(strings.Repeat("row ", 25)); wire < length {
			t.Errorf("a frame of %d bytes took %d on the wire: compressed", length, wire)
		}
		if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"whole":true}`)); err != nil { // compressed, too
			t.Fatal(err)
		}
		if got := p.take(); len(got) != 1 || !got[0].Whole {
			t.Errorf("a compressed message was not understood: %+v", got)
		}
	})
}

type countingConn struct {
	net.Conn
	n *atomic.Int64
}

func (c countingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// Render is given what it made last, also where nothing that is sent differed, and a broken
// content counts as not made.
func TestRenderIsGivenTheLastContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var lasts []any
		n := 0
		h := open(t, live.Options{Open: every(func(last live.Content) (live.Content, error) {
			mu.Lock()
			defer mu.Unlock()
			lasts = append(lasts, last.Basis)
			n++
			c := paragraph("same")
			c.Basis = n
			if n == 3 {
				c.Charts = map[string]json.RawMessage{"c": []byte(`{`)}
			}
			return c, nil
		})})
		p := h.watch("")
		for range 4 {
			time.Sleep(time.Second)
			h.hub.Wake("hall")
		}
		time.Sleep(100 * time.Millisecond)
		if got := p.take(); len(got) != 1 {
			t.Errorf("%d frames of the same content, want 1", len(got))
		}
		mu.Lock()
		defer mu.Unlock()
		if want := []any{nil, 1, 2, 2, 4}; !slices.Equal(lasts, want) {
			t.Errorf("given %v, want %v", lasts, want)
		}
	})
}
