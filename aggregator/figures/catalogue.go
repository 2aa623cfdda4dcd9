package figures

import (
	"slices"
	"time"

	"housecount/apiclient/record"
)

// Key names a figure of the catalogue. What a figure is called and how it is defined are messages
// of that name.
type Key string

// The figures.
const (
	KeyCapacity        Key = "capacity"
	KeyAvailable       Key = "available"
	KeyBlocked         Key = "blocked"
	KeySold            Key = "sold"
	KeyPaid            Key = "paid"
	KeyUnpaid          Key = "unpaid"
	KeyComplimentary   Key = "complimentary"
	KeyFreeTickets     Key = "free_tickets"
	KeyReserved        Key = "reserved"
	KeyFree            Key = "free"
	KeyOversold        Key = "oversold"
	KeyOccupancy       Key = "occupancy"
	KeyPaidOccupancy   Key = "paid_occupancy"
	KeySoldHour        Key = "sold_hour"
	KeySold24Hours     Key = "sold_24_hours"
	KeySold7Days       Key = "sold_7_days"
	KeySoldToday       Key = "sold_today"
	KeySoldHere        Key = "sold_here"
	KeySoldElsewhere   Key = "sold_elsewhere"
	KeyExpected        Key = "expected"
	KeyCame            Key = "came"
	KeyArrived         Key = "arrived"
	KeyCameUnsold      Key = "came_unsold"
	KeyPresent         Key = "present"
	KeyWalkIns         Key = "walk_ins"
	KeyInside          Key = "inside"
	KeyLeaving         Key = "leaving"
	KeyLicensed        Key = "licensed"
	KeyLoad            Key = "load"
	KeyStill           Key = "still"
	KeyLatecomers      Key = "latecomers"
	KeyAway            Key = "away"
	KeyNoShow          Key = "no_show"
	KeyArrivedShare    Key = "arrived_share"
	KeyEntries1        Key = "entries_1"
	KeyEntries5        Key = "entries_5"
	KeyEntries15       Key = "entries_15"
	KeyComing          Key = "coming"
	KeyWaiting         Key = "waiting"
	KeyOutside         Key = "outside"
	KeyBooked          Key = "booked"
	KeyBookedToday     Key = "booked_today"
	KeyBookedHere      Key = "booked_here"
	KeyBookedElsewhere Key = "booked_elsewhere"
	KeyReceived        Key = "received"
	KeyRefunded        Key = "refunded"
	KeyChargedBack     Key = "charged_back"
	KeyReversed        Key = "reversed"
	KeyNet             Key = "net"
	KeyStandsIn        Key = "stands_in"
	KeyRefundsPending  Key = "refunds_pending"
	KeyFees            Key = "fees"
	KeyVAT             Key = "vat"
	KeyNetOfVAT        Key = "net_of_vat"
	KeyBudget          Key = "budget"
	KeyOverBudget      Key = "over_budget"
	KeyToBePaid        Key = "to_be_paid"
	KeyToBePaidBack    Key = "to_be_paid_back"
	KeyOpenItems       Key = "open_items"
	KeyToPayBack       Key = "to_pay_back"
	KeyUnattributed    Key = "unattributed"
	KeyAveragePrice    Key = "average_price"
	KeyRevenuePerPlace Key = "revenue_per_place"
	KeyUnsoldValue     Key = "unsold_value"
	KeyForecast        Key = "forecast"
	KeyOfForecast      Key = "of_forecast"
	KeyPlannedRevenue  Key = "planned_revenue"
	KeyOverPlanned     Key = "over_planned"
	KeyMarketingBudget Key = "marketing_budget"
	KeyCostPerTicket   Key = "cost_per_ticket"
	KeyOrders          Key = "orders"
	KeyOrdered         Key = "ordered"
	KeyPerOrder        Key = "per_order"
	KeyBuyersNew       Key = "buyers_new"
	KeyBuyersReturning Key = "buyers_returning"
	KeyBuyersKnown     Key = "buyers_known"
	KeyBuyersUnknown   Key = "buyers_unknown"
	KeyReturning       Key = "returning"
	KeyOptIn           Key = "opt_in"
	KeyOptedIn         Key = "opted_in"
	KeyAsked           Key = "asked"
	KeySoldSoFar       Key = "sold_so_far"
	KeyUsual           Key = "usual"
	KeyUsualFinish     Key = "usual_finish"
	KeyFinish          Key = "finish"
	KeyFinishError     Key = "finish_error"
)

// Unit is what a figure counts.
type Unit uint8

// The units.
const (
	Places Unit = iota
	People
	Share // a part of a whole, 1 being all of it
	Money
	Mean // how many of something for one of something else
	OrderCount
	Contact
	PerMinute // people a minute, as a Share
)

// Ratio says that a figure of the unit is a quotient, a Value's Share.
func (u Unit) Ratio() bool { return u == Share || u == Mean || u == PerMinute }

// Op is what a term does in a formula.
type Op uint8

// The operations, from left to right.
const (
	Plus Op = iota
	Less
	DividedBy
	Times
)

// Term is a figure in the formula of another, of the same scope.
type Term struct {
	Op Op
	Key
}

// Value is a figure of any unit: Amount of money, Share of a quotient and of a rate, Count of what is
// counted. An estimate from comparable performances has a Band.
type Value struct {
	Count   int
	Share   float64
	Amount  Sums
	Band    Band // zero for none
	Quality Quality
	Reasons []Reason
}

// In is the value with its amounts in one currency alone; an empty one leaves all of them.
func (v Value) In(currency string) Value {
	if currency != "" {
		v.Amount = slices.DeleteFunc(slices.Clone(v.Amount), func(m record.Money) bool { return m.Currency != currency })
	}
	return v
}

// Known says that the figure has a value at all.
func (v Value) Known() bool { return v.Quality != Unknown }

// Definition is a row of the catalogue. It points to what computes the figure and computes
// nothing itself.
type Definition struct {
	Key  Key
	Unit Unit
	// Today says that it is of the running day of sale alone.
	Today bool
	// window is how far it looks back, and days how many days of sale, the running one among them;
	// 0 for always.
	window time.Duration
	days   int
	// From are the kinds of records that it is counted from, and fromOf those that one of a
	// performance is counted from, where that goes by what is known of it.
	From   []record.Kind
	fromOf func(*Show) []record.Kind

	// terms is its formula, nil for one that is counted from records; termsOf that of a
	// performance, where it goes by what is known of one.
	terms   []Term
	termsOf func(*Show) []Term
	// What it is of a performance, of a price area of one, of those of the evening, of a hall in it, of what is over, of days of
	// sale, of what was booked on them from one source of VAT, and of the orders placed on days; nil where it is not a figure of these.
	ofShow    func(*Show) Value
	ofArea    func(*Area) Value
	ofEvening func(*Evening) Value
	ofHall    func(*Load) Value
	ofGate    func(*Gate) Value // of a performance
	// part is the figure of a performance that is a part of that of the evening, and in which phase
	// one has a part; nil where those are none.
	part    Key
	within  func(*Show) bool
	ofNight func(*Result) Value
	// ofHouse says that of days of sale it is a figure of all performances together and of none alone.
	ofHouse  bool
	ofPeriod func(*Evening, *Period) Value
	ofVAT    func(f *VATFigures, booked caveat) Value
	ofOrders func(*Bridge) Value
	// What it is of the sales of performances of some days, with its formula there where that goes by
	// them, and of the pace of one.
	ofSales      func(*Marketing) Value
	termsOfSales func(*Marketing) []Term
	ofPace       func(*Pace) Value
	// forecast says that it is made from what is usual, of past performances.
	forecast bool
}

// lookback is how many days of sale the figure looks back, the running one among them; 0 for always.
func (d *Definition) lookback() int {
	if d.Today {
		return max(1, d.days)
	}
	return d.days
}

// looksBack reports whether the figure is of a window or of days of sale.
func (d *Definition) looksBack() bool { return d.lookback() != 0 || d.window != 0 }

// OfSalesOnly says that the figure is of how a sale goes beside others, for those who see what is sold.
func (d *Definition) OfSalesOnly() bool { return d.ofPace != nil }

// HasFormula says that the figure has terms, at least of some performance.
func (d *Definition) HasFormula() bool { return d.terms != nil || d.termsOf != nil }

// Catalogue is every figure that a page shows, in the order in which they are defined.
func Catalogue() []Definition { return slices.Clone(catalogue) }

// Define is the catalogue's row of a figure, nil where there is none of that name.
func Define(k Key) *Definition {
	return byKey[k]
}

var byKey = func() map[Key]*Definition {
	all := make(map[Key]*Definition, len(catalogue))
	for i := range catalogue {
		all[catalogue[i].Key] = &catalogue[i]
	}
	return all
}()

// OfShow, OfEvening and OfNight are the figure of a performance, of those of the evening, and of what
// is over; Unknown where it is no figure of these.
func (d *Definition) OfShow(s *Show) Value { return orUnknown(d.ofShow, s) }

// OfArea is that of a price area.
func (d *Definition) OfArea(a *Area) Value { return orUnknown(d.ofArea, a) }

// OfEvening is that of the evening.
func (d *Definition) OfEvening(v *Evening) Value { return orUnknown(d.ofEvening, v) }

// OfHall is that of a hall.
func (d *Definition) OfHall(l *Load) Value { return orUnknown(d.ofHall, l) }

// OfGate is that of a gate.
func (d *Definition) OfGate(g *Gate) Value { return orUnknown(d.ofGate, g) }

// OfNight is that of what is over.
func (d *Definition) OfNight(r *Result) Value { return orUnknown(d.ofNight, r) }

// OfPeriod is that of days of sale, and OfVAT of what was booked on them from one source of VAT.
func (d *Definition) OfPeriod(v *Evening, p *Period) Value {
	if d.ofPeriod == nil {
		return Value{Quality: Unknown}
	}
	return d.ofPeriod(v, p)
}

// OfOrders is that of the orders placed on days, OfSales of the sales of performances, and OfPace of a pace.
func (d *Definition) OfOrders(b *Bridge) Value { return orUnknown(d.ofOrders, b) }

func (d *Definition) OfSales(m *Marketing) Value { return orUnknown(d.ofSales, m) }

func (d *Definition) OfPace(p *Pace) Value { return orUnknown(d.ofPace, p) }

func (d *Definition) OfVAT(v *Evening, f *VATFigures) Value {
	if d.ofVAT == nil {
		return Value{Quality: Unknown}
	}
	return d.ofVAT(f, v.snapshot.Total.Of(Booked).caveat())
}

func orUnknown[T any](read func(T) Value, of T) Value {
	if read == nil {
		return Value{Quality: Unknown}
	}
	return read(of)
}

var (
	fromEvents   = []record.Kind{record.KindEvent}
	fromTickets  = []record.Kind{record.KindTicket}
	fromScans    = []record.Kind{record.KindTicket, record.KindScan}
	fromPayments = []record.Kind{record.KindPayment}
	fromOrders   = []record.Kind{record.KindTicket, record.KindPayment}
	fromSettings = []record.Kind{record.KindSetting}
	fromCapacity = []record.Kind{record.KindEvent, record.KindTicket}
	fromPlanning = []record.Kind{record.KindPlanning}
	fromPlaces   = []record.Kind{record.KindEvent, record.KindPlanning, record.KindTicket}
)

var catalogue = slices.Concat(houseFigures, planningFigures, salesFigures, paceFigures)

// houseFigures are places, visitors and money.
var houseFigures = []Definition{
	{Key: KeyCapacity, From: []record.Kind{record.KindEvent, record.KindPlanning}, termsOf: (*Show).capacityTerms,
		ofShow: func(s *Show) Value { return countOf(s.Capacity) }, ofArea: func(a *Area) Value { return countOf(a.Capacity) },
		ofEvening: func(v *Evening) Value { return countOf(v.House.Capacity) }, part: KeyCapacity, within: goingAhead, ofNight: func(r *Result) Value { return countOf(r.Capacity) }},
	{Key: KeyAvailable, From: fromEvents, ofShow: func(s *Show) Value { return countOf(s.Available) }},
	{Key: KeyBlocked, From: fromEvents, ofShow: func(s *Show) Value { return countOf(s.Blocked) }},
	{Key: KeySold, From: fromTickets, terms: sumOf(KeyPaid, KeyUnpaid, KeyComplimentary, KeyFreeTickets),
		ofShow: func(s *Show) Value { return countOf(s.Sold) }, ofArea: func(a *Area) Value { return countOf(a.Sold) },
		ofEvening: func(v *Evening) Value { return countOf(v.House.Sold) }, part: KeySold, within: goingAhead,
		ofSales: func(m *Marketing) Value { return countOf(m.Sold) },
		ofNight: func(r *Result) Value { return countOf(r.Sold) }, ofPeriod: func(v *Evening, p *Period) Value { return v.placesOf(p) }},
	{Key: KeyPaid, From: fromOrders,
		ofShow: func(s *Show) Value { return countOf(s.Paid) }, ofEvening: func(v *Evening) Value { return countOf(v.House.Paid) }, part: KeyPaid, within: goingAhead},
	{Key: KeyUnpaid, From: fromOrders,
		ofShow: func(s *Show) Value { return countOf(s.Unpaid) }, ofEvening: func(v *Evening) Value { return countOf(v.House.Unpaid) }, part: KeyUnpaid, within: goingAhead},
	{Key: KeyComplimentary, From: fromTickets,
		ofShow: func(s *Show) Value { return countOf(s.Complimentary) }, ofEvening: func(v *Evening) Value { return countOf(v.House.Complimentary) }, part: KeyComplimentary, within: goingAhead},
	{Key: KeyFreeTickets, From: fromTickets,
		ofShow: func(s *Show) Value { return countOf(s.FreeTickets) }, ofEvening: func(v *Evening) Value { return countOf(v.House.FreeTickets) }, part: KeyFreeTickets, within: goingAhead},
	{Key: KeyReserved, From: fromTickets,
		ofShow: func(s *Show) Value { return countOf(s.Reserved) }, ofArea: func(a *Area) Value { return countOf(a.Reserved) },
		ofEvening: func(v *Evening) Value { return countOf(v.House.Reserved) }, part: KeyReserved, within: goingAhead},
	{Key: KeyFree, From: fromPlaces, fromOf: (*Show).freeFrom, termsOf: (*Show).freeTerms,
		ofShow: func(s *Show) Value { return countOf(s.Free) }, ofArea: func(a *Area) Value { return countOf(a.Free) },
		ofEvening: func(v *Evening) Value { return countOf(v.House.Free) }, part: KeyFree, within: anyPhase},
	{Key: KeyOversold, From: fromCapacity, ofShow: func(s *Show) Value { return Value{Count: s.Oversold} }},
	{Key: KeyOccupancy, Unit: Share, From: fromCapacity, terms: []Term{{Plus, KeySold}, {DividedBy, KeyCapacity}},
		ofShow: func(s *Show) Value { return shareOf(s.Occupancy()) }, ofEvening: func(v *Evening) Value { return shareOf(v.House.Occupancy()) },
		ofNight: func(r *Result) Value { return shareOf(r.Occupancy()) }},
	{Key: KeyPaidOccupancy, Unit: Share, From: []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment}, terms: []Term{{Plus, KeyPaid}, {DividedBy, KeyCapacity}},
		ofShow: func(s *Show) Value { return shareOf(s.PaidOccupancy()) }, ofEvening: func(v *Evening) Value { return shareOf(v.House.PaidOccupancy()) }},
	{Key: KeySoldHour, window: time.Hour, From: fromTickets,
		ofShow: func(s *Show) Value { return countOf(s.SoldLastHour) }, ofEvening: func(v *Evening) Value { return countOf(v.House.SoldLastHour) }},
	{Key: KeySold24Hours, window: 24 * time.Hour, From: fromTickets, ofShow: func(s *Show) Value { return countOf(s.SoldIn(24 * time.Hour)) }},
	{Key: KeySold7Days, days: 7, From: fromTickets, ofShow: func(s *Show) Value { return countOf(s.SoldInWeek) }},
	{Key: KeySoldToday, Today: true, From: fromTickets, terms: sumOf(KeySoldHere, KeySoldElsewhere),
		ofShow: func(s *Show) Value { return countOf(s.Today.Places(s.Sold)) }, ofEvening: func(v *Evening) Value { return countOf(v.House.PlacesToday) }},
	{Key: KeySoldHere, Today: true, From: fromTickets, part: KeySoldToday, within: anyPhase,
		ofEvening: func(v *Evening) Value { return countOf(v.House.PlacesHere) }},
	{Key: KeySoldElsewhere, Today: true, From: fromTickets, ofEvening: func(v *Evening) Value { return countOf(v.House.PlacesElsewhere) }},

	{Key: KeyExpected, Unit: People, From: fromTickets, terms: sumOf(KeySold),
		ofShow: func(s *Show) Value { return countOf(s.Expected) }, ofEvening: func(v *Evening) Value { return countOf(v.House.Sold) }, part: KeyExpected, within: goingAhead},
	{Key: KeyCame, Unit: People, From: fromScans,
		ofShow: func(s *Show) Value { return countOf(s.Attendance) }, ofNight: func(r *Result) Value { return countOf(r.Came) }},
	{Key: KeyArrived, Unit: People, From: fromScans, ofShow: func(s *Show) Value { return countOf(s.Arrived) }},
	{Key: KeyCameUnsold, Unit: People, From: fromScans,
		terms: []Term{{Plus, KeyCame}, {Less, KeyArrived}}, ofShow: func(s *Show) Value { return countOf(Minus(s.Attendance, s.Arrived)) }},
	{Key: KeyPresent, Unit: People, From: fromScans, ofShow: func(s *Show) Value { return countOf(s.PresentNow) }},
	{Key: KeyWalkIns, Unit: People, From: []record.Kind{record.KindWalkIn}, ofShow: func(s *Show) Value { return Value{Count: s.WalkedIn()} }},
	{Key: KeyInside, Unit: People, From: fromScans, termsOf: (*Show).insideTerms,
		ofShow: func(s *Show) Value { return countOf(s.Inside) }, ofEvening: func(v *Evening) Value { return countOf(v.House.Inside) }, part: KeyInside, within: anyPhase,
		ofHall: func(l *Load) Value { return countOf(l.Inside) }},
	{Key: KeyLeaving, Unit: People, From: fromScans, part: KeyInside, within: func(s *Show) bool { return s.Leaving },
		ofEvening: func(v *Evening) Value { return countOf(v.House.Leaving) }},
	{Key: KeyLicensed, Unit: People, From: fromSettings, ofHall: func(l *Load) Value { return Value{Count: l.Licensed} },
		ofEvening: func(v *Evening) Value { return v.ofBuilding(func(l *Load) Value { return Value{Count: l.Licensed} }) }},
	{Key: KeyLoad, Unit: Share, From: fromScans, terms: []Term{{Plus, KeyInside}, {DividedBy, KeyLicensed}},
		ofHall:    func(l *Load) Value { return shareOf(l.Share()) },
		ofEvening: func(v *Evening) Value { return v.ofBuilding(func(l *Load) Value { return shareOf(l.Share()) }) }},
	{Key: KeyStill, Unit: People, From: fromScans, termsOf: (*Show).stillTerms,
		ofShow: func(s *Show) Value { return countOf(s.Still) }, ofEvening: func(v *Evening) Value { return countOf(v.House.Still) },
		part: KeyStill, within: func(s *Show) bool { return s.Phase == Arriving }},
	{Key: KeyLatecomers, Unit: People, From: fromScans, part: KeyStill, within: func(s *Show) bool { return s.Phase == Running },
		ofEvening: func(v *Evening) Value { return countOf(v.House.Latecomers) }},
	{Key: KeyAway, Unit: People, From: fromScans, termsOf: (*Show).awayTerms,
		ofShow: func(s *Show) Value { return countOf(s.Away) }, ofNight: func(r *Result) Value { return countOf(r.Away) }},
	{Key: KeyNoShow, Unit: Share, From: fromScans, terms: []Term{{Plus, KeyAway}, {DividedBy, KeyExpected}},
		ofShow: func(s *Show) Value { return shareOf(s.NoShow) }, ofNight: func(r *Result) Value { return shareOf(r.NoShow) }},

	{Key: KeyArrivedShare, Unit: Share, From: fromScans, terms: []Term{{Plus, KeyArrived}, {DividedBy, KeyExpected}}, ofShow: func(s *Show) Value { return shareOf(s.ArrivedShare()) }},
	perMinuteIn(KeyEntries1, time.Minute), perMinuteIn(KeyEntries5, 5*time.Minute), perMinuteIn(KeyEntries15, 15*time.Minute),
	{Key: KeyComing, Unit: People, From: fromScans, forecast: true, ofGate: func(g *Gate) Value { return bandedOf(g.queued().Coming, g.queued().ComingBand) }},
	{Key: KeyWaiting, Unit: People, From: fromScans, forecast: true, ofGate: func(g *Gate) Value { return bandedOf(g.queued().Waiting, g.queued().WaitingBand) }},
	{Key: KeyOutside, Unit: People, From: fromScans, forecast: true, ofShow: func(s *Show) Value { return countOf(s.outside()) }},

	{Key: KeyBooked, Unit: Money, From: fromTickets, ofShow: showOf(Booked),
		ofEvening: func(v *Evening) Value { return moneyOf(v.Booked()) }, part: KeyBooked, within: goingAhead,
		ofVAT:    func(f *VATFigures, booked caveat) Value { return moneyOf(figure(f.Of(Booked), booked)) },
		ofPeriod: periodOf(Booked), ofOrders: func(b *Bridge) Value { return moneyOf(b.Booked) }},
	{Key: KeyBookedToday, Unit: Money, Today: true, From: fromTickets, terms: sumOf(KeyBookedHere, KeyBookedElsewhere),
		ofShow:    func(s *Show) Value { return moneyIn(s.Today.Of(Booked), s.Revenue.Of(Booked)) },
		ofEvening: func(v *Evening) Value { return moneyIn(v.House.Today.Of(Booked), v.snapshot.Total.Of(Booked)) }},
	{Key: KeyBookedHere, Unit: Money, Today: true, From: fromTickets,
		part: KeyBookedToday, within: anyPhase,
		ofEvening: func(v *Evening) Value { return moneyIn(v.House.Here.Of(Booked), v.snapshot.Total.Of(Booked)) }},
	{Key: KeyBookedElsewhere, Unit: Money, Today: true, From: fromTickets,
		ofEvening: func(v *Evening) Value { return moneyIn(v.House.Elsewhere.Of(Booked), v.snapshot.Total.Of(Booked)) }},
	{Key: KeyReceived, Unit: Money, From: fromPayments, ofShow: showOf(Received),
		ofSales:  func(m *Marketing) Value { return moneyOf(m.Received) },
		ofPeriod: periodOf(Received)},
	{Key: KeyRefunded, Unit: Money, From: fromPayments, ofShow: showOf(Refunded),
		ofPeriod: periodOf(Refunded)},
	{Key: KeyChargedBack, Unit: Money, From: fromPayments, ofShow: showOf(ChargedBack),
		ofPeriod: periodOf(ChargedBack)},
	{Key: KeyReversed, Unit: Money, From: fromPayments, ofShow: showOf(Reversed),
		ofPeriod: periodOf(Reversed)},
	{Key: KeyNet, Unit: Money, From: fromPayments, terms: []Term{{Plus, KeyReceived}, {Less, KeyRefunded}, {Less, KeyChargedBack}, {Plus, KeyReversed}},
		ofShow: func(s *Show) Value { return moneyOf(s.Revenue.NetReceived()) }, ofNight: func(r *Result) Value { return moneyOf(r.Net) },
		ofPeriod: func(v *Evening, p *Period) Value { return moneyIn(p.Net(), v.revenueOf(p).NetReceived()) },
		ofOrders: func(b *Bridge) Value { return moneyOf(b.Net) }},
	{Key: KeyUnattributed, Unit: Money, ofHouse: true, From: fromPayments, ofPeriod: func(v *Evening, p *Period) Value { return moneyOf(v.Unattributed(p)) }},
	{Key: KeyStandsIn, Unit: Money, From: fromTickets, terms: sumOf(KeyBooked),
		ofShow: func(s *Show) Value { return s.standsIn() }, ofNight: func(r *Result) Value { return moneyOf(r.Net) },
		ofPeriod: func(v *Evening, p *Period) Value { return moneyIn(p.Of(Booked), v.revenueOf(p).Net) }},
	{Key: KeyRefundsPending, Unit: Money, From: fromPayments, ofShow: showOf(RefundsPending),
		ofPeriod: func(v *Evening, p *Period) Value { return moneyOf(v.RefundsPending(p)) }},
	{Key: KeyFees, Unit: Money, From: fromTickets, ofShow: showOf(Fees),
		ofPeriod: periodOf(Fees), ofOrders: func(b *Bridge) Value { return moneyOf(b.Fees) }},
	{Key: KeyVAT, Unit: Money, From: fromTickets, ofShow: showOf(VAT),
		ofVAT:    func(f *VATFigures, booked caveat) Value { return moneyOf(figure(f.Of(VAT), f.caveat(booked))) },
		ofPeriod: periodOf(VAT)},
	{Key: KeyNetOfVAT, Unit: Money, From: fromTickets, terms: []Term{{Plus, KeyBooked}, {Less, KeyVAT}},
		ofShow: func(s *Show) Value { return moneyOf(s.Revenue.NetOfVAT()) },
		ofVAT: func(f *VATFigures, booked caveat) Value {
			return moneyOf(figure(f.Net(), f.caveat(booked).ofDifference()))
		},
		ofPeriod: func(v *Evening, p *Period) Value { return moneyIn(p.NetOfVAT(), v.revenueOf(p).NetOfVAT()) }},
	{Key: KeyBudget, Unit: Money, ofHouse: true, From: fromSettings,
		ofPeriod: func(v *Evening, p *Period) Value { return moneyOf(v.Budget(p)) }},
	{Key: KeyOverBudget, Unit: Money, ofHouse: true, From: fromTickets, terms: []Term{{Plus, KeyBooked}, {Less, KeyBudget}},
		ofPeriod: func(v *Evening, p *Period) Value { return moneyOf(v.OverBudget(p)) }},
	{Key: KeyToBePaid, Unit: Money, From: fromOrders, ofShow: showOf(ToBePaid),
		ofOrders: func(b *Bridge) Value { return moneyOf(b.ToBePaid) }},
	{Key: KeyToBePaidBack, Unit: Money, From: fromOrders, ofShow: showOf(ToBePaidBack),
		ofOrders: func(b *Bridge) Value { return moneyOf(b.ToBePaidBack) }},
	{Key: KeyOpenItems, Unit: Money, From: fromOrders, terms: []Term{{Plus, KeyToBePaid}, {Less, KeyToBePaidBack}},
		ofShow: func(s *Show) Value { return moneyOf(openItems(s.Revenue.Of(ToBePaid), s.Revenue.Of(ToBePaidBack))) }, ofOrders: func(b *Bridge) Value { return moneyOf(openItems(b.ToBePaid, b.ToBePaidBack)) }},
	{Key: KeyToPayBack, Unit: Money, From: fromPayments, termsOf: (*Show).toPayBackTerms, ofShow: func(s *Show) Value { return moneyOf(s.ToPayBack) }},
	{Key: KeyAveragePrice, Unit: Money, From: fromOrders, ofShow: func(s *Show) Value { return moneyOf(s.AveragePrice) },
		ofEvening: func(v *Evening) Value { return moneyOf(v.AveragePrice()) }, ofSales: func(m *Marketing) Value { return moneyOf(m.AveragePrice) }},
	{Key: KeyRevenuePerPlace, Unit: Money, From: fromCapacity, terms: quotient(KeyBooked, KeyCapacity),
		ofShow: func(s *Show) Value { return moneyOf(s.RevenuePerPlace()) }, ofEvening: func(v *Evening) Value { return moneyOf(v.RevenuePerPlace()) },
		ofSales: func(m *Marketing) Value { return moneyOf(m.RevenuePerPlace) }},
	{Key: KeyUnsoldValue, Unit: Money, From: []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment},
		termsOf: func(*Show) []Term { return []Term{{Plus, KeyFree}, {Times, KeyAveragePrice}} },
		ofShow:  func(s *Show) Value { return moneyOf(s.UnsoldValue()) }, ofEvening: func(v *Evening) Value { return moneyOf(unsoldValue(v.Shows)) }, part: KeyUnsoldValue, within: (*Show).onSale,
		ofSales: func(m *Marketing) Value { return moneyOf(m.UnsoldValue) }},
}
