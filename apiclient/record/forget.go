package record

import "time"

// forget takes out what a record tells of a person: once it is deleted, and once the person is
// forgotten.
func (t *Ticket) forget() { t.ContactID, t.Seat = "", "" }

func (p *Payment) forget() { p.ContactID = "" }

func (c *Contact) forget() {
	*c = Contact{ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Test: c.Test, Deleted: c.Deleted}
}

// NewBuyer and ReturningBuyer stand in the place of a ticket's contact that was not heard of for so
// long that it was forgotten: they say how the ticket counted.
const (
	NewBuyer       = "forgotten:new"
	ReturningBuyer = "forgotten:returning"
)

// ContactOf is the id of the contact that a record is, or that it names; empty for none.
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

// Heard is when something is heard of the contact that a record is or names: when the ticket was sold,
// the payment paid, or the contact changed; zero where the record says no time that is believed of one
// that was seen then.
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

// WithBuyer is a copy of a ticket without what it tells of its contact, with how it counted; buyer is
// NewBuyer, ReturningBuyer or empty.
func WithBuyer(t *Ticket, buyer string) *Ticket {
	b := *t
	b.forget()
	b.ContactID = buyer
	return &b
}

// WithoutContact is a copy of a record without what it tells of its contact, and nil where the
// record is the contact.
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
