package sandbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// writeCalls are the writes of the API, by stream and verb. Each call is made completely or not at all, and is
// stored in the journal. Tickets and payments are created by sales and cannot be created directly, except refunds.
var writeCalls = map[string]func(h *house, id string, f *form) (record.Record, error){
	"events.create":   (*house).createEvent,
	"events.update":   (*house).updateEvent,
	"tickets.update":  (*house).updateTicket,
	"contacts.create": (*house).createContact,
	"contacts.update": (*house).updateContact,
	"payments.create": (*house).createPayment,
	"planning.create": (*house).createPlanning,
	"planning.update": (*house).updatePlanningEntry,
}

// writeBody is the body of a write in the journal.
type writeBody struct {
	ID     string          `json:"id,omitempty"`
	Fields json.RawMessage `json:"fields"`
}

// written is a copy of a record after a write, with the time of the write.
type written struct {
	at     time.Time
	record record.Record
}

func (h *house) write(call func(*house, string, *form) (record.Record, error), body []byte) (any, error) {
	in, err := decode[writeBody](body)
	if err != nil {
		return nil, err
	}
	f := &form{}
	if err := json.Unmarshal(in.Fields, &f.raw); err != nil || f.raw == nil {
		return nil, idp.BadRequest("The body must be one JSON object.")
	}
	rec, err := call(h, in.ID, f)
	if err != nil {
		return nil, err
	}
	return written{h.now, copyOf(rec)}, nil
}

// maxCapacity is the largest number of places that a write accepts for capacity and blocked.
const maxCapacity = 1_000_000

// createEvent adds a performance without simulated sales or visitors.
func (h *house) createEvent(_ string, f *form) (record.Record, error) {
	e := &record.Event{Capacity: new(200), Blocked: new(0), Status: record.EventOnSale}
	for _, name := range []string{"title", "starts_at"} {
		if _, given := f.raw[name]; !given {
			f.addError(name, "is needed")
		}
	}
	h.schedule(f, e)
	price := euro(2500)
	set(&price, f.money("price"))
	if status := f.oneOf("status", "draft", "on_sale"); status != nil {
		e.Status = record.EventStatus(*status)
	}
	if err := f.finish(); err != nil {
		return nil, err
	}
	e.ID = h.id("evt_")
	e.TicketTypes = []record.TicketType{{ID: h.id("typ_"), Name: "Entree", Capacity: e.Capacity, Price: &price}}
	h.addShow(&show{event: e})
	return e, nil
}

// updateEvent changes a performance. One that was called off or has ended cannot be changed. Calling one off stops
// sales and arrivals; its tickets and payments stay as they are.
func (h *house) updateEvent(id string, f *form) (record.Record, error) {
	e, err := find[*record.Event](h.events, id)
	if err != nil {
		return nil, err
	}
	s, changed := h.shows[id], *e
	h.schedule(f, &changed)
	status := f.oneOf("status", "draft", "on_sale", "sales_closed", "cancelled", "postponed")
	if err := f.finish(); err != nil {
		return nil, err
	}
	if s.calledOff() || e.Status == record.EventEnded {
		return nil, idp.Conflict(fmt.Sprintf("The event is %s.", e.Status))
	}
	if *changed.Capacity-*changed.Blocked < s.taken && (*changed.Capacity != *e.Capacity || *changed.Blocked != *e.Blocked) {
		return nil, idp.Conflict(fmt.Sprintf("%d places are taken.", s.taken))
	}
	if status != nil {
		changed.Status = record.EventStatus(*status)
	}
	*e = changed
	h.updateAvailability(s)
	h.updatePlanning(s)
	return e, nil
}

// schedule reads the fields that both createEvent and updateEvent accept. An interval that is not given moves with
// starts_at; a new performance that is long enough gets one.
func (h *house) schedule(f *form, e *record.Event) {
	started, interval := e.StartsAt, false
	for _, name := range []string{"interval_starts_at", "interval_ends_at"} {
		_, given := f.raw[name]
		interval = interval || given
	}
	set(&e.Title, f.text("title", 200))
	set(&e.Hall, f.text("hall", 100))
	set(&e.Series, f.text("series_id", 100))
	for name, into := range map[string]*time.Time{
		"doors_at": &e.DoorsAt, "starts_at": &e.StartsAt, "ends_at": &e.EndsAt,
		"interval_starts_at": &e.IntervalStartsAt, "interval_ends_at": &e.IntervalEndsAt,
	} {
		if t := f.time(name); t != nil {
			*into = t.UTC().Truncate(time.Millisecond)
			if name == "starts_at" {
				e.Date = into.In(h.zone).Format(time.DateOnly)
			}
		}
	}
	switch by := e.StartsAt.Sub(started); {
	case interval:
	case started.IsZero():
		addInterval(e)
	case !e.IntervalStartsAt.IsZero():
		e.IntervalStartsAt, e.IntervalEndsAt = e.IntervalStartsAt.Add(by), e.IntervalEndsAt.Add(by)
	}
	set(&e.Date, field(f, "date", "a date like 2026-11-20", func(s string) bool {
		_, err := time.Parse(time.DateOnly, s)
		return err == nil
	}))
	if !e.DoorsAt.IsZero() && e.StartsAt.Before(e.DoorsAt) {
		f.addError("doors_at", "must not be after starts_at")
	}
	if !e.EndsAt.IsZero() && e.EndsAt.Before(e.StartsAt) {
		f.addError("ends_at", "must not be before starts_at")
	}
	if e.IntervalEndsAt.Before(e.IntervalStartsAt) {
		f.addError("interval_ends_at", "must not be before interval_starts_at")
	}
	if n := f.number("capacity", maxCapacity); n != nil {
		e.Capacity = n
	}
	if n := f.number("blocked", maxCapacity); n != nil {
		e.Blocked = n
	}
	if *e.Blocked > *e.Capacity {
		f.addError("blocked", "must not be more than the capacity")
	}
}

// updateTicket voids a ticket without a refund.
func (h *house) updateTicket(id string, f *form) (record.Record, error) {
	t, err := find[*record.Ticket](h.tickets, id)
	if err != nil {
		return nil, err
	}
	require(f, "status", f.oneOf("status", "void"))
	if err := f.finish(); err != nil {
		return nil, err
	}
	return t, h.void(t)
}

// createPayment creates a refund, the only payment that can be written.
func (h *house) createPayment(_ string, f *form) (record.Record, error) {
	require(f, "kind", f.oneOf("kind", "refund"))
	parent := f.text("parent_id", 200)
	require(f, "parent_id", parent)
	amount := f.money("amount")
	reason := ""
	set(&reason, f.text("reason", record.MaxReason))
	if amount != nil && amount.Amount == 0 {
		f.addError("amount", "must be more than 0")
	}
	var p *record.Payment
	if parent != nil {
		var err error
		if p, err = find[*record.Payment](h.payments, *parent); err != nil {
			f.addError("parent_id", "is not a payment")
		} else if amount != nil && amount.Currency != p.Amount.Currency {
			f.addError("amount", "must be in "+p.Amount.Currency)
		}
	}
	if err := f.finish(); err != nil {
		return nil, err
	}
	var asked *amountInput
	if amount != nil {
		asked = &amountInput{*amount}
	}
	back, err := h.refund(p, asked, reason)
	if err != nil {
		return nil, err
	}
	return back, nil
}

// createPlanning adds an entry that is no performance: those come with their events.
func (h *house) createPlanning(_ string, f *form) (record.Record, error) {
	p := &record.Planning{Status: "confirmed"}
	for _, name := range []string{"kind", "title", "starts_at"} {
		if _, given := f.raw[name]; !given {
			f.addError(name, "is needed")
		}
	}
	set(&p.Kind, f.oneOf("kind", "rehearsal", "build_up", "hall", "resource", "shift", "other"))
	if id := f.text("event_id", 200); id != nil {
		if _, err := find[*record.Event](h.events, *id); err != nil {
			f.addError("event_id", "is not an event")
		}
		p.EventID = *id
	}
	f.planning(p)
	if err := f.finish(); err != nil {
		return nil, err
	}
	p.ID = h.planID()
	h.planning.add(p, h.now)
	return p, nil
}

// updatePlanningEntry changes an entry. What a performance's entry takes from its event is changed there.
func (h *house) updatePlanningEntry(id string, f *form) (record.Record, error) {
	p, err := find[*record.Planning](h.planning, id)
	if err != nil {
		return nil, err
	}
	changed := *p
	fromEvent := p.Kind == "show" && slices.ContainsFunc([]string{"title", "starts_at", "ends_at", "location", "status"}, func(name string) bool { return f.raw[name] != nil })
	f.planning(&changed)
	if err := f.finish(); err != nil {
		return nil, err
	}
	if fromEvent {
		return nil, idp.Conflict("Title, times, location and status are those of the event.")
	}
	*p = changed
	h.planning.touch(p, h.now)
	return p, nil
}

// planning reads the fields that both createPlanning and updatePlanningEntry accept.
func (f *form) planning(p *record.Planning) {
	set(&p.Title, f.text("title", 200))
	set(&p.Location, f.text("location", 100))
	set(&p.Status, f.oneOf("status", "option", "confirmed", "completed", "cancelled"))
	for name, into := range map[string]*time.Time{"starts_at": &p.StartsAt, "ends_at": &p.EndsAt} {
		if t := f.time(name); t != nil {
			*into = t.UTC().Truncate(time.Millisecond)
		}
	}
	if !p.EndsAt.IsZero() && p.EndsAt.Before(p.StartsAt) {
		f.addError("ends_at", "must not be before starts_at")
	}
	if n := f.number("expected_visitors", maxCapacity); n != nil {
		p.ExpectedVisitors = n
	}
	for name, into := range map[string]**record.Money{"budget_revenue": &p.BudgetRevenue, "budget_marketing": &p.BudgetMarketing} {
		if m := f.money(name); m != nil {
			*into = m
		}
	}
}

func (h *house) createContact(_ string, f *form) (record.Record, error) {
	if _, given := f.raw["name"]; !given {
		f.addError("name", "is needed")
	}
	c := &contact{Types: []string{"visitor"}}
	if err := f.contact(c); err != nil {
		return nil, err
	}
	c.ID = h.id("con_")
	h.contacts.add(c, h.now)
	return c, nil
}

func (h *house) updateContact(id string, f *form) (record.Record, error) {
	c, err := find[*contact](h.contacts, id)
	if err != nil {
		return nil, err
	}
	changed := *c
	if err := f.contact(&changed); err != nil {
		return nil, err
	}
	*c = changed
	h.contacts.touch(c, h.now)
	return c, nil
}

func (f *form) contact(c *contact) error {
	set(&c.Name, f.text("name", 200))
	set(&c.Email, field(f, "email", "an e-mail address", func(s string) bool {
		name, host, ok := strings.Cut(s, "@")
		return ok && name != "" && host != "" && len(s) <= 254 && !strings.ContainsAny(s, " \t\r\n<>,")
	}))
	set(&c.Phone, f.text("phone", 40))
	set(&c.PostalCode, f.text("postal_code", 20))
	set(&c.City, f.text("city", 100))
	set(&c.Country, field(f, "country", "two capital letters", func(s string) bool {
		return len(s) == 2 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	}))
	set(&c.Types, field(f, "types", "a list of "+strings.Join(contactTypes, ", "), func(list []string) bool {
		return len(list) <= len(contactTypes) && !slices.ContainsFunc(list, func(s string) bool { return !slices.Contains(contactTypes, s) })
	}))
	if in := field(f, "opt_in", "true or false", func(bool) bool { return true }); in != nil {
		c.OptIn = in
	}
	return f.finish()
}
