package money

import (
	"housecount/aggregator/figures/evening"
	"housecount/web/vat"
	"housecount/web/words"
)

// rateTable is what was booked, by source of VAT.
type rateTable struct {
	ID, Title string
	Text      words.Sentence
	Rows      []vat.Row
	Lead      string // the VAT in all, beside the title
}

// says reports whether the table has a figure, which then stands beside its title.
func (t *rateTable) says(m moneyFigure) bool {
	if m.column != "vat" || len(t.Rows) == 0 {
		return false
	}
	t.Lead = m.Main.Text
	return true
}

// ratesPart returns the amounts booked by VAT rate in a period and a currency; empty if no VAT is known.
func (b builder) ratesPart(id, code string, p evening.Period) rateTable {
	out := rateTable{ID: id}
	if code == "" {
		return out
	}
	if out.Rows = vat.Of(b.Builder, p, code); len(out.Rows) == 0 {
		return out
	}
	out.Title, out.Text = b.Text("explain.by_rate"), b.Say("revenue.rates_text", words.Text("period", b.PeriodOf(p.From, p.To)))
	return out
}
