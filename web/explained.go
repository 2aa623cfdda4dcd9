package web

import (
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web/query"
	"housecount/web/words"
)

// OfShow returns a figure of a performance, linked to its explanation.
func (b *Builder) OfShow(s *evening.Show, k figures.Key) num {
	d := catalogue.Define(k)
	return b.Explained(k, figures.Scope{Event: s.Event.ID}, b.Figure(d, d.OfShow(s), "", s.EventFigures))
}

// OfEvening returns a figure of the evening.
func (b *Builder) OfEvening(k figures.Key) num {
	d := catalogue.Define(k)
	return b.ofEvening(d, d.OfEvening(b.Evening))
}

// ofEvening is OfEvening with the value of the figure.
func (b *Builder) ofEvening(d *catalogue.Definition, v figures.Value) num {
	return b.Explained(d.Key, figures.Scope{}, b.Figure(d, v, "", nil))
}

// OfPart returns a figure of a part of sales, given the scope of all of them. A part whose name is too long
// for an address has no link.
func (b *Builder) OfPart(p *marketing.Part, s figures.Scope, k figures.Key, e *figures.EventFigures) num {
	value, _ := catalogue.OfPart(p, k)
	n := b.Figure(catalogue.Define(k), value.In(s.Currency), s.Currency, e)
	if len(p.Name) > query.NameBytes {
		return n
	}
	s.By, s.Part = p.By, p.Name
	return b.Explained(k, s, n)
}

// OfPace returns a figure of the pace of a performance.
func (b *Builder) OfPace(s figures.Scope, p *evening.Pace, k figures.Key) num {
	d := catalogue.Define(k)
	return b.Explained(k, s, b.Figure(d, d.OfPace(p), "", nil))
}

// OfNight returns a figure of the performances of a day that are over.
func (b *Builder) OfNight(r *evening.Result, k figures.Key) num {
	d := catalogue.Define(k)
	return b.Explained(k, figures.Scope{Night: true, From: r.Day, To: r.Day}, b.Figure(d, d.OfNight(r), "", nil))
}

// OfHall returns a figure of a hall, or of the whole building.
func (b *Builder) OfHall(l *evening.Load, k figures.Key) num {
	d := catalogue.Define(k)
	return b.Explained(k, figures.Scope{Hall: l.Hall}, b.Figure(d, d.OfHall(l), "", nil))
}

// PeriodScope returns the scope of a period in one currency.
func PeriodScope(p evening.Period, code string) figures.Scope {
	return figures.Scope{From: p.From, To: p.To, Currency: code}
}

// Figure returns a figure of the catalogue as text. A zero amount is shown in the given currency, or else in
// that of the event or the house.
func (b *Builder) Figure(d *catalogue.Definition, v figures.Value, currency string, e *figures.EventFigures) num {
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
		text = b.Amounts(e, v.Amount)
	default:
		text = b.HouseSums(v.Amount)
	}
	qualified := b.Qualified
	if d.Unit == figures.Money {
		qualified = b.QualifiedSums
	}
	n := qualified(v.Quality, v.Reasons, text)
	n.N = v.Count
	return n
}

// Explained links a figure to its explanation, on pages that have such links.
func (b *Builder) Explained(k figures.Key, s figures.Scope, n num) num {
	if b.explains {
		n.Href = ExplainHref(k, s)
	}
	return n
}

const (
	ExplainPage = "explain"
	ExplainPath = "/explain/"
)

// ExplainHref returns the address of the explanation of a figure.
func ExplainHref(k figures.Key, s figures.Scope) string {
	path := ExplainPath + string(k)
	if s == (figures.Scope{}) {
		return path
	}
	if s == (figures.Scope{Event: s.Event}) {
		return path + "?event=" + url.QueryEscape(s.Event)
	}
	q := url.Values{}
	for name, value := range map[string]string{"event": s.Event, "area": s.Area, "gate": s.Gate, "hall": s.Hall, "from": string(s.From), "to": string(s.To), "currency": s.Currency, "vat": s.VAT.String(), "by": string(s.By), "part": s.Part, "until": untilParam(s.Until)} {
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

// Values of the parameter "of", for a scope that is neither a performance nor days of sale.
const (
	ofNight  = "night"
	ofOrders = "orders"

	ofPerformances = "performances"
)

// ExplainParams are the parameters of ExplainHref, and the figure.
var ExplainParams = []query.Param{{Name: "figure", Read: query.OneOf(figureKeys()...)}, {Name: "event", Exists: query.EventExists}, {Name: "area"}, {Name: "gate"}, {Name: "hall", Exists: query.HallExists}, {Name: "of", Read: query.OneOf(ofNight, ofOrders, ofPerformances)},
	{Name: "from", Read: query.ReadDay}, {Name: "to", Read: query.ReadDay}, {Name: "currency"}, {Name: "vat", Read: readVAT}, {Name: "until", Read: query.ReadMinute}, {Name: "by", Read: query.OneOf(splits()...)}, {Name: "part"}}

// untilParam returns the end of a scope's last day as a parameter, empty for none; untilOf is its inverse.
func untilParam(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(query.MinuteLayout)
}

func untilOf(param string) time.Time {
	t, _ := time.Parse(query.MinuteLayout, param) // readMinute has read it; zero for none
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

// ScopeOf returns the scope that parameters name.
func ScopeOf(param func(string) string) figures.Scope {
	from, _ := figures.ParseVATSource(param("vat")) // readVAT has read it
	return figures.Scope{Event: param("event"), Area: param("area"), Gate: param("gate"), Hall: param("hall"), Night: param("of") == ofNight, Orders: param("of") == ofOrders, Performances: param("of") == ofPerformances,
		From: figures.Day(param("from")), To: figures.Day(param("to")), Currency: param("currency"), VAT: from, Until: untilOf(param("until")), By: figures.Split(param("by")), Part: param("part")}
}

// eventSplits are the splits on the page of a performance.
var eventSplits = []figures.Split{figures.OfTypes, figures.OfChannels}

// Explains reports whether the access includes a figure: amounts to those who see money, and sums of days,
// splits of sales and the pace of a sale to those whose pages show them.
func (a Access) Explains(d *catalogue.Definition, s figures.Scope) bool {
	sees := s.Event != "" || a.WholeHouse() || s.Hall != "" && a.SeesHall(s.Hall)
	if !sees || (s.From != "" && !s.Night || s.By != "" && !slices.Contains(eventSplits, s.By)) && !a.SeesMoney() {
		return false
	}
	if d.OfSalesOnly() {
		return a.SeesToday()
	}
	return d.Unit != figures.Money || a.SeesMoney() || d.Today && a.SeesToday()
}

// readVAT accepts a source of VAT.
func readVAT(value string) (normal string, wrong *query.Error) {
	of, ok := figures.ParseVATSource(value)
	if !ok {
		return "", query.NoneOf("given", "given-900", "missing", "900")
	}
	return of.String(), nil
}

// FigureTitle returns a figure's name as a heading.
func (b *Builder) FigureTitle(k figures.Key) string { return Capital(b.Code("figure", string(k))) }

// FigureTitleIn returns how a figure of a scope is called: those inside of one performance or hall are not those in the building.
func (b *Builder) FigureTitleIn(k figures.Key, of figures.Scope) string {
	if k == figures.KeyInside && (of.Event != "" || of.Hall != "") {
		return b.Text("figs.inside")
	}
	return b.FigureTitle(k)
}

// Capital returns a text with a capital letter at its beginning.
func Capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// PartTitle returns how a part of sales is called.
func (b *Builder) PartTitle(by figures.Split, part string) string {
	switch {
	case by == figures.OfLeadTimes:
		return b.leadWords(part)
	case part == "":
		return b.Code("shares_none", string(by))
	case by == figures.OfChannels:
		return b.channel(part)
	case by == figures.OfMethods:
		return b.Code("method", part)
	case by == figures.OfSaleDays:
		return b.DayShortOf(figures.Day(part))
	case by == figures.OfPostcodes:
		return strings.TrimSpace(part + " " + words.PlaceOf(part))
	}
	return part
}

// leadWords returns a band of lead times by the name of its part; empty for none.
func (b *Builder) leadWords(part string) string {
	for _, band := range figures.LeadBands() {
		from, under := words.Int("from", band.From), words.Int("under", band.Under-1)
		switch {
		case band.Part() != part:
		case band.From < 0:
			return b.Text("marketing.lead_undated")
		case band.Under == 1:
			return b.Text("marketing.lead_same_day")
		case band.Under == 0:
			return b.Text("marketing.lead_over", from)
		default:
			return b.Text("marketing.lead_between", from, under)
		}
	}
	return ""
}

// Explains reports whether the request is for the explanation of a figure.
func (q Request) Explains() bool { return q.Page == ExplainPage && q.Params != "" }

// channel returns a sales channel as staff call it.
func (b *Builder) channel(code string) string { return b.Code("channel", code) }
