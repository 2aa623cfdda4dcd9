package web

import (
	"testing"
	"time"

	"housecount/aggregator/figures"
)

func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{count(0), "0"}, {count(1280), "1,280"}, {count(-12), "−12"}, {signed(31), "+31"}, {signed(-3), "−3"}, {signed(0), "0"},
		{percent(.9206), "92.1\u00a0%"}, {percent(1.03), "103.0\u00a0%"}, {percent(.9999), "99.9\u00a0%"}, {percent(1), "100.0\u00a0%"}, {percent(0), "0.0\u00a0%"},
		{wholePercent(.999), "99"}, {wholePercent(1), "100"}, {wholePercent(.9206), "92"},
		{change(150, 100), "+50.0\u00a0%"}, {change(50, 100), "−50.0\u00a0%"}, {change(100, 100), "0.0\u00a0%"}, {change(2995, 10), "+29,850.0\u00a0%"},
		{rate(0), "0"}, {rate(3), "0.6"}, {rate(107), "21"}, {rate(5), "1"},
		{plural(1, "place"), "1\u00a0place"}, {plural(2, "person", "people"), "2\u00a0people"}, {spelled(3), "three"}, {spelled(13), "13"},
		{list(nil), ""}, {list([]string{"a"}), "a"}, {list([]string{"a", "b", "c"}), "a, b and c"}, {clip("abcdef", 4), "abc…"}, {clip("abc", 3), "abc"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 20, 19, 52, 40, 0, time.UTC)
	for _, test := range []struct{ got, want string }{
		{countdown(now, now.Add(23*time.Minute)), "in 23\u00a0min"},
		{countdown(now, time.Date(2026, 11, 20, 20, 15, 0, 0, time.UTC)), "in 23\u00a0min"}, // as the two clocks on the page read
		{countdown(now, now), "now"}, {countdown(now, now.Add(-90*time.Minute)), "1\u00a0h\u00a030\u00a0min ago"},
		{countdown(now, now.Add(200*time.Minute)), "in 3\u00a0h\u00a020\u00a0min"}, {countdown(now, now.Add(410*time.Minute)), "in 6\u00a0h"}, {countdown(now, now.AddDate(0, 0, 3)), "in 3\u00a0days"}, {countdown(now, now.AddDate(0, 0, -3)), "3\u00a0days ago"},
		{wait(now.Add(3*time.Second), now), "next update in 3\u00a0s"}, {wait(now.Add(-time.Second), now), "updating now"}, {wait(now.Add(41*time.Second), now), "next update in 50\u00a0s"}, {wait(now.Add(14*time.Minute), now), "next update in 14\u00a0min"}, {wait(time.Time{}, now), ""},
		{took(200 * time.Millisecond), "0.2\u00a0s"}, {took(time.Millisecond), "under 0.1\u00a0s"},
		{dayWords("2026-11-20", "2026-11-20"), "Friday 20 November"}, {dayWords("2027-01-01", "2026-11-20"), "Friday 1 January 2027"}, {dayShort("nonsense", "2026-11-20"), "—"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestMoney(t *testing.T) {
	for _, test := range []struct {
		amount                 int64
		code, text, majorUnits string
	}{
		{120450, "EUR", "€1,204.50", "1204.50"}, {-5, "EUR", "−€0.05", "-0.05"}, {1200, "JPY", "¥1,200", "1200"}, {1234, "BHD", "BHD\u00a01.234", "1.234"},
		{9_007_199_254_740_993, "EUR", "€90,071,992,547,409.93", "90071992547409.93"}, // no float would keep the last digit
		{5, "<b>", "5\u00a0<b> (minor units)", "5"},
	} {
		if got := money(test.amount, test.code); got != test.text {
			t.Errorf("money(%d, %s) = %q, want %q", test.amount, test.code, got, test.text)
		}
		if got := string(major(test.amount, test.code)); got != test.majorUnits {
			t.Errorf("major(%d, %s) = %q, want %q", test.amount, test.code, got, test.majorUnits)
		}
	}
	s := figures.Sums{{Amount: 100, Currency: "EUR"}, {Amount: 200, Currency: "USD"}}
	if got := sums(s); got != "€1.00 and $2.00" {
		t.Errorf("sums = %q", got)
	}
	if got := currencies(s, figures.Sums{{Amount: -1, Currency: "CHF"}}, figures.Sums{{Amount: 7, Currency: "EUR"}}); len(got) != 3 || got[0] != "CHF" {
		t.Errorf("currencies = %q", got)
	}
}

func TestGatesBeyondTheFifthAreOne(t *testing.T) {
	e := &figures.EventFigures{}
	for i := range 9 {
		e.Gates = append(e.Gates, figures.GateFigures{Gate: string(rune('A' + i)), Entries: 2, Minutes: []figures.MinuteCount{{Minute: 1, Count: 1}, {Minute: int64(2 + i), Count: 1}}})
	}
	gates := gatesOf(e)
	if len(gates) != plotGates+1 || gates[plotGates].label() != "Other gates" || gates[plotGates].Entries != 8 {
		t.Fatalf("%d gates, the last %+v", len(gates), gates[len(gates)-1])
	}
	sum := 0
	for _, m := range gates[plotGates].Minutes {
		sum += m.Count
	}
	if sum != 8 || gates[plotGates].Minutes[0].Count != 4 {
		t.Errorf("minutes %+v", gates[plotGates].Minutes)
	}
	if e.Gates[5].Entries != 2 || len(e.Gates[5].Minutes) != 2 {
		t.Error("the snapshot was changed")
	}
}

func TestBar(t *testing.T) {
	b := newBar("x", 100, piece{"paid", 80}, piece{"comp", 0}, piece{"resv", 23})
	if len(b.Parts) != 2 || b.Parts[1].X != "77.67%" || b.Mark != "97.09%" {
		t.Errorf("an oversold bar: %+v", b)
	}
	if b := newBar("x", 0, piece{"paid", -3}); len(b.Parts) != 0 || b.Mark != "" {
		t.Errorf("an empty bar: %+v", b)
	}
}
