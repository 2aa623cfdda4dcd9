package sums

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
)

// Homes are sold places by where those live who bought them.
type Homes struct {
	places    map[Ref]int
	published []figures.TownFigures // nil if they changed
}

// Add adds places that somebody who lives there bought; a negative number removes them. Nothing is added of a place that is not
// known, whose ref is 0.
func (h *Homes) Add(of Ref, places int) {
	if of == 0 || places == 0 {
		return
	}
	if h.places == nil {
		h.places = map[Ref]int{}
	}
	if h.places[of] += places; h.places[of] == 0 {
		delete(h.places, of)
	}
	h.published = nil
}

// Publish returns the places, the most first. If nothing changed it returns what it returned last.
func (h *Homes) Publish(n *Names) []figures.TownFigures {
	if h.published != nil || len(h.places) == 0 {
		return h.published
	}
	for of, places := range h.places {
		h.published = append(h.published, figures.TownFigures{Name: n.Text(of), Sold: places})
	}
	slices.SortFunc(h.published, figures.MostFromTown)
	return h.published
}

// BuyerDays are the sold places that contacts bought, by day: on the first day of a contact, or again later.
type BuyerDays struct {
	days      []figures.BuyerDay // ascending; none of its days is without places
	changed   bool               // since they were published
	published []figures.BuyerDay
}

// Add adds places that new and returning contacts bought on a day; negative numbers remove them.
func (b *BuyerDays) Add(day figures.DayNumber, first, again int) {
	i, found := slices.BinarySearchFunc(b.days, day, func(d figures.BuyerDay, day figures.DayNumber) int { return cmp.Compare(d.Day, day) })
	if !found {
		b.days = slices.Insert(b.days, i, figures.BuyerDay{Day: day})
	}
	d := &b.days[i]
	if d.New, d.Returning = d.New+int32(first), d.Returning+int32(again); d.New == 0 && d.Returning == 0 {
		b.days = slices.Delete(b.days, i, i+1)
	}
	b.changed = true
}

// Publish returns the places by day. If nothing changed it returns what it returned last.
func (b *BuyerDays) Publish() []figures.BuyerDay {
	if b.changed {
		b.changed, b.published = false, append([]figures.BuyerDay(nil), b.days...)
	}
	return b.published
}
