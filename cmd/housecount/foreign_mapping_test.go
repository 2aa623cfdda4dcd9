package main

import (
	"strings"
	"testing"
	"time"
)

// A profile that is mended reaches what was read before at once: the figures that it may change are marked until the list has
// been read, and right afterwards; what comes meanwhile comes too.
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
