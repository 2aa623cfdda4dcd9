package record

// forget takes out what a record tells of a person: once it is deleted, and once the person is
// forgotten.
func (t *Ticket) forget() { t.ContactID, t.Seat = "", "" }

func (p *Payment) forget() { p.ContactID = "" }

func (c *Contact) forget() {
	*c = Contact{ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Test: c.Test, Deleted: c.Deleted}
}

// ContactOf is the id of the contact that a record is, or that it names; empty for none.
func ContactOf(r Record) string {
	switch r := r.(type) {
	case *Ticket:
		return r.ContactID
	case *Payment:
		return r.ContactID
	case *Contact:
		return r.ID
	}
	return ""
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
