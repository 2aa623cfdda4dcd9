package live_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

func TestOnlyWokenTopicsAreRendered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		rendered := map[string]int{}
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			wakes := map[string][]string{"hall": {"a", live.Minute}, "stage": {"b", "a"}, "still": nil}[name]
			return live.Topic{Wakes: wakes, Render: func(live.Content) (live.Content, error) {
				mu.Lock()
				defer mu.Unlock()
				rendered[name]++
				return paragraph("0"), nil
			}}, nil
		}})
		for _, name := range []string{"hall", "stage", "still"} {
			h.watch("topic=" + name)
		}
		counts := func() [3]int {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			defer clear(rendered)
			return [3]int{rendered["hall"], rendered["stage"], rendered["still"]}
		}
		for _, test := range []struct {
			name string
			do   func()
			want [3]int
		}{
			{"opened", func() {}, [3]int{1, 1, 1}},
			{"a", func() { h.hub.Wake("a") }, [3]int{1, 1, 0}},
			{"b", func() { h.hub.Wake("b") }, [3]int{0, 1, 0}},
			{"both", func() { h.hub.Wake("a", "b") }, [3]int{1, 1, 0}},
			{"another", func() { h.hub.Wake("c") }, [3]int{}},
			{"nothing", func() { h.hub.Wake() }, [3]int{}},
		} {
			test.do()
			time.Sleep(time.Second)
			if got := counts(); got != test.want {
				t.Errorf("%s: rendered %v times, want %v", test.name, got, test.want)
			}
		}
		time.Sleep(10 * time.Minute)
		if got := counts(); got != [3]int{10, 0, 0} {
			t.Errorf("in ten minutes rendered %v times, want the one that depends on the minute", got)
		}
	})
}

// When a clock is turned back, beats say so and what depends on the minute is rendered.
func TestClockTurnedBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var back atomic.Int64
		now := func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }
		h := open(t, live.Options{Now: now, Open: func(name string) (live.Topic, error) {
			return live.Topic{Wakes: []string{live.Minute}, Render: func(live.Content) (live.Content, error) {
				return paragraph(now().Format("15:04")), nil
			}}, nil
		}})
		p := h.watch("")
		time.Sleep(90 * time.Second)
		p.take()
		p.beats = nil
		back.Store(int64(time.Hour))
		time.Sleep(5 * time.Second)
		if got := p.take(); len(got) != 1 || got[0].HTML["p"] != paragraph(now().Format("15:04")).HTML["p"] {
			t.Errorf("got %+v, want the minute an hour ago", got)
		}
		if len(p.beats) == 0 || p.beats[len(p.beats)-1].at.Sub(p.beats[len(p.beats)-1].says) != time.Hour {
			t.Errorf("beats %v, want the time an hour ago", p.beats)
		}
	})
}

// What a change woke does not wait for all that the minute woke.
func TestChangesComeBeforeTheMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var order []string
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			return live.Topic{Wakes: []string{live.Minute, name}, Render: func(live.Content) (live.Content, error) {
				time.Sleep(100 * time.Millisecond)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, name)
				return paragraph("0"), nil
			}}, nil
		}})
		for i := range 40 {
			h.watch(fmt.Sprint("topic=", i))
		}
		time.Sleep(time.Second * 50)
		mu.Lock()
		order = nil
		mu.Unlock()
		h.hub.Wake(live.Minute)
		h.hub.Wake("sold")
		for i := range 40 {
			h.hub.Wake(fmt.Sprint(39 - i))
			if i == 1 {
				break
			}
		}
		time.Sleep(9 * time.Second)
		mu.Lock()
		defer mu.Unlock()
		for _, name := range []string{"39", "38"} {
			if at := slices.Index(order, name); at < 0 || at > 8 {
				t.Errorf("topic %s was rendered as number %d of %d", name, at, len(order))
			}
		}
		if len(order) != 40 {
			t.Errorf("%d topics rendered, want each once", len(order))
		}
	})
}

// A topic that rests for a second gives its pages one frame in that time, of the newest, however often
// it is woken; what they are told beside it comes at once. After a rest it is rendered at once.
func TestTopicRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			return live.Topic{Wakes: []string{name}, Rest: time.Second, Render: func(live.Content) (live.Content, error) {
				return paragraph(fmt.Sprint(n.Load())), nil
			}}, nil
		}})
		p := h.watch("topic=wall&holder=mine")
		time.Sleep(time.Second)
		p.take()
		for range 95 { // nine seconds and a half
			n.Add(1)
			h.hub.Wake("wall")
			time.Sleep(100 * time.Millisecond)
		}
		if got := p.take(); len(got) != 10 {
			t.Errorf("%d frames in nine seconds and a half, want 10", len(got))
		}
		h.hub.Lead("mine", live.Lead{Topic: "wall", State: json.RawMessage(`{"n":1}`)})
		synctest.Wait()
		if told := p.heard(); len(told) != 1 {
			t.Errorf("while its topic rests it is told %+v", told)
		}
		time.Sleep(time.Second)
		if got := p.take(); len(got) != 1 || !strings.Contains(got[0].HTML["p"]+got[0].Parts["p"], "95") {
			t.Errorf("the newest comes as %+v", got)
		}
		time.Sleep(time.Second)
		n.Add(1)
		h.hub.Wake("wall")
		synctest.Wait()
		if got := p.take(); len(got) != 1 {
			t.Errorf("after a rest it comes as %+v", got)
		}
	})
}

// A watcher of several topics that change together is written to once.
func TestOneWriteForSeveralTopics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		h.showAs("stage", paragraph("stage 0"))
		var reads atomic.Int64
		d := h.dialer(func(c net.Conn) net.Conn { return readCounter{c, &reads} })
		d.ReadBufferSize = 1 << 16
		conn, _, err := d.Dial("ws://house/live?topic=hall,stage", http.Header{"Origin": {origin}})
		if err != nil {
			t.Fatal(err)
		}
		p := read(t, conn)
		time.Sleep(time.Second)
		p.take()
		before := reads.Load()
		h.show(paragraph("1"))
		h.showAs("stage", paragraph("stage 1"))
		h.hub.Wake("hall", "stage")
		time.Sleep(time.Second)
		if got := p.take(); len(got) != 2 {
			t.Errorf("%d frames, want one for each topic", len(got))
		}
		if n := reads.Load() - before; n != 1 {
			t.Errorf("they came in %d writes", n)
		}
	})
}

// What one topic shows anew does not wait for the beat because another, which was awaited, shows
// nothing new.
func TestAnAwaitedTopicWithoutChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hall atomic.Int64
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			return topicOf(name, func(live.Content) (live.Content, error) {
				if name == "hall" {
					return paragraph(fmt.Sprint(hall.Load())), nil
				}
				time.Sleep(100 * time.Millisecond)
				return paragraph("stage"), nil
			}), nil
		}})
		p := h.watch("topic=hall,stage")
		time.Sleep(time.Second)
		p.take()
		hall.Add(1)
		h.hub.Wake("hall", "stage")
		time.Sleep(150 * time.Millisecond)
		if got := p.take(); len(got) != 1 || got[0].Topic != "hall" {
			t.Errorf("got %+v, want the change of the hall", got)
		}
	})
}

type readCounter struct {
	net.Conn
	n *atomic.Int64
}

func (c readCounter) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.n.Add(1)
	return n, err
}

func TestSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		h.showAs("stage", paragraph("stage"))
		p := h.watch("")
		p.take()
		p.say(t, `{"switch":"stage","token":"`+paragraph("stage").Token()+`"}`)
		time.Sleep(time.Second)
		if got := p.take(); len(got) != 0 {
			t.Errorf("a page that shows the other topic is sent %+v", got)
		}
		h.show(paragraph("1"))
		h.showAs("stage", paragraph("stage 1"))
		h.hub.Wake("hall", "stage")
		time.Sleep(time.Second)
		if got := p.take(); len(got) != 1 || got[0].Topic != "stage" || got[0].Whole {
			t.Errorf("then %+v, want the change of the stage alone", got)
		}
		p.say(t, `{"switch":"secret"}`)
		<-p.closed
		if p.closeCode() != 4403 {
			t.Errorf("a switch to what the holder may not see ends with %d", p.closeCode())
		}
	})
}

// A page that was told that something cannot be shown is told when it watches something that can.
func TestSwitchFromWhatCannotBeShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			return topicOf(name, func(live.Content) (live.Content, error) {
				if name == "hall" {
					return live.Content{}, errors.New("no figures")
				}
				return paragraph("stage"), nil
			}), nil
		}})
		p := h.watch("")
		time.Sleep(time.Second)
		if told := p.heard(); len(told) != 1 || told[0].Say == nil || *told[0].Say != "cannot be shown" {
			t.Fatalf("of the hall it is told %+v", told)
		}
		p.say(t, `{"switch":"stage"}`)
		time.Sleep(2 * time.Second)
		if told := p.heard(); len(told) != 1 || told[0].Say == nil || *told[0].Say != "" {
			t.Errorf("of the stage it is told %+v, want once that all is right", told)
		}
		if got := p.take(); len(got) != 1 {
			t.Errorf("%d frames, want the stage", len(got))
		}
	})
}

// A page of two topics that cannot be shown is told that all is right once both can be.
func TestOneOfTwoRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hall, stage atomic.Bool // they can be shown
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			return topicOf(name, func(live.Content) (live.Content, error) {
				if name == "hall" && !hall.Load() || name == "stage" && !stage.Load() {
					return live.Content{}, errors.New("no figures")
				}
				return paragraph(name), nil
			}), nil
		}})
		p := h.watch("topic=hall,stage")
		last := "" // what the page was told last
		for _, c := range []struct {
			hall, stage bool
			want        string
		}{{false, false, "cannot be shown"}, {true, false, "cannot be shown"}, {false, true, "cannot be shown"}, {true, true, ""}} {
			hall.Store(c.hall)
			stage.Store(c.stage)
			h.hub.Wake("hall", "stage")
			time.Sleep(time.Second)
			for _, told := range p.heard() {
				last = *told.Say
			}
			if last != c.want {
				t.Errorf("hall %v, stage %v: the page says %q, want %q", c.hall, c.stage, last, c.want)
			}
		}
	})
}

func TestTopicThatCannotBeOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			if name != "hall" {
				return live.Topic{}, fmt.Errorf("no topic %s", name)
			}
			return topicOf(name, func(live.Content) (live.Content, error) { return paragraph("0"), nil }), nil
		}})
		if p := h.watch("topic=attic"); p.take() != nil || p.closeCode() != 4403 {
			t.Errorf("close code %d, want 4403", p.closeCode())
		}
		p := h.watch("")
		p.take()
		p.say(t, `{"switch":"attic"}`)
		<-p.closed
		if p.closeCode() != 4403 {
			t.Errorf("close code %d after a switch, want 4403", p.closeCode())
		}
	})
}

func TestBeatsCarryTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int64
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			topic := topicOf(name, func(live.Content) (live.Content, error) { return paragraph("0"), nil })
			topic.Times = func() json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"n":%d,"of":%q}`, asked.Add(1), name)) }
			return topic, nil
		}})
		p, q := h.watch(""), h.watch("topic=stage")
		time.Sleep(17 * time.Second) // four beats beside the greeting's, which may meet another word
		p.take()
		q.take()
		for name, got := range map[string]*page{"hall": p, "stage": q} {
			if len(got.beats) < 4 {
				t.Fatalf("%d beats", len(got.beats))
			}
			for _, b := range got.beats {
				if !strings.HasSuffix(b.times, `"of":"`+name+`"}`) {
					t.Errorf("a beat of %s says %s", name, b.times)
				}
			}
		}
	})
}

// Times may take its time, or panic, without harm to anything but what its beats carry.
func TestTimesHarmNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var locked atomic.Int64
		var h *house
		h = open(t, live.Options{Log: slog.New(slog.DiscardHandler), Open: func(name string) (live.Topic, error) {
			topic := topicOf(name, func(live.Content) (live.Content, error) { return paragraph("0"), nil })
			topic.Times = func() json.RawMessage {
				free := h.hub.Free()
				for n := 0; !free && n < 10_000; n++ { // another may hold it for a moment
					runtime.Gosched()
					free = h.hub.Free()
				}
				if !free {
					locked.Add(1)
				}
				if name == "hall" {
					panic("nil times")
				}
				return json.RawMessage(`{"n":1}`)
			}
			return topic, nil
		}})
		p, q := h.watch(""), h.watch("topic=stage")
		time.Sleep(17 * time.Second) // four beats beside the greeting's, which may meet another word
		p.take()
		q.take()
		if n := locked.Load(); n > 0 {
			t.Errorf("the hub is locked in %d calls of Times", n)
		}
		for name, got := range map[string]*page{"hall": p, "stage": q} {
			if len(got.beats) < 4 {
				t.Errorf("%d beats of the %s", len(got.beats), name)
			}
			for _, b := range got.beats {
				if want := map[string]string{"stage": `{"n":1}`}[name]; b.times != want {
					t.Errorf("a beat of the %s says %q", name, b.times)
				}
			}
		}
	})
}

// A proxy that cuts what is silent for half a minute in either direction cuts nothing.
func TestProxyThatCutsAt30s(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		d := h.dialer(func(c net.Conn) net.Conn {
			cut := func() { c.Close() }
			return &cutting{c, time.AfterFunc(30*time.Second, cut), time.AfterFunc(30*time.Second, cut)}
		})
		conn, _, err := d.Dial("ws://house/live", http.Header{"Origin": {origin}})
		if err != nil {
			t.Fatal(err)
		}
		p := read(t, conn)
		time.Sleep(10 * time.Minute)
		p.take()
		if p.closeCode() != 0 {
			t.Errorf("it was cut: %d", p.closeCode())
		}
	})
}

type cutting struct {
	net.Conn
	in, out *time.Timer
}

func (c *cutting) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.in.Reset(30 * time.Second)
	return n, err
}

func (c *cutting) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.out.Reset(30 * time.Second)
	return n, err
}

// However many topics wait for a database, the others are rendered.
func TestWaitingTopicsHoldUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			waits := strings.HasPrefix(name, "slow")
			topic := topicOf(name, func(live.Content) (live.Content, error) {
				if waits {
					<-answer
				}
				return paragraph(name), nil
			})
			topic.Waits = waits
			return topic, nil
		}})
		var slow []*page
		for i := range 2 * runtime.GOMAXPROCS(0) {
			slow = append(slow, h.watch(fmt.Sprint("topic=slow", i)))
		}
		hall := h.watch("topic=hall")
		time.Sleep(time.Second)
		synctest.Wait()
		if len(hall.take()) == 0 {
			t.Error("the hall waits for a database that it does not ask")
		}
		if frames := slow[0].take(); len(frames) > 0 {
			t.Fatalf("there is no answer yet, and the page shows %v", frames)
		}
		close(answer)
		time.Sleep(time.Second)
		synctest.Wait()
		for i, p := range slow {
			if len(p.take()) == 0 {
				t.Errorf("page %d does not show the answer", i)
			}
		}
	})
}
