package live_test

import (
	"reflect"
	"slices"
	"strings"
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
