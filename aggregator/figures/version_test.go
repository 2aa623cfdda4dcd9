package figures_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// What a payment alone reports as gone back is on the day on which it was first reported, each
// part on its own, and a later change moves nothing.
func TestReturnsStayOnTheirDay(t *testing.T) {
	changed := func(at string, refunded *record.Money, change ...func(*record.Payment)) *record.Payment {
		return thePayment("p", 900, append(change, func(p *record.Payment) {
			p.EventID, p.AmountRefunded, p.UpdatedAt = "a", refunded, clock(at)
		})...)
	}
	method := func(p *record.Payment) { p.Method = "card" }
	status := func(s record.PaymentStatus) func(*record.Payment) { return func(p *record.Payment) { p.Status = s } }
	for name, c := range map[string]struct {
		records []record.Record
		want    string // days on which something went back
	}{
		"changed later":               {[]record.Record{changed("21 10:00", eur(300)), changed("24 10:00", eur(300), method)}, "21 300 0"},
		"ever more":                   {[]record.Record{changed("21 10:00", eur(300)), changed("22 10:00", eur(500)), changed("24 10:00", eur(500), method)}, "21 300 0; 22 200 0"},
		"less again":                  {[]record.Record{changed("21 10:00", eur(500)), changed("22 10:00", eur(200))}, "21 200 0"},
		"an older version comes late": {[]record.Record{changed("24 10:00", eur(500)), changed("21 10:00", eur(300))}, "21 300 0; 24 200 0"},
		"a record for the first part": {[]record.Record{changed("21 10:00", eur(300)), changed("22 10:00", eur(500)), theRefund("r", "p", 300, "20 12:00")},
			"20 300 0; 22 200 0"},
		"a record for some of it": {[]record.Record{changed("21 10:00", eur(300)), changed("22 10:00", eur(500)), theRefund("r", "p", 100, "20 12:00")},
			"20 100 0; 21 200 0; 22 200 0"},
		"all, by its status": {[]record.Record{changed("21 10:00", eur(300)), changed("22 10:00", nil, status(record.PaymentRefunded)), changed("24 10:00", nil, status(record.PaymentRefunded), method)},
			"21 300 0; 22 600 0"},
		"charged back": {[]record.Record{changed("21 10:00", nil, status(record.PaymentChargedBack)), changed("24 10:00", nil, status(record.PaymentChargedBack), method)}, "21 0 900"},
	} {
		t.Run(name, func(t *testing.T) {
			log := newLog(append([]record.Record{theEvent("a")}, c.records...)...)
			for _, versions := range [][]record.Version{log.versions, log.folded(), reversed(log.versions)} {
				s := ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, complete)
				if got := returns(s.Event("a").SaleDays); got != c.want {
					t.Errorf("went back %q, want %q", got, c.want)
				}
				if r := &s.Event("a").Revenue; r.Net.Quality != figures.Estimated || !slices.Contains(r.Net.Reasons, figures.ReasonUndated) || r.Of(figures.Received).Quality != figures.Exact {
					t.Errorf("net %+v, received %+v", r.Net, r.Of(figures.Received))
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

// returns are the days on which money went back: refunded and charged back.
func returns(days []*figures.DayFigures) string {
	text := ""
	for _, d := range days {
		if r, b := d.Of(figures.Refunded).In("EUR"), d.Of(figures.ChargedBack).In("EUR"); r != 0 || b != 0 {
			text += fmt.Sprintf("; %s %d %d", d.Day[8:], r, b)
		}
	}
	return strings.TrimPrefix(text, "; ")
}

// A version counts from when it was read, where the service's clock is ahead of ours or says
// nothing.
func TestReturnsBySeenAt(t *testing.T) {
	refunded := thePayment("p", 900, func(p *record.Payment) { p.EventID, p.AmountRefunded = "a", eur(300) })
	for _, updated := range []string{"", "25 10:00"} {
		refunded.UpdatedAt = clock(updated)
		l := ledger(figures.Calendar{}, record.Version{Revision: 1, Head: true, Record: theEvent("a")},
			record.Version{Revision: 2, Head: true, Record: refunded, SeenAt: clock("23 10:00")})
		if got := returns(l.Snapshot(figures.Position{}, complete).Event("a").SaleDays); got != "23 300 0" {
			t.Errorf("updated %q: went back %q", updated, got)
		}
	}
}

// A ticket that was void without a time was so from the first version that said it.
func TestVoidStaysOnItsDay(t *testing.T) {
	void := func(at string, change ...func(*record.Ticket)) *record.Ticket {
		return theTicket("t", "a", append(change, func(t *record.Ticket) { t.Status, t.UpdatedAt = record.TicketVoid, clock(at) })...)
	}
	seat := func(t *record.Ticket) { t.Seat = "A 1" }
	for name, c := range map[string]struct {
		records []record.Record
		want    string
	}{
		"changed later":  {[]record.Record{void("21 10:00"), void("24 10:00", seat)}, "20 sold 1; 21 sold -1"},
		"comes late":     {[]record.Record{void("24 10:00", seat), void("21 10:00")}, "20 sold 1; 21 sold -1"},
		"reported after": {[]record.Record{void("21 10:00"), void("24 10:00", func(t *record.Ticket) { t.CancelledAt = clock("20 23:00") })}, "20 sold 0"},
		"valid again":    {[]record.Record{void("21 10:00"), theTicket("t", "a", func(t *record.Ticket) { t.UpdatedAt = clock("24 10:00") })}, "20 sold 1"},
	} {
		t.Run(name, func(t *testing.T) {
			log := newLog(append(c.records, theEvent("a"))...)
			for _, versions := range [][]record.Version{log.versions, log.folded(), reversed(log.versions)} {
				var days []string
				e := ledger(figures.Calendar{}, versions...).Snapshot(figures.Position{}, complete).Event("a")
				guessed := e.Revenue.Of(figures.Booked).Quality == figures.Estimated
				if want := strings.Contains(c.want, "sold -1"); guessed != want {
					t.Errorf("booked is estimated: %t, want %t", guessed, want)
				}
				for _, d := range e.SaleDays {
					days = append(days, fmt.Sprintf("%s sold %d", d.Day[8:], d.Sold))
				}
				if got := strings.Join(days, "; "); got != c.want {
					t.Errorf("days %q, want %q", got, c.want)
				}
			}
		})
	}
}

func scannedAt(at string) func(*record.Ticket) {
	return func(t *record.Ticket) { t.Scans = []record.Scan{{At: clock(at), Direction: record.Entry}} }
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
	l := ledger(figures.Calendar{}, newLog(theEvent("a"), theEvent("b"), theTicket("t", "a", scannedAt("19:00")), theTicket("u", "b", scannedAt("19:00")),
		thePayment("p", 5, func(p *record.Payment) { p.EventID = "a" })).versions...)
	one := func(event string) map[string]int { return map[string]int{event: 1} }
	for _, c := range []struct {
		name     string
		coverage figures.Coverage
		a, b     string
		total    string // booked, received
		loose    string
	}{
		{"nothing", figures.Coverage{}, "1 1 2000 5", "1 1 2000 0", "4000 5", "0 0"},
		{"a ticket", figures.Coverage{RefusedTickets: one("a")}, "≥1 ≥1 ≥2000 5", "1 1 2000 0", "≥4000 5", "0 0"},
		{"a payment", figures.Coverage{RefusedPayments: one("b")}, "1 1 2000 5", "1 1 2000 ≥0", "4000 ≥5", "0 0"},
		{"a scan", figures.Coverage{RefusedScans: one("b")}, "1 1 2000 5", "1 ≥1 2000 0", "4000 5", "0 0"},
		{"a ticket of nobody knows what", figures.Coverage{RefusedTickets: one("")}, "1 1 2000 5", "1 1 2000 0", "≥4000 5", "≥0 0"},
		{"a payment of an unknown event", figures.Coverage{RefusedPayments: one("z")}, "1 1 2000 5", "1 1 2000 0", "4000 ≥5", "0 ≥0"},
		{"tickets of other events", figures.Coverage{RefusedTickets: map[string]int{"z": 1, figures.OtherEvents: 1}}, "≥1 ≥1 ≥2000 5", "≥1 ≥1 ≥2000 0", "≥4000 5", "≥0 0"},
		{"payments of other events", figures.Coverage{RefusedPayments: map[string]int{"a": 1, figures.OtherEvents: 2}}, "1 1 2000 ≥5", "1 1 2000 ≥0", "4000 ≥5", "0 ≥0"},
		{"scans of other events", figures.Coverage{RefusedScans: one(figures.OtherEvents)}, "1 ≥1 2000 5", "1 ≥1 2000 0", "4000 5", "0 0"},
		{"nothing again", figures.Coverage{}, "1 1 2000 5", "1 1 2000 0", "4000 5", "0 0"},
	} {
		coverage := complete
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
