package event

import (
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/apiclient/record"
	"housecount/web"
)

// exportEvent returns the figures of a performance.
func (b builder) exportEvent() (s web.ExportTable, err error) {
	e := b.Event(b.Values.Get("event"))
	if e == nil {
		return s, web.ErrNotFound
	}
	s.Name = "housecount-performance-" + string(e.Date) + "-" + inFileName(e.Event.ID)
	s.Rows = append(s.Rows, b.Heads(web.PerformanceHeads...))
	b.AddPerformance(&s, e)
	if b.Access.SeesMoney() {
		b.addReasons(&s, e)
	}
	return s, nil
}

// refundedFor is the key of what was refunded for one reason.
const refundedFor = "refunded_by_reason"

// addReasons adds a column for the reason of refunds, and a row for each reason, which is a part of what was refunded. Its key is its own, so
// that a sum by key counts nothing twice.
func (b builder) addReasons(s *web.ExportTable, e *figures.EventFigures) {
	s.Rows[0] = append(s.Rows[0], b.Heads("reason")...)
	d := catalogue.Define(figures.KeyRefunded)
	at := slices.IndexFunc(s.Rows, func(row []string) bool { return row[3] == string(d.Key) })
	for i := range s.Rows[1:] {
		s.Rows[i+1] = append(s.Rows[i+1], "")
	}
	if at < 0 {
		return
	}
	for _, r := range e.Refunds() {
		row := slices.Clone(s.Rows[at])
		amount := figures.MoneyOf(figures.New(figures.Sums{}.Plus(record.Money{Amount: r.Amount, Currency: r.Currency}, 1), e.Revenue.Of(figures.Refunded).Caveat()))
		row[3], row[9] = refundedFor, r.Currency
		row[5], row[10] = b.ExportValue(d, amount, r.Currency)
		row[len(row)-1] = b.RefundReason(r.Reason)
		s.Rows = append(s.Rows, row)
	}
}

// inFileName returns an id as part of a file name, with only a-z, 0-9 and hyphens.
func inFileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(id))
}
