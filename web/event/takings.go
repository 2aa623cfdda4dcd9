package event

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/refunds"
	"housecount/web/words"
)

// takings are the amounts of a performance, in a line each.
type takings struct {
	Folded bool // while the doors are open: nobody works them with amounts
	Rows   []web.Named
	Sum    web.Named // the line that stands for them on a phone until they are unfolded; without a term where they are never folded
}

// takings returns the amounts that whoever looks may see.
func (b builder) takings(s *evening.Show) (t takings) {
	t.Folded = s.Phase.Open()
	add := func(term string, k figures.Key, note words.Sentence) {
		t.Rows = append(t.Rows, web.Named{Term: b.Text(term), Main: b.OfShow(s, k), Note: note})
	}
	if places := b.OfShow(s, figures.KeySoldToday); b.Access.SeesToday() && s.Phase.GoesAhead() && (s.Phase != evening.Over || places.N != 0 || len(s.Today.Of(figures.Booked)) > 0) { // as long as Tonight counts them
		add("tile.booked_today", figures.KeyBookedToday, b.Say("figs.places", words.Fig("n", places)))
	}
	if !b.Access.SeesMoney() || s.Phase == evening.Cancelled {
		if b.Access.SeesToday() && s.Phase.GoesAhead() && s.Phase != evening.Over && s.Unpaid.Known() && s.Unpaid.Value > 0 { // the desk can still collect
			add("lines.places_not_paid", figures.KeyUnpaid, nil)
		}
		return t
	}
	add("tile.booked", figures.KeyBooked, nil)
	t.Sum = t.Rows[len(t.Rows)-1]
	step := func(m figures.Measure, k figures.Key, note words.Sentence) {
		if f := s.Revenue.Of(m); f.Known() && len(f.Value) > 0 {
			t.Rows = append(t.Rows, web.Named{Term: b.FigureTitle(k), Main: b.OfShow(s, k), Note: note})
		}
	}
	stands := s.Revenue.BookedStandsIn()
	if !stands { // what makes the difference to what was received, so that the rows add up to it
		step(figures.Fees, figures.KeyFees, nil)
		step(figures.Goodwill, figures.KeyGoodwill, nil)
	}
	step(figures.ToBePaid, figures.KeyToBePaid, b.openOrders(s))
	if stands {
		add("tile.stands_in", figures.KeyStandsIn, nil)
		return t
	}
	step(figures.ToBePaidBack, figures.KeyToBePaidBack, nil)
	add("tile.net", figures.KeyNet, b.refunds(s))
	return t
}

// withFees returns that fees are in what was received, where some are known.
func (b builder) withFees(s *evening.Show) words.Sentence {
	if web.HasFees(s) {
		return b.Say("lines.with_fees")
	}
	return nil
}

// openOrders returns how many orders have something to be paid; nothing where that is not known, or where orders are open of which
// something is to be paid back.
func (b builder) openOrders(s *evening.Show) words.Sentence {
	if len(s.Revenue.Of(figures.ToBePaidBack).Value) > 0 {
		return nil
	}
	n := 0
	for _, band := range bridge.OpenItems(b.Evening, s.EventFigures) {
		n += band.Open
	}
	if n == 0 {
		return nil
	}
	return b.Say("lines.orders", words.Int("n", n))
}

// refundsByReason returns the refunds of a performance by reason, in each currency, for who may see them.
func (b builder) refundsByReason(s *evening.Show) (out refunds.Section) {
	out.ID = "reasons"
	f := s.Revenue.Of(figures.Refunded)
	if !b.Access.SeesMoney() || !f.Known() {
		return out
	}
	for _, m := range f.Value {
		total := b.Explained(figures.KeyRefunded, figures.Scope{Event: s.Event.ID}, b.Qualified(f.Quality, f.Reasons, b.Money(m.Amount, m.Currency)))
		t := refunds.Of(b.Builder, "reasons-"+m.Currency, s.Refunds(), m.Currency, total)
		t.Open = true
		if len(f.Value) > 1 {
			t.Title = b.Text("sheet.amount", words.Text("name", t.Title), words.Text("currency", m.Currency))
		}
		out.Tables = append(out.Tables, t)
	}
	return out
}

// refund is what was received for a cancelled performance: what went back, what is on its way, and what is not begun.
type refund struct {
	Bar  charts.Bar
	Key  []charts.Keyed
	Rows []itemRow // what is still to be paid back, by the age of the order, the oldest first
}

// refundOf returns that of a cancelled performance, for who may see it.
func (b builder) refundOf(s *evening.Show) (r refund) {
	if s.Phase != evening.Cancelled || !b.Access.SeesMoney() || !s.ToPayBack.Known() {
		return r
	}
	codes := figures.Currencies(s.ToPayBack.Value, s.Revenue.Of(figures.Refunded).Value)
	if len(codes) != 1 {
		return r
	}
	code := codes[0]
	back, paid, pending := s.ToPayBack.Value.In(code), s.Revenue.Of(figures.Refunded).Value.In(code), s.Revenue.Of(figures.RefundsPending).Value.In(code)
	if back+paid <= 0 {
		return r
	}
	pending = min(max(0, pending), max(0, back))
	amount := func(n int64) words.Arg { return words.Text("amount", b.Money(n, code)) }
	parts := []struct {
		class, say string
		amount     int64
	}{{"gone", "refund.paid_back", paid}, {"resv", "refund.on_its_way", pending}, {"paid", "refund.not_started", back - pending}}
	const steps = 10_000 // amounts may be more than a bar's whole numbers
	var pieces []charts.Piece
	for _, p := range parts {
		if p.amount <= 0 {
			continue
		}
		pieces = append(pieces, charts.Piece{Class: p.class, N: int(steps * p.amount / (back + paid))})
		r.Key = append(r.Key, charts.Keyed{Class: p.class, Text: b.Say(p.say, amount(p.amount))})
	}
	r.Bar = charts.NewBar("", 0, pieces...)
	var sum figures.Sums
	for _, band := range bridge.OpenItems(b.Evening, s.EventFigures) {
		if len(band.ToBePaidBack) > 0 {
			sum = sum.PlusAll(band.ToBePaidBack, 1)
			r.Rows = append([]itemRow{b.itemRow(s.EventFigures, band)}, r.Rows...)
		}
	}
	if rest := back - sum.In(code); rest != 0 && len(r.Rows) > 0 {
		r.Rows = append(r.Rows, itemRow{Age: b.Text("refund.rest"), Orders: words.Dash, PaidBack: b.Money(rest, code)})
	}
	return r
}
