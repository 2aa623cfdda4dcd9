package ledger_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// knows returns which figures of an event are known of those that need something that some services
// never give.
func knows(e *figures.EventFigures) [4]bool {
	money := knowsMoney(&e.Revenue)
	return [4]bool{e.Attendance.Known(), money[0], money[1], money[2]}
}

func knowsMoney(r *figures.Revenue) [3]bool {
	return [3]bool{r.Of(figures.Fees).Known(), r.Of(figures.VAT).Known(), r.Of(figures.ToBePaid).Known()}
}

// checkMoney counts received and refunded money anew, without events.
func checkMoney(t *testing.T, log *foldtest.Log, s *figures.Snapshot) {
	t.Helper()
	payments := map[string]*record.Payment{}
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.Event:
			if r.Test {
				return // a test event takes its share of a payment out of the totals
			}
		case *record.Payment:
			payments[r.ID] = r
		}
	}
	isPayment := func(p *record.Payment) bool { return p.Kind == "" || p.Kind == record.KindOfPayment }
	counts := func(p *record.Payment) bool {
		return !p.Test && !p.Deleted && p.Amount.Amount >= 0 && p.Amount.Amount < 1e15 &&
			(p.Amount.Currency != "" || p.Amount.Amount == 0)
	}
	settled := func(p *record.Payment) bool {
		return p.Status == record.PaymentPaid || p.Status == record.PaymentRefunded || p.Status == record.PaymentChargedBack
	}
	unsettled := map[record.PaymentStatus]bool{
		record.PaymentOpen: true, record.PaymentPending: true, record.PaymentAuthorized: true,
		record.PaymentFailed: true, record.PaymentCanceled: true, record.PaymentExpired: true,
	}
	// only returns the payment to which what went back belongs that names an order alone: the order's only one in its currency.
	only := func(p *record.Payment) (of *record.Payment) {
		if p == nil || isPayment(p) || p.ParentID != "" || p.OrderID == "" || !counts(p) {
			return nil
		}
		for _, o := range payments {
			if isPayment(o) && o.OrderID == p.OrderID && counts(o) && settled(o) && o.Amount.Currency == p.Amount.Currency {
				if of != nil {
					return nil
				}
				of = o
			}
		}
		return of
	}
	var received, refunded figures.Sums
	byRecord := map[*record.Payment]int64{}
	var above figures.Sums
	for _, p := range payments {
		if isPayment(p) && counts(p) && settled(p) {
			received = received.Plus(p.Amount, 1)
		}
		if p.Kind != record.KindOfRefund || !counts(p) || !settled(p) {
			continue
		}
		parent := payments[p.ParentID]
		for _, loose := range []*record.Payment{p, parent} {
			if of := only(loose); of != nil {
				parent = of
			}
		}
		if parent != nil && !isPayment(parent) && parent.ParentID != "" {
			parent = payments[parent.ParentID]
		}
		switch {
		case parent != nil && (parent.Test || parent.Deleted) && (isPayment(parent) || parent.ParentID == ""):
		case parent != nil && isPayment(parent) && counts(parent) && unsettled[parent.Status]:
		case parent != nil && isPayment(parent) && counts(parent) && parent.Amount.Currency == p.Amount.Currency:
			byRecord[parent] += p.Amount.Amount
		default:
			refunded = refunded.Plus(p.Amount, 1)
		}
	}
	for _, p := range payments {
		if !isPayment(p) || !counts(p) {
			continue
		}
		most := byRecord[p]
		if m := p.AmountRefunded; m != nil && settled(p) && m.Currency == p.Amount.Currency {
			most = max(most, m.Amount)
		}
		if most > p.Amount.Amount && !unsettled[p.Status] {
			above = above.Plus(record.Money{Amount: most - p.Amount.Amount, Currency: p.Amount.Currency}, 1)
		}
		if p.Status == record.PaymentRefunded {
			most = max(most, p.Amount.Amount)
		}
		refunded = refunded.Plus(record.Money{Amount: min(most, p.Amount.Amount), Currency: p.Amount.Currency}, 1)
	}
	foldtest.EqualSums(t, "received by payment", received, s.Total.Of(figures.Received).Value)
	foldtest.EqualSums(t, "refunded by payment", refunded, s.Total.Of(figures.Refunded).Value)
	var found figures.Sums
	for _, d := range s.Diagnostics {
		if d.Code == figures.CodeOverRefunded {
			found = found.Plus(d.Amount, 1)
		}
	}
	foldtest.EqualSums(t, "refunded above payments", above, found)
}

// checkPaid splits the places that are sold anew: by what they cost, and by whether any
// payment of their order has settled.
func checkPaid(t *testing.T, log *foldtest.Log, s *figures.Snapshot) {
	t.Helper()
	tickets := map[string]*record.Ticket{}
	for _, r := range log.Heads {
		if k, ok := r.(*record.Ticket); ok && foldtest.CountsTicket(k) {
			tickets[k.ID] = k
		}
	}
	whole, exchanged := wholeOrders(tickets)
	type of struct{ order, event string }
	held := map[of]bool{}
	for _, k := range tickets {
		held[of{k.OrderID, k.EventID}] = true
	}
	came := map[of]bool{} // an event is empty if the payment names none, or one of which the order has no ticket
	for _, r := range log.Heads {
		p, ok := r.(*record.Payment)
		if !ok || p.Kind != "" && p.Kind != record.KindOfPayment || p.Test || p.Deleted || p.Amount.Amount < 0 || p.Amount.Amount > 1e15 ||
			p.Amount.Currency == "" && p.Amount.Amount != 0 ||
			p.Status != record.PaymentPaid && p.Status != record.PaymentRefunded && p.Status != record.PaymentChargedBack {
			continue
		}
		order := p.OrderID
		if order == "" {
			orders := map[string]bool{}
			for _, id := range p.TicketIDs {
				if k := tickets[id]; k != nil {
					orders[k.OrderID] = true
				}
			}
			if len(orders) == 1 {
				order = slices.Collect(maps.Keys(orders))[0]
			}
		}
		event := p.EventID
		if !held[of{order, event}] { // its tickets moved to another
			event = ""
		}
		if came[of{order, event}] = true; exchanged[order] {
			came[of{whole(order), "any"}] = true
		}
	}
	want := map[string][4]int{} // paid, unpaid, complimentary, free
	for _, k := range tickets {
		if k.Status != record.TicketValid || !k.IsPlace() {
			continue
		}
		split, line := want[k.EventID], 0
		switch {
		case k.Complimentary:
			line = 2
		case k.Price != nil && k.Price.Amount == 0:
			line = 3
		case k.OrderID != "" && !came[of{k.OrderID, ""}] && !came[of{k.OrderID, k.EventID}] && !(exchanged[k.OrderID] && came[of{whole(k.OrderID), "any"}]):
			line = 1
		}
		split[line] += k.Places()
		want[k.EventID] = split
	}
	for _, e := range s.Events {
		got := [4]int{e.Paid.Value, e.Unpaid.Value, e.Complimentary.Value, e.FreeTickets.Value}
		if got != want[e.Event.ID] {
			t.Fatalf("%s: %v are paid, unpaid, complimentary and free, want %v", e.Event.ID, got, want[e.Event.ID])
		}
	}
}

// checkGuesses counts the tickets voided, and the refunds, chargebacks and reversals of an event
// that name no payment, that give no time.
func checkGuesses(t *testing.T, log *foldtest.Log, s *figures.Snapshot) {
	t.Helper()
	voids, returns := 0, 0
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.Event:
			if r.Test {
				return
			}
		case *record.Ticket:
			sold := knownKind(r) && (r.Status == record.TicketRefunded || r.Status == record.TicketVoid && !r.SoldAt.IsZero())
			if sold && foldtest.CountsTicket(r) && r.CancelledAt.IsZero() {
				voids++
			}
		}
	}
	for _, r := range log.Heads {
		p, ok := r.(*record.Payment)
		if !ok || p.ParentID != "" || p.Test || p.Deleted || p.Amount.Amount <= 0 || p.Amount.Amount > 1e15 || p.Amount.Currency == "" ||
			!p.PaidAt.IsZero() || !p.CreatedAt.IsZero() || p.EventID == "" {
			continue
		}
		settled := p.Status == record.PaymentPaid || p.Status == record.PaymentRefunded || p.Status == record.PaymentChargedBack
		if settled && (p.Kind == record.KindOfRefund || p.Kind == record.KindOfReversal || p.Kind == record.KindOfChargeback) {
			returns++
		}
	}
	var got figures.Lacks
	for _, d := range s.Days {
		got.Voids += d.Voids
		got.Returns += d.Returns
	}
	if got.Voids != voids || got.Returns < returns {
		t.Fatalf("%+v by a guess, want %d voids and %d returns or more", got, voids, returns)
	}
}

// checkVisitors counts visitors, entries and planned places anew.
func checkVisitors(t *testing.T, log *foldtest.Log, s *figures.Snapshot) {
	t.Helper()
	through := func(s record.Scan) bool {
		return (s.Result == "" || s.Result == "ok") && !s.Undone && (s.Direction == record.Entry || s.Direction == record.Exit)
	}
	type passage struct {
		at        int64
		gate      string
		direction record.Direction
	}
	of := func(s record.Scan) passage { return passage{s.At.Unix(), s.Gate, s.Direction} }
	apart := map[string]map[passage]bool{}
	planned, alone := map[string]int{}, map[string]int{}
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.TicketScan:
			if r.TicketID == "" {
				if !r.Deleted && through(r.Scan) && r.Direction == record.Entry {
					alone[r.EventID]++
				}
				continue
			}
			if apart[r.TicketID] == nil {
				apart[r.TicketID] = map[passage]bool{}
			}
			if !r.Deleted && through(r.Scan) {
				apart[r.TicketID][of(r.Scan)] = true
			}
		case *record.Planning:
			if c := r.Capacity; r.Kind != record.PlanningLimit && c != nil && *c > 0 && *c <= 1e9 && !r.Deleted && r.Status != "option" && r.Status != "cancelled" {
				planned[r.EventID] += *c
			}
		}
	}
	attendance, entries := map[string]int{}, map[string]int{}
	for _, r := range log.Heads {
		ticket, ok := r.(*record.Ticket)
		places := 0
		if ok {
			places = ticket.Places()
		}
		switch {
		case !ok, !foldtest.CountsTicket(ticket), !ticket.IsPlace(), places < 0:
			continue
		}
		passages := map[passage]int{}
		for _, s := range ticket.Scans {
			if through(s) {
				passages[of(s)]++
			}
		}
		for p := range apart[ticket.ID] {
			passages[p] = max(passages[p], 1)
		}
		entered := 0
		for p, n := range passages {
			if p.direction == record.Entry {
				entered += n
			}
		}
		entries[ticket.EventID] += entered * places
		attendance[ticket.EventID] += min(entered, 1) * places
	}
	for id, n := range alone {
		attendance[id] += n
		entries[id] += n
	}
	for _, e := range s.Events {
		id, passed := e.Event.ID, 0
		for _, g := range e.Gates {
			passed += g.Entries
		}
		if e.Attendance.Value != attendance[id] || passed != entries[id] {
			t.Fatalf("%s: %d visitors and %d entries, want %d and %d", id, e.Attendance.Value, passed, attendance[id], entries[id])
		}
		if byPlanning := slices.Contains(e.Capacity.Reasons, figures.ReasonPlanning); byPlanning && e.Capacity.Value != planned[id] {
			t.Fatalf("%s: a capacity of %d, planned are %d", id, e.Capacity.Value, planned[id])
		}
	}
}

// checkMissing counts the records that name what no list gave.
func checkMissing(t *testing.T, log *foldtest.Log, s *figures.Snapshot) {
	t.Helper()
	events, tickets, orders := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.Event:
			events[r.ID] = true
		case *record.Ticket:
			tickets[r.ID] = true
			was := *r
			was.Deleted = false
			orders[r.OrderID] = orders[r.OrderID] || foldtest.CountsTicket(r) || r.Deleted && r.EventID != "" && foldtest.CountsTicket(&was)
		}
	}
	want, strays := map[string]int{}, figures.Strays{}
	find := func(found bool, kind record.Kind, what string) {
		if found {
			want[string(kind)+" names "+what]++
		}
	}
	for _, r := range log.Heads {
		switch r := r.(type) {
		case *record.Ticket:
			stray := foldtest.CountsTicket(r) && !events[r.EventID] && (r.Kind == "" || r.EventID != "")
			find(stray, record.KindTicket, "an event that no list gave")
			if stray {
				strays.Tickets++
			}
			if stray && r.Status == record.TicketValid && r.IsPlace() {
				strays.Places += r.Places()
			}
		case *record.Payment:
			settled := r.Status == record.PaymentPaid || r.Status == record.PaymentRefunded || r.Status == record.PaymentChargedBack
			if !settled || r.Kind == "odd" || r.Test || r.Deleted || r.Amount.Amount < 0 || r.Amount.Amount > 1e15 ||
				r.Amount.Currency == "" && r.Amount.Amount != 0 {
				continue
			}
			find(r.EventID != "" && !events[r.EventID], record.KindPayment, "an event that no list gave")
			find(r.OrderID != "" && !orders[r.OrderID], record.KindPayment, "an order of which there is no ticket")
			find((r.EventID == "" || r.OrderID == "") && slices.ContainsFunc(r.TicketIDs, func(id string) bool { return !tickets[id] }), record.KindPayment, "a ticket that no list gave")
		case *record.TicketScan:
			find(!r.Deleted && r.TicketID != "" && !tickets[r.TicketID], record.KindScan, "a ticket that no list gave")
		case *record.Planning:
			amount := func(m *record.Money) bool { return m != nil && m.Currency != "" && m.Amount >= 0 && m.Amount <= 1e15 }
			limits := r.Kind == record.PlanningLimit
			gives := limits && len(r.TicketTypes) > 0 || !limits && r.Capacity != nil && *r.Capacity > 0 && *r.Capacity <= 1e9 || r.ExpectedVisitors != nil && *r.ExpectedVisitors > 0 && *r.ExpectedVisitors <= 1e9 ||
				amount(r.BudgetRevenue) || amount(r.BudgetMarketing)
			goesOn := r.EventID != "" && !r.Deleted && r.Status != "option" && r.Status != "cancelled"
			find(gives && goesOn && !events[r.EventID], record.KindPlanning, "an event that no list gave")
		}
	}
	got := map[string]int{}
	for _, d := range s.Diagnostics {
		if d.Code == figures.CodeUnknownReference {
			got[string(d.Kind)+" "+d.Text.String()] = d.Count
		}
	}
	if !maps.Equal(got, want) || s.Strays != strays {
		t.Fatalf("missing %v and strays %v, want %v and %v", got, s.Strays, want, strays)
	}
}

// checkChanges checks that Apply names every event that it changed.
func checkChanges(t *testing.T, before, after *figures.Snapshot, c figures.Changes) {
	t.Helper()
	named := map[string]bool{}
	for _, id := range c.Events {
		named[id] = true
	}
	figures := map[string]*figures.EventFigures{}
	for _, e := range before.Events {
		figures[e.Event.ID] = e
	}
	for _, e := range after.Events {
		old := figures[e.Event.ID]
		delete(figures, e.Event.ID)
		if named[e.Event.ID] || old == nil || reflect.DeepEqual(e, old) {
			if old == nil && !named[e.Event.ID] {
				t.Fatalf("%s came and is not among %v", e.Event.ID, c.Events)
			}
			continue
		}
		// Whether the service tells about scans, fees, VAT or orders at all is learnt from any event.
		if knows(e) == knows(old) {
			t.Fatalf("%s changed and is not among %v:\n%s\n%s", e.Event.ID, c.Events, foldtest.Text(t, old), foldtest.Text(t, e))
		}
	}
	for id := range figures {
		if !named[id] {
			t.Fatalf("%s went and is not among %v", id, c.Events)
		}
	}
	if !reflect.DeepEqual(before.Unattributed, after.Unattributed) && !c.Unattributed &&
		knowsMoney(&before.Unattributed) == knowsMoney(&after.Unattributed) {
		t.Fatalf("unattributed money changed and nobody said so")
	}
}
