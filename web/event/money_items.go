package event

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/web/words"
)

// items are the open items of a performance, by the age of their order.
type items struct {
	Text words.Sentence
	Rows []itemRow
}

type itemRow struct {
	Age, Orders        string
	ToBePaid, PaidBack string
}

// openItems returns what is still to be paid for a performance and what is to be paid back, for those who
// may see money; empty if nothing is open. A cancelled performance has none: all that was received is to be
// paid back, as its tiles show.
func (b builder) openItems(s *evening.Show) (out items) {
	e := s.EventFigures
	due, back := e.Revenue.Of(figures.ToBePaid), e.Revenue.Of(figures.ToBePaidBack)
	if !b.Access.SeesMoney() || !due.Known() || s.Phase == evening.Cancelled {
		return out
	}
	for _, band := range bridge.OpenItems(b.Evening, e) {
		out.Rows = append(out.Rows, b.itemRow(e, band))
	}
	if len(out.Rows) > 0 {
		out.Text = words.Join("; ", b.Say("items.due", words.Fig("amount", b.OfShow(s, figures.KeyToBePaid))))
		if len(back.Value) > 0 {
			out.Text = words.Join("; ", out.Text, b.Say("items.back", words.Fig("amount", b.OfShow(s, figures.KeyToBePaidBack))))
		}
		out.Text = b.End(out.Text)
	}
	return out
}

// bookedNote returns the notes to what was booked: its VAT, its fees, and the average for a paid ticket and
// for a place of the capacity.
func (b builder) bookedNote(s *evening.Show) words.Sentence {
	var average, each words.Sentence
	if s.AveragePrice.Known() {
		average = b.Say("tile.average", words.Fig("amount", b.OfShow(s, figures.KeyAveragePrice)))
	}
	if f := s.RevenuePerPlace(); f.Known() && len(f.Value) > 0 {
		each = b.Say("tile.per_place", words.Fig("amount", b.OfShow(s, figures.KeyRevenuePerPlace)))
	}
	vat := b.Say("tile.with_vat")
	if f := s.Revenue.Of(figures.VAT); f.Known() && len(f.Value) > 0 {
		vat = words.Join(", ", b.Say("tile.with_vat_of", words.Fig("amount", b.OfShow(s, figures.KeyVAT))), b.Say("tile.net_of_vat", words.Fig("amount", b.OfShow(s, figures.KeyNetOfVAT))))
	}
	var fees words.Sentence
	if f := s.Revenue.Of(figures.Fees); f.Known() && len(f.Value) > 0 {
		fees = b.Say("tile.with_fees", words.Fig("amount", b.OfShow(s, figures.KeyFees)))
	}
	return words.Join("; ", vat, fees, words.Join(", ", average, each))
}

// fromBooked returns the steps from what was booked of a performance to what was received, for those who
// may see money; nothing if bridge.LeadsToReceived is false.
func (b builder) fromBooked(s *evening.Show) words.Sentence {
	if !b.Access.SeesMoney() || !bridge.LeadsToReceived(s) {
		return nil
	}
	total, unpaid := b.OfShow(s, figures.KeyBooked), b.OfShow(s, figures.KeyToBePaid)
	back, net := b.OfShow(s, figures.KeyToBePaidBack), b.OfShow(s, figures.KeyNet)
	if !s.Revenue.Of(figures.Fees).Known() {
		if len(s.Revenue.Of(figures.Goodwill).Value) > 0 {
			return nil
		}
		return b.Say("event.received_no_fees", words.Fig("booked", total), words.Fig("due", unpaid), words.Fig("back", back), words.Fig("net", net))
	}
	if goodwill := s.Revenue.Of(figures.Goodwill); len(goodwill.Value) > 0 {
		return b.Say("event.received_goodwill", words.Fig("booked", total), words.Fig("fees", b.OfShow(s, figures.KeyFees)), words.Fig("goodwill", b.OfShow(s, figures.KeyGoodwill)), words.Fig("due", unpaid), words.Fig("back", back), words.Fig("net", net))
	}
	return b.Say("event.received", words.Fig("booked", total), words.Fig("fees", b.OfShow(s, figures.KeyFees)), words.Fig("due", unpaid), words.Fig("back", back), words.Fig("net", net))
}

// itemRow returns the open items of orders of one age.
func (b builder) itemRow(e *figures.EventFigures, band bridge.AgeBand) itemRow {
	row := itemRow{Age: b.Text("items.undated"), Orders: words.Dash, ToBePaid: b.Amounts(e, band.ToBePaid), PaidBack: b.Amounts(e, band.ToBePaidBack)}
	from, under := words.Int("from", band.From), words.Int("under", band.Under)
	switch {
	case band.From > 0 && band.Under > 0:
		row.Age = b.Text("items.between", from, under)
	case band.Under > 0:
		row.Age = b.Text("items.under", under)
	case band.From > 0:
		row.Age = b.Text("items.over", from)
	}
	if band.From+band.Under > 0 {
		row.Orders = b.Count(band.Open)
	}
	return row
}
