package figures

import (
	"slices"
	"strconv"
)

// MethodFigures are what was Received in one way of paying.
type MethodFigures struct {
	Name     string
	Received Sums
}

func PerOrder(sold Figure[int], ordered, orders int) Figure[float64] {
	if orders == 0 {
		return NotKnown[float64](ReasonNoOrder)
	}
	c := sold.Caveat()
	c.AddIf(ordered != sold.Value, Estimated, ReasonNoOrder)
	return New(float64(ordered)/float64(orders), c)
}

// ChannelDay are places that are sold, and were on a day through a channel; an empty channel is one that was not
// reported.
type ChannelDay struct {
	Day     DayNumber
	Places  int32
	Channel string
}

// LeadBand are places that are sold, and were From to under Under days before the performance. Under is 0
// in the last band; both are −1 for what was sold without a time.
type LeadBand struct{ From, Under, Sold int }

// UndatedLead is the band of what was sold without a time.
var UndatedLead = LeadBand{From: -1, Under: -1}

// LeadEnds are the days before a performance at which a band of lead times ends and the next begins.
var LeadEnds = [...]int{1, 7, 30, 90}

// LeadBandCount are how many bands of lead times those ends make.
const LeadBandCount = len(LeadEnds) + 1

// LeadBands returns the bands of lead times, empty: the nearest first, and what has no time last.
func LeadBands() []LeadBand {
	bands := []LeadBand{{}}
	for _, end := range LeadEnds {
		bands[len(bands)-1].Under = end
		bands = append(bands, LeadBand{From: end})
	}
	return append(bands, UndatedLead)
}

// Split is what sales are split by into parts that have figures of their own.
type Split string

// The splits.
const (
	OfTypes     Split = "types"
	OfChannels  Split = "channels"
	OfReferrals Split = "referrals"
	OfCodes     Split = "codes"
	OfLeadTimes Split = "lead-times" // the name of a part is LeadBand.Part
	OfMethods   Split = "methods"    // of payment: what was received, not what was sold
)

// Splits are all of them.
var Splits = []Split{OfTypes, OfChannels, OfReferrals, OfCodes, OfLeadTimes, OfMethods}

// Dimension is that of the split; ok is false if it is by none.
func (s Split) Dimension() (d Dimension, ok bool) {
	i := slices.Index([]Split{ByTicketType: OfTypes, ByChannel: OfChannels, ByReferral: OfReferrals, ByCode: OfCodes}, s)
	return Dimension(max(0, i)), i >= 0
}

// Part names the band as a part of sales.
func (b LeadBand) Part() string { return strconv.Itoa(b.From) }
