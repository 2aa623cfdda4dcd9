package store_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
)

var byCommand = store.Act{Actor: store.ActorCommand, Action: store.ActForgotContact}

// somebodys are somebody's records, and one of another contact.
func somebodys(contact string) []record.Record {
	at := func(minute int) time.Time { return noon.Add(time.Duration(minute) * time.Minute) }
	return []record.Record{
		&record.Contact{ID: contact, City: "Utrecht", UpdatedAt: at(0)},
		&record.Ticket{ID: "1", EventID: "evt_1", ContactID: contact, Seat: "C 4", Status: record.TicketReserved, UpdatedAt: at(0)},
		&record.Ticket{ID: "1", EventID: "evt_1", ContactID: contact, Seat: "C 4", Status: record.TicketValid, UpdatedAt: at(1)},
		&record.Payment{ID: "1", ContactID: contact, TicketIDs: []string{"1"}, Amount: record.Money{Amount: 1250, Currency: "EUR"}, Status: record.PaymentPaid, UpdatedAt: at(1)},
		&record.Contact{ID: contact, City: "Zeist", UpdatedAt: at(2)},
		&record.Ticket{ID: "2", EventID: "evt_1", ContactID: contact + "9", Status: record.TicketValid, UpdatedAt: at(1)},
	}
}

// A contact that is forgotten is in no version any more, nor in the file, and does not come back
// with what the service reports; all else is as it was.
func testForget(t *testing.T, database string) {
	contact := `con_%7"\é_Q9XK`
	l := openLog(t, database)
	other := records(t, open(t, database), "another")
	another := led(t, other)
	another.append(t, somebodys(contact)...)
	l.append(t, somebodys(contact)...)
	before, err := l.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if n, err := l.fold(t, noon.Add(time.Hour)); err != nil || n != 2 {
		t.Fatalf("folded %d versions, %v; want 2", n, err)
	}
	if n, err := l.Forget(t.Context(), contact, byCommand); err != nil || n != 3 {
		t.Fatalf("forgot %d versions, %v; want 3", n, err)
	}
	l.check(t, 6, "9:t:1 10:p:1 12:t:2")
	for _, v := range versions(t, l.Records, 0) {
		if text, _ := json.Marshal(v.Record); v.Record.RecordID() != "2" && record.ContactOf(v.Record) != "" || bytes.Contains(text, []byte("C 4")) {
			t.Errorf("revision %d still is %s", v.Revision, text)
		}
	}
	if got := heads(t, l.Records, record.KindContact, record.KindTicket); got != "1:valid 2:valid" {
		t.Errorf("heads %s", got)
	}
	if after, err := l.Position(t.Context()); err != nil || after.Epoch == before.Epoch || after.Revision != before.Revision {
		t.Errorf("position %+v, %v; it was %+v", after, err, before)
	}
	if _, err := l.Append(t.Context(), aggregator.Batch{Term: l.term, Records: somebodys(contact)}); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("append by what was known before: %v", err)
	}
	l.end()
	l = led(t, l.Records)
	l.put(t, 0, 12, somebodys(contact)[2:]...) // what was folded it would store once more
	l.put(t, 1, 13, &record.Ticket{ID: "3", EventID: "evt_1", ContactID: contact, Status: record.TicketValid, UpdatedAt: noon})
	for _, v := range versions(t, l.Records, 12) {
		if record.ContactOf(v.Record) != "" {
			t.Errorf("it came back: %+v", v.Record)
		}
	}
	if n, err := l.Forget(t.Context(), contact, byCommand); err != nil || n != 0 {
		t.Errorf("forgot %d versions once more, %v", n, err)
	}

	checkScreenActs(t, l.Store, "forgot_contact  ", "forgot_contact  ")

	// Of another service it is another's.
	if n := len(versions(t, other, 0)); n != 6 {
		t.Errorf("the other service has %d versions, want 6", n)
	}
	if n, err := other.Forget(t.Context(), contact, byCommand); err != nil || n != 5 {
		t.Errorf("forgot %d versions of the other service, %v; want 5", n, err)
	}
	if !strings.HasPrefix(database, "postgres") {
		for _, suffix := range []string{"", "-wal"} {
			if b, err := os.ReadFile(database + suffix); err != nil || bytes.Contains(b, []byte("Q9XK\"")) || bytes.Contains(b, []byte("Zeist")) || bytes.Contains(b, []byte("Utrecht")) {
				t.Errorf("house.db%s still has it (%v)", suffix, err)
			}
		}
	}
	if _, err := l.Forget(t.Context(), "", byCommand); err == nil {
		t.Error("forgot a contact without an id")
	}
}

// After everything is forgotten the service is read as for the first time, and nobody is signed in;
// a contact that was forgotten stays so.
func testForgetAll(t *testing.T, database string) {
	l := openLog(t, database)
	l.append(t, somebodys("a")...)
	if _, err := l.Forget(t.Context(), "a", byCommand); err != nil {
		t.Fatal(err)
	}
	l.end()
	l = led(t, l.Records)
	commit(t, l.Sessions(), "token", "in", time.Now().Add(time.Hour))
	reader := store.Subscriber{Person: "idp anna", Address: "anna@house.example", Names: []string{"morning"}, Who: []byte(`{}`)}
	if err := l.Letters().Subscribe(t.Context(), reader, store.Act{Actor: reader.Person, Action: store.ActLettersChosen}); err != nil {
		t.Fatal(err)
	}
	if err := l.Letters().Make(t.Context(), []store.Letter{{Person: reader.Person, Name: "morning", Until: time.Now().Add(time.Hour)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Keys().Make(t.Context(), "Finance", "manager", "Anna", store.Act{Action: store.ActKeyMade}); err != nil {
		t.Fatal(err)
	}
	before, err := l.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.ForgetAll(t.Context(), store.Act{Actor: store.ActorCommand, Action: store.ActForgotAll}); err != nil {
		t.Fatal(err)
	}
	if all := versions(t, l.Records, 0); len(all) != 0 {
		t.Errorf("%d versions", len(all))
	}
	if states, _, err := l.Streams(t.Context()); err != nil || len(states) != 0 {
		t.Errorf("streams %v, %v", states, err)
	}
	checkSession(t, l.Sessions(), "token", nil)
	if all, err := l.Letters().Subscribers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("letters go to %v, %v", all, err)
	}
	if all, err := l.Keys().List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("keys %v, %v", all, err)
	}
	if all, err := l.Letters().Newest(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("letters %v, %v", all, err)
	}
	if after, err := l.Position(t.Context()); err != nil || after.Epoch == before.Epoch {
		t.Errorf("position %+v, %v", after, err)
	}
	checkScreenActs(t, l.Store, "forgot_everything  ")
	l.end()
	l = led(t, l.Records)
	l.put(t, 4, 10, somebodys("a")...)
	l.check(t, 0, "7:t:1 8:t:1 9:p:1 10:t:2")
}
