package marketing

import "housecount/aggregator/figures/evening"

// BestAndLeastFilled returns the performances that are over with the highest and the lowest occupancy, the first of those that
// are alike; ok is false if that is one performance, or none.
func BestAndLeastFilled(shows []*evening.Show) (best, least *evening.Show, ok bool) {
	for _, s := range shows {
		if s.Phase != evening.Over || !s.Occupancy().Known() {
			continue
		}
		if best == nil || s.Occupancy().Value > best.Occupancy().Value {
			best = s
		}
		if least == nil || s.Occupancy().Value < least.Occupancy().Value {
			least = s
		}
	}
	return best, least, best != least
}
