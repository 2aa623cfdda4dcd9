package record

import "time"

// Contact is a customer. Personal data (name, e-mail, phone, the full postal code) is dropped when
// it is read.
type Contact struct {
	ID string `json:"id"`
	// PostalArea is the first four characters of the postal code.
	PostalArea string   `json:"postal_area,omitzero"`
	City       string   `json:"city,omitzero"`
	Country    string   `json:"country,omitzero"`
	Types      []string `json:"types,omitzero"`
	OptIn      *bool    `json:"opt_in,omitzero"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Test      bool      `json:"test,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

// PlanningLimit is the kind of a limit of what can be sold.
const PlanningLimit = "limit"

// Planning is an entry of a schedule: a show, a rehearsal, a hall, a shift.
type Planning struct {
	ID      string `json:"id"`
	EventID string `json:"event_id,omitzero"`
	// Kind is show, rehearsal, build_up, hall, resource, shift, limit or other; any other word is stored
	// unchanged. A limit is how many places of its TicketTypes can be sold together: Capacity in all, nil
	// for any number, of which Available are left. Limits of an event may overlap.
	Kind     string    `json:"kind,omitzero"`
	Title    string    `json:"title,omitzero"`
	StartsAt time.Time `json:"starts_at,omitzero"`
	EndsAt   time.Time `json:"ends_at,omitzero"`
	Location string    `json:"location,omitzero"`
	// Status is option, confirmed, completed or cancelled; any other word is stored unchanged.
	Status string `json:"status,omitzero"`

	ExpectedVisitors *int `json:"expected_visitors,omitzero"`
	Capacity         *int `json:"capacity,omitzero"`
	Available        *int `json:"available,omitzero"`
	// TicketTypes are the ids of the types of tickets that admit and that a limit covers.
	TicketTypes     []string `json:"ticket_types,omitzero"`
	BudgetRevenue   *Money   `json:"budget_revenue,omitzero"`
	BudgetMarketing *Money   `json:"budget_marketing,omitzero"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

func (c *Contact) RecordKind() Kind         { return KindContact }
func (c *Contact) RecordID() string         { return c.ID }
func (c *Contact) RecordUpdated() time.Time { return c.UpdatedAt }

func (p *Planning) RecordKind() Kind         { return KindPlanning }
func (p *Planning) RecordID() string         { return p.ID }
func (p *Planning) RecordUpdated() time.Time { return p.UpdatedAt }
