package event

import (
	"cmp"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web/words"
)

// extras shows the fees, goods and donations that were sold with the tickets of a performance.
type extras struct {
	Text words.Sentence
	Rows []extraRow
}

type extraRow struct{ Kind, Name, Number, Amount string }

// extrasOf returns the extras of a performance, for those who may see money.
func (b builder) extrasOf(s *evening.Show) (x extras) {
	if !b.Access.SeesMoney() {
		return x
	}
	ofTickets := s.Revenue.Of(figures.Fees).Value
	for _, e := range s.Extras {
		ofTickets = ofTickets.PlusAll(e.Amount, -1)
		kind := b.Code("extra_kind", string(e.Kind))
		x.Rows = append(x.Rows, extraRow{Kind: kind, Name: cmp.Or(e.Name, kind), Number: b.Count(e.Number), Amount: b.Amounts(s.EventFigures, e.Amount)})
	}
	if len(x.Rows) > 0 {
		if len(ofTickets) > 0 {
			x.Rows = append(x.Rows, extraRow{Kind: b.Code("extra_kind", string(record.ExtraFee)), Name: b.Text("extra.of_tickets"), Number: words.Dash, Amount: b.Amounts(s.EventFigures, ofTickets)})
		}
		x.Text = b.Say("extra.text", words.Fig("amount", b.OfShow(s, figures.KeyFees)))
	}
	return x
}
