package record

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Limits beyond which a value makes no sense.
const (
	MaxID       = 200 // bytes
	maxText     = 500 // runes; longer text is cut
	MaxReason   = 120 // runes, likewise
	maxList     = 10_000
	maxPlaces   = 10_000_000
	maxQuantity = 100_000
	MaxAmount   = 10_000_000_000_000 // minor units
)

var (
	Earliest = time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	Latest   = time.Date(2201, 1, 1, 0, 0, 0, 0, time.UTC) // not included
)

// checker collects the first fault of a record.
type checker struct {
	field string
	why   Message
	// printable is true if all texts of the record are known to be printable ASCII, as of most that are read quickly.
	printable bool
}

func (c *checker) fault(field string, why Message) {
	if c.why.IsZero() {
		c.field, c.why = field, why
	}
}

// CheckID returns what is wrong with an identifier, zero if nothing is.
func CheckID(id string) (why Message) {
	var c checker
	c.id("", id)
	return c.why
}

// id checks a required identifier.
func (c *checker) id(field, s string) {
	if s == "" {
		c.fault(field, Say("is missing"))
	}
	c.ref(field, s)
}

// ref checks an optional identifier. A replacement character stands for invalid UTF-8: different
// ids could become equal.
func (c *checker) ref(field, s string) {
	switch {
	case len(s) > MaxID:
		c.fault(field, Say("is longer than {most} bytes", Number("most", MaxID)))
	case !c.printable && !printableASCII(s) && strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }):
		c.fault(field, Say("has a control character or is not UTF-8"))
	}
}

// printableASCII reports whether s has only printable ASCII characters; it is a fast path.
func printableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// text makes texts fit for display; they are never a reason to refuse a record.
func (c *checker) text(texts ...*string) {
	for _, s := range texts {
		if !c.printable || len(*s) > maxText {
			*s = CleanText(*s)
		}
	}
}

func (c *checker) number(field string, n *int, least, most int) {
	if n != nil && (*n < least || *n > most) {
		c.fault(field, Say("is {value}, which is not within {least} and {most}", Number("value", *n), Number("least", least), Number("most", most)))
	}
}

func (c *checker) list(field string, length int) {
	if length > maxList {
		c.fault(field, Say("has more than {most} entries", Number("most", maxList)))
	}
}

// money checks an amount and converts its currency to upper case. Nil is valid.
func (c *checker) money(field string, m *Money, least int64) {
	if m == nil {
		return
	}
	if m.Amount < least || m.Amount > MaxAmount {
		c.fault(field, Say("is {value} minor units, which is not within {least} and {most}", Number("value", m.Amount), Number("least", least), Number("most", int64(MaxAmount))))
	}
	if isCurrency(m.Currency) {
		return
	}
	if m.Currency = strings.ToUpper(m.Currency); !isCurrency(m.Currency) {
		c.fault(field, Say("has {value} for its currency, which is not three letters", Of("value", Describe(m.Currency))))
	}
}

// isCurrency reports whether s is three capital letters.
func isCurrency(s string) bool {
	return len(s) == 3 && s[0]-'A' < 26 && s[1]-'A' < 26 && s[2]-'A' < 26
}

// time checks a time and converts it to UTC, so that equal times are equal values.
func (c *checker) time(field string, t *time.Time) {
	if t.IsZero() {
		*t = time.Time{}
		return
	}
	*t = t.UTC()
	if t.Before(Earliest) || !t.Before(Latest) {
		c.fault(field, OutOfRange(*t))
	}
}

// OutOfRange describes a time that is not between Earliest and Latest.
func OutOfRange(t time.Time) Message {
	return Say("is in the year {year}", Verbatim("year", strconv.Itoa(t.Year())))
}

func (c *checker) date(field, s string) {
	t, err := time.Parse(time.DateOnly, s)
	switch {
	case s == "":
		c.fault(field, Say("is missing"))
	case err != nil:
		c.fault(field, Say("is no date like {example}: {value}", Verbatim("example", "2026-11-21"), Of("value", Describe(s))))
	case t.Before(Earliest) || !t.Before(Latest):
		c.fault(field, OutOfRange(t))
	}
}

func (e *Event) tidy(c *checker) {
	c.id("id", e.ID)
	c.ref("series_id", e.Series)
	c.text(&e.Title, &e.Hall)
	if e.Undated = e.Undated && e.Date == "" && e.StartsAt.IsZero(); !e.Undated {
		c.date("date", e.Date)
	}
	c.time("doors_at", &e.DoorsAt)
	c.time("starts_at", &e.StartsAt)
	c.time("ends_at", &e.EndsAt)
	c.time("interval_starts_at", &e.IntervalStartsAt)
	c.time("interval_ends_at", &e.IntervalEndsAt)
	c.time("created_at", &e.CreatedAt)
	c.time("updated_at", &e.UpdatedAt)
	c.number("available", e.Available, -maxPlaces, maxPlaces)
	c.number("capacity", e.Capacity, 0, maxPlaces)
	c.number("blocked", e.Blocked, 0, maxPlaces)
	c.number("reserved", e.Reserved, 0, maxPlaces)
	c.number("sold", e.Sold, 0, maxPlaces)
	c.list("ticket_types", len(e.TicketTypes))
	for i := range e.TicketTypes {
		t := &e.TicketTypes[i]
		c.ref("ticket_types.id", t.ID)
		c.text(&t.Name)
		c.number("ticket_types.capacity", t.Capacity, 0, maxPlaces)
		c.money("ticket_types.price", t.Price, 0)
	}
	if !slices.ContainsFunc(e.TicketTypes, func(t TicketType) bool { return t.ID == "" }) {
		slices.SortStableFunc(e.TicketTypes, func(a, b TicketType) int { return cmp.Compare(a.ID, b.ID) })
	}
	e.Status = canonicalWord(e.Status, eventStatus)
}

func (t *Ticket) tidy(c *checker) {
	c.id("id", t.ID)
	if t.Kind = canonicalWord(t.Kind, extraKind); t.Kind == noExtra {
		t.Kind = ""
	}
	if t.Kind == "" {
		c.id("event_id", t.EventID)
	} else {
		c.ref("event_id", t.EventID)
		if t.Price == nil && !t.Deleted {
			c.fault("price", Say("is missing"))
		}
	}
	c.ref("replaces", t.Replaces)
	c.ref("order_id", t.OrderID)
	c.ref("contact_id", t.ContactID)
	c.ref("type.id", t.Type.ID)
	c.text(&t.Type.Name, &t.Seat, &t.Channel, &t.Referral, &t.DiscountCode)
	c.number("quantity", t.Quantity, -maxQuantity, maxQuantity)
	c.money("price", t.Price, 0)
	c.money("fee", t.Fee, 0)
	c.money("vat", t.VAT, 0)
	c.time("created_at", &t.CreatedAt)
	c.time("sold_at", &t.SoldAt)
	c.time("cancelled_at", &t.CancelledAt)
	c.time("held_until", &t.HeldUntil)
	c.time("updated_at", &t.UpdatedAt)
	t.Status = canonicalWord(t.Status, ticketStatus)
	t.Scans = c.scans(t.Scans)
	if t.Deleted {
		t.forget()
	}
}

// scans cleans a ticket's scans and sorts them by time. A scan without a direction is a fault. One with an
// unknown direction is stored as it is: it says that somebody passed, but not which way.
func (c *checker) scans(scans []Scan) []Scan {
	c.list("scans", len(scans))
	for i := range scans {
		c.scan("scans.at", "scans.direction", &scans[i])
	}
	slices.SortStableFunc(scans, func(a, b Scan) int { return a.At.Compare(b.At) })
	return scans
}

// scan cleans a scan; at and direction are the paths of its fields.
func (c *checker) scan(at, direction string, s *Scan) {
	c.time(at, &s.At)
	c.text(&s.Gate, &s.Result)
	s.Direction = canonicalWord(s.Direction, directions)
	s.Result = strings.ToLower(s.Result)
	if s.Direction == "" {
		c.fault(direction, Say("is missing"))
	}
}

func (p *Payment) tidy(c *checker) {
	c.id("id", p.ID)
	c.ref("order_id", p.OrderID)
	c.ref("event_id", p.EventID)
	c.ref("parent_id", p.ParentID)
	c.ref("contact_id", p.ContactID)
	c.list("ticket_ids", len(p.TicketIDs))
	for _, id := range p.TicketIDs {
		c.id("ticket_ids", id)
	}
	slices.Sort(p.TicketIDs)
	c.money("amount", &p.Amount, -MaxAmount)
	c.money("amount_refunded", p.AmountRefunded, 0)
	c.text(&p.Method)
	p.Reason = cleanReason(p.Reason)
	c.time("created_at", &p.CreatedAt)
	c.time("paid_at", &p.PaidAt)
	c.time("updated_at", &p.UpdatedAt)
	p.Status = canonicalWord(p.Status, paymentStatus)
	p.Kind = canonicalWord(p.Kind, paymentKind)
	if p.Deleted {
		p.forget()
	}
	if p.Amount.Amount >= 0 {
		return
	}
	switch p.Kind {
	case "", KindOfPayment, KindOfRefund: // a refund may come as a negative payment or with its sign
		p.Kind = KindOfRefund
	case KindOfChargeback:
	default:
		kind := Of("kind", Describe(string(p.Kind)))
		if p.Kind == KindOfReversal {
			kind = Verbatim("kind", string(p.Kind))
		}
		c.fault("amount", Say("is negative for a kind of payment of which the sign is not known: {kind}", kind))
	}
	p.Amount.Amount = -p.Amount.Amount
}

func (c *Contact) tidy(check *checker) {
	check.id("id", c.ID)
	check.text(&c.City, &c.Country)
	c.PostalArea = postalArea(CleanText(c.PostalArea))
	check.list("types", len(c.Types))
	if len(c.Types) <= maxList {
		for i := range c.Types {
			check.text(&c.Types[i])
		}
		slices.Sort(c.Types)
	}
	check.time("created_at", &c.CreatedAt)
	check.time("updated_at", &c.UpdatedAt)
	if c.Deleted {
		c.forget()
	}
}

func (p *Planning) tidy(c *checker) {
	c.id("id", p.ID)
	c.ref("event_id", p.EventID)
	c.text(&p.Title, &p.Location)
	c.time("starts_at", &p.StartsAt)
	c.time("ends_at", &p.EndsAt)
	c.time("created_at", &p.CreatedAt)
	c.time("updated_at", &p.UpdatedAt)
	c.number("expected_visitors", p.ExpectedVisitors, 0, maxPlaces)
	c.number("capacity", p.Capacity, 0, maxPlaces)
	c.number("available", p.Available, -maxPlaces, maxPlaces)
	for _, id := range p.TicketTypes {
		c.ref("ticket_types", id)
	}
	c.money("budget_revenue", p.BudgetRevenue, 0)
	c.money("budget_marketing", p.BudgetMarketing, 0)
	p.Kind = canonicalWord(p.Kind, planningKind)
	p.Status = canonicalWord(p.Status, planningStatus)
}

// UnmarshalJSON derives the postal area from the postal code. Other personal data has no field here
// and is not read.
func (c *Contact) UnmarshalJSON(b []byte) error {
	type plain Contact // without this method
	read := struct {
		*plain
		PostalCode string `json:"postal_code"`
	}{plain: (*plain)(c)}
	if err := json.Unmarshal(b, &read); err != nil {
		return err
	}
	if read.PostalCode != "" {
		c.PostalArea = postalArea(read.PostalCode)
	}
	return nil
}

// postalArea returns the first four characters of a postal code.
func postalArea(code string) string {
	runes := []rune(strings.TrimSpace(code))
	return strings.TrimSpace(string(runes[:min(len(runes), 4)]))
}

// CleanText replaces control characters and cuts text that is too long. Nothing else is removed.
// The JSON decoder has already replaced invalid UTF-8.
func CleanText(s string) string {
	if !printableASCII(s) && strings.ContainsFunc(s, unicode.IsControl) {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == '\t' || r == '\n' || r == '\r':
				return ' '
			case unicode.IsControl(r):
				return utf8.RuneError
			}
			return r
		}, s)
	}
	if len(s) > maxText && utf8.RuneCountInString(s) > maxText {
		runes := []rune(s)
		s = string(runes[:maxText-1]) + "…"
	}
	return s
}

// cleanReason returns the reason of a refund on one line: without control and invisible characters, which could reorder the text
// around it, and cut.
func cleanReason(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && unicode.In(r, unicode.Cc, unicode.Cf) {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > MaxReason && utf8.RuneCountInString(s) > MaxReason {
		s = strings.TrimRight(string([]rune(s)[:MaxReason-1]), " ") + "…"
	}
	return s
}

// canonicalWord returns our word for s, ignoring case and separators. An unknown word is returned
// as it is.
func canonicalWord[S ~string](s S, known map[string]S) S {
	if w, ok := known[string(s)]; ok || s == "" {
		return w
	}
	plain := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' {
			return '_'
		}
		return unicode.ToLower(r)
	}, strings.TrimSpace(string(s)))
	return cmp.Or(known[plain], S(CleanText(string(s))))
}

// Our words by the service's, with both spellings of cancelled and unambiguous synonyms.
var (
	eventStatus = map[string]EventStatus{
		"draft": EventDraft, "on_sale": EventOnSale, "sales_closed": EventSalesClosed, "sold_out": EventSoldOut,
		"cancelled": EventCancelled, "canceled": EventCancelled, "postponed": EventPostponed, "ended": EventEnded,
	}
	ticketStatus = map[string]TicketStatus{
		"reserved": TicketReserved, "valid": TicketValid, "void": TicketVoid, "voided": TicketVoid,
		"cancelled": TicketVoid, "canceled": TicketVoid, "refunded": TicketRefunded, "expired": TicketExpired,
	}
	extraKind     = map[string]ExtraKind{"ticket": noExtra, "fee": ExtraFee, "goods": ExtraGoods, "donation": ExtraDonation}
	paymentStatus = map[string]PaymentStatus{
		"open": PaymentOpen, "pending": PaymentPending, "authorized": PaymentAuthorized, "authorised": PaymentAuthorized,
		"paid": PaymentPaid, "settled": PaymentPaid, "succeeded": PaymentPaid,
		"failed": PaymentFailed, "canceled": PaymentCanceled, "cancelled": PaymentCanceled, "expired": PaymentExpired,
		"refunded": PaymentRefunded, "charged_back": PaymentChargedBack, "chargedback": PaymentChargedBack,
	}
	paymentKind = map[string]PaymentKind{
		"payment": KindOfPayment, "refund": KindOfRefund, "chargeback": KindOfChargeback, "reversal": KindOfReversal,
	}
	planningStatus = map[string]string{
		"option": "option", "confirmed": "confirmed", "completed": "completed", "cancelled": "cancelled", "canceled": "cancelled",
	}
	planningKind = map[string]string{
		"show": "show", "rehearsal": "rehearsal", "build_up": "build_up", "hall": "hall", "resource": "resource", "shift": "shift", "limit": PlanningLimit, "other": "other",
	}
	directions = map[string]Direction{"entry": Entry, "in": Entry, "exit": Exit, "out": Exit}
)
