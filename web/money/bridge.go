package money

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// bridge explains the difference between what was booked and what was received, in one currency, for the
// orders of a period.
type bridge struct {
	ID, Title string
	Text      words.Sentence
	Rows      []bridgeRow
}

type bridgeRow struct {
	Term, Sign string
	Amount     words.Num
	Text       words.Sentence
	Sum        bool
}

// bridgePart returns the bridge of a period; empty if no order was placed in it, or if it is not known.
func (b builder) bridgePart(id, code string, p evening.Period) bridge {
	of := b.Evening.Bridge(p.From, p.To)
	out := bridge{ID: id}
	if code == "" || !of.ToBePaid.Known() || !of.Net.Known() {
		return out
	}
	scope := web.PeriodScope(p, code)
	scope.Orders = true
	add := func(term, sign string, k figures.Key, f figures.Figure[figures.Sums], text string, args ...words.Arg) {
		out.Rows = append(out.Rows, bridgeRow{Term: b.Text(term), Sign: sign + words.NBSP, Text: b.Say(text, args...),
			Amount: b.Explained(k, scope, b.Qualified(f.Quality, f.Reasons, b.Money(f.Value.In(code), code)))})
	}
	add("bridge.booked_term", "", figures.KeyBooked, of.Booked, "bridge.booked")
	if of.Fees.Known() {
		add("bridge.fees_term", "+", figures.KeyFees, of.Fees, "bridge.fees")
	}
	add("bridge.to_be_paid_term", "−", figures.KeyToBePaid, of.ToBePaid, "bridge.to_be_paid")
	add("bridge.paid_back_term", "+", figures.KeyToBePaidBack, of.ToBePaidBack, "bridge.paid_back")
	add("bridge.net_term", "=", figures.KeyNet, of.Net, "bridge.net")
	out.Rows[len(out.Rows)-1].Sum = true
	out.Title = b.Text("bridge.title", words.Text("period", b.PeriodOf(p.From, p.To)))
	out.Text = b.Say("bridge.text", words.Int("n", of.Open))
	return out
}
