package evening_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

func alertLine(alerts []evening.Alert) string {
	var lines []string
	for _, a := range alerts {
		line := fmt.Sprint(a.Key, " ", a.Level, " ", foldtest.Say(a.Count))
		if !a.Since.IsZero() {
			line += " since " + a.Since.UTC().Format("15:04")
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func TestQuietGate(t *testing.T) {
	play := foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")
	expect := func(n int) []record.Record { return foldtest.Many(n, "x", "a", foldtest.Passes()) }
	const since = "quiet_gate:a:A bad %d since 19:09"
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		want    string
	}{
		{"four minutes", "19:14", foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), expect(20)), ""},
		{"five minutes, and one comes", "19:15", foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), foldtest.Come(1, "d", "a", "A", "19:15", 1), expect(20)), ""},
		{"busy fifteen minutes before its last entry", "19:23", foldtest.Together(foldtest.Come(9, "c", "a", "A", "19:03", 9), foldtest.Come(1, "d", "a", "A", "19:17", 1), expect(20)), "quiet_gate:a:A bad 20 since 19:17"},
		{"busy more than fifteen minutes before it", "19:24", foldtest.Together(foldtest.Come(9, "c", "a", "A", "19:03", 9), foldtest.Come(1, "d", "a", "A", "19:18", 1), expect(20)), ""},
		{"five minutes", "19:15", foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), expect(20)), fmt.Sprintf(since, 20)},
		{"never busy", "19:15", foldtest.Together(foldtest.Come(9, "c", "a", "A", "19:01", 1), expect(20)), ""},
		{"enough are still to come", "19:15", foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), expect(5)), fmt.Sprintf(since, 5)},
		{"few are still to come", "19:15", foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), expect(4)), ""},
		{"of many expected", "19:15", foldtest.Together(foldtest.Come(190, "c", "a", "A", "19:00", 19), expect(6)), fmt.Sprintf(since, 6)},
		{"few of very many expected", "19:15", foldtest.Together(foldtest.Come(290, "c", "a", "A", "19:00", 29), expect(7)), ""},
		{"after curtain", "20:00", foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), expect(20)), ""},
	} {
		if got := alertLine(foldtest.At(c.now, append(c.records, play)...).Alerts); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// On past nights one of ten did not come, and now as many are missing, or more.
	for missing, want := range map[int]string{10: "", 30: fmt.Sprintf("quiet_gate:a:A bad %d since 19:44", 30)} {
		past := foldtest.Together(atGates("Zaal", 6), foldtest.Come(90, "c", "a", "A", "19:30", 6), expect(missing))
		if got := alertLine(foldtest.At("19:55", append(past, play)...).Alerts); got != want {
			t.Errorf("%d missing after nights on which one of ten did not come: %q, want %q", missing, got, want)
		}
	}
	// On past nights nobody came between the first ones and half past seven: until then it is not the gate.
	for now, want := range map[string]string{"19:20": "", "19:29": "", "19:34": fmt.Sprintf(since, 80)} {
		first := foldtest.Together(atGates("Zaal", 6), foldtest.Come(20, "c", "a", "A", "19:00", 2), expect(80))
		if got := alertLine(foldtest.At(now, append(first, play)...).Alerts); got != want {
			t.Errorf("at %s after a few early ones: %q, want %q", now, got, want)
		}
	}
	// While the service does not answer, it is not the gate that is quiet.
	s := foldtest.Fold(foldtest.Complete, append(foldtest.Together(foldtest.Come(10, "c", "a", "A", "19:00", 1), expect(20)), play)...)
	s.AsOf = foldtest.Clock("19:10")
	if got := alertLine(evening.At(s, foldtest.Clock("19:20")).Alerts); got != "" {
		t.Errorf("without answers: %q", got)
	}
}

func TestPlacesAlerts(t *testing.T) {
	hall := func(capacity, available int, change ...func(*record.Event)) []record.Record {
		return append([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", append([]func(*record.Event){func(e *record.Event) {
			e.Capacity, e.Available = &capacity, &available
		}}, change...)...)}, foldtest.Many(3, "early", "a")...)
	}
	sold := func(minute string) func(*record.Ticket) {
		return func(t *record.Ticket) { t.SoldAt = foldtest.Clock(minute) }
	}
	reserved := func(t *record.Ticket) { t.Status, t.SoldAt = record.TicketReserved, time.Time{} }
	blocked := func(n int) func(*record.Event) {
		return func(e *record.Event) { e.Available, e.Blocked = nil, &n }
	}
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		want    string
	}{
		{"five of a hundred", "18:00", hall(100, 5), ""},
		{"four of a hundred", "18:00", hall(100, 4), "few_left:a warn 4"},
		{"a reservation left few", "18:00", foldtest.Together(hall(100, 4), foldtest.Many(1, "r", "a", reserved)), "few_left:a warn 4"},
		{"none", "18:00", hall(100, 0), "sold_out:a info 0 since 10:00"},
		{"said to be sold out", "18:00", hall(100, 4, foldtest.Status(record.EventSoldOut)), "sold_out:a info 0 since 10:00"},
		{"nearly none of our own count", "18:00", foldtest.Together(hall(3, 0, func(e *record.Event) { e.Capacity, e.Available, e.Blocked = new(62), nil, new(59) })), ""},
		{"the sale is closed", "18:00", hall(100, 4, foldtest.Status(record.EventSalesClosed)), ""},
		{"own count", "18:00", hall(3, 0, func(e *record.Event) { e.Capacity, e.Available = new(62), nil }), ""},
		{"own count, few", "18:00", foldtest.Together(hall(3, 0, func(e *record.Event) { e.Capacity, e.Available = new(62), nil }), foldtest.Many(56, "m", "a")), "few_left:a warn estimated 3 no_available"},
		{"oversold", "18:00", foldtest.Together(hall(4, -1), foldtest.Many(2, "l", "a", sold("17:30"))), "oversold:a bad 1 since 17:30"},
		{"oversold by a sale that is dated ahead", "18:00", foldtest.Together(hall(4, -1), foldtest.Many(2, "m", "a", sold("23:50"))), "oversold:a bad 1"},
		{"oversold while it runs", "20:30", foldtest.Together(hall(4, -1), foldtest.Many(2, "l", "a", sold("17:30"))), "oversold:a bad 1 since 17:30"},
		{"oversold and over", "22:00", foldtest.Together(hall(4, -1), foldtest.Many(2, "l", "a", sold("17:30"))), ""},
		{"oversold since the sale before the last", "18:00", foldtest.Together(hall(4, 0), foldtest.Many(3, "l", "a", sold("17:30")), foldtest.Many(1, "m", "a", sold("17:40"))), "oversold:a bad 3 since 17:30"},
		{"oversold, though the service has some left", "18:00", foldtest.Together(hall(100, 3), foldtest.Many(99, "l", "a", sold("17:30"))), "oversold:a bad 2 since 17:30"},
		{"a free place left beside the blocked", "18:00", foldtest.Together(hall(10, 0, blocked(4)), foldtest.Many(3, "l", "a", sold("17:30"))), ""},
		{"two of the blocked are sold", "18:00", foldtest.Together(hall(10, 0, blocked(4)), foldtest.Many(4, "l", "a", sold("17:30")), foldtest.Many(1, "m", "a", sold("17:40"))), "blocked_sold:a warn 2 since 17:30"},
		{"two of the blocked are sold or reserved", "18:00", foldtest.Together(hall(10, 0, blocked(4)), foldtest.Many(4, "l", "a", sold("17:30")), foldtest.Many(1, "r", "a", func(t *record.Ticket) { t.Status = record.TicketReserved })), "blocked_sold:a warn 2 since 17:30"},
		{"two of the blocked are sold while it runs", "20:30", foldtest.Together(hall(10, 0, blocked(4)), foldtest.Many(5, "l", "a", sold("17:30"))), "blocked_sold:a warn 2 since 17:30"},
		{"two of the blocked are sold and it is over", "22:00", foldtest.Together(hall(10, 0, blocked(4)), foldtest.Many(5, "l", "a", sold("17:30"))), ""},
		{"two of the blocked are sold and it is cancelled", "18:00", foldtest.Together(hall(10, 0, blocked(4), foldtest.Status(record.EventCancelled)), foldtest.Many(5, "l", "a", sold("17:30"))), "cancelled:a warn 8"},
		{"all of the blocked are sold, and more", "18:00", foldtest.Together(hall(10, 0, blocked(4)), foldtest.Many(9, "l", "a", sold("17:30"))), "oversold:a bad 2 since 17:30"},
		{"cancelled", "18:00", hall(2, -1, foldtest.Status(record.EventCancelled)), "cancelled:a warn 3"},
		{"postponed", "18:00", hall(2, -1, foldtest.Status(record.EventPostponed)), "postponed:a warn 3"},
	} {
		if got := alertLine(foldtest.At(c.now, c.records...).Alerts); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A performance that is not of the evening needs attention only where something can be mended, on every
// page; one of which few places are left or that is called off is spoken of on its evening.
func TestAlertsAhead(t *testing.T) {
	ahead := func(id string, capacity, available int, change ...func(*record.Event)) record.Record {
		return foldtest.Tonight(id, "Zaal", "25 19:00", "25 20:00", "25 22:00", append(change, func(e *record.Event) { e.Capacity, e.Available = &capacity, &available })...)
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Together([]record.Record{ahead("few", 100, 4), ahead("off", 100, 4, foldtest.Status(record.EventCancelled)), ahead("over", 4, -1)}, foldtest.Many(3, "f", "few"), foldtest.Many(5, "o", "over"))...)
	v := foldtest.Evening(s, foldtest.Clock("18:00"))
	all := alertLine(v.OtherDays())
	for id, want := range map[string]string{"few": "", "off": "", "over": "oversold:over bad 1 since 10:00"} {
		if got := alertLine(v.AlertsOf(v.Show(s.Event(id)))); got != want || want != "" && got != all {
			t.Errorf("%s: %q, want %q; ahead are %q", id, got, want, all)
		}
	}
}

// The worst comes first: people in danger or outside, then money, then the rest; of what is as bad, the
// soonest performance.
func TestAlertsWorstFirst(t *testing.T) {
	few := func(e *record.Event) { e.Capacity, e.Available = new(100), new(1) }
	v := foldtest.At("19:15", foldtest.Together([]record.Record{
		foldtest.Tonight("late", "Foyer", "21:00", "22:00", "23:00", func(e *record.Event) { e.Capacity = new(1) }),
		foldtest.Tonight("soon", "Zaal", "19:00", "20:00", "22:00", few), foldtest.Tonight("off", "Tuin", "17:00", "18:00", "19:00", foldtest.Status(record.EventCancelled)),
		foldtest.Set(record.SettingLicensed, "Zaal", "", 10, "09:00"),
	}, foldtest.Come(10, "c", "soon", "A", "19:00", 1), foldtest.Many(20, "x", "soon", foldtest.Passes()), foldtest.Many(3, "l", "late"))...)
	if got, want := alertLine(v.Alerts), "quiet_gate:soon:A bad 20 since 19:09; maybe_crowded:soon warn estimated 10 no_exits; over_licensed:soon bad 30 since 10:00; oversold:late bad 2 since 10:00; cancelled:off warn 0"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for _, a := range v.Alerts {
		if a.Show() != foldtest.ShowOf(t, v, a.Event) {
			t.Errorf("%s is about another performance", a.Key)
		}
		if own := v.AlertsOf(a.Show()); !strings.Contains(alertLine(own), a.Key) {
			t.Errorf("%s is not among the alerts of its performance", a.Key)
		}
	}
}

// A performance to come that is oversold is known of before its evening; one that is called off, or
// of the evening itself, is not among them.
func TestOversoldAhead(t *testing.T) {
	full := func(id string, days int, change ...func(*record.Event)) record.Record {
		return foldtest.Tonight(id, "Zaal", "19:00", "20:00", "22:00", append(change, func(e *record.Event) {
			e.Capacity = cmp.Or(e.Capacity, new(1))
			for _, at := range []*time.Time{&e.DoorsAt, &e.StartsAt, &e.EndsAt} {
				*at = at.AddDate(0, 0, days)
			}
		})...)
	}
	v := foldtest.At("18:00", foldtest.Together([]record.Record{full("now", 0), full("last", 9), full("soon", 1), full("off", 2, foldtest.Status(record.EventCancelled)), full("few", 3, func(e *record.Event) { e.Capacity, e.Available = new(2), new(1) }),
		full("near", 4, func(e *record.Event) { e.Capacity, e.Available = new(30), new(1) })},
		foldtest.Many(29, "m", "near"),
		foldtest.Many(2, "n", "now"), foldtest.Many(4, "l", "last"), foldtest.Many(3, "s", "soon"), foldtest.Many(3, "o", "off"), foldtest.Many(1, "f", "few"), foldtest.Many(1, "r", "few", func(t *record.Ticket) { t.Status = record.TicketReserved }))...)
	if got, want := alertLine(v.OtherDays()), "oversold:soon bad 2 since 10:00; oversold:last bad 3 since 10:00; sold_out:few info 0 since 10:00; nearly_full:near info 0 since 10:00"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// What somebody has seen stays seen until it begins again or has grown.
func TestAcknowledged(t *testing.T) {
	hall := func(sold int) []record.Record {
		return append([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) })},
			foldtest.Many(sold, "t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("17:30") })...)
	}
	quiet := foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00")}, foldtest.Come(10, "c", "a", "A", "19:00", 1), foldtest.Many(20, "x", "a", foldtest.Passes()))
	again := foldtest.Together(quiet, foldtest.Come(10, "d", "a", "A", "19:20", 2))
	ack := func(key, at string, count int) record.Record {
		return &record.Acknowledgement{Alert: key, At: foldtest.Clock(at), By: "Marijke", Count: count}
	}
	for _, c := range []struct {
		name    string
		now     string
		records []record.Record
		seen    string
	}{
		{"nobody", "18:00", hall(12), ""},
		{"seen", "18:00", append(hall(12), ack("oversold:a", "17:40", 2)), "Marijke 17:40"},
		{"in the minute in which it began", "18:00", append(hall(12), ack("oversold:a", "17:30", 2)), "Marijke 17:30"},
		{"before it began", "18:00", append(hall(12), ack("oversold:a", "17:29", 2)), ""},
		{"seen when it was smaller", "18:00", append(hall(13), ack("oversold:a", "17:40", 2)), ""},
		{"seen again", "18:00", append(hall(13), ack("oversold:a", "17:40", 2), ack("oversold:a", "17:50", 3)), "Marijke 17:50"},
		{"the newest counts, whichever comes first", "18:00", append(hall(13), ack("oversold:a", "17:50", 3), ack("oversold:a", "17:40", 2)), "Marijke 17:50"},
		{"seen when it was larger", "18:00", append(hall(11), ack("oversold:a", "17:40", 2)), "Marijke 17:40"},
		{"taken back", "18:00", append(hall(12), ack("oversold:a", "17:40", 2), &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock("17:41"), By: "Joost", Undone: true}), ""},
		{"another performance's", "18:00", append(hall(12), ack("oversold:b", "17:40", 2)), ""},
		{"a reservation is paid, and as few are left", "18:00", append(foldtest.Together([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity, e.Available = new(100), new(4) })},
			foldtest.Many(95, "t", "a"), foldtest.Many(1, "paid", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("17:50") })), ack("few_left:a", "17:40", 4)), "Marijke 17:40"},
		{"what does not grow", "19:16", append(quiet, ack("quiet_gate:a:A", "19:15", 3)), "Marijke 19:15"},
		{"gone quiet again", "19:30", append(again, ack("quiet_gate:a:A", "19:15", 20)), ""},
	} {
		v := foldtest.At(c.now, c.records...)
		if len(v.Alerts) != 1 {
			t.Fatalf("%s: %s", c.name, alertLine(v.Alerts))
		}
		seen := ""
		if s := v.Alerts[0].Seen; s != nil {
			seen = s.By + " " + s.At.UTC().Format("15:04")
		}
		if seen != c.seen {
			t.Errorf("%s: seen by %q, want %q", c.name, seen, c.seen)
		}
	}
	// The record of what is seen now makes it seen.
	v := foldtest.At("18:00", hall(13)...)
	k := v.Alerts[0].Acknowledgement(evening.Seen{By: "Joost", At: foldtest.Clock("18:00")})
	if v = foldtest.At("18:00", append(hall(13), k)...); v.Alerts[0].Seen == nil || v.Alerts[0].Seen.By != "Joost" {
		t.Errorf("after %+v it is seen by %+v", k, v.Alerts[0].Seen)
	}
}

// Several people look after one alert, each until they hand it back or it has grown since they took it on; what an older
// version stored is one of them.
func TestTakenOnTogether(t *testing.T) {
	hall := func(sold int, more ...record.Record) *evening.Alert {
		return &foldtest.At("18:00", append(append([]record.Record{foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", func(e *record.Event) { e.Capacity = new(10) })},
			foldtest.Many(sold, "t", "a", func(t *record.Ticket) { t.SoldAt = foldtest.Clock("17:30") })...), more...)...).Alerts[0]
	}
	on := func(by, at string) evening.Seen { return evening.Seen{By: by, At: foldtest.Clock(at)} }
	names := func(a *evening.Alert) string { return strings.Join(a.Seen.Names(), " ") }
	mia, joost := hall(12).Acknowledgement(on("Mia", "17:50")), hall(12).Acknowledgement(on("Joost", "17:45"))
	old := &record.Acknowledgement{Alert: "oversold:a", At: foldtest.Clock("17:40"), By: "Marijke", Count: 2}
	later := hall(13).Acknowledgement(on("Joost", "17:55"))
	for _, c := range []struct {
		name    string
		sold    int
		records []record.Record
		want    string
	}{
		{"nobody", 12, nil, ""},
		{"the first comes first", 12, []record.Record{mia, joost}, "Joost Mia"},
		{"with one of an older version", 12, []record.Record{mia, old}, "Marijke Mia"},
		{"one hands it back", 12, append(hall(12, mia, joost).HandedBack(on("Joost", "17:58")), mia, joost), "Mia"},
		{"in the moment in which it was taken on", 12, append([]record.Record{joost, mia}, hall(12, mia, joost).HandedBack(on("Mia", "17:50"))...), "Joost"},
		{"one of an older version hands it back", 12, append(hall(12, old).HandedBack(on("Marijke", "17:58")), old), ""},
		{"it has grown since", 13, []record.Record{mia, joost, later}, "Joost"},
	} {
		if got := names(hall(c.sold, c.records...)); got != c.want {
			t.Errorf("%s: %q look after it, want %q", c.name, got, c.want)
		}
	}
	if back := hall(12, mia).HandedBack(on("Joost", "17:58")); len(back) != 0 {
		t.Errorf("Joost hands back what Mia took on: %+v", back[0])
	}
	if a := hall(12, mia); !a.Seen.Has("Mia") || a.Seen.Has("Joost") || hall(12).Seen.Has("Mia") {
		t.Errorf("%+v", a.Seen)
	}
}

// What was seen and has passed is new when it is raised again, also where the records do not say since
// when it is; while the service does not answer, nothing has passed.
func TestPassedAlerts(t *testing.T) {
	l := ledger.New(figures.Calendar{})
	revision := int64(0)
	enter := func(r record.Record) {
		revision++
		l.Apply(record.Version{Revision: revision, Head: true, Record: r})
	}
	at := func(missed int) *evening.Evening {
		s := l.Snapshot(figures.Position{Revision: revision}, foldtest.Complete)
		s.AsOf = foldtest.Clock("18:00")
		s.Health.Streams = []figures.StreamHealth{{Kinds: record.Kinds, LastGood: foldtest.Clock("18:00"), Missed: missed, Complete: true}}
		return evening.At(s, foldtest.Clock("18:00"))
	}
	state := func(s record.EventStatus) {
		enter(foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(s)))
	}
	state(record.EventCancelled)
	a := at(0).Alerts[0]
	enter(a.Acknowledgement(evening.Seen{By: "Mia", At: foldtest.Clock("18:00")}))
	if v := at(0); v.Alerts[0].Seen == nil || len(v.Passed()) != 0 {
		t.Fatalf("seen, and still there: %+v, passed %v", v.Alerts, v.Passed())
	}
	state(record.EventOnSale)
	if passed := at(2).Passed(); len(passed) != 0 {
		t.Errorf("without answers %+v has passed", passed[0])
	}
	passed := at(0).Passed()
	if len(passed) != 1 || !passed[0].RecordUpdated().After(foldtest.Clock("18:00")) {
		t.Fatalf("%+v has passed", passed)
	}
	enter(passed[0])
	if again := at(0).Passed(); len(again) != 0 {
		t.Errorf("%+v has passed twice", again[0])
	}
	state(record.EventCancelled)
	if v := at(0); v.Alerts[0].Seen != nil || len(v.Passed()) != 0 {
		t.Errorf("cancelled again, and seen by %+v; passed %v", v.Alerts[0].Seen, v.Passed())
	}
}

// A snapshot that was published does not change when somebody sees an alert later.
func TestAcknowledgedLater(t *testing.T) {
	l := ledger.New(figures.Calendar{})
	l.Apply(record.Version{Revision: 1, Head: true, Record: foldtest.Tonight("a", "Zaal", "19:00", "20:00", "22:00", foldtest.Status(record.EventCancelled))})
	before := l.Snapshot(figures.Position{}, foldtest.Complete)
	l.Changes()
	l.Apply(record.Version{Revision: 2, Head: true, Record: &record.Acknowledgement{Alert: "cancelled:a", At: foldtest.Clock("18:00"), By: "Mia"}})
	c := l.Changes()
	after := l.Snapshot(figures.Position{}, foldtest.Complete)
	if !c.All || before.SeenAs(after) || !after.SeenAs(after) {
		t.Errorf("changes %+v, and seen as before: %v", c, before.SeenAs(after))
	}
	if a := evening.At(before, foldtest.Clock("18:00")).Alerts[0]; a.Seen != nil {
		t.Errorf("the snapshot of before says it was seen by %s", a.Seen.By)
	}
	if a := evening.At(after, foldtest.Clock("18:00")).Alerts[0]; a.Seen == nil {
		t.Error("it was seen, and the next snapshot does not say so")
	}
	if a := evening.At(after.InHalls([]string{"Zaal"}), foldtest.Clock("18:00")).Alerts[0]; a.Seen == nil {
		t.Error("it was seen, and the hall's part does not say so")
	}
}
