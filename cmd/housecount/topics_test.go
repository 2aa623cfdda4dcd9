package main

import (
	"testing"
	"time"

	"housecount/web"
)

// What hangs on a wall rests for a second between two frames; what people look at does not.
func TestWallsRest(t *testing.T) {
	for page, want := range map[string]time.Duration{"wall": time.Second, "board": time.Second, "tonight": 0, "revenue": 0} {
		q, err := web.NewRequest(page, nil, web.Manager.Access(), web.English)
		if err != nil {
			t.Fatal(err)
		}
		if topic, err := (&topics{}).open(q.Topic()); err != nil || topic.Rest != want {
			t.Errorf("%s rests for %s, want %s (%v)", page, topic.Rest, want, err)
		}
	}
}
