package record_test

import (
	"testing"
	"time"

	"housecount/apiclient/record"
)

// What happened to a record is dated by the service. Our own clock counts if that time is missing
// or implausible, and an earlier one does not put it before the sale.
func TestMemoryDates(t *testing.T) {
	sold, updated := clock("10:00"), clock("12:00")
	for name, c := range map[string]struct{ updated, seen, want time.Time }{
		"the service's":                  {updated, clock("12:01"), updated},
		"our clock is a little behind":   {updated, clock("11:00"), updated},
		"our clock is years behind":      {updated, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC), sold},
		"the service's is years ahead":   {updated.AddDate(50, 0, 0), clock("12:01"), clock("12:01")},
		"no time":                        {time.Time{}, clock("12:01"), clock("12:01")},
		"no time, our clock is behind":   {time.Time{}, clock("09:00"), sold},
		"nobody knows when it was seen":  {updated, time.Time{}, updated},
		"updated before it was sold":     {clock("09:00"), clock("12:01"), sold},
		"neither told nor known to seen": {time.Time{}, time.Time{}, sold},
	} {
		money := record.Money{Amount: 100, Currency: "EUR"}
		remember := func(r record.Record) record.Memory {
			return record.Memory{}.With(&record.Version{SeenAt: c.seen, Record: r})
		}
		voided := remember(&record.Ticket{ID: "t", Status: record.TicketVoid, CreatedAt: clock("08:00"), SoldAt: sold, UpdatedAt: c.updated})
		void := voided.Void
		if !voided.VoidRead.IsZero() { // the service gives no time
			void = voided.VoidRead
		}
		refunded := refundedAt(remember(&record.Payment{ID: "p", Amount: money, Status: record.PaymentRefunded, PaidAt: sold, UpdatedAt: c.updated}), 100)
		chargedBack := remember(&record.Payment{ID: "p", Amount: money, Status: record.PaymentChargedBack, CreatedAt: sold, UpdatedAt: c.updated}).ChargedBack
		if !void.Equal(c.want) || !refunded.Equal(c.want) || !chargedBack.Equal(c.want) {
			t.Errorf("%s: void at %v, refunded at %v, charged back at %v; want %v", name, void, refunded, chargedBack, c.want)
		}
	}
}

// refundedAt returns when at least an amount was first reported as refunded; zero if it never was.
func refundedAt(m record.Memory, amount int64) time.Time {
	for _, s := range m.Refunded {
		if s.Amount >= amount {
			return s.At
		}
	}
	return time.Time{}
}
