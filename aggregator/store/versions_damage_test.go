package store_test

import (
	"testing"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

// A version that lacks parts of the head is not stored, whether the head is of an earlier batch or of the same,
// unless it is confirmed.
func testDamagedVersion(t *testing.T, database string) {
	l := openLog(t, database)
	sound := &record.Ticket{ID: "t", EventID: "e", Seat: "A1", Price: &record.Money{Amount: 2500, Currency: "EUR"}, Status: record.TicketValid, Scans: []record.Scan{}, UpdatedAt: noon}
	without := func(change func(*record.Ticket)) *record.Ticket {
		k := *sound
		change(&k)
		return &k
	}
	noPrice := without(func(k *record.Ticket) { k.Price = nil })
	other := without(func(k *record.Ticket) { k.ID = "u" })
	otherNoScans := without(func(k *record.Ticket) { k.ID, k.Scans, k.UpdatedAt = "u", nil, noon.Add(1e9) })
	l.append(t, sound)
	if a := l.append(t, noPrice, other, otherNoScans); a.New != 1 || a.Revision != 2 || len(a.Damaged) != 2 || a.Damaged[0].Field != "price" || a.Damaged[1].ID != "u" || a.Damaged[1].Field != "scans" || a.Damaged[1].EventID != "e" {
		t.Errorf("%+v, want two damaged", a)
	}
	if a := l.append(t, sound); a.New != 0 || len(a.Damaged) != 0 {
		t.Errorf("the sound version again: %+v", a)
	}
	a, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, SeenAt: noon, Records: []record.Record{noPrice},
		Confirmed: func(kind record.Kind, id string) bool { return kind == record.KindTicket && id == "t" }})
	if err != nil || a.New != 1 || len(a.Damaged) != 0 {
		t.Errorf("once it is confirmed: %+v, %v", a, err)
	}
	if a := l.append(t, sound); a.New != 1 || len(a.Damaged) != 0 {
		t.Errorf("the parts are back: %+v", a)
	}
}
