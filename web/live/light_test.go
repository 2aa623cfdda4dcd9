package live_test

import (
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

// As long as nobody calls Wake, only what runs with the seconds is made, unless Light says
// that this is not enough.
func TestLight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var renders, seconds, enough atomic.Int64
		content := func() live.Content {
			return live.Content{Position: "e.1", HTML: map[string]string{
				"strip": fmt.Sprintf("<p id=strip>%d", seconds.Load()), "show": fmt.Sprintf("<p id=show>%d", renders.Load())}}
		}
		h := open(t, live.Options{
			Render: func(string) (live.Content, error) {
				renders.Add(1)
				return content(), nil
			},
			Light: func(_ string, shown live.Content) (live.Content, bool, error) {
				if len(shown.HTML) != 2 {
					t.Errorf("shown are %v", shown.HTML)
				}
				light := live.Content{Position: "e.2", HTML: map[string]string{"strip": content().HTML["strip"]}}
				return light, enough.Load() == 0, nil
			},
		})
		p := h.watch("")
		time.Sleep(500 * time.Millisecond)
		p.take()
		for n := range 30 {
			seconds.Add(1)
			time.Sleep(time.Second)
			got := p.take()
			if want := map[string]string{"strip": fmt.Sprintf("<p id=strip>%d", n+1)}; len(got) != 1 || got[0].Whole || got[0].Position != "e.2" || !maps.Equal(got[0].HTML, want) {
				t.Fatalf("second %d: %+v, want %v", n, got, want)
			}
		}
		if n := renders.Load(); n != 1 {
			t.Errorf("%d renders in half a quiet minute", n)
		}
		h.hub.Wake()
		time.Sleep(300 * time.Millisecond)
		if got := p.take(); renders.Load() != 2 || len(got) != 1 || got[0].HTML["show"] != "<p id=show>2" {
			t.Errorf("%d renders after a change; %+v", renders.Load(), got)
		}
		enough.Store(1)
		time.Sleep(time.Second)
		if got := p.take(); renders.Load() != 3 || len(got) != 1 || got[0].HTML["show"] != "<p id=show>3" {
			t.Errorf("%d renders after a minute; %+v", renders.Load(), got)
		}
	})
}
