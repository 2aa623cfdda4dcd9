package event

import (
	"cmp"
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/charts"
	"housecount/web/words"
)

// areas shows what is left of a performance by price area.
type areas struct {
	Text words.Sentence
	Rows []areaRow
	Key  charts.Key
}

type areaRow struct {
	Name                           string
	Bar                            charts.Bar
	Free, Capacity, Sold, Reserved words.Num
	Shared                         bool // its places are those of another area, too
}

// areasOf returns the price areas of a performance that is on sale.
func (b builder) areasOf(s *evening.Show) (a areas) {
	for _, area := range b.Evening.AreasOnSale(s) {
		of := func(k figures.Key) words.Num { return b.ofArea(s, &area, k) }
		r := areaRow{Name: area.Name, Shared: sharing(s, &area), Free: of(figures.KeyFree), Capacity: of(figures.KeyCapacity), Sold: of(figures.KeySold), Reserved: of(figures.KeyReserved)}
		if area.Sold.Known() {
			r.Bar = areaBar(s, &area)
		}
		a.Rows = append(a.Rows, r)
	}
	if len(a.Rows) > 0 {
		a.Text, a.Key = b.leftInAll(s), b.areaKey(s, b.Evening.AreasOnSale(s))
	}
	return a
}

// freeList is what is free of a performance by price area, in a line each.
type freeList struct {
	Side words.Sentence // why the areas do not add up, or what is blocked
	Rows []freeRow
	Key  charts.Key
}

type freeRow struct {
	Name  string
	Free  words.Num
	Of    words.Sentence
	Price string // empty for who sees no amounts
	Bar   charts.Bar
}

// freeOf returns the price areas of a performance that is on sale, as areasOf does.
func (b builder) freeOf(s *evening.Show) (f freeList) {
	areas, sum, bounded := b.Evening.AreasOnSale(s), 0, false
	code := web.CurrencyOf(s.EventFigures)
	for i := range areas {
		a := &areas[i]
		r := freeRow{Name: a.Name, Free: b.upTo(b.ofArea(s, a, figures.KeyFree)), Of: b.Say("areas.of", words.Fig("n", b.ofArea(s, a, figures.KeyCapacity)))}
		if a.Price > 0 && code != "" && b.Access.SeesToday() {
			r.Price = b.Money(a.Price, code)
		}
		if a.Sold.Known() {
			r.Bar = areaBar(s, a)
		}
		sum, bounded = sum+a.Free.Value, bounded || sharing(s, a) || a.Free.Value < s.Areas[i].Free.Value
		f.Rows = append(f.Rows, r)
	}
	f.Key = b.areaKey(s, areas)
	free := words.Fig("free", b.OfShow(s, figures.KeyFree))
	switch {
	case len(areas) == 0:
	case bounded || s.Limited(): // nobody knows how many of them are in which
		f.Side = b.leftInAll(s)
	case s.Free.Known() && sum > s.Free.Value:
		f.Side = b.Say("areas.side_fewer", free, words.Int("n", sum-s.Free.Value))
	case s.Free.Known() && sum < s.Free.Value:
		f.Side = b.Say("areas.side_more", free, words.Int("n", s.Free.Value-sum))
	case s.Blocked.Known() && s.Blocked.Value > 0:
		f.Side = b.Say("places.blocked", words.Fig("n", b.OfShow(s, figures.KeyBlocked)))
	}
	return f
}

// priceOf returns what a place costs that is sold as tickets of a name, from the lowest to the highest price where those differ; empty
// where that is not known.
func (b builder) priceOf(e *figures.EventFigures, name string) string {
	var all []int64
	code := web.CurrencyOf(e)
	for _, t := range e.Event.TicketTypes {
		if t.Price != nil && cmp.Or(t.Name, t.ID) == name {
			all = append(all, t.Price.Amount)
		}
	}
	if len(all) == 0 || code == "" {
		return ""
	}
	low, high := b.Money(slices.Min(all), code), b.Money(slices.Max(all), code)
	if low == high {
		return low
	}
	return low + "–" + high
}

// upTo returns an upper bound in words: among other numbers in a list its sign would not be read.
func (b builder) upTo(n words.Num) words.Num {
	if most, bound := strings.CutPrefix(n.Text, "≤"+words.NBSP); bound {
		n.Text = b.Text("areas.up_to", words.Text("n", most))
	}
	return n
}

// sharing reports whether some places of an area also belong to another: its limit says so, or areas have more places than there are. Where
// only the least that there may be is known, of all or of an area, their sum says nothing: places may have gone from one to another.
func sharing(s *evening.Show, a *figures.Area) bool {
	sum, c := 0, s.Capacity.Caveat()
	for i := range s.Areas {
		sum, c = sum+s.Areas[i].Capacity.Value, c.And(s.Areas[i].Capacity.Caveat())
	}
	return a.Shared || c.Quality < figures.LowerBound && sum > s.Capacity.Value
}

// areaBar draws what is taken of an area: sold, reserved, and what else cannot be sold now, so that its empty part is what is free.
// Of an area that shares its places it leaves out those that went to others: they are neither its own nor blocked.
func areaBar(s *evening.Show, a *figures.Area) charts.Bar {
	whole := a.Capacity.Value
	pieces := append(charts.Beyond(max(1, whole), charts.Piece{Class: "paid", N: a.Sold.Value}), charts.Piece{Class: "resv", N: a.Reserved.Value})
	if rest := whole - a.Free.Value - a.Sold.Value - a.Reserved.Value; a.Free.Known() && a.Capacity.Known() && rest > 0 {
		if sharing(s, a) {
			whole, rest = whole-rest, 0
		}
		pieces = append(pieces, charts.Piece{Class: "blocked", N: rest})
	}
	return charts.NewBar("", max(1, whole), pieces...)
}

// areaKey explains the parts of the bars of areas; nothing where they have what is sold alone.
func (b builder) areaKey(s *evening.Show, all []figures.Area) (k charts.Key) {
	parts := map[string]bool{}
	for i := range all {
		if all[i].Sold.Known() {
			for _, p := range areaBar(s, &all[i]).Parts {
				parts[p.Class] = true
			}
		}
	}
	if !parts["resv"] && !parts["blocked"] {
		return nil
	}
	for _, of := range []charts.Keyed{{Class: "paid", Text: b.Say("areas.key_sold")}, {Class: "resv", Text: b.Say("areas.key_reserved")}, {Class: "blocked", Text: b.Say("areas.key_blocked")}} {
		if parts[of.Class] {
			k = append(k, of)
		}
	}
	return k
}

// leftInAll returns how many places can be sold of all areas together, and why their own numbers are not to be added up: they share
// places, or nobody knows in which of them places are blocked.
func (b builder) leftInAll(s *evening.Show) words.Sentence {
	free, shares := words.Fig("free", b.OfShow(s, figures.KeyFree)), func(a figures.Area) bool { return sharing(s, &a) }
	switch all := b.Say("areas.together", free); {
	case slices.ContainsFunc(s.Areas, shares):
		return b.Say("areas.together_shared", free)
	case s.Blocked.Known() && s.Blocked.Value > 0:
		return words.Join(" · ", all, b.Say("places.blocked", words.Fig("n", b.OfShow(s, figures.KeyBlocked))))
	default:
		return all
	}
}

// ofArea returns a figure of a price area of a performance.
func (b builder) ofArea(s *evening.Show, a *figures.Area, k figures.Key) words.Num {
	d := catalogue.Define(k)
	return b.Explained(k, figures.Scope{Event: s.Event.ID, Area: a.Name}, b.Figure(d, d.OfArea(a), "", s.EventFigures))
}
