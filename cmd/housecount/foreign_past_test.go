package main

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"
)

// What a list leaves out because it is over stays if the profile says so, and is deleted otherwise; what it leaves out before
// is deleted either way.
func TestListsThatDropWhatIsOver(t *testing.T) {
	for _, drops := range []bool{true, false} {
		t.Run(fmt.Sprint(drops), func(t *testing.T) {
			inForeignHouse(t, func(h *foreignHouse) {
				shows := []object{{"id": "matinee", "name": "Matinee", "starts": "2000-03-24T13:00:00Z", "ends": "2000-03-24T15:00:00Z"}, {"id": "gala", "name": "Gala", "starts": "2000-03-25T20:00:00Z", "ends": "2000-03-25T22:00:00Z"},
					{"id": "ball", "name": "Ball", "starts": "2000-03-26T20:00:00Z", "ends": "2000-03-26T22:00:00Z"}}
				coming := func() []object {
					return slices.DeleteFunc(slices.Clone(shows), func(s object) bool { return s["ends"].(string) <= now(time.RFC3339) })
				}
				h.serve("/shows", func(url.Values) any { return append([]object{}, coming()...) })
				h.serve("/tickets", func(url.Values) any {
					sold := []object{}
					for _, s := range coming() {
						sold = append(sold, object{"id": "1-" + s["id"].(string), "show": s["id"]}, object{"id": "2-" + s["id"].(string), "show": s["id"]})
					}
					return sold
				})
				h.read(fmt.Sprintf(`
name: house
streams:
  - {name: shows, path: shows, paging: {style: bare}, drops_past: %[1]t, gives: [event], records: '{id, title: .name, starts_at: .starts, ends_at: .ends}'}
  - {name: tickets, path: tickets, paging: {style: bare}, drops_past: %[1]t, gives: [ticket], records: '{id, event_id: .show, status: "valid", sold_at: "2000-03-01T10:00:00Z"}'}
`, drops))
				sold := func() (n []int) {
					for _, id := range []string{"matinee", "gala", "ball"} {
						if e := h.figures.Snapshot().Event(id); e != nil {
							n = append(n, e.Sold.Value)
						} else {
							n = append(n, -1)
						}
					}
					return n
				}
				if got := sold(); !slices.Equal(got, []int{2, 2, 2}) {
					t.Errorf("at first: %v", got)
				}
				shows = shows[:2] // the ball is called off and taken out
				h.pass(4 * time.Hour)
				want := []int{2, 2, -1}
				if !drops {
					want[0] = -1
				}
				if got := sold(); !slices.Equal(got, want) {
					t.Errorf("after the matinee: %v, want %v", got, want)
				}
			})
		})
	}
}

// An answer that is the only row of its list needs no id: what it gave before and gives no longer is gone with the next poll.
func TestTheOnlyRowOfAList(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		h.serve("/shows", func(url.Values) any { return []object{{"nr": "a"}, {"nr": "b"}} })
		sold := map[string][]string{"a": {"stalls", "balcony"}, "b": {"stalls"}}
		for show := range sold {
			h.serve("/shows/"+show+"/sold", func(url.Values) any { return object{"areas": sold[show]} })
		}
		h.read(`
name: house
streams:
  - {name: shows, path: shows, paging: {style: bare}, every: 24h, keep: '{key: .nr, at: "2000-03-24T20:00:00Z"}'}
  - name: sold
    path: shows/{key}/sold
    over: shows
    recent: 48h
    list: .
    paging: {style: bare}
    gives: [event, ticket]
    records: |
      {record: "event", id: $over.key, title: $over.key, starts_at: $over.at},
      (.areas[] | {record: "ticket", id: "\($over.key)-\(.)", event_id: $over.key, quantity: 10, status: "valid", sold_at: "2000-03-01T10:00:00Z"})
`)
		is := func(what string, a, b int) {
			t.Helper()
			if h.event("a").Sold.Value != a || h.event("b").Sold.Value != b {
				t.Errorf("%s: %d and %d sold, want %d and %d", what, h.event("a").Sold.Value, h.event("b").Sold.Value, a, b)
			}
		}
		is("at first", 20, 10)
		sold["a"] = []string{"balcony"}
		h.pass(10 * time.Minute)
		is("after the stalls were taken back", 10, 10)
	})
}
