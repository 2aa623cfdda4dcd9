package live_test

import (
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

// Of two devices with the credential of one, the one that is there stays. One that has gone without a
// word, or with one, is in nobody's way.
func TestSoleHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, live.Options{})
		first := h.watch("sole&holder=tv")
		other := h.watch("sole&holder=another")
		begun := time.Now()
		copied := h.watch("sole&holder=tv")
		synctest.Wait()
		if copied.closeCode() != int(live.CloseTaken) || first.closeCode() != 0 || time.Since(begun) > 0 {
			t.Errorf("the second was closed with %d and the first with %d, after %v", copied.closeCode(), first.closeCode(), time.Since(begun))
		}

		// Of those that may have many, none is in the way.
		h.watch("holder=somebody")
		if p := h.watch("holder=somebody"); p.closeCode() != 0 {
			t.Errorf("another page of somebody was closed with %d", p.closeCode())
		}

		h.hub.CloseHolder("tv", live.CloseReload)
		synctest.Wait()
		dead := h.dial("sole&holder=tv")
		dead.SetPingHandler(func(string) error { return nil }) // its device was switched off
		mute := read(t, dead)
		if n := len(mute.take()); n != 1 || mute.closeCode() != 0 {
			t.Errorf("after one that has left it is sent %d frames, and closed with %d", n, mute.closeCode())
		}
		again := h.watch("sole&holder=tv")
		time.Sleep(time.Second)
		if n := len(again.take()); n != 0 || again.closeCode() != 0 {
			t.Errorf("while another may answer it is sent %d frames, and closed with %d", n, again.closeCode())
		}
		time.Sleep(2 * time.Second)
		if n := len(again.take()); n != 1 || again.closeCode() != 0 || mute.closeCode() == 0 {
			t.Errorf("after one that is dead it is sent %d frames, and closed with %d", n, again.closeCode())
		}
		if n := h.hub.Watchers(); n != 4 {
			t.Errorf("%d watch, want 4", n)
		}
		if other.closeCode() != 0 {
			t.Error("another screen was closed")
		}
	})
}
