package record

// The fields of an event, in the order of eventNames.
const (
	eventID = iota
	eventTitle
	eventDate
	eventAvailable
	eventDoors
	eventStarts
	eventEnds
	eventIntervalStarts
	eventIntervalEnds
	eventUndated
	eventHall
	eventSeries
	eventCapacity
	eventUnlimited
	eventBlocked
	eventReserved
	eventSold
	eventTypes
	eventState
	eventCreated
	eventUpdated
	eventTest
	eventDeleted
)

var eventNames = namesOf("id", "title", "date", "available", "doors_at", "starts_at", "ends_at", "interval_starts_at", "interval_ends_at", "undated", "hall", "series_id",
	"capacity", "unlimited", "blocked", "reserved", "sold", "ticket_types", "status", "created_at", "updated_at", "test", "deleted")

// event reads an event. It is alone in its memory, as it is kept.
func (r *Reader) event() *Event {
	e := new(Event)
	for more := r.begin('{', '}'); more; more = r.more('}') {
		field, has := r.member()
		if !has {
			continue
		}
		switch field {
		case eventID:
			e.ID = string(r.text())
		case eventTitle:
			e.Title = string(r.text())
		case eventDate:
			e.Date = string(r.text())
		case eventDoors:
			e.DoorsAt = r.time()
		case eventStarts:
			e.StartsAt = r.time()
		case eventEnds:
			e.EndsAt = r.time()
		case eventIntervalStarts:
			e.IntervalStartsAt = r.time()
		case eventIntervalEnds:
			e.IntervalEndsAt = r.time()
		case eventHall:
			e.Hall = r.word()
		case eventSeries:
			e.Series = r.word()
		case eventTypes:
			e.TicketTypes = []TicketType{}
			for more := r.begin('[', ']'); more; more = r.more(']') {
				e.TicketTypes = append(e.TicketTypes, TicketType{})
				r.ticketType(&e.TicketTypes[len(e.TicketTypes)-1])
			}
		case eventState:
			e.Status = EventStatus(r.word())
		case eventCreated:
			e.CreatedAt = r.time()
		case eventUpdated:
			e.UpdatedAt = r.time()
		default:
			r.eventEnd(e, field)
		}
	}
	return e
}

// eventEnd takes the values of the other fields.
func (r *Reader) eventEnd(e *Event, field int) {
	switch field {
	case eventAvailable:
		e.Available = r.number()
	case eventUndated:
		e.Undated = r.flag()
	case eventCapacity:
		e.Capacity = r.number()
	case eventUnlimited:
		e.Unlimited = r.flag()
	case eventBlocked:
		e.Blocked = r.number()
	case eventReserved:
		e.Reserved = r.number()
	case eventSold:
		e.Sold = r.number()
	case eventTest:
		e.Test = r.flag()
	case eventDeleted:
		e.Deleted = r.flag()
	}
}

func (r *Reader) number() *int { return new(int(r.integer())) }

func (r *Reader) ticketType(t *TicketType) {
	seen := 0
	for more := r.begin('{', '}'); more; more = r.more('}') {
		this := 0
		name, _ := r.quoted()
		switch r.colon(); string(name) {
		case "id":
			this, t.ID = 1, r.word()
		case "name":
			this, t.Name = 2, r.word()
		case "capacity":
			this, t.Capacity = 4, r.number()
		case "price":
			this, t.Price = 8, r.money(new(Money))
		}
		if this == 0 || seen&this != 0 {
			r.fail()
		}
		seen |= this
	}
}

// The fields of a scan, in the order of scanNames.
const (
	scanID = iota
	scanTicket
	scanEvent
	scanAt
	scanGate
	scanDirection
	scanResult
	scanUndone
	scanUpdated
	scanDeleted
)

var scanNames = namesOf("id", "ticket_id", "event_id", "at", "gate", "direction", "result", "undone", "updated_at", "deleted")

func (r *Reader) ticketScan() *TicketScan {
	if len(r.scans) == 0 {
		r.scans = make([]TicketScan, rowsAtOnce)
	}
	s := &r.scans[0]
	r.scans = r.scans[1:]
	for more := r.begin('{', '}'); more; more = r.more('}') {
		field, has := r.member()
		if !has {
			continue
		}
		switch field {
		case scanID:
			r.own(&s.ID)
		case scanTicket:
			r.own(&s.TicketID)
		case scanEvent:
			s.EventID = r.word()
		case scanAt:
			s.At = r.time()
		case scanGate:
			s.Gate = r.word()
		case scanDirection:
			s.Direction = Direction(r.word())
		case scanResult:
			s.Result = r.word()
		case scanUndone:
			s.Undone = r.flag()
		case scanUpdated:
			s.UpdatedAt = r.time()
		case scanDeleted:
			s.Deleted = r.flag()
		}
	}
	return s
}
