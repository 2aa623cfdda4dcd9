package figures

import (
	"cmp"
	"slices"
	"strconv"
)

// MethodFigures are the amounts Received by one method of payment.
type MethodFigures struct {
	Name     string
	Received Sums
}

// TownFigures are the places that people of one town, or of one postcode area, bought.
type TownFigures struct {
	Name string
	Sold int
}

// BuyerDay is the places that contacts bought on one day: New on their first day, Returning later. A sale is dated in
// both or in neither.
type BuyerDay struct {
	Day            DayNumber
	New, Returning int32
}

// MostFromTown compares towns: the most sold first.
func MostFromTown(a, b TownFigures) int {
	return cmp.Or(cmp.Compare(b.Sold, a.Sold), cmp.Compare(a.Name, b.Name))
}

func PerOrder(sold Figure[int], ordered, orders int) Figure[float64] {
	if orders == 0 {
		return NotKnown[float64](ReasonNoOrder)
	}
	c := sold.Caveat().EitherWay()
	c.AddIf(ordered != sold.Value, Estimated, ReasonNoOrder)
	return New(float64(ordered)/float64(orders), c)
}

// ChannelDay is the places sold on one day through one channel, with what was booked for them in a currency, and how many of them
// have a price in it; an empty channel was not reported. What is no place has rows of its own, in which Priced is 0.
type ChannelDay struct {
	Day            DayNumber
	Places, Priced int32
	Channel        string
	Currency       string // empty for places without a price
	Booked         int64
}

// PricedOn adds up, by day of sale, the places that were sold on some days with a price in a currency. Sales that were cancelled are
// left out.
func PricedOn(events []*EventFigures, currency string, from, to DayNumber) map[DayNumber]PaidFor {
	all := map[DayNumber]PaidFor{}
	for _, e := range events {
		first, _ := slices.BinarySearchFunc(e.ChannelDays, from, func(d ChannelDay, day DayNumber) int { return cmp.Compare(d.Day, day) })
		for _, d := range e.ChannelDays[first:] {
			if d.Day > to {
				break
			}
			if d.Priced != 0 && d.Currency == currency {
				of := all[d.Day]
				of.Currency, of.Amount, of.Places = currency, of.Amount+d.Booked, of.Places+int64(d.Priced)
				all[d.Day] = of
			}
		}
	}
	return all
}

// LeadBand is the places sold From to Under days before the performance, Under excluded. Under is 0 in the last
// band; both are −1 for sales without a time.
type LeadBand struct{ From, Under, Sold int }

// UndatedLead is the band of sales without a time.
var UndatedLead = LeadBand{From: -1, Under: -1}

// LeadEnds are the numbers of days at which one band ends and the next begins.
var LeadEnds = [...]int{1, 7, 30, 90}

// LeadBandCount is the number of bands.
const LeadBandCount = len(LeadEnds) + 1

// LeadBands returns the empty bands: the nearest first, and sales without a time last.
func LeadBands() []LeadBand {
	bands := []LeadBand{{}}
	for _, end := range LeadEnds {
		bands[len(bands)-1].Under = end
		bands = append(bands, LeadBand{From: end})
	}
	return append(bands, UndatedLead)
}

// Split is what sales are divided by into parts with their own figures.
type Split string

// The splits.
const (
	OfTypes     Split = "types"
	OfChannels  Split = "channels"
	OfReferrals Split = "referrals"
	OfCodes     Split = "codes"
	OfLeadTimes Split = "lead-times" // parts are named by LeadBand.Part
	OfTowns     Split = "towns"      // of who bought; an empty name means that it is not known
	OfPostcodes Split = "postcodes"  // of who bought, as record.PostcodeArea has them; an empty name means that it is not known
	OfSaleDays  Split = "sale-days"  // parts are named by Day; an empty name means that a sale has no time
	OfMethods   Split = "methods"    // of payment: what was received, not what was sold
)

// Splits are all of them.
var Splits = []Split{OfTypes, OfChannels, OfReferrals, OfCodes, OfLeadTimes, OfTowns, OfPostcodes, OfSaleDays, OfMethods}

// Dimension returns the dimension of the split; ok is false if it has none.
func (s Split) Dimension() (d Dimension, ok bool) {
	i := slices.Index([]Split{ByTicketType: OfTypes, ByChannel: OfChannels, ByReferral: OfReferrals, ByCode: OfCodes}, s)
	return Dimension(max(0, i)), i >= 0
}

// Part returns the name of the band as a part of sales.
func (b LeadBand) Part() string { return strconv.Itoa(b.From) }
