package marketing

import (
	"maps"
	"slices"

	"housecount/aggregator/figures"
)

// BuyerDays are who bought the sold places of performances, by day of sale, ascending. Sales without a time are of none.
type BuyerDays []BuyersOn

// BuyersOn is who bought on one day; together it is what was sold on it.
type BuyersOn struct {
	Day figures.Day
	figures.Buyers
}

// buyersByDay adds up who bought places of performances on each day.
func buyersByDay(events []*figures.EventFigures) (all BuyerDays) {
	byDay := map[figures.DayNumber]figures.Buyers{}
	for _, e := range events {
		for _, d := range e.ChannelDays {
			of := byDay[d.Day]
			of.Anonymous += int(d.Places)
			byDay[d.Day] = of
		}
		for _, d := range e.BuyerDays {
			of := byDay[d.Day]
			of.New, of.Returning, of.Anonymous = of.New+int(d.New), of.Returning+int(d.Returning), of.Anonymous-int(d.New+d.Returning)
			byDay[d.Day] = of
		}
	}
	for _, day := range slices.Sorted(maps.Keys(byDay)) {
		if of := byDay[day]; of != (figures.Buyers{}) {
			all = append(all, BuyersOn{day.Day(), of})
		}
	}
	return all
}

// parts returns the days as parts of sales, the last day first, with what has no time last.
func (d BuyerDays) parts(m *Sales) (all []*Part) {
	rest := figures.Buyers{Anonymous: m.Sold.Value}
	add := func(name string, of figures.Buyers) {
		all = append(all, &Part{By: figures.OfSaleDays, PartFigures: figures.PartFigures{Name: name, Flow: figures.Flow{Sold: of.Known() + of.Anonymous}}, Buyers: of, Sales: m})
		rest.Anonymous -= of.Known() + of.Anonymous
	}
	for _, on := range slices.Backward(d) {
		add(string(on.Day), on.Buyers)
	}
	if rest.Anonymous != 0 {
		add("", rest)
	}
	return all
}
