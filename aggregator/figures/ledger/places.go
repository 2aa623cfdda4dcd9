package ledger

import (
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/areas"
	"housecount/aggregator/figures/ledger/diagnoses"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// places fills in the figures of capacity and sales.
func (e *eventAccount) places(n *sums.Names, f *figures.EventFigures, k *Knowledge, refused refusals) {
	var c figures.Caveat
	k.tickets.missing(&c, figures.ReasonNoTickets, figures.ReasonTicketsIncomplete)
	c.AddIf(refused.tickets > 0, figures.LowerBound, figures.ReasonRefused)
	c.AddIf(e.unmappedTickets > 0, figures.LowerBound, figures.ReasonUnknownStatus)
	f.Sold = figures.New(e.sold.all(), c)
	f.Complimentary = figures.New(e.sold.complimentary, c)
	free := c
	free.AddIf(e.unpriced > 0, figures.LowerBound, figures.ReasonNoPrice)
	f.FreeTickets = figures.New(e.sold.free, free)
	f.Paid, f.Unpaid = e.paid(c, k, refused)
	f.Reserved = figures.New(e.reserved, c)
	if n, ok := figures.Within(e.record.Reserved); ok && n > 0 && e.reserved == 0 {
		f.Reserved = k.ofEvent(n)
	}
	if f.Expected = f.Sold; e.cancelled() { // nobody is expected
		f.Expected = figures.New(0, f.Sold.Caveat())
	}

	sold := areas.Sold{Parts: &e.parts[figures.ByTicketType], Names: n, Types: e.types}
	f.Available = reported(e.record.Available, figures.ReasonNoAvailable, k)
	if e.record.Unlimited {
		f.Available = figures.NotKnown[int](figures.ReasonUnlimited)
	}
	if left, ok := e.limits.Bound(func(l *areas.Limit) *int { return l.Left(sold) }, k.bounds()); ok && e.record.Available == nil && !e.record.Unlimited {
		f.Available = left
	}
	f.Blocked = reported(e.record.Blocked, figures.ReasonBlockedUnknown, k)
	f.Capacity = e.capacity(f, k)
	f.Oversold = oversold(f)
	if f.Areas = e.limits.Areas(sold, f, k.planning.caveat()); f.Areas == nil {
		f.Areas = areas.OfTypes(sold, f)
	}
}

// paid splits the places with a price into paid and unpaid, by whether their order was paid; c is the caveat of
// the tickets. Until payments have been read, all of them count as paid. What is not known of payments may move places
// from one to the other, so neither is a bound then.
func (e *eventAccount) paid(c figures.Caveat, k *Knowledge, refused refusals) (paid, unpaid figures.Figure[int]) {
	if c.Quality == figures.Unknown {
		return figures.NotKnown[int](c.Reasons...), figures.NotKnown[int](c.Reasons...)
	}
	c.AddIf(e.unpriced > 0, figures.Estimated, figures.ReasonNoPrice)
	ofTickets := len(c.Reasons)
	if !k.payments.read() {
		why := figures.ReasonPaymentsPartial
		if !k.payments.offered {
			why = figures.ReasonNoPayments
		}
		c.Add(figures.Estimated, why)
		return figures.New(e.sold.costing, c.EitherWay()), figures.NotKnown[int](why)
	}
	k.payments.mark(&c)
	c.AddIf(refused.payments > 0, figures.Estimated, figures.ReasonRefused)
	c.AddIf(e.unmappedPayments > 0, figures.Estimated, figures.ReasonUnknownStatus)
	c.AddIf(e.withoutOrder > 0 || e.orderlessItems > 0, figures.Estimated, figures.ReasonNoOrder)
	if len(c.Reasons) > ofTickets {
		c = c.EitherWay()
	}
	return figures.New(e.sold.costing-e.sold.unpaid, c), figures.New(e.sold.unpaid, c)
}

// capacity returns the number of sellable places, from the first source that gives one.
func (e *eventAccount) capacity(f *figures.EventFigures, k *Knowledge) figures.Figure[int] {
	if e.record.Unlimited {
		return figures.NotKnown[int](figures.ReasonUnlimited)
	}
	if n, ok := figures.Within(e.record.Capacity); ok && n >= 0 {
		return k.ofEvent(n)
	}
	if n, ok := e.limits.Bound((*areas.Limit).Places, k.bounds()); ok {
		return n
	}
	if n, ok := ofTypes(e.record.TicketTypes); ok {
		c := k.ofEvent(n).Caveat()
		c.Add(figures.Estimated, figures.ReasonTypesMayOverlap)
		return figures.New(n, c)
	}
	if e.planned.places > 0 {
		c := figures.Caveat{Quality: figures.Estimated, Reasons: []figures.Reason{figures.ReasonPlanning}}
		c.AddIf(k.planningPartial, figures.LowerBound, figures.ReasonPlanningPartial)
		k.planning.mark(&c)
		return figures.New(e.planned.places, c)
	}
	if f.Available.Known() && k.tickets.read() {
		c := f.Available.Caveat().And(f.Sold.Caveat(), f.Reserved.Caveat())
		c.AddIf(!f.Blocked.Known(), figures.Estimated, figures.ReasonBlockedUnknown)
		return figures.New(max(0, f.Available.Value+f.Sold.Value+f.Reserved.Value+f.Blocked.Value), c)
	}
	if e.highest != nil {
		return figures.Figure[int]{Value: max(0, *e.highest), Quality: figures.LowerBound, Reasons: []figures.Reason{figures.ReasonHighestAvailable}}
	}
	return figures.NotKnown[int](figures.ReasonNoCapacity)
}

// ofTypes sums the capacities of the ticket types; ok is false unless all of them have one.
func ofTypes(types []record.TicketType) (sum int, ok bool) {
	for _, t := range types {
		n, known := figures.Within(t.Capacity)
		if !known || n < 0 {
			return 0, false
		}
		sum += n
	}
	return sum, len(types) > 0
}

// oversold returns how many more places are sold or reserved than there are. Where it is not known how many are sold or
// blocked, it is at least how far the number of available places is below 0. A capacity that is only a lower bound gives 0.
func oversold(f *figures.EventFigures) int {
	bounded := f.Sold.Known() && f.Capacity.Known() && f.Capacity.Quality < figures.LowerBound
	by := 0
	if bounded {
		by = f.Sold.Value + f.Reserved.Value - f.Capacity.Value
	}
	if f.Available.Known() && !(bounded && f.Blocked.Known()) {
		by = max(by, -f.Available.Value)
	}
	return max(0, by)
}

// visitors fills in the figures of admission. An event without tickets has no visitors,
// if the service reports scans at all.
func (e *eventAccount) visitors(f *figures.EventFigures, in admission, k *Knowledge, refused refusals) {
	var c figures.Caveat
	k.tickets.missing(&c, figures.ReasonNoTickets, figures.ReasonTicketsIncomplete)
	c.AddIf(refused.tickets > 0, figures.LowerBound, figures.ReasonRefused)
	c.AddIf(k.scans.offered && !k.scans.complete, figures.LowerBound, figures.ReasonScansPartial)
	c.AddIf(k.tickets.behind || k.scans.behind, figures.LowerBound, figures.ReasonBehind)
	c.AddIf(k.scans.doubted, figures.Estimated, figures.ReasonDoubted)
	c.AddIf(refused.scans > 0, figures.LowerBound, figures.ReasonRefused)
	c.AddIf(in.strays > 0, figures.LowerBound, figures.ReasonUnknownStatus)
	c.AddIf(in.reported == 0 && !k.scans.read() && (e.tickets > 0 || !k.scansReported), figures.Unknown, figures.ReasonNoScans)
	f.Attendance = figures.New(in.attendance, c)
	f.Arrived = figures.New(in.arrived, c)
	c.AddIf(!figures.ExitsScanned(in.exits, in.attendance, in.present, in.gates) && in.attendance > 0, figures.Estimated, figures.ReasonNoExits)
	// Where scans are missing, people may have left as well as come.
	if slices.ContainsFunc([]figures.Reason{figures.ReasonBehind, figures.ReasonNoExits, figures.ReasonScansPartial, figures.ReasonUnknownStatus}, func(r figures.Reason) bool { return slices.Contains(c.Reasons, r) }) || refused.scans > 0 {
		c = c.EitherWay()
	}
	f.PresentNow = figures.New(in.present, c)
	f.Exits, f.RefusedVisits = in.exits, refused.tickets+refused.scans
}

// findings returns the diagnostics of the event.
func findings(e *figures.EventFigures, in admission) []figures.Diagnostic {
	var all []figures.Diagnostic
	find := func(code string, text record.Message, count int) {
		all = append(all, figures.Diagnostic{Code: code, Kind: record.KindEvent, ID: e.Event.ID, Text: text, Count: count})
	}
	if !knownStatus(e.Event.Status) {
		find(figures.CodeUnknownStatus, diagnoses.TheWord(string(e.Event.Status)), 1)
	}
	if in.strays > 0 {
		find(figures.CodeUnknownStatus, record.Say("has scans with a direction that is not mapped"), in.strays)
	}
	if figures.Absurd(e.Event.Available) || negative(e.Event.Capacity) || negative(e.Event.Blocked) {
		find(figures.CodeAbsurd, record.Say("capacity, available or blocked out of range"), 1)
	}
	unsure := func(r figures.Reason) bool { return r == figures.ReasonBehind || r == figures.ReasonDoubted }
	if e.Oversold > 0 && !slices.ContainsFunc(e.Sold.Caveat().And(e.Capacity.Caveat()).Reasons, unsure) {
		find(figures.CodeOversold, record.Say("more places sold than there are"), e.Oversold)
	}
	if off, text, _ := e.Partition(); off != 0 {
		find(figures.CodePartition, text, off)
	}
	return all
}

func knownStatus(s record.EventStatus) bool {
	switch s {
	case "", record.EventDraft, record.EventOnSale, record.EventSalesClosed, record.EventSoldOut,
		record.EventCancelled, record.EventPostponed, record.EventEnded:
		return true
	}
	return false
}

// reported returns a number that the service reports.
func reported(n *int, otherwise figures.Reason, k *Knowledge) figures.Figure[int] {
	if v, ok := figures.Within(n); ok {
		return k.ofEvent(v)
	}
	return figures.NotKnown[int](otherwise)
}

// ofEvent returns a number from an event's record.
func (k *Knowledge) ofEvent(n int) figures.Figure[int] {
	var c figures.Caveat
	k.events.mark(&c)
	return figures.New(n, c)
}

func negative(n *int) bool { return n != nil && *n < 0 || figures.Absurd(n) }
