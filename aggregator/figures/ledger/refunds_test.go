package ledger_test

import (
	"fmt"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Refunds are counted once by reason, whichever way the service reports them, and add up to what was refunded.
func TestRefundsByReason(t *testing.T) {
	of := func(event, reason string) func(*record.Payment) {
		return func(p *record.Payment) { p.EventID, p.Reason = event, reason }
	}
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Event("b"),
		foldtest.Payment("p1", 3000, of("a", "")), foldtest.Refund("r1", "p1", 1000, "20 10:00", of("a", "Illness")), foldtest.Refund("r2", "p1", 500, "20 11:00", of("a", "")),
		foldtest.Payment("p2", 2000, of("a", ""), func(p *record.Payment) { p.Status = record.PaymentRefunded }), foldtest.Refund("r3", "p2", 2000, "21 10:00", of("a", "Illness")),
		foldtest.Payment("p3", 700, of("a", "Wrong date"), func(p *record.Payment) { p.AmountRefunded, p.UpdatedAt = foldtest.Eur(300), foldtest.Clock("21 12:00") }),
		foldtest.Payment("p4", 900, of("b", "Wrong date")), foldtest.Refund("r4", "p4", 5000, "21 13:00", of("b", "")),
		foldtest.Refund("r5", "p4", 400, "21 14:00", of("b", "Late"), func(p *record.Payment) { p.Status = record.PaymentPending }),
	)
	for event, want := range map[string]string{"a": "Illness 2 3000;  1 500; Wrong date 1 300", "b": "Wrong date 1 900"} {
		if got := told(s.Event(event).Refunds()); got != want {
			t.Errorf("of %s: %s, want %s", event, got, want)
		}
	}
	if got, want := told(figures.RefundsByReason([]figures.DayFigures{*s.Days[len(s.Days)-1]})), "Illness 1 2000; Wrong date 2 1200"; got != want {
		t.Errorf("of the last day: %s, want %s", got, want)
	}
}

// One refund of an order of three performances is one of each, and one of the house.
func TestRefundOfSeveralPerformancesIsOne(t *testing.T) {
	order := func(p *record.Payment) { p.OrderID, p.Reason = "o", "Illness" }
	s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), foldtest.Event("b"), foldtest.Event("c"),
		foldtest.Ticket("t1", "a", func(t *record.Ticket) { t.OrderID = "o" }), foldtest.Ticket("t2", "b", func(t *record.Ticket) { t.OrderID = "o" }), foldtest.Ticket("t3", "c", func(t *record.Ticket) { t.OrderID = "o" }),
		foldtest.Payment("p", 6000, order), foldtest.Refund("r", "p", 6000, "20 10:00", order))
	if got := told(figures.RefundsByReason([]figures.DayFigures{*s.Days[len(s.Days)-1]})); got != "Illness 1 6000" {
		t.Errorf("of the house: %s", got)
	}
	for _, event := range []string{"a", "b", "c"} {
		if got := told(s.Event(event).Refunds()); got != "Illness 1 2000" {
			t.Errorf("of %s: %s", event, got)
		}
	}
}

// A later version that gives the reason, as after an upgrade, moves the refund to it and counts nothing twice; one that takes it
// away moves it back.
func TestReasonComesLater(t *testing.T) {
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	refund := func(reason string) {
		l.Add(foldtest.Refund("r", "p", 1000, "20 10:00", func(p *record.Payment) { p.EventID, p.Reason = "a", reason }))
	}
	l.Add(foldtest.Event("a"))
	l.Add(foldtest.Payment("p", 3000, func(p *record.Payment) { p.EventID = "a" }))
	for _, c := range []struct{ reason, want string }{{"", " 1 1000"}, {"Illness", "Illness 1 1000"}, {"Illness", "Illness 1 1000"}, {"", " 1 1000"}} {
		refund(c.reason)
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		if got := told(s.Event("a").Refunds()); got != c.want {
			t.Errorf("after %q: %s, want %s", c.reason, got, c.want)
		}
		if got := s.Total.Of(figures.Refunded).Value.In("EUR"); got != 1000 {
			t.Errorf("after %q: refunded %d", c.reason, got)
		}
	}
}

func told(all []figures.RefundsFor) string {
	var lines []string
	for _, r := range all {
		lines = append(lines, fmt.Sprint(r.Reason, " ", r.Number, " ", r.Amount))
	}
	return strings.Join(lines, "; ")
}

// checkRefunds holds the refunds by reason against what was refunded, of each performance, of each day and of all.
func checkRefunds(t *testing.T, s *figures.Snapshot) {
	t.Helper()
	sum := func(all []figures.RefundsFor) (sums figures.Sums) {
		for _, r := range all {
			sums = sums.Plus(record.Money{Amount: r.Amount, Currency: r.Currency}, 1)
		}
		return sums
	}
	days := func(all []*figures.DayFigures) (numbers int) {
		for _, d := range all {
			refunds := figures.RefundsByReason([]figures.DayFigures{*d})
			foldtest.EqualSums(t, "refunded by reason on "+string(d.Day), sum(refunds), d.Of(figures.Refunded))
			for _, r := range refunds {
				numbers += r.Number
			}
		}
		return numbers
	}
	parts := days(s.UnattributedDays)
	for _, e := range s.Events {
		foldtest.EqualSums(t, "refunded by reason of "+e.Event.ID, sum(e.Refunds()), e.Revenue.Of(figures.Refunded).Value)
		parts += days(e.SaleDays)
	}
	if all := days(s.Days); all != parts {
		t.Errorf("%d refunds in all, %d of performances and of none", all, parts)
	}
}
