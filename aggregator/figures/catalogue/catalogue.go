// Package catalogue has every figure by its key: what it is a figure of, its definition, the terms of its formula, and its
// explanation with the records and changes behind it. It computes no figure itself: its rows point to what does.
//
// It stands on evening, for the value of a figure at a moment, and on ledger, for the records behind it.
package catalogue

import (
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// Definition is a row of the catalogue. It refers to what computes the figure and computes nothing itself.
type Definition struct {
	Key  figures.Key
	Unit figures.Unit
	// Today is true if the figure is about today only.
	Today bool
	// window is how far back the figure looks, and days how many days of sale it covers, including today; 0 for
	// all time.
	window time.Duration
	days   int
	// From are the kinds of records from which the figure is counted. fromOf returns those for one performance, if
	// they depend on what is known of it.
	From   []record.Kind
	fromOf func(*evening.Show) []record.Kind

	// terms is the formula; nil for a figure that is counted from records. termsOf returns the formula for one
	// performance, if it depends on what is known of it.
	terms   []figures.Term
	termsOf func(*evening.Show) []figures.Term
	// The figure of each kind of subject: a performance, a price area, the evening, a hall, finished performances,
	// days of sale, sales from one source of VAT on days of sale, and orders placed on days. It is nil if a
	// subject has no such figure.
	ofShow    func(*evening.Show) figures.Value
	ofArea    func(*figures.Area) figures.Value
	ofEvening func(*evening.Evening) figures.Value
	ofHall    func(*evening.Load) figures.Value
	ofGate    func(*evening.Gate) figures.Value // of a performance
	// part is the figure of a performance that is added up in the evening's figure, and within reports whether a
	// performance is included; both are empty if the evening's figure is not a sum.
	part    figures.Key
	within  func(*evening.Show) bool
	ofNight func(*evening.Result) figures.Value
	// ofHouse is true if for days of sale it is a figure of all performances together only.
	ofHouse  bool
	ofPeriod func(*evening.Evening, *evening.Period) figures.Value
	ofVAT    func(f *figures.VATFigures, booked figures.Caveat) figures.Value
	ofOrders func(*evening.Bridge) figures.Value
	// ofSales returns the figure for the sales of the performances of some days, and termsOfSales its formula if
	// that depends on them. ofPace returns the figure of a performance's pace.
	ofSales      func(*evening.Marketing) figures.Value
	termsOfSales func(*evening.Marketing) []figures.Term
	ofPace       func(*evening.Pace) figures.Value
	// forecast is true if it depends on what is usual at past performances.
	forecast bool
}

// lookback returns how many days of sale the figure covers, including today; 0 for all time.
func (d *Definition) lookback() int {
	if d.Today {
		return max(1, d.days)
	}
	return d.days
}

// looksBack reports whether the figure is of a window or of days of sale.
func (d *Definition) looksBack() bool { return d.lookback() != 0 || d.window != 0 }

// OfSalesOnly reports whether the figure is about the pace of a sale. Only accesses that see what is sold may see
// it.
func (d *Definition) OfSalesOnly() bool { return d.ofPace != nil }

// HasFormula reports whether the figure has terms, at least for some performances.
func (d *Definition) HasFormula() bool { return d.terms != nil || d.termsOf != nil }

// All returns every figure that a page shows, in the order of the catalogue.
func All() []Definition { return slices.Clone(catalogue) }

// Define returns the row of a figure; nil if there is none.
func Define(k figures.Key) *Definition {
	return byKey[k]
}

var byKey = func() map[figures.Key]*Definition {
	all := make(map[figures.Key]*Definition, len(catalogue))
	for i := range catalogue {
		all[catalogue[i].Key] = &catalogue[i]
	}
	return all
}()

// OfShow returns the figure of a performance; Unknown if performances have no such figure. The other methods do
// the same for their subject.
func (d *Definition) OfShow(s *evening.Show) figures.Value { return orUnknown(d.ofShow, s) }

// OfArea returns the figure of a price area.
func (d *Definition) OfArea(a *figures.Area) figures.Value { return orUnknown(d.ofArea, a) }

// OfEvening returns the figure of the evening.
func (d *Definition) OfEvening(v *evening.Evening) figures.Value { return orUnknown(d.ofEvening, v) }

// OfHall returns the figure of a hall.
func (d *Definition) OfHall(l *evening.Load) figures.Value { return orUnknown(d.ofHall, l) }

// OfGate returns the figure of a gate.
func (d *Definition) OfGate(g *evening.Gate) figures.Value { return orUnknown(d.ofGate, g) }

// OfNight returns the figure of finished performances.
func (d *Definition) OfNight(r *evening.Result) figures.Value { return orUnknown(d.ofNight, r) }

// OfPeriod returns the figure of days of sale, and OfVAT that of sales from one source of VAT on them.
func (d *Definition) OfPeriod(v *evening.Evening, p *evening.Period) figures.Value {
	if d.ofPeriod == nil {
		return figures.Value{Quality: figures.Unknown}
	}
	return d.ofPeriod(v, p)
}

// OfOrders returns the figure of orders placed on days, OfSales of the sales of performances, and OfPace of a
// pace.
func (d *Definition) OfOrders(b *evening.Bridge) figures.Value { return orUnknown(d.ofOrders, b) }

func (d *Definition) OfSales(m *evening.Marketing) figures.Value { return orUnknown(d.ofSales, m) }

func (d *Definition) OfPace(p *evening.Pace) figures.Value { return orUnknown(d.ofPace, p) }

func (d *Definition) OfVAT(v *evening.Evening, p *evening.Period, f *figures.VATFigures) figures.Value {
	if d.ofVAT == nil {
		return figures.Value{Quality: figures.Unknown}
	}
	return d.ofVAT(f, v.RevenueOf(p).Of(figures.Booked).Caveat())
}

func orUnknown[T any](read func(T) figures.Value, of T) figures.Value {
	if read == nil {
		return figures.Value{Quality: figures.Unknown}
	}
	return read(of)
}

var fromEvents = []record.Kind{record.KindEvent}

var fromTickets = []record.Kind{record.KindTicket}

var fromScans = []record.Kind{record.KindTicket, record.KindScan}

var fromPayments = []record.Kind{record.KindPayment}

var fromOrders = []record.Kind{record.KindTicket, record.KindPayment}

var fromSettings = []record.Kind{record.KindSetting}

var fromCapacity = []record.Kind{record.KindEvent, record.KindTicket}

var fromPlanning = []record.Kind{record.KindPlanning}

var fromEventsAndPlans = []record.Kind{record.KindEvent, record.KindPlanning}

var fromPlaces = []record.Kind{record.KindEvent, record.KindPlanning, record.KindTicket}

var catalogue = slices.Concat(houseFigures, planningFigures, salesFigures, paceFigures)

// houseFigures are places, visitors and money.
var houseFigures = []Definition{
	{Key: figures.KeyCapacity, From: fromEventsAndPlans, termsOf: capacityTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Capacity) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Capacity) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Capacity) }, part: figures.KeyCapacity, within: goingAhead, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Capacity) }},
	{Key: figures.KeyAvailable, From: fromEventsAndPlans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Available) }},
	{Key: figures.KeyBlocked, From: fromEvents, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Blocked) }},
	{Key: figures.KeySold, From: fromTickets, terms: sumOf(figures.KeyPaid, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyFreeTickets),
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Sold) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Sold) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Sold) }, part: figures.KeySold, within: goingAhead,
		ofSales: func(m *evening.Marketing) figures.Value { return figures.CountOf(m.Sold) },
		ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Sold) }, ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return placesOf(v, p) }},
	{Key: figures.KeyPaid, From: fromOrders,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Paid) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Paid) }, part: figures.KeyPaid, within: goingAhead},
	{Key: figures.KeyUnpaid, From: fromOrders,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Unpaid) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Unpaid) }, part: figures.KeyUnpaid, within: goingAhead},
	{Key: figures.KeyComplimentary, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Complimentary) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Complimentary) }, part: figures.KeyComplimentary, within: goingAhead},
	{Key: figures.KeyFreeTickets, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.FreeTickets) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.FreeTickets) }, part: figures.KeyFreeTickets, within: goingAhead},
	{Key: figures.KeyReserved, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Reserved) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Reserved) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Reserved) }, part: figures.KeyReserved, within: goingAhead},
	{Key: figures.KeyFree, From: fromPlaces, fromOf: freeFrom, termsOf: freeTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Free) }, ofArea: func(a *figures.Area) figures.Value { return figures.CountOf(a.Free) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Free) }, part: figures.KeyFree, within: anyPhase},
	{Key: figures.KeyOversold, From: fromCapacity, ofShow: func(s *evening.Show) figures.Value { return figures.Value{Count: s.Oversold} }},
	{Key: figures.KeyOccupancy, Unit: figures.Share, From: fromCapacity, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeySold}, {Op: figures.DividedBy, Key: figures.KeyCapacity}},
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.Occupancy()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.ShareOf(v.House.Occupancy()) },
		ofNight: func(r *evening.Result) figures.Value { return figures.ShareOf(r.Occupancy()) }},
	{Key: figures.KeyPaidOccupancy, Unit: figures.Share, From: []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment}, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyPaid}, {Op: figures.DividedBy, Key: figures.KeyCapacity}},
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.PaidOccupancy()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.ShareOf(v.House.PaidOccupancy()) }},
	{Key: figures.KeySoldHour, window: time.Hour, From: fromTickets,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.SoldLastHour) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.SoldLastHour) }},
	{Key: figures.KeySold24Hours, window: 24 * time.Hour, From: fromTickets, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.SoldIn(24 * time.Hour)) }},
	{Key: figures.KeySold7Days, days: 7, From: fromTickets, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.SoldInWeek) }},
	{Key: figures.KeySoldToday, Today: true, From: fromTickets, terms: sumOf(figures.KeySoldHere, figures.KeySoldElsewhere),
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Today.Places(s.Sold)) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.PlacesToday) }},
	{Key: figures.KeySoldHere, Today: true, From: fromTickets, part: figures.KeySoldToday, within: anyPhase,
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.PlacesHere) }},
	{Key: figures.KeySoldElsewhere, Today: true, From: fromTickets, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.PlacesElsewhere) }},

	{Key: figures.KeyExpected, Unit: figures.People, From: fromTickets, terms: sumOf(figures.KeySold), termsOf: expectedTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Expected) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Sold) }, part: figures.KeyExpected, within: goingAhead},
	{Key: figures.KeyCame, Unit: figures.People, From: fromScans,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Attendance) }, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Came) }},
	{Key: figures.KeyArrived, Unit: figures.People, From: fromScans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Arrived) }},
	{Key: figures.KeyCameUnsold, Unit: figures.People, From: fromScans,
		terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyCame}, {Op: figures.Less, Key: figures.KeyArrived}}, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(figures.Minus(s.Attendance, s.Arrived)) }},
	{Key: figures.KeyPresent, Unit: figures.People, From: fromScans, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.PresentNow) }},
	{Key: figures.KeyWalkIns, Unit: figures.People, From: []record.Kind{record.KindWalkIn}, ofShow: func(s *evening.Show) figures.Value { return figures.Value{Count: s.WalkedIn()} }},
	{Key: figures.KeyLeft, Unit: figures.People, From: fromScans, forecast: true, ofShow: func(s *evening.Show) figures.Value { return bandedOf(s.Left, s.LeftBand) }},
	{Key: figures.KeyInside, Unit: figures.People, From: fromScans, termsOf: insideTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Inside) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Inside) }, part: figures.KeyInside, within: anyPhase,
		ofHall: func(l *evening.Load) figures.Value { return figures.CountOf(l.Inside) }},
	{Key: figures.KeyLeaving, Unit: figures.People, From: fromScans, part: figures.KeyInside, within: func(s *evening.Show) bool { return s.Leaving },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Leaving) }},
	{Key: figures.KeyLicensed, Unit: figures.People, From: fromSettings, ofHall: func(l *evening.Load) figures.Value { return figures.Value{Count: l.Licensed} },
		ofEvening: func(v *evening.Evening) figures.Value {
			return ofBuilding(v, func(l *evening.Load) figures.Value { return figures.Value{Count: l.Licensed} })
		}},
	{Key: figures.KeyLoad, Unit: figures.Share, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyInside}, {Op: figures.DividedBy, Key: figures.KeyLicensed}},
		ofHall: func(l *evening.Load) figures.Value { return figures.ShareOf(l.Share()) },
		ofEvening: func(v *evening.Evening) figures.Value {
			return ofBuilding(v, func(l *evening.Load) figures.Value { return figures.ShareOf(l.Share()) })
		}},
	{Key: figures.KeyNotYetIn, Unit: figures.People, From: fromScans, termsOf: stillTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Still) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Still) },
		part: figures.KeyNotYetIn, within: func(s *evening.Show) bool { return s.Phase == evening.Arriving }},
	{Key: figures.KeyLatecomers, Unit: figures.People, From: fromScans, part: figures.KeyNotYetIn, within: func(s *evening.Show) bool { return s.Phase == evening.Running },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.CountOf(v.House.Latecomers) }},
	{Key: figures.KeyNoShows, Unit: figures.People, From: fromScans, termsOf: awayTerms,
		ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(s.Away) }, ofNight: func(r *evening.Result) figures.Value { return figures.CountOf(r.Away) }},
	{Key: figures.KeyNoShow, Unit: figures.Share, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyNoShows}, {Op: figures.DividedBy, Key: figures.KeyExpected}},
		ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(s.NoShow) }, ofNight: func(r *evening.Result) figures.Value { return figures.ShareOf(r.NoShow) }},

	{Key: figures.KeyArrivedShare, Unit: figures.Share, From: fromScans, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyArrived}, {Op: figures.DividedBy, Key: figures.KeyExpected}}, ofShow: func(s *evening.Show) figures.Value { return figures.ShareOf(evening.ArrivedShare(s.EventFigures)) }},
	perMinuteIn(figures.KeyEntries1, time.Minute), perMinuteIn(figures.KeyEntries5, 5*time.Minute), perMinuteIn(figures.KeyEntries15, 15*time.Minute),
	{Key: figures.KeyComing, Unit: figures.People, From: fromScans, forecast: true, ofGate: func(g *evening.Gate) figures.Value { return bandedOf(queued(g).Coming, queued(g).ComingBand) }},
	{Key: figures.KeyWaiting, Unit: figures.People, From: fromScans, forecast: true, ofGate: func(g *evening.Gate) figures.Value { return bandedOf(queued(g).Waiting, queued(g).WaitingBand) }},
	{Key: figures.KeyOutside, Unit: figures.People, From: fromScans, forecast: true, ofShow: func(s *evening.Show) figures.Value { return figures.CountOf(outside(s)) }},

	{Key: figures.KeyBooked, Unit: figures.Money, From: fromTickets, ofShow: showOf(figures.Booked),
		ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(v.Booked()) }, part: figures.KeyBooked, within: goingAhead,
		ofVAT: func(f *figures.VATFigures, booked figures.Caveat) figures.Value {
			return figures.MoneyOf(figures.New(f.Of(figures.Booked), booked))
		},
		ofPeriod: periodOf(figures.Booked), ofOrders: func(b *evening.Bridge) figures.Value { return figures.MoneyOf(b.Booked) }},
	{Key: figures.KeyBookedToday, Unit: figures.Money, Today: true, From: fromTickets, terms: sumOf(figures.KeyBookedHere, figures.KeyBookedElsewhere),
		ofShow: func(s *evening.Show) figures.Value {
			return moneyIn(s.Today.Of(figures.Booked), s.Revenue.Of(figures.Booked))
		},
		ofEvening: func(v *evening.Evening) figures.Value {
			return bookedIn(v, &v.House.Today)
		}},
	{Key: figures.KeyBookedHere, Unit: figures.Money, Today: true, From: fromTickets,
		part: figures.KeyBookedToday, within: anyPhase,
		ofEvening: func(v *evening.Evening) figures.Value {
			return bookedIn(v, &v.House.Here)
		}},
	{Key: figures.KeyBookedElsewhere, Unit: figures.Money, Today: true, From: fromTickets,
		ofEvening: func(v *evening.Evening) figures.Value {
			return bookedIn(v, &v.House.Elsewhere)
		}},
	{Key: figures.KeyReceived, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.Received),
		ofSales:  func(m *evening.Marketing) figures.Value { return figures.MoneyOf(m.Received) },
		ofPeriod: periodOf(figures.Received)},
	{Key: figures.KeyRefunded, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.Refunded),
		ofPeriod: periodOf(figures.Refunded)},
	{Key: figures.KeyChargedBack, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.ChargedBack),
		ofPeriod: periodOf(figures.ChargedBack)},
	{Key: figures.KeyReversed, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.Reversed),
		ofPeriod: periodOf(figures.Reversed)},
	{Key: figures.KeyNet, Unit: figures.Money, From: fromPayments, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyReceived}, {Op: figures.Less, Key: figures.KeyRefunded}, {Op: figures.Less, Key: figures.KeyChargedBack}, {Op: figures.Plus, Key: figures.KeyReversed}},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.Revenue.NetReceived()) }, ofNight: func(r *evening.Result) figures.Value { return figures.MoneyOf(r.Net) },
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return moneyIn(p.Net(), v.RevenueOf(p).NetReceived())
		},
		ofOrders: func(b *evening.Bridge) figures.Value { return figures.MoneyOf(b.Net) }},
	{Key: figures.KeyUnattributed, Unit: figures.Money, ofHouse: true, From: fromPayments, ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.MoneyOf(v.Unattributed(p)) }},
	{Key: figures.KeyStandsIn, Unit: figures.Money, From: fromTickets, terms: sumOf(figures.KeyBooked),
		ofShow: func(s *evening.Show) figures.Value { return standsIn(s) }, ofNight: func(r *evening.Result) figures.Value { return figures.MoneyOf(r.Net) },
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return moneyIn(p.Of(figures.Booked), v.RevenueOf(p).Net)
		}},
	{Key: figures.KeyRefundsPending, Unit: figures.Money, From: fromPayments, ofShow: showOf(figures.RefundsPending),
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.MoneyOf(v.RefundsPending(p)) }},
	{Key: figures.KeyFees, Unit: figures.Money, From: fromTickets, ofShow: showOf(figures.Fees),
		ofPeriod: periodOf(figures.Fees), ofOrders: func(b *evening.Bridge) figures.Value { return figures.MoneyOf(b.Fees) }},
	{Key: figures.KeyVAT, Unit: figures.Money, From: fromTickets, ofShow: showOf(figures.VAT),
		ofVAT: func(f *figures.VATFigures, booked figures.Caveat) figures.Value {
			return figures.MoneyOf(figures.New(f.Of(figures.VAT), caveat(f, booked)))
		},
		ofPeriod: periodOf(figures.VAT)},
	{Key: figures.KeyNetOfVAT, Unit: figures.Money, From: fromTickets, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyBooked}, {Op: figures.Less, Key: figures.KeyVAT}},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.Revenue.NetOfVAT()) },
		ofVAT: func(f *figures.VATFigures, booked figures.Caveat) figures.Value {
			return figures.MoneyOf(figures.New(f.Net(), caveat(f, booked).OfDifference()))
		},
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value {
			return moneyIn(p.NetOfVAT(), v.RevenueOf(p).NetOfVAT())
		}},
	{Key: figures.KeyBudget, Unit: figures.Money, ofHouse: true, From: fromSettings,
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.MoneyOf(v.Budget(p)) }},
	{Key: figures.KeyOverBudget, Unit: figures.Money, ofHouse: true, From: fromTickets, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyBooked}, {Op: figures.Less, Key: figures.KeyBudget}},
		ofPeriod: func(v *evening.Evening, p *evening.Period) figures.Value { return figures.MoneyOf(v.OverBudget(p)) }},
	{Key: figures.KeyToBePaid, Unit: figures.Money, From: fromOrders, ofShow: showOf(figures.ToBePaid),
		ofOrders: func(b *evening.Bridge) figures.Value { return figures.MoneyOf(b.ToBePaid) }},
	{Key: figures.KeyToBePaidBack, Unit: figures.Money, From: fromOrders, ofShow: showOf(figures.ToBePaidBack),
		ofOrders: func(b *evening.Bridge) figures.Value { return figures.MoneyOf(b.ToBePaidBack) }},
	{Key: figures.KeyOpenItems, Unit: figures.Money, From: fromOrders, terms: []figures.Term{{Op: figures.Plus, Key: figures.KeyToBePaid}, {Op: figures.Less, Key: figures.KeyToBePaidBack}},
		ofShow: func(s *evening.Show) figures.Value {
			return figures.MoneyOf(openItems(s.Revenue.Of(figures.ToBePaid), s.Revenue.Of(figures.ToBePaidBack)))
		}, ofOrders: func(b *evening.Bridge) figures.Value { return figures.MoneyOf(openItems(b.ToBePaid, b.ToBePaidBack)) }},
	{Key: figures.KeyToPayBack, Unit: figures.Money, From: fromPayments, termsOf: toPayBackTerms, ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.ToPayBack) }},
	{Key: figures.KeyAveragePrice, Unit: figures.Money, From: fromOrders, ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.AveragePrice) },
		ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(v.AveragePrice()) }, ofSales: func(m *evening.Marketing) figures.Value { return figures.MoneyOf(m.AveragePrice) }},
	{Key: figures.KeyRevenuePerPlace, Unit: figures.Money, From: fromCapacity, terms: quotient(figures.KeyBooked, figures.KeyCapacity),
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.RevenuePerPlace()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(v.RevenuePerPlace()) },
		ofSales: func(m *evening.Marketing) figures.Value { return figures.MoneyOf(m.RevenuePerPlace) }},
	{Key: figures.KeyUnsoldValue, Unit: figures.Money, From: []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment},
		termsOf: func(*evening.Show) []figures.Term {
			return []figures.Term{{Op: figures.Plus, Key: figures.KeyFree}, {Op: figures.Times, Key: figures.KeyAveragePrice}}
		},
		ofShow: func(s *evening.Show) figures.Value { return figures.MoneyOf(s.UnsoldValue()) }, ofEvening: func(v *evening.Evening) figures.Value { return figures.MoneyOf(evening.UnsoldValue(v.Shows)) }, part: figures.KeyUnsoldValue, within: (*evening.Show).OnSale,
		ofSales: func(m *evening.Marketing) figures.Value { return figures.MoneyOf(m.UnsoldValue) }},
}
