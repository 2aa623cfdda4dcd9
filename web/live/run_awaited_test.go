package live_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"housecount/web/live"
)

// What one topic shows anew waits for a slow one of the same page for a tick, and no longer; also where the slow one is woken
// again and again.
func TestASlowTopicDelaysOthersByATick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hall, stage atomic.Int64
		h := open(t, live.Options{Open: func(name string) (live.Topic, error) {
			return topicOf(name, func(live.Content) (live.Content, error) {
				if name == "hall" {
					return paragraph(fmt.Sprint(hall.Load())), nil
				}
				time.Sleep(2 * time.Second)
				return paragraph(fmt.Sprint("stage ", stage.Add(1))), nil
			}), nil
		}})
		p := h.watch("topic=hall,stage")
		time.Sleep(10 * time.Second)
		p.take()
		hall.Add(1)
		h.hub.Wake("hall", "stage")
		time.Sleep(10 * time.Millisecond)
		if got := p.take(); len(got) != 0 {
			t.Errorf("at once it is sent %+v", got)
		}
		h.hub.Wake("stage")
		time.Sleep(250 * time.Millisecond)
		if got := p.take(); len(got) != 1 || got[0].Topic != "hall" {
			t.Errorf("after a tick it is sent %+v, want the change of the hall", got)
		}
		time.Sleep(2 * time.Second)
		if got := p.take(); len(got) != 1 || got[0].Topic != "stage" {
			t.Errorf("then %+v, want the change of the stage", got)
		}
	})
}
