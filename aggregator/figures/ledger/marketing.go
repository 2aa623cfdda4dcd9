package ledger

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/sums"
)

// postMethod adds money received to its method (n = 1) or removes it (n = −1).
func (e *eventAccount) postMethod(p posting, n int) {
	if p.Measure == figures.Received && !p.unmapped {
		entry(e.methods, p.listed).Add(p.Amount.Times(n))
	}
}

// methodFigures returns the account's methods, by name.
func (e *eventAccount) methodFigures(n *sums.Names) (all []figures.MethodFigures) {
	for method, received := range e.methods {
		if sums := received.Publish(n).Of(figures.Received); len(sums) > 0 {
			all = append(all, figures.MethodFigures{Name: n.Text(method), Received: sums})
		}
	}
	slices.SortFunc(all, func(a, b figures.MethodFigures) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// placesOn are places that were sold on a day through a channel.
type placesOn struct {
	day     figures.DayNumber
	channel sums.Ref
	places  int
}

// compare compares by day, then channel.
func (on placesOn) compare(o placesOn) int {
	return cmp.Or(cmp.Compare(on.day, o.day), cmp.Compare(on.channel, o.channel))
}

// countSoldOn adds places that were sold on a day through a channel; a negative number removes them.
func (e *eventAccount) countSoldOn(day figures.DayNumber, channel sums.Ref, places int) {
	on := placesOn{day: day, channel: channel}
	i, found := slices.BinarySearchFunc(e.soldOn, on, placesOn.compare)
	if !found {
		e.soldOn = slices.Insert(e.soldOn, i, on)
	}
	if e.soldOn[i].places += places; e.soldOn[i].places == 0 {
		e.soldOn = slices.Delete(e.soldOn, i, i+1)
	}
	e.soldOnChanged = true
}

// channelDays returns the sold places that have a time of sale, by day, then channel. If nothing changed it
// returns what it returned last.
func (e *eventAccount) channelDays(n *sums.Names) []figures.ChannelDay {
	if !e.soldOnChanged && e.published != nil {
		return e.published.ChannelDays
	}
	e.soldOnChanged = false
	if len(e.soldOn) == 0 {
		return nil
	}
	days := make([]figures.ChannelDay, len(e.soldOn))
	for i, on := range e.soldOn {
		days[i] = figures.ChannelDay{Day: on.day, Places: int32(on.places), Channel: n.Text(on.channel)}
	}
	slices.SortFunc(days, func(a, b figures.ChannelDay) int { // by name, because refs are in the order in which records came
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Channel, b.Channel))
	})
	return days
}

// leads returns the sold places that have a time of sale, by days between sale and performance.
func (e *eventAccount) leads() (bands [figures.LeadBandCount]int) {
	date, _ := e.day.Number()
	for _, on := range e.soldOn {
		bands[leadBandOf(int(date-on.day))] += on.places
	}
	return bands
}
