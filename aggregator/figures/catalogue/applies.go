package catalogue

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Applies reports whether a figure applies to a performance now: free places while it is on sale, people
// inside while there may be any, no-shows once it is over.
func Applies(s *evening.Show, k figures.Key) bool {
	switch k {
	case figures.KeyFree, figures.KeyUnsoldValue:
		return s.Sale == evening.SaleOpen
	case figures.KeyOversold:
		return s.Oversold > 0
	case figures.KeyGoodwill:
		return len(s.Revenue.Of(figures.Goodwill).Value) > 0
	case figures.KeyOut:
		return s.Phase.Open() && s.Out().Value > 0
	case figures.KeyLeft:
		return s.Left.Value > 0
	case figures.KeyInside, figures.KeyWalkIns:
		return s.Phase.Open() || s.Leaving
	case figures.KeyNotYetIn, figures.KeyArrivedShare, figures.KeyEntries1, figures.KeyEntries5, figures.KeyEntries15:
		return s.Phase.Open()
	case figures.KeyCame, figures.KeyArrived, figures.KeyCameUnsold, figures.KeyPresent:
		return s.Phase != evening.Before
	case figures.KeyCameLate:
		return s.Phase == evening.Over && cameLate(s).Known()
	case figures.KeyNoShows, figures.KeyNoShow:
		return s.Phase == evening.Over
	case figures.KeyStandsIn:
		return s.Revenue.BookedStandsIn()
	case figures.KeyNet:
		return !s.Revenue.BookedStandsIn()
	case figures.KeyToPayBack:
		return s.Phase == evening.Cancelled
	case figures.KeySoldHour, figures.KeySold24Hours, figures.KeySold7Days:
		return !slices.Contains([]evening.Phase{evening.Over, evening.Cancelled}, s.Phase)
	}
	return true
}
