package refunds

import (
	"cmp"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
	"housecount/web/xlsx"
)

// Sheet returns a sheet with a row for each reason of refunds.
func Sheet(b *web.Builder, name string, all []figures.RefundsFor) web.Sheet {
	columns := []web.Column{{Head: b.Text("refunds.reason"), Key: "reason"}}
	byReason := map[string]map[string]figures.RefundsFor{}
	var reasons, codes []string
	for _, r := range all {
		if byReason[r.Reason] == nil {
			byReason[r.Reason] = map[string]figures.RefundsFor{}
			reasons = append(reasons, r.Reason)
		}
		if byReason[r.Reason][r.Currency] = r; !slices.Contains(codes, r.Currency) {
			codes = append(codes, r.Currency)
		}
	}
	slices.Sort(codes)
	for _, code := range codes {
		in := func(text string) string {
			return b.Text("sheet.amount", words.Text("name", text), words.Text("currency", code))
		}
		number, key := b.Text("refunds.number"), "refunds"
		if len(codes) > 1 {
			number, key = in(number), key+"_"+strings.ToLower(code)
		}
		columns = append(columns, web.Column{Head: number, Key: key, Kind: xlsx.Count}, web.Column{Head: in(b.Text("revenue.refunded")), Key: string(figures.KeyRefunded), Currency: code, Kind: xlsx.Money})
	}
	var rows [][]any
	for _, reason := range reasons {
		row := []any{cmp.Or(reason, b.Text("refunds.none"))}
		for _, code := range codes {
			row = append(row, byReason[reason][code].Number, byReason[reason][code].Amount)
		}
		rows = append(rows, row)
	}
	return b.SheetOf(web.SheetOf{Name: name, Tab: b.Text("refunds.title"), Columns: columns, Rows: rows})
}
