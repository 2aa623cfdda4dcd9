package record

import "time"

// forget removes personal data from a record: when it is deleted, and when the person is forgotten.
func (t *Ticket) forget() { t.ContactID, t.Seat = "", "" }

func (p *Payment) forget() { p.ContactID, p.Reason = "", "" }

func (c *Contact) forget() {
	*c = Contact{ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Test: c.Test, Deleted: c.Deleted}
}

const (
	// NewBuyer and ReturningBuyer replace the contact id of a ticket whose contact was forgotten
	// after a long time without activity. They record how the ticket was counted.
	NewBuyer       = "forgotten:new"
	ReturningBuyer = "forgotten:returning"
)

// ContactOf returns the id of the contact that a record is or refers to; empty if there is none.
func ContactOf(r Record) string {
	switch r := r.(type) {
	case *Ticket:
		if r.ContactID == NewBuyer || r.ContactID == ReturningBuyer {
			return ""
		}
		return r.ContactID
	case *Payment:
		return r.ContactID
	case *Contact:
		return r.ID
	}
	return ""
}

// LastActivity returns when the contact that a record is or refers to was last active according to
// it: when the ticket was sold, the payment paid, or the contact changed. It is zero if the record
// has no plausible time. seen is when the record was read.
func LastActivity(r Record, seen time.Time) time.Time {
	var times []time.Time
	switch r := r.(type) {
	case *Ticket:
		times = []time.Time{r.SoldAt, r.CreatedAt}
	case *Payment:
		times = []time.Time{r.PaidAt, r.CreatedAt}
	case *Contact:
		times = []time.Time{r.UpdatedAt, r.CreatedAt}
	}
	for _, t := range times {
		if at := Plausible(t, seen); !at.IsZero() {
			return at
		}
	}
	return time.Time{}
}

// WithBuyer returns a copy of a ticket whose contact is replaced by buyer: NewBuyer, ReturningBuyer
// or empty.
func WithBuyer(t *Ticket, buyer string) *Ticket {
	b := *t
	b.forget()
	b.ContactID = buyer
	return &b
}

// WithoutContact returns a copy of a record without data of its contact, nil if the record is a
// contact.
func WithoutContact(r Record) Record {
	switch r := r.(type) {
	case *Ticket:
		t := *r
		t.forget()
		return &t
	case *Payment:
		p := *r
		p.forget()
		return &p
	case *Contact:
		return nil
	}
	return r
}
