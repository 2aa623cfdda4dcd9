package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// SoldDays are sold places by day of sale and channel.
type SoldDays struct {
	rows      []placesOn // by day, then channel; none is 0
	changed   bool       // since they were published
	published []figures.ChannelDay
}

// placesOn are places that were sold on a day through a channel.
type placesOn struct {
	day     figures.DayNumber
	channel Ref
	places  int
}

// compare compares by day, then channel.
func (on placesOn) compare(o placesOn) int {
	return cmp.Or(cmp.Compare(on.day, o.day), cmp.Compare(on.channel, o.channel))
}

// Add adds places that were sold on a day through a channel; a negative number removes them.
func (s *SoldDays) Add(day figures.DayNumber, channel Ref, places int) {
	on := placesOn{day: day, channel: channel}
	i, found := slices.BinarySearchFunc(s.rows, on, placesOn.compare)
	if !found {
		s.rows = slices.Insert(s.rows, i, on)
	}
	if s.rows[i].places += places; s.rows[i].places == 0 {
		s.rows = slices.Delete(s.rows, i, i+1)
	}
	s.changed = true
}

// Publish returns the sold places that have a time of sale, by day, then channel. If nothing changed it returns what it
// returned last.
func (s *SoldDays) Publish(n *Names) []figures.ChannelDay {
	if !s.changed {
		return s.published
	}
	s.changed, s.published = false, nil
	for _, on := range s.rows {
		s.published = append(s.published, figures.ChannelDay{Day: on.day, Places: int32(on.places), Channel: n.Text(on.channel)})
	}
	slices.SortFunc(s.published, func(a, b figures.ChannelDay) int { // by name, because refs are in the order in which records came
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Channel, b.Channel))
	})
	s.published = fitted(s.published)
	return s.published
}

// Leads returns the sold places that have a time of sale, by days from the sale to a date.
func (s *SoldDays) Leads(date figures.DayNumber) (bands [figures.LeadBandCount]int) {
	for _, on := range s.rows {
		bands[LeadBandOf(int(date-on.day))] += on.places
	}
	return bands
}

// LeadBandOf returns the index of the lead-time band for a number of days between sale and performance.
func LeadBandOf(days int) (i int) {
	for i < len(figures.LeadEnds) && days >= figures.LeadEnds[i] {
		i++
	}
	return i
}
