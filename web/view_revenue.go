package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// revenuePage is a period against the one before, each currency by itself.
type revenuePage struct {
	Head       head
	Currencies []currencyPart
	Others     others
}

// currencies that have room on the page, with a chart; more are listed without one.
const currencySlots = 3

// slotName tells the elements of one currency from those of another.
func slotName(i int) string { return strconv.Itoa(i + 1) }

// currencyPart is one currency's figures.
type currencyPart struct {
	Figures numberRow
	Chart   caption
	Days    table
	Bridge  bridge
	Events  ranking
}

// ranking is the events by what was booked. A long one shows the first of them; the others are
// folded away under a line that says what they come to.
type ranking struct {
	ID    string
	First rankRows
	Line  string
	Rest  rankRows
}

type rankRows struct {
	ID, Caption string
	Sold        bool   // places are shown
	Net         string // heads the column of what was received
	Rows        []rankRow
}

// rankedFirst is how many events a ranking shows unless it is unfolded, and rankedAll up to how
// many it shows without a fold.
const (
	rankedFirst = 10
	rankedAll   = 12
)

// rankedSteps are the lengths that a bar of a ranking may have, about as many as can be told apart:
// most sales leave it as it is.
const rankedSteps = 200

type rankRow struct {
	ID                string // within its table
	Href, Name, When  string
	Sold, Booked, Net string
	Bar               *bar
}

// others are the currencies that have no room.
type others struct{ Rows []named }

// periods are the lengths in days that the page offers; the first is the default.
var periods = []string{"7", "30", "90"}

// spans are the two periods that are compared.
type spans struct{ this, prior figures.Period }

func (b *builder) revenue() (view, error) {
	var s spans
	days, err := strconv.Atoi(b.params.Get("days"))
	if err != nil {
		return view{}, err
	}
	s.this, s.prior = b.evening.Periods(days)
	codes := currencies(s.this.Of(figures.Booked), s.prior.Of(figures.Booked), s.this.Of(figures.Received), s.prior.Of(figures.Received), s.this.Of(figures.Refunded), s.prior.Of(figures.Refunded),
		s.this.Of(figures.ChargedBack), s.prior.Of(figures.ChargedBack), b.Total.Of(figures.RefundsPending).Value)
	byEvent := b.evening.ByEvent(s.this.From, s.this.To)
	p := revenuePage{Head: b.revenueHead(s)}
	v := view{title: b.Text("nav.revenue"), body: revenueBody}
	v.fragments = append(v.fragments, fragment{"head", p.Head.html()})
	for i := range currencySlots {
		code := ""
		if i < len(codes) {
			code = codes[i]
		}
		part, chart := b.currencyPart(slotName(i), code, s, byEvent, len(codes) == 1)
		if err := v.draw(part.Chart, chart); err != nil {
			return view{}, err
		}
		p.Currencies = append(p.Currencies, part)
		v.fragments = append(v.fragments, fragment{part.Figures.ID, part.Figures.html()}, fragment{part.Chart.ID, part.Chart.html()},
			fragment{part.Days.ID, part.Days.html()}, fragment{part.Bridge.ID, part.Bridge.html()}, fragment{part.Events.ID, part.Events.html()})
	}
	for _, code := range codes[min(len(codes), currencySlots):] {
		p.Others.Rows = append(p.Others.Rows, named{code, plain(b.Money(s.this.Of(figures.Booked).In(code), code)),
			b.Say("revenue.other", words.Text("net", b.net(s.this.Flow, code)))})
	}
	v.fragments = append(v.fragments, fragment{"others", p.Others.html()})
	return v, nil
}

func (b *builder) revenueHead(s spans) head {
	h := head{Title: b.Text("nav.revenue")}
	for _, n := range periods {
		h.Links = append(h.Links, link{"/revenue?days=" + n, b.Text("revenue.days_link", words.Text("days", n)), n == b.params.Get("days")})
	}
	h.When = b.periodsCompared(s)
	total := b.Total.Of(figures.Booked)
	if !total.Known() {
		h.Text = b.Say("revenue.not_known", words.Fig("dash", b.qualified(total.Quality, total.Reasons, dash)))
		return h
	}
	booked, places := words.Text("amount", b.sums(s.this.Of(figures.Booked))), words.Int("n", s.this.Sold)
	before, placesBefore := words.Text("before", b.sums(s.prior.Of(figures.Booked))), words.Int("places_before", s.prior.Sold)
	h.Text = b.Say("revenue.lede", booked, places, b.days(), before, placesBefore)
	if this := s.this.Of(figures.Booked); len(this) == 1 && total.Quality < figures.LowerBound {
		if was := s.prior.Compared.Of(figures.Booked).In(this[0].Currency); was > 0 {
			change := b.Change(s.this.Compared.Of(figures.Booked).In(this[0].Currency), was)
			h.Text = b.Say("revenue.lede_change", booked, places, b.days(), before, placesBefore, words.Text("change", change))
		}
	}
	switch total.Quality {
	case figures.Estimated:
		h.Text = words.Join(" ", h.Text, b.amountsAre("estimated", total.Reasons))
	case figures.LowerBound:
		h.Text = words.Join(" ", h.Text, b.amountsAre("lower_bound", total.Reasons))
	}
	return h
}

// amountsAre says how far the amounts can be trusted.
func (b *builder) amountsAre(quality string, reasons []figures.Reason) sentence {
	return b.Say("revenue.amounts_are", words.Fig("quality", num{Text: b.Code("quality", quality), Why: b.because(quality, reasons)}))
}

// days is the length of the periods that are compared.
func (b *builder) days() words.Arg { return words.Text("days", b.params.Get("days")) }

// periodsCompared names the two periods, and up to which minute they are.
func (b *builder) periodsCompared(s spans) sentence {
	zone := words.Text("zone", b.zone.String())
	this, before := words.Text("period", b.period(s.this)), words.Text("before", b.period(s.prior))
	if !s.this.Open || b.at.IsZero() {
		return b.Say("revenue.periods", this, before, zone)
	}
	until, untilBefore := b.Clock(s.this.Until, b.zone), b.Clock(s.prior.Until, b.zone)
	if until != untilBefore { // the clocks were changed on one of the days
		return b.Say("revenue.periods_until_each", this, before, words.Text("time", until), words.Text("time_before", untilBefore), zone)
	}
	return b.Say("revenue.periods_until", this, before, words.Text("time", until), zone)
}

func (b *builder) period(p figures.Period) string {
	return b.Text("date.period", words.Text("from", b.dayShort(p.From)), words.Text("to", b.dayShort(p.To)))
}

// currencyPart describes one currency. An empty code makes an empty part, for a slot that is
// not in use. Places are counted over all currencies and are therefore shown only where
// there is one currency.
func (b *builder) currencyPart(slot, code string, s spans, byEvent []figures.EventPeriod, places bool) (currencyPart, plot) {
	p := currencyPart{
		Figures: numberRow{ID: "money-" + slot},
		Chart:   caption{ID: "days-" + slot, Chart: "chart-days-" + slot, Empty: code == ""},
		Days:    table{ID: "days-rows-" + slot},
		Bridge:  b.bridgePart("bridge-"+slot, code, s.this),
		Events:  ranking{ID: "events-" + slot},
	}
	if code == "" {
		return p, plot{}
	}
	p.Chart.Title = b.Text("revenue.chart_title", words.Text("currency", code))
	p.Figures.List = b.moneyFigures(code, s)
	p.Events = b.ranked(p.Events.ID, code, b.Text("revenue.ranking", words.Text("currency", code), words.Text("period", b.period(s.this))), byEvent, places)
	chart := b.daysPlot(code, s, &p)
	if !places {
		p.Days.Columns = slices.Delete(p.Days.Columns, 1, 2)
		for i := range p.Days.Rows {
			p.Days.Rows[i].Cells = p.Days.Rows[i].Cells[1:]
		}
	}
	return p, chart
}

// moneyFigures are the sums of one currency, each against the period before.
func (b *builder) moneyFigures(code string, s spans) []named {
	line := func(term string, k figures.Key, total figures.Figure[figures.Sums], of func(figures.Flow) figures.Sums) named {
		now, was := of(s.this.Compared).In(code), of(s.prior.Compared).In(code)
		n := named{Term: term, Main: b.explained(k, ofPeriod(s.this, code), b.qualified(total.Quality, total.Reasons, b.Money(of(s.this.Flow).In(code), code)))}
		if !total.Known() {
			return n
		}
		if total.Quality == figures.LowerBound { // two that are partial say nothing of each other
			return n
		}
		n.Note = b.Say("revenue.against", words.Text("before", b.Money(was, code)))
		if now >= 0 && was > 0 {
			n.Note = b.Say("revenue.change_against", words.Text("change", b.Change(now, was)), words.Text("before", b.Money(was, code)))
		}
		return n
	}
	t := &b.Total
	measured := func(term string, k figures.Key, m figures.Measure) named {
		return line(term, k, t.Of(m), func(f figures.Flow) figures.Sums { return f.Of(m) })
	}
	net := line(b.Text("revenue.net"), figures.KeyNet, t.NetReceived(), figures.Flow.Net)
	if t.BookedStandsIn() {
		net = line(b.Text("tile.stands_in"), figures.KeyStandsIn, t.Net, func(f figures.Flow) figures.Sums { return f.Of(figures.Booked) })
	}
	out := []named{
		measured(b.Text("revenue.booked"), figures.KeyBooked, figures.Booked),
		net,
		measured(b.Text("revenue.received"), figures.KeyReceived, figures.Received),
		measured(b.Text("revenue.refunded"), figures.KeyRefunded, figures.Refunded),
		measured(b.Text("revenue.chargebacks"), figures.KeyChargedBack, figures.ChargedBack),
	}
	if pending := t.Of(figures.RefundsPending).Value.In(code); pending != 0 {
		out[3].Note = words.Join("; ", out[3].Note, b.Say("revenue.pending", words.Text("amount", b.Money(pending, code))))
	}
	for _, m := range []struct {
		term, note string
		key        figures.Key
		measure    figures.Measure
	}{{"revenue.fees", "bridge.fees", figures.KeyFees, figures.Fees}, {"revenue.vat", "revenue.vat_note", figures.KeyVAT, figures.VAT}} {
		if t.Of(m.measure).Known() {
			n := measured(b.Text(m.term), m.key, m.measure)
			n.Note = b.Say(m.note)
			out = append(out, n)
		}
	}
	return out
}

// ranked lists the events by what was booked in the currency, so that the rows are the sum above,
// those that come to nothing among them; what belongs to no event is the last of those that are not folded away.
func (b *builder) ranked(id, code, caption string, byEvent []figures.EventPeriod, places bool) ranking {
	var rows []rankRow
	var most, folded int64
	var unattributed *rankRow
	events := slices.DeleteFunc(slices.Clone(byEvent), func(p figures.EventPeriod) bool {
		return !places && !p.MovedIn(code)
	})
	slices.SortStableFunc(events, func(x, y figures.EventPeriod) int {
		return cmp.Compare(y.Of(figures.Booked).In(code), x.Of(figures.Booked).In(code))
	})
	if len(events) > 0 {
		most = scale(events[0].Of(figures.Booked).In(code))
	}
	for _, p := range events {
		booked := p.Of(figures.Booked).In(code)
		r := rankRow{Sold: b.Count(p.Sold), Booked: b.Money(booked, code), Net: b.net(p.Flow, code)}
		switch {
		case p.Event == nil:
			r.ID, r.Name = "none", b.Text("revenue.unattributed")
			unattributed = &r
		default:
			e := p.Event
			r.ID = "of-" + url.QueryEscape(e.Event.ID)
			r.Href, r.Name, r.When = eventHref(e.Event.ID), b.title(e), b.dayShort(e.Date)
			picture := newBar("", rankedSteps, piece{"paid", int(max(0, booked) * rankedSteps / most)})
			r.Bar = &picture
			rows = append(rows, r)
			if len(rows) > rankedFirst {
				folded += booked
			}
		}
	}
	head := b.netHead("column.net")
	k := ranking{ID: id, First: rankRows{id, caption, places, head, rows}}
	if len(rows) > rankedAll {
		k.Line = b.Text("revenue.folded", words.Int("n", len(rows)-rankedFirst), words.Text("amount", b.Money(folded, code)))
		k.First.Rows, k.Rest = slices.Clone(rows[:rankedFirst]), rankRows{id + "-rest", caption, places, head, rows[rankedFirst:]}
	}
	if unattributed != nil {
		k.First.Rows = append(k.First.Rows, *unattributed)
	}
	return k
}

// scale is the amount that a bar is drawn for in full: the largest or a round one above, so that it
// is rare that a sale of that performance draws all bars anew.
func scale(largest int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, n := range []int64{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			if n*unit >= largest {
				return n * unit
			}
		}
	}
}

// net is what was received net as text, or what was booked where that stands in; a dash where
// neither is known.
func (b *builder) net(f figures.Flow, code string) string {
	amount := f.Net()
	if b.Total.BookedStandsIn() {
		amount = f.Of(figures.Booked)
	}
	return b.qualified(b.Total.Net.Quality, nil, b.Money(amount.In(code), code)).Text
}

// daysPlot is what was booked by day: bars for the period, a soft line for the one before.
func (b *builder) daysPlot(code string, s spans, p *currencyPart) plot {
	out := plot{Axis: b.Text("revenue.axis", words.Text("currency", code), words.Text("zone", b.zone.String())), Bars: true}
	var bars, soft []point
	best := 0
	p.Days.Caption = b.Text("revenue.days", words.Text("currency", code))
	p.Days.Columns = []string{b.Text("column.day_of_sale"), b.Text("column.sold"), b.Text("column.booked"), b.netHead("column.net"), b.Text("column.booked_before")}
	for i, d := range s.this.Days {
		out.X = append(out.X, b.dayShort(d.Day))
		amount := d.Of(figures.Booked).In(code)
		text := b.Money(amount, code)
		at := point{Value: [3]any{i, major(amount, code), text}}
		row := tableRow{Name: b.dayShort(d.Day), Cells: []string{b.Count(d.Sold), text, b.net(d.Flow, code), dash}}
		if s.this.Open && d.Day == s.this.To {
			at.ItemStyle = open()
			at.Value[2] = b.Text("revenue.so_far", words.Text("amount", text))
			row.Name = b.Text("date.so_far", words.Text("day", row.Name))
		}
		if i < len(s.prior.Days) {
			prior := s.prior.Days[i]
			was := prior.Of(figures.Booked).In(code)
			on := b.Text("revenue.on_day", words.Text("amount", b.Money(was, code)), words.Text("day", b.dayShort(prior.Day)))
			soft = append(soft, point{Value: [3]any{i, major(was, code), on}})
			row.Cells[3] = b.Money(was, code)
		}
		if amount > s.this.Days[best].Of(figures.Booked).In(code) {
			best = i
		}
		bars = append(bars, at)
		p.Days.Rows = append(p.Days.Rows, row)
	}
	slices.Reverse(p.Days.Rows)
	if len(s.this.Days) > 0 {
		d := s.this.Days[best]
		p.Chart.Text = b.Say("revenue.best", words.Text("day", b.day(d.Day)), words.Text("amount", b.Money(d.Of(figures.Booked).In(code), code)), b.days())
		if s.this.Open {
			p.Chart.Text = words.Join(" ", p.Chart.Text, b.Say("revenue.hatched"))
		}
	}
	p.Chart.Label, out.Label = p.Chart.Text.String(), p.Chart.Text.String()
	this := newSeries("bar", "this", b.Text("revenue.series_booked"), bars)
	this.ItemStyle = &style{Color: "@house", BorderRadius: []int{2, 2, 0, 0}}
	this.BarCategoryGap = "28%"
	prior := line("before", b.Text("revenue.series_before"), "@ink", soft)
	prior.LineStyle = &opts.LineStyle{Color: "@ink", Width: 1.5, Opacity: opts.Float(.75)}
	prior.Step = "middle"
	out.Series = []series{this, prior}
	return out
}
