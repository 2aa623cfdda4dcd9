package money

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// marketingPage is how the performances of some days were sold: when, by which channel, to whom, how long before,
// and how paid.
type marketingPage struct {
	Title     string
	Choices   choices
	Head      web.Head
	Figures   web.NumberRow
	More      moreFigures
	Days      salesDays
	Lists     []shares
	Campaigns campaigns
	Buyers    salesDays
	Postcodes postcodes
	Today     string // the first day of a new campaign
	New       campaignForm
}

// moreFigures are the figures that are folded under the first four.
type moreFigures struct{ List []web.Named }

// mostFigures is the most figures that are not folded.
const mostFigures = 4

// shares are the parts of a whole, each with its share of it. It is shown only if it has rows.
type shares struct {
	ID, Title string
	Sum       words.Sentence // of the rows
	Units     string         // heads the column of the numbers
	Money     bool
	Rows      []shareRow

	sold figures.Figure[int] // the whole
}

// Open returns the rows that are not folded, Folded the others.
func (l shares) Open() []shareRow { return l.Rows[:l.open()] }

func (l shares) Folded() []shareRow { return l.Rows[l.open():] }

// openShares is how many rows of a list with more are not folded.
const openShares = 5

func (l shares) open() int {
	if len(l.Rows) > openShares+1 {
		return openShares
	}
	return len(l.Rows)
}

type shareRow struct {
	Name    string
	Outside bool // the name is from the service
	Number  words.Num
	Share   string
	Booked  words.Num
	Bar     charts.Bar
}

// mostShares is the most parts of a whole that have their own row; the last row is the sum of the others.
const mostShares = 20

func (b builder) marketing() (web.View, error) {
	from, to := b.performanceDays()
	m := marketing.Of(b.Evening, from, to)
	p := marketingPage{Title: b.Text("nav.marketing"), Choices: b.choices(web.MarketingPath, from, to), Today: string(b.Date), New: b.campaignForm(string(b.Date)), Campaigns: campaigns{b.noted()}}
	of := figures.Scope{From: from, To: to, Performances: true}
	p.Head = web.Head{When: b.Say("marketing.when", words.Text("period", b.PeriodOf(from, to))), Links: []web.Link{b.exportLink(web.MarketingPath, b.Values)}}
	tiles := b.marketingTiles(&m, of)
	p.Figures.ID, p.Figures.List = "figures", tiles[:min(len(tiles), mostFigures)]
	p.More.List = tiles[len(p.Figures.List):]
	p.Lists = []shares{
		b.leadShares(&m, of), b.partShares(figures.OfCodes, &m, of), b.partShares(figures.OfReferrals, &m, of), b.methodShares(&m, of), b.homeShares(figures.OfTowns, m.Towns, &m, of),
	}
	channels := b.partShares(figures.OfChannels, &m, of)
	days, chart := b.salesDaysPlot(&m, of, p.Campaigns.Rows)
	buyers, buyersChart := b.buyerDaysPlot(&m, of, p.Campaigns.Rows)
	p.Days, p.Buyers, p.Postcodes = days, buyers, b.postcodes(&m, of)
	v := web.View{Title: p.Title, Body: p.body}
	for _, draw := range []struct {
		salesDays
		plot charts.Plot
	}{{days, chart}, {buyers, buyersChart}} {
		if err := v.Draw(draw.Chart, draw.plot); err != nil {
			return web.View{}, err
		}
		v.Fragments = append(v.Fragments, web.Fragment{ID: draw.Chart.ID, HTML: draw.Chart.HTML()}, web.Fragment{ID: draw.Rows.ID, HTML: draw.Rows.HTML()})
	}
	v.Fragments = append(v.Fragments, web.Fragment{ID: "head", HTML: p.Head.HTML()}, web.Fragment{ID: "figures", HTML: p.Figures.HTML()}, web.Fragment{ID: "more", HTML: p.More.html()},
		web.Fragment{ID: "channels", HTML: channels.folded()}, web.Fragment{ID: "campaigns", HTML: p.Campaigns.html()}, web.Fragment{ID: p.Postcodes.ID, HTML: p.Postcodes.html()})
	for _, l := range p.Lists {
		html := l.html()
		if l.ID == string(figures.OfTowns) && len(p.Postcodes.Rows) > 0 { // they say it already, for most
			html = l.folded()
		}
		v.Fragments = append(v.Fragments, web.Fragment{ID: l.ID, HTML: html})
	}
	return v, nil
}

// marketingTiles returns the figures on top, the most important first: places, what they cost, new buyers.
func (b builder) marketingTiles(m *marketing.Sales, of figures.Scope) []web.Named {
	fig := func(k figures.Key) words.Num { return b.ofSales(m, of, k) }
	list := []web.Named{{Term: b.Text("marketing.sold"), Main: fig(figures.KeySold), Note: b.Say("count.performances", words.Int("n", m.Performances))}}
	if m.AveragePrice.Known() {
		list = append(list, web.Named{Term: b.FigureTitle(figures.KeyAveragePrice), Main: fig(figures.KeyAveragePrice)})
	}
	if known := m.Buyers.Known(); known > 0 {
		list = append(list, web.Named{Term: b.Text("marketing.returning"), Main: fig(figures.KeyReturning), Note: b.Say("marketing.returning_note", words.Plain("n", fig(figures.KeyBuyersKnown)))})
	}
	if m.CostPerTicket().Known() {
		list = append(list, web.Named{Term: b.FigureTitle(figures.KeyCostPerTicket), Main: fig(figures.KeyCostPerTicket), Note: b.Say("marketing.budget", words.Fig("amount", fig(figures.KeyMarketingBudget)))})
	}
	if m.Orders > 0 {
		list = append(list, web.Named{Term: b.Text("marketing.per_order"), Main: fig(figures.KeyPerOrder),
			Note: b.Say("marketing.in_orders", words.Plain("places", fig(figures.KeyOrdered)), words.Plain("n", fig(figures.KeyOrders)))})
	}
	if m.Forecasts > 0 {
		list = append(list, web.Named{Term: b.Text("tile.of_forecast"), Main: fig(figures.KeyOfForecast), Note: b.Say("tile.forecast", words.Fig("n", fig(figures.KeyForecast)))})
	}
	if m.RevenuePerPlace.Known() {
		list = append(list, web.Named{Term: b.FigureTitle(figures.KeyRevenuePerPlace), Main: fig(figures.KeyRevenuePerPlace)})
	}
	if m.UnsoldValue.Known() && len(m.UnsoldValue.Value) > 0 {
		list = append(list, web.Named{Term: b.FigureTitle(figures.KeyUnsoldValue), Main: fig(figures.KeyUnsoldValue)})
	}
	if c := b.Contacts; c.All() > 0 {
		list = append(list, web.Named{Term: b.Text("marketing.opt_in"), Main: fig(figures.KeyOptIn), Note: b.Say("marketing.opt_in_note", words.Int("asked", c.OptedIn+c.OptedOut), words.Int("all", c.All()))})
	}
	return list
}

// ofSales returns a figure of the sales of the performances of some days.
func (b builder) ofSales(m *marketing.Sales, s figures.Scope, k figures.Key) words.Num {
	d := catalogue.Define(k)
	return b.Explained(k, s, b.Figure(d, d.OfSales(m), "", nil))
}

// newShares returns a list of parts of what is sold, titled by its id, which sum to it.
func (b builder) newShares(id string, money bool, m *marketing.Sales) shares {
	return shares{ID: id, Title: b.Code("shares_title", id), Units: b.Text("column.sold"), Money: money, sold: m.Sold, Sum: b.Say("marketing.sum", words.Plain("n", b.Number(m.Sold)))}
}

// add adds a row with its share of all, with the quality of what is sold, and a bar that is at most full.
func (b builder) add(l *shares, r shareRow, all, most int) {
	r.Share, r.Bar = words.Dash, charts.NewBar("", max(1, most), charts.Piece{Class: "paid", N: max(0, r.Number.N)})
	if all > 0 {
		r.Share = b.ShareOf(l.sold, float64(r.Number.N)/float64(all)).Text
	}
	l.Rows = append(l.Rows, r)
}

// partShares returns the sales by a split, if any record has it: the largest parts, and the sum of the
// others.
func (b builder) partShares(by figures.Split, m *marketing.Sales, of figures.Scope) shares {
	l := b.newShares(string(by), true, m)
	d, _ := by.Dimension()
	if !m.Reported(d) {
		return shares{ID: l.ID}
	}
	most := m.Parts[d][0].Sold
	var rest figures.Value
	i, sold := 0, 0
	for p := range m.PartsBy(by) {
		if i++; i > mostShares {
			booked, _ := catalogue.OfPart(p, figures.KeyBooked)
			booked.Amount, sold = rest.Amount.PlusAll(booked.Amount, 1), sold+p.Sold
			rest = booked
			continue
		}
		b.add(&l, shareRow{Name: b.PartTitle(by, p.Name), Outside: p.Name != "", Number: b.OfPart(p, of, figures.KeySold, nil), Booked: b.OfPart(p, of, figures.KeyBooked, nil)}, m.Sold.Value, most)
	}
	if more := i - mostShares; more > 0 {
		places := words.Num{Text: b.PartOf(m.Sold, sold).Text, N: sold}
		b.add(&l, shareRow{Name: b.Text("marketing.others", words.Int("n", more)), Number: places, Booked: words.Num{Text: b.QualifiedSums(rest.Quality, rest.Reasons, b.HouseSums(rest.Amount)).Text}}, m.Sold.Value, most)
	}
	return l
}

// leadShares returns the places by how long before the performance they were sold.
func (b builder) leadShares(m *marketing.Sales, of figures.Scope) shares {
	l, most := b.newShares(string(figures.OfLeadTimes), false, m), 0
	for _, band := range m.LeadTimes {
		most = max(most, band.Sold)
	}
	for p := range m.PartsBy(figures.OfLeadTimes) {
		b.add(&l, shareRow{Name: b.PartTitle(p.By, p.Name), Number: b.OfPart(p, of, figures.KeySold, nil)}, m.Sold.Value, most)
	}
	return l
}

// methodShares returns what was received by method of payment, the largest first, if any payment has one;
// each currency has rows of its own.
func (b builder) methodShares(m *marketing.Sales, of figures.Scope) shares {
	l := b.newShares(string(figures.OfMethods), true, m)
	l.Units = ""
	if !slices.ContainsFunc(m.Methods, func(f figures.MethodFigures) bool { return f.Name != "" }) {
		return shares{ID: l.ID}
	}
	parts := slices.Collect(m.PartsBy(figures.OfMethods))
	for _, all := range m.Received.Value {
		in := of
		in.Currency = all.Currency
		amount := func(p *marketing.Part) int64 {
			received, _ := catalogue.OfPart(p, figures.KeyReceived)
			return received.Amount.In(all.Currency)
		}
		slices.SortStableFunc(parts, func(x, y *marketing.Part) int { return cmp.Compare(amount(y), amount(x)) })
		for _, p := range parts {
			n := amount(p)
			if n == 0 {
				continue
			}
			r := shareRow{Name: b.PartTitle(p.By, p.Name), Outside: p.Name != "", Booked: b.OfPart(p, in, figures.KeyReceived, nil), Share: words.Dash, Bar: charts.NewBar("", barSteps, charts.Piece{Class: "paid", N: 0})}
			if all.Amount > 0 {
				r.Share = b.ShareOf(figures.Figure[int]{Quality: m.Received.Quality, Reasons: m.Received.Reasons}, float64(n)/float64(all.Amount)).Text
				r.Bar = charts.NewBar("", barSteps, charts.Piece{Class: "paid", N: int(n * barSteps / all.Amount)})
			}
			l.Rows = append(l.Rows, r)
		}
	}
	l.Sum = words.Sentence{{Num: new(b.ofSales(m, of, figures.KeyReceived))}}
	return l
}
