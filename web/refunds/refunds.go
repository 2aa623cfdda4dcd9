// Package refunds shows what was refunded by reason: as a table that folds, and as the rows of one. The reasons are what people
// wrote at the service, so only who sees money sees them, and never as markup.
package refunds

import (
	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// mostRows is how many reasons have a row of their own, and leadRows how many of them stand beside the title: as a rule all of them.
const (
	mostRows = 15
	leadRows = 12
)

// Row are the refunds for one reason, or of several.
type Row struct {
	Reason         string
	Own            bool // the service's words, not ours
	Number, Amount string
}

// Table is what was refunded by reason.
type Table struct {
	ID, Title string
	Open      bool
	Rows      []Row
	Number    string
	Total     words.Num
}

// Section are tables of one currency each.
type Section struct {
	ID     string
	Tables []Table
}

// Of returns the refunds in a currency; total is the figure that they add up to.
func Of(b *web.Builder, id string, all []figures.RefundsFor, code string, total words.Num) Table {
	t := Table{ID: id, Title: b.Text("refunds.title"), Rows: Rows(b, all, code), Total: total}
	n := 0
	for _, r := range all {
		if r.Currency == code {
			n += r.Number
		}
	}
	t.Number = b.Count(n)
	return t
}

// Rows returns the refunds in a currency, the largest amount first. Beyond mostRows reasons they are one row; those without a
// reason always have their own.
func Rows(b *web.Builder, all []figures.RefundsFor, code string) (rows []Row) {
	row := func(reason string, own bool, r figures.RefundsFor) {
		rows = append(rows, Row{Reason: reason, Own: own, Number: b.Count(r.Number), Amount: b.Money(r.Amount, code)})
	}
	var rest figures.RefundsFor
	given, others := 0, 0
	for _, r := range all {
		switch {
		case r.Currency != code:
		case r.Reason == "":
			row(b.Text("refunds.none"), false, r)
		case given < mostRows:
			given++
			row(r.Reason, true, r)
		default:
			others++
			rest.Number, rest.Amount = rest.Number+r.Number, rest.Amount+r.Amount
		}
	}
	if others > 0 {
		row(b.Text("refunds.others", words.Int("n", others)), false, rest)
	}
	return rows
}
