package main

import (
	"archive/zip"
	"io"
	"net/http"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// The demo's refunds have reasons, which add up to what the sandbox refunded, and a new one arrives with its reason.
func TestRefundsOfTheDemoHaveReasons(t *testing.T) {
	h := newTestHouse(t)
	h.awaitFirstSync()
	s := h.demo.program.figures.Snapshot()
	truth, reasons := h.demo.service.Truth(), map[string]bool{}
	for _, e := range s.Events {
		sum := int64(0)
		for _, r := range e.Refunds() {
			sum += r.Amount
			reasons[r.Reason] = true
		}
		if want := truth.Events[e.Event.ID].Refunded["EUR"]; sum != want {
			t.Errorf("refunds by reason of %s add up to %d, the sandbox has %d", e.Event.ID, sum, want)
		}
	}
	for _, reason := range []string{"Ziekte", "Verkeerde datum geboekt", ""} {
		if !reasons[reason] {
			t.Errorf("no refund has the reason %q among %v", reason, reasons)
		}
	}
	event := s.Events[len(s.Events)-1].Event.ID
	var sold struct {
		Payment string `json:"payment_id"`
	}
	h.control("sell", map[string]any{"event_id": event, "quantity": 2}, &sold)
	h.control("refund", map[string]any{"payment_id": sold.Payment, "reason": "=HYPERLINK(\"x\")\u202e\x07 by\nphone" + strings.Repeat("!", 200)}, nil)
	h.demo.service.Advance(0)
	h.until("the refund", func(s *figures.Snapshot) bool {
		for _, r := range s.Event(event).Refunds() {
			if strings.HasPrefix(r.Reason, `=HYPERLINK("x") by phone!!!`) && len([]rune(r.Reason)) == record.MaxReason && r.Number == 1 && r.Amount > 0 {
				return true
			}
		}
		return false
	})
}

// Why money was refunded last week is on Revenue, on the performance's money, in the workbook and behind the figure, for those who
// see money; what a service writes is never markup or a formula.
func TestWhyMoneyWasRefunded(t *testing.T) {
	const hostile = `=1+1<script>alert(1)</script>`
	refund := func(id, reason string, cents int64, at string) record.Record {
		return foldtest.Refund(id, "p", cents, at, func(p *record.Payment) { p.EventID, p.Reason = "play", reason })
	}
	h := newRecordService(t, foldtest.Clock("20 18:00"), foldtest.Event("play", func(e *record.Event) { e.Date, e.StartsAt = "2026-11-28", foldtest.Clock("28 20:00") }),
		foldtest.Payment("p", 90000, func(p *record.Payment) { p.EventID, p.PaidAt = "play", foldtest.Clock("02 10:00") }),
		refund("r1", "Illness", 2000, "18 10:00"), refund("r2", "Illness", 1000, "19 10:00"), refund("r3", "", 700, "19 11:00"), refund("r4", hostile, 500, "20 11:00"),
		refund("r5", "Long ago", 4000, "03 11:00"))
	h.read()
	week := "period=custom&from=2026-11-14&to=2026-11-20"
	rows := "Refunds by reason Reason Refunds Refunded Illness 2 €30.00 No reason given 1 €7.00 " + hostile + " 1 €5.00 Together 4 €42.00"
	page := h.page("/revenue?" + week)
	wants(t, "Revenue", page, rows, "Refunds by reason Illness €30.00 · No reason given €7.00", hostile)
	lacks(t, "Revenue", page, "Long ago")
	wants(t, "the performance", h.page("/events/play?part=money"), "Long ago 1 €40.00 Illness 2 €30.00", "Together 5 €82.00")
	wants(t, "behind the figure", h.page("/explain/refunded?currency=EUR&from=2026-11-14&to=2026-11-20"), rows)
	wants(t, "the workbook", h.workbook("/revenue/table.xlsx?"+week), "Refunds by reason", "Illness</t></is></c><c", "=1+1&lt;script", "No reason given")
	for _, path := range []string{"/revenue?" + week, "/events/play?part=money"} {
		if _, _, body := h.staff.send(http.MethodGet, h.front.URL+path, nil); strings.Contains(body, "<script>alert") {
			t.Errorf("%s has a service's text as markup", path)
		}
	}
}

// workbook returns the parts of a workbook, one after another.
func (h *recordService) workbook(path string) string {
	h.t.Helper()
	_, _, body := h.staff.send(http.MethodGet, h.front.URL+path, nil)
	parts, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		h.t.Fatalf("%s: %v", path, err)
	}
	var all strings.Builder
	for _, f := range parts.File {
		in, err := f.Open()
		if err == nil {
			_, err = io.Copy(&all, in)
		}
		if err != nil {
			h.t.Fatalf("%s of %s: %v", f.Name, path, err)
		}
	}
	return all.String()
}
