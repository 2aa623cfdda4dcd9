package event

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// allFigures has every figure of a performance that the access includes, grouped by subject.
type allFigures struct{ Groups []figureGroup }

type figureGroup struct {
	Name string
	Rows []figureRow
}

type figureRow struct {
	Name  string
	Value words.Num
}

// figureGroups are the figures of a performance, in the order in which the page lists them.
var figureGroups = []struct {
	code string
	keys []figures.Key
}{
	{"places", []figures.Key{figures.KeyCapacity, figures.KeySold, figures.KeyPaid, figures.KeyUnpaid, figures.KeyComplimentary, figures.KeyFreeTickets, figures.KeyReserved, figures.KeyBlocked,
		figures.KeyAvailable, figures.KeyFree, figures.KeyOversold, figures.KeyOccupancy, figures.KeyPaidOccupancy, figures.KeySoldHour, figures.KeySold24Hours, figures.KeySold7Days, figures.KeySoldToday}},
	{"visitors", []figures.Key{figures.KeyExpected, figures.KeyCame, figures.KeyArrived, figures.KeyCameUnsold, figures.KeyCameLate, figures.KeyPresent, figures.KeyOut, figures.KeyWalkIns, figures.KeyLeft, figures.KeyInside,
		figures.KeyArrivedShare, figures.KeyEntries1, figures.KeyEntries5, figures.KeyEntries15, figures.KeyNotYetIn, figures.KeyNoShows, figures.KeyNoShow}},
	{"money", []figures.Key{figures.KeyBooked, figures.KeyBookedToday, figures.KeyVAT, figures.KeyNetOfVAT, figures.KeyFees, figures.KeyReceived, figures.KeyRefunded, figures.KeyRefundsPending,
		figures.KeyChargedBack, figures.KeyReversed, figures.KeyNet, figures.KeyStandsIn, figures.KeyGoodwill, figures.KeyToBePaid, figures.KeyToBePaidBack, figures.KeyOpenItems, figures.KeyToPayBack, figures.KeyAveragePrice,
		figures.KeyRevenuePerPlace, figures.KeyUnsoldValue}},
	{"sales", []figures.Key{figures.KeyOrders, figures.KeyOrdered, figures.KeyPerOrder, figures.KeyBuyersNew, figures.KeyBuyersReturning, figures.KeyBuyersKnown, figures.KeyBuyersUnknown, figures.KeyReturning}},
	{"planning", []figures.Key{figures.KeyForecast, figures.KeyOfForecast, figures.KeyPlannedRevenue, figures.KeyOverPlanned, figures.KeyMarketingBudget, figures.KeyCostPerTicket}},
}

// allFigures returns the figures of a performance that apply in its present phase. A group without a known
// figure is left out.
func (b builder) allFigures(s *evening.Show) (all allFigures) {
	for _, of := range figureGroups {
		g, known := figureGroup{Name: b.Code("figure_group", of.code)}, false
		for _, k := range of.keys {
			d := catalogue.Define(k)
			if !b.Access.Explains(d, figures.Scope{Event: s.Event.ID}) || !catalogue.Applies(s, k) {
				continue
			}
			known = known || d.OfShow(s).Known()
			g.Rows = append(g.Rows, figureRow{b.FigureTitleIn(k, figures.Scope{Event: s.Event.ID}), b.OfShow(s, k)})
		}
		if known {
			all.Groups = append(all.Groups, g)
		}
	}
	return all
}
