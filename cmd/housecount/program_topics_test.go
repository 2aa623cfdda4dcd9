package main

import (
	"net/url"
	"testing"
	"time"

	"housecount/cmd/housecount/observe"
	"housecount/web"
)

// Days that somebody chose are rendered aside, and so are their explanations.
func TestChosenDaysAreAside(t *testing.T) {
	for query, want := range map[string]bool{"view=revenue": false, "view=revenue&period=month": false, "view=revenue&period=custom&from=2026-11-01": true, "view=marketing&period=custom": true,
		"view=tonight": false, "view=explain&figure=booked&from=2026-11-01&to=2026-11-02": true} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		page := values.Get("view")
		values.Del("view")
		q, err := web.NewRequest(page, values, web.Manager.Access(), web.English)
		if err != nil {
			t.Fatal(err)
		}
		if topic, err := (&observe.Topics{}).Open(q.Topic()); err != nil || topic.Aside != want {
			t.Errorf("%s: aside is %v, want %v (%v)", query, topic.Aside, want, err)
		}
	}
}

// What hangs on a wall rests for a second between two frames; what people look at does not.
func TestWallsRest(t *testing.T) {
	for page, want := range map[string]time.Duration{"wall": time.Second, "board": time.Second, "tonight": 0, "revenue": 0} {
		q, err := web.NewRequest(page, nil, web.Manager.Access(), web.English)
		if err != nil {
			t.Fatal(err)
		}
		if topic, err := (&observe.Topics{}).Open(q.Topic()); err != nil || topic.Rest != want {
			t.Errorf("%s rests for %s, want %s (%v)", page, topic.Rest, want, err)
		}
	}
}
