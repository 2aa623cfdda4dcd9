package main

import (
	"maps"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// books are the sandbox's, beside an evening of the program.
type books struct {
	truth sandbox.Truth
	v     *evening.Evening
	// What moved, by event: today, on this day of sale and the six before, and in the last hour and 24
	// hours of the figures.
	today, week, hour, sold24Hours, sold7Days map[string]sandbox.Totals
	// compared is how often a figure was something, and the same.
	compared map[figures.Key]int
}

// booksOf reads the books for an evening that shows all that they say.
func booksOf(house *sandbox.Sandbox, s *figures.Snapshot) *books {
	b := &books{truth: house.Truth(), compared: map[figures.Key]int{}}
	b.v = evening.At(s, b.truth.AsOf.Add(time.Minute))
	b.today = house.Moved(s.Calendar.Start(b.v.Today), b.v.Now)
	b.week = house.Moved(s.Calendar.Start(b.v.Today.Add(-6)), b.v.Now)
	end := evening.AfterMinute(b.v.At)
	b.hour = house.Moved(end.Add(-time.Hour), end)
	b.sold24Hours = house.Moved(end.Add(-24*time.Hour), end)
	b.sold7Days = house.Moved(end.Add(-7*24*time.Hour), end)
	return b
}

// performance is one in the books, beside what the program shows of it.
type performance struct {
	*books
	sandbox.EventTruth
	show *evening.Show
}

func (b *books) performance(s *evening.Show) *performance {
	return &performance{b, b.truth.Events[s.Event.ID], s}
}

func places(n int) figures.Value { return figures.Value{Count: n} }

func money(amounts map[string]int64) figures.Value {
	var v figures.Value
	for currency, amount := range amounts {
		v.Amount = v.Amount.PlusAll(figures.Sums{{Amount: amount, Currency: currency}}, 1)
	}
	return v
}

func less(amounts, other map[string]int64) map[string]int64 {
	rest := maps.Clone(amounts)
	for currency, amount := range other {
		rest[currency] -= amount
	}
	return rest
}

func add(into, amounts map[string]int64) {
	for currency, amount := range amounts {
		into[currency] += amount
	}
}

// each returns an amount divided by places, to the nearest cent; no amount of the books is negative.
func each(amounts map[string]int64, places int) figures.Value {
	divided := map[string]int64{}
	for currency, amount := range amounts {
		if places > 0 {
			divided[currency] = (2*amount + int64(places)) / int64(2*places)
		}
	}
	return money(divided)
}

func share(part, whole int) figures.Value {
	if whole == 0 {
		return figures.Value{}
	}
	return figures.Value{Share: float64(part) / float64(whole)}
}

// free returns what the house would still sell.
func (p *performance) free() int {
	if p.Status != record.EventOnSale {
		return 0
	}
	return max(0, p.Available)
}

func sold(p *performance) int     { return p.Sold }
func capacity(p *performance) int { return p.Capacity }

func (p *performance) arrived() int { return p.Sold - p.ToCome }

// scanned reports whether the books know of scans: that anybody came.
func (p *performance) scanned() bool { return p.Attendance > 0 }

// in returns who is in the building as far as scans tell.
func (p *performance) in() int {
	if !p.show.Phase.Open() && !p.show.Leaving {
		return 0
	}
	return p.Present
}

// toCome returns who is awaited, and away who stayed away once it is over.
func (p *performance) toCome() int {
	if !p.show.Phase.Open() || p.show.Phase == evening.Running && !p.scanned() {
		return 0
	}
	return p.ToCome
}

// notIn returns those awaited and, before the doors, all who are expected.
func (p *performance) notIn() int {
	if p.show.Phase == evening.Before {
		return p.ToCome
	}
	return p.toCome()
}

func (p *performance) away() int {
	if p.show.Phase != evening.Over || !p.scanned() {
		return 0
	}
	return p.ToCome
}

// unsold returns what the places that are left would bring at the average price.
func (p *performance) unsold() figures.Value {
	return figures.Value{Amount: figures.Sums(nil).PlusAll(each(p.BookedPaid, p.Paid).Amount, int64(p.free()))}
}

// aheadMoney returns a sum of amounts over all that go ahead.
func (b *books) aheadMoney(of func(*performance) map[string]int64) map[string]int64 {
	all := map[string]int64{}
	for _, s := range b.v.Shows {
		if p := b.performance(s); goesAhead(p) {
			add(all, of(p))
		}
	}
	return all
}

// ofShows are the figures of a performance by the books.
var ofShows = map[figures.Key]func(*performance) figures.Value{
	figures.KeyCapacity:      func(p *performance) figures.Value { return places(p.Capacity) },
	figures.KeyAvailable:     func(p *performance) figures.Value { return places(p.Available) },
	figures.KeyBlocked:       func(p *performance) figures.Value { return places(p.Blocked) },
	figures.KeySold:          func(p *performance) figures.Value { return places(p.Sold) },
	figures.KeyPaid:          func(p *performance) figures.Value { return places(p.Paid) },
	figures.KeyUnpaid:        func(p *performance) figures.Value { return places(p.Unpaid) },
	figures.KeyComplimentary: func(p *performance) figures.Value { return places(p.Complimentary) },
	figures.KeyFreeTickets:   func(p *performance) figures.Value { return places(p.FreeTickets) },
	figures.KeyReserved:      func(p *performance) figures.Value { return places(p.Reserved) },
	figures.KeyFree:          func(p *performance) figures.Value { return places(p.free()) },
	figures.KeyOversold:      func(p *performance) figures.Value { return places(max(0, p.Sold+p.Reserved-p.Capacity)) },
	figures.KeyOccupancy:     func(p *performance) figures.Value { return share(p.Sold, p.Capacity) },
	figures.KeyPaidOccupancy: func(p *performance) figures.Value { return share(p.Paid, p.Capacity) },
	figures.KeySoldHour:      func(p *performance) figures.Value { return places(p.hour[p.show.Event.ID].Sold) },
	figures.KeySold24Hours:   func(p *performance) figures.Value { return places(p.sold24Hours[p.show.Event.ID].Sold) },
	figures.KeySold7Days:     func(p *performance) figures.Value { return places(p.sold7Days[p.show.Event.ID].Sold) },
	figures.KeySoldToday:     func(p *performance) figures.Value { return places(p.today[p.show.Event.ID].Sold) },
	figures.KeyExpected: func(p *performance) figures.Value {
		if p.EventTruth.Status == record.EventCancelled {
			return places(0)
		}
		return places(p.Sold)
	},
	figures.KeyCame:            func(p *performance) figures.Value { return places(p.Attendance) },
	figures.KeyArrived:         func(p *performance) figures.Value { return places(p.arrived()) },
	figures.KeyCameUnsold:      func(p *performance) figures.Value { return places(p.Attendance - p.arrived()) },
	figures.KeyPresent:         func(p *performance) figures.Value { return places(p.Present) },
	figures.KeyOut:             func(p *performance) figures.Value { return places(p.Attendance - p.Present) },
	figures.KeyInside:          func(p *performance) figures.Value { return places(p.in()) },
	figures.KeyNotYetIn:        func(p *performance) figures.Value { return places(p.notIn()) },
	figures.KeyNoShows:         func(p *performance) figures.Value { return places(p.away()) },
	figures.KeyNoShow:          func(p *performance) figures.Value { return share(p.away(), p.Sold) },
	figures.KeyBooked:          func(p *performance) figures.Value { return money(p.Booked) },
	figures.KeyBookedToday:     func(p *performance) figures.Value { return money(p.today[p.show.Event.ID].Booked) },
	figures.KeyReceived:        func(p *performance) figures.Value { return money(p.Received) },
	figures.KeyRefunded:        func(p *performance) figures.Value { return money(p.Refunded) },
	figures.KeyChargedBack:     func(p *performance) figures.Value { return money(p.Chargebacks) },
	figures.KeyReversed:        func(p *performance) figures.Value { return money(p.Reversals) },
	figures.KeyNet:             func(p *performance) figures.Value { return money(p.Net) },
	figures.KeyRefundsPending:  func(p *performance) figures.Value { return money(p.RefundsPending) },
	figures.KeyFees:            func(p *performance) figures.Value { return money(p.Fees) },
	figures.KeyVAT:             func(p *performance) figures.Value { return money(p.VAT) },
	figures.KeyNetOfVAT:        func(p *performance) figures.Value { return money(less(p.Booked, p.VAT)) },
	figures.KeyToBePaid:        func(p *performance) figures.Value { return money(p.ToBePaid) },
	figures.KeyGoodwill:        func(p *performance) figures.Value { return money(p.Goodwill) },
	figures.KeyToBePaidBack:    func(p *performance) figures.Value { return money(p.ToBePaidBack) },
	figures.KeyOpenItems:       func(p *performance) figures.Value { return money(less(p.ToBePaid, p.ToBePaidBack)) },
	figures.KeyAveragePrice:    func(p *performance) figures.Value { return each(p.BookedPaid, p.Paid) },
	figures.KeyRevenuePerPlace: func(p *performance) figures.Value { return each(p.Booked, p.Capacity) },
	figures.KeyUnsoldValue:     func(p *performance) figures.Value { return p.unsold() },
	figures.KeyForecast:        func(p *performance) figures.Value { return places(p.Forecast) },
	figures.KeyOfForecast:      func(p *performance) figures.Value { return share(p.Sold, p.Forecast) },
	figures.KeyPlannedRevenue:  func(p *performance) figures.Value { return money(p.PlannedRevenue) },
	figures.KeyOverPlanned: func(p *performance) figures.Value {
		if len(p.PlannedRevenue) == 0 {
			return figures.Value{}
		}
		return money(less(p.Booked, p.PlannedRevenue))
	},
	figures.KeyMarketingBudget: func(p *performance) figures.Value { return money(p.MarketingBudget) },
	figures.KeyCostPerTicket:   func(p *performance) figures.Value { return each(p.MarketingBudget, p.Sold) },
	figures.KeyToPayBack: func(p *performance) figures.Value {
		if p.Status != record.EventCancelled {
			return figures.Value{}
		}
		return money(p.Net)
	},
}

// sum adds up a figure over the performances of the evening that are asked for.
func (b *books) sum(shows []*evening.Show, of func(*performance) int, asked func(*performance) bool) int {
	n := 0
	for _, s := range shows {
		if p := b.performance(s); asked(p) {
			n += of(p)
		}
	}
	return n
}

func goesAhead(p *performance) bool {
	return p.Status != record.EventCancelled && p.Status != record.EventPostponed
}

// ahead returns a sum over all that go ahead.
func ahead(of func(*performance) int) func(*books) figures.Value {
	return func(b *books) figures.Value { return places(b.sum(b.v.Shows, of, goesAhead)) }
}

// here and elsewhere divide what moved today into the performances of the evening and all others.
func (b *books) here(here bool) (sold int, booked map[string]int64) {
	of := map[string]bool{}
	for _, s := range b.v.Shows {
		of[s.Event.ID] = true
	}
	booked = map[string]int64{}
	for event, moved := range b.today {
		if of[event] != here {
			continue
		}
		sold += moved.Sold
		add(booked, moved.Booked)
	}
	return sold, booked
}

// ofEvenings are those of the evening.
var ofEvenings = map[figures.Key]func(*books) figures.Value{
	figures.KeyCapacity:      ahead(capacity),
	figures.KeySold:          ahead(sold),
	figures.KeyPaid:          ahead(func(p *performance) int { return p.Paid }),
	figures.KeyUnpaid:        ahead(func(p *performance) int { return p.Unpaid }),
	figures.KeyComplimentary: ahead(func(p *performance) int { return p.Complimentary }),
	figures.KeyFreeTickets:   ahead(func(p *performance) int { return p.FreeTickets }),
	figures.KeyReserved:      ahead(func(p *performance) int { return p.Reserved }),
	figures.KeyFree:          ahead((*performance).free),
	figures.KeyBooked: func(b *books) figures.Value {
		return money(b.aheadMoney(func(p *performance) map[string]int64 { return p.Booked }))
	},
	figures.KeyAveragePrice: func(b *books) figures.Value {
		return each(b.aheadMoney(func(p *performance) map[string]int64 { return p.BookedPaid }), ahead(func(p *performance) int { return p.Paid })(b).Count)
	},
	figures.KeyRevenuePerPlace: func(b *books) figures.Value {
		return each(b.aheadMoney(func(p *performance) map[string]int64 { return p.Booked }), ahead(capacity)(b).Count)
	},
	figures.KeyUnsoldValue: func(b *books) (all figures.Value) {
		for _, s := range b.v.Shows {
			all.Amount = all.Amount.PlusAll(b.performance(s).unsold().Amount, 1)
		}
		return all
	},
	figures.KeyOccupancy: func(b *books) figures.Value { return share(ahead(sold)(b).Count, ahead(capacity)(b).Count) },
	figures.KeyPaidOccupancy: func(b *books) figures.Value {
		return share(ahead(func(p *performance) int { return p.Paid })(b).Count, ahead(capacity)(b).Count)
	},
	figures.KeySoldHour: func(b *books) figures.Value {
		return places(b.sum(b.v.Shows, func(p *performance) int { return b.hour[p.show.Event.ID].Sold },
			func(p *performance) bool { return goesAhead(p) && p.show.Phase != evening.Over }))
	},
	figures.KeySoldToday:     func(b *books) figures.Value { return places(b.moved(b.today).Sold) },
	figures.KeySoldHere:      func(b *books) figures.Value { n, _ := b.here(true); return places(n) },
	figures.KeySoldElsewhere: func(b *books) figures.Value { n, _ := b.here(false); return places(n) },
	figures.KeyExpected:      ahead(sold),
	figures.KeyInside: func(b *books) figures.Value {
		return places(b.sum(b.v.Shows, (*performance).in, func(*performance) bool { return true }))
	},
	figures.KeyLeaving: func(b *books) figures.Value {
		return places(b.sum(b.v.Shows, (*performance).in, func(p *performance) bool { return p.show.Leaving }))
	},
	figures.KeyNotYetIn: func(b *books) figures.Value {
		return places(b.sum(b.v.Shows, (*performance).notIn, func(*performance) bool { return true }))
	},
	figures.KeyLatecomers: func(b *books) figures.Value {
		return places(b.sum(b.v.Shows, (*performance).toCome, func(p *performance) bool { return p.show.Phase == evening.Running && !p.show.LateOver }))
	},
	figures.KeyBookedToday:     func(b *books) figures.Value { return money(b.moved(b.today).Booked) },
	figures.KeyBookedHere:      func(b *books) figures.Value { _, m := b.here(true); return money(m) },
	figures.KeyBookedElsewhere: func(b *books) figures.Value { _, m := b.here(false); return money(m) },
}

// moved returns what moved in the whole house.
func (b *books) moved(by map[string]sandbox.Totals) sandbox.Totals {
	all := sandbox.Totals{Booked: map[string]int64{}, Fees: map[string]int64{}, VAT: map[string]int64{}, Received: map[string]int64{},
		Refunded: map[string]int64{}, RefundsPending: map[string]int64{}, Chargebacks: map[string]int64{}, Reversals: map[string]int64{}, Net: map[string]int64{}}
	for _, of := range by {
		all.Sold += of.Sold
		for _, m := range []struct{ into, from map[string]int64 }{{all.Booked, of.Booked}, {all.Fees, of.Fees}, {all.VAT, of.VAT}, {all.Received, of.Received},
			{all.Refunded, of.Refunded}, {all.RefundsPending, of.RefundsPending}, {all.Chargebacks, of.Chargebacks}, {all.Reversals, of.Reversals}, {all.Net, of.Net}} {
			add(m.into, m.from)
		}
	}
	return all
}

// ofNights are those of the performances of the night before that are over.
var ofNights = map[figures.Key]func(*books) figures.Value{
	figures.KeyCapacity:  night(capacity),
	figures.KeySold:      night(sold),
	figures.KeyCame:      night(func(p *performance) int { return p.Attendance }),
	figures.KeyNoShows:   night((*performance).away),
	figures.KeyOccupancy: func(b *books) figures.Value { return share(night(sold)(b).Count, night(capacity)(b).Count) },
	figures.KeyNoShow: func(b *books) figures.Value {
		over := func(p *performance) bool { return p.show.Phase == evening.Over && p.scanned() }
		return share(b.sum(b.v.LastNight, (*performance).away, over), b.sum(b.v.LastNight, sold, over))
	},
	figures.KeyNet: func(b *books) figures.Value {
		net := map[string]int64{}
		for _, s := range b.v.LastNight {
			if s.Phase == evening.Over {
				add(net, b.truth.Events[s.Event.ID].Net)
			}
		}
		return money(net)
	},
}

func night(of func(*performance) int) func(*books) figures.Value {
	return func(b *books) figures.Value {
		return places(b.sum(b.v.LastNight, of, func(p *performance) bool { return p.show.Phase == evening.Over }))
	}
}

// ofPeriods computes figures of days of sale from what moved on them, and ofOrders figures of all orders.
var (
	ofPeriods = map[figures.Key]func(sandbox.Totals) figures.Value{
		figures.KeySold:           func(t sandbox.Totals) figures.Value { return places(t.Sold) },
		figures.KeyBooked:         func(t sandbox.Totals) figures.Value { return money(t.Booked) },
		figures.KeyFees:           func(t sandbox.Totals) figures.Value { return money(t.Fees) },
		figures.KeyVAT:            func(t sandbox.Totals) figures.Value { return money(t.VAT) },
		figures.KeyNetOfVAT:       func(t sandbox.Totals) figures.Value { return money(less(t.Booked, t.VAT)) },
		figures.KeyReceived:       func(t sandbox.Totals) figures.Value { return money(t.Received) },
		figures.KeyRefunded:       func(t sandbox.Totals) figures.Value { return money(t.Refunded) },
		figures.KeyChargedBack:    func(t sandbox.Totals) figures.Value { return money(t.Chargebacks) },
		figures.KeyReversed:       func(t sandbox.Totals) figures.Value { return money(t.Reversals) },
		figures.KeyNet:            func(t sandbox.Totals) figures.Value { return money(t.Net) },
		figures.KeyRefundsPending: func(t sandbox.Totals) figures.Value { return money(t.RefundsPending) },
		figures.KeyUnattributed:   func(sandbox.Totals) figures.Value { return figures.Value{} }, // the sandbox's payments have an order
	}
	ofOrders = map[figures.Key]func(sandbox.Totals) figures.Value{
		figures.KeyBooked:       func(t sandbox.Totals) figures.Value { return money(t.Booked) },
		figures.KeyFees:         func(t sandbox.Totals) figures.Value { return money(t.Fees) },
		figures.KeyToBePaid:     func(t sandbox.Totals) figures.Value { return money(t.ToBePaid) },
		figures.KeyGoodwill:     func(t sandbox.Totals) figures.Value { return money(t.Goodwill) },
		figures.KeyToBePaidBack: func(t sandbox.Totals) figures.Value { return money(t.ToBePaidBack) },
		figures.KeyOpenItems:    func(t sandbox.Totals) figures.Value { return money(less(t.ToBePaid, t.ToBePaidBack)) },
		figures.KeyNet:          func(t sandbox.Totals) figures.Value { return money(t.Net) },
	}
)

// notInTheBooks are figures that the service has no books of, with the reason.
var notInTheBooks = map[figures.Key]string{
	figures.KeyCameLate:   "the books do not say when anybody came in",
	figures.KeyWalkIns:    "staff count them in housecount",
	figures.KeyLeft:       "housecount estimates it",
	figures.KeyLicensed:   "the venue sets it in housecount",
	figures.KeyMostInside: "housecount adds it up by the minute",
	figures.KeyLoad:       "it is a part of what the venue sets in housecount",
	figures.KeyBudget:     "the venue sets it in housecount",
	figures.KeyOtherDays:  "it is what the steps of a bridge leave, which are compared",
	figures.KeyOverBudget: "it is beside what the venue sets in housecount",
	figures.KeyStandsIn:   "it is shown only of a service without payments",

	figures.KeyOrders:          ofBuyers,
	figures.KeyOrdered:         ofBuyers,
	figures.KeyPerOrder:        ofBuyers,
	figures.KeyBuyersNew:       ofBuyers,
	figures.KeyBuyersReturning: ofBuyers,
	figures.KeyBuyersKnown:     ofBuyers,
	figures.KeyBuyersUnknown:   ofBuyers,
	figures.KeyReturning:       ofBuyers,
	figures.KeyOptIn:           ofBuyers,
	figures.KeyOptedIn:         ofBuyers,
	figures.KeyAsked:           ofBuyers,

	figures.KeyArrivedShare: "it is the quotient of two that are compared",
	figures.KeyEntries1:     ofMinutes,
	figures.KeyEntries5:     ofMinutes,
	figures.KeyEntries15:    ofMinutes,
	figures.KeyComing:       forecast,
	figures.KeyWaiting:      forecast,
	figures.KeyOutside:      forecast,

	figures.KeySoldSoFar:   paceIs,
	figures.KeyUsual:       paceIs,
	figures.KeyUsualFinish: paceIs,
	figures.KeyFinish:      paceIs,
	figures.KeyFinishError: paceIs,
}

// Why the books have none of some groups.
const (
	ofBuyers  = "the books are of performances, not of their buyers"
	ofMinutes = "the books have who came by gate, and not when"
	forecast  = "it is a forecast"
	paceIs    = "it is an estimate, or beside one"
)
