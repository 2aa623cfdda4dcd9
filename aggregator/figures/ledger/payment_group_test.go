package ledger_test

import (
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// A refund that turns out to be of a payment leaves its own group, and nothing of that is in the next group: the refund of a
// payment that has not arrived is listed by that payment.
func TestGroupThatIsLeft(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	payment := func(id, order, of string, kind record.PaymentKind) *record.Payment {
		return &record.Payment{ID: id, OrderID: order, ParentID: of, Kind: kind, Amount: record.Money{Amount: 1000, Currency: "EUR"},
			Status: record.PaymentPaid, CreatedAt: at, PaidAt: at, UpdatedAt: at}
	}
	l := &foldtest.Versions{Ledger: ledger.New(figures.Calendar{})}
	l.Add(payment("back", "order", "", record.KindOfRefund))
	l.Add(payment("paid", "order", "", record.KindOfPayment))
	l.Add(payment("other", "", "unread", record.KindOfRefund))
	unmatched := l.Snapshot(figures.Position{}, foldtest.Complete).UnmatchedPayments
	if len(unmatched) != 1 || !slices.Equal(unmatched[0].IDs, []string{"paid", "unread"}) {
		t.Errorf("%+v, want the groups paid and unread", unmatched)
	}
}
