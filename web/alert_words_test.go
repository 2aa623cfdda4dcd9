package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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
		evening.AlertCrowdedBuilding, evening.AlertCrowded, evening.AlertMaybeCrowded, evening.AlertNearlyCrowded, evening.AlertRoomForFewer, evening.AlertQuietGate, evening.AlertHold, evening.AlertFewerIn, evening.AlertOverLicensed, evening.AlertOversold, evening.AlertBlockedSold, evening.AlertNearLicensed, evening.AlertCancelled, evening.AlertPostponed,
		evening.AlertStreams, evening.AlertFewLeft, evening.AlertSilentScreen, evening.AlertCopiedScreen, evening.AlertSoldOut, evening.AlertNearlyFull,
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

// Where fewer places are sold than there are, it is those that are reserved that make it oversold.
func TestOversoldNamesWhatIsReserved(t *testing.T) {
	h := webtest.NewHouse()
	e := h.Event("evt_a", "Vol", "Zaal", "19:00", "20:15", 20, webtest.Available(-3))
	h.Sell(e, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -3), To: webtest.ShowTime.AddDate(0, 0, -1), Paid: 18})
	for i := range 5 {
		h.Apply(&record.Ticket{ID: fmt.Sprint("tkt_r", i), EventID: "evt_a", Status: record.TicketReserved, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: webtest.ShowTime.AddDate(0, 0, -1), UpdatedAt: webtest.ShowTime})
	}
	text := webtest.Text(webtest.Page(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(web.Manager), h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "Tonight", text, "Vol: 3 without a seat. 18 sold of 20. 5 reserved.")
}

// Where none is left, or hardly any, and before it begins, places that are sold and not paid ask to be collected or freed: in the row of
// Tonight, on the page of the performance on any day, and in the alert.
func TestUnpaidIsWantedWhereNothingIsLeft(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name, clock    string
		days, capacity int
		want           bool
	}{{"sold out", "18:00", 0, 20, true}, {"sold out, doors open", "19:10", 0, 20, true}, {"nearly", "18:00", 0, 21, true}, {"enough left", "18:00", 0, 40, false}, {"begun", "20:30", 0, 20, false}, {"in days", "12:00", 5, 20, true}, {"in days, enough left", "12:00", 5, 40, false}} {
		h := webtest.NewHouse()
		e := h.Event("evt_a", "Vol", "Zaal", "19:00", "20:15", c.capacity, webtest.OnDay(c.days), webtest.Available(c.capacity-20))
		old := webtest.ShowTime.AddDate(0, 0, -3)
		for i := range 20 {
			id := fmt.Sprint("o", i)
			h.Apply(&record.Ticket{ID: "t" + id, EventID: e.ID, OrderID: id, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, CreatedAt: old, SoldAt: old, UpdatedAt: old})
			if i >= 3 {
				h.Apply(&record.Payment{ID: "p" + id, OrderID: id, EventID: e.ID, Amount: record.Money{Amount: 1000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: old, UpdatedAt: old})
			}
		}
		at := webtest.At(c.clock)
		h.AsOf, h.Health = at, webtest.Healthy(at)
		s := h.Snapshot()
		pages := map[string]string{"its page": webtest.FigureText(webtest.Content(t, r, webtest.EventPart(e.ID, "").As(web.BoxOffice), s, at).HTML["attention"] + " " + webtest.Content(t, r, webtest.EventPart(e.ID, "").As(web.BoxOffice), s, at).HTML["figs"])}
		if c.days == 0 {
			pages["Tonight"] = webtest.FigureText(webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), s, at)))
			attention := webtest.FigureText(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), s, at).HTML["attention"])
			if said := map[string]string{"nearly": "Vol : 1 left . 3 unpaid: collect or release.", "sold out": "Vol : sold out . 3 unpaid: collect or release.", "sold out, doors open": "Vol : sold out . 3 unpaid: collect or release."}[c.name]; !strings.Contains(attention, said) || said == "" && strings.Contains(attention, "Vol") {
				t.Errorf("%s: the alert is %q, want %q", c.name, attention, said)
			}
			if page := webtest.FigureText(webtest.Content(t, r, webtest.EventPart(e.ID, "").As(web.BoxOffice), s, at).HTML["attention"]); strings.Count(page, "Sold out") > 1 {
				t.Errorf("%s: that it is sold out is said twice: %s", c.name, page)
			}
		}
		if c.days == 0 && c.want { // of what the house is not alerted the row says it
			h.Apply(&record.Setting{Name: record.SettingAlertTold, Of: evening.AlertFewLeft, Value: new(int64(0)), At: old})
			pages["Tonight, without the alert"] = webtest.FigureText(webtest.All(t, webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), h.Snapshot(), at)))
		}
		for page, got := range pages {
			if n := strings.Count(got, "3 unpaid: collect or release"); n > 0 != c.want || n > 1 || page == "Tonight" && !strings.Contains(got, "3 unpaid") {
				t.Errorf("%s, %s: %s", c.name, page, got)
			}
		}
	}
}

// Each alert is taken on by those whose work it is and who see it, and the button is offered to nobody else. An alert of the
// table that is missing here fails.
func TestAlertsTakenOnByRole(t *testing.T) {
	least := map[string]web.Role{
		evening.AlertCrowdedBuilding: web.Door, evening.AlertCrowded: web.Door, evening.AlertMaybeCrowded: web.Door, evening.AlertNearlyCrowded: web.Door, evening.AlertRoomForFewer: web.Door, evening.AlertQuietGate: web.Door,
		evening.AlertCancelled: web.Door, evening.AlertPostponed: web.Door,
		evening.AlertOverLicensed: web.BoxOffice, evening.AlertHold: web.BoxOffice, evening.AlertFewerIn: web.BoxOffice, evening.AlertStreams: web.BoxOffice, evening.AlertFewLeft: web.BoxOffice, evening.AlertNearLicensed: web.BoxOffice, evening.AlertSoldOut: web.BoxOffice, evening.AlertNearlyFull: web.BoxOffice,
		evening.AlertOversold: web.Manager, evening.AlertBlockedSold: web.Manager, evening.AlertDiffers: web.Manager, evening.AlertBackup: web.Manager, evening.AlertRefunds: web.Manager, evening.AlertOwed: web.Manager,
		evening.AlertBehindPace: web.Manager, evening.AlertAheadOfPace: web.Manager, evening.AlertSilentScreen: web.Manager, evening.AlertCopiedScreen: web.Manager,
	}
	if codes := evening.AlertCodes(); len(codes) != len(least) {
		t.Errorf("%d alerts are in the table, and %d here", len(codes), len(least))
	}
	for _, code := range evening.AlertCodes() {
		may := false
		for _, role := range web.Roles {
			may = may || role == least[code]
			access := role.Access()
			if got := access.TakesOn(code); got != may {
				t.Errorf("%s takes on %s: %t, want %t", role, code, got, may)
			}
			if got, want := access.Ends(code), may && (code != evening.AlertStreams || role != web.BoxOffice); got != want {
				t.Errorf("%s can end %s: %t, want %t", role, code, got, want)
			}
			if access.TakesOn(code) && !access.SeesAlert(&evening.Alert{Code: code}) {
				t.Errorf("%s takes on %s without seeing it", role, code)
			}
		}
		for _, screen := range []web.Access{{}, {Money: web.NoMoney, Public: true}, web.Manager.Access().InHalls("Grote Zaal")} {
			if screen.TakesOn(code) {
				t.Errorf("a screen with %s takes on %s", screen, code)
			}
		}
	}
	if web.Door.Access().TakesOn("nothing") {
		t.Error("a door takes on what is no alert")
	}

	h := webtest.Busy(t)
	over := h.Event("evt_over", "Volle Bak", "Foyer", "19:15", "20:00", 20)
	h.Sell(over, webtest.Sale{From: webtest.ShowTime.AddDate(0, 0, -9), To: webtest.ShowTime.Add(-time.Hour), Paid: 25, Scans: true})
	h.Apply(&record.Acknowledgement{Alert: "oversold:evt_over", At: webtest.At("19:50"), By: "Marijke", Count: 5})
	for _, role := range web.Roles {
		html := webtest.Content(t, webtest.Renderer(t), webtest.View{Page: "tonight"}.As(role), h.Snapshot(), webtest.ShowTime).HTML["attention"]
		for form, least := range map[string]web.Role{"oversold%3Aevt_over": web.Manager, "quiet_gate%3A": web.Door} {
			offered, may := strings.Contains(html, `name="alert" value="`+form), slices.Index(web.Roles, role) >= slices.Index(web.Roles, least)
			if offered != may {
				t.Errorf("%s is offered %s: %t, want %t", role, form, offered, may)
			}
		}
		if !strings.Contains(html, "Marijke is on it since 19:50") {
			t.Errorf("%s is not told who is on it", role)
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
