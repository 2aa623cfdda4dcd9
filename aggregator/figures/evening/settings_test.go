package evening_test

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// What VAT a price contains goes by the rate of the type, or else of all types, that began last by the
// day of the performance; half a cent is rounded up, a place at a time.
func TestVATRates(t *testing.T) {
	event := func(id, date string, types ...record.TicketType) *record.Event {
		return &record.Event{ID: id, Title: id, Date: date, TicketTypes: types}
	}
	ticket := func(id, event, name string, cents int64) *record.Ticket {
		return &record.Ticket{ID: id, EventID: event, Type: record.TypeRef{ID: "t1", Name: name}, Price: &record.Money{Amount: cents, Currency: "EUR"}, Quantity: new(2),
			Status: record.TicketValid, SoldAt: foldtest.Clock("10:00")}
	}
	rate := func(of, from string, value int64) *record.Setting {
		return foldtest.Set(record.SettingVATRate, of, from, value, "09:00")
	}
	for _, c := range []struct {
		name    string
		records []record.Record
		want    string
	}{
		{"no rate", []record.Record{event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "— [no_vat]"},
		{"of all types", []record.Record{rate("", "", 900), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "1.66 [vat_rate]"},
		{"after the sale", []record.Record{ticket("a", "e", "Stalls", 1000), event("e", "2026-11-20"), rate("", "", 900)}, "1.66 [vat_rate]"},
		{"of its type", []record.Record{rate("", "", 900), rate("Stalls", "", 2100), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "3.48 [vat_rate]"},
		{"of its type as the event calls it", []record.Record{rate("Circle", "", 2100), event("e", "2026-11-20", record.TicketType{ID: "t1", Name: "Circle"}), ticket("a", "e", "Stalls", 1000)}, "3.48 [vat_rate]"},
		{"its type is called otherwise later", []record.Record{rate("Circle", "", 2100), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000), event("e", "2026-11-20", record.TicketType{ID: "t1", Name: "Circle"})}, "3.48 [vat_rate]"},
		{"not begun", []record.Record{rate("", "2026-11-21", 900), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "— [no_vat]"},
		{"begins that day", []record.Record{rate("", "2026-11-20", 900), rate("", "2026-11-21", 2100), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "1.66 [vat_rate]"},
		{"moves to a day with another", []record.Record{rate("", "", 900), rate("", "2026-11-21", 2100), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000), event("e", "2026-11-21")}, "3.48 [vat_rate]"},
		{"its type's has not begun", []record.Record{rate("", "", 900), rate("Stalls", "2026-11-21", 2100), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "1.66 [vat_rate]"},
		{"set anew", []record.Record{rate("", "", 900), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000), rate("", "", 2100)}, "3.48 [vat_rate]"},
		{"taken back", []record.Record{rate("", "", 900), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000), rate("", "", -1)}, "— [no_vat]"},
		{"nothing", []record.Record{rate("", "", 0), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "0 [vat_rate]"},
		{"no such rate", []record.Record{rate("", "", 100_01), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1000)}, "— [no_vat]"},
		{"half a cent", []record.Record{rate("", "", 100_00), event("e", "2026-11-20"), ticket("a", "e", "Stalls", 1001)}, "10.02 [vat_rate]"},
		{"no day", []record.Record{rate("", "", 900), event("e", "soon"), ticket("a", "e", "Stalls", 1000)}, "— [no_vat]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := ledger.New(figures.Calendar{})
			var s *figures.Snapshot // the last of several: what changes is published anew
			var changed []string
			for i, r := range c.records {
				l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: r})
				s, changed = l.Snapshot(figures.Position{}, foldtest.Complete), l.Changes().Events
			}
			if !slices.Equal(changed, []string{"e"}) {
				t.Errorf("by the last record %v changed", changed)
			}
			vat := s.Event("e").Revenue.Of(figures.VAT)
			if got := fmt.Sprint(foldtest.MoneyByHand(figures.Figure[figures.Sums]{Value: vat.Value}, "EUR"), " ", vat.Reasons); got != c.want && (vat.Known() || fmt.Sprint("— ", vat.Reasons) != c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
			if !reflect.DeepEqual(vat, s.Total.Of(figures.VAT)) {
				t.Errorf("of the performance %+v, in all %+v", vat, s.Total.Of(figures.VAT))
			}
			if vat.Known() && vat.Quality != figures.Estimated {
				t.Errorf("quality %v", vat.Quality)
			}
			if vat.Known() && !reflect.DeepEqual(s.Days[0].Of(figures.VAT), vat.Value) {
				t.Errorf("on its day %v, in all %v", s.Days[0].Of(figures.VAT), vat.Value)
			}
		})
	}
}

// The sales of a performance by their VAT are all of its sales.
func TestVATByRate(t *testing.T) {
	ticket := func(id, name string, cents int64, change func(*record.Ticket)) *record.Ticket {
		r := &record.Ticket{ID: id, EventID: "e", Type: record.TypeRef{Name: name}, Price: &record.Money{Amount: cents, Currency: "EUR"}, Status: record.TicketValid, SoldAt: foldtest.Clock("10:00")}
		if change != nil {
			change(r)
		}
		return r
	}
	s := foldtest.Fold(foldtest.Complete, &record.Event{ID: "e", Title: "E", Date: "2026-11-20"},
		foldtest.Set(record.SettingVATRate, "Stalls", "", 900, "09:00"), foldtest.Set(record.SettingVATRate, "Bar", "", 2100, "09:00"),
		ticket("a", "Stalls", 1000, nil), ticket("b", "Stalls", 2000, nil), ticket("c", "Bar", 1210, nil), ticket("d", "Box", 500, nil),
		ticket("e", "Stalls", 3000, func(r *record.Ticket) { r.VAT = &record.Money{Amount: 111, Currency: "EUR"} }),
		ticket("f", "Stalls", 0, nil), ticket("g", "Stalls", 900, func(r *record.Ticket) { r.Complimentary = true }))
	e := s.Event("e")
	got := ""
	var booked, vat figures.Sums
	for _, f := range e.VAT {
		got += fmt.Sprintf("%d %d: %d %d %d; ", f.Basis, f.Rate, f.Of(figures.Booked).In("EUR"), f.Of(figures.VAT).In("EUR"), f.Net().In("EUR"))
		booked, vat = booked.PlusAll(f.Of(figures.Booked), 1), vat.PlusAll(f.Of(figures.VAT), 1)
	}
	if want := "1 0: 3000 111 2889; 2 900: 3000 248 2752; 2 2100: 1210 210 1000; 3 0: 500 0 500; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !reflect.DeepEqual(booked, e.Revenue.Of(figures.Booked).Value) || !reflect.DeepEqual(vat, e.Revenue.Of(figures.VAT).Value) {
		t.Errorf("together %v and %v, the performance has %+v", booked, vat, e.Revenue)
	}
	if net := e.Revenue.NetOfVAT(); net.Value.In("EUR") != 7710-569 || net.Quality != figures.Estimated {
		t.Errorf("net of VAT %+v", net)
	}
}

// So are the sales of days: each on the day on which it was sold or taken back, at the rate that is set now,
// up to now.
func TestVATByRateOfDays(t *testing.T) {
	at := func(day, clock string) time.Time {
		at, err := time.Parse("2006-01-02 15:04", "2026-11-"+day+" "+clock)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	ticket := func(id, name string, cents int64, sold time.Time) *record.Ticket {
		return &record.Ticket{ID: id, EventID: "e", Type: record.TypeRef{Name: name}, Price: &record.Money{Amount: cents, Currency: "EUR"}, Quantity: new(2),
			Status: record.TicketValid, SoldAt: sold, OrderID: "o"}
	}
	back, given := ticket("c", "Stalls", 3000, at("10", "12:00")), ticket("d", "Stalls", 400, at("11", "12:00"))
	back.Status, back.CancelledAt = record.TicketRefunded, at("12", "12:00")
	given.VAT = &record.Money{Amount: 50, Currency: "EUR"}
	records := []record.Record{&record.Event{ID: "e", Title: "E", Date: "2026-11-20"}, foldtest.Set(record.SettingVATRate, "Stalls", "", 900, "09:00"),
		ticket("a", "Stalls", 1000, at("10", "12:00")), ticket("b", "Bar", 1210, at("11", "12:00")), back, given, ticket("f", "Stalls", 700, at("12", "23:00")),
		&record.Payment{ID: "p", OrderID: "o", Amount: record.Money{Amount: 100, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at("11", "12:00")}}
	var versions []record.Version
	for i, r := range records {
		versions = append(versions, record.Version{Revision: int64(i + 1), Head: true, Record: r})
	}
	l := foldtest.Ledger(figures.Calendar{}, versions...)
	rows := func(from, to figures.Day) (text string) {
		v := evening.At(l.Snapshot(figures.Position{}, foldtest.Complete), at("12", "20:00"))
		for _, of := range []figures.VATSource{{Basis: figures.VATGiven}, {Basis: figures.VATByRate, Rate: 900}, {Basis: figures.VATByRate, Rate: 2100}, {Basis: figures.VATMissing}, {}} {
			scope := figures.Scope{From: from, To: to, VAT: of, Currency: "EUR"}
			if booked, ok := catalogue.Explain(v, figures.KeyBooked, scope); ok {
				vat, _ := catalogue.Explain(v, figures.KeyVAT, scope)
				net, _ := catalogue.Explain(v, figures.KeyNetOfVAT, scope)
				text += fmt.Sprintf("%d:%d %d %d %d %v; ", of.Basis, of.Rate, booked.Amount.In("EUR"), vat.Amount.In("EUR"), net.Amount.In("EUR"), vat.Quality)
				if len(net.Terms) != 2 {
					t.Errorf("net of VAT of %+v has the terms %+v", of, net.Terms)
				}
			}
		}
		return text
	}
	expect := func(when string, of map[[2]figures.Day]string) {
		t.Helper()
		for days, want := range of {
			if got := rows(days[0], days[1]); got != want {
				t.Errorf("%s, on %v: %s, want %s", when, days, got, want)
			}
		}
	}
	expect("at first", map[[2]figures.Day]string{
		{"2026-11-10", "2026-11-10"}: "2:900 8000 662 7338 1; 0:0 8000 662 7338 1; ",
		{"2026-11-11", "2026-11-11"}: "1:0 800 100 700 0; 3:0 2420 0 0 3; 0:0 3220 100 3120 2; ",
		{"2026-11-10", "2026-11-12"}: "1:0 800 100 700 0; 2:900 2000 166 1834 1; 3:0 2420 0 0 3; 0:0 5220 266 4954 2; ",
	})
	for _, rate := range []*record.Setting{foldtest.Set(record.SettingVATRate, "Stalls", "", 2100, "09:00"), foldtest.Set(record.SettingVATRate, "", "", 900, "09:00")} {
		l.Apply(record.Version{Revision: int64(len(versions) + 1), Head: true, Record: rate})
		versions = append(versions, record.Version{})
	}
	expect("once the rates are others", map[[2]figures.Day]string{
		{"2026-11-10", "2026-11-10"}: "2:2100 8000 1390 6610 1; 0:0 8000 1390 6610 1; ",
		{"2026-11-12", "2026-11-12"}: "2:2100 -6000 -1042 -4958 1; 0:0 -6000 -1042 -4958 1; ",
		{"2026-11-10", "2026-11-12"}: "1:0 800 100 700 0; 2:900 2420 200 2220 1; 2:2100 2000 348 1652 1; 0:0 5220 648 4572 1; ",
	})
}

// Thresholds hold at once, also for an evening that shares what did not change with the last.
func TestThresholds(t *testing.T) {
	event := &record.Event{ID: "e", Title: "E", StartsAt: foldtest.Clock("20:00"), Capacity: new(100), Available: new(8), Status: record.EventOnSale}
	versions := []record.Version{{Revision: 1, Head: true, Record: event}}
	l := foldtest.Ledger(figures.Calendar{}, versions...)
	few := func(last *evening.Evening) (*evening.Evening, bool) {
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		s.AsOf = foldtest.Clock("19:00")
		v := evening.After(s, last, foldtest.Clock("19:00"))
		return v, len(v.Alerts) == 1 && v.Alerts[0].Code == evening.AlertFewLeft
	}
	v, is := few(nil)
	if is {
		t.Error("8 of 100 are few")
	}
	l.Changes()
	for i, c := range []struct {
		value int64
		want  bool
	}{{10_00, true}, {8_00, false}, {8_01, true}, {-1, false}} {
		l.Apply(record.Version{Revision: int64(i + 2), Head: true, Record: foldtest.Set(record.SettingFewLeft, "", "", c.value, "18:00")})
		if !l.Changes().All {
			t.Error("nobody is told that somebody entered something")
		}
		if v, is = few(v); is != c.want {
			t.Errorf("under %d of %d 8 of 100 are few: %v", c.value, figures.WholeRate, is)
		}
	}
}

// What holds from a day on leaves what was before as it was: how many people may be inside goes by the day of
// the evening, also after its midnight, and thresholds by the running day.
func TestSettingsFromDays(t *testing.T) {
	friday, saturday := foldtest.Tonight("fri", "Main", "19:00", "20:00", "21 00:30"), foldtest.Tonight("sat", "Main", "21 19:00", "21 20:00", "21 22:00")
	later := &record.Event{ID: "later", Title: "L", Date: "2026-11-27", StartsAt: foldtest.Clock("27 20:00"), Capacity: new(100), Available: new(8), Status: record.EventOnSale}
	records := foldtest.Together([]record.Record{friday, saturday, later}, foldtest.Many(4, "f", "fri", func(t *record.Ticket) {
		t.Scans = []record.Scan{{At: foldtest.Clock("19:30"), Direction: record.Entry}}
	}), []record.Record{
		foldtest.Set(record.SettingLicensed, "", "2026-11-22", 2, "09:00"), foldtest.Set(record.SettingLicensed, "", "", 5, "09:00"), foldtest.Set(record.SettingLicensed, "", "2026-11-21", 3, "09:00"),
		foldtest.Set(record.SettingLicensed, "Main", "2026-11-21", 9, "09:00"),
		foldtest.Set(record.SettingFewLeft, "", "2026-11-21", 10_00, "09:00"), foldtest.Set(record.SettingFewLeft, "", "2026-11-22", 7_00, "09:00"), foldtest.Set(record.SettingFewLeft, "", "2026-11-23", 20_00, "09:00"),
		foldtest.Set(record.SettingFewLeft, "", "2026-11-23", -1, "10:00"), // taken back
	})
	for _, c := range []struct{ now, want string }{
		{"20 20:30", "fri: building 5, 0.8; few false"},
		{"21 00:10", "fri: building 5, 0.8; few true"},
		{"21 19:30", "sat: building 3, 0; Main 9, 0; few true"},
		{"22 12:00", "building 2, 0; few false"},
		{"23 12:00", "building 2, 0; few false"},
	} {
		s := foldtest.Fold(foldtest.Complete, records...)
		v, got := foldtest.Evening(s, foldtest.Clock(c.now)), ""
		if len(v.Shows) > 0 {
			got = v.Shows[0].Event.ID + ": "
		}
		for i := range v.Loads {
			got += fmt.Sprintf("%s %d, %v; ", cmp.Or(v.Loads[i].Hall, "building"), v.Loads[i].Licensed, v.Loads[i].Share().Value)
		}
		if got += fmt.Sprintf("few %v", v.Show(s.Event("later")).FewLeft()); got != c.want {
			t.Errorf("at %s: %s, want %s", c.now, got, c.want)
		}
	}
}

// Of the versions of a setting the newest holds, and only what is set is listed.
func TestSettings(t *testing.T) {
	versions := []record.Version{
		{Revision: 1, Head: true, Record: foldtest.Set(record.SettingLicensed, "B", "", 200, "10:00")},
		{Revision: 2, Head: true, Record: foldtest.Set(record.SettingLicensed, "A", "", 300, "10:00")},
		{Revision: 3, Head: true, Record: foldtest.Set(record.SettingLicensed, "B", "", 250, "11:00")},
		{Revision: 4, Head: false, Record: foldtest.Set(record.SettingLicensed, "B", "", 220, "10:30")},
		{Revision: 5, Head: true, Record: foldtest.Set(record.SettingLicensed, "C", "", 100, "10:00")},
		{Revision: 6, Head: true, Record: foldtest.Set(record.SettingLicensed, "C", "", -1, "11:00")},
		{Revision: 7, Head: true, Record: foldtest.Set(record.SettingLicensed, "D", "", 0, "11:00")},
		{Revision: 8, Head: true, Record: foldtest.Set(record.SettingBudget, "EUR", "2026-11", 5, "11:00")},
	}
	for _, order := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1, 0, 0}} {
		l := ledger.New(figures.Calendar{})
		for _, i := range order {
			l.Apply(versions[i])
		}
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		got := ""
		for _, one := range s.Settings().All(record.SettingLicensed) {
			got += fmt.Sprint(one.Of, " ", *one.Value, " ", one.At.Format(time.TimeOnly), "; ")
		}
		if want := "A 300 10:00:00; B 250 11:00:00; "; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if s.Settings().Get(record.SettingLicensed, "C", "") != nil || s.Settings().Get(record.SettingBudget, "EUR", "2026-11") == nil {
			t.Error("C is set, or the budget is not")
		}
		if part := s.InHalls([]string{"A"}); part.Settings() != s.Settings() {
			t.Error("who may see one hall has other settings")
		}
	}
	var none figures.Snapshot
	if none.Settings().Get(record.SettingBudget, "", "") != nil || none.Settings().All(record.SettingBudget) != nil {
		t.Error("of nothing there are settings")
	}
}
