package live_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

func TestSocketsOfAHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		var mine []*page
		for range 33 {
			mine = append(mine, h.watch("holder=mine"))
			synctest.Wait()
		}
		for i, p := range mine {
			if want := map[bool]int{true: 1013}[i == 32]; p.closeCode() != want {
				t.Errorf("socket %d: close code %d, want %d", i+1, p.closeCode(), want)
			}
		}
		if p := h.watch("holder=theirs"); p.take() == nil || p.closeCode() != 0 {
			t.Error("another holder's socket is refused")
		}
		mine[0].conn.Close()
		synctest.Wait()
		if p := h.watch("holder=mine"); p.take() == nil || p.closeCode() != 0 {
			t.Error("with one socket less another is refused")
		}
		if got := h.hub.Holders(); len(got) != 2 {
			t.Errorf("holders %v, want two", got)
		}
	})
}

// The sockets of all sessions of one person are counted together.
func TestSocketsOfAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		var mine []*page
		for i := range 33 {
			mine = append(mine, h.watch(fmt.Sprintf("person=me&holder=%d", i%5)))
			synctest.Wait()
		}
		for i, p := range mine {
			if want := map[bool]int{true: 1013}[i == 32]; p.closeCode() != want {
				t.Errorf("socket %d: close code %d, want %d", i+1, p.closeCode(), want)
			}
		}
		if p := h.watch("person=another&holder=0"); p.take() == nil || p.closeCode() != 0 {
			t.Error("another person's socket is refused")
		}
		mine[0].conn.Close()
		synctest.Wait()
		if p := h.watch("person=me&holder=9"); p.take() == nil || p.closeCode() != 0 {
			t.Error("with one socket less another is refused")
		}
	})
}

// A thousand topics that are costly and aside, all woken again and again, keep no other waiting, and use a quarter of
// one processor together; each has its turn.
func TestTopicsAside(t *testing.T) {
	const cost = 25 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		var renderings atomic.Int64
		var mu sync.Mutex
		turns := map[string]bool{}
		var lag time.Duration
		var woken time.Time
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			if name == "hall" {
				return topicOf(name, func(live.Content) (live.Content, error) {
					mu.Lock()
					defer mu.Unlock()
					lag = max(lag, time.Since(woken))
					return paragraph("0"), nil
				}), nil
			}
			return live.Topic{Wakes: []string{"sale"}, Aside: true, Render: func(live.Content) (live.Content, error) {
				time.Sleep(cost)
				renderings.Add(1)
				mu.Lock()
				defer mu.Unlock()
				turns[name] = true
				return paragraph("0"), nil
			}}, nil
		}})
		for person := range 32 {
			var topics []string
			for i := range 32 {
				topics = append(topics, fmt.Sprintf("days-%d-%d", person, i))
			}
			h.watch(fmt.Sprintf("person=%d&topic=%s", person, strings.Join(topics, ",")))
		}
		mu.Lock()
		woken = time.Now()
		mu.Unlock()
		h.watch("topic=hall")
		synctest.Wait()
		start, before := time.Now(), renderings.Load()
		for range 200 {
			mu.Lock()
			woken = time.Now()
			mu.Unlock()
			h.hub.Wake("sale", "hall")
			time.Sleep(time.Second)
		}
		mu.Lock()
		defer mu.Unlock()
		if lag > 100*time.Millisecond {
			t.Errorf("another topic waits %v", lag)
		}
		if used := time.Duration(renderings.Load()-before) * cost; used > time.Since(start)/4+cost || used < time.Since(start)/5 {
			t.Errorf("they use %v of %v", used, time.Since(start))
		}
		if len(turns) != 1024 {
			t.Errorf("%d of 1024 had their turn", len(turns))
		}
	})
}

// What each holder watches, and from where the last of its sockets came.
func TestPresence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		presence := func(want ...live.Presence) {
			t.Helper()
			synctest.Wait()
			got := h.hub.Presence()
			slices.SortFunc(got, func(a, b live.Presence) int { return strings.Compare(a.Credential, b.Credential) })
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		first := h.watch("holder=mine&topic=b,a&from=here&with=Firefox")
		time.Sleep(time.Second)
		second := h.watch("holder=mine&topic=a&from=there&with=Safari")
		h.watch("holder=theirs&topic=c")
		theirs := live.Presence{Credential: "theirs", Sockets: 1, Topics: []string{"c"}}
		presence(live.Presence{Credential: "mine", Sockets: 2, Topics: []string{"a", "b"}, Address: "there", Agent: "Safari"}, theirs)
		second.conn.Close()
		presence(live.Presence{Credential: "mine", Sockets: 1, Topics: []string{"a", "b"}, Address: "here", Agent: "Firefox"}, theirs)
		first.conn.Close()
		presence(theirs)
	})
}

func TestEverythingIsSentOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		p := h.watch("")
		p.take()
		go func() {
			for range 10 {
				p.conn.WriteMessage(1, []byte(`{"whole":true}`))
			}
		}()
		if got := p.take(); len(got) != 1 {
			t.Errorf("%d answers at once, want 1", len(got))
		}
		time.Sleep(2500 * time.Millisecond)
		if got := p.take(); len(got) != 2 {
			t.Errorf("%d answers in two and a half seconds, want 2", len(got))
		}
	})
}

// Of the devices with one credential all but one are closed; those of other credentials go on.
func TestCloseOtherDevices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		first, again := h.watch("holder=tv&device=first"), h.watch("holder=tv&device=first")
		second, another := h.watch("holder=tv&device=second"), h.watch("holder=another&device=first")
		synctest.Wait()
		h.hub.CloseOtherDevices("tv", "second", live.CloseTaken)
		synctest.Wait()
		for _, p := range []*page{first, again} {
			if p.closeCode() != int(live.CloseTaken) {
				t.Errorf("another device was closed with %d", p.closeCode())
			}
		}
		if second.closeCode() != 0 || another.closeCode() != 0 {
			t.Errorf("the device was closed with %d and another screen with %d", second.closeCode(), another.closeCode())
		}
	})
}
