package explain

import (
	"cmp"
	"math"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/refunds"
	"housecount/web/vat"
	"housecount/web/words"
)

// explanation is how a figure comes about.
type explanation struct {
	Name       string
	Of         sentence
	Value      num
	Line       sentence // the formula
	Definition string
	Terms      []explainedTerm
	Parts      []explainedPart // performances, of a figure of several
	Channels   []channelRow    // of what was sold today
	Rates      []vat.Row       // of VAT
	Refunds    []refunds.Table // by reason, in each currency
	Counted    sentence        // from what, where there are no terms
	Changes    []changeRow
	Today      sentence // by how much it changed since the day began
	Records    []recordRow
	Amounts    bool // records are shown with theirs
	All        sentence
	Also       sentence // what is asked next of the figure: until when places are held, what the last hour or minute brought
	Holds      bool     // records are shown with theirs
	Read       sentence // of which performances changes and records are, where these are not all
	Quality    sentence
	Reasons    []sentence
	Band       sentence
	AsOf       sentence
}

type explainedTerm struct {
	Sign, Name, Href string
	Swatch           string // the class of its part in the bars of places; empty for none
	Value            num
}

// swatches are the classes of what a bar of places draws: its key names only what may be free again, and the explanation all of it.
var swatches = map[figures.Key]string{figures.KeyPaid: "paid", figures.KeyComplimentary: "comp", figures.KeyFreeTickets: "gratis", figures.KeyUnpaid: "unpaid", figures.KeyReserved: "resv", figures.KeyBlocked: "blocked"}

type explainedPart struct {
	Title, When, Href string
	Value             num
}

// changeRow is a version that changed the figure, and recordRow one of the records that it is counted
// from.
type (
	changeRow struct{ Time, By, Kind, ID string }
	recordRow struct{ Kind, ID, Order, Time, Status, Held, Amount string }
)

// explain builds the explanation of a figure.
func (b builder) explain() (web.View, error) {
	x := b.Source.(explained).Explanation
	if x.Definition == nil {
		return web.View{}, web.ErrNotFound
	}
	e := b.explanation(x)
	return web.View{Title: e.Name, Body: explainBody, Fragments: []web.Fragment{{ID: "explanation", HTML: e.html()}}}, nil
}

func (b builder) explanation(x catalogue.Explanation) explanation {
	e := explanation{Name: b.FigureTitleIn(x.Key, x.Scope), Of: b.scopeWords(x), Value: b.Figure(x.Definition, x.Value, x.Scope.Currency, x.Event), Definition: b.Code("definition", string(x.Key))}
	if x.Key == figures.KeyInside && x.Scope.Event != "" {
		e.Definition = b.Text("explain.inside_of_one")
		e.Definition += b.usuallyIn(x.Event)
	}
	var formula sentence
	for i, t := range x.Terms {
		d := catalogue.Define(t.Key)
		if !b.Access.Explains(d, x.Scope) {
			e.Terms, formula = nil, nil
			break
		}
		term := explainedTerm{Sign: signs[t.Op], Name: b.FigureTitleIn(t.Key, x.Scope), Href: web.ExplainHref(t.Key, x.Scope), Swatch: swatches[t.Key], Value: b.Figure(d, t.Value, x.Scope.Currency, x.Event)}
		if i == 0 {
			term.Sign = ""
		} else {
			formula = append(formula, words.Run{Text: " " + term.Sign + " "})
		}
		formula = append(formula, b.Say("explain.term", words.Plain("value", term.Value), words.Text("name", b.Code("figure", string(t.Key))))...)
		e.Terms = append(e.Terms, term)
	}
	e.Parts = b.explainedParts(&x)
	switch {
	case len(e.Terms) > 0:
		e.Line = b.Say("explain.equals", words.Plain("value", e.Value), words.Part("formula", formula))
	case len(e.Parts) == 0:
		e.Counted = b.countedFrom(&x)
	}
	e.Rates, e.Channels, e.Refunds = b.rates(&x), b.channelsToday(&x), b.refunds(&x)
	b.behind(&e, x)
	if x.Band != (figures.Band{}) {
		e.Band = b.Say("explain.band", words.Int("low", x.Band.Low), words.Int("high", x.Band.High))
		if x.Band.Low == x.Band.High {
			e.Band = b.Say("explain.band_equal", words.Int("n", x.Band.Low))
		}
	}
	e.Quality = b.Say("explain.exact")
	if x.Quality != figures.Exact {
		e.Quality = sentence{{Text: b.Code("certainty", web.QualityCode(x.Quality, x.Reasons))}}
	}
	for _, r := range x.Reasons {
		e.Reasons = append(e.Reasons, b.Say("explain.because", words.Text("reason", web.Capital(b.Code("reason", string(r)))), words.Text("remedy", b.Code("remedy", string(r)))))
	}
	e.AsOf = b.Say("explain.never")
	if !x.AsOf.IsZero() {
		e.AsOf = b.Say("explain.as_of", words.Text("time", b.ClockSeconds(x.AsOf, b.Zone)), words.Text("position", b.Count(int(b.Position.Revision))))
	}
	return e
}

// partsShown is how many performances the page lists of those that a figure adds up; the others are one row.
const partsShown = 25

// explainedParts returns the performances that the figure adds up, as the page lists them: those that add most first,
// where not all are listed.
func (b builder) explainedParts(x *catalogue.Explanation) []explainedPart {
	if len(x.Parts) <= partsShown+1 {
		return b.partsOf(x, x.Parts)
	}
	all := slices.SortedStableFunc(slices.Values(x.Parts), func(p, q catalogue.ExplainedPart) int { return cmp.Compare(size(q.Value), size(p.Value)) })
	rest := catalogue.SumOf(all[partsShown:])
	more := explainedPart{Title: b.Text("explain.more_parts", words.Int("n", len(all)-partsShown)), Value: b.Figure(x.Definition, rest, x.Scope.Currency, nil)}
	return append(b.partsOf(x, all[:partsShown]), more)
}

// size is how much a value adds or takes away, in minor units or as a count.
func size(v figures.Value) int64 {
	all := int64(max(v.Count, -v.Count))
	for _, m := range v.Amount {
		all += max(m.Amount, -m.Amount)
	}
	return all
}

// partsOf are some of x.Parts.
func (b builder) partsOf(x *catalogue.Explanation, some []catalogue.ExplainedPart) (parts []explainedPart) {
	for _, p := range some {
		part := explainedPart{Title: b.Text("revenue.unattributed"), Value: b.Figure(catalogue.Define(p.Key), p.Value, x.Scope.Currency, p.Event)}
		if p.Event != nil {
			part.Title, part.Href, part.When = b.TitleOf(p.Event), web.ExplainHref(p.Key, p.Scope), b.DayShortOf(p.Event.Date)
			if at := p.Event.Event.StartsAt; x.Scope.From == "" && !at.IsZero() {
				part.When = b.Clock(at, b.Zone)
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// signs are the operations as they are written.
var signs = [...]string{figures.Plus: "+", figures.Less: "−", figures.DividedBy: "÷", figures.Times: "×"}

// scopeWords returns what the figure is of.
func (b builder) scopeWords(x catalogue.Explanation) sentence {
	switch {
	case x.Event != nil && x.Scope.From != "":
		whole := x
		whole.Event = nil
		return words.Join(" · ", words.NameAlone(b.TitleOf(x.Event)), b.scopeWords(whole))
	case x.Event != nil:
		return words.Join(" · ", words.NameAlone(b.TitleOf(x.Event)), words.NameAlone(x.Scope.Area), b.atGate(x.Scope.Gate), b.partWords(x.Scope))
	case x.Scope.Hall != "":
		return words.NameAlone(x.Scope.Hall)
	case x.Scope.Night && x.Scope.From != "":
		return b.Say("explain.night_of", words.Text("day", b.DayTitle(string(x.Scope.From), string(b.Today))))
	case x.Scope.Night:
		return b.Say("explain.night")
	case x.Scope.Performances && slices.Contains([]figures.Key{figures.KeyOptIn, figures.KeyOptedIn, figures.KeyAsked}, x.Key):
		return b.Say("explain.contacts")
	case x.Scope.Performances:
		return words.Join(" · ", b.Say("marketing.when", words.Text("period", b.PeriodOf(x.Scope.From, x.Scope.To))), b.partWords(x.Scope))
	case x.Scope.Orders:
		return b.Say("explain.orders", words.Text("period", b.PeriodOf(x.Scope.From, x.Scope.To)))
	case x.Scope.From != "":
		period := b.Say("explain.period", words.Text("period", b.PeriodOf(x.Scope.From, x.Scope.To)))
		if until := x.Scope.Until; !until.IsZero() {
			period = b.Say("explain.period_until", words.Text("period", b.PeriodOf(x.Scope.From, x.Scope.To)), words.Text("time", b.Clock(until, b.Zone)))
		}
		if x.Scope.VAT == (figures.VATSource{}) {
			return period
		}
		return words.Join(" · ", period, b.Say("explain.of_rate", words.Text("rate", vat.Source(b.Builder, x.Scope.VAT))))
	case x.Key == figures.KeySoldToday || x.Key == figures.KeyBookedToday:
		return b.Say("explain.all")
	case x.Key == figures.KeySoldElsewhere || x.Key == figures.KeyBookedElsewhere:
		return b.Say("explain.elsewhere")
	}
	return b.Say("explain.evening")
}

// partWords returns the part of the sales that a scope names; nothing for none.
func (b builder) partWords(s figures.Scope) sentence {
	if s.By == "" {
		return nil
	}
	return b.Say("explain.part", words.Text("split", b.Code("shares_column", string(s.By))), words.Name("part", b.PartTitle(s.By, s.Part)))
}

// atGate returns a gate; nothing for none.
func (b builder) atGate(gate string) sentence {
	if gate == "" {
		return nil
	}
	return b.Say("plot.gate", words.Name("gate", gate))
}

// recordsBehind returns what is behind the figure as far as the access includes it: payments are for those who
// may see all money.
func (b builder) recordsBehind() catalogue.Behind {
	behind := b.Source.(explained).behind
	if b.Access.SeesMoney() {
		return behind
	}
	hidden := func(r catalogue.RecordBehind) bool { return r.Kind == record.KindPayment }
	behind.Changes = slices.DeleteFunc(slices.Clone(behind.Changes), func(c catalogue.Change) bool { return hidden(c.RecordBehind) })
	shown := slices.DeleteFunc(slices.Clone(behind.Records), hidden)
	behind.All -= len(behind.Records) - len(shown)
	behind.Records = shown
	return behind
}

// behind fills in the records behind the figure and what changed it last. Amounts of records are for those
// who may see all money.
func (b builder) behind(e *explanation, x catalogue.Explanation) {
	behind := b.recordsBehind()
	for _, c := range behind.Changes {
		e.Changes = append(e.Changes, changeRow{b.momentSeconds(c.Seen), b.changeText(x, c.By), b.Code("kind", string(c.Kind)), words.Bare(c.ID)})
	}
	if behind.Read < behind.Parts {
		e.Read = b.Say("explain.read", words.Int("n", behind.Read), words.Int("all", behind.Parts))
	}
	start := b.Calendar.Start(b.Today)
	begun := words.Text("time", b.onDay(start, b.Clock(start, b.Zone)))
	switch {
	case behind.Today == nil || !x.Known():
	case !behind.Today.Some():
		e.Today = b.Say("explain.same_today", begun)
	default:
		e.Today = b.Say("explain.since_today", words.Text("by", b.changeText(x, *behind.Today)), begun)
	}
	e.Holds, e.Also = !behind.HeldLast.IsZero(), words.Join(" · ", b.lately(&x), b.heldUntil(behind))
	e.Amounts = x.Unit == figures.Money && b.Access.SeesMoney()
	for _, r := range behind.Records {
		row := recordRow{Kind: b.Code("kind", string(r.Kind)), ID: words.Bare(r.ID), Order: words.Bare(r.Order), Time: b.momentSeconds(r.At), Status: b.Code("record_status", r.Status)}
		if e.Holds {
			row.Held = b.onDay(r.Held, b.Clock(r.Held, b.Zone))
		}
		if e.Amounts && r.Amount.Currency != "" {
			row.Amount = b.Money(r.Amount.Amount, r.Amount.Currency)
		}
		e.Records = append(e.Records, row)
	}
	switch n := words.Int("n", len(e.Records)); {
	case len(e.Records) == 0:
	case len(e.Records) == behind.All:
		e.All = b.Say("explain.all_of", n)
	default:
		e.All = b.Say("explain.of_all", n, words.Int("all", behind.All))
	}
}

// changeText is by how much a figure changed.
func (b builder) changeText(x catalogue.Explanation, by figures.Value) string {
	switch x.Unit {
	case figures.Mean:
		return sign(by.Share >= 0) + b.Mean(math.Abs(by.Share))
	case figures.Share:
		return sign(by.Share >= 0) + b.Points(math.Abs(by.Share))
	case figures.PerMinute:
		return sign(by.Share >= 0) + b.PerMinute(math.Abs(by.Share))
	}
	if x.Unit != figures.Money {
		return b.Signed(by.Count)
	}
	texts := make([]string, len(by.Amount))
	for i, m := range by.Amount {
		texts[i] = b.Money(m.Amount, m.Currency)
		if m.Amount > 0 {
			texts[i] = "+" + texts[i]
		}
	}
	return b.List(texts)
}

func sign(positive bool) string {
	if positive {
		return "+"
	}
	return "−"
}

// momentSeconds returns a time, with its day where that is not today; a words.Dash where there is none.
func (b builder) momentSeconds(t time.Time) string { return b.onDay(t, b.ClockSeconds(t, b.Zone)) }

func (b builder) onDay(t time.Time, clock string) string {
	if t.IsZero() {
		return words.Dash
	}
	if day := figures.Day(t.In(b.Zone).Format(time.DateOnly)); day != b.Date {
		return b.Text("explain.on_day", words.Text("day", b.DayShortOf(day)), words.Text("time", clock))
	}
	return clock
}

// heldUntil returns until when the places of a figure are held; nothing where the service does not report it.
func (b builder) heldUntil(of catalogue.Behind) sentence {
	first, last := b.onDay(of.HeldFirst, b.Clock(of.HeldFirst, b.Zone)), b.onDay(of.HeldLast, b.Clock(of.HeldLast, b.Zone))
	switch {
	case of.HeldLast.IsZero(), of.Read < of.Parts: // the first and the last of some are not those of all
		return nil
	case first == last:
		return b.Say("explain.held_until", words.Text("time", last))
	}
	return b.Say("explain.held_from", words.Text("first", first), words.Text("last", last))
}

// refunds returns what was refunded by reason, in each currency of the figure.
func (b builder) refunds(x *catalogue.Explanation) (all []refunds.Table) {
	for _, m := range x.Amount {
		if x.Scope.Currency == "" || x.Scope.Currency == m.Currency {
			all = append(all, refunds.Of(b.Builder, "refunds-"+m.Currency, x.Refunds, m.Currency, num{Text: b.Money(m.Amount, m.Currency)}))
		}
	}
	return slices.DeleteFunc(all, func(t refunds.Table) bool { return len(t.Rows) == 0 })
}

// rates returns the sales by VAT rate that a figure is made of.
func (b builder) rates(x *catalogue.Explanation) (rows []vat.Row) {
	if x.Event == nil {
		return vat.Rows(b.Builder, x.Period, x.VAT, x.Scope)
	}
	amount := func(s figures.Sums) num { return num{Text: b.Amounts(x.Event, s)} }
	for i := range x.VAT {
		f := &x.VAT[i]
		r := vat.Row{Rate: vat.Source(b.Builder, f.VATSource), Booked: amount(f.Of(figures.Booked)), VAT: amount(f.Of(figures.VAT)), Net: amount(f.Net())}
		if f.Basis == figures.VATMissing {
			r.VAT, r.Net = num{Text: words.Dash}, num{Text: words.Dash}
		}
		rows = append(rows, r)
	}
	return rows
}
