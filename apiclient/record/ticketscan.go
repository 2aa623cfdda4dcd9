package record

import "time"

// TicketScan is one scan of a ticket, from a service whose scans are separate from tickets. It is
// counted in addition to the ticket's own scans.
//
// One without a ticket names its event and counts as one person who came in or went out.
type TicketScan struct {
	ID       string `json:"id"`
	TicketID string `json:"ticket_id"`
	EventID  string `json:"event_id,omitzero"`
	Scan
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

func (s *TicketScan) RecordKind() Kind         { return KindScan }
func (s *TicketScan) RecordID() string         { return s.ID }
func (s *TicketScan) RecordUpdated() time.Time { return s.UpdatedAt }

func (s *TicketScan) tidy(c *checker) {
	c.id("id", s.ID)
	if s.EventID == "" {
		c.id("ticket_id", s.TicketID)
	}
	c.ref("ticket_id", s.TicketID)
	c.ref("event_id", s.EventID)
	c.time("updated_at", &s.UpdatedAt)
	c.scan("at", "direction", &s.Scan)
	if s.Direction != Entry && s.Direction != Exit {
		c.fault("direction", Say("is {value}, which is neither entry nor exit", Of("value", Describe(string(s.Direction)))))
	}
}
