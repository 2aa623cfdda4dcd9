package compare

import (
	"math"
	"slices"

	"housecount/aggregator/figures/evening"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// CampaignSales are the places sold on the days of a campaign that are over, against what is usual on such days.
type CampaignSales struct {
	From, To figures.Day // To is before From if no day is over
	Sold     int
	// Usual is the mean of what was sold on the same weekdays, Times times before; it is not known if they are fewer than
	// fewestBefore.
	Usual float64
	Times int
	// Margin is by how much what is sold on such days differs from Usual by chance, in nine of ten cases.
	Margin float64
}

const (
	// fewestBefore and mostBefore are how many earlier times are needed and used, and longestBefore is how many days back
	// they go at most.
	fewestBefore  = 4
	mostBefore    = 8
	longestBefore = 364
	// manyReleased is from how many performances that went on sale on one day on it is no ordinary day.
	manyReleased = 10
)

// chance are the quantiles of Student's t distribution at 0.95, by degrees of freedom from fewestBefore-1 to mostBefore-1.
var chance = [...]float64{2.353, 2.132, 2.015, 1.943, 1.895}

// Campaign returns the sales of a campaign that began on a day and lasts some days. Earlier days of other campaigns, those that a
// note calls exceptional and, unless there are such days in the campaign, those on which many performances went on sale are not
// compared with.
//
// What an ordinary time would have sold is a prediction of one further observation from k before: their mean, and with
// probability 0.9 within t(0.95; k−1) · s · √(1 + 1/k) of it, where s is their standard deviation (Meeker, Hahn and Escobar,
// Statistical Intervals, 2nd edition, 2017, section 4.7). It takes the times to be independent and about normal, which sums of
// some days are.
func Campaign(v *evening.Evening, from figures.Day, days int) (c CampaignSales) {
	c.From, c.To = from, CampaignEnds(v, from, days)
	all := v.Snapshot.Days
	if c.To < c.From || len(all) == 0 {
		return c
	}
	c.Sold = soldBetween(all, c.From, c.To)
	released := manyWentOnSale(v, c.From, c.To)
	weeks := (c.To.Since(c.From) + 7) / 7
	var before []float64
	for back := 7 * weeks; back <= longestBefore && len(before) < mostBefore; back += 7 * weeks {
		first, last := c.From.Add(-back), c.To.Add(-back)
		if first < all[0].Day {
			break
		}
		if isOrdinary(v, first, last) && (released || !manyWentOnSale(v, first, last)) {
			before = append(before, float64(soldBetween(all, first, last)))
		}
	}
	k := len(before)
	if k < fewestBefore {
		return c
	}
	c.Times = k
	for _, n := range before {
		c.Usual += n / float64(k)
	}
	squares := 0.0
	for _, n := range before {
		squares += (n - c.Usual) * (n - c.Usual)
	}
	c.Margin = chance[k-fewestBefore] * math.Sqrt(squares/float64(k-1)) * math.Sqrt(1+1/float64(k))
	return c
}

// CampaignEnds returns the last day of a campaign that is over; it is before from if none is.
func CampaignEnds(v *evening.Evening, from figures.Day, days int) figures.Day {
	return min(from.Add(days-1), v.Today.Add(-1))
}

// Known reports whether it is known what is usual.
func (c *CampaignSales) Known() bool { return c.Times > 0 }

// More returns how many places more than usual were sold, and the bounds of that, rounded away from it.
func (c *CampaignSales) More() (n, low, high int) {
	more := float64(c.Sold) - c.Usual
	return int(math.Round(more)), int(math.Floor(more - c.Margin)), int(math.Ceil(more + c.Margin))
}

// MayBeChance reports whether the bounds of More include none, so that what was sold cannot be told from chance.
func (c *CampaignSales) MayBeChance() bool {
	_, low, high := c.More()
	return low <= 0 && high >= 0
}

// isOrdinary reports whether no campaign ran on some days and none is exceptional.
func isOrdinary(v *evening.Evening, first, last figures.Day) bool {
	for day := range v.Snapshot.House.ExceptionalDays() {
		if day >= first && day <= last {
			return false
		}
	}
	return !slices.ContainsFunc(v.Snapshot.House.All(record.SettingCampaign), func(s *record.Setting) bool {
		begins := figures.Day(s.From)
		return begins <= last && begins.Add(int(*s.Value)-1) >= first
	})
}

// manyWentOnSale reports whether many performances were sold for the first time on one of some days.
func manyWentOnSale(v *evening.Evening, first, last figures.Day) bool {
	on := map[figures.Day]int{}
	for _, e := range v.FirstSold(first, last) {
		if on[e.SaleDays[0].Day]++; on[e.SaleDays[0].Day] == manyReleased {
			return true
		}
	}
	return false
}

// soldBetween returns how many places were sold on the days first..last.
func soldBetween(days []*figures.DayFigures, first, last figures.Day) (n int) {
	for _, d := range evening.Between(days, first, last) {
		n += d.Sold
	}
	return n
}
