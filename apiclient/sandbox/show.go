package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// announceDays is the number of days between the announcement of a performance and its sale.
const announceDays = 3

// saleAfterStart is how long the box office sells after the start of a performance.
const saleAfterStart = 10 * time.Minute

// show is a performance with the state that its record does not have.
type show struct {
	event *record.Event
	taken int // places sold or reserved
	plan  *record.Planning

	// The following fields are empty for a performance added by a call or a write, which has no simulated sales or
	// visitors. A house built in bulk sets only key.
	hall     *hall
	key      uint64
	demand   float64 // places wanted if there were enough
	onSale   time.Time
	rush     float64 // the weight of orders in the first hours of the sale
	offers   []*offer
	orders   []*order // orders whose tickets became valid
	open     bool     // whether the doors are open
	expected int      // orders whose arrival was planned
	trouble  trouble
	night    night
	queued   int  // who waited at a gate that failed
	outside  *int // of those sold, who had not come in at the curtain; nil before it

	// where holds the actual whereabouts of ticket holders, scanned or not.
	where map[*record.Ticket]whereabouts
}

// whereabouts are where a ticket holder is.
type whereabouts int8

const (
	elsewhere whereabouts = iota
	onTheWay              // not inside yet; the arrival is planned
	indoors
)

// left returns the number of places that can be sold; it is negative when oversold.
func (s *show) left() int { return *s.event.Capacity - *s.event.Blocked - s.taken }

// calledOff reports whether the show is cancelled or postponed. Sales and arrivals then stop.
func (s *show) calledOff() bool {
	return s.event.Status == record.EventCancelled || s.event.Status == record.EventPostponed
}

// inside reports whether the holder of the ticket is in the building.
func (s *show) inside(t *record.Ticket) bool { return s.where[t] == indoors }

// moveTo sets the whereabouts of a ticket holder without a scan.
func (s *show) moveTo(t *record.Ticket, to whereabouts) {
	if to == elsewhere {
		delete(s.where, t)
		return
	}
	if s.where == nil {
		s.where = map[*record.Ticket]whereabouts{}
	}
	s.where[t] = to
}

// order is a simulated order.
type order struct {
	show    *show
	offer   *offer
	key     uint64
	tickets []*record.Ticket
	payment *record.Payment // nil when complimentary
}

// offer is a ticket type of a show.
type offer struct {
	ref           record.TypeRef
	price         int64
	complimentary bool
	popularity    float64
	tier          *tier
}

// tier counts the places left in one part of the hall for one show.
type tier struct{ left int }

// hall is a hall with its gates, prices and programme.
type hall struct {
	name              string
	capacity, blocked int
	gates             []string
	gateShare         []float64
	scansExits        bool // otherwise exits and re-entries are not scanned
	tiers             []tierPlan
	// nights is the probability of a performance by weekday, Sunday first.
	nights           [7]float64
	doorsBefore      time.Duration
	shortest, spread time.Duration // length of a performance
	earlyLeaving     time.Duration // how long before the end people begin to leave; 0 where they stay until the end
	works            []production
	vatPercent       int64 // in a house of two seasons; 0 for the usual
	runLength        int   // consecutive performances of a production
}

// tierPlan is a part of a hall with one price.
type tierPlan struct {
	name       string
	places     int
	share      float64 // of the highest price
	popularity float64
}

// halls are the halls of the house.
var halls = []*hall{
	{
		name: "Grote Zaal", capacity: 882, blocked: 8, gates: []string{"A", "B", "C"}, gateShare: []float64{.42, .33, .25}, scansExits: true,
		tiers:  []tierPlan{{"Rang 1", 412, 1, .44}, {"Rang 2", 300, .78, .34}, {"Rang 3", 170, .55, .22}},
		nights: [7]float64{.3, .07, .18, .22, .36, .55, .65}, doorsBefore: 45 * time.Minute,
		shortest: 115 * time.Minute, spread: 35 * time.Minute, works: grandWorks, runLength: 1,
	},
	{
		name: "Kleine Zaal", capacity: 380, blocked: 2, gates: []string{"D"}, gateShare: []float64{1},
		tiers:  []tierPlan{{"Rang 1", 240, 1, .6}, {"Rang 2", 140, .8, .4}},
		nights: [7]float64{.28, .1, .2, .32, .42, .52, .58}, doorsBefore: 45 * time.Minute,
		shortest: 95 * time.Minute, spread: 35 * time.Minute, works: smallWorks, runLength: 2,
	},
	{
		name: "Foyer", capacity: 218, gates: []string{"F"}, gateShare: []float64{1},
		tiers:  []tierPlan{{"Entree", 218, 1, 1}},
		nights: [7]float64{.02, .02, .08, .35, .2, .5, .55}, doorsBefore: 45 * time.Minute,
		shortest: 90 * time.Minute, spread: 20 * time.Minute, vatPercent: 21, works: foyerWorks, runLength: 1,
	},
	{
		name: "Kelder", capacity: 340, gates: []string{"K"}, gateShare: []float64{1}, scansExits: true,
		tiers:  []tierPlan{{"Entree", 340, 1, 1}},
		nights: [7]float64{0, 0, 0, 0, 0, .45, .7}, doorsBefore: 45 * time.Minute,
		shortest: 195 * time.Minute, spread: 20 * time.Minute, earlyLeaving: 100 * time.Minute, vatPercent: 21, works: clubWorks, runLength: 1,
	},
}

// currency is the currency of the house.
const currency = "EUR"

func euro(minor int64) record.Money { return record.Money{Amount: minor, Currency: currency} }
