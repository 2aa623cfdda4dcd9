package money

import (
	"math"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// bridgeTable leads from what was booked in a period to what was received in it, in one currency. What is open is that of the orders
// placed in the period, in their present state; the orders of other days are one step.
type bridgeTable struct {
	ID, Title string
	Text      words.Sentence
	Href      string // of what the orders in Text are made of
	Rows      []bridgeRow
}

// bridgeRow is one step. Its bar spans the values before and after the step; the bar of a sum begins at the left.
type bridgeRow struct {
	Term, Sign string
	Amount     words.Num
	Bar        charts.Bar
	Sum        bool
	signed     int64 // what the step adds, below 0 if it takes off
}

// barSteps is the number of lengths that a bar may have, about as many as can be distinguished, so that most sales
// do not change it.
const barSteps = 200

// bridgePart returns the bridge of a period; empty if no order was placed in it, or if it is not known.
func (b builder) bridgePart(id, code string, p evening.Period) bridgeTable {
	of := bridge.Of(b.Evening, p.From, p.To)
	out := bridgeTable{ID: id}
	if code == "" || !of.ToBePaid.Known() || !of.Net.Known() {
		return out
	}
	days, orders := web.PeriodScope(p, code), web.PeriodScope(p, code)
	orders.Orders = true
	var moves []move
	row := func(term, sign string, amount int64, n words.Num) {
		moves = append(moves, move{sign, amount})
		if sign == "−" {
			amount = -amount
		}
		out.Rows = append(out.Rows, bridgeRow{Term: term, Sign: sign + words.NBSP, Sum: sign == "" || sign == "=", Amount: n, signed: amount})
	}
	add := func(term, sign string, k figures.Key, scope figures.Scope, f figures.Figure[figures.Sums]) {
		row(term, sign, f.Value.In(code), b.Explained(k, scope, b.Qualified(f.Quality, f.Reasons, b.Money(f.Value.In(code), code))))
	}
	all := b.Evening.RevenueOf(&p)
	add(b.Text("revenue.booked"), "", figures.KeyBooked, days, figures.New(p.Of(figures.Booked), all.Of(figures.Booked).Caveat()))
	if of.Fees.Known() {
		add(b.FigureTitle(figures.KeyFees), "+", figures.KeyFees, days, figures.New(p.Of(figures.Fees), all.Of(figures.Fees).Caveat()))
	}
	if of.Goodwill.Value.In(code) != 0 {
		add(b.FigureTitle(figures.KeyGoodwill), "−", figures.KeyGoodwill, orders, of.Goodwill)
	}
	add(b.FigureTitle(figures.KeyToBePaid), "−", figures.KeyToBePaid, orders, of.ToBePaid)
	add(b.FigureTitle(figures.KeyToBePaidBack), "+", figures.KeyToBePaidBack, orders, of.ToBePaidBack)
	net := figures.New(p.Net(), all.NetReceived().Caveat())
	if others := bridge.OfOtherDays(b.Evening, &p); others.Value.In(code) != 0 {
		sign, amount := "+", others.Value.In(code)
		if amount < 0 {
			sign, amount = "−", -amount
		}
		row(b.FigureTitle(figures.KeyOtherDays), sign, amount, b.Explained(figures.KeyOtherDays, days, b.Qualified(others.Quality, others.Reasons, b.Money(amount, code))))
	}
	add(b.Text("revenue.net"), "=", figures.KeyNet, days, net)
	for i, bar := range bridgeBars(moves) {
		out.Rows[i].Bar = bar
	}
	out.Title = b.Text("bridge.title")
	if len(of.ToBePaid.Value.PlusAll(of.Fees.Value, 1).PlusAll(of.Booked.Value, 1)) <= 1 { // orders are counted in all currencies together
		out.Text = b.Say("bridge.text", words.Int("n", of.Open))
		open := figures.KeyToBePaid
		if of.ToBePaid.Value.In(code) == 0 && of.ToBePaidBack.Value.In(code) != 0 {
			open = figures.KeyToBePaidBack
		}
		out.Href = web.ExplainHref(open, orders)
	}
	return out
}

// move is a step of the bridge: an amount that is added ("+"), taken off ("−"), or a sum ("" and "=").
type move struct {
	sign   string
	amount int64
}

// bridgeBars returns a bar for each step. If the steps are small compared with the sums, the sums are cut at the
// left, which is shown by a gap, so that steps can be distinguished. It returns none if a sum is negative.
func bridgeBars(moves []move) []charts.Bar {
	type span struct{ low, high int64 }
	spans, at := make([]span, len(moves)), int64(0)
	least, most := int64(math.MaxInt64), int64(0)
	for i, m := range moves {
		before := at
		switch m.sign {
		case "+":
			at += m.amount
		case "−":
			at -= m.amount
		default:
			before, at = 0, m.amount
		}
		spans[i] = span{min(before, at), max(before, at)}
		least, most = min(least, at), max(most, at)
		if spans[i].low < 0 {
			return nil
		}
	}
	var from int64
	if spread := max(most-least, 1); spread < most/4 {
		from = least - spread
	}
	length := func(low, high int64) int { return int((high - low) * barSteps / max(most-from, 1)) }
	bars := make([]charts.Bar, len(moves))
	for i, m := range moves {
		low, high := max(spans[i].low, from), spans[i].high
		switch {
		case m.sign == "+" || m.sign == "−":
			bars[i] = charts.NewBar("", barSteps, charts.Piece{Class: "void", N: length(from, low)}, charts.Piece{Class: "comp", N: max(length(low, high), min(1, int(m.amount)))})
		case from > 0:
			bars[i] = charts.NewBar("", barSteps, charts.Piece{Class: "paid", N: 4}, charts.Piece{Class: "void", N: 2}, charts.Piece{Class: "paid", N: length(from, high) - 6})
		default:
			bars[i] = charts.NewBar("", barSteps, charts.Piece{Class: "paid", N: length(0, high)})
		}
	}
	return bars
}
