// Package money renders what managers see of money and of sales: a period of sales against another (Revenue),
// through what and to whom performances are sold (Marketing), and what does not agree in the figures
// (Reconcile).
package money

import (
	"slices"

	"housecount/web"
	"housecount/web/query"
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

// page adapts a method of builder to the table of pages.
func page(build func(builder) (web.View, error)) func(*web.Builder) (web.View, error) {
	return func(b *web.Builder) (web.View, error) { return build(builder{b}) }
}

// export adapts a method of builder that returns the table of a page's export.
func export(table func(builder) (web.ExportTable, error)) func(*web.Builder) (web.ExportTable, error) {
	return func(b *web.Builder) (web.ExportTable, error) { return table(builder{b}) }
}

func init() {
	compared := append(slices.Clone(periodParams), query.Param{Name: "against", Default: versus[0], Read: query.OneOf(versus...)}, query.Param{Name: "vat", HasEffect: notBudget, Read: query.OneOf(withoutVAT)},
		query.Param{Name: "without", HasEffect: withDays, Read: query.OneOf(exceptionalDays)}, query.Param{Name: "skip", Read: query.ReadWhole})
	web.AddPages(
		web.Page{Name: "revenue", Path: web.RevenuePath, Nav: 3, Params: compared, Explained: true, Visible: seesAllMoney, WokenBy: web.ByFigures, Export: export(builder.exportRevenue), Sheets: func(b *web.Builder) ([]web.Sheet, error) { return builder{b}.revenueSheets() }, Build: page(builder.revenue)},
		web.Page{Name: "marketing", Path: web.MarketingPath, Nav: 4, Params: periodParams, Explained: true, Visible: seesAllMoney, WokenBy: web.ByFigures, Export: export(builder.exportMarketing), Build: page(builder.marketing)},
		web.Page{Name: "reconcile", Path: web.ReconcilePath, Under: "tonight", Explained: true, Visible: web.MayReconcile, WokenBy: web.ByFigures, Build: page(builder.reconcile)},
	)
}

// seesAllMoney reports whether the access includes all money of the whole house.
func seesAllMoney(a web.Access, _ query.Params) bool { return a.SeesMarketing() }
