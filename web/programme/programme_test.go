package programme_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
	"housecount/web/programme"
)

var amsterdam = func() *time.Location {
	z, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		panic(err)
	}
	return z
}()

// at returns a moment of 2026, such as "11-21 19:30".
func at(text string) time.Time {
	t, err := time.ParseInLocation("2006-01-02 15:04", "2026-"+text, amsterdam)
	if err != nil {
		panic(err)
	}
	return t
}

// house returns a snapshot with performances.
func house(cutoff time.Duration, events ...*record.Event) *figures.Snapshot {
	l := ledger.New(figures.Calendar{Zone: amsterdam, Cutoff: cutoff})
	for i, e := range events {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: e})
	}
	return l.Snapshot(figures.Position{Epoch: "e", Revision: int64(len(events))}, ledger.Coverage{TicketsComplete: true, TicketsOffered: true})
}

// event returns a performance of two hours, with doors half an hour before its curtain.
func event(hall, curtain string, change ...func(*record.Event)) *record.Event {
	start := at(curtain)
	e := &record.Event{ID: "evt " + hall + curtain, Title: hall, Hall: hall, Date: start.Format(time.DateOnly), Capacity: new(100), Status: record.EventOnSale,
		DoorsAt: start.Add(-30 * time.Minute), StartsAt: start, EndsAt: start.Add(2 * time.Hour)}
	for _, c := range change {
		c(e)
	}
	return e
}

func left(n int) func(*record.Event) {
	return func(e *record.Event) { e.Available = &n }
}

// interval is on 21 November.
func interval(from, to string) func(*record.Event) {
	return func(e *record.Event) { e.IntervalStartsAt, e.IntervalEndsAt = at("11-21 "+from), at("11-21 "+to) }
}

func status(s record.EventStatus) func(*record.Event) {
	return func(e *record.Event) { e.Status = s }
}

// when returns a programme of one view with a condition, and one that is there otherwise.
func when(c programme.Condition) programme.Programme {
	return programme.Programme{Views: []programme.View{{Page: "it", Alone: true, When: c}, {Page: "else"}}}
}

// turns returns what is shown from one moment to another: each view with the time at which it begins.
func turns(t *testing.T, p programme.Programme, s *figures.Snapshot, from, to time.Time) string {
	t.Helper()
	var all []string
	last := ""
	for now := from; now.Before(to); {
		shown := p.At(s, now)
		if !shown.Until.After(now) {
			t.Fatalf("at %s it is shown until %s", now, shown.Until)
		}
		page := "nothing"
		if shown.View != nil {
			page = shown.View.Page
		}
		if page != last {
			format := "15:04"
			if now.Second() != 0 {
				format = "15:04:05"
			}
			all, last = append(all, now.In(amsterdam).Format(format)+" "+page), page
		}
		now = shown.Until
	}
	return strings.Join(all, ", ")
}

func TestConditions(t *testing.T) {
	s := house(0, event("Foyer", "11-21 14:00"), event("Grote Zaal", "11-21 20:15", left(3)), event("Kleine Zaal", "11-21 20:30"), event("Foyer", "11-21 23:00", left(2)))
	none := house(0)
	paused := house(0, event("Grote Zaal", "11-21 20:00", interval("20:50", "21:10")), event("Kleine Zaal", "11-21 20:15", interval("20:55", "21:15")),
		event("Foyer", "11-21 15:00"), event("Foyer", "11-21 17:00", interval("16:50", "17:10")), event("Kelder", "11-21 22:00", interval("22:40", "23:00"), status(record.EventEnded)))
	around := house(0, event("Foyer", "11-20 23:30", left(2)), event("Foyer", "11-21 15:00"), event("Foyer", "11-22 00:10", left(2)))
	for _, c := range []struct {
		name string
		s    *figures.Snapshot
		when programme.Condition
		want string
	}{
		{"always", s, programme.Condition{}, "00:00 it"},
		{"hours", s, programme.Condition{From: "10:00", To: "12:30"}, "00:00 else, 10:00 it, 12:30 else"},
		{"hours over midnight", s, programme.Condition{From: "23:30", To: "01:00"}, "00:00 it, 01:00 else, 23:30 it"},
		{"from an hour on", s, programme.Condition{From: "10:00"}, "00:00 else, 10:00 it"},
		{"until an hour", s, programme.Condition{To: "10:00"}, "00:00 it, 10:00 else"},
		{"on Saturdays", s, programme.Condition{Days: []int{1, 6}, From: "10:00"}, "00:00 else, 10:00 it"},
		{"on Sundays", s, programme.Condition{Days: []int{7}}, "00:00 else"},
		{"from ten to the first doors", s, programme.Condition{From: "10:00", To: programme.FirstDoors}, "00:00 else, 10:00 it, 13:30 else"},
		{"to the first doors of a hall", s, programme.Condition{From: "10:00", To: programme.FirstDoors, Hall: "Kleine Zaal"}, "00:00 else, 10:00 it, 20:00 else"},
		{"after the last curtain", s, programme.Condition{From: programme.LastCurtain}, "00:00 else, 23:00 it"},
		{"after the last end of a hall", s, programme.Condition{From: programme.LastEnd, Hall: "Grote Zaal"}, "00:00 else, 22:15 it"},
		{"after the last end of all, which is tomorrow", s, programme.Condition{From: programme.LastEnd}, "00:00 else"},
		{"the days around have moments of their own", around, programme.Condition{From: programme.FirstDoors, To: programme.LastCurtain}, "00:00 else, 14:30 it, 15:00 else"},
		{"and places of their own", around, programme.Condition{FewLeft: true}, "00:00 else"},
		{"but what lasts is on", around, programme.Condition{Phase: programme.InUse}, "00:00 it, 01:30 else, 14:30 it, 17:00 else, 23:40 it"},
		{"from doors to curtain", s, programme.Condition{Phase: programme.Arriving}, "00:00 else, 13:30 it, 14:00 else, 19:45 it, 20:30 else, 22:30 it, 23:00 else"},
		{"in a hall", s, programme.Condition{Phase: programme.Arriving, Hall: "Kleine Zaal"}, "00:00 else, 20:00 it, 20:30 else"},
		{"while one plays", s, programme.Condition{Phase: programme.Running}, "00:00 else, 14:00 it, 16:00 else, 20:15 it, 22:30 else, 23:00 it"},
		{"in an interval", paused, programme.Condition{Phase: programme.Interval}, "00:00 else, 20:50 it, 21:15 else"},
		{"in the interval of a hall", paused, programme.Condition{Phase: programme.Interval, Hall: "Kleine Zaal"}, "00:00 else, 20:55 it, 21:15 else"},
		{"in an interval that nobody reports", s, programme.Condition{Phase: programme.Interval}, "00:00 else"},
		{"while a hall is in use", s, programme.Condition{Phase: programme.InUse, Hall: "Foyer"}, "00:00 else, 13:30 it, 16:00 else, 22:30 it"},
		{"few left", s, programme.Condition{FewLeft: true}, "00:00 it, 23:00 else"},
		{"few left in a hall", s, programme.Condition{FewLeft: true, Hall: "Grote Zaal"}, "00:00 it, 20:15 else"},
		{"all of it", s, programme.Condition{From: "20:00", Phase: programme.Arriving, Days: []int{6}}, "00:00 else, 20:00 it, 20:30 else, 22:30 it, 23:00 else"},
		{"in a hall that is gone", s, programme.Condition{Phase: programme.InUse, Hall: "Nergens"}, "00:00 else"},
		{"without performances: from", none, programme.Condition{From: programme.LastCurtain}, "00:00 else"},
		{"without performances: to", none, programme.Condition{From: "10:00", To: programme.FirstDoors}, "00:00 else, 10:00 it"},
		{"without an alert", none, programme.Condition{Alert: true}, "00:00 else"},
	} {
		if got := turns(t, when(c.when), c.s, at("11-21 00:00"), at("11-22 00:00")); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// What is called off, put off or not announced takes no turn, also in the middle of one.
func TestWhatIsCalledOff(t *testing.T) {
	p := when(programme.Condition{Phase: programme.InUse})
	for _, c := range []struct {
		status record.EventStatus
		want   string
	}{{record.EventOnSale, "it"}, {record.EventCancelled, "else"}, {record.EventPostponed, "else"}, {record.EventDraft, "else"}, {record.EventEnded, "else"}} {
		s := house(0, event("Foyer", "11-21 20:00", status(c.status)))
		if got := p.At(s, at("11-21 20:30")).View.Page; got != c.want {
			t.Errorf("%s shows %s, want %s", c.status, got, c.want)
		}
	}
}

// An alert is what needs attention in the hall, as everywhere else.
func TestAlert(t *testing.T) {
	s := house(0, event("Foyer", "11-21 20:00", status(record.EventCancelled)))
	now := at("11-21 19:00")
	if len(evening.At(s, now).Alerts) == 0 {
		t.Fatal("nothing needs attention")
	}
	for hall, want := range map[string]string{"": "it", "Foyer": "it", "Grote Zaal": "else"} {
		if got := when(programme.Condition{Alert: true, Hall: hall}).At(s, now).View.Page; got != want {
			t.Errorf("in %q it shows %s, want %s", hall, got, want)
		}
	}
	back := event("Foyer", "11-21 20:00")
	money := ledger.New(figures.Calendar{Zone: amsterdam})
	for i, r := range []record.Record{back, &record.Ticket{ID: "t", EventID: back.ID, OrderID: "o", Status: record.TicketValid, Price: &record.Money{Amount: 2000, Currency: "EUR"}, SoldAt: at("11-21 10:00")},
		&record.Payment{ID: "p", EventID: back.ID, OrderID: "o", Amount: record.Money{Amount: 2000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at("11-21 10:00")},
		&record.Payment{ID: "r", ParentID: "p", Kind: record.KindOfRefund, Amount: record.Money{Amount: 2000, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: at("11-21 12:00")},
		&record.Setting{Name: record.SettingRefundPlaces, Value: new(int64(1)), At: at("11-21 09:00"), By: "Mia"}} {
		money.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: r})
	}
	refunds := money.Snapshot(figures.Position{}, ledger.Coverage{TicketsComplete: true, TicketsOffered: true, PaymentsComplete: true, PaymentsOffered: true})
	if all := evening.At(refunds, now).Alerts; len(all) != 1 || all[0].Code != evening.AlertRefunds {
		t.Fatalf("the alerts are %+v", all)
	}
	if got := when(programme.Condition{Alert: true}).At(refunds, now).View.Page; got != "else" {
		t.Errorf("of money alone it shows %s", got)
	}
	full := house(0, event("Foyer", "11-21 20:00", status(record.EventSoldOut), left(0)))
	if all := evening.At(full, now).Alerts; len(all) != 1 || all[0].Level != evening.Info {
		t.Fatalf("the alerts are %+v", all)
	}
	if got := when(programme.Condition{Alert: true}).At(full, now).View.Page; got != "else" {
		t.Errorf("of information alone it shows %s", got)
	}
	off := event("Foyer", "11-21 20:00", status(record.EventCancelled))
	l := ledger.New(figures.Calendar{Zone: amsterdam})
	l.Apply(record.Version{Revision: 1, Head: true, Record: off})
	l.Apply(record.Version{Revision: 2, Head: true, Record: &record.Acknowledgement{Alert: "cancelled:" + off.ID, At: now, By: "Mia"}})
	if got := when(programme.Condition{Alert: true}).At(l.Snapshot(figures.Position{}, ledger.Coverage{}), now).View.Page; got != "else" {
		t.Errorf("what somebody has seen: it shows %s", got)
	}
}

// Views take turns of their seconds, from the top, and anew when others take turns.
func TestTurns(t *testing.T) {
	p := programme.Programme{Views: []programme.View{
		{Page: "a", Seconds: 40}, {Page: "b", Seconds: 20, When: programme.Condition{To: "10:01"}}, {Page: "short", Seconds: 1, When: programme.Condition{From: "10:02"}},
	}}
	want := "10:00 a, 10:00:40 b, 10:01 a, 10:02:40 short, 10:02:45 a"
	if got := turns(t, p, house(0), at("11-21 10:00"), at("11-21 10:03")); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	alone := programme.Programme{Views: []programme.View{{Page: "a", Seconds: 40}, {Page: "alone", Seconds: 20, Alone: true, When: programme.Condition{From: "10:01", To: "10:03"}}, {Page: "b", Seconds: 20}}}
	if got, want := turns(t, alone, house(0), at("11-21 10:00"), at("11-21 10:04")), "10:00 a, 10:00:40 b, 10:01 alone, 10:03 a, 10:03:40 b"; got != want {
		t.Errorf("beside one alone: %s, want %s", got, want)
	}
	always := programme.Programme{Views: []programme.View{{Page: "a", Seconds: 40}, {Page: "b", Seconds: 30}}}
	if got, want := turns(t, always, house(0), at("11-21 00:00"), at("11-21 00:03")), "00:00 a, 00:00:40 b, 00:01:10 a, 00:01:50 b, 00:02:20 a"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	always.Views = always.Views[:1]
	if got := always.At(house(0), at("11-21 10:00")); !got.Until.Equal(at("11-22 00:00")) {
		t.Errorf("what is shown alone is shown until %s", got.Until)
	}
	many := programme.Programme{Views: make([]programme.View, programme.MostViews+1)}
	for i := range programme.MostViews {
		many.Views[i].When.Hall, many.Views[i].When.Phase = "Nergens", programme.Running
	}
	if got := many.At(house(0), at("11-21 10:00")); got.View != nil {
		t.Errorf("the view after the last that it may have is shown: %+v", got.View)
	}
	if got := (programme.Programme{}).At(house(0), at("11-21 10:00")); got.View != nil || !got.Until.Equal(at("11-22 00:00")) {
		t.Errorf("no views show %+v", got)
	}
	if got := p.Only(func(v programme.View) bool { return v.Page == "b" }); len(got.Views) != 1 || got.Views[0].Page != "b" {
		t.Errorf("%+v", got)
	}
}

// A clock that is put forward or back is followed: what stands at an hour is shown at that hour.
func TestDaylightSaving(t *testing.T) {
	p := when(programme.Condition{From: "02:30", To: "03:15"})
	for _, c := range []struct{ day, want string }{
		{"03-29", "00:00 else, 03:00 it, 03:15 else"},
		{"10-25", "00:00 else, 02:30 it, 02:00 else, 02:30 it, 03:15 else"},
		{"11-21", "00:00 else, 02:30 it, 03:15 else"},
	} {
		day := at(c.day + " 00:00")
		if got := turns(t, p, house(0), day, day.AddDate(0, 0, 1)); got != c.want {
			t.Errorf("%s: %s, want %s", c.day, got, c.want)
		}
	}
}

// A club's day ends in the morning: a time after midnight is late in its day, and its
// performances are those of the day before.
func TestCutoff(t *testing.T) {
	s := house(6*time.Hour, event("Club", "11-21 23:30"), event("Club", "11-22 01:00"))
	for _, c := range []struct {
		when programme.Condition
		want string
	}{
		{programme.Condition{From: "22:00", To: "02:00"}, "12:00 else, 22:00 it, 02:00 else"},
		{programme.Condition{From: "22:00"}, "12:00 else, 22:00 it, 06:00 else"},
		{programme.Condition{To: "02:00"}, "12:00 it, 02:00 else, 06:00 it"},
		{programme.Condition{From: programme.LastCurtain}, "12:00 else, 01:00 it, 06:00 else"},
		{programme.Condition{Days: []int{6}}, "12:00 it, 06:00 else"},
		{programme.Condition{Phase: programme.InUse}, "12:00 else, 23:00 it, 03:00 else"},
	} {
		if got := turns(t, when(c.when), s, at("11-21 12:00"), at("11-22 12:00")); got != c.want {
			t.Errorf("%+v: %s, want %s", c.when, got, c.want)
		}
	}
}

func TestAutomatic(t *testing.T) {
	s := house(0, event("Foyer", "11-21 14:00"), event("Grote Zaal", "11-21 20:15"))
	public := programme.Automatic().Only(func(v programme.View) bool { return v.Page == "board" || v.Page == "next" })
	office := programme.Automatic().Only(func(v programme.View) bool { return v.Page != "arrivals" })
	for name, c := range map[string]struct {
		p        programme.Programme
		from, to string
		want     string
	}{
		"of a hall":    {programme.Automatic().In("Grote Zaal"), "11-21 00:00", "11-22 00:00", "00:00 board, 19:45 arrivals, 20:15 wall, 22:15 board"},
		"of the house": {office, "11-21 00:00", "11-22 00:00", "00:00 board, 13:30 wall, 16:00 board, 19:45 wall, 22:15 board"},
		"public":       {public, "11-21 13:50", "11-21 14:02", "13:50 board, 14:00:40 next, 14:01 board, 14:01:40 next"},
	} {
		if got := turns(t, c.p, s, at(c.from), at(c.to)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// The whole house stays in view while people are still leaving, until they have left.
func TestAutomaticWhileTheyLeave(t *testing.T) {
	office := programme.Automatic().Only(func(v programme.View) bool { return v.Page != "arrivals" })
	for name, c := range map[string]struct {
		scans []record.Scan
		at    string
		want  string
	}{
		"before the end":       {[]record.Scan{{At: at("11-21 20:00"), Direction: record.Entry}}, "22:14", "wall"},
		"they leave":           {[]record.Scan{{At: at("11-21 20:00"), Direction: record.Entry}}, "22:20", "wall"},
		"they have left":       {[]record.Scan{{At: at("11-21 20:00"), Direction: record.Entry}, {At: at("11-21 22:18"), Direction: record.Exit}}, "22:20", "board"},
		"nobody is known of":   {[]record.Scan{}, "22:20", "board"},
		"it is long over, too": {[]record.Scan{{At: at("11-21 20:00"), Direction: record.Entry}}, "23:50", "board"},
	} {
		l := ledger.New(figures.Calendar{Zone: amsterdam})
		e := event("Grote Zaal", "11-21 20:15")
		l.Apply(record.Version{Revision: 1, Head: true, Record: e})
		l.Apply(record.Version{Revision: 2, Head: true, Record: &record.Ticket{ID: "t", EventID: e.ID, Status: record.TicketValid, SoldAt: at("11-01 12:00"), UpdatedAt: at("11-01 12:00"), Scans: c.scans}})
		s := l.Snapshot(figures.Position{Epoch: "e", Revision: 2}, ledger.Coverage{TicketsComplete: true, TicketsOffered: true})
		if got := office.At(s, at("11-21 "+c.at)); got.View == nil || got.View.Page != c.want {
			t.Errorf("%s: it shows %+v, want %s", name, got.View, c.want)
		}
	}
}

// A day is what is shown through it: dark hours before all, and what the first programme leaves open by the next.
func TestDay(t *testing.T) {
	s := house(0, event("Foyer", "11-21 14:00"), event("Grote Zaal", "11-21 20:15"))
	first := programme.Programme{Views: []programme.View{{Page: "arrivals", Seconds: 9, When: programme.Condition{Phase: programme.Arriving}}, {Page: "wall", Seconds: 9, When: programme.Condition{Phase: programme.Arriving, Hall: "Foyer"}}}}
	second := programme.Programme{Views: []programme.View{{Page: "board", Seconds: 9, When: programme.Condition{From: "08:05"}}}}
	var got []string
	for i, span := range programme.Day(s, at("11-21 15:00"), "22:30-07:30", first, second) {
		text := fmt.Sprintf("%s %d", span.From.Format("15:04"), span.Of)
		if span.Dark {
			text += " dark"
		}
		for _, v := range span.Views {
			text += " " + v.Page
		}
		got = append(got, text)
		if last := at("11-22 00:00"); i == 7 && !span.To.Equal(last) {
			t.Errorf("it ends at %s", span.To)
		}
	}
	want := "00:00 0 dark, 07:30 1, 08:05 1 board, 13:30 0 arrivals wall, 14:00 1 board, 19:45 0 arrivals, 20:15 1 board, 22:30 0 dark"
	if got := strings.Join(got, ", "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestHours(t *testing.T) {
	s := house(0)
	for _, c := range []struct {
		hours  programme.Hours
		at     string
		has    bool
		wanted bool // valid
	}{
		{"", "11-21 03:00", false, true},
		{"23:30-08:00", "11-21 23:29", false, true},
		{"23:30-08:00", "11-21 23:30", true, true},
		{"23:30-08:00", "11-21 07:59", true, true},
		{"23:30-08:00", "11-21 08:00", false, true},
		{"01:00-02:30", "10-25 02:29", true, true},
		{"01:00-09:00", "11-21 12:00", false, true},
		{"01:00-01:00", "11-21 01:00", false, false},
		{"1:00-02:00", "11-21 01:30", false, false},
		{"01:00", "11-21 01:30", false, false},
	} {
		if has, valid := c.hours.Has(s, at(c.at)), c.hours.Valid(); has != c.has || valid != c.wanted {
			t.Errorf("%q at %s: %v, valid %v", c.hours, c.at, has, valid)
		}
	}
}

// random are programmes and houses of all kinds, around the days on which clocks change.
func random(r *rand.Rand) (p programme.Programme, s *figures.Snapshot, now time.Time) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	day := pick("03-28", "03-29", "10-24", "10-25", "11-21")
	var events []*record.Event
	for i := range r.IntN(6) {
		e := event(pick("Foyer", "Grote Zaal"), fmt.Sprintf("%s %02d:%02d", day, r.IntN(24), r.IntN(60)), left(r.IntN(20)),
			status(record.EventStatus(pick("on_sale", "on_sale", "cancelled", "ended"))))
		e.ID = fmt.Sprint(i)
		events = append(events, e)
	}
	moment := func() programme.Moment {
		return programme.Moment(pick("", "", fmt.Sprintf("%02d:%02d", r.IntN(24), r.IntN(60)), "02:30", "first_doors", "last_curtain", "last_end"))
	}
	for i := range 1 + r.IntN(5) {
		v := programme.View{Page: fmt.Sprint(i), Seconds: 5 + r.IntN(4000), Alone: r.IntN(4) == 0, When: programme.Condition{
			From: moment(), To: moment(), Phase: programme.Phase(pick("", "", "arriving", "running", "in_use")), Hall: pick("", "", "Foyer", "Nergens"),
			FewLeft: r.IntN(8) == 0, Alert: r.IntN(8) == 0}}
		if r.IntN(4) == 0 {
			v.When.Days = []int{1 + r.IntN(7), 1 + r.IntN(7)}
		}
		p.Views = append(p.Views, v)
	}
	return p, house(time.Duration(r.IntN(3))*3*time.Hour, events...), at(day + " 00:00").Add(time.Duration(r.IntN(30*3600)) * time.Second)
}

// Whoever asks at any moment before Until is told the same, and never to ask again at once: so
// all screens of a programme turn together, and none turns without a reason.
func TestShowingHoldsUntil(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 14))
		p, s, now := random(r)
		first := p.At(s, now)
		length := first.Until.Sub(now)
		if length <= 0 || length > 25*time.Hour {
			t.Fatalf("seed %d: at %s it shows %+v", seed, now, first)
		}
		alerted := false // goes by the moment at which it is asked
		for _, v := range p.Views {
			alerted = alerted || v.When.Alert || v.When.FewLeft
		}
		for range 3 {
			if alerted {
				break
			}
			later := now.Add(time.Duration(r.Int64N(int64(length))))
			if got := p.At(s, later); got != first {
				t.Fatalf("seed %d: at %s it shows %+v, though at %s %+v\n%s", seed, later, got, now, first, p.Document())
			}
		}
		if first.View == nil {
			continue
		}
		back, err := programme.Parse(p.Document(), []string{"0", "1", "2", "3", "4"})
		if err != nil && strings.Contains(err.Error(), "seconds") {
			continue // longer than a turn may be
		}
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Fatalf("seed %d: %s is read as %+v, %v", seed, p.Document(), back, err)
		}
	}
}

func TestParse(t *testing.T) {
	pages := []string{"board", "wall", "arrivals", "next"}
	view := func(change string) string { return `{"views":[{"page":"board","seconds":30},` + change + `]}` }
	for _, c := range []struct {
		document string
		want     *programme.Fault
	}{
		{string(programme.Automatic().Document()), nil},
		{view(`{"page":"wall","seconds":5,"hall":"Foyer","alone":true,"when":{"days":[1,7],"from":"09:30","to":"last_end","phase":"running","few_left":true,"alert":true}}`), nil},
		{``, &programme.Fault{}},
		{`{"views":[]}`, &programme.Fault{}},
		{view(`{"page":"wall","seconds":5}`) + "{}", &programme.Fault{}},
		{view(`{"page":"wall","seconds":5,"colour":"red"}`), &programme.Fault{}},
		{`{"views":[` + strings.TrimSuffix(strings.Repeat(`{"page":"wall","seconds":5},`, 31), ",") + `]}`, &programme.Fault{}},
		{view(`{"page":"revenue","seconds":5}`), &programme.Fault{View: 2, Field: "page"}},
		{view(`{"page":"wall","seconds":5,"text":"` + strings.Repeat("a", 401) + `"}`), &programme.Fault{View: 2, Field: "text"}},
		{view(`{"page":"wall"}`), &programme.Fault{View: 2, Field: "seconds"}},
		{view(`{"page":"wall","seconds":4}`), &programme.Fault{View: 2, Field: "seconds"}},
		{view(`{"page":"wall","seconds":3601}`), &programme.Fault{View: 2, Field: "seconds"}},
		{view(`{"page":"wall","seconds":5,"when":{"days":[0]}}`), &programme.Fault{View: 2, Field: "days"}},
		{view(`{"page":"wall","seconds":5,"when":{"from":"24:00"}}`), &programme.Fault{View: 2, Field: "from"}},
		{view(`{"page":"wall","seconds":5,"when":{"from":"1x:00"}}`), &programme.Fault{View: 2, Field: "from"}},
		{view(`{"page":"wall","seconds":5,"when":{"to":"9:00"}}`), &programme.Fault{View: 2, Field: "to"}},
		{view(`{"page":"wall","seconds":5,"when":{"phase":"over"}}`), &programme.Fault{View: 2, Field: "phase"}},
	} {
		p, err := programme.Parse([]byte(c.document), pages)
		f, _ := errors.AsType[*programme.Fault](err)
		if (f == nil) != (c.want == nil) || f != nil && *f != *c.want || err != nil && f == nil {
			t.Errorf("%s: %v, want %v", c.document, err, c.want)
		}
		if c.want != nil && (c.want.View == 0) != strings.Contains(err.Error(), "no views") {
			t.Errorf("%s: %v", c.document, err)
		}
		if err == nil && !json.Valid(p.Document()) {
			t.Errorf("%s: %s", c.document, p.Document())
		}
	}
}

func BenchmarkAt(b *testing.B) {
	var events []*record.Event
	for i := range 2000 {
		day := at("11-21 00:00").AddDate(0, 0, i/8-100)
		events = append(events, event("Foyer", day.Format("01-02")+fmt.Sprintf(" %02d:15", 12+i%8)))
	}
	s, p := house(0, events...), programme.Programme{}
	for i := range 20 {
		p.Views = append(p.Views, programme.View{Page: fmt.Sprint(i), Seconds: 30, When: programme.Condition{From: "09:00", To: programme.LastCurtain, Phase: programme.InUse}})
	}
	for b.Loop() {
		p.At(s, at("11-21 14:00"))
	}
}
