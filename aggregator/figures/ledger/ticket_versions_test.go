package ledger_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// What a payment alone reports as gone back is on the day on which it was first reported, each
// part on its own, and a later change moves nothing.
func TestReturnsStayOnTheirDay(t *testing.T) {
	changed := func(at string, refunded *record.Money, change ...func(*record.Payment)) *record.Payment {
		return foldtest.Payment("p", 900, append(change, func(p *record.Payment) {
			p.EventID, p.AmountRefunded, p.UpdatedAt = "a", refunded, foldtest.Clock(at)
		})...)
	}
	method := func(p *record.Payment) { p.Method = "card" }
	status := func(s record.PaymentStatus) func(*record.Payment) { return func(p *record.Payment) { p.Status = s } }
	for name, c := range map[string]struct {
		records []record.Record
		want    string // days on which something went back
	}{
		"changed later":               {[]record.Record{changed("21 10:00", foldtest.Eur(300)), changed("24 10:00", foldtest.Eur(300), method)}, "21 300 0"},
		"ever more":                   {[]record.Record{changed("21 10:00", foldtest.Eur(300)), changed("22 10:00", foldtest.Eur(500)), changed("24 10:00", foldtest.Eur(500), method)}, "21 300 0; 22 200 0"},
		"less again":                  {[]record.Record{changed("21 10:00", foldtest.Eur(500)), changed("22 10:00", foldtest.Eur(200))}, "21 200 0"},
		"an older version comes late": {[]record.Record{changed("24 10:00", foldtest.Eur(500)), changed("21 10:00", foldtest.Eur(300))}, "21 300 0; 24 200 0"},
		"a record for the first part": {[]record.Record{changed("21 10:00", foldtest.Eur(300)), changed("22 10:00", foldtest.Eur(500)), foldtest.Refund("r", "p", 300, "20 12:00")},
			"20 300 0; 22 200 0"},
		"a record for some of it": {[]record.Record{changed("21 10:00", foldtest.Eur(300)), changed("22 10:00", foldtest.Eur(500)), foldtest.Refund("r", "p", 100, "20 12:00")},
			"20 100 0; 21 200 0; 22 200 0"},
		"all, by its status": {[]record.Record{changed("21 10:00", foldtest.Eur(300)), changed("22 10:00", nil, status(record.PaymentRefunded)), changed("24 10:00", nil, status(record.PaymentRefunded), method)},
			"21 300 0; 22 600 0"},
		"charged back": {[]record.Record{changed("21 10:00", nil, status(record.PaymentChargedBack)), changed("24 10:00", nil, status(record.PaymentChargedBack), method)}, "21 0 900"},
	} {
		t.Run(name, func(t *testing.T) {
			log := foldtest.NewLog(append([]record.Record{foldtest.Event("a")}, c.records...)...)
			for _, versions := range [][]record.Version{log.Versions, log.Folded(), reversed(log.Versions)} {
				s := foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete)
				if got := returns(s.Event("a").SaleDays); got != c.want {
					t.Errorf("went back %q, want %q", got, c.want)
				}
				r := &s.Event("a").Revenue
				if r.Net.Quality != figures.Exact || r.Of(figures.Received).Quality != figures.Exact {
					t.Errorf("net %+v, received %+v", r.Net, r.Of(figures.Received))
				}
				for _, d := range s.Event("a").SaleDays {
					if net := r.During(&d.Flow).Net; len(d.Of(figures.Received)) == 0 && d.Returns > 0 && (net.Quality != figures.Estimated || !slices.Contains(net.Reasons, figures.ReasonUndated)) {
						t.Errorf("net of %s is %+v", d.Day, net)
					}
				}
			}
		})
	}
}

func reversed(versions []record.Version) []record.Version {
	out := slices.Clone(versions)
	slices.Reverse(out)
	return out
}

// returns returns the days on which money went back: refunded, and charged back less what was won back.
func returns(days []*figures.DayFigures) string {
	text := ""
	for _, d := range days {
		if r, b := d.Of(figures.Refunded).In("EUR"), d.Of(figures.ChargedBack).In("EUR")-d.Of(figures.Reversed).In("EUR"); r != 0 || b != 0 {
			text += fmt.Sprintf("; %s %d %d", d.Day[8:], r, b)
		}
	}
	return strings.TrimPrefix(text, "; ")
}

// A record of what went back that gives no time is on the day of the first version in which it had
// settled, and a later change moves nothing; one that gives a time is on its own.
func TestReturnsWithoutATime(t *testing.T) {
	payment := foldtest.Payment("p", 900, func(p *record.Payment) { p.EventID = "a" })
	back := func(kind record.PaymentKind, updated string, change ...func(*record.Payment)) *record.Payment {
		return foldtest.Refund("r", "p", 300, "", append([]func(*record.Payment){func(p *record.Payment) {
			p.Kind, p.UpdatedAt = kind, foldtest.Clock(updated)
		}}, change...)...)
	}
	chargeback := foldtest.Refund("c", "p", 300, "20 10:00", func(p *record.Payment) { p.Kind = record.KindOfChargeback })
	method := func(p *record.Payment) { p.Method = "card" }
	status := func(s record.PaymentStatus) func(*record.Payment) { return func(p *record.Payment) { p.Status = s } }
	at := func(paid, created string) func(*record.Payment) {
		return func(p *record.Payment) { p.PaidAt, p.CreatedAt = foldtest.Clock(paid), foldtest.Clock(created) }
	}
	loose := func(p *record.Payment) { p.ParentID, p.EventID = "", "a" }
	for name, c := range map[string]struct {
		records []record.Record
		want    string
		guessed int
	}{
		"changed later":          {[]record.Record{payment, back(record.KindOfRefund, "21 10:00"), back(record.KindOfRefund, "24 10:00", method)}, "21 300 0", 1},
		"pending first":          {[]record.Record{payment, back(record.KindOfRefund, "21 10:00", status(record.PaymentPending)), back(record.KindOfRefund, "24 10:00")}, "24 300 0", 1},
		"comes late":             {[]record.Record{payment, back(record.KindOfRefund, "24 10:00", method), back(record.KindOfRefund, "21 10:00")}, "21 300 0", 1},
		"a time later":           {[]record.Record{payment, back(record.KindOfRefund, "21 10:00"), back(record.KindOfRefund, "24 10:00", at("22 10:00", ""))}, "22 300 0", 0},
		"its time taken back":    {[]record.Record{payment, back(record.KindOfRefund, "21 10:00", at("20 12:00", "")), back(record.KindOfRefund, "24 10:00")}, "24 300 0", 1},
		"when it was created":    {[]record.Record{payment, back(record.KindOfRefund, "24 10:00", at("", "23 10:00"))}, "23 300 0", 0},
		"a chargeback":           {[]record.Record{payment, back(record.KindOfChargeback, "21 10:00"), back(record.KindOfChargeback, "24 10:00", method)}, "21 0 300", 1},
		"a reversal":             {[]record.Record{payment, chargeback, back(record.KindOfReversal, "21 10:00"), back(record.KindOfReversal, "24 10:00", method)}, "20 0 300; 21 0 -300", 1},
		"no payment":             {[]record.Record{back(record.KindOfRefund, "21 10:00", loose), back(record.KindOfRefund, "24 10:00", loose, method)}, "21 300 0", 1},
		"refunded by its status": {[]record.Record{payment, back(record.KindOfRefund, "21 10:00", status(record.PaymentRefunded)), back(record.KindOfRefund, "24 10:00")}, "21 300 0", 1},
	} {
		t.Run(name, func(t *testing.T) {
			log := foldtest.NewLog(append(c.records, foldtest.Event("a"))...)
			for _, versions := range [][]record.Version{log.Versions, log.Folded(), reversed(log.Versions)} {
				s := foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete)
				guessed := 0
				for _, d := range s.Event("a").SaleDays {
					guessed += d.Returns
				}
				if got := returns(s.Event("a").SaleDays); got != c.want || guessed != c.guessed {
					t.Errorf("went back %q with %d guesses, want %q with %d", got, guessed, c.want, c.guessed)
				}
				r := &s.Event("a").Revenue
				if r.Net.Quality != figures.Exact || r.Of(figures.Refunded).Quality != figures.Exact || r.Of(figures.Received).Quality != figures.Exact {
					t.Errorf("net %+v, received %+v", r.Net, r.Of(figures.Received))
				}
				want := []figures.Quality{figures.Exact, figures.Estimated}[c.guessed]
				if day := r.During(&figures.Flow{Lacks: figures.Lacks{Returns: guessed}}); day.Net.Quality != want || day.Of(figures.Refunded).Quality != want || day.Of(figures.Received).Quality != figures.Exact {
					t.Errorf("net of the day %+v, received %+v", day.Net, day.Of(figures.Received))
				}
			}
		})
	}
}

// What was sold in a window is estimated where a void falls in it by a guess, and not otherwise.
func TestGuessedVoidInAWindow(t *testing.T) {
	void := func(id, updated, cancelled string) *record.Ticket {
		return foldtest.Ticket(id, "a", func(k *record.Ticket) {
			k.Status, k.UpdatedAt, k.CancelledAt = record.TicketVoid, foldtest.Clock(updated), foldtest.Clock(cancelled)
		})
	}
	records := []record.Record{foldtest.Event("a"), foldtest.Ticket("t", "a"), void("u", "11:30", ""), void("v", "14:30", "14:30"),
		foldtest.Refund("r", "", 300, "", func(p *record.Payment) { p.EventID, p.UpdatedAt = "a", foldtest.Clock("14:30") })}
	for at, want := range map[string]string{"11:29": "0", "11:30": "estimated -1 undated", "12:29": "estimated -1 undated", "12:30": "0", "15:00": "-1"} {
		s := foldtest.Fold(foldtest.Complete, records...)
		s.AsOf = foldtest.Clock(at)
		if got := foldtest.Say(evening.At(s, foldtest.Clock(at)).Show(s.Event("a")).SoldIn(time.Hour)); got != want {
			t.Errorf("sold in the hour to %s: %s, want %s", at, got, want)
		}
	}
}

// A version counts from when it was read, where the service's clock is ahead of ours or says
// nothing.
func TestReturnsBySeenAt(t *testing.T) {
	refunded := foldtest.Payment("p", 900, func(p *record.Payment) { p.EventID, p.AmountRefunded = "a", foldtest.Eur(300) })
	for _, updated := range []string{"", "25 10:00"} {
		refunded.UpdatedAt = foldtest.Clock(updated)
		l := foldtest.Ledger(figures.Calendar{}, record.Version{Revision: 1, Head: true, Record: foldtest.Event("a")},
			record.Version{Revision: 2, Head: true, Record: refunded, SeenAt: foldtest.Clock("23 10:00")})
		if got := returns(l.Snapshot(figures.Position{}, foldtest.Complete).Event("a").SaleDays); got != "23 300 0" {
			t.Errorf("updated %q: went back %q", updated, got)
		}
	}
}

// A ticket that the service voids without any time leaves what was sold on the day on which that is read, if it was read
// before while it stood. One that was void at the first read is taken from the day of its sale: all that a house ever
// cancelled did not come back on the day on which it begins.
func TestVoidWithoutATimeOfTheService(t *testing.T) {
	at := func(revision int64, seen string, status record.TicketStatus) record.Version {
		return record.Version{Revision: revision, Head: true, SeenAt: foldtest.Clock(seen), Record: foldtest.Ticket("t", "a", func(t *record.Ticket) {
			t.Status, t.UpdatedAt = status, time.Time{}
		})}
	}
	dated := func(v record.Version) record.Version {
		v.Record.(*record.Ticket).UpdatedAt = v.SeenAt
		return v
	}
	for name, c := range map[string]struct {
		versions []record.Version
		want     string
	}{
		"void when it was first read":   {[]record.Version{at(2, "23 10:00", record.TicketVoid)}, "20 sold 0 guessed 1"},
		"void when it was read again":   {[]record.Version{at(2, "23 10:00", record.TicketVoid), at(3, "24 10:00", record.TicketRefunded)}, "20 sold 0 guessed 1"},
		"it stood, with a time":         {[]record.Version{dated(at(2, "21 10:00", record.TicketValid)), at(3, "23 10:00", record.TicketVoid)}, "20 sold 1; 23 sold -1 guessed 1"},
		"it stood":                      {[]record.Version{at(2, "21 10:00", record.TicketValid), at(3, "23 10:00", record.TicketVoid)}, "20 sold 1; 23 sold -1 guessed 1"},
		"it stood, and is still void":   {[]record.Version{at(2, "21 10:00", record.TicketValid), at(3, "23 10:00", record.TicketVoid), at(4, "25 10:00", record.TicketRefunded)}, "20 sold 1; 23 sold -1 guessed 1"},
		"it came back between, and was": {[]record.Version{at(2, "21 10:00", record.TicketVoid), at(3, "22 10:00", record.TicketValid), at(4, "23 10:00", record.TicketVoid)}, "20 sold 0 guessed 1"},
	} {
		t.Run(name, func(t *testing.T) {
			event := record.Version{Revision: 1, Head: true, Record: foldtest.Event("a")}
			folded := c.versions[len(c.versions)-1]
			for _, v := range c.versions {
				folded.Memory = folded.Memory.With(&v)
			}
			for _, versions := range [][]record.Version{c.versions, reversed(c.versions), {folded}} {
				e := foldtest.Ledger(figures.Calendar{}, append([]record.Version{event}, versions...)...).Snapshot(figures.Position{}, foldtest.Complete).Event("a")
				var days []string
				for _, d := range e.SaleDays {
					day := fmt.Sprintf("%s sold %d", d.Day[8:], d.Sold)
					if d.Voids > 0 {
						day += fmt.Sprintf(" guessed %d", d.Voids)
					}
					days = append(days, day)
				}
				if got := strings.Join(days, "; "); got != c.want || e.Sold.Value != 0 {
					t.Errorf("%q with %d sold, want %q with none", got, e.Sold.Value, c.want)
				}
			}
		})
	}
}

// A ticket that was void without a time was so from the first version that said it.
func TestVoidStaysOnItsDay(t *testing.T) {
	void := func(at string, change ...func(*record.Ticket)) *record.Ticket {
		return foldtest.Ticket("t", "a", append(change, func(t *record.Ticket) { t.Status, t.UpdatedAt = record.TicketVoid, foldtest.Clock(at) })...)
	}
	seat := func(t *record.Ticket) { t.Seat = "A 1" }
	for name, c := range map[string]struct {
		records []record.Record
		want    string
	}{
		"changed later":  {[]record.Record{void("21 10:00"), void("24 10:00", seat)}, "20 sold 1; 21 sold -1"},
		"comes late":     {[]record.Record{void("24 10:00", seat), void("21 10:00")}, "20 sold 1; 21 sold -1"},
		"reported after": {[]record.Record{void("21 10:00"), void("24 10:00", func(t *record.Ticket) { t.CancelledAt = foldtest.Clock("20 23:00") })}, "20 sold 0"},
		"valid again":    {[]record.Record{void("21 10:00"), foldtest.Ticket("t", "a", func(t *record.Ticket) { t.UpdatedAt = foldtest.Clock("24 10:00") })}, "20 sold 1"},
	} {
		t.Run(name, func(t *testing.T) {
			log := foldtest.NewLog(append(c.records, foldtest.Event("a"))...)
			for _, versions := range [][]record.Version{log.Versions, log.Folded(), reversed(log.Versions)} {
				var days []string
				e := foldtest.Ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, foldtest.Complete).Event("a")
				guessed := strings.Contains(c.want, "sold -1")
				if booked := e.Revenue.Of(figures.Booked); booked.Quality != figures.Exact {
					t.Errorf("booked is %+v", booked)
				}
				for _, d := range e.SaleDays {
					if booked := e.Revenue.During(&d.Flow).Of(figures.Booked); (booked.Quality == figures.Estimated) != (d.Voids > 0) {
						t.Errorf("booked on %s is %+v with %+v", d.Day, booked, d.Lacks)
					}
					days = append(days, fmt.Sprintf("%s sold %d", d.Day[8:], d.Sold))
					if onIt := d.Day == "2026-11-21" && guessed; d.Voids > 0 != onIt || d.Returns != 0 || d.Places(e.Sold).Quality == figures.Estimated != onIt {
						t.Errorf("on %s %+v guessed, places %+v", d.Day, d.Lacks, d.Places(e.Sold))
					}
				}
				if got := strings.Join(days, "; "); got != c.want {
					t.Errorf("days %q, want %q", got, c.want)
				}
			}
		})
	}
}

func scannedAt(at string) func(*record.Ticket) {
	return func(t *record.Ticket) { t.Scans = []record.Scan{{At: foldtest.Clock(at), Direction: record.Entry}} }
}

// eventLine is sold, attendance, booked and received.
func eventLine(e *figures.EventFigures) string {
	return sign(e.Sold.Quality) + fmt.Sprint(e.Sold.Value) + " " + sign(e.Attendance.Quality) + fmt.Sprint(e.Attendance.Value) + " " + revenueLine(&e.Revenue)
}

func revenueLine(r *figures.Revenue) string {
	return sign(r.Of(figures.Booked).Quality) + fmt.Sprint(r.Of(figures.Booked).Value.In("EUR")) + " " + sign(r.Of(figures.Received).Quality) + fmt.Sprint(r.Of(figures.Received).Value.In("EUR"))
}

func sign(q figures.Quality) string { return []string{"", "≈", "≥", "?"}[q] }

// A refused record makes the figures of its event at least what they are, and no others but
// the totals.
func TestRefused(t *testing.T) {
	l := foldtest.Ledger(figures.Calendar{}, foldtest.NewLog(foldtest.Event("a"), foldtest.Event("b"), foldtest.Ticket("t", "a", scannedAt("19:00")), foldtest.Ticket("u", "b", scannedAt("19:00")),
		foldtest.Payment("p", 5, func(p *record.Payment) { p.EventID = "a" })).Versions...)
	one := func(event string) map[string]int { return map[string]int{event: 1} }
	for _, c := range []struct {
		name     string
		coverage ledger.Coverage
		a, b     string
		total    string // booked, received
		loose    string
	}{
		{"nothing", ledger.Coverage{}, "1 1 2000 5", "1 1 2000 0", "4000 5", "0 0"},
		{"a ticket", ledger.Coverage{RefusedTickets: one("a")}, "≥1 ≥1 ≥2000 5", "1 1 2000 0", "≥4000 5", "0 0"},
		{"a payment", ledger.Coverage{RefusedPayments: one("b")}, "1 1 2000 5", "1 1 2000 ≥0", "4000 ≥5", "0 0"},
		{"a scan", ledger.Coverage{RefusedScans: one("b")}, "1 1 2000 5", "1 ≥1 2000 0", "4000 5", "0 0"},
		{"a ticket of nobody knows what", ledger.Coverage{RefusedTickets: one("")}, "1 1 2000 5", "1 1 2000 0", "≥4000 5", "≥0 0"},
		{"a payment of an unknown event", ledger.Coverage{RefusedPayments: one("z")}, "1 1 2000 5", "1 1 2000 0", "4000 ≥5", "0 ≥0"},
		{"tickets of other events", ledger.Coverage{RefusedTickets: map[string]int{"z": 1, figures.OtherEvents: 1}}, "≥1 ≥1 ≥2000 5", "≥1 ≥1 ≥2000 0", "≥4000 5", "≥0 0"},
		{"payments of other events", ledger.Coverage{RefusedPayments: map[string]int{"a": 1, figures.OtherEvents: 2}}, "1 1 2000 ≥5", "1 1 2000 ≥0", "4000 ≥5", "0 ≥0"},
		{"scans of other events", ledger.Coverage{RefusedScans: one(figures.OtherEvents)}, "1 ≥1 2000 5", "1 ≥1 2000 0", "4000 5", "0 0"},
		{"nothing again", ledger.Coverage{}, "1 1 2000 5", "1 1 2000 0", "4000 5", "0 0"},
	} {
		coverage := foldtest.Complete
		coverage.RefusedTickets, coverage.RefusedPayments, coverage.RefusedScans = c.coverage.RefusedTickets, c.coverage.RefusedPayments, c.coverage.RefusedScans
		s := l.Snapshot(figures.Position{}, coverage)
		for _, got := range []struct{ name, is, want string }{
			{"a", eventLine(s.Event("a")), c.a}, {"b", eventLine(s.Event("b")), c.b},
			{"total", revenueLine(&s.Total), c.total}, {"unattributed", revenueLine(&s.Unattributed), c.loose},
		} {
			if got.is != got.want {
				t.Errorf("%s: %s is %q, want %q", c.name, got.name, got.is, got.want)
			}
		}
	}
}
