package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// announced is how many days before its sale a performance is known.
const announceDays = 3

// lastSale is how long after curtain the box office still sells.
const saleAfterStart = 10 * time.Minute

// show is a performance with what the house knows beyond its record.
type show struct {
	event *record.Event
	taken int // places sold or reserved
	plan  *record.Planning

	// The rest is empty for a performance that was added by the control path: nobody
	// buys for it and nobody comes by himself.
	hall     *hall
	key      uint64
	demand   float64 // places wanted if there were enough
	onSale   time.Time
	rush     float64 // the weight of those who buy in the first hours
	offers   []*offer
	orders   []*order // those whose tickets became valid
	open     bool     // the doors are
	expected int      // orders whose arrival was planned
	trouble  trouble

	// where is where the holder of a ticket really is, whether or not a scan says so.
	where map[*record.Ticket]whereabouts
}

// whereabouts are those of a visitor.
type whereabouts int8

const (
	elsewhere whereabouts = iota
	onTheWay              // will come, though not in yet
	indoors
)

// left is how many places can be sold; negative when oversold.
func (s *show) left() int { return *s.event.Capacity - *s.event.Blocked - s.taken }

// calledOff means that nobody buys and nobody comes any more.
func (s *show) calledOff() bool {
	return s.event.Status == record.EventCancelled || s.event.Status == record.EventPostponed
}

// inside reports whether the holder of the ticket is in the building.
func (s *show) inside(t *record.Ticket) bool { return s.where[t] == indoors }

// goes moves the holder of a ticket; a scan is not its business.
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

// order is one that the house made itself.
type order struct {
	show    *show
	offer   *offer
	key     uint64
	tickets []*record.Ticket
	payment *record.Payment // nil when complimentary
}

// offer is a kind of ticket for a show.
type offer struct {
	ref           record.TypeRef
	price         int64
	complimentary bool
	popularity    float64
	tier          *tier
}

// tier counts the places of a part of the hall for one show.
type tier struct{ left int }

// hall is a room with its gates and prices.
type hall struct {
	name              string
	capacity, blocked int
	gates             []string
	gateShare         []float64
	scansExits        bool // otherwise people leave, and come back from a walk, unseen
	tiers             []tierPlan
	// nights is the chance of a performance by weekday, Sunday first.
	nights           [7]float64
	doorsBefore      time.Duration
	shortest, spread time.Duration // length of a performance
	earlyLeaving     time.Duration // before the end, when people begin to go home; 0 where they sit it out
	works            []production
	runLength        int // nights that a production plays in a row
}

// tierPlan is a part of a hall with places of one price.
type tierPlan struct {
	name       string
	places     int
	share      float64 // of the top price
	popularity float64
}

// halls are the rooms of the house.
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
		shortest: 90 * time.Minute, spread: 20 * time.Minute, works: foyerWorks, runLength: 1,
	},
	{
		name: "Kelder", capacity: 340, gates: []string{"K"}, gateShare: []float64{1}, scansExits: true,
		tiers:  []tierPlan{{"Entree", 340, 1, 1}},
		nights: [7]float64{0, 0, 0, 0, 0, .45, .7}, doorsBefore: 45 * time.Minute,
		shortest: 195 * time.Minute, spread: 20 * time.Minute, earlyLeaving: 100 * time.Minute, works: clubWorks, runLength: 1,
	},
}

// currency is what the house takes.
const currency = "EUR"

func euro(minor int64) record.Money { return record.Money{Amount: minor, Currency: currency} }
