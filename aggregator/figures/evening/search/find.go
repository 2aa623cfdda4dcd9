// Package search finds performances: by words, days, halls, statuses and free places, in any order. It stands on
// package evening, which knows nothing of it, and is pure, too.
package search

import (
	"cmp"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// Query selects and orders performances. The zero Query selects all of them, by date.
type Query struct {
	// Text is words. Each must be in the title or the hall, or name the day or time of the curtain. Order, case
	// and accents do not matter.
	Text string
	// Words are the names of days in the language of Text.
	Words DayWords
	// From and To bound the day of the performance, both included; empty for no bound. A performance without a day
	// is outside any bound.
	From, To figures.Day
	Hall     string // its exact name; empty for all
	Status   Status // empty for any
	// Free is the least number of places on sale. A performance without a limit of places always has enough.
	Free int

	Order      Order // by date when empty
	Descending bool
}

// Status is a property by which performances are found. One performance can have several.
type Status string

// The statuses.
const (
	StatusOnSale    Status = "on-sale"  // and not sold out
	StatusSoldOut   Status = "sold-out" // goes ahead and is not over
	StatusCancelled Status = "cancelled"
	StatusPostponed Status = "postponed"
	StatusOver      Status = "over"
	StatusComing    Status = "coming" // goes ahead and has not begun
)

// Statuses lists every Status.
var Statuses = []Status{StatusComing, StatusOnSale, StatusSoldOut, StatusPostponed, StatusCancelled, StatusOver}

// Order is what performances are sorted by. Those without the value come last in either direction; equal ones are
// in order of time.
type Order string

// The orders.
const (
	OrderDate      Order = "date" // of curtain
	OrderTitle     Order = "title"
	OrderHall      Order = "hall"
	OrderFree      Order = "free" // what can still be sold
	OrderSold      Order = "sold"
	OrderOccupancy Order = "occupancy"
)

// Orders lists every Order.
var Orders = []Order{OrderDate, OrderTitle, OrderHall, OrderFree, OrderSold, OrderOccupancy}

// Find returns the performances that the query selects, in its order.
func Find(v *evening.Evening, q Query) []*evening.Show {
	words := searchWords(v, q)
	var found []*evening.Show
	for _, e := range v.Snapshot.Events {
		if !q.isOn(e) || !matches(v, e, words) {
			continue
		}
		if s := v.Show(e); hasFree(s, q.Free) && (q.Status == "" || Is(s, q.Status)) {
			found = append(found, s)
		}
	}
	q.sort(found)
	return found
}

// isOn reports whether a performance has the day and hall of the query.
func (q *Query) isOn(e *figures.EventFigures) bool {
	switch {
	case q.Hall != "" && e.Event.Hall != q.Hall:
		return false
	case q.From != "" && (e.Date == "" || e.Date < q.From):
		return false
	case q.To != "" && (e.Date == "" || e.Date > q.To):
		return false
	}
	return true
}

// hasFree reports whether at least n places can still be sold.
func hasFree(s *evening.Show, n int) bool {
	if n == 0 {
		return true
	}
	return s.Sale == evening.SaleOpen && !s.SoldOut && (s.Event.Unlimited || s.Free.Known() && s.Free.Value >= n)
}

// Is reports whether a performance has a status.
func Is(s *evening.Show, status Status) bool {
	switch status {
	case StatusOnSale:
		return s.Sale == evening.SaleOpen && !s.SoldOut
	case StatusSoldOut:
		return s.SoldOut
	case StatusCancelled:
		return s.Phase == evening.Cancelled
	case StatusPostponed:
		return s.Phase == evening.Postponed
	case StatusOver:
		return s.Phase == evening.Over
	case StatusComing:
		return s.Phase == evening.Before || s.Phase == evening.Arriving
	}
	return false
}

// sort sorts performances, which must be in order of time, by the query's order.
func (q *Query) sort(found []*evening.Show) {
	type place struct {
		*evening.Show
		known bool
		n     float64
		text  string
	}
	places := make([]place, len(found))
	for i, s := range found {
		p := place{Show: s}
		switch q.Order {
		case OrderDate, "":
			p.known, p.n = s.Date != "", float64(i)
		case OrderTitle:
			p.known, p.text = s.Event.Title != "", fold(s.Event.Title)
		case OrderHall:
			p.known, p.text = s.Event.Hall != "", fold(s.Event.Hall)
		case OrderFree:
			p.known, p.n = s.Sale == evening.SaleOpen && s.Free.Known(), float64(s.Free.Value)
		case OrderSold:
			p.known, p.n = s.Sold.Known(), float64(s.Sold.Value)
		case OrderOccupancy:
			o := s.Occupancy()
			p.known, p.n = o.Known() && s.Phase != evening.Cancelled, o.Value // nobody will sit there
		}
		places[i] = p
	}
	slices.SortStableFunc(places, func(a, b place) int {
		switch {
		case a.known != b.known && a.known:
			return -1
		case a.known != b.known:
			return 1
		case !a.known:
			return 0
		}
		c := cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.text, b.text))
		if q.Descending {
			return -c
		}
		return c
	})
	for i, p := range places {
		found[i] = p.Show
	}
}
