package sandbox

import "time"

const (
	// yearDays are the days from a weekday to the same one a year before.
	yearDays = 52 * 7
	// lastSeasonDemand is the demand then beside that of this season.
	lastSeasonDemand = .96
)

// isLastSeason reports whether day n after the start is before this season.
func (h *house) isLastSeason(n int) bool { return h.seasons > 1 && n < -h.past }

// hasDay reports whether the performances of day n after the start are part of the house.
func (h *house) hasDay(n int) bool {
	if n >= -h.past {
		return true
	}
	year := n + yearDays
	return h.isLastSeason(n) && year >= -h.past && year <= h.coming
}

// The campaign of a house of two seasons, which is for what goes on in the four weeks after it: its first day, counted
// from the start, its number of days, and the code and the referral of what was sold by it.
const (
	campaignFrom, campaignDays, campaignWeeks = -11, 6, 4
	campaignCode, campaignReferral            = "NAJAAR15", "instagram"
	campaignPercent                           = 15
	// campaignShare is what it sold, of the places of those performances.
	campaignShare = .1
	// campaignOrders is from which number on the orders of a show are those of the campaign.
	campaignOrders = 1 << 41
)

// Campaign returns the first day of the campaign that worked, at midnight, and the number of its days; ok is false
// if the house has none.
func (s *Sandbox) Campaign() (from time.Time, days int, ok bool) {
	return s.house.day(campaignFrom, 0, 0), campaignDays, s.house.seasons > 1
}

// planCampaign plans the orders of a show that the campaign brings.
func (h *house) planCampaign(s *show) {
	from, until := h.day(campaignFrom, 0, 0), h.day(campaignFrom+campaignDays, 0, 0)
	if h.seasons < 2 || s.onSale.After(from) || s.event.StartsAt.Before(until) || s.event.StartsAt.After(until.AddDate(0, 0, 7*campaignWeeks)) {
		return
	}
	c := h.rng(forCampaign, s.key)
	for k := range int(float64(s.hall.capacity)*campaignShare/meanOrderSize + c.Float64()) {
		at := from.Add(c.between(0, until.Sub(from)))
		for !c.chance(hourlyDemand[at.In(h.zone).Hour()]) {
			at = from.Add(c.between(0, until.Sub(from)))
		}
		h.at(at, func() { h.makeOrder(s, campaignOrders+uint64(k)) })
	}
}

// byCampaign makes a sale on the web one of the campaign.
func (w *sale) byCampaign() {
	if w.channel != "web" || w.price == 0 || w.discount != "" {
		return
	}
	w.referral, w.discount = campaignReferral, campaignCode
	w.price -= w.price * campaignPercent / 100
}
