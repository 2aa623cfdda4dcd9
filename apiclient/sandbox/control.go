package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"time"

	"housecount/apiclient/record"
)

// controlCalls are the calls that change the books. Each either does the whole of what it
// was asked or nothing. They alone move what they made: a ticket sold here does not walk
// in, nor is it given back, unless a call says so.
var controlCalls = map[string]func(h *house, body []byte) (any, error){
	"sell":   (*house).controlSell,
	"refund": (*house).controlRefund,
	"void":   (*house).controlVoid,
	"scan":   (*house).controlScan,
	"rename": (*house).controlRename,
	"event":  (*house).controlEvent,
}

// controlRoutes adds the control path.
func (s *Sandbox) controlRoutes(mux *http.ServeMux) {
	cross := http.NewCrossOriginProtection() // a page elsewhere must not steer a sandbox here
	add := func(path string, f http.HandlerFunc) {
		mux.Handle("/sandbox/"+path, cross.Handler(loopbackOnly(f)))
	}
	for name := range controlCalls {
		add(name, s.serveCall(name))
	}
	add("advance", s.serveCall("advance"))
	add("fault", s.serveFault)
	add("paging", s.servePaging)
	add("rate-limit", s.serveRateLimit)
	add("rotate-keys", s.serveRotateKeys)
	add("truth", s.serveTruth)
}

// loopbackOnly refuses requests from other machines, also those that a proxy on this one
// has passed on, and those to a name that is not this machine's: a page elsewhere may have
// pointed a name of its own here.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			host = r.RemoteAddr
		}
		addr, err := netip.ParseAddr(host)
		asked := (&url.URL{Host: r.Host}).Hostname()
		if err != nil || !addr.Unmap().IsLoopback() || !loopback(asked) || r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
			writeProblem(w, http.StatusForbidden, "The control path answers only this machine.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveCall serves a control call that changes the books.
func (s *Sandbox) serveCall(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !allow(w, r, http.MethodPost) {
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
		if err != nil {
			writeError(w, badRequest("The body cannot be read: "+err.Error()))
			return
		}
		result, err := s.call(name, body)
		if err != nil {
			writeError(w, err)
			return
		}
		writeJSON(w, result)
	}
}

// call brings the books up to now, makes the call and keeps it in the journal.
func (s *Sandbox) call(name string, body []byte) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.callLocked(name, body)
}

// callLocked is call for those who hold the lock.
func (s *Sandbox) callLocked(name string, body []byte) (any, error) {
	now := s.catchUp()
	result, err := s.do(name, body)
	if err != nil {
		return nil, err
	}
	if err := s.keep(now, name, body); err != nil {
		return nil, fmt.Errorf("the call was made, but the journal cannot keep it: %w", err)
	}
	s.catchUp()
	return result, nil
}

// do makes a call at the moment up to which the books are kept.
func (s *Sandbox) do(name string, body []byte) (any, error) {
	if write, ok := writeCalls[name]; ok {
		return s.house.write(write, body)
	}
	if name != "advance" {
		return controlCalls[name](s.house, body)
	}
	in, err := decode[struct {
		Seconds float64 `json:"seconds"`
	}](body)
	if err != nil {
		return nil, err
	}
	if !(in.Seconds > 0 && in.Seconds <= 366*86400) {
		return nil, badRequest("seconds must be more than 0 and at most a year.")
	}
	s.clock.advance(time.Duration(in.Seconds * float64(time.Second)))
	return map[string]time.Time{"now": s.clock.now()}, nil
}

func (s *Sandbox) serveFault(w http.ResponseWriter, r *http.Request) {
	in, ok := readCall[faultCall](w, r)
	if !ok {
		return
	}
	if in.Kind == "late" && in.For > 0 {
		s.keepVersions()
	}
	if err := s.faults.set(in); err != nil {
		writeError(w, err)
		return
	}
	writeJSON(w, in)
}

// keepVersions keeps the versions of all records from now on, for the fault late.
func (s *Sandbox) keepVersions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp()
	s.house.keepVersions()
}

// readCall reads the body of a control call that leaves the books alone; it has answered
// when it is none.
func readCall[T any](w http.ResponseWriter, r *http.Request) (in T, ok bool) {
	if !allow(w, r, http.MethodPost) {
		return in, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<10))
	if err != nil {
		err = badRequest("The body cannot be read: " + err.Error())
	} else {
		in, err = decode[T](body)
	}
	if err != nil {
		writeError(w, err)
	}
	return in, err == nil
}

// decode reads the one JSON value of a body; a field that is not known is an error.
func decode[T any](body []byte) (T, error) {
	var v T
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, badRequest("The body is not what this call takes: " + strings.TrimPrefix(err.Error(), "json: ") + ". It takes " + fields(v) + ".")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, badRequest("The body holds more than one JSON value.")
	}
	return v, nil
}

// fields names what a struct takes from JSON.
func fields(v any) string {
	var names []string
	for f := range reflect.TypeOf(v).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// controlSell sells places at once, also more than there are.
func (h *house) controlSell(body []byte) (any, error) {
	in, err := decode[struct {
		EventID  string        `json:"event_id"`
		Quantity int           `json:"quantity"`
		Price    *record.Money `json:"price"` // a place; what the event's first type costs when left out
		Channel  string        `json:"channel"`
	}](body)
	if err != nil {
		return nil, err
	}
	if in.Quantity < 1 || in.Quantity > 10_000 {
		return nil, badRequest("quantity must be from 1 to 10000.")
	}
	e, err := find[*record.Event](h.events, in.EventID)
	if err != nil {
		return nil, err
	}
	kind := e.TicketTypes[0]
	price := *kind.Price
	if in.Price != nil {
		price = *in.Price
	}
	if err := checkMoney("price", price); err != nil {
		return nil, err
	}
	w := sale{
		show: h.shows[e.ID], places: in.Quantity, kind: record.TypeRef{ID: kind.ID, Name: kind.Name},
		price: price.Amount, currency: price.Currency, paid: true, method: "pin", channel: in.Channel,
	}
	if w.channel == "" {
		w.channel = "box_office"
	}
	tickets, p := h.sell(w)
	ids := make([]string, len(tickets))
	for i, t := range tickets {
		ids[i] = t.ID
	}
	return struct {
		OrderID   string   `json:"order_id"`
		TicketIDs []string `json:"ticket_ids"`
		PaymentID string   `json:"payment_id"`
	}{p.OrderID, ids, p.ID}, nil
}

// controlRefund gives money back. Without an amount it is the whole of what is left, and
// the tickets of the payment are taken back too; with one the tickets stay.
func (h *house) controlRefund(body []byte) (any, error) {
	in, err := decode[struct {
		PaymentID string      `json:"payment_id"`
		Amount    *someAmount `json:"amount"`
	}](body)
	if err != nil {
		return nil, err
	}
	p, err := find[*record.Payment](h.payments, in.PaymentID)
	if err != nil {
		return nil, err
	}
	back, err := h.refund(p, in.Amount)
	if err != nil {
		return nil, err
	}
	return struct {
		RefundID  string       `json:"refund_id"`
		PaymentID string       `json:"payment_id"`
		Amount    record.Money `json:"amount"`
	}{back.ID, p.ID, back.Amount}, nil
}

// refund is what controlRefund does, with the amount that was asked for or nil.
func (h *house) refund(p *record.Payment, asked *someAmount) (*record.Payment, error) {
	left := h.refundable(p)
	if left <= 0 {
		return nil, conflict(fmt.Sprintf("Nothing can be given back on this %s, which is %s.", p.Kind, p.Status))
	}
	amount := left
	if asked != nil {
		amount = asked.Amount
		switch {
		case asked.Currency != "" && asked.Currency != p.Amount.Currency:
			return nil, badRequest("The payment is in " + p.Amount.Currency + ".")
		case amount < 1:
			return nil, badRequest("amount must be at least 1.")
		case amount > left:
			return nil, conflict(fmt.Sprintf("Only %d can still be given back.", left))
		}
	}
	if asked == nil {
		for _, id := range p.TicketIDs {
			if t, err := find[*record.Ticket](h.tickets, id); err == nil && t.Status == record.TicketValid {
				h.cancel(t, record.TicketRefunded)
			}
		}
	}
	back := h.giveBack(p, amount)
	h.settleRefund(p, back)
	return back, nil
}

// someAmount is an amount with its currency, or a bare number of minor units.
type someAmount struct{ record.Money }

func (a *someAmount) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &a.Amount); err == nil {
		return nil
	}
	return json.Unmarshal(b, &a.Money)
}

// controlVoid takes a ticket out; no money moves.
func (h *house) controlVoid(body []byte) (any, error) {
	in, err := decode[struct {
		TicketID string `json:"ticket_id"`
	}](body)
	if err != nil {
		return nil, err
	}
	t, err := find[*record.Ticket](h.tickets, in.TicketID)
	if err != nil {
		return nil, err
	}
	if err := h.void(t); err != nil {
		return nil, err
	}
	return map[string]string{"ticket_id": t.ID, "status": string(t.Status)}, nil
}

// void takes a ticket out that is not out already.
func (h *house) void(t *record.Ticket) error {
	if t.Status != record.TicketValid && t.Status != record.TicketReserved {
		return conflict(fmt.Sprintf("The ticket is %s already.", t.Status))
	}
	h.cancel(t, record.TicketVoid)
	return nil
}

// controlScan lets a ticket pass a gate. The gate does not care whether it makes sense:
// people go out by another door than they came in.
func (h *house) controlScan(body []byte) (any, error) {
	in, err := decode[struct {
		TicketID  string           `json:"ticket_id"`
		Gate      string           `json:"gate"`
		Direction record.Direction `json:"direction"`
	}](body)
	if err != nil {
		return nil, err
	}
	if in.Direction != record.Entry && in.Direction != record.Exit {
		return nil, badRequest(fmt.Sprintf("direction must be entry or exit, not %q.", in.Direction))
	}
	t, err := find[*record.Ticket](h.tickets, in.TicketID)
	if err != nil {
		return nil, err
	}
	if t.Status != record.TicketValid {
		return nil, conflict(fmt.Sprintf("The ticket is %s.", t.Status))
	}
	h.scan(t, record.Scan{Gate: in.Gate, Direction: in.Direction})
	return map[string]any{"ticket_id": t.ID, "scans": len(t.Scans)}, nil
}

// controlRename gives an event another title, whatever is in it.
func (h *house) controlRename(body []byte) (any, error) {
	in, err := decode[struct {
		EventID string `json:"event_id"`
		Title   string `json:"title"`
	}](body)
	if err != nil {
		return nil, err
	}
	e, err := find[*record.Event](h.events, in.EventID)
	if err != nil {
		return nil, err
	}
	e.Title = in.Title
	h.events.touch(e, h.now)
	h.replan(h.shows[e.ID])
	return map[string]string{"event_id": e.ID, "title": e.Title}, nil
}

// controlEvent adds a performance to which nothing happens by itself.
func (h *house) controlEvent(body []byte) (any, error) {
	in, err := decode[struct {
		Title    string        `json:"title"`
		Hall     string        `json:"hall"`
		Date     string        `json:"date"` // that of starts_at when left out
		DoorsAt  time.Time     `json:"doors_at"`
		StartsAt time.Time     `json:"starts_at"`
		EndsAt   time.Time     `json:"ends_at"`
		Capacity *int          `json:"capacity"` // 200 when left out
		Price    *record.Money `json:"price"`    // a place; 25 euro when left out
	}](body)
	if err != nil {
		return nil, err
	}
	if in.Date == "" && !in.StartsAt.IsZero() {
		in.Date = in.StartsAt.In(h.zone).Format(time.DateOnly)
	}
	if _, err := time.Parse(time.DateOnly, in.Date); err != nil {
		return nil, badRequest(fmt.Sprintf("date %q is not a date like 2026-11-20, and starts_at does not give one.", in.Date))
	}
	capacity := 200
	if in.Capacity != nil {
		capacity = *in.Capacity
	}
	if capacity < 0 || capacity > 1_000_000 {
		return nil, badRequest("capacity must be from 0 to 1000000.")
	}
	price := euro(2500)
	if in.Price != nil {
		price = *in.Price
	}
	if err := checkMoney("price", price); err != nil {
		return nil, err
	}
	e := &record.Event{
		ID: h.id("evt_"), Title: in.Title, Date: in.Date, Hall: in.Hall,
		DoorsAt: inUTC(in.DoorsAt), StartsAt: inUTC(in.StartsAt), EndsAt: inUTC(in.EndsAt),
		Capacity: &capacity, Blocked: new(0), Status: record.EventOnSale,
		TicketTypes: []record.TicketType{{ID: h.id("typ_"), Name: "Entree", Capacity: &capacity, Price: &price}},
	}
	h.addShow(&show{event: e})
	return map[string]string{"event_id": e.ID}, nil
}

// inUTC leaves the zero time as it is.
func inUTC(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}

func checkMoney(name string, m record.Money) error {
	if m.Amount < 0 || m.Amount > 1_000_000_000 {
		return badRequest(name + ".amount must be from 0 to 1000000000 minor units.")
	}
	if len(m.Currency) != 3 || strings.Trim(m.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return badRequest(name + ".currency must be three capital letters.")
	}
	return nil
}
