package web

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
)

// of is a figure of a performance, as the catalogue has it.
func (b *builder) of(s *evening.Show, k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, figures.Scope{Event: s.Event.ID}, b.value(d, d.OfShow(s), "", s.EventFigures))
}

// ofArea is one of a price area of it.
func (b *builder) ofArea(s *evening.Show, a *figures.Area, k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, figures.Scope{Event: s.Event.ID, Area: a.Name}, b.value(d, d.OfArea(a), "", s.EventFigures))
}

// ofGate is one of a gate of it.
func (b *builder) ofGate(s *evening.Show, g *evening.Gate, k figures.Key) num {
	d := catalogue.Define(k)
	n := b.value(d, d.OfGate(g), "", s.EventFigures)
	if g.Name == "" { // a scope has no name for it
		return n
	}
	return b.explained(k, figures.Scope{Event: s.Event.ID, Gate: g.Name}, n)
}

// ofEvening is one of the performances of the evening, and ofNight of the night before.
func (b *builder) ofEvening(k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, figures.Scope{}, b.value(d, d.OfEvening(b.evening), "", nil))
}

// ofSales is one of the sales of the performances of some days, and ofPace of the pace of a performance.
func (b *builder) ofSales(m *evening.Marketing, s figures.Scope, k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, s, b.value(d, d.OfSales(m), "", nil))
}

// ofPart is one of a part of sales; the scope is that of all of them. A name too long for an address leads nowhere.
func (b *builder) ofPart(p *evening.SalesPart, s figures.Scope, k figures.Key, e *figures.EventFigures) num {
	value, _ := catalogue.OfPart(p, k)
	n := b.value(catalogue.Define(k), value.In(s.Currency), s.Currency, e)
	if len(p.Name) > nameBytes {
		return n
	}
	s.By, s.Part = p.By, p.Name
	return b.explained(k, s, n)
}

func (b *builder) ofPace(s figures.Scope, p *evening.Pace, k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, s, b.value(d, d.OfPace(p), "", nil))
}

func (b *builder) ofNight(r *evening.Result, k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, figures.Scope{Night: true}, b.value(d, d.OfNight(r), "", nil))
}

// ofHall is one of a hall, or of the whole building.
func (b *builder) ofHall(l *evening.Load, k figures.Key) num {
	d := catalogue.Define(k)
	return b.explained(k, figures.Scope{Hall: l.Hall}, b.value(d, d.OfHall(l), "", nil))
}

// ofPeriod is the scope of a period in one currency.
func ofPeriod(p evening.Period, code string) figures.Scope {
	return figures.Scope{From: p.From, To: p.To, Currency: code}
}

// value is a figure of the catalogue as text. A zero of money has the currency that is given, or
// else that of the event, or of the house.
func (b *builder) value(d *catalogue.Definition, v figures.Value, currency string, e *figures.EventFigures) num {
	text := ""
	switch {
	case d.Unit == figures.Share:
		text = b.Percent(v.Share)
	case d.Unit == figures.Mean:
		text = b.Mean(v.Share)
	case d.Unit == figures.PerMinute:
		text = b.PerMinute(v.Share)
	case d.Unit != figures.Money:
		text = b.Count(v.Count)
	case currency != "" && len(v.Amount) == 0:
		text = b.Money(0, currency)
	case e != nil:
		text = b.amounts(e, v.Amount)
	default:
		text = b.houseSums(v.Amount)
	}
	n := b.qualified(v.Quality, v.Reasons, text)
	n.N = v.Count
	return n
}

// explained leads from a figure to its explanation, on pages that do.
func (b *builder) explained(k figures.Key, s figures.Scope, n num) num {
	if b.explains {
		n.Href = explainHref(k, s)
	}
	return n
}

const (
	explainPage = "explain"
	explainPath = "/explain/"
)

// explainHref is where a figure is explained.
func explainHref(k figures.Key, s figures.Scope) string {
	path := explainPath + string(k)
	if s == (figures.Scope{}) {
		return path
	}
	if s == (figures.Scope{Event: s.Event}) {
		return path + "?event=" + url.QueryEscape(s.Event)
	}
	q := url.Values{}
	for name, value := range map[string]string{"event": s.Event, "area": s.Area, "gate": s.Gate, "hall": s.Hall, "from": string(s.From), "to": string(s.To), "currency": s.Currency, "vat": vatParam(s.VAT), "by": string(s.By), "part": s.Part, "until": untilParam(s.Until)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if s.Night {
		q.Set("of", ofNight)
	}
	if s.Orders {
		q.Set("of", ofOrders)
	}
	if s.Performances {
		q.Set("of", ofPerformances)
	}
	return path + "?" + q.Encode()
}

// What a figure is of, beside a performance and days of sale.
const (
	ofNight  = "night"
	ofOrders = "orders"

	ofPerformances = "performances"
)

// explainParams are those of explainHref, with the figure.
var explainParams = []Param{{Name: "figure", read: oneOf(figureKeys()...)}, {Name: "event", exists: eventExists}, {Name: "area"}, {Name: "gate"}, {Name: "hall", exists: hallExists}, {Name: "of", read: oneOf(ofNight, ofOrders, ofPerformances)},
	{Name: "from", read: readDay}, {Name: "to", read: readDay}, {Name: "currency"}, {Name: "vat", read: readVAT}, {Name: "until", read: readMinute}, {Name: "by", read: oneOf(splits()...)}, {Name: "part"}}

// untilParam is the end of a scope's last day as a parameter, empty for none, and untilOf its inverse.
func untilParam(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(minuteLayout)
}

func untilOf(param string) time.Time {
	t, _ := time.Parse(minuteLayout, param) // readMinute has read it; zero for none
	return t.UTC()
}

func splits() (names []string) {
	for _, s := range figures.Splits {
		names = append(names, string(s))
	}
	return names
}

func figureKeys() (keys []string) {
	for _, d := range catalogue.All() {
		keys = append(keys, string(d.Key))
	}
	return keys
}

// scopeOf is the scope that parameters name.
func scopeOf(param func(string) string) figures.Scope {
	return figures.Scope{Event: param("event"), Area: param("area"), Gate: param("gate"), Hall: param("hall"), Night: param("of") == ofNight, Orders: param("of") == ofOrders, Performances: param("of") == ofPerformances,
		From: figures.Day(param("from")), To: figures.Day(param("to")), Currency: param("currency"), VAT: vatOf(param("vat")), Until: untilOf(param("until")), By: figures.Split(param("by")), Part: param("part")}
}

// mayExplain says that a figure is within an access; what the live topic shows is none.
func mayExplain(a Access, p Params) bool {
	d := catalogue.Define(figures.Key(p.values().Get("figure")))
	return d == nil || a.explains(d, scopeOf(p.values().Get))
}

// eventSplits are those of a performance's page.
var eventSplits = []figures.Split{figures.OfTypes, figures.OfChannels}

// explains says that the access includes a figure: money as the pages show it, and what days of sale
// came to, by what sales are split, and the pace of a sale, where they show that.
func (a Access) explains(d *catalogue.Definition, s figures.Scope) bool {
	sees := s.Event != "" || a.wholeHouse() || s.Hall != "" && a.seesHall(s.Hall)
	if !sees || (s.From != "" || s.By != "" && !slices.Contains(eventSplits, s.By)) && !a.seesMoney() {
		return false
	}
	if d.OfSalesOnly() {
		return a.seesToday()
	}
	return d.Unit != figures.Money || a.seesMoney() || d.Today && a.seesToday()
}

// In an address a source of VAT is one of these, or its rate.
const (
	vatGiven   = "given"
	vatMissing = "missing"
)

// vatParam is a source of VAT as addresses have it, and vatOf the source; the zero value is none.
func vatParam(s figures.VATSource) string {
	switch s.Basis {
	case figures.VATGiven:
		return vatGiven
	case figures.VATByRate:
		return strconv.FormatInt(s.Rate, 10)
	case figures.VATMissing:
		return vatMissing
	}
	return ""
}

func vatOf(param string) figures.VATSource {
	switch param {
	case "":
		return figures.VATSource{}
	case vatGiven:
		return figures.VATSource{Basis: figures.VATGiven}
	case vatMissing:
		return figures.VATSource{Basis: figures.VATMissing}
	}
	rate, _ := strconv.ParseInt(param, 10, 64) // readVAT has read it
	return figures.VATSource{Basis: figures.VATByRate, Rate: rate}
}

// readVAT takes a source of VAT.
func readVAT(value string) (normal string, wrong *ParamError) {
	if value == vatGiven || value == vatMissing {
		return value, nil
	}
	rate, err := strconv.ParseInt(value, 10, 64)
	if err != nil || rate < 0 || rate > figures.WholeRate {
		return "", &ParamError{fault: paramNoneOf, values: []string{vatGiven, vatMissing, "900"}}
	}
	return strconv.FormatInt(rate, 10), nil
}
