package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

const evt = `{"title":"Proef","hall":"Zaal","starts_at":"2026-11-20T20:15:00+01:00","capacity":100}`

// TestControl follows one event through every call.
func TestControl(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	id := s.addEvent(evt)
	truth := func() sandbox.EventTruth { return s.Truth().Events[id] }
	check := func(step string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", step, got, want)
		}
	}
	e := list[record.Event](s, "/v2/events").Data[0]
	check("event", fmt.Sprint(e.ID, e.Title, e.Hall, e.Date, *e.Available, *e.Capacity), fmt.Sprint(id, "Proef", "Zaal", "2026-11-20", 100, 100))

	one := s.sell(id, 3)
	check("sold", fmt.Sprint(len(one.TicketIDs), truth().Sold, truth().Paid, truth().Available), "3 3 3 97")
	check("booked, received, net", fmt.Sprint(truth().Booked, truth().Received, truth().Net), "map[EUR:7500] map[EUR:7500] map[EUR:7500]")

	s.Advance(time.Minute)
	s.control("scan", `{"ticket_id":"`+one.TicketIDs[0]+`","gate":"A","direction":"entry"}`, nil)
	s.control("scan", `{"ticket_id":"`+one.TicketIDs[0]+`","gate":"B","direction":"exit"}`, nil)
	s.control("scan", `{"ticket_id":"`+one.TicketIDs[1]+`","gate":"A","direction":"entry"}`, nil)
	check("visitors", fmt.Sprint(truth().Attendance, truth().Present, truth().Gates), "2 1 map[A:2]")
	check("inside, to come, on the way", fmt.Sprint(truth().ScansExits, truth().Inside, truth().ToCome, truth().OnTheWay), "true 1 1 0")
	if got := list[record.Ticket](s, "/v2/tickets?order_id="+one.OrderID+"&sort=-updated_at").Data[2]; len(got.Scans) != 0 || !got.UpdatedAt.Equal(evening) {
		t.Errorf("the ticket that was not scanned: %+v", got)
	}

	s.control("refund", `{"payment_id":"`+one.PaymentID+`","amount":1000}`, nil)
	check("part of the money back", fmt.Sprint(truth().Sold, truth().Booked, truth().Refunded, truth().Net), "3 map[EUR:7500] map[EUR:1000] map[EUR:6500]")
	s.control("void", `{"ticket_id":"`+one.TicketIDs[2]+`"}`, nil)
	check("void", fmt.Sprint(truth().Sold, truth().Available, truth().Booked, truth().Net), "2 98 map[EUR:5000] map[EUR:6500]")
	s.control("refund", `{"payment_id":"`+one.PaymentID+`"}`, nil)
	check("all back", fmt.Sprint(truth().Sold, truth().Available, truth().Booked, truth().Refunded, truth().Net), "0 100 map[] map[EUR:7500] map[]")
	p := list[record.Payment](s, "/v2/payments?status=refunded").Data
	if len(p) != 1 || p[0].ID != one.PaymentID || p[0].AmountRefunded.Amount != 7500 {
		t.Errorf("refunded payments: %+v", p)
	}

	var dollars sold
	s.control("sell", `{"event_id":"`+id+`","quantity":1,"price":{"amount":999,"currency":"USD"},"channel":"phone"}`, &dollars)
	check("two currencies", fmt.Sprint(truth().Booked, s.Truth().Total.Net), "map[USD:999] map[USD:999]")
	s.control("refund", `{"payment_id":"`+dollars.PaymentID+`","amount":{"amount":99,"currency":"USD"}}`, nil)
	check("a currency named", truth().Net, "map[USD:900]")
	check("channel", list[record.Ticket](s, "/v2/tickets?order_id="+dollars.OrderID).Data[0].Channel, "phone")
	s.control("sell", `{"event_id":"`+id+`","quantity":150}`, nil)
	check("oversold", fmt.Sprint(truth().Sold, truth().Available), "151 -51")
	s.control("sell", `{"event_id":"`+id+`","quantity":1,"price":{"amount":0,"currency":"EUR"}}`, nil)

	hostile := `</script><script>alert(1)</script>__f__(alert(2))__f__ "' & é`
	s.control("rename", fmt.Sprintf(`{"event_id":%q,"title":%q}`, id, hostile), nil)
	check("title", list[record.Event](s, "/v2/events").Data[0].Title, hostile)

	var now struct{ Now time.Time }
	before, then := s.Now(), time.Now()
	s.control("advance", `{"seconds":90.5}`, &now)
	check("advance", now.Now.Sub(before), 90500*time.Millisecond)
	check("what it was then", s.At(then), before)
	check("what it is", s.At(time.Now()), now.Now)
	check("nothing happens by itself", fmt.Sprint(truth().Attendance, truth().Sold), "2 152")
}

func TestControlRefuses(t *testing.T) {
	s := open(t, sandbox.Options{Empty: true})
	id := s.addEvent(evt)
	order := s.sell(id, 1)
	s.control("refund", `{"payment_id":"`+order.PaymentID+`"}`, nil)
	paid := s.sell(id, 1)
	before := s.everything()
	for _, test := range []struct {
		call, body string
		status     int
	}{
		{"sell", ``, 400},
		{"sell", `null`, 400},
		{"sell", `[]`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":1} {}`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":1,"colour":"red"}`, 400},
		{"sell", `{"event_id":"evt_none","quantity":1}`, 404},
		{"sell", `{"event_id":"` + id + `"}`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":-3}`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":1e9}`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":1,"price":{"amount":-5,"currency":"EUR"}}`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":1,"price":{"amount":5,"currency":"euro"}}`, 400},
		{"sell", `{"event_id":"` + id + `","quantity":1,"price":{"amount":5.5,"currency":"EUR"}}`, 400},
		{"refund", `{"payment_id":"pay_none"}`, 404},
		{"refund", `{"payment_id":"` + order.PaymentID + `"}`, 409},
		{"refund", `{"payment_id":"` + paid.PaymentID + `","amount":0}`, 400},
		{"refund", `{"payment_id":"` + paid.PaymentID + `","amount":2501}`, 409},
		{"refund", `{"payment_id":"` + paid.PaymentID + `","amount":{"amount":5,"currency":"USD"}}`, 400},
		{"refund", `{"payment_id":"` + paid.PaymentID + `","amount":"5"}`, 400},
		{"void", `{"ticket_id":"tkt_none"}`, 404},
		{"void", `{"ticket_id":"` + order.TicketIDs[0] + `"}`, 409},
		{"scan", `{"ticket_id":"` + order.TicketIDs[0] + `","direction":"entry"}`, 409},
		{"scan", `{"ticket_id":"` + paid.TicketIDs[0] + `","direction":"up"}`, 400},
		{"scan", `{"ticket_id":"tkt_none","direction":"exit"}`, 404},
		{"rename", `{"event_id":"evt_none","title":"x"}`, 404},
		{"night", `{"event_id":"evt_none","night":"late"}`, 404},
		{"night", `{"event_id":"` + id + `","night":"hit"}`, 400},
		{"night", `{"event_id":"` + id + `","night":"late"}`, 409},
		{"event", `{"title":"x"}`, 400},
		{"event", `{"title":"x","date":"soon"}`, 400},
		{"event", `{"title":"x","date":"2026-11-20","capacity":-1}`, 400},
		{"advance", `{"seconds":0}`, 400},
		{"advance", `{"seconds":-1}`, 400},
		{"advance", `{"seconds":1e12}`, 400},
		{"fault", `{"kind":"flood","for":1}`, 400},
		{"fault", `{"kind":"stall","for":-1}`, 400},
		{"fault", `{"kind":"error","for":1,"status":200}`, 400},
		{"fault", `{"kind":"error","for":1,"stream":"people"}`, 400},
		{"rename", `{"event_id":"` + id + `","title":"` + strings.Repeat("x", 70<<10) + `"}`, 400},
	} {
		answer, body := s.do(http.MethodPost, "/sandbox/"+test.call, test.body)
		if answer.StatusCode != test.status || answer.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %.80s: %s, want %d: %s", test.call, test.body, answer.Status, test.status, body)
		}
	}
	if s.everything() != before {
		t.Error("a call that was refused changed the books")
	}
}

func TestControlAnswersOnlyThisMachine(t *testing.T) {
	s, err := sandbox.New(sandbox.Options{Empty: true, Start: evening, Speed: -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, remote, header, value string
		status                      int
	}{
		{"loopback", "127.0.0.1:5", "", "", 200},
		{"loopback of IPv6", "[::1]:5", "", "", 200},
		{"mapped loopback", "[::ffff:127.0.0.1]:5", "", "", 200},
		{"another machine", "192.0.2.1:5", "", "", 403},
		{"any address", "0.0.0.0:5", "", "", 403},
		{"no address", "@", "", "", 403},
		{"through a proxy", "127.0.0.1:5", "X-Forwarded-For", "192.0.2.1", 403},
		{"from a page elsewhere", "127.0.0.1:5", "Sec-Fetch-Site", "cross-site", 403},
		{"by localhost", "127.0.0.1:5", "Host", "localhost:8090", 200},
		{"by an address", "[::1]:5", "Host", "[::1]:8090", 200},
		{"by a name that a page elsewhere has pointed here", "127.0.0.1:5", "Host", "thief.example:8090", 403},
		{"by a name that begins like one of ours", "127.0.0.1:5", "Host", "localhost.thief.example", 403},
		{"by no name", "127.0.0.1:5", "Host", "", 403},
	} {
		for _, call := range []string{"event", "fault"} {
			body := evt
			if call == "fault" {
				body = `{"kind":"","for":0}`
			}
			r := httptest.NewRequest(http.MethodPost, "/sandbox/"+call, strings.NewReader(body))
			r.RemoteAddr, r.Host = test.remote, "127.0.0.1:8090"
			switch test.header {
			case "":
			case "Host":
				r.Host = test.value
			default:
				r.Header.Set(test.header, test.value)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("%s, %s: %d, want %d", test.name, call, w.Code, test.status)
			}
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/sandbox/truth", nil)
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("truth from another machine: %d", w.Code)
	}
}

// TestJournal: a sandbox that is opened again serves the same at the same time.
func TestJournal(t *testing.T) {
	t.Parallel()
	journal := filepath.Join(t.TempDir(), "calls.jsonl")
	o := sandbox.Options{Journal: journal}
	first := open(t, o)
	event := all[record.Event](first, "/v2/events?available=true&status=on_sale")[0].ID
	// The first call falls on the very moment of an order, after which it came.
	probe := open(t, sandbox.Options{})
	probe.Advance(7 * time.Minute)
	n := list[any](probe, "/v2/payments?per_page=1").Meta.Total
	passed := list[record.Payment](probe, fmt.Sprintf("/v2/payments?per_page=1&page=%d", n)).Data[0].CreatedAt.Sub(evening)
	if passed <= 0 {
		t.Fatal("nothing was ordered in seven minutes")
	}
	first.Advance(passed)
	order := first.sell(event, 2)
	own := first.addEvent(evt)
	first.control("rename", `{"event_id":"`+own+`","title":"<b>&\u2028"}`, nil)
	first.control("advance", `{"seconds":3600}`, nil)
	first.control("void", `{"ticket_id":"`+order.TicketIDs[1]+`"}`, nil)
	first.control("refund", `{"payment_id":"`+order.PaymentID+`","amount":100}`, nil)
	if answer, _ := first.do(http.MethodPost, "/sandbox/void", `{"ticket_id":"`+order.TicketIDs[1]+`"}`); answer.StatusCode != http.StatusConflict {
		t.Fatal(answer.Status)
	}
	first.Advance(time.Hour)
	want := first.everything()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	f, err := os.OpenFile(journal, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"at":"2026-11-20T18:5`); err != nil { // killed while writing
		t.Fatal(err)
	}
	f.Close()

	second := open(t, o)
	if second.Truth().Events[own].Title != "" {
		t.Error("a call has happened before its time")
	}
	second.Advance(time.Hour + passed) // and the hour of the control call
	if got := second.Now(); !got.Equal(first.Now()) {
		t.Errorf("it is %v, want %v", got, first.Now())
	}
	if got := second.everything(); got != want {
		t.Error("the books differ after the journal was played again")
	}
	second.sell(event, 1)
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(b), "\n"); n != 7 {
		t.Errorf("the journal holds %d lines, want 7:\n%s", n, b)
	}
}

func TestJournalThatIsNone(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":     "hello\n",
		"unknown call": `{"at":"2026-11-20T18:50:00Z","call":"dance","body":{}}` + "\n",
	} {
		path := filepath.Join(t.TempDir(), "calls.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := sandbox.New(sandbox.Options{Empty: true, Journal: path}); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := sandbox.New(sandbox.Options{Empty: true, Journal: t.TempDir()}); err == nil {
		t.Error("a directory was taken for a journal")
	}
}
