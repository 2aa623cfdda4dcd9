package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// SoldDays are sold places by day of sale and channel, with what was booked for them.
type SoldDays struct {
	rows      []placesOn // in the order of their keys; none has nothing
	changed   bool       // since they were published
	published []figures.ChannelDay
}

// placesOn are places that were sold on a day through a channel, and what was booked for them.
type placesOn struct {
	day               figures.DayNumber
	channel, currency Ref
	goods             bool // what is booked is of no place
	places, priced    int
	booked            int64
}

// compare compares by key: by day, then channel, then currency.
func (on *placesOn) compare(o *placesOn) int {
	goods := 0
	if on.goods != o.goods {
		goods = 1
		if o.goods {
			goods = -1
		}
	}
	return cmp.Or(cmp.Compare(on.day, o.day), cmp.Compare(on.channel, o.channel), cmp.Compare(on.currency, o.currency), goods)
}

// Add adds places that were sold on a day through a channel, with what was booked for them, 0 for those without a price; a negative
// number and amount remove them.
func (s *SoldDays) Add(day figures.DayNumber, channel Ref, places int, booked Amount) {
	on := placesOn{day: day, channel: channel, places: places}
	if booked.Value != 0 {
		on.currency, on.goods, on.priced, on.booked = booked.Currency, places == 0, places, booked.Value
	}
	if places == 0 && on.booked == 0 {
		return
	}
	i, found := slices.BinarySearchFunc(s.rows, &on, func(row placesOn, on *placesOn) int { return row.compare(on) })
	if !found {
		s.rows = slices.Insert(s.rows, i, on)
	} else {
		row := &s.rows[i]
		row.places, row.priced, row.booked = row.places+on.places, row.priced+on.priced, row.booked+on.booked
		if row.places == 0 && row.booked == 0 {
			s.rows = slices.Delete(s.rows, i, i+1)
		}
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
		s.published = append(s.published, figures.ChannelDay{Day: on.day, Places: int32(on.places), Priced: int32(on.priced), Channel: n.Text(on.channel), Currency: n.Text(on.currency), Booked: on.booked})
	}
	slices.SortFunc(s.published, func(a, b figures.ChannelDay) int { // by name, because refs are in the order in which records came
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Channel, b.Channel), cmp.Compare(a.Currency, b.Currency), cmp.Compare(b.Priced, a.Priced))
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
