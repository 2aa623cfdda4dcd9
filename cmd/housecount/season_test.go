package main

import (
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/store/pgtest"
)

// seasonDays is how many days the chaos of a season lasts.
const seasonDays = 29

// TestSeason has a season of all faults in random combination, during which the program runs for an
// hour of each day, the night after it and the evening that follows; then every figure of the catalogue
// is held against the books while people are inside. On PostgreSQL the service lists tickets as parts of their orders,
// and some of them are taken out.
func TestSeason(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { season(t, sqlite(t), 1, false) })
	t.Run("postgres", func(t *testing.T) { season(t, pgtest.New(t), 1, true) })
}

// seldom are figures that may well be 0 everywhere on the evening that ends a season.
var seldom = []figures.Key{figures.KeyOversold, figures.KeyLeaving, figures.KeyChargedBack, figures.KeyReversed, figures.KeyRefundsPending, figures.KeyToPayBack, figures.KeyUnattributed}

func season(t *testing.T, database string, seed uint64, orders bool) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// The night to a Sunday in its first week has no hour from two to three.
		begin := time.Date(2000, 3, 23, 0, 0, 0, 0, time.UTC)
		until := func(day int, hour time.Duration) { time.Sleep(time.Until(begin.AddDate(0, 0, day).Add(hour))) }
		until(0, 17*time.Hour)
		h := newChaoticHouse(t, database, seed, slow, orders)
		h.step = 20 * time.Minute
		all := slices.Sorted(maps.Keys(troubles))
		if orders {
			all = withoutTestRecords(all)
		}
		for day := range seasonDays {
			until(day, 17*time.Hour)
			h.sleep(7 * time.Hour)
			stop := h.watch()
			for range 4 {
				h.befall(all)
				h.sleep(h.step)
				h.intervene()
			}
			stop()
		}
		h.control("fault", trouble{})
		// The lists are read whole in the night, once those of the last have become old.
		until(seasonDays+1, 150*time.Minute)
		stop := h.watch()
		until(seasonDays+1, 7*time.Hour)
		stop()
		until(seasonDays+1, 17*time.Hour+30*time.Minute)
		stop = h.watch()
		for time.Now().Before(begin.AddDate(0, 0, seasonDays+1).Add(18*time.Hour + 20*time.Minute)) {
			h.sleep(h.step)
			h.intervene()
		}
		h.stand()
		time.Sleep(still)
		stop()
		h.compare()
		b := booksOf(h.sandbox, h.figures)
		b.differences(h.figures)
		for _, d := range catalogue.All() {
			_, unknown := notInTheBooks[d.Key]
			if !orders && !unknown && !slices.Contains(seldom, d.Key) && b.compared[d.Key] == 0 {
				t.Errorf("%s is 0 wherever it was compared", d.Key)
			}
		}
	})
}
