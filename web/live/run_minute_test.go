package live_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

// A page that turns with the minute is rendered once for it where somebody else wakes the minute soon, and without that in time.
func TestMinuteIsRenderedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 1500 * time.Millisecond
		var speed, rendered atomic.Int64
		speed.Store(1)
		began := time.Now().Truncate(time.Minute)
		now := func() time.Time { return began.Add(time.Since(began) * time.Duration(speed.Load())) }
		var last atomic.Pointer[time.Time]
		h := open(t, live.Options{Now: now, MinuteWait: wait, Open: func(string) (live.Topic, error) {
			return live.Topic{Wakes: []string{live.Minute}, Render: func(live.Content) (live.Content, error) {
				at := time.Now()
				last.Store(&at)
				rendered.Add(1)
				return paragraph(now().Format("15:04")), nil
			}}, nil
		}})
		h.watch("")
		time.Sleep(time.Until(began.Add(time.Minute)))
		for _, after := range []time.Duration{-1, time.Millisecond, time.Second} { // woken by nobody, at once, in a second
			rendered.Store(0)
			minute := time.Now()
			h.hub.Wake("something else")
			if after >= 0 {
				time.Sleep(after)
				h.hub.Wake(live.Minute)
			}
			time.Sleep(time.Until(minute.Add(59 * time.Second)))
			if after < 0 {
				after = wait
			}
			if late := last.Load().Sub(minute); rendered.Load() != 1 || late < after || late > after+time.Second/4 {
				t.Errorf("rendered %d times, the last time after %v, want once after %v", rendered.Load(), late, after)
			}
			time.Sleep(time.Until(minute.Add(time.Minute)))
		}
		rendered.Store(0)
		speed.Store(60) // minutes that are shorter than the wait
		time.Sleep(20 * time.Second)
		if n := rendered.Load(); n < 8 {
			t.Errorf("rendered %d times in 20 short minutes", n)
		}
	})
}
