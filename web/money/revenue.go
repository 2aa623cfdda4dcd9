package money

import (
	"slices"
	"strconv"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/compare"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/refunds"
	"housecount/web/words"
)

// revenuePage is a period and what it is compared with, each currency by itself.
type revenuePage struct {
	Choices    choices
	Head       web.Head
	Attention  web.Attention
	Glance     glance
	Currencies []currencyPart
	Uncharted  unchartedCurrencies
	Help       help
	Note       *web.NoteForm
}

// currencies that have room on the page, with a chart; more are listed without one.
const currencySlots = 3

// slotName distinguishes the elements of one currency from those of another.
func slotName(i int) string { return strconv.Itoa(i + 1) }

// currencyPart is one currency's figures.
type currencyPart struct {
	Figures web.NumberRow
	Chart   web.Caption
	Days    web.Table
	VAT     rateTable
	Refunds refunds.Table
	Bridge  bridgeTable
	Events  ranking
}

// others are the currencies that have no room.
type unchartedCurrencies struct{ Rows []web.Named }

func (b builder) revenue() (web.View, error) {
	c := b.comparison()
	codes := b.revenueCurrencies(&c)
	byEvent := b.Evening.ByEvent(c.This.From, c.This.To)
	befores := compare.Befores(b.Evening, &c, byEvent)
	p := revenuePage{Choices: b.revenueChoices(&c), Help: b.help(), Note: b.NoteForm("", b.Today),
		Attention: web.Attention{Notices: slices.Concat(b.missingHistory(&c), b.missingBudget(&c, codes))}, Glance: b.glance(&c)}
	p.Head = b.revenueHead(&c, &p.Help)
	v := web.View{Title: p.Head.Title, Body: p.body}
	v.Fragments = append(v.Fragments, web.Fragment{ID: "head", HTML: p.Head.HTML()}, web.Fragment{ID: "attention", HTML: p.Attention.HTML()}, web.Fragment{ID: "glance", HTML: p.Glance.html()}, web.Fragment{ID: "help", HTML: p.Help.html()})
	for i := range currencySlots {
		of := inCurrency{builder: b, c: &c, byEvent: byEvent, befores: befores, places: len(codes) == 1}
		if i < len(codes) {
			of.code, of.priced = codes[i], nil
		}
		part, chart := of.part(slotName(i))
		if err := v.Draw(part.Chart, chart); err != nil {
			return web.View{}, err
		}
		p.Currencies = append(p.Currencies, part)
		v.Fragments = append(v.Fragments, web.Fragment{ID: part.Figures.ID, HTML: part.Figures.HTML()}, web.Fragment{ID: part.Chart.ID, HTML: part.Chart.HTML()},
			web.Fragment{ID: part.Days.ID, HTML: part.Days.HTML()}, web.Fragment{ID: part.VAT.ID, HTML: part.VAT.html()}, web.Fragment{ID: part.Refunds.ID, HTML: part.Refunds.HTML()}, web.Fragment{ID: part.Bridge.ID, HTML: part.Bridge.html()}, web.Fragment{ID: part.Events.ID, HTML: part.Events.html()})
	}
	for _, code := range codes[min(len(codes), currencySlots):] {
		p.Uncharted.Rows = append(p.Uncharted.Rows, web.Named{Term: code, Main: words.Num{Text: b.Money(c.This.Of(figures.Booked).In(code), code)},
			Note: b.Say("revenue.other", words.Text("net", b.Qualified(b.Evening.RevenueOf(&c.This).Net.Quality, nil, b.net(c.This.Flow, code)).Text))})
	}
	v.Fragments = append(v.Fragments, web.Fragment{ID: "others", HTML: p.Uncharted.html()}, web.Fragment{ID: "day-notes", HTML: b.NoteList("day-notes", b.NotesOn(c.This.From, c.This.To)).HTML()})
	return v, nil
}

// revenueCurrencies returns those in which something moved in either period, is about to, or was to be booked.
func (b builder) revenueCurrencies(c *compare.Comparison) []string {
	return b.withBudgeted(c, figures.Currencies(c.This.Of(figures.Booked), c.Before.Of(figures.Booked), c.This.Of(figures.Received), c.Before.Of(figures.Received), c.This.Of(figures.Refunded), c.Before.Of(figures.Refunded),
		c.This.Of(figures.ChargedBack), c.Before.Of(figures.ChargedBack), c.This.Of(figures.RefundsPending), c.This.Of(figures.Reversed), c.Before.Of(figures.Reversed)))
}

func (b builder) revenueHead(c *compare.Comparison, needHelp *help) web.Head {
	h := web.Head{Title: b.Text("nav.revenue"), Links: slices.Concat(b.ToChanges(), needHelp.link, []web.Link{b.SheetLink(web.RevenuePath, b.Values)})}
	switch total := b.bookedOf(b.Evening.RevenueOf(&c.This)); {
	case !total.Known():
		h.Text = b.Say("revenue.not_known", words.Fig("dash", b.Qualified(total.Quality, total.Reasons, words.Dash)))
	case total.Quality == figures.Estimated:
		h.Text = b.amountsAre("estimated", total.Reasons)
	case total.Quality == figures.LowerBound:
		h.Text = b.amountsAre("lower_bound", total.Reasons)
	}
	return h
}

// beforeHead returns the head of a column with what a period is compared with: its days.
func (b builder) beforeHead(c *compare.Comparison) string {
	return b.PeriodOf(max(c.BeforeFrom, c.KnownFrom), c.Before.To)
}

// beforeFigure returns a figure of what a period is compared with.
func (b builder) beforeFigure(k figures.Key, c *compare.Comparison, code string, all figures.Caveat, text string) words.Num {
	if c.LeftOut { // no figure leaves days out
		return b.Qualified(all.Quality, all.Reasons, text)
	}
	of := c.ScopeBefore(c.BeforeFrom, c.Before.To)
	of.Currency = code
	return b.rowFigure(k, &of, all, text)
}

// amountsAre returns how far the amounts can be trusted.
func (b builder) amountsAre(quality string, reasons []figures.Reason) words.Sentence {
	return b.Say("revenue.amounts_are", words.Fig("quality", words.Num{Text: b.Code("quality", quality), Why: b.Because(quality, reasons)}))
}

// inCurrency builds what Revenue shows in one currency: of a period, its performances, and what they are
// compared with.
type inCurrency struct {
	builder
	code    string // empty for a slot that is not in use
	c       *compare.Comparison
	byEvent []evening.EventPeriod
	befores map[*figures.EventFigures]evening.EventPeriod
	// places shows places, too. They are counted over all currencies, so it is set where there is one.
	places bool
	priced map[figures.DayNumber]figures.PaidFor // see averageOf; nil until it is asked for
}

// part returns the part of the page for the currency; an empty one for a slot that is not in use.
func (b *inCurrency) part(slot string) (currencyPart, charts.Plot) {
	p := currencyPart{
		Refunds: refunds.Table{ID: "refunds-" + slot},
		Figures: web.NumberRow{ID: "money-" + slot},
		Chart:   web.Caption{ID: "days-" + slot, Chart: "chart-days-" + slot, Empty: b.code == ""},
		Days:    web.Table{ID: "days-rows-" + slot},
		VAT:     b.ratesPart("vat-"+slot, b.code, b.c.This),
		Bridge:  b.bridgePart("bridge-"+slot, b.code, b.c.This),
		Events:  ranking{ID: "events-" + slot},
	}
	if b.code == "" {
		return p, charts.Plot{}
	}
	p.Refunds = b.refundsPart(p.Refunds.ID)
	p.Events = b.ranked(p.Events.ID, b.Text("revenue.ranking", words.Text("currency", b.code)))
	p.Figures.List = b.budget()
	for _, m := range b.moneyFigures() {
		if !p.Events.says(m) && !p.VAT.says(m) {
			p.Figures.List = append(p.Figures.List, m.Named)
		}
	}
	if b.Access.Admin {
		p.Figures.Links = b.notSet(b.c)
	}
	chart := b.daysPlot(&p)
	if !b.places { // those of another currency stand below
		for _, title := range []*string{&p.Bridge.Title, &p.Refunds.Title} {
			*title += ", " + b.code
		}
		p.Days.Columns = slices.Delete(p.Days.Columns, 1, 2)
		for i := range p.Days.Rows {
			p.Days.Rows[i].Cells = p.Days.Rows[i].Cells[1:]
		}
	}
	return p, chart
}

// moneyFigure is a sum of one currency, with the column of the ranking or of the rates whose last row has it.
type moneyFigure struct {
	web.Named
	column string
}

// moneyFigures returns the sums of one currency, each against the period that it is compared with.
func (b *inCurrency) moneyFigures() []moneyFigure {
	c, code := b.c, b.code
	t, before := b.Evening.RevenueOf(&c.This), b.Evening.RevenueOf(&c.Before)
	line := func(term string, k figures.Key, m figures.Measure, read func(*figures.Revenue) figures.Figure[figures.Sums], of func(figures.Flow) figures.Sums) web.Named {
		total, now, was, shown := read(t), of(c.Compared).In(code), of(c.ComparedBefore).In(code), of(c.This.Flow).In(code)
		n := web.Named{Term: term, Main: b.Explained(k, web.PeriodScope(c.This, code), b.Qualified(total.Quality, total.Reasons, b.Money(shown, code)))}
		if !total.Known() || !c.Comparable() {
			return n
		}
		earlier, change := words.Fig("before", b.beforeFigure(k, c, code, read(before).Caveat(), b.Money(was, code))), b.Changed(c, m, read, now, was)
		switch {
		case c.LeftOut || now != shown: // the change is of less than what stands above it
			if change != "" && now >= 0 {
				n.Note = b.Say("revenue.change_usual", words.Text("change", change), words.Text("amount", b.Money(now, code)), earlier)
			}
		case change != "" && now >= 0:
			n.Note = b.Say("revenue.change_against", words.Text("change", change), earlier)
		case read(before).Quality != figures.LowerBound && total.Quality != figures.LowerBound: // two partial totals cannot be compared
			n.Note = b.Say("revenue.against", earlier)
		}
		return n
	}
	measured := func(term string, k figures.Key, m figures.Measure) web.Named {
		return line(term, k, m, func(r *figures.Revenue) figures.Figure[figures.Sums] { return r.Of(m) }, func(f figures.Flow) figures.Sums { return f.Of(m) })
	}
	net := moneyFigure{line(b.Text("revenue.net"), figures.KeyNet, figures.Received, (*figures.Revenue).NetReceived, figures.Flow.Net), "net"}
	if t.BookedStandsIn() {
		net = moneyFigure{line(b.Text("tile.stands_in"), figures.KeyStandsIn, figures.Booked, func(r *figures.Revenue) figures.Figure[figures.Sums] { return r.Net }, func(f figures.Flow) figures.Sums { return f.Of(figures.Booked) }), ""}
	}
	first := moneyFigure{line(b.bookedWord(), b.bookedKey(), figures.Booked, b.bookedOf, b.booked), "booked"}
	if b.places { // what was booked is in the tab of the period
		first = moneyFigure{b.soldFigure(), "sold"}
	}
	out := []moneyFigure{
		first,
		net,
		{measured(b.FigureTitle(figures.KeyReceived), figures.KeyReceived, figures.Received), ""},
		{measured(b.Text("revenue.refunded"), figures.KeyRefunded, figures.Refunded), "refunded"},
	}
	scope := web.PeriodScope(c.This, code)
	if f := b.Evening.RefundsPending(&c.This); f.Value.In(code) != 0 {
		out = append(out, moneyFigure{web.Named{Term: b.FigureTitle(figures.KeyRefundsPending), Main: b.Explained(figures.KeyRefundsPending, scope, b.Qualified(f.Quality, f.Reasons, b.Money(f.Value.In(code), code))), Note: b.Say("revenue.pending")}, ""})
	}
	back := measured(b.FigureTitle(figures.KeyChargedBack), figures.KeyChargedBack, figures.ChargedBack)
	if won := c.This.Of(figures.Reversed).In(code); won != 0 {
		f := t.Of(figures.Reversed)
		back.Note = words.Join("; ", back.Note, b.Say("revenue.won_back", words.Fig("amount", b.Explained(figures.KeyReversed, scope, b.Qualified(f.Quality, f.Reasons, b.Money(won, code))))))
	}
	out = append(out, moneyFigure{back, ""})
	if t.Of(figures.Fees).Known() {
		out = append(out, moneyFigure{measured(b.FigureTitle(figures.KeyFees), figures.KeyFees, figures.Fees), "fees"})
	}
	if net := t.NetOfVAT(); net.Known() {
		n := measured(b.Text("revenue.vat"), figures.KeyVAT, figures.VAT)
		n.Note = b.Say("revenue.vat_note", words.Fig("net", b.Explained(figures.KeyNetOfVAT, scope, b.Qualified(net.Quality, net.Reasons, b.Money(c.This.NetOfVAT().In(code), code)))))
		out = append(out, moneyFigure{n, "vat"})
	}
	return out
}

// refundsPart returns the refunds of the period by reason.
func (b *inCurrency) refundsPart(id string) refunds.Table {
	f, scope := b.Evening.RevenueOf(&b.c.This).Of(figures.Refunded), web.PeriodScope(b.c.This, b.code)
	total := b.Explained(figures.KeyRefunded, scope, b.Qualified(f.Quality, f.Reasons, b.Money(b.c.This.Of(figures.Refunded).In(b.code), b.code)))
	return refunds.Of(b.Builder, id, figures.RefundsByReason(b.c.This.Days), b.code, total)
}

// soldFigure returns the places that were sold, against the period that they are compared with.
func (b *inCurrency) soldFigure() web.Named {
	c, of := b.c, web.PeriodScope(b.c.This, "")
	total, was := b.Evening.PlacesOf(&c.This), b.Evening.PlacesOf(&c.Before)
	n := web.Named{Term: b.Text("revenue.sold"), Main: b.rowFigure(figures.KeySold, &of, total.Caveat(), b.Count(c.This.Sold))}
	if !total.Known() || !c.Comparable() {
		return n
	}
	before := words.Fig("before", b.beforeFigure(figures.KeySold, c, "", was.Caveat(), b.Count(c.ComparedBefore.Sold)))
	if !c.LeftOut {
		n.Note = b.Say("revenue.against", before)
	}
	sure := total.Caveat().And(was.Caveat())
	read := b.Evening.Snapshot.Total.During(&figures.Flow{}).Of(figures.Booked).Quality < figures.LowerBound
	if now, was := int64(c.Compared.Sold), int64(c.ComparedBefore.Sold); now >= 0 && was > 0 && read && sure.Quality < figures.LowerBound {
		change := words.Text("change", b.Qualified(sure.Quality, sure.Reasons, b.Change(now, was)).Text)
		n.Note = b.Say("revenue.change_against", change, before)
		if c.LeftOut || c.Compared.Sold != c.This.Sold { // the change is of less than what stands above it
			n.Note = b.Say("revenue.change_usual", change, words.Text("amount", b.Count(c.Compared.Sold)), before)
		}
	}
	return n
}

// budget returns what was to be booked in the period up to now; nothing if none is set, or where what was booked is
// shown without the VAT that a budget has in it.
func (b *inCurrency) budget() []web.Named {
	c, code := b.c, b.code
	budget := compare.BudgetOf(b.Evening, &c.This)
	if b.exclVAT() || !budget.Known() || !slices.Contains(compare.Budgeted(b.Snapshot, c.This.From, c.This.To), code) {
		return nil
	}
	of := web.PeriodScope(c.This, code)
	n := web.Named{Term: b.Text("revenue.budget"), Main: b.Explained(figures.KeyBudget, of, b.Qualified(budget.Quality, budget.Reasons, b.Money(budget.Value.In(code), code)))}
	if over := compare.OverBudget(b.Evening, &c.This); over.Known() && !b.Unread() {
		n.Note = b.Say("revenue.budget_note", words.Fig("difference", b.Explained(figures.KeyOverBudget, of, b.Qualified(over.Quality, over.Reasons, b.signedMoney(over.Value.In(code), code)))))
	}
	if period := b.Values.Get("period"); c.This.Open && period != customRange {
		from, to := b.performanceDays()
		if all := compare.Budget(b.Snapshot, from, to); all.Known() && all.Value.In(code) != budget.Value.In(code) {
			n.Note = words.Join(" · ", n.Note, b.Say("revenue.budget_whole", words.Text("amount", b.Qualified(all.Quality, all.Reasons, b.Money(all.Value.In(code), code)).Text), words.Text("of", b.Code("budget_of", period))))
		}
	}
	return []web.Named{n}
}

// signedMoney returns an amount with its sign always shown.
func (b builder) signedMoney(amount int64, code string) string {
	if amount > 0 {
		return "+" + b.Money(amount, code)
	}
	return b.Money(amount, code)
}

// The forms of the settings page that Revenue links to.
const (
	vatSettings    = web.SettingsPath + "#vat"
	budgetSettings = web.SettingsPath + "#budgets"
)

// notSet links to the missing settings, for those who may change them.
func (b builder) notSet(c *compare.Comparison) (all []web.Link) {
	if !b.Total.Of(figures.VAT).Known() {
		all = append(all, web.Link{Href: vatSettings, Text: b.Text("revenue.set_rates")})
	}
	if !compare.Budget(b.Snapshot, c.This.From, c.This.To).Known() {
		all = append(all, web.Link{Href: budgetSettings, Text: b.Text("revenue.set_budget")})
	}
	return all
}

// net returns what was received net as text, or what was booked where that stands in.
func (b builder) net(f figures.Flow, code string) string {
	amount := f.Net()
	if b.Total.BookedStandsIn() {
		amount = f.Of(figures.Booked)
	}
	return b.Money(amount.In(code), code)
}
