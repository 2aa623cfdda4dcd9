package evening_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// One comparable performance is listed, and says nothing of what is usual or of how a sale will end.
func TestOneComparable(t *testing.T) {
	titled := func(e *record.Event) { e.Title = "own" }
	p := paceOf(foldtest.Together(pastSale("own", -7, titled, 24*8), pastSale("before", 7, titled, 24*8, 3)), "own")
	if got := comparableNames(p.Comparables); got != "before title+hall+weekday+prices 1/2" {
		t.Errorf("comparable is %q", got)
	}
	for name, f := range map[string]figures.Figure[int]{"usual": p.Usual, "finish": p.Finish} {
		if f.Known() || fmt.Sprint(f.Reasons) != fmt.Sprint([]figures.Reason{figures.ReasonFewComparables}) {
			t.Errorf("%s is %+v", name, f)
		}
	}
	if p.Sold.Value != 1 || p.Error.Known() || len(p.Points) > 0 {
		t.Errorf("one comparable makes %+v", p)
	}
}

// Forty thousand discount codes, each of one ticket: all of them are there, and sum to what was sold and
// booked, in a performance and in marketing; one whose ticket is taken back is gone.
func TestLedgerTakesFortyThousandCodes(t *testing.T) {
	const codes = 40_000
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	l.Add(foldtest.Event("a"))
	for i := range codes {
		l.Add(foldtest.Ticket(fmt.Sprint("t", i), "a", func(r *record.Ticket) { r.DiscountCode = fmt.Sprint("code", i) }))
	}
	check := func(want int) {
		t.Helper()
		s := l.Snapshot(figures.Position{}, foldtest.Complete)
		of := func(parts []figures.PartFigures) (sold int, booked int64) {
			for _, p := range parts {
				sold, booked = sold+p.Sold, booked+p.Of(figures.Booked).In("EUR")
			}
			return sold, booked
		}
		all := s.Event("a").Parts[figures.ByCode].All()
		m := marketing.Of(foldtest.Evening(s, foldtest.Clock("22:00")), "2026-11-20", "2026-11-20")
		sold, booked := of(all)
		soldInAll, bookedInAll := of(m.Parts[figures.ByCode])
		if len(all) != want || sold != want || booked != int64(want)*2000 || soldInAll != want || bookedInAll != booked || s.Event("a").Sold.Value != want {
			t.Errorf("%d codes: %d sold and %d booked, in marketing %d and %d, want %d", len(all), sold, booked, soldInAll, bookedInAll, want)
		}
	}
	check(codes)
	l.Add(foldtest.Ticket("t7", "a", func(r *record.Ticket) {
		r.DiscountCode, r.Status, r.CancelledAt, r.UpdatedAt = "code7", record.TicketVoid, foldtest.Clock("11:00"), foldtest.Clock("11:00")
	}))
	check(codes - 1)
}

// On the days of 25 and of 23 hours, everything that moved is of one day, the hour that comes twice or
// never among it, and days sum to what was booked in all.
func TestLongAndShortDays(t *testing.T) {
	calendar := foldtest.Amsterdam(t, 6*time.Hour)
	for _, c := range []struct {
		name  string
		first time.Time // a sale at the half of each hour from here on
		hours int
		want  string
	}{
		{"25 hours", time.Date(2026, 10, 24, 4, 30, 0, 0, time.UTC), 25, "2026-10-24 25"},
		{"23 hours", time.Date(2026, 3, 28, 5, 30, 0, 0, time.UTC), 23, "2026-03-28 23"},
	} {
		l := &foldtest.Versions{Ledger: ledger.New(calendar)}
		l.Add(foldtest.Event("a"))
		for i := range c.hours + 2 { // one before, and one after
			l.Add(foldtest.Ticket(fmt.Sprint("t", i), "a", func(r *record.Ticket) { r.SoldAt = c.first.Add(time.Duration(i-1) * time.Hour) }))
		}
		s, got, sum := l.Snapshot(figures.Position{}, foldtest.Complete), "", int64(0)
		for i, d := range s.Event("a").SaleDays {
			sum += d.Of(figures.Booked).In("EUR")
			if i == 1 {
				got = fmt.Sprint(d.Day, " ", d.Sold)
			}
		}
		if got != c.want || len(s.Event("a").SaleDays) != 3 || sum != s.Event("a").Revenue.Of(figures.Booked).Value.In("EUR") {
			t.Errorf("%s: %q of %d days, %d booked, want %q", c.name, got, len(s.Event("a").SaleDays), sum, c.want)
		}
	}
}
