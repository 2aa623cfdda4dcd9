package main

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

func playAlfio(h *foreignHouse) {
	event := func(slug, name, start, end string) object {
		ms := func(text string) int64 { at, _ := time.Parse(time.RFC3339, text); return at.UnixMilli() }
		return object{"shortName": slug, "title": object{"en": name}, "format": "IN_PERSON", "location": "Great hall", "timeZone": "UTC", "sameDay": true,
			"datesWithOffset": object{"startDateTime": ms(start), "startTimeZoneOffset": 0, "endDateTime": ms(end), "endTimeZoneOffset": 0}}
	}
	events := []object{event("gala", "Gala", "2000-03-24T20:00:00Z", "2000-03-24T22:30:00Z"), event("ball", "Ball", "2000-03-31T20:00:00Z", "2000-03-31T23:00:00Z"),
		event("other", "Of another house", "2000-03-30T20:00:00Z", "2000-03-30T23:00:00Z")}
	h.serve("/api/v2/public/events", func(url.Values) any {
		return append([]object{}, slices.DeleteFunc(slices.Clone(events), func(e object) bool {
			return e["datesWithOffset"].(object)["endDateTime"].(int64) <= time.Now().UnixMilli()
		})...)
	})
	h.first = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/api/v1/admin/event/other/") {
			http.Error(w, "", http.StatusForbidden)
			return true
		}
		return false
	}
	category := func(id int, name string, price float64, sold, checkedIn int) object {
		return object{"id": id, "name": name, "actualPrice": price, "bounded": true, "maxTickets": 100, "soldTickets": sold, "checkedInTickets": checkedIn, "pendingTickets": 0}
	}
	stats := func(slug string, gross float64, pending int, categories ...object) object {
		sold, checkedIn := 0, 0
		for _, c := range categories {
			sold, checkedIn = sold+c["soldTickets"].(int), checkedIn+c["checkedInTickets"].(int)
		}
		return object{"id": 7, "shortName": slug, "displayName": strings.ToUpper(slug[:1]) + slug[1:], "location": "Great hall", "status": "PUBLIC", "currency": "EUR", "availableSeats": 200, "soldTickets": sold,
			"checkedInTickets": checkedIn, "pendingTickets": pending, "notAllocatedTickets": 50, "dynamicAllocation": 0, "notSoldTickets": 150 - sold - checkedIn - pending, "grossIncome": gross, "ticketCategories": categories}
	}
	gala := stats("gala", 100, 1, category(1, "Standard", 25, 4, 0), category(2, "Guests", 0, 3, 0), category(3, "Late", 30, 0, 0))
	h.serve("/api/v1/admin/event/gala/stats", func(url.Values) any { return gala })
	h.serve("/api/v1/admin/event/ball/stats", func(url.Values) any { return stats("ball", 0, 0) })
	scan := func(operation, status string) object {
		return object{"ticketUuid": "u", "eventId": 7, "scanTimestamp": now(time.RFC3339), "username": "gate", "checkInStatus": status, "operation": operation}
	}
	entry := func(ticket string, audit ...object) object {
		return object{"ticketId": ticket, "attendeeData": object{"firstName": "Ada", "lastName": "L"}, "audit": audit}
	}
	log := []object{}
	h.serve("/api/v1/admin/event/gala/check-in-log", func(url.Values) any { return log })
	h.serve("/api/v1/admin/event/ball/check-in-log", func(url.Values) any { return []object{} })
	h.begin()
	h.has("gala", "at first", "sold 7; reserved 1; of 200; free 192; came 0; inside 0; booked 10000 EUR")
	if e := h.event("gala"); e.Event.Title != "Gala" || e.Date != "2000-03-24" || e.Event.EndsAt.Hour() != 22 {
		h.t.Errorf("the gala is %+v", e.Event)
	}

	// A ticket is refunded and one is sold with a discount; a guest's is removed; the reservation lapses.
	gala = stats("gala", 95.02, 0, category(1, "Standard", 25, 4, 0), category(2, "Guests", 0, 2, 0), category(3, "Late", 30, 0, 0))
	h.pass(10 * time.Minute)
	h.has("gala", "after a refund", "sold 6; reserved 0; of 200; free 194; came 0; inside 0; booked 9502 EUR")
	// All are refunded but for an additional item, which there is no ticket to count at.
	gala = stats("gala", 20, 0, category(1, "Standard", 25, 0, 0), category(2, "Guests", 0, 0, 0))
	h.pass(10 * time.Minute)
	h.has("gala", "with income and no ticket", "sold 0; reserved 0; of 200; free 200; came 0; inside 0")
	// All without a discount again; two come, and one of them by mistake.
	gala = stats("gala", 100, 0, category(1, "Standard", 25, 2, 2), category(2, "Guests", 0, 2, 0), category(3, "Late", 30, 0, 0))
	seconds := scan("SCAN", "SUCCESS")
	seconds["scanTimestamp"] = float64(time.Now().Unix()) + .25
	log = []object{entry("one", scan("SCAN", "SUCCESS")), entry("two", seconds)}
	h.pass(10 * time.Minute)
	h.has("gala", "after scans", "sold 6; reserved 0; of 200; free 194; came 2; inside 2; booked 10000 EUR")
	log[1] = entry("two", seconds, scan("REVERT", "OK_READY_TO_BE_CHECKED_IN"), scan("SCAN", "BADGE_SCAN_SUCCESS"))
	gala = stats("gala", 100, 0, category(1, "Standard", 25, 3, 1), category(2, "Guests", 0, 2, 0), category(3, "Late", 30, 0, 0))
	h.pass(10 * time.Minute)
	h.has("gala", "after one was reverted", "sold 6; reserved 0; of 200; free 194; came 1; inside 1; booked 10000 EUR")

	// The next day the gala is no longer listed, and the ball is no longer published.
	events = events[:1]
	h.pass(20 * time.Hour)
	h.has("gala", "the day after", "sold 6; reserved 0; of 200; free 194; came 1; inside 1; booked 10000 EUR")
	if h.figures.Snapshot().Event("ball") != nil {
		h.t.Error("the ball is still there")
	}
}
