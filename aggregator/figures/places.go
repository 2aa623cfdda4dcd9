package figures

import (
	"slices"

	"housecount/apiclient/record"
)

// places fills in the figures of capacity and sales.
func (e *eventAccount) places(n *names, f *EventFigures, k *Knowledge, refused refusals) {
	var c caveat
	k.tickets.missing(&c, ReasonNoTickets, ReasonTicketsIncomplete)
	c.addIf(refused.tickets > 0, LowerBound, ReasonRefused)
	c.addIf(e.unmappedTickets > 0, LowerBound, ReasonUnknownStatus)
	f.Sold = figure(e.sold.all(), c)
	f.Complimentary = figure(e.sold.complimentary, c)
	free := c
	free.addIf(e.unpriced > 0, LowerBound, ReasonNoPrice)
	f.FreeTickets = figure(e.sold.free, free)
	f.Paid, f.Unpaid = e.paid(c, k, refused)
	f.Reserved = figure(e.reserved, c)
	f.Expected = f.Sold

	f.Available = reported(e.record.Available, ReasonNoAvailable, k)
	if e.record.Unlimited {
		f.Available = unknown[int](ReasonUnlimited)
	}
	f.Blocked = reported(e.record.Blocked, ReasonBlockedUnknown, k)
	f.Capacity = e.capacity(f, k)
	f.Oversold = oversold(f)
	f.Areas = e.areaFigures(n, f)
}

// paid splits the places that cost something by whether their order was paid; c is what holds of
// the tickets. Until payments have been read all of them count as paid.
func (e *eventAccount) paid(c caveat, k *Knowledge, refused refusals) (paid, unpaid Figure[int]) {
	if c.quality == Unknown {
		return unknown[int](c.reasons...), unknown[int](c.reasons...)
	}
	c.addIf(e.unpriced > 0, Estimated, ReasonNoPrice)
	if !k.payments.read() {
		why := ReasonPaymentsPartial
		if !k.payments.offered {
			why = ReasonNoPayments
		}
		c.add(Estimated, why)
		return figure(e.sold.costing, c), unknown[int](why)
	}
	c.addIf(k.payments.behind, Estimated, ReasonBehind)
	c.addIf(refused.payments > 0, Estimated, ReasonRefused)
	c.addIf(e.unmappedPayments > 0, Estimated, ReasonUnknownStatus)
	c.addIf(e.loose > 0 || e.looseItems > 0, Estimated, ReasonNoOrder)
	return figure(e.sold.costing-e.sold.unpaid, c), figure(e.sold.unpaid, c)
}

// capacity is the number of sellable places, from the first source that holds.
func (e *eventAccount) capacity(f *EventFigures, k *Knowledge) Figure[int] {
	if e.record.Unlimited {
		return unknown[int](ReasonUnlimited)
	}
	if n, ok := within(e.record.Capacity); ok && n >= 0 {
		return k.ofEvent(n)
	}
	if n, ok := ofTypes(e.record.TicketTypes); ok {
		c := k.ofEvent(n).caveat()
		c.add(Estimated, ReasonTypesMayOverlap)
		return figure(n, c)
	}
	if e.planned.places > 0 {
		c := caveat{Estimated, []Reason{ReasonPlanning}}
		c.addIf(k.planningPartial, LowerBound, ReasonPlanningPartial)
		c.addIf(k.planningBehind, Estimated, ReasonBehind)
		return figure(e.planned.places, c)
	}
	if f.Available.Known() && k.tickets.read() {
		c := f.Available.caveat().and(f.Sold.caveat(), f.Reserved.caveat())
		c.addIf(!f.Blocked.Known(), Estimated, ReasonBlockedUnknown)
		return figure(max(0, f.Available.Value+f.Sold.Value+f.Reserved.Value+f.Blocked.Value), c)
	}
	if e.highest != nil {
		return Figure[int]{Value: max(0, *e.highest), Quality: LowerBound, Reasons: []Reason{ReasonHighestAvailable}}
	}
	return unknown[int](ReasonNoCapacity)
}

// ofTypes sums the capacities of the ticket types, if all of them have one.
func ofTypes(types []record.TicketType) (sum int, ok bool) {
	for _, t := range types {
		n, known := within(t.Capacity)
		if !known || n < 0 {
			return 0, false
		}
		sum += n
	}
	return sum, len(types) > 0
}

// oversold is sold − S: how many more places were sold than there are, without those that are blocked.
// Where it is not known how many are sold or blocked, the places add up to what the service says is
// left: fewer than none are left of those that can be sold. Places reserved are not sold. A capacity
// that is only a lower bound says nothing of it.
func oversold(f *EventFigures) int {
	bounded := f.Sold.Known() && f.Capacity.Known() && f.Capacity.Quality < LowerBound
	by := 0
	if bounded {
		by = f.Sold.Value - f.Capacity.Value
	}
	switch {
	case bounded && f.Blocked.Known():
		by += f.Blocked.Value
	case f.Available.Known():
		by = max(by, -f.Available.Value-f.Reserved.Value)
	}
	return max(0, by)
}

// visitors fills in the figures of admission. An event without tickets has no visitors,
// if the service reports scans at all.
func (e *eventAccount) visitors(f *EventFigures, in admission, k *Knowledge, refused refusals) {
	var c caveat
	k.tickets.missing(&c, ReasonNoTickets, ReasonTicketsIncomplete)
	c.addIf(refused.tickets > 0, LowerBound, ReasonRefused)
	c.addIf(k.scans.offered && !k.scans.complete, LowerBound, ReasonScansPartial)
	c.addIf(k.tickets.behind || k.scans.behind, LowerBound, ReasonBehind)
	c.addIf(refused.scans > 0, LowerBound, ReasonRefused)
	c.addIf(in.reported == 0 && !k.scans.read() && (e.tickets > 0 || !k.scansReported), Unknown, ReasonNoScans)
	f.Attendance = figure(in.attendance, c)
	f.Arrived = figure(in.arrived, c)
	c.addIf(in.exits == 0 && in.attendance > 0, Estimated, ReasonNoExits)
	if slices.Contains(c.reasons, ReasonBehind) { // people may have left meanwhile
		c = c.ofDifference()
	}
	f.PresentNow = figure(in.present, c)
	f.Exits = in.exits
}

// findings are what a person should look at in the event.
func (e *EventFigures) findings() []Diagnostic {
	var all []Diagnostic
	find := func(code string, text record.Message, count int) {
		all = append(all, Diagnostic{Code: code, Kind: record.KindEvent, ID: e.Event.ID, Text: text, Count: count})
	}
	if !knownStatus(e.Event.Status) {
		find(CodeUnknownStatus, theWord(string(e.Event.Status)), 1)
	}
	if absurd(e.Event.Available) || negative(e.Event.Capacity) || negative(e.Event.Blocked) {
		find(CodeAbsurd, record.Say("capacity, available or blocked out of range"), 1)
	}
	if e.Oversold > 0 && !slices.Contains(e.Sold.caveat().and(e.Capacity.caveat()).reasons, ReasonBehind) {
		find(CodeOversold, record.Say("more places sold than there are"), e.Oversold)
	}
	if off, text, _ := e.partition(); off != 0 {
		find(CodePartition, text, off)
	}
	return all
}

// partition is how many more places there are by their parts than there are in all, or fewer where
// it is known how many are blocked: 0 where they add up or are not all known exactly.
func (e *EventFigures) partition() (off int, text record.Message, known bool) {
	if e.Capacity.Quality != Exact || e.Sold.Quality != Exact || !e.Available.Known() {
		return 0, text, false
	}
	sum := e.Sold.Value + e.Reserved.Value + e.Available.Value
	sold, reserved, blocked, available := record.Number("sold", e.Sold.Value), record.Number("reserved", e.Reserved.Value), record.Number("blocked", e.Blocked.Value), record.Number("available", e.Available.Value)
	capacity := record.Number("capacity", e.Capacity.Value)
	if !e.Blocked.Known() {
		return max(0, sum-e.Capacity.Value), record.Say("sold {sold} + reserved {reserved} + available {available} = {sum}, capacity {capacity}",
			sold, reserved, available, record.Number("sum", sum), capacity), true
	}
	sum += e.Blocked.Value
	return sum - e.Capacity.Value, record.Say("sold {sold} + reserved {reserved} + blocked {blocked} + available {available} = {sum}, capacity {capacity}",
		sold, reserved, blocked, available, record.Number("sum", sum), capacity), true
}

func knownStatus(s record.EventStatus) bool {
	switch s {
	case "", record.EventDraft, record.EventOnSale, record.EventSalesClosed, record.EventSoldOut,
		record.EventCancelled, record.EventPostponed, record.EventEnded:
		return true
	}
	return false
}

// reported is a number as the service says it.
func reported(n *int, otherwise Reason, k *Knowledge) Figure[int] {
	if v, ok := within(n); ok {
		return k.ofEvent(v)
	}
	return unknown[int](otherwise)
}

// ofEvent is a number that an event's record gives.
func (k *Knowledge) ofEvent(n int) Figure[int] {
	var c caveat
	c.addIf(k.eventsBehind, Estimated, ReasonBehind)
	return figure(n, c)
}

// within reads a number of places; known is false when it was not reported, or cannot be.
func within(n *int) (places int, known bool) {
	if n == nil || absurd(n) {
		return 0, false
	}
	return *n, true
}

func absurd(n *int) bool { return n != nil && (*n < -1e9 || *n > 1e9) }

func negative(n *int) bool { return n != nil && *n < 0 || absurd(n) }
