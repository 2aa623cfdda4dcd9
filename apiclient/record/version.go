package record

import (
	"slices"
)

// Newer says that record b replaces record a of the same kind and id: it was updated
// later, or at the same time (or at times not told) and says something else. Only tests use
// it: it says the rule by which the store tells versions apart, which compares hashes of what
// it stores, and the store's tests see that both agree, but for times of update that are not
// believed (see MostAhead). Times of update are compared to the
// microsecond, which is what databases keep; other times by the moment, whatever their zone.
// Records of different kinds never replace each other.
func Newer(a, b Record) bool {
	if a == b {
		return false
	}
	if before, after := a.RecordUpdated(), b.RecordUpdated(); !before.IsZero() && !after.IsZero() {
		if before, after := before.UnixMicro(), after.UnixMicro(); before != after {
			return after > before
		}
	}
	switch b := b.(type) {
	case *Event:
		a, ok := a.(*Event)
		return ok && !sameEvent(a, b)
	case *Ticket:
		a, ok := a.(*Ticket)
		return ok && !sameTicket(a, b)
	case *Payment:
		a, ok := a.(*Payment)
		return ok && !samePayment(a, b)
	case *Contact:
		a, ok := a.(*Contact)
		return ok && !sameContact(a, b)
	case *Planning:
		a, ok := a.(*Planning)
		return ok && !samePlanning(a, b)
	case *TicketScan:
		a, ok := a.(*TicketScan)
		return ok && !sameTicketScan(a, b)
	case *Acknowledgement:
		a, ok := a.(*Acknowledgement)
		return ok && !sameAcknowledgement(a, b)
	case *WalkIn:
		a, ok := a.(*WalkIn)
		return ok && !sameWalkIn(a, b)
	case *ScreenMessage:
		a, ok := a.(*ScreenMessage)
		return ok && !sameScreenMessage(a, b)
	case *Admissions:
		a, ok := a.(*Admissions)
		return ok && !sameAdmissions(a, b)
	case *Setting:
		a, ok := a.(*Setting)
		return ok && !sameSetting(a, b)
	case *Reconciliation:
		a, ok := a.(*Reconciliation)
		return ok && !sameReconciliation(a, b)
	}
	return false
}

// Deleted says that the service, or a whole read, has taken a record away.
func Deleted(r Record) bool {
	switch r := r.(type) {
	case *Event:
		return r.Deleted
	case *Ticket:
		return r.Deleted
	case *Payment:
		return r.Deleted
	case *Contact:
		return r.Deleted
	case *Planning:
		return r.Deleted
	case *TicketScan:
		return r.Deleted
	}
	return false
}

// Tombstone is a copy of a record that is deleted and tells nothing of a person any more. Its
// time of update stays that of the record, so that it is Newer than the record and the record
// than it.
func Tombstone(r Record) Record {
	switch r := r.(type) {
	case *Event:
		b := *r
		b.Deleted = true
		return &b
	case *Ticket:
		b := *r
		b.Deleted = true
		b.forget()
		return &b
	case *Payment:
		b := *r
		b.Deleted = true
		b.forget()
		return &b
	case *Contact:
		b := *r
		b.Deleted = true
		b.forget()
		return &b
	case *Planning:
		b := *r
		b.Deleted = true
		return &b
	case *TicketScan:
		b := *r
		b.Deleted = true
		return &b
	}
	return r
}

func sameEvent(a, b *Event) bool {
	return a.ID == b.ID && a.Title == b.Title && a.Date == b.Date && samePointee(a.Available, b.Available) &&
		a.DoorsAt.Equal(b.DoorsAt) && a.StartsAt.Equal(b.StartsAt) && a.EndsAt.Equal(b.EndsAt) &&
		a.IntervalStartsAt.Equal(b.IntervalStartsAt) && a.IntervalEndsAt.Equal(b.IntervalEndsAt) &&
		a.Hall == b.Hall && a.Series == b.Series &&
		samePointee(a.Capacity, b.Capacity) && a.Unlimited == b.Unlimited && samePointee(a.Blocked, b.Blocked) && samePointee(a.Sold, b.Sold) &&
		slices.EqualFunc(a.TicketTypes, b.TicketTypes, sameTicketType) &&
		a.Status == b.Status && a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) &&
		a.Test == b.Test && a.Deleted == b.Deleted
}

func sameTicketType(a, b TicketType) bool {
	return a.ID == b.ID && a.Name == b.Name && samePointee(a.Capacity, b.Capacity) && samePointee(a.Price, b.Price)
}

func sameTicket(a, b *Ticket) bool {
	return a.ID == b.ID && a.EventID == b.EventID && a.OrderID == b.OrderID && a.ContactID == b.ContactID &&
		a.Type == b.Type && samePointee(a.Quantity, b.Quantity) &&
		samePointee(a.Price, b.Price) && samePointee(a.Fee, b.Fee) && samePointee(a.VAT, b.VAT) &&
		a.Complimentary == b.Complimentary && samePointee(a.Admits, b.Admits) && a.Status == b.Status &&
		(a.Scans == nil) == (b.Scans == nil) && slices.EqualFunc(a.Scans, b.Scans, sameScan) &&
		a.Seat == b.Seat && a.Channel == b.Channel && a.Referral == b.Referral && a.DiscountCode == b.DiscountCode &&
		a.CreatedAt.Equal(b.CreatedAt) && a.SoldAt.Equal(b.SoldAt) && a.CancelledAt.Equal(b.CancelledAt) &&
		a.UpdatedAt.Equal(b.UpdatedAt) && a.Test == b.Test && a.Deleted == b.Deleted
}

func sameScan(a, b Scan) bool {
	return a.At.Equal(b.At) && a.Gate == b.Gate && a.Direction == b.Direction && a.Result == b.Result &&
		a.Undone == b.Undone
}

func samePayment(a, b *Payment) bool {
	return a.ID == b.ID && a.OrderID == b.OrderID && a.EventID == b.EventID && a.ParentID == b.ParentID &&
		a.ContactID == b.ContactID && slices.Equal(a.TicketIDs, b.TicketIDs) &&
		a.Kind == b.Kind && a.Amount == b.Amount && a.Status == b.Status &&
		samePointee(a.AmountRefunded, b.AmountRefunded) && a.Method == b.Method &&
		a.CreatedAt.Equal(b.CreatedAt) && a.PaidAt.Equal(b.PaidAt) && a.UpdatedAt.Equal(b.UpdatedAt) &&
		a.Test == b.Test && a.Deleted == b.Deleted
}

func sameContact(a, b *Contact) bool {
	return a.ID == b.ID && a.PostalArea == b.PostalArea && a.City == b.City && a.Country == b.Country &&
		slices.Equal(a.Types, b.Types) && samePointee(a.OptIn, b.OptIn) &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) && a.Test == b.Test && a.Deleted == b.Deleted
}

func samePlanning(a, b *Planning) bool {
	return a.ID == b.ID && a.EventID == b.EventID && a.Kind == b.Kind && a.Title == b.Title &&
		a.StartsAt.Equal(b.StartsAt) && a.EndsAt.Equal(b.EndsAt) && a.Location == b.Location && a.Status == b.Status &&
		samePointee(a.ExpectedVisitors, b.ExpectedVisitors) && samePointee(a.Capacity, b.Capacity) &&
		samePointee(a.BudgetRevenue, b.BudgetRevenue) && samePointee(a.BudgetMarketing, b.BudgetMarketing) &&
		a.CreatedAt.Equal(b.CreatedAt) && a.UpdatedAt.Equal(b.UpdatedAt) && a.Deleted == b.Deleted
}

func sameTicketScan(a, b *TicketScan) bool {
	return a.ID == b.ID && a.TicketID == b.TicketID && sameScan(a.Scan, b.Scan) &&
		a.UpdatedAt.Equal(b.UpdatedAt) && a.Deleted == b.Deleted
}

func samePointee[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
