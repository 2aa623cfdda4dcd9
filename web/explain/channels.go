package explain

import (
	"cmp"
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
)

// channelRow is what was sold through a channel today.
type channelRow struct{ Name, Places string }

// channelsToday returns the places that were sold today by channel, the most first, for a figure of what was sold or booked today
// for a performance or the whole house, of the whole day. The last rows have what they differ by from the figure: what was
// cancelled that was sold before, and what is dated later than now.
func (b builder) channelsToday(x *catalogue.Explanation) (rows []channelRow) {
	if x.Key != figures.KeySoldToday && x.Key != figures.KeyBookedToday || x.Scope != (figures.Scope{Event: x.Scope.Event}) || x.Event == nil && !b.Access.WholeHouse() {
		return nil
	}
	days, events := b.Snapshot.Days, b.Snapshot.Events
	if x.Event != nil {
		days, events = x.Event.SaleDays, []*figures.EventFigures{x.Event}
	}
	today, _ := b.Evening.Today.Number()
	sold := 0
	for _, d := range evening.Between(days, b.Evening.Today, b.Evening.Today) {
		sold += d.Sold
	}
	later := b.Evening.BookedToday(days).Sold - sold
	places := map[string]int{}
	for _, e := range events {
		for _, d := range e.ChannelDays {
			if d.Day == today {
				places[d.Channel] += int(d.Places)
				sold -= int(d.Places)
			}
		}
	}
	for _, channel := range slices.SortedFunc(maps.Keys(places), func(x, y string) int { return cmp.Or(places[y]-places[x], cmp.Compare(x, y)) }) {
		rows = append(rows, channelRow{b.PartTitle(figures.OfChannels, channel), b.Count(places[channel])})
	}
	switch {
	case len(rows) == 0:
		return nil
	case sold < 0:
		rows = append(rows, channelRow{b.Text("explain.channels_cancelled"), b.Signed(sold)})
	case sold > 0:
		rows = append(rows, channelRow{b.Text("explain.channels_other"), b.Count(sold)})
	}
	if later != 0 {
		rows = append(rows, channelRow{b.Text("explain.channels_later"), b.Signed(later)})
	}
	return rows
}
