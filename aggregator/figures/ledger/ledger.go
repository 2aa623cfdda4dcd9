// Package ledger folds versions of records into figures.Snapshot. It defines what is sold, paid for and received, and who was
// scanned in or out. It is pure: it has no clock, no lock and no I/O. The caller passes the time, uses a
// Ledger in one goroutine, and stores what has to outlive it.
//
// Apply takes a version, and Snapshot returns the figures. They depend on the set of versions that were applied and
// on what is known of the streams (Coverage), never on the order in which the versions came or how often. A fuzzer proves
// that. It is why a leader, a follower and a restarted process show the same figures.
//
// Apply replaces what the previous version of a record contributed. A ticket is posted to the account of its event. A
// payment is posted to its group, which is the payment with its refunds and chargebacks; the postings of a group
// are made anew and split over events (payment_split.go). Accounts hold places, and money by Measure, in total and
// by day. Publishing copies what changed into EventFigures. Amounts in the ledger have no pointers, and texts that many
// records repeat are stored once (sums.Names).
//
// Each figure has one definition: places and visitors in places.go, money in revenue.go.
//
// Below the ledger are rows, which holds them by id, sums, which add and take away, areas, which divides places by what they are sold as, entered, which
// holds what people enter, and diagnoses, which collects what is odd. Above it is replay, which folds stored versions again.
//
// What the definitions leave open is decided as follows:
//
//   - Test records count nowhere, nor does anything that belongs to a test event or a test payment.
//   - A deleted ticket or payment counts nowhere, nor do refunds of a deleted payment. The money of a deleted event is
//     real: it stays in the totals, unattributed. The same holds for an event that has not arrived.
//   - A payment that has not settled (pending, failed, cancelled, expired) has no refunds, whatever the records
//     say (CodeUnsettled).
//   - A void ticket without a time of sale was never sold; a refunded one was. A sale that was
//     cancelled is added on its day of sale and subtracted on the day of its cancellation. The times are sold_at or else created_at, and
//     cancelled_at or else the time of the first version in which the ticket was void or refunded. Where the
//     service gives that version no time either, it is when we read it, if we had read the ticket before while it
//     stood. One that was void when it was first read is taken for cancelled when it was sold: all that a house
//     cancelled in years is not taken from the day on which it is first read. Both are estimated on their day.
//   - A visitor remains one when the ticket is voided afterwards, and is one whatever the ticket's status: attendance
//     counts people. Only sold tickets reduce the number still to come.
//   - A movement without any time is in the totals, which are exact, and on no day (ReasonUndated on days).
//   - A refund or chargeback that only the payment itself reports is on the day of the first version that
//     reported it. If later versions report more, each part is on its own day. Refund records stand for the parts
//     that were reported first. A refund record without a time is on the day of the first version in which it had
//     settled. Such amounts are estimated on their day (ReasonUndated).
//   - The money of an order of which no ticket is left that names an event belongs to those of its deleted tickets.
//   - A cancellation or refund without a time is on a guessed day: that day's movements, and sales in a
//     window that includes it, are estimated (Flow.Lacks).
//   - A ticket's scans are its own and those from the list of scans. Two scans with the same time, gate and direction are
//     one. Where all scans were read from their own list, a ticket without scans was not scanned.
//   - A ticket of an event that no list gave counts in the totals and under no event (Snapshot.Strays). The figures of an
//     event with refused records are lower bounds.
//   - Planned places count for their event unless they are an option, cancelled or deleted. Contacts make no figure.
//   - VAT is as the ticket reports it, or else computed for each place, half a unit rounded up, at the rate that the
//     venue has set for the ticket's type on the day of the performance. No rate is built in.
//   - A refund record is split as its payment was, so that a payment that is refunded in parts leaves no
//     remainder.
package ledger

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger/diagnoses"
	"housecount/aggregator/figures/ledger/entered"
	"housecount/aggregator/figures/ledger/exchanges"
	"housecount/aggregator/figures/ledger/rows"
	"housecount/aggregator/figures/ledger/sums"
	"housecount/apiclient/record"
)

// Ledger folds versions of records into figures. It holds what the figures need of every record, and the sums of
// every event, order and payment. Applying a changed record takes the same time however many records there are. A
// Ledger belongs to one goroutine.
//
// The figures depend only on the set of applied versions: any order, with any repeats, leads to the same figures.
// Of a record's versions the newest counts: the Head with the highest revision. What is needed of earlier versions
// is in record.Memory: the highest number of available places, when an event was first over or cancelled, when a
// payment first reported a refund or chargeback, and when a ticket was first void.
type Ledger struct {
	days      sums.DayCache
	names     sums.Names
	accounts  map[string]*eventAccount // by event id
	numbered  []*eventAccount          // by their numbers
	noEvent   *eventAccount            // for records that name no event
	orders    rows.Table[order]
	orderRows rows.Lists[orderRow] // of orders
	// paymentLists are lists of numbers of payments.
	paymentLists rows.Lists[int32]
	gone         map[*order][]orderRow // the deleted tickets that name an event, of orders that have any
	terms        map[terms]*terms
	// sharedTerms are the terms by their numbers.
	sharedTerms []*terms
	scanLists   rows.Lists[scan] // of tickets
	tickets     rows.Table[ticketRow]
	payments    rows.Table[payment]
	rarities    map[int32]*rarities // of payments, by their numbers
	groups      rows.Rows[paymentGroup]
	// spareGroups are groups that no payment belongs to any more.
	spareGroups []*paymentGroup
	groupIDs    map[int32]string                     // ids of groups, by their numbers, whose payments had not arrived when they were made
	postings    rows.Lists[posting]                  // of groups
	apart       map[string]*paymentGroup             // groups without their payment, by its id
	odd         map[*paymentGroup][]diagnoses.Oddity // members that do not fit together
	naming      map[string][]*payment                // by id of a ticket that the payments name
	children    map[string][]*payment                // by id of the parent
	scans       map[string]*listedScan
	byTicket    map[string][]*listedScan // scans that count, by ticket id
	plans       map[string]plan
	voids       map[string]voidTimes     // when a ticket was first void or refunded, by id
	stood       map[string]figures.Stamp // ticket.stood of tickets that are not held yet
	returns     map[string]record.Memory // what versions of a payment reported as refunded or charged back, by id
	missing     missing
	walkIns     map[string]walkIn
	exchanges   exchanging
	contacts
	entered  entered.Entries
	Settings *figures.Settings // the values in force
	rerating
	diagnoses diagnoses.Diagnoses // what is odd about records
	unmatched unmatched

	total         accountByDay
	unattributed  accountByDay // sum of the accounts that are unattributed
	scansReported int          // tickets whose scans were reported
	ordered       int          // tickets that name an order
	closed        int          // events whose scans are totalled
	eventsRead    int          // records of events

	reached []*eventAccount // result of reachedBy, reused
	scanned []scan          // scans of one ticket, reused

	moved movements // since Changes was last called
	changing
	changed []*eventAccount // since the last Snapshot
	turned  []*eventAccount // events that became a test since, or stopped being one, and those that came while loading
	// loading is true until the first Snapshot of a ledger for which room was made. Until then nothing is added to the total:
	// it is made at once of the sums of the events, which are fewer than what they are the sums of.
	loading bool
	publication
}

// publication is what the ledger remembers of its last Snapshot.
type publication struct {
	known    Knowledge
	refused  Coverage // only the refusals of it
	made     bool
	unsorted bool // listed has to be sorted again
	listed   []*eventAccount
	// positions has where accounts stand in listed, by their ids. Snapshots share it, so it is replaced, not changed.
	positions map[string]int
	events    []*figures.EventFigures

	unmatched []figures.UnmatchedPayments
}

// New returns an empty ledger whose days are those of c.
func New(c figures.Calendar) *Ledger {
	l := &Ledger{
		days:     sums.NewDayCache(c),
		names:    sums.NewNames(string(record.KindOfPayment), string(record.KindOfRefund), string(record.KindOfChargeback), string(record.KindOfReversal)),
		accounts: map[string]*eventAccount{},
		gone:     map[*order][]orderRow{},
		terms:    map[terms]*terms{},
		rarities: map[int32]*rarities{},
		groupIDs: map[int32]string{},
		apart:    map[string]*paymentGroup{},
		odd:      map[*paymentGroup][]diagnoses.Oddity{},
		naming:   map[string][]*payment{},
		children: map[string][]*payment{},
		scans:    map[string]*listedScan{},
		byTicket: map[string][]*listedScan{},
		plans:    map[string]plan{},
		voids:    map[string]voidTimes{},
		stood:    map[string]figures.Stamp{},
		returns:  map[string]record.Memory{},

		walkIns:   map[string]walkIn{},
		exchanges: exchanging{exchanges.New(), map[*order]*linked{}, 0},
		contacts:  newContacts(),
		entered:   entered.New(),
		Settings:  new(figures.Settings),
		unmatched: unmatched{ids: map[string]bool{}},
	}
	l.noEvent = l.account("")
	return l
}

// Preallocate makes room in an empty ledger for this many records of each kind. Without it, folding a large log
// slows down as the maps grow, and as each record is added to the total too.
func (l *Ledger) Preallocate(records map[record.Kind]int) {
	l.loading = true
	l.tickets.Reserve(records[record.KindTicket])
	payments := records[record.KindPayment]
	l.payments.Reserve(payments)
	l.orders.Reserve(payments) // most orders have one payment
	l.scans = make(map[string]*listedScan, records[record.KindScan])
}

// newest reports whether v replaces what the ledger holds of its record. held is the revision of the held version,
// 0 for none.
func newest(v *record.Version, held int64) bool { return v.Head && v.Revision > held }

// account returns the account of an event, an empty one where there was none.
func (l *Ledger) account(id string) *eventAccount {
	e := l.accounts[id]
	if e == nil {
		e = newEventAccount(id, int32(len(l.numbered)))
		l.accounts[id], l.numbered = e, append(l.numbered, e)
		if l.loading {
			e.inTotal, l.turned = false, append(l.turned, e)
		}
	}
	return e
}

// order returns the order with an id, and creates it if there is none; nil for an empty id.
func (l *Ledger) order(id string) *order {
	if id == "" {
		return nil
	}
	o := l.orders.Entry(id)
	if o.number == 0 { // it is new, and so the last
		o.number = int32(l.orders.Len())
	}
	return o
}

// orderAt returns the order with a number; nil for 0.
func (l *Ledger) orderAt(number int32) *order {
	if number == 0 {
		return nil
	}
	return l.orders.At(int(number) - 1)
}

// numberOf returns the number of an order; 0 for none.
func (o *order) numberOf() int32 {
	if o == nil {
		return 0
	}
	return o.number
}

// touch marks an account to which something is added, or from which something is removed.
func (l *Ledger) touch(e *eventAccount) { l.moving(e).posted = true }

// show marks an account whose event record changes and is published, or was.
func (l *Ledger) show(e *eventAccount) { l.moving(e).shown = true }

func (l *Ledger) moving(e *eventAccount) *moved {
	if e.moved == (moved{}) {
		l.moved.events = append(l.moved.events, e)
	}
	l.republish(e)
	return &e.moved
}

// republish marks an account whose figures have to be published again.
func (l *Ledger) republish(e *eventAccount) {
	if !e.changed {
		e.changed = true
		l.changed = append(l.changed, e)
	}
}

// postTicket adds a ticket's money and days to its event's account and the totals (n = 1), or removes them (n =
// −1).
func (l *Ledger) postTicket(t *ticket, n int) {
	e := t.event
	l.touch(e)
	e.used = true
	e.postTicket(l.days, &l.names, t, n)
	if e.unattributed() {
		l.unattributed.postTicket(l.days, &l.names, t, n)
	}
	if e.inTotal {
		l.total.postTicket(l.days, &l.names, t, n)
	}
}

// postMoney adds a posting to its event's account and the totals (n = 1), or removes it (n = −1).
func (l *Ledger) postMoney(p posting, n int) {
	e := l.numbered[p.event]
	l.touch(e)
	e.used = true
	e.postMoney(l.days, &l.names, p, n)
	e.postMethod(p, n)
	if e.unattributed() {
		l.unmatched.changed = true
		l.unattributed.postMoney(l.days, &l.names, p, n)
	}
	if e.inTotal {
		l.total.postMoney(l.days, &l.names, p, n)
	}
}

// turn adds to the total what belongs to events that stopped being a test or came while loading, and removes from it what
// belongs to events that became one.
func (l *Ledger) turn() {
	for _, e := range l.turned {
		switch {
		case e.inTotal == !e.test():
		case e.inTotal:
			l.total.addAll(&e.accountByDay, -1)
		default:
			l.total.addAll(&e.accountByDay, 1)
		}
		e.inTotal = !e.test()
	}
	l.turned, l.loading = emptied(l.turned), false
}
