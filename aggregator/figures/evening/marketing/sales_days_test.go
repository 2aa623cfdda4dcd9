package marketing_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// Places are listed by the day on which they were sold and by channel; a longer time has weeks that begin on Monday,
// or else months. What is dated ahead, or has no time, is in no bucket.
func TestSalesDays(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		name  string
		first time.Duration // before the last sale
		want  string        // the first buckets
	}{
		{"days", 2 * day, "[2026-11-18..2026-11-18 [1 0 0] 2026-11-19..2026-11-19 [0 0 0]]"},
		{"weeks", 100 * day, "[2026-08-12..2026-08-16 [1 0 0] 2026-08-17..2026-08-23 [0 0 0]]"},
		{"months", 600 * day, "[2025-03-30..2025-03-31 [1 0 0] 2025-04-01..2025-04-30 [0 0 0]]"},
	} {
		now := foldtest.Clock("12:00")
		sold := func(id, channel string, at time.Time) record.Record {
			return &record.Ticket{ID: id, EventID: "a", Status: record.TicketValid, Channel: channel, SoldAt: at, UpdatedAt: now}
		}
		s := foldtest.Fold(foldtest.Complete, foldtest.Event("a"), sold("t1", "web", now.Add(-c.first)), sold("t2", "web", now), sold("t3", "web", now), sold("t4", "phone", now),
			sold("undated", "web", time.Time{}), sold("ahead", "web", now.AddDate(0, 0, 3)))
		m := marketing.Of(evening.At(s, now), "0000-01-01", "9999-12-31")
		var rows []string
		all := m.Days.Undated
		for i := range m.Days.Buckets {
			b := &m.Days.Buckets[i]
			rows, all = append(rows, fmt.Sprintf("%s..%s %v", b.From, b.To, b.Sold)), all+b.All()
		}
		last := m.Days.Buckets[len(rows)-1]
		if got := fmt.Sprint(rows[:2]); got != c.want || !slices.Equal(last.Sold, []int{2, 1, 0}) || last.To != "2026-11-20" {
			t.Errorf("%s: %s … %+v, want %s", c.name, got, last, c.want)
		}
		if all != m.Sold.Value || m.Days.Undated != 2 || !slices.Equal(m.Days.Channels, []string{"web", "phone"}) {
			t.Errorf("%s: %d and %d undated in %q, of %d", c.name, all, m.Days.Undated, m.Days.Channels, m.Sold.Value)
		}
	}
}
