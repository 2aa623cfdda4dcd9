package record

// forget takes out what a record tells of a person, once it is deleted.
func (t *Ticket) forget() { t.ContactID, t.Seat = "", "" }

func (p *Payment) forget() { p.ContactID = "" }

func (c *Contact) forget() {
	*c = Contact{ID: c.ID, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Test: c.Test, Deleted: c.Deleted}
}
