package ledger_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// The texts of rows that were read together are parts of one text. An id that the ledger remembers of few records is held alone,
// not with the rows around it.
func TestIdsAreHeldAlone(t *testing.T) {
	const rows, around = 16, 1 << 20 // bytes of the rows around an id
	at := foldtest.Clock
	for name, of := range map[string]func(id func() string) record.Record{
		"a void ticket": func(id func() string) record.Record {
			return &record.Ticket{ID: id(), OrderID: id(), ContactID: id(), EventID: "e", Status: record.TicketVoid, SoldAt: at("18:00")}
		},
		"a ticket for another": func(id func() string) record.Record {
			return &record.Ticket{ID: id(), OrderID: id(), Replaces: id(), EventID: "e", Status: record.TicketValid, SoldAt: at("18:00")}
		},
		"a ticket that is odd": func(id func() string) record.Record {
			return &record.Ticket{ID: id(), OrderID: id(), EventID: "e", Status: "lent", SoldAt: at("18:00")}
		},
		"a payment that went back": func(id func() string) record.Record {
			return &record.Payment{ID: id(), OrderID: id(), Status: record.PaymentChargedBack, Amount: record.Money{Amount: 1000, Currency: "EUR"}, PaidAt: at("18:00")}
		},
		"a refund": func(id func() string) record.Record {
			return &record.Payment{ID: id(), OrderID: id(), ParentID: id(), Reason: id(), Kind: record.KindOfRefund, Status: record.PaymentPaid, Amount: record.Money{Amount: 1000, Currency: "EUR"}}
		},
	} {
		for _, head := range []bool{true, false} {
			l, n := ledger.New(figures.Calendar{}), 0
			l.Apply(record.Version{Revision: 1, Head: true, Record: &record.Event{ID: "e"}})
			before := heap()
			for i := range rows {
				id := func() string {
					n++
					return (strings.Repeat(".", around) + fmt.Sprintf("%08d", n))[around:]
				}
				l.Apply(record.Version{Revision: int64(i + 2), Head: head, SeenAt: at("19:00"), Record: of(id)})
			}
			if held := (int64(heap()) - int64(before)) / rows; held > around/2 {
				t.Errorf("%s, the newest version %t: %d bytes are held of each", name, head, held)
			}
			runtime.KeepAlive(l)
		}
	}
}
