package evening

import (
	"time"

	"housecount/aggregator/figures"
)

// fewLeft returns an alert if the performance is nearly sold out while it is on sale, and once it is sold out as long as places that are
// not paid may give some back.
func (v *Evening) fewLeft(s *Show) []Alert {
	if !s.FewLeft() && (!s.SoldOut || !s.mayFill() || !s.UnpaidIsWanted()) || s.Oversold > 0 {
		return nil
	}
	// Which sale left few is not known: a reservation takes a place before it is one, and is no sale until it is paid.
	return []Alert{alert(AlertFewLeft, s, time.Time{}, AlertArgs{Count: s.Free})}
}

// soldOut returns an alert if no place is left.
func (v *Evening) soldOut(s *Show) []Alert {
	if !s.mayFill() || !s.SoldOut {
		return nil
	}
	return []Alert{alert(AlertSoldOut, s, s.crossed(0, 1), AlertArgs{})}
}

// nearlyFull returns an alert if most places are sold and the others are on sale, and may be sold.
func (v *Evening) nearlyFull(s *Show) []Alert {
	if left, limited := v.MayStillSell(s); !s.mayFill() || s.SoldOut || !s.NearlyFull() || limited && left == 0 {
		return nil
	}
	since := s.crossed(s.Capacity.Value-s.Sold.Value, s.Capacity.Value-s.fullAt()+1)
	return []Alert{alert(AlertNearlyFull, s, since, AlertArgs{})}
}

// mayFill reports whether a performance is or was on sale, is not oversold, and is not over.
func (s *Show) mayFill() bool {
	return s.Oversold <= 0 && s.Sale != SaleNotOpen && s.Phase.GoesAhead() && s.Phase != Over
}

// NearlyFull reports whether the part of the places that the venue calls nearly full is sold, and others are on sale.
func (s *Show) NearlyFull() bool { return s.Sale == SaleOpen && nearlyFull(s.EventFigures, s.full) }

func nearlyFull(e *figures.EventFigures, part int64) bool {
	return !e.Event.Unlimited && e.Occupancy().Known() && int64(e.Sold.Value)*figures.WholeRate >= part*int64(e.Capacity.Value)
}

// fullAt returns how many places are sold when the performance has just become nearly full.
func (s *Show) fullAt() int {
	return int((s.full*int64(s.Capacity.Value) + figures.WholeRate - 1) / figures.WholeRate)
}

// FewLeft reports whether the performance is nearly sold out while it is on sale.
func (s *Show) FewLeft() bool { return s.few(s.Free, s.Capacity) }

// UnpaidIsWanted reports whether places that are sold and not paid are wanted: none is left, or hardly any, and it has not begun.
func (s *Show) UnpaidIsWanted() bool {
	return (s.SoldOut || s.FewLeft()) && (s.Phase == Before || s.Phase == Arriving) && s.Unpaid.Known() && s.Unpaid.Value > 0
}

func (s *Show) few(free, capacity figures.Figure[int]) bool {
	return free.Known() && capacity.Known() && free.Value > 0 && int64(free.Value)*figures.WholeRate < s.fewLeft*int64(capacity.Value)
}
