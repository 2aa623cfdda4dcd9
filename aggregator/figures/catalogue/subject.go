package catalogue

import (
	"iter"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// OfPart is one of its figures; ok is false where it has no such figure.
func OfPart(p *evening.SalesPart, k figures.Key) (v figures.Value, ok bool) {
	_, isSold := p.By.Dimension()
	switch {
	case k == figures.KeySold && p.By != figures.OfMethods:
		return figures.CountOf(figures.New(p.Sold, p.Sales.Sold.Caveat())), true
	case k == figures.KeyPaid && isSold:
		return figures.CountOf(figures.New(p.Paid, p.Sales.Paid)), true
	case k == figures.KeyBooked && isSold:
		return figures.MoneyOf(figures.New(p.Of(figures.Booked), p.Sales.Booked)), true
	case k == figures.KeyReceived && p.By == figures.OfMethods:
		return moneyIn(p.Received, p.Sales.Received), true
	}
	return figures.Value{Quality: figures.Unknown}, false
}

// EachOfPart calls with every figure of the part, in the order of the catalogue.
func EachOfPart(p *evening.SalesPart, each func(*Definition, figures.Value)) {
	for i := range catalogue {
		if v, ok := OfPart(p, catalogue[i].Key); ok {
			each(&catalogue[i], v)
		}
	}
}

// partNamed is the part of a name, nil where there is none.
func partNamed(parts iter.Seq[*evening.SalesPart], name string) *evening.SalesPart {
	for p := range parts {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// subject is what a scope names.
type subject struct {
	evening  *evening.Evening
	event    *figures.EventFigures
	show     *evening.Show // of event, where it is not of days of sale
	pace     *evening.Pace // of show, as far as asked for
	area     *figures.Area // of show
	gate     *evening.Gate // of show
	hall     *evening.Load
	night    *evening.Result
	period   *evening.Period
	vat      *figures.VATFigures // of period
	orders   *evening.Bridge
	sales    *evening.Marketing // of the performances of days
	part     *evening.SalesPart // of show or sales
	currency string
}

// subjectOf finds it; ok is false where there is none: no such performance or area, no night before, no days up to
// the running one, or a currency in which no money ever moved.
func subjectOf(v *evening.Evening, s figures.Scope) (of subject, ok bool) {
	of = subject{evening: v, currency: s.Currency}
	ofDays := s.Orders || s.Performances || s.From != "" || s.To != ""
	if !s.Until.IsZero() && (s.Orders || s.Performances || s.From == "" || s.To >= v.Today) {
		return of, false
	}
	if ofDays && (s.From == "" || s.To < s.From || !s.Performances && s.From > v.Today) || s.Currency != "" && !v.Snapshot.Trades(s.Currency) {
		return of, false
	}
	switch {
	case s.Event != "":
		e := v.Snapshot.Event(s.Event)
		if e == nil {
			return of, false
		}
		of.event = e
		switch {
		case s.Orders:
			of.orders = new(v.BridgeOf(e, s.From, s.To))
		case ofDays:
			of.period = new(v.PeriodOf(e, s.From, min(s.To, v.Today), s.Until))
		default:
			of.show = v.Show(e)
		}
		if of.show == nil && (s.Area != "" || s.Gate != "") {
			return of, false
		}
		if s.Area != "" {
			if of.area = first(of.show.AreasOnSale(), func(a *figures.Area) bool { return a.Name == s.Area }); of.area == nil {
				return of, false
			}
		}
		if s.Gate != "" {
			if of.gate = first(of.show.GatesNow(), func(g *evening.Gate) bool { return g.Name == s.Gate }); of.gate == nil {
				return of, false
			}
		}
	case s.Hall != "":
		if of.hall, ok = v.LoadOf(s.Hall); !ok {
			return of, false
		}
	case s.Night:
		if len(v.LastNight) == 0 {
			return of, false
		}
		of.night = new(evening.ResultOf(v.LastNight))
	case s.Performances:
		of.sales = new(v.Marketing(s.From, s.To))
	case s.Orders:
		of.orders = new(v.Bridge(s.From, s.To))
	case ofDays:
		to := min(s.To, v.Today)
		first := to
		if days := v.Snapshot.Days; len(days) > 0 {
			first = min(days[0].Day, to)
		}
		until, upTo := v.At, v.Now
		if !s.Until.IsZero() {
			until, upTo = s.Until, s.Until.Add(-time.Minute)
		}
		of.period = new(v.Period(max(s.From, first), to, until, upTo)) // nothing moved before the first
		of.period.From = s.From
	}
	if s.By != "" {
		switch {
		case of.area != nil || of.gate != nil: // it is of the whole performance
		case of.show != nil:
			of.part = partNamed(evening.PartsBy(of.event, s.By), s.Part)
		case of.sales != nil:
			of.part = partNamed(of.sales.PartsBy(s.By), s.Part)
		}
		if of.part == nil {
			return of, false
		}
	}
	if s.VAT == (figures.VATSource{}) {
		return of, true
	}
	if of.period != nil {
		of.vat = vatFrom(v, of.period, s.VAT)
	}
	return of, of.vat != nil
}

// vatFrom is what was sold in a period from one source of VAT, nil where that is nothing.
func vatFrom(v *evening.Evening, p *evening.Period, source figures.VATSource) *figures.VATFigures {
	return first(v.VATOf(p), func(f *figures.VATFigures) bool { return f.VATSource == source })
}

// first is the first of a list that is meant, nil where none is.
func first[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// vats are its sales by their VAT.
func (of *subject) vats() []figures.VATFigures {
	switch {
	case of.vat != nil:
		return nil
	case of.show != nil:
		return of.show.VAT
	case of.period != nil:
		return of.evening.VATOf(of.period)
	}
	return nil
}

// paceOf is the pace of its performance.
func (of *subject) paceOf() *evening.Pace {
	if of.pace == nil {
		of.pace = new(of.evening.Pace(of.show))
	}
	return of.pace
}

// read is the figure of the subject.
func (of *subject) read(d *Definition) (value figures.Value, ok bool) {
	switch {
	case of.part != nil:
		value, ok = OfPart(of.part, d.Key)
	case of.area != nil:
		value, ok = d.OfArea(of.area), d.ofArea != nil
	case of.gate != nil:
		value, ok = d.OfGate(of.gate), d.ofGate != nil
	case of.show != nil && d.ofShow != nil:
		value, ok = d.ofShow(of.show), true
	case of.show != nil && d.ofPace != nil:
		value, ok = d.OfPace(of.paceOf()), of.paceOf().Some()
	case of.sales != nil && d.ofSales != nil:
		value, ok = d.ofSales(of.sales), true
	case of.hall != nil && d.ofHall != nil:
		value, ok = d.ofHall(of.hall), true
	case of.night != nil && d.ofNight != nil:
		value, ok = d.ofNight(of.night), true
	case of.orders != nil && d.ofOrders != nil:
		value, ok = d.ofOrders(of.orders), true
	case of.vat != nil:
		value, ok = d.OfVAT(of.evening, of.vat), d.ofVAT != nil
	case of.period != nil && d.ofPeriod != nil && !lacks(of.period, d):
		value, ok = d.ofPeriod(of.evening, of.period), true
	case of.ofEvening() && d.ofEvening != nil:
		value, ok = d.ofEvening(of.evening), true
	}
	return value.In(of.currency), ok
}

func (of *subject) ofEvening() bool {
	return of.event == nil && of.hall == nil && of.night == nil && of.orders == nil && of.sales == nil && of.period == nil
}
