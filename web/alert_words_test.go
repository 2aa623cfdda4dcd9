package web_test

import (
	"strings"
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
)

// Each alert is seen by those who see what it is about, and by nobody else. An alert of the table that is missing here fails.
func TestAlertsByAccess(t *testing.T) {
	all := []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin}
	seers := map[string][]web.Role{
		evening.AlertRefunds: {web.Manager, web.Admin}, evening.AlertOwed: {web.Manager, web.Admin}, evening.AlertDiffers: {web.Manager, web.Admin}, evening.AlertBackup: {web.Manager, web.Admin},
		evening.AlertBehindPace: {web.BoxOffice, web.Manager, web.Admin}, evening.AlertAheadOfPace: {web.BoxOffice, web.Manager, web.Admin},
	}
	for _, code := range []string{
		evening.AlertCrowdedBuilding, evening.AlertCrowded, evening.AlertMaybeCrowded, evening.AlertQuietGate, evening.AlertHold, evening.AlertOversold, evening.AlertCancelled, evening.AlertPostponed,
		evening.AlertStreams, evening.AlertFewLeft, evening.AlertSilentScreen, evening.AlertSoldOut, evening.AlertNearlyFull,
	} {
		seers[code] = all
	}
	if codes := evening.AlertCodes(); len(codes) != len(seers) {
		t.Errorf("%d alerts are in the table, and %d here", len(codes), len(seers))
	}
	for _, code := range evening.AlertCodes() {
		for _, role := range all {
			want := false
			for _, seer := range seers[code] {
				want = want || seer == role
			}
			if got := role.Access().SeesAlert(&evening.Alert{Code: code}); got != want {
				t.Errorf("%s sees %s: %t, want %t", role, code, got, want)
			}
		}
		if !web.HasWords(code) {
			t.Errorf("%s has no words", code)
		}
	}
}

// What is to be paid back for a cancelled performance is an amount of other days: those who see today's takings alone are
// told that it is cancelled, and not how much.
func TestCancelledNamesAmountsToManagers(t *testing.T) {
	h := webtest.Small(t)
	off := h.Event("evt_off", "Afgelast", "Grote Zaal", "19:30", "20:15", 100, func(e *record.Event) { e.Status = record.EventCancelled })
	h.Apply(&record.Ticket{ID: "off", EventID: off.ID, OrderID: "off", Price: &record.Money{Amount: 10000, Currency: "EUR"}, Status: record.TicketValid, SoldAt: webtest.ShowTime.AddDate(0, 0, -9), UpdatedAt: webtest.ShowTime})
	h.Apply(&record.Payment{ID: "off", OrderID: "off", EventID: off.ID, TicketIDs: []string{"off"}, Amount: record.Money{Amount: 10000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: webtest.ShowTime.AddDate(0, 0, -9), UpdatedAt: webtest.ShowTime})
	s := h.Snapshot()
	for role, sees := range map[web.Role]bool{web.Door: false, web.BoxOffice: false, web.Manager: true, web.Admin: true} {
		got := webtest.Text(webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(role), s, webtest.ShowTime))
		i := strings.Index(got, "Afgelast is cancelled")
		if i < 0 {
			t.Errorf("%s is not told of the cancelled performance: %s", role, got)
			continue
		}
		sentence, _, _ := strings.Cut(got[i:], "Since")
		sentence = sentence[:min(len(sentence), 160)]
		if strings.Contains(sentence, "€100.00") != sees {
			t.Errorf("%s is told %q, amounts: want %t", role, sentence, sees)
		}
	}
}
