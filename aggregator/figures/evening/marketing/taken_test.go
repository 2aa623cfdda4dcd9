package marketing_test

import (
	"fmt"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// What was taken by the end of a day is the most that was ever left, less what was left then: places that are added later do not
// count as sold before.
func TestTakenByDay(t *testing.T) {
	v := foldtest.Evening(foldtest.Fold(ledger.Coverage{}, foldtest.Event("a", func(e *record.Event) { e.Available = new(60) })), foldtest.Clock("12:00"))
	s := v.Show(v.Snapshot.Event("a"))
	left := func(at string, n int) figures.MinuteFigures {
		return figures.MinuteFigures{Minute: foldtest.Clock(at).Unix() / 60, Available: &n}
	}
	past := []figures.MinuteFigures{{Minute: foldtest.Clock("15 09:00").Unix() / 60}, left("16 10:00", 100), left("16 22:00", 90), left("18 10:00", 110), left("18 11:00", 80)}
	for _, c := range []struct {
		most int
		want string
	}{
		{30, "2026-11-16 [{90 10} {90 10} {80 30} {80 30} {60 50}]"},
		{2, "2026-11-19 [{80 30} {60 50}]"},
	} {
		first, days := marketing.TakenByDay(v, s, past, c.most)
		if got := fmt.Sprint(first, " ", days); got != c.want {
			t.Errorf("%d days: %s, want %s", c.most, got, c.want)
		}
	}
	if _, days := marketing.TakenByDay(v, s, past[:1], 30); days != nil {
		t.Errorf("nothing was reported: %v", days)
	}
	sold := foldtest.At("12:00", foldtest.Event("a", func(e *record.Event) { e.Available = new(60) }), foldtest.Ticket("t", "a"))
	if _, days := marketing.TakenByDay(sold, foldtest.ShowOf(t, sold, "a"), past, 30); days != nil {
		t.Errorf("what is sold is known: %v", days)
	}
}
