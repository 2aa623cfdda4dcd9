// Package vat shows what was booked by rate of VAT. The amounts are figures, which only who sees money sees.
package vat

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web"
	"housecount/web/words"
)

// Row is what was booked at one rate of VAT, or in total.
type Row struct {
	Rate             string
	Booked, VAT, Net words.Num
	Sum              bool
}

// Of returns the amounts booked by VAT rate in a period and a currency, with their total as the last row;
// none if no VAT is known.
func Of(b *web.Builder, p evening.Period, code string) []Row {
	of := web.PeriodScope(p, code)
	rows := Rows(b, &p, marketing.VATOf(b.Evening, &p), of)
	if len(rows) == 0 {
		return nil
	}
	total := Row{Rate: b.Text("revenue.rates_sum"), Sum: true}
	total.fill(b, of, func(d *catalogue.Definition) figures.Value { return d.OfPeriod(b.Evening, &p) })
	return append(rows, total)
}

// Rows returns the rows of a period, without rates that have no movement in the currency.
func Rows(b *web.Builder, p *evening.Period, all []figures.VATFigures, of figures.Scope) (rows []Row) {
	for i := range all {
		f := &all[i]
		if of.Currency != "" && f.Of(figures.Booked).In(of.Currency) == 0 && f.Of(figures.VAT).In(of.Currency) == 0 {
			continue
		}
		of.VAT = f.VATSource
		r := Row{Rate: Source(b, f.VATSource)}
		r.fill(b, of, func(d *catalogue.Definition) figures.Value { return d.OfVAT(b.Evening, p, f) })
		rows = append(rows, r)
	}
	return rows
}

// fill sets the figures of a scope.
func (r *Row) fill(b *web.Builder, of figures.Scope, read func(*catalogue.Definition) figures.Value) {
	for k, to := range map[figures.Key]*words.Num{figures.KeyBooked: &r.Booked, figures.KeyVAT: &r.VAT, figures.KeyNetOfVAT: &r.Net} {
		d := catalogue.Define(k)
		*to = b.Explained(k, of, b.Figure(d, read(d).In(of.Currency), of.Currency, nil))
	}
}

// Source returns the words for a source of VAT.
func Source(b *web.Builder, s figures.VATSource) string {
	switch s.Basis {
	case figures.VATByRate:
		return b.Text("number.percent", words.Text("n", b.Fixed(s.Rate, 2)))
	case figures.VATMissing:
		return b.Text("explain.vat_missing")
	case figures.VATGiven:
		if s.Rate > 0 {
			return b.Text("explain.vat_given_at", words.Text("rate", b.Text("number.percent", words.Text("n", b.Fixed(s.Rate, 2)))))
		}
	}
	return b.Text("explain.vat_given")
}
