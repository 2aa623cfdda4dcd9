package money

import (
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/bridge"
	"housecount/web"
	"housecount/web/words"
)

// ranking is the performances by what was booked. If it is long, only the first rows are open; the others are
// folded under a line with their sum, and if they are very many, some of them at a time.
type ranking struct {
	ID             string
	Top            rankRows
	Line           string
	Rest           rankRows
	Open           bool     // the rest is unfolded, as some of it was asked for
	Earlier, Later web.Link // what of the rest is before and after; without text where there is none
}

type rankRows struct {
	ID, Caption string
	Columns     []rankColumn
	Rows        []rankRow
	Sum         *rankRow // of all rows, those of the other table among them
	Long        bool     // an amount needs a wider column
}

// rankColumn is a column of numbers. A spare one has no room on a phone.
type rankColumn struct {
	Name, Text string
	Spare      bool
}

// rankedFirst is how many events a ranking shows unless it is unfolded, rankedAll up to how many it shows without a fold,
// and rankedMore how many of the others it has at once: each has dozens of numbers that can be explained.
const (
	rankedFirst = 5
	rankedAll   = 12
	rankedMore  = 50
)

type rankRow struct {
	ID               string // within its table
	Href, Name, When string
	Cells            []words.Num      // of each column
	Notes            []words.Sentence // under each, with what it is compared with; nil for none
}

// says reports whether the sum of the rows has a figure, which then has its comparison there.
func (k *ranking) says(m moneyFigure) bool {
	at := slices.IndexFunc(k.Top.Columns, func(c rankColumn) bool { return c.Name == m.column })
	if at < 0 || k.Top.Sum == nil {
		return false
	}
	k.Top.Sum.Notes[at] = m.Note
	return true
}

// longAmount is from how many characters on an amount needs a wider column, as seven digits do where a currency has no sign.
const longAmount = 14

func (r rankRow) long() bool {
	return slices.ContainsFunc(r.Cells, func(n words.Num) bool { return utf8.RuneCountInString(n.Text) >= longAmount })
}

// rankColumns returns the columns of the events in a currency.
func (b *inCurrency) rankColumns() (all []rankColumn) {
	if b.places {
		all = append(all, rankColumn{"sold", b.Text("column.sold"), false})
	}
	all = append(all, rankColumn{"booked", b.bookedWord(), false})
	if b.Total.Of(figures.Fees).Known() {
		all = append(all, rankColumn{"fees", b.FigureTitle(figures.KeyFees), true})
	}
	if b.Total.Of(figures.Refunded).Known() {
		all = append(all, rankColumn{"refunded", b.Text("revenue.refunded"), true})
	}
	all = append(all, rankColumn{"net", b.NetHead("column.net"), false})
	if b.Total.Of(figures.ToBePaid).Known() {
		all = append(all, rankColumn{"open", b.Text("column.open"), true})
	}
	switch {
	case !b.c.Comparable() || b.c.LeftOut: // the rows would have the days that the sums leave out
	default:
		all = append(all, rankColumn{"before", b.Text("column.before"), true})
	}
	return all
}

// rankSums are what the cells of a row show: movements and the open items of orders, each with the quality of
// the whole that it is a part of. With a scope, each cell links to its explanation.
type rankSums struct {
	scope  *figures.Scope
	all    *figures.Revenue
	flow   figures.Flow
	orders bridge.Bridge
	before words.Num // the cell of that column
}

// rankCells returns the cells of a row.
func (b *inCurrency) rankCells(columns []rankColumn, of rankSums) (cells []words.Num) {
	places := of.all.PlacesDuring(&of.flow).Caveat()
	of.all = of.all.During(&of.flow)
	for _, c := range columns {
		var n words.Num
		switch c.Name {
		case "sold":
			n = b.rowFigure(figures.KeySold, of.scope, places, b.Count(of.flow.Sold))
		case "booked":
			n = b.rowFigure(b.bookedKey(), of.scope, b.bookedOf(of.all).Caveat(), b.Money(b.booked(of.flow).In(b.code), b.code))
		case "fees":
			n = b.rowFigure(figures.KeyFees, of.scope, of.all.Of(figures.Fees).Caveat(), b.Money(of.flow.Of(figures.Fees).In(b.code), b.code))
		case "refunded":
			n = b.rowFigure(figures.KeyRefunded, of.scope, of.all.Of(figures.Refunded).Caveat(), b.Money(of.flow.Of(figures.Refunded).In(b.code), b.code))
		case "net":
			n = b.rowFigure(b.NetKey(), of.scope, of.all.Net.Caveat(), b.net(of.flow, b.code))
		case "open":
			d := catalogue.Define(figures.KeyOpenItems)
			value := d.OfOrders(&of.orders).In(b.code)
			n = words.Num{Text: b.Money(value.Amount.In(b.code), b.code)}
			if of.scope != nil {
				n = b.Figure(d, value, b.code, nil)
				scope := *of.scope
				scope.Orders = true
				n = b.Explained(d.Key, scope, n)
			}
		case "before":
			n = of.before
		}
		cells = append(cells, n)
	}
	return cells
}

// rowFigure returns a figure as text, as well known as all of what it is a part of, with its explanation; without a scope
// it is the text alone.
func (b builder) rowFigure(k figures.Key, of *figures.Scope, all figures.Caveat, text string) words.Num {
	if of == nil {
		return words.Num{Text: text}
	}
	return b.Explained(k, *of, b.Qualified(all.Quality, all.Reasons, text))
}

// ranked lists the performances by what was booked in the currency. The rows add up to the sum above, and
// include those that are zero; what belongs to no performance is the last of the open rows.
func (b *inCurrency) ranked(id, caption string) ranking {
	c, code := b.c, b.code
	var rows []rankRow
	var folded int64
	var unattributed *rankRow
	events := b.rankedEvents(code, b.byEvent, b.places)
	columns := b.rankColumns()
	k := ranking{ID: id, Open: b.Values.Get("skip") != ""}
	performances := len(events)
	if slices.ContainsFunc(events, func(p evening.EventPeriod) bool { return p.Event == nil }) {
		performances--
	}
	from, to := b.fold(&k, performances)
	place := -1
	for _, p := range events {
		if p.Event != nil {
			place++
		}
		if p.Event != nil && place >= rankedFirst {
			folded += b.booked(p.Flow).In(code)
			if place < from || place >= to {
				continue
			}
		}
		before := words.Num{Text: words.Dash}
		if f, ok := b.befores[p.Event]; ok {
			was := c.ScopeBefore(c.BeforeFrom, c.Before.To)
			was.Event, was.Currency = f.Event.Event.ID, code
			before = b.rowFigure(b.bookedKey(), &was, b.bookedOf(f.Event.Revenue.During(&f.Flow)).Caveat(), b.Money(b.booked(f.Flow).In(code), code))
		}
		var scope *figures.Scope
		all := &b.Unattributed
		if p.Event != nil {
			all = &p.Event.Revenue
			scope = new(web.PeriodScope(c.This, code))
			scope.Event = p.Event.Event.ID
		}
		r := rankRow{Cells: b.rankCells(columns, rankSums{scope, all, p.Flow, bridge.OfEvent(b.Evening, p.Event, c.This.From, c.This.To), before})}
		switch {
		case p.Event == nil:
			r.ID, r.Name = "none", b.Text("revenue.unattributed")
			if web.MayReconcile(b.Access, "") && len(b.Snapshot.UnmatchedPayments) > 0 {
				r.Href = web.ReconcilePath + "#check-" + string(figures.CheckPayments)
			}
			if i := slices.IndexFunc(columns, func(c rankColumn) bool { return c.Name == "net" }); !b.Total.BookedStandsIn() {
				r.Cells[i] = b.rowFigure(figures.KeyUnattributed, new(web.PeriodScope(c.This, code)), all.During(&p.Flow).Net.Caveat(), b.net(p.Flow, code))
			}
			unattributed = &r
		default:
			e := p.Event
			r.ID = "of-" + url.QueryEscape(e.Event.ID)
			r.Href, r.Name, r.When = web.EventHref(e.Event.ID), b.TitleOf(e), b.DayShortOf(e.Date)
			rows = append(rows, r)
		}
	}
	k.Top = rankRows{ID: id, Caption: caption, Columns: columns, Rows: rows}
	if len(events) > 0 {
		// What it is compared with has others, of which nothing moved since.
		k.Top.Sum = &rankRow{ID: "all", Name: b.Text("revenue.all"), Cells: b.rankCells(columns, rankSums{scope: new(web.PeriodScope(c.This, code)), all: &b.Total, flow: c.This.Flow, orders: bridge.Of(b.Evening, c.This.From, c.This.To)}), Notes: make([]words.Sentence, len(columns))}
		k.Top.Long = k.Top.Sum.long() || slices.ContainsFunc(rows, rankRow.long)
	}
	if performances > rankedAll {
		k.Line = b.Text("revenue.folded", words.Int("n", performances-rankedFirst), words.Text("amount", b.Money(folded, code)))
		k.Top.Rows, k.Rest = slices.Clone(rows[:rankedFirst]), rankRows{ID: id + "-rest", Caption: caption, Columns: columns, Rows: rows[rankedFirst:], Long: k.Top.Long}
	}
	if unattributed != nil {
		k.Top.Rows = append(k.Top.Rows, *unattributed)
	}
	return k
}

// fold returns which of the performances stand in the fold: those from one to another, which are the first rankedMore of
// those folded, or what was asked for. It sets the links to the others.
func (b *inCurrency) fold(k *ranking, performances int) (from, to int) {
	if performances <= rankedAll {
		return rankedFirst, performances
	}
	skip, _ := strconv.Atoi(b.Values.Get("skip"))                                // nothing, or a number
	skip = max(0, min(skip, (performances-rankedFirst-1)/rankedMore*rankedMore)) // there may have been more when it was asked for
	from = rankedFirst + skip
	to = min(from+rankedMore, performances)
	href := func(skip int) string {
		return b.chosenHref(web.RevenuePath, "skip", strconv.Itoa(skip)) + "#" + k.ID + "-line"
	}
	if skip > 0 {
		k.Earlier = web.Link{Href: href(max(0, skip-rankedMore)), Text: b.Text("found.back", words.Int("n", min(skip, rankedMore)))}
	}
	if to < performances {
		k.Later = web.Link{Href: href(skip + rankedMore), Text: b.Text("found.more", words.Int("n", performances-to))}
	}
	return from, to
}
