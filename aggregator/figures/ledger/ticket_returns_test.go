package ledger_test

import (
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// What went back counts once, whether the service says it on the payment, in a record of the payment, or in a record that
// names the order alone; and what is won back is no more than was charged back.
func TestReturnsCountOnce(t *testing.T) {
	of := func(p *record.Payment) { p.OrderID = "o" }
	status := func(s record.PaymentStatus) func(*record.Payment) { return func(p *record.Payment) { p.Status = s } }
	kind := func(k record.PaymentKind) func(*record.Payment) { return func(p *record.Payment) { p.Kind = k } }
	paid := func(change ...func(*record.Payment)) *record.Payment {
		return foldtest.Payment("p", 10000, append([]func(*record.Payment){of}, change...)...)
	}
	for name, c := range map[string]struct {
		records []record.Record
		net     int64
		odd     string
	}{
		"refund of the order, said on the payment": {[]record.Record{paid(status(record.PaymentRefunded)), foldtest.Refund("r", "", 10000, "20 15:00", of)}, 0, ""},
		"refund of the order alone":                {[]record.Record{paid(), foldtest.Refund("r", "", 4000, "20 15:00", of)}, 6000, ""},
		"of more than the payment":                 {[]record.Record{paid(), foldtest.Refund("r", "", 14000, "20 15:00", of)}, 0, figures.CodeOverRefunded},
		"one attempt failed before": {[]record.Record{foldtest.Payment("f", 10000, of, status(record.PaymentFailed)), paid(status(record.PaymentRefunded)),
			foldtest.Refund("r", "", 10000, "20 15:00", of)}, 0, ""},
		"two payments":           {[]record.Record{paid(), foldtest.Payment("q", 5000, of), foldtest.Refund("r", "", 5000, "20 15:00", of)}, 10000, ""},
		"won back, seen charged": {[]record.Record{paid(status(record.PaymentChargedBack)), paid(), foldtest.Refund("r", "p", 10000, "20 15:00", of, kind(record.KindOfReversal))}, 10000, ""},
		"won back of nothing":    {[]record.Record{paid(), foldtest.Refund("r", "p", 10000, "20 15:00", of, kind(record.KindOfReversal))}, 10000, figures.CodeReversed},
		"won back, and the status stays": {[]record.Record{paid(status(record.PaymentChargedBack)),
			foldtest.Refund("r", "p", 10000, "20 15:00", of, kind(record.KindOfReversal))}, 10000, ""},
	} {
		base := []record.Record{foldtest.Event("e"), foldtest.Ticket("t", "e", func(k *record.Ticket) { k.OrderID, k.Price = "o", foldtest.Eur(10000) })}
		orders := [][]record.Record{c.records}
		if name != "won back, seen charged" { // whose versions have an order
			orders = append(orders, slices.Collect(func(yield func(record.Record) bool) {
				for _, r := range slices.Backward(c.records) {
					if !yield(r) {
						return
					}
				}
			}))
		}
		for _, records := range orders {
			s := foldtest.Fold(foldtest.Complete, append(slices.Clone(base), records...)...)
			if got := s.Event("e").Revenue.Net.Value.In("EUR"); got != c.net {
				t.Errorf("%s: net %d, want %d", name, got, c.net)
			}
			if odd := slices.ContainsFunc(s.Diagnostics, func(d figures.Diagnostic) bool { return d.Code == c.odd }); odd != (c.odd != "") || c.odd == "" && len(s.Diagnostics) > 0 {
				t.Errorf("%s: diagnosed %+v, want %q", name, s.Diagnostics, c.odd)
			}
		}
	}
}
