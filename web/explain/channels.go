package explain

import (
	"cmp"
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
)

// channelRow is what was sold through a channel today.
type channelRow struct{ Name, Places string }

// channelsToday returns the places that were sold today by channel, the most first, for a figure of what was sold or booked today
// for a performance or the whole house. A last row has what they differ by from what is sold less what was cancelled.
func (b builder) channelsToday(x *catalogue.Explanation) (rows []channelRow) {
	if x.Key != figures.KeySoldToday && x.Key != figures.KeyBookedToday || x.Scope != (figures.Scope{Event: x.Scope.Event}) || x.Event == nil && !b.Access.WholeHouse() {
		return nil
	}
	sold, events := b.Evening.House.Today.Sold, b.Snapshot.Events
	if x.Event != nil {
		sold, events = b.Evening.BookedToday(x.Event.SaleDays).Sold, []*figures.EventFigures{x.Event}
	}
	today, _ := b.Evening.Today.Number()
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
	case len(rows) > 0 && sold < 0:
		rows = append(rows, channelRow{b.Text("explain.channels_cancelled"), b.Signed(sold)})
	case len(rows) > 0 && sold > 0:
		rows = append(rows, channelRow{b.Text("explain.channels_other"), b.Count(sold)})
	}
	return rows
}
