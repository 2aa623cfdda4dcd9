package money

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"housecount/aggregator/figures/evening/bridge"
	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/figures/evening/marketing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// The kinds of rows in the export of Revenue.
const (
	rowTotal       = "total"
	rowDay         = "day"
	rowPerformance = "performance"
	rowReason      = "refund_reason"
)

// exportRow is a row of the table of a period.
type exportRow struct {
	kind     string
	from, to figures.Day
	event    *figures.EventFigures // nil for none
	orders   bridge.Bridge
	before   *figures.Flow // what it is compared with; nil for nothing
	each     func(func(*catalogue.Definition, figures.Value))
}

// exportRevenue returns the period that Revenue shows: for each currency the sum, the days and the
// performances, with every figure that days of sale have.
func (b builder) exportRevenue() (web.ExportTable, error) {
	c := compare.Compare(b.Evening, b.chosenSpan(), b.against(b.Values.Get("against"))) // a file has all days
	codes, byEvent := b.revenueCurrencies(&c), b.Evening.ByEvent(c.This.From, c.This.To)
	s := web.ExportTable{Name: "housecount-revenue-" + string(c.This.From) + "-" + string(c.This.To)}
	var keys []figures.Key
	head := b.Heads("row", "from", "to", "performance", "title", "date", "currency")
	columns := func(d *catalogue.Definition, _ figures.Value) {
		if d.Key == figures.KeyStandsIn && !b.Total.BookedStandsIn() {
			return
		}
		keys = append(keys, d.Key)
		name := b.FigureTitle(d.Key)
		head = append(head, b.ColumnHead(name, string(d.Key)), b.ColumnHead(b.Text("export.quality", words.Text("name", name)), string(d.Key)+"_quality"))
	}
	catalogue.Each(b.Evening, figures.Scope{From: c.This.From, To: c.This.To}, columns)
	for _, k := range ofOrders {
		columns(catalogue.Define(k), figures.Value{})
	}
	refunded := 7 + 2*slices.Index(keys, figures.KeyRefunded)
	head = append(head, b.Heads("reason")...)
	reasonAt := len(head) - 1
	compared := c.Comparable() && c.KnownFrom == ""
	befores := compare.Befores(b.Evening, &c, byEvent)
	if compared {
		head = append(head, b.ColumnHead(b.beforeHead(&c), "booked_before"))
	}
	s.Rows = append(s.Rows, head)
	for _, code := range codes {
		of := web.PeriodScope(c.This, code)
		row := func(r exportRow) {
			cells := make([]string, len(head))
			copy(cells, []string{r.kind, string(r.from), string(r.to), "", "", "", code})
			if e := r.event; e != nil {
				copy(cells[3:], []string{web.Cell(e.Event.ID), web.Cell(words.Bare(b.TitleOf(e))), string(e.Date)})
			} else if r.kind == rowPerformance {
				cells[4] = b.Text("revenue.unattributed")
			}
			add := func(d *catalogue.Definition, v figures.Value) {
				i := slices.Index(keys, d.Key)
				if i >= 0 && (d.Unit == figures.Money || len(codes) == 1) { // places are counted over all currencies
					at := 7 + 2*i
					cells[at], cells[at+1] = b.ExportValue(d, v, code)
				}
			}
			r.each(add)
			for _, k := range ofOrders {
				add(catalogue.Define(k), catalogue.Define(k).OfOrders(&r.orders))
			}
			if compared && r.before != nil {
				cells[len(cells)-1] = b.Plain(web.Major(r.before.Of(figures.Booked).In(code), code).String())
			}
			s.Rows = append(s.Rows, cells)
		}
		row(exportRow{kind: rowTotal, from: of.From, to: of.To, orders: bridge.Of(b.Evening, of.From, of.To), before: &c.ComparedBefore, each: b.each(of)})
		for i := range c.This.Days {
			day := of
			day.From, day.To = c.This.Days[i].Day, c.This.Days[i].Day
			var before *figures.Flow
			if len(c.Buckets) == len(c.This.Days) { // a long period has months instead
				before = c.Buckets[i].Before
			}
			row(exportRow{kind: rowDay, from: day.From, to: day.To, orders: bridge.Of(b.Evening, day.From, day.To), before: before, each: b.each(day)})
		}
		events := b.rankedEvents(code, byEvent, len(codes) == 1)
		for i := range events {
			var before *figures.Flow
			if f, ok := befores[events[i].Event]; ok {
				before = &f.Flow
			}
			row(exportRow{kind: rowPerformance, from: of.From, to: of.To, event: events[i].Event, orders: bridge.OfEvent(b.Evening, events[i].Event, of.From, of.To), before: before,
				each: func(each func(*catalogue.Definition, figures.Value)) {
					catalogue.EachOf(b.Evening, &events[i], of, each)
				}})
		}
		s.Rows = append(s.Rows, b.exportReasons(&c.This, code, len(head), refunded, reasonAt)...)
	}
	return s, nil
}

// ofOrders are the figures of the orders that were placed on the days, in their present state.
var ofOrders = []figures.Key{figures.KeyGoodwill, figures.KeyToBePaid, figures.KeyToBePaidBack, figures.KeyOpenItems}

// each returns what calls a function with every figure of a scope.
func (b builder) each(of figures.Scope) func(func(*catalogue.Definition, figures.Value)) {
	return func(each func(*catalogue.Definition, figures.Value)) { catalogue.Each(b.Evening, of, each) }
}

// exportReasons returns a row of so many columns for each reason of refunds; refunded and reason are the columns of the amount and of
// the reason.
func (b builder) exportReasons(p *evening.Period, code string, columns, refunded, reason int) (rows [][]string) {
	all := b.Evening.RevenueOf(p).Of(figures.Refunded)
	for _, r := range figures.RefundsByReason(p.Days) {
		if r.Currency != code {
			continue
		}
		cells := make([]string, columns)
		copy(cells, []string{rowReason, string(p.From), string(p.To), "", "", "", code})
		cells[refunded], cells[refunded+1] = b.ExportValue(catalogue.Define(figures.KeyRefunded), figures.MoneyOf(figures.New(figures.Sums{}.Plus(record.Money{Amount: r.Amount, Currency: code}, 1), all.Caveat())), code)
		cells[reason] = b.RefundReason(r.Reason)
		rows = append(rows, cells)
	}
	return rows
}

// rankedEvents returns the performances with movements in a currency, or with any movement if places are
// shown, by what was booked, largest first.
func (b builder) rankedEvents(code string, byEvent []evening.EventPeriod, places bool) []evening.EventPeriod {
	events := slices.DeleteFunc(slices.Clone(byEvent), func(p evening.EventPeriod) bool {
		return !places && !p.MovedIn(code)
	})
	slices.SortStableFunc(events, func(x, y evening.EventPeriod) int {
		return cmp.Compare(b.booked(y.Flow).In(code), b.booked(x.Flow).In(code))
	})
	return events
}

// exportMarketing returns the sales of the performances that Marketing shows, in total and by each of its
// lists.
func (b builder) exportMarketing() (s web.ExportTable, err error) {
	from, to := b.performanceDays()
	m, of := marketing.Of(b.Evening, from, to), figures.Scope{From: from, To: to, Performances: true}
	s.Name = "housecount-marketing-" + string(from) + "-" + string(to)
	s.Rows = append(s.Rows, b.Heads(salesHeads...))
	b.AddScope(&s, []string{string(from), string(to), "", ""}, of)
	for _, by := range figures.Splits {
		for part := range m.PartsBy(by) {
			b.AddFigures(&s, []string{string(from), string(to), string(by), web.Cell(words.Bare(b.partCell(by, part.Name)))}, of, func(each func(*catalogue.Definition, figures.Value)) { catalogue.EachOfPart(part, each) })
		}
	}
	b.addCampaigns(&s)
	return s, nil
}

// addCampaigns adds the campaigns that Marketing lists: what was sold on their days that are over, what is usual on such days, and what was
// sold beside that, with its band.
func (b builder) addCampaigns(s *web.ExportTable) {
	for _, set := range b.noted() {
		c := set.sales
		if c.To < c.From || b.Unread() {
			continue
		}
		row := func(figure, name string, cells ...string) {
			s.Rows = append(s.Rows, append([]string{string(c.From), string(c.To), "campaigns", web.Cell(words.Bare(set.Name)), figure, name}, cells...))
		}
		add := func(figure, name, quality string, cells ...string) {
			row(figure, name, append(cells, "places", "", quality, "", "")...)
		}
		if m := set.cost; m.Currency != "" {
			row("campaign_cost", b.Text("setting.campaign_cost"), web.Major(m.Amount, m.Currency).String(), "", "", "money", m.Currency, "exact", "", "")
		}
		add("campaign_sold", b.FigureTitle(figures.KeySold), "exact", strconv.Itoa(c.Sold), "", "")
		if !c.Known() {
			continue
		}
		n, low, high := c.More()
		add("campaign_usual", b.Text("marketing.campaign_usually"), "estimated", strconv.Itoa(c.Sold-n), "", "")
		add("campaign_extra", b.Text("marketing.campaign_extra"), "estimated", strconv.Itoa(n), strconv.Itoa(low), strconv.Itoa(high))
		if m := set.each(); m.Currency != "" {
			row("campaign_each", b.Text("marketing.campaign_each_place"), web.Major(m.Amount, m.Currency).String(), "", "", "money", m.Currency, "estimated", "", "")
		}
	}
}

// salesHeads are the heads of the export of Marketing.
var salesHeads = slices.Concat([]string{"from", "to", "list", "part"}, web.FigureHeads)

// partCell returns how a part of sales is called in a file: a day as spreadsheets read it.
func (b builder) partCell(by figures.Split, part string) string {
	if by == figures.OfSaleDays && part != "" {
		return part
	}
	return b.PartTitle(by, part)
}

// exportLink returns a link to the export of the page at a path, with the page's choices.
func (b builder) exportLink(path string, choices url.Values) web.Link {
	if path += web.ExportName; choices != nil {
		path += "?" + choices.Encode()
	}
	return web.Link{Href: path, Text: b.Text("export.link")}
}
