package explain

import (
	"cmp"
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// channelRow is what was sold through a channel today. Amount is what was booked for it, for a figure of that.
type channelRow struct{ Name, Places, Amount string }

// soldThrough are places and what was booked for them.
type soldThrough struct {
	places int
	booked figures.Sums
}

func (s soldThrough) plus(places int, booked figures.Sums, n int64) soldThrough {
	return soldThrough{s.places + int(n)*places, s.booked.PlusAll(booked, n)}
}

// none reports whether it is neither places nor money.
func (s soldThrough) none() bool {
	return s.places == 0 && !slices.ContainsFunc(s.booked, func(m record.Money) bool { return m.Amount != 0 })
}

// channelsToday returns the places that were sold today, with what was booked for them, by channel, the most first, for a figure of what was sold or booked today
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
	rest, far := soldThrough{}, b.Evening.BookedToday(days)
	for _, d := range evening.Between(days, b.Evening.Today, b.Evening.Today) {
		rest = rest.plus(d.Sold, d.Of(figures.Booked), 1)
	}
	later := soldThrough{far.Sold, far.Of(figures.Booked)}.plus(rest.places, rest.booked, -1)
	through := map[string]soldThrough{}
	for _, e := range events {
		for _, d := range e.ChannelDays {
			if d.Day == today {
				booked := figures.Sums(nil).Plus(record.Money{Amount: d.Booked, Currency: d.Currency}, 1)
				through[d.Channel] = through[d.Channel].plus(int(d.Places), booked, 1)
				rest = rest.plus(int(d.Places), booked, -1)
			}
		}
	}
	row := func(name string, s soldThrough, signed bool) {
		r := channelRow{Name: name, Places: b.Count(s.places)}
		if signed {
			r.Places = b.Signed(s.places)
		}
		if x.Key == figures.KeyBookedToday {
			r.Amount = b.HouseSums(s.booked)
		}
		rows = append(rows, r)
	}
	for _, channel := range slices.SortedFunc(maps.Keys(through), func(x, y string) int { return cmp.Or(through[y].places-through[x].places, cmp.Compare(x, y)) }) {
		row(b.PartTitle(figures.OfChannels, channel), through[channel], false)
	}
	switch {
	case len(rows) == 0:
		return nil
	case rest.places > 0:
		row(b.Text("explain.channels_other"), rest, false)
	case !rest.none():
		row(b.Text("explain.channels_cancelled"), rest, true)
	}
	if !later.none() {
		row(b.Text("explain.channels_later"), later, true)
	}
	return rows
}
