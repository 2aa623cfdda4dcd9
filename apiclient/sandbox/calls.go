package sandbox

import (
	"fmt"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// controlCalls are the control calls that change records. Each is made completely or not at all. Tickets sold by a
// call are neither scanned nor refunded unless another call does so.
var controlCalls = map[string]func(h *house, body []byte) (any, error){
	"sell":     (*house).controlSell,
	"refund":   (*house).controlRefund,
	"void":     (*house).controlVoid,
	"take-out": (*house).controlTakeOut,
	"scan":     (*house).controlScan,
	"rename":   (*house).controlRename,
	"night":    (*house).controlNight,
	"event":    (*house).controlEvent,
}

// controlSell sells and pays places, even more than the event has left.
func (h *house) controlSell(body []byte) (any, error) {
	in, err := decode[struct {
		EventID  string        `json:"event_id"`
		Quantity int           `json:"quantity"`
		Price    *record.Money `json:"price"` // per place; the price of the event's first type if omitted
		Channel  string        `json:"channel"`
	}](body)
	if err != nil {
		return nil, err
	}
	if in.Quantity < 1 || in.Quantity > 10_000 {
		return nil, idp.BadRequest("quantity must be from 1 to 10000.")
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

// controlRefund refunds a payment. Without an amount it refunds the rest and cancels the payment's valid tickets;
// with an amount the tickets stay valid.
func (h *house) controlRefund(body []byte) (any, error) {
	in, err := decode[struct {
		PaymentID string       `json:"payment_id"`
		Amount    *amountInput `json:"amount"`
		Reason    string       `json:"reason"`
	}](body)
	if err != nil {
		return nil, err
	}
	p, err := find[*record.Payment](h.payments, in.PaymentID)
	if err != nil {
		return nil, err
	}
	back, err := h.refund(p, in.Amount, in.Reason)
	if err != nil {
		return nil, err
	}
	return struct {
		RefundID  string       `json:"refund_id"`
		PaymentID string       `json:"payment_id"`
		Amount    record.Money `json:"amount"`
	}{back.ID, p.ID, back.Amount}, nil
}

// controlVoid voids a ticket without a refund.
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

// controlScan scans a valid ticket at a gate. Any order of entries and exits is accepted, because people may leave
// through an unscanned door.
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
		return nil, idp.BadRequest(fmt.Sprintf("direction must be entry or exit, not %q.", in.Direction))
	}
	t, err := find[*record.Ticket](h.tickets, in.TicketID)
	if err != nil {
		return nil, err
	}
	if t.Status != record.TicketValid {
		return nil, idp.Conflict(fmt.Sprintf("The ticket is %s.", t.Status))
	}
	if t.Kind != "" {
		return nil, idp.Conflict(fmt.Sprintf("This is no ticket, but %s.", t.Kind))
	}
	h.scan(t, record.Scan{Gate: in.Gate, Direction: in.Direction})
	return map[string]any{"ticket_id": t.ID, "scans": len(t.Scans)}, nil
}

// controlRename changes the title of an event. Any text is accepted.
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
	h.updatePlanning(h.shows[e.ID])
	return map[string]string{"event_id": e.ID, "title": e.Title}, nil
}

// controlEvent adds a performance without simulated sales or visitors.
func (h *house) controlEvent(body []byte) (any, error) {
	in, err := decode[struct {
		Title    string        `json:"title"`
		Hall     string        `json:"hall"`
		Date     string        `json:"date"` // the date of starts_at if omitted
		DoorsAt  time.Time     `json:"doors_at"`
		StartsAt time.Time     `json:"starts_at"`
		EndsAt   time.Time     `json:"ends_at"`
		Capacity *int          `json:"capacity"` // 200 if omitted
		Price    *record.Money `json:"price"`    // per place; 25 euros if omitted
	}](body)
	if err != nil {
		return nil, err
	}
	if in.Date == "" && !in.StartsAt.IsZero() {
		in.Date = in.StartsAt.In(h.zone).Format(time.DateOnly)
	}
	if _, err := time.Parse(time.DateOnly, in.Date); err != nil {
		return nil, idp.BadRequest(fmt.Sprintf("date %q is not a date like 2026-11-20, and starts_at does not give one.", in.Date))
	}
	capacity := 200
	if in.Capacity != nil {
		capacity = *in.Capacity
	}
	if capacity < 0 || capacity > 1_000_000 {
		return nil, idp.BadRequest("capacity must be from 0 to 1000000.")
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

// inUTC converts t to UTC and returns the zero time unchanged.
func inUTC(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC()
}
