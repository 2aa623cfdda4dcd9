package aggregator

import (
	"slices"
	"time"

	"housecount/apiclient"
)

// Newer says that record b replaces record a of the same kind and id: it was updated
// later, or at the same time (or at times not told) and says something else. It is the
// one rule for store and ledger. Times of update are compared to the microsecond, which
// is what databases keep; other times by the moment, whatever their zone. Records of
// different kinds never replace each other.
func Newer(a, b apiclient.Record) bool {
	if a == b {
		return false
	}
	before, after := stampOf(a.RecordUpdated()), stampOf(b.RecordUpdated())
	if before.after(after) || after.after(before) {
		return after.after(before)
	}
	switch b := b.(type) {
	case *apiclient.Event:
		a, ok := a.(*apiclient.Event)
		return ok && !sameEvent(a, b)
	case *apiclient.Ticket:
		a, ok := a.(*apiclient.Ticket)
		return ok && !sameTicket(a, b)
	case *apiclient.Payment:
		a, ok := a.(*apiclient.Payment)
		return ok && !samePayment(a, b)
	case *apiclient.Contact:
		a, ok := a.(*apiclient.Contact)
		return ok && !sameContact(a, b)
	case *apiclient.Planning:
		a, ok := a.(*apiclient.Planning)
		return ok && !samePlanning(a, b)
	case *apiclient.TicketScan:
		a, ok := a.(*apiclient.TicketScan)
		return ok && !sameTicketScan(a, b)
	}
	return false
}

// deleted says that the service, or a sweep, has taken a record away.
func deleted(r apiclient.Record) bool {
	switch r := r.(type) {
	case *apiclient.Event:
		return r.Deleted
	case *apiclient.Ticket:
		return r.Deleted
	case *apiclient.Payment:
		return r.Deleted
	case *apiclient.Contact:
		return r.Deleted
	case *apiclient.Planning:
		return r.Deleted
	case *apiclient.TicketScan:
		return r.Deleted
	}
	return false
}

// buried is a copy of a record that is deleted, and nothing else. Its time of update stays
// that of the record, so that it is Newer than the record and the record than it.
func buried(r apiclient.Record) apiclient.Record {
	switch r := r.(type) {
	case *apiclient.Event:
		b := *r
		b.Deleted = true
		return &b
	case *apiclient.Ticket:
		b := *r
		b.Deleted = true
		return &b
	case *apiclient.Payment:
		b := *r
		b.Deleted = true
		return &b
	case *apiclient.Contact:
		b := *r
		b.Deleted = true
		return &b
	case *apiclient.Planning:
		b := *r
		b.Deleted = true
		return &b
	case *apiclient.TicketScan:
		b := *r
		b.Deleted = true
		return &b
	}
	return r
}

// stamp is a moment in microseconds since 1970, UTC; 0 means "not told".
type stamp int64

func stampOf(t time.Time) stamp {
	if t.IsZero() {
		return 0
	}
	return stamp(t.UnixMicro())
}

// firstTold is the first of the times that was told, 0 when none was.
func firstTold(times ...time.Time) stamp {
	for _, t := range times {
		if s := stampOf(t); s != 0 {
			return s
		}
	}
	return 0
}

// after says that s is later than o, both told.
func (s stamp) after(o stamp) bool { return s != 0 && o != 0 && s > o }

func (s stamp) seconds() int64 { return floorDiv(int64(s), 1e6) }

func (s stamp) minute() int64 { return floorDiv(int64(s), 60e6) }

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func sameEvent(a, b *apiclient.Event) bool {
	return a.ID == b.ID && a.Title == b.Title && a.Date == b.Date && samePointee(a.Available, b.Available) &&
		a.DoorsAt.Equal(b.DoorsAt) && a.StartsAt.Equal(b.StartsAt) && a.EndsAt.Equal(b.EndsAt) &&
		a.Hall == b.Hall && a.Series == b.Series &&
		samePointee(a.Capacity, b.Capacity) && a.Unlimited == b.Unlimited && samePointee(a.Blocked, b.Blocked) &&
		slices.EqualFunc(a.TicketTypes, b.TicketTypes, sameTicketType) &&
		a.Status == b.Status && a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) &&
		a.Test == b.Test && a.Deleted == b.Deleted
}

func sameTicketType(a, b apiclient.TicketType) bool {
	return a.ID == b.ID && a.Name == b.Name && samePointee(a.Capacity, b.Capacity) && samePointee(a.Price, b.Price)
}

func sameTicket(a, b *apiclient.Ticket) bool {
	return a.ID == b.ID && a.EventID == b.EventID && a.OrderID == b.OrderID && a.ContactID == b.ContactID &&
		a.Type == b.Type && samePointee(a.Quantity, b.Quantity) &&
		samePointee(a.Price, b.Price) && samePointee(a.Fee, b.Fee) &&
		a.Complimentary == b.Complimentary && samePointee(a.Admits, b.Admits) && a.Status == b.Status &&
		(a.Scans == nil) == (b.Scans == nil) && slices.EqualFunc(a.Scans, b.Scans, sameScan) &&
		a.Seat == b.Seat && a.Channel == b.Channel && a.Referral == b.Referral && a.DiscountCode == b.DiscountCode &&
		a.CreatedAt.Equal(b.CreatedAt) && a.SoldAt.Equal(b.SoldAt) && a.CancelledAt.Equal(b.CancelledAt) &&
		a.UpdatedAt.Equal(b.UpdatedAt) && a.Test == b.Test && a.Deleted == b.Deleted
}

func sameScan(a, b apiclient.Scan) bool {
	return a.At.Equal(b.At) && a.Gate == b.Gate && a.Direction == b.Direction && a.Result == b.Result &&
		a.Undone == b.Undone
}

func samePayment(a, b *apiclient.Payment) bool {
	return a.ID == b.ID && a.OrderID == b.OrderID && a.EventID == b.EventID && a.ParentID == b.ParentID &&
		a.ContactID == b.ContactID && slices.Equal(a.TicketIDs, b.TicketIDs) &&
		a.Kind == b.Kind && a.Amount == b.Amount && a.Status == b.Status &&
		samePointee(a.AmountRefunded, b.AmountRefunded) && a.Method == b.Method &&
		a.CreatedAt.Equal(b.CreatedAt) && a.PaidAt.Equal(b.PaidAt) && a.UpdatedAt.Equal(b.UpdatedAt) &&
		a.Test == b.Test && a.Deleted == b.Deleted
}

func sameContact(a, b *apiclient.Contact) bool {
	return a.ID == b.ID && a.PostalArea == b.PostalArea && a.City == b.City && a.Country == b.Country &&
		slices.Equal(a.Types, b.Types) && samePointee(a.OptIn, b.OptIn) &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) && a.Test == b.Test && a.Deleted == b.Deleted
}

func samePlanning(a, b *apiclient.Planning) bool {
	return a.ID == b.ID && a.EventID == b.EventID && a.Kind == b.Kind && a.Title == b.Title &&
		a.StartsAt.Equal(b.StartsAt) && a.EndsAt.Equal(b.EndsAt) && a.Location == b.Location && a.Status == b.Status &&
		samePointee(a.ExpectedVisitors, b.ExpectedVisitors) && samePointee(a.Capacity, b.Capacity) &&
		samePointee(a.BudgetRevenue, b.BudgetRevenue) && samePointee(a.BudgetMarketing, b.BudgetMarketing) &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) && a.Deleted == b.Deleted
}

func sameTicketScan(a, b *apiclient.TicketScan) bool {
	return a.ID == b.ID && a.TicketID == b.TicketID && sameScan(a.Scan, b.Scan) &&
		a.UpdatedAt.Equal(b.UpdatedAt) && a.Deleted == b.Deleted
}

func samePointee[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
