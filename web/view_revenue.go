package web

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/opts"

	"housecount/aggregator/figures"
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
	Caption string
	Sold    bool // places are shown
	Rows    []rankRow
}

// rankedFirst is how many events a ranking shows unless it is unfolded, and rankedAll up to how
// many it shows without a fold.
const (
	rankedFirst = 10
	rankedAll   = 12
)

type rankRow struct {
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
	v := view{title: "Revenue", body: revenueBody}
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
			fragment{part.Days.ID, part.Days.html()}, fragment{part.Events.ID, part.Events.html()})
	}
	for _, code := range codes[min(len(codes), currencySlots):] {
		p.Others.Rows = append(p.Others.Rows, named{code, plain(money(s.this.Of(figures.Booked).In(code), code)),
			say("booked, " + b.net(s.this.Net().In(code), code) + " received net")})
	}
	v.fragments = append(v.fragments, fragment{"others", p.Others.html()})
	return v, nil
}

func (b *builder) revenueHead(s spans) head {
	h := head{Title: "Revenue"}
	for _, n := range periods {
		h.Links = append(h.Links, link{"/revenue?days=" + n, n + " days", n == b.params.Get("days")})
	}
	h.When = say(b.period(s.this) + " against " + b.period(s.prior))
	if this, prior := clock(s.this.Until, b.zone), clock(s.prior.Until, b.zone); s.this.Open && !b.at.IsZero() {
		until := ", compared up to " + this + " on their last day"
		if this != prior { // the clocks were changed on one of the days
			until = ", compared up to " + this + " and " + prior + " on their last day"
		}
		h.When = h.When.text(until)
	}
	h.When = h.When.text(" · by day of sale, " + b.zone.String())
	if booked := b.Total.Of(figures.Booked); !booked.Known() {
		h.Text = say("What was booked is ").num(num{dash, because("not known", booked.Reasons)}).text(": it is counted from tickets and their prices.")
		return h
	}
	h.Text = say("").strong(sums(s.this.Of(figures.Booked))).text(" booked for ").strong(plural(s.this.Sold, "place"))
	h.Text = h.Text.text(" in " + b.params.Get("days") + " days, against " + sums(s.prior.Of(figures.Booked)) + " for " + count(s.prior.Sold) + " before")
	if this := s.this.Of(figures.Booked); len(this) == 1 && b.Total.Of(figures.Booked).Quality < figures.LowerBound {
		if was := s.prior.Compared.Of(figures.Booked).In(this[0].Currency); was > 0 {
			h.Text = h.Text.text(": ").strong(change(s.this.Compared.Of(figures.Booked).In(this[0].Currency), was))
		}
	}
	h.Text = h.Text.text(". ")
	if booked := b.Total.Of(figures.Booked); booked.Quality != figures.Exact {
		h.Text = h.Text.text("The amounts are ").num(num{qualityWord(booked.Quality), because(qualityWord(booked.Quality), booked.Reasons)}).text(".")
	}
	return h
}

func qualityWord(q figures.Quality) string {
	return [...]string{"exact", "estimated", "a lower bound", "not known"}[q]
}

func (b *builder) period(p figures.Period) string {
	return dayShort(p.From, b.today) + " to " + dayShort(p.To, b.today)
}

// currencyPart describes one currency. An empty code makes an empty part, for a slot that is
// not in use. Places are counted over all currencies and are therefore shown only where
// there is one currency.
func (b *builder) currencyPart(slot, code string, s spans, byEvent []figures.EventPeriod, places bool) (currencyPart, plot) {
	p := currencyPart{
		Figures: numberRow{ID: "money-" + slot},
		Chart:   caption{ID: "days-" + slot, Chart: "chart-days-" + slot, Empty: code == ""},
		Days:    table{ID: "days-rows-" + slot},
		Events:  ranking{ID: "events-" + slot},
	}
	if code == "" {
		return p, plot{}
	}
	p.Chart.Title = code + " by day of sale"
	p.Figures.List = b.moneyFigures(code, s)
	p.Events = b.ranked(p.Events.ID, "By performance, in "+code+", by day of sale from "+b.period(s.this), code, byEvent, places)
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
	line := func(term string, total figures.Figure[figures.Sums], of func(figures.Flow) figures.Sums) named {
		now, was := of(s.this.Compared).In(code), of(s.prior.Compared).In(code)
		n := named{Term: term, Main: quality(total.Quality, total.Reasons, func() string { return money(of(s.this.Flow).In(code), code) })}
		if !total.Known() {
			return n
		}
		if total.Quality == figures.LowerBound { // two that are partial say nothing of each other
			return n
		}
		n.Note = say("against " + money(was, code))
		if now >= 0 && was > 0 {
			n.Note = say("").strong(change(now, was)).text(" against " + money(was, code))
		}
		return n
	}
	t := &b.Total
	measured := func(term string, m figures.Measure) named {
		return line(term, t.Of(m), func(f figures.Flow) figures.Sums { return f.Of(m) })
	}
	out := []named{
		measured("Booked", figures.Booked),
		line("Received, net", t.NetReceived(), figures.Flow.Net),
		measured("Received", figures.Received),
		measured("Refunded", figures.Refunded),
		measured("Chargebacks", figures.ChargedBack),
	}
	if pending := t.Of(figures.RefundsPending).Value.In(code); pending != 0 {
		out[3].Note = out[3].Note.text("; " + money(pending, code) + " pending, not taken off")
	}
	return out
}

// ranked lists the events by what was booked in the currency, so that the rows are the sum above;
// what belongs to no event is the last of those that are not folded away.
func (b *builder) ranked(id, caption, code string, byEvent []figures.EventPeriod, places bool) ranking {
	var rows []rankRow
	var most, folded int64
	var unattributed *rankRow
	events := slices.DeleteFunc(slices.Clone(byEvent), func(p figures.EventPeriod) bool {
		return p.Of(figures.Booked).In(code) == 0 && p.Net().In(code) == 0 && (p.Sold == 0 || !places)
	})
	slices.SortStableFunc(events, func(x, y figures.EventPeriod) int {
		return cmp.Compare(y.Of(figures.Booked).In(code), x.Of(figures.Booked).In(code))
	})
	if len(events) > 0 {
		most = max(1, events[0].Of(figures.Booked).In(code))
	}
	for _, p := range events {
		booked, net := p.Of(figures.Booked).In(code), p.Net().In(code)
		r := rankRow{Sold: count(p.Sold), Booked: money(booked, code), Net: b.net(net, code)}
		switch {
		case p.Event == nil:
			r.Name = "Unattributed: belongs to no performance"
			unattributed = &r
		default:
			e := p.Event
			r.Href, r.Name, r.When = eventHref(e.Event.ID), title(e), dayShort(e.Date, b.today)
			picture := newBar("", 1000, piece{"paid", int(max(0, booked) * 1000 / most)})
			r.Bar = &picture
			rows = append(rows, r)
			if len(rows) > rankedFirst {
				folded += booked
			}
		}
	}
	k := ranking{ID: id, First: rankRows{caption, places, rows}}
	if len(rows) > rankedAll {
		k.Line = plural(len(rows)-rankedFirst, "more performance") + ", " + money(folded, code) + " booked"
		k.First.Rows, k.Rest = slices.Clone(rows[:rankedFirst]), rankRows{k.Line, places, rows[rankedFirst:]}
	}
	if unattributed != nil {
		k.First.Rows = append(k.First.Rows, *unattributed)
	}
	return k
}

// net is an amount received as text, a dash where receipts are not known.
func (b *builder) net(amount int64, code string) string {
	received := b.Total.NetReceived()
	return quality(received.Quality, nil, func() string { return money(amount, code) }).Text
}

// daysPlot is what was booked by day: bars for the period, a soft line for the one before.
func (b *builder) daysPlot(code string, s spans, p *currencyPart) plot {
	out := plot{Axis: code + " booked, by day of sale, " + b.zone.String(), Bars: true}
	var bars, soft []point
	best := 0
	p.Days.Caption = "Booked by day of sale in " + code
	p.Days.Columns = []string{"Day of sale", "Sold", "Booked", "Net received", "Booked in the period before"}
	for i, d := range s.this.Days {
		out.X = append(out.X, dayShort(d.Day, b.today))
		amount := d.Of(figures.Booked).In(code)
		at := point{Value: [3]any{i, major(amount, code), money(amount, code)}}
		row := tableRow{Name: dayShort(d.Day, b.today), Cells: []string{count(d.Sold), money(amount, code), b.net(d.Net().In(code), code), dash}}
		if s.this.Open && d.Day == s.this.To {
			at.ItemStyle = open()
			at.Value[2] = money(amount, code) + " so far"
			row.Name += ", so far"
		}
		if i < len(s.prior.Days) {
			prior := s.prior.Days[i]
			was := prior.Of(figures.Booked).In(code)
			text := money(was, code) + ", " + dayShort(prior.Day, b.today)
			soft = append(soft, point{Value: [3]any{i, major(was, code), text}})
			row.Cells[3] = money(was, code)
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
		p.Chart.Text = say("The best day was " + dayWords(d.Day, b.today) + " with " + money(d.Of(figures.Booked).In(code), code) +
			". The line is the " + b.params.Get("days") + " days before.")
		if s.this.Open {
			p.Chart.Text = p.Chart.Text.text(" Today is hatched: it is still running.")
		}
	}
	p.Chart.Label, out.Label = p.Chart.Text.String(), p.Chart.Text.String()
	this := newSeries("bar", "this", "booked", bars)
	this.ItemStyle = &style{Color: "@house", BorderRadius: []int{2, 2, 0, 0}}
	this.BarCategoryGap = "28%"
	prior := line("before", "the period before", "@ink", soft)
	prior.LineStyle = &opts.LineStyle{Color: "@ink", Width: 1.5, Opacity: opts.Float(.75)}
	prior.Step = "middle"
	out.Series = []series{this, prior}
	return out
}
