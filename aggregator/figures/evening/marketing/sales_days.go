package marketing

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Days are the places of Sales by time of sale and channel. Every place is in a bucket or in Undated, so
// together they are Sales.Sold.
type Days struct {
	// Channels are the channels with their own count, most sold first; an empty name means that no channel was
	// reported. If there are other channels, the last count of each bucket is theirs.
	Channels []string
	Others   bool
	Buckets  []Bucket // ascending, without gaps
	Undated  int      // sold without a time, in the future, or too long before the others
	// UndatedBuyers are who bought those of Undated.
	UndatedBuyers figures.Buyers
}

// Bucket is a day, a week or a month of Days.
type Bucket struct {
	From, To figures.Day
	Sold     []int // by channel
	// Buyers are who bought them: together as many as All.
	Buyers figures.Buyers
}

// All returns the places of a bucket.
func (b *Bucket) All() (n int) {
	for _, places := range b.Sold {
		n += places
	}
	return n
}

const (
	// mostSalesChannels is the most channels that have their own count.
	mostSalesChannels = 4
	// mostSalesBuckets is the most buckets: longer times are divided into weeks, or else months.
	mostSalesBuckets = 70
	// mostSalesDays is the longest time of sale; earlier sales are in Undated.
	mostSalesDays = mostSalesBuckets * 28
)

// daysOf adds up the places of performances by time of sale and channel.
func daysOf(v *evening.Evening, m *Sales, events []*figures.EventFigures) (s Days) {
	for _, p := range m.Parts[figures.ByChannel] {
		if s.Others = len(s.Channels) == mostSalesChannels; s.Others {
			break
		}
		s.Channels = append(s.Channels, p.Name)
	}
	s.Undated, s.UndatedBuyers = m.Sold.Value, m.Buyers
	var first, last figures.DayNumber
	today, _ := v.Today.Number()
	for _, e := range events {
		for _, d := range e.ChannelDays {
			if d.Places == 0 || d.Day > today { // goods are no places
				continue
			}
			if last == 0 || d.Day > last {
				last = d.Day
			}
			if first == 0 || d.Day < first {
				first = d.Day
			}
		}
	}
	if last == 0 {
		return s
	}
	first = max(first, last-mostSalesDays)
	s.Buckets = salesBuckets(first.Day(), last.Day(), len(s.Channels)+1)
	at := s.positions(first, last)
	for _, e := range events {
		for _, d := range e.ChannelDays {
			if d.Day < first || d.Day > last {
				continue
			}
			channel := slices.Index(s.Channels, d.Channel)
			if channel < 0 {
				channel = len(s.Channels)
			}
			s.Buckets[at[d.Day-first]].Sold[channel] += int(d.Places)
			s.Undated -= int(d.Places)
		}
		s.addBuyers(e, first, last, at)
	}
	for i := range s.Buckets {
		b := &s.Buckets[i]
		b.Buyers.Anonymous = b.All() - b.Buyers.Known()
		s.UndatedBuyers.Anonymous -= b.Buyers.Anonymous
	}
	return s
}

// addBuyers adds what contacts bought of a performance on the days from first to last; at is the index of each day's bucket.
func (s *Days) addBuyers(e *figures.EventFigures, first, last figures.DayNumber, at []int) {
	for _, d := range e.BuyerDays {
		if d.Day < first || d.Day > last {
			continue
		}
		b := &s.Buckets[at[d.Day-first]].Buyers
		b.New, b.Returning = b.New+int(d.New), b.Returning+int(d.Returning)
		s.UndatedBuyers.New -= int(d.New)
		s.UndatedBuyers.Returning -= int(d.Returning)
	}
}

// positions returns the index of the bucket for each day from first to last.
func (s *Days) positions(first, last figures.DayNumber) []int {
	at, bucket := make([]int, last-first+1), 0
	for i := range at {
		if (first + figures.DayNumber(i)).Day() > s.Buckets[bucket].To {
			bucket++
		}
		at[i] = bucket
	}
	return at
}

// salesBuckets returns empty days, weeks from Monday, or months between two days, each with that many counts.
func salesBuckets(from, to figures.Day, counts int) (all []Bucket) {
	end := func(d figures.Day) figures.Day { return d }
	switch days := to.Since(from) + 1; {
	case days > mostSalesBuckets*7:
		end = func(d figures.Day) figures.Day { return figures.Day(d.Month() + "-01").AddMonths(1).Add(-1) }
	case days > mostSalesBuckets:
		end = func(d figures.Day) figures.Day { return d.Add(6 - mondays(d)) }
	}
	for d := from; d <= to; {
		last := min(end(d), to)
		all = append(all, Bucket{From: d, To: last, Sold: make([]int, counts)})
		d = last.Add(1)
	}
	return all
}

// mondays returns how many days a day is after Monday.
func mondays(d figures.Day) int {
	n, _ := d.Number()
	return ((int(n)+3)%7 + 7) % 7 // 1 January 1970 was a Thursday
}
