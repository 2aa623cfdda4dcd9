package sandbox

import (
	"time"

	"housecount/apiclient/record"
)

// row is a record in its stream.
type row struct {
	record           record.Record
	created, updated milli
	older, newer     *row
}

// version is a record as it was from the given change.
type version struct {
	record  record.Record
	updated milli
	// old marks a version from before versions were stored. It is never delayed.
	old bool
}

// milli is a Unix time in milliseconds, the resolution of the sandbox's clock. It saves memory in large houses.
type milli int64

func milliOf(t time.Time) milli { return milli(t.UnixMilli()) }

func (m milli) time() time.Time { return time.UnixMilli(int64(m)).UTC() }

func (m milli) before(t time.Time) bool { return m.time().Before(t) }

// contact is a buyer as the service reports them. All are fictitious.
type contact struct {
	ID         string   `json:"id"`
	Name       string   `json:"name,omitzero"`
	Email      string   `json:"email,omitzero"`
	Phone      string   `json:"phone,omitzero"`
	PostalCode string   `json:"postal_code,omitzero"`
	City       string   `json:"city,omitzero"`
	Country    string   `json:"country,omitzero"`
	Types      []string `json:"types,omitzero"`
	OptIn      *bool    `json:"opt_in,omitzero"`

	CreatedAt time.Time `json:"created_at,omitzero"`
	UpdatedAt time.Time `json:"updated_at,omitzero"`
	Test      bool      `json:"test,omitzero"`
	Deleted   bool      `json:"deleted,omitzero"`
}

func (c *contact) RecordKind() record.Kind { return record.KindContact }

func (c *contact) RecordID() string { return c.ID }

func (c *contact) RecordUpdated() time.Time { return c.UpdatedAt }

// contactTypes are the types of contact. Whoever buys again is returning.
var contactTypes = []string{"visitor", "returning", "subscriber", "friend", "school", "press"}

// eventAndOrder returns the ids of a record's event and order, empty if it has none.
func eventAndOrder(rec record.Record) (event, order string) {
	switch rec := rec.(type) {
	case *record.Ticket:
		return rec.EventID, rec.OrderID
	case *record.Payment:
		return rec.EventID, rec.OrderID
	case *record.Planning:
		return rec.EventID, ""
	case *ticketOrder:
		return rec.EventID, ""
	}
	return "", ""
}

func statusOf(rec record.Record) string {
	switch rec := rec.(type) {
	case *record.Event:
		return string(rec.Status)
	case *record.Ticket:
		return string(rec.Status)
	case *record.Payment:
		return string(rec.Status)
	case *record.Planning:
		return rec.Status
	}
	return ""
}

// copyOf returns a shallow copy that can be encoded while the original changes. Changes must replace values behind
// pointers and slices, never modify them.
func copyOf(rec record.Record) record.Record {
	switch rec := rec.(type) {
	case *record.Event:
		return new(*rec)
	case *record.Ticket:
		return new(*rec)
	case *record.Payment:
		return new(*rec)
	case *contact:
		return new(*rec)
	case *ticketOrder:
		return rec.copy()
	case *record.Planning:
		return new(*rec)
	}
	return rec
}

func stampCreated(rec record.Record, now time.Time) {
	switch rec := rec.(type) {
	case *record.Event:
		rec.CreatedAt = now
	case *record.Ticket:
		rec.CreatedAt = now
	case *record.Payment:
		rec.CreatedAt = now
	case *contact:
		rec.CreatedAt = now
	case *ticketOrder:
		rec.CreatedAt = now
	case *record.Planning:
		rec.CreatedAt = now
	}
}

func stampUpdated(rec record.Record, now time.Time) {
	switch rec := rec.(type) {
	case *record.Event:
		rec.UpdatedAt = now
	case *record.Ticket:
		rec.UpdatedAt = now
	case *record.Payment:
		rec.UpdatedAt = now
	case *contact:
		rec.UpdatedAt = now
	case *ticketOrder:
		rec.UpdatedAt = now
	case *record.Planning:
		rec.UpdatedAt = now
	}
}
