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
	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
)

// Definition is a row of the catalogue. It refers to what computes the figure and computes nothing itself.
type Definition struct {
	Key  figures.Key
	Unit figures.Unit
	// Today is true if the figure is about today only.
	Today bool
	// window is how far back the figure looks; 0 for all time.
	window time.Duration
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
	ofHouse bool
	// wholeDays is true if there is none of a last day that ends at a minute, because it is of orders, too.
	wholeDays bool
	ofPeriod  func(*evening.Evening, *evening.Period) figures.Value
	ofVAT     func(f *figures.VATFigures, booked figures.Caveat) figures.Value
	ofOrders  func(*bridge.Bridge) figures.Value
	// ofSales returns the figure for the sales of the performances of some days, and termsOfSales its formula if
	// that depends on them. ofPace returns the figure of a performance's pace.
	ofSales      func(*marketing.Sales) figures.Value
	sumOfSales   bool // ofSales is the sum of ofShow over the performances
	termsOfSales func(*marketing.Sales) []figures.Term
	ofPace       func(*evening.Pace) figures.Value
	// forecast is true if it depends on what is usual at past performances.
	forecast bool
}

// windowEnd returns the exclusive end of the figure's window. A rate leaves out the minute of the figures.
func (d *Definition) windowEnd(v *evening.Evening) time.Time {
	if d.Unit == figures.PerMinute {
		return v.At
	}
	return evening.AfterMinute(v.At)
}

// looksBack reports whether the figure is of a window or of the running day of sale.
func (d *Definition) looksBack() bool { return d.Today || d.window != 0 }

// dependsOnContacts reports whether a figure of a performance depends on what its contacts bought of others, or on where they
// live.
func (d *Definition) dependsOnContacts(s figures.Scope) bool {
	return d.Key == figures.KeyBuyersNew || d.Key == figures.KeyBuyersReturning || d.Key == figures.KeyReturning || s.By == figures.OfTowns || s.By == figures.OfPostcodes
}

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
func (d *Definition) OfOrders(b *bridge.Bridge) figures.Value { return orUnknown(d.ofOrders, b) }

func (d *Definition) OfSales(m *marketing.Sales) figures.Value { return orUnknown(d.ofSales, m) }

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

var catalogue = slices.Concat(placesFigures, visitorFigures, moneyFigures, planningFigures, buyerFigures, paceFigures)
