package main

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// A profile that is mended reaches what was read before at once: the figures that it may change are marked until the list has
// been read, and right afterwards; what comes meanwhile comes too.
// What one list gave and another gives by a new mapping is there all the time, whichever list is read first.
func TestRecordsMoveToAnotherList(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		b, placed := withOrders(h), time.Now().UTC().Format(time.RFC3339)
		b.put("A", object{"placed": placed, "modified": placed, "tickets": tickets(1000, "A1", "A2"), "payments": []object{}})
		h.serve("/seats", func(url.Values) any {
			return object{"data": []object{{"id": "A1"}, {"id": "A2"}}}
		})
		seats := "  - name: seats\n    path: seats\n    list: data\n    paging: {style: bare}\n"
		ofOrders := strings.Index(ordersProfile, "        (.payments[]")
		before := strings.Replace(ordersProfile[:strings.Index(ordersProfile, "      | (.tickets")]+"      |\n"+ordersProfile[ofOrders:], "[ticket, payment]", "[payment]", 1) +
			seats + "    gives: [ticket]\n    records: '{record: \"ticket\", id, event_id: \"e\", price: 1000, status: \"valid\", sold_at: \"" + placed + "\"}'\n"
		h.read(before)
		h.want("2 sold, 0 to be paid, 0 to be paid back")
		h.serve("/orders", nil)
		h.read(ordersProfile + seats + "    gives: [scan]\n    records: '{record: \"scan\", id: \"S\\(.id)\", event_id: \"e\", ticket_id: .id, at: \"" + placed + "\", direction: \"entry\"}'\n")
		h.want("2 sold [behind], 0 to be paid, 0 to be paid back")
		h.serve("/orders", b.list)
		h.pass(30 * time.Minute)
		h.want("2 sold, 2000 to be paid, 0 to be paid back")
		b.put("A", object{"placed": placed, "modified": time.Now().UTC().Format(time.RFC3339), "tickets": tickets(1000, "A1"), "payments": []object{}})
		h.pass(30 * time.Minute)
		h.want("1 sold, 1000 to be paid, 0 to be paid back")
	})
}

func TestAChangedMappingReachesWhatWasRead(t *testing.T) {
	inForeignHouse(t, func(h *foreignHouse) {
		b, placed := withOrders(h), time.Now().UTC().Format(time.RFC3339)
		for _, number := range []string{"A", "B", "C"} {
			b.put(number, object{"placed": placed, "modified": placed, "tickets": tickets(1000, number+"1", number+"2"), "payments": []object{}})
		}
		free := strings.Replace(ordersProfile, "price, status", "price: 0, status", 1)
		h.read(free)
		h.pass(24 * time.Hour)
		h.want("6 sold, 0 to be paid, 0 to be paid back")
		h.requests()

		h.serve("/orders", nil)
		h.read(ordersProfile)
		h.want("6 sold [behind], 0 to be paid, 0 to be paid back")
		if health := h.figures.Snapshot().Health.Streams[1]; !health.Rereading || !health.Complete {
			t.Errorf("%+v is not being read anew", health)
		}
		h.serve("/orders", b.list)
		h.pass(30 * time.Minute)
		h.want("6 sold, 6000 to be paid, 0 to be paid back")

		// It is not read anew by another start, nor by a profile with the same mapping.
		h.requests()
		h.read(strings.Replace(ordersProfile, "name: orders\nbase", "name: orders\nabout: Our shop.\nbase", 1))
		for _, asked := range h.requests() {
			if asked == "/orders" {
				t.Error("everything was read anew without need")
			}
		}
		h.want("6 sold, 6000 to be paid, 0 to be paid back")

		// What another mapping names otherwise takes the place of what was there.
		h.read(strings.Replace(ordersProfile, `record: "ticket", id,`, `record: "ticket", id: "T\(.id)",`, 1))
		h.want("6 sold, 6000 to be paid, 0 to be paid back")
	})
}
