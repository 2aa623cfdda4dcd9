package event

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web"
	"housecount/web/words"
	"housecount/web/xlsx"
)

// sheets returns the workbook of a performance: its figures in one row, then its sales by ticket type, by channel and by day of sale.
func (b builder) sheets() ([]web.Sheet, error) {
	e := b.Event(b.Values.Get("event"))
	if e == nil {
		return nil, web.ErrNotFound
	}
	name := "housecount-performance-" + string(e.Date) + "-" + inFileName(e.Event.ID)
	all := []web.Sheet{b.PerformanceSheet(name, []*evening.Show{b.Evening.Show(e)})}
	for _, by := range []figures.Split{figures.OfTypes, figures.OfChannels} {
		all = append(all, b.partSheet(name, by, e))
	}
	if days := b.saleDays(name, e); b.Access.Explains(catalogue.Define(figures.KeySold), days.Of) {
		all = append(all, b.SheetOf(days))
	}
	return all, nil
}

// partSheet returns the sales of a performance by a split.
func (b builder) partSheet(name string, by figures.Split, e *figures.EventFigures) web.Sheet {
	var parts []*marketing.Part
	of := web.SheetOf{Name: name, Tab: b.Code("parts_title", string(by)), Columns: []web.Column{{Head: b.Code("parts_column", string(by)), Key: string(by)}}, Summed: true,
		Figures: []figures.Key{figures.KeySold, figures.KeyPaid, figures.KeyBooked}, Of: figures.Scope{Event: e.Event.ID}}
	for p := range marketing.PartsBy(e, by) {
		parts, of.Rows = append(parts, p), append(of.Rows, []any{words.Bare(b.PartTitle(by, p.Name))})
	}
	of.Value = func(i int, k figures.Key) figures.Value {
		v, _ := catalogue.OfPart(parts[i], k)
		return v
	}
	return b.SheetOf(of)
}

// saleDays returns the sales of a performance by day of sale.
func (b builder) saleDays(name string, e *figures.EventFigures) web.SheetOf {
	of := web.SheetOf{Name: name, Tab: b.Text("sheet.sale_days"), Columns: []web.Column{{Head: b.Text("column.day_of_sale"), Key: "date", Kind: xlsx.Day}}, Summed: true,
		Figures: []figures.Key{figures.KeySold, figures.KeyBooked, figures.KeyReceived, figures.KeyRefunded, figures.KeyNet}, Of: figures.Scope{Event: e.Event.ID, From: b.Today, To: b.Today}}
	days, _ := b.Evening.SaleDays(e)
	for i := range days {
		of.Rows = append(of.Rows, []any{days[i].Day})
	}
	value := func(i int, k figures.Key) figures.Value {
		v, _ := catalogue.Of(b.Evening, k, figures.Scope{Event: e.Event.ID, From: days[i].Day, To: days[i].Day})
		return v
	}
	rest := func(k figures.Key) figures.Value { // what is dated later or on no day
		v, _ := catalogue.Of(b.Evening, k, figures.Scope{Event: e.Event.ID})
		for i := range days {
			of := value(i, k)
			v.Count, v.Amount = v.Count-of.Count, v.Amount.PlusAll(of.Amount, -1)
		}
		return v
	}
	of.Value = func(i int, k figures.Key) figures.Value {
		if i == len(days) {
			return rest(k)
		}
		return value(i, k)
	}
	if slices.ContainsFunc(of.Figures, func(k figures.Key) bool { v := rest(k); return v.Known() && (v.Count != 0 || len(v.Amount) > 0) }) {
		of.Rows = append(of.Rows, []any{b.Text("sheet.other_days")})
	}
	return of
}
