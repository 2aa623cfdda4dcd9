package profile

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"housecount/apiclient/record"
)

// draftFormats are the ways of writing times that Draft knows, most certain first.
var draftFormats = []string{
	"rfc3339", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", "02-01-2006 15:04:05", "02-01-2006 15:04", "02/01/2006 15:04",
	"02.01.2006 15:04", "20060102150405", "2006-01-02", "02-01-2006", "02/01/2006", "02.01.2006", "20060102", "unix", "unix_ms",
}

var (
	nestedNames  = regexp.MustCompile(`ticket|seat|position|attendee|place|purchase|plaats|stoel|kaart|item|line|admission`)
	numberFields = regexp.MustCompile(`^(capacity|available|reserved|blocked|sold|quantity|expected_visitors)$`)
)

// draftKinds say by the name of a list what it may give.
var draftKinds = []struct {
	kind  record.Kind
	names *regexp.Regexp
}{
	{record.KindScan, regexp.MustCompile(`scan|checkin|entrance|admission|turnstile|gate`)},
	{record.KindPayment, regexp.MustCompile(`payment|transaction|charge|refund|betaling|zahlung`)},
	{record.KindContact, regexp.MustCompile(`customer|contact|relation|klant|kunde`)},
	{record.KindTicket, regexp.MustCompile(`ticket|order|sale|booking|attendee|purchase|seat|line|kaart|reserv|bestel`)},
	{record.KindEvent, regexp.MustCompile(`event|show|performance|session|instance|production|voorstelling|agenda|programme|film|veranstaltung`)},
}

// kindOf guesses what the rows of a list are.
func (d *draft) kindOf(list string, rows []map[string]any) record.Kind {
	for _, k := range draftKinds {
		if k.names.MatchString(plainName(list)) {
			return k.kind
		}
	}
	for _, c := range columnsOf(rows, ".") {
		if strings.Contains(c.name, "event") || strings.Contains(c.name, "price") {
			return record.KindTicket
		}
	}
	return record.KindEvent
}

// draftField says by which names of members a field of ours may come, likeliest first.
type draftField struct {
	field string
	names string // a regular expression of a plain name
	words string // key in record.Vocabulary, for a state
}

var draftFields = map[record.Kind][]draftField{
	record.KindEvent: {
		{"id", `^(id|guid|uuid|nr|number|code|key|slug|.*eventid|.*showid)$`, ""},
		{"title", `^(title|name|naam|titel|omschrijving)$|title$|name$`, ""},
		{"starts_at", `^(starts?|start(s?at|ts|time|date(time)?)|begin(s|t|time)?|aanvang|datetime|when)$|start`, ""},
		{"ends_at", `^(ends?|end(s?at|ts|time|date(time)?)|finish|eind)$`, ""},
		{"date", `^(date|day|datum|dag)$`, ""},
		{"hall", `hall|venue|location|room|zaal|saal|locatie`, ""},
		{"capacity", `capacity|capaciteit|kapazit|^seats$|^places$|^total(size|places)?$`, ""},
		{"available", `available|free|left|beschikbaar|vrij`, ""},
		{"reserved", `reserved|held|gereserveerd`, ""},
		{"status", `status|state`, "event.status"},
		{"updated_at", `updat|chang|modif|edit|gewijzigd`, ""},
	},
	record.KindTicket: {
		{"id", `^(id|guid|uuid|nr|number|code|key|ticketid|ticketnr|barcode|line(id|nr)?)$|ticketid`, ""},
		{"event_id", `event(id|nr)?$|show(id|nr)?$|performance(id|nr)?$|instance(id)?$|voorstelling|session(id)?$`, ""},
		{"order_id", `^(order|booking|reservation|purchase|transaction|bestelling)(id|nr|number|code|reference)?$`, ""},
		{"type", `^(type|tickettype|tickettypeid|rate|rang|category|pricetype|typename)(id|name)?$`, ""},
		{"quantity", `^(quantity|count|number|aantal|qty|ticketcount|persons)$`, ""},
		{"price", `^(price|amount|prijs|preis|bedrag|gross|total|value|each)$|price$`, ""},
		{"fee", `^(fee|servicecharge|servicefee|bookingfee|kosten)$`, ""},
		{"vat", `^(vat|tax|btw|mwst)(amount|value)?$`, ""},
		{"status", `status|state`, "ticket.status"},
		{"seat", `^(seat|seatname|label|stoel|platz)$`, ""},
		{"sold_at", `^(sold|soldat|paid|paidat|purchased|ordered|besteld|gekocht|made|madeat|booked|createdat|created|at|date)(at|ts|on)?$`, ""},
		{"updated_at", `updat|chang|modif|edit|gewijzigd`, ""},
	},
	record.KindPayment: {
		{"id", `^(id|guid|uuid|nr|number|code|key|paymentid|reference)$`, ""},
		{"order_id", `^(order|booking|reservation|purchase|bestelling)(id|nr|number|code)?$`, ""},
		{"amount", `^(amount|total|bedrag|value|gross|sum)$|amount$`, ""},
		{"status", `status|state`, "payment.status"},
		{"method", `method|provider|type`, ""},
		{"paid_at", `paid|settled|date|created|at$`, ""},
		{"updated_at", `updat|chang|modif|edit`, ""},
	},
	record.KindScan: {
		{"id", `^(id|guid|uuid|nr|number|code|key|scanid)$`, ""},
		{"ticket_id", `ticket(id|nr)?$|barcode`, ""},
		{"event_id", `event(id|nr)?$|show(id|nr)?$|performance(id)?$`, ""},
		{"at", `^(at|time|when|date|datetime|scanned|scannedat|created|createdat|timestamp|moment)$|at$`, ""},
		{"direction", `direction|way|type`, "scan.direction"},
		{"gate", `gate|door|entrance|device|ingang`, ""},
	},
	record.KindContact: {
		{"id", `^(id|guid|uuid|nr|number|code|key|customerid)$`, ""},
		{"postal_code", `postal|postcode|zip|plz`, ""},
		{"created_at", `created|made|since`, ""},
		{"updated_at", `updat|chang|modif|edit`, ""},
	},
}

// guessedField is a field with the jq program of its value.
type guessedField struct{ name, value string }

// fields guesses the fields of a record from the members of its row, and of the row around it if nested is set.
func (d *draft) fields(kind record.Kind, own []*column, nested bool, around []*column) (all []guessedField) {
	used := map[*column]bool{}
	for _, f := range draftFields[kind] {
		c := d.findColumn(f, own, used)
		if c == nil && nested && f.field != "id" && f.field != "price" {
			c = d.findColumn(f, around, used)
		}
		if c == nil && nested && f.field == "order_id" { // the row around a ticket is its order
			c = d.findColumn(draftField{field: f.field, names: draftFields[kind][0].names}, around, used)
		}
		if c == nil {
			switch {
			case f.field == "id":
				d.guess("%s, id: none was found; it is .id until you say what it is", kind)
				all = append(all, guessedField{"id", ".id"})
			case f.field == "status" && kind == record.KindTicket:
				d.guess("no state of a ticket was found: every one is valid until you say where it is")
				all = append(all, guessedField{"status", `"valid"`})
			case f.field == "direction":
				all = append(all, guessedField{"direction", `"entry"`})
			}
			continue
		}
		used[c] = true
		d.guess("%s, %s: %s", kind, f.field, c.path)
		value := c.path
		if f.field == "type" {
			value = "{id: " + c.path + ", name: (" + c.path + " | tostring)}"
		}
		if f.words != "" {
			d.noteWords(f.words, c)
		}
		all = append(all, guessedField{f.field, value})
	}
	return all
}

// findColumn returns the first column with a fitting name and values.
func (d *draft) findColumn(f draftField, columns []*column, used map[*column]bool) *column {
	isTime := strings.HasSuffix(f.field, "_at") || f.field == "at" || f.field == "date"
	for _, alternative := range strings.SplitAfterN(f.names, "$|", 2) { // a whole name goes before a part of one
		part := regexp.MustCompile(strings.TrimSuffix(alternative, "|"))
		for _, c := range columns {
			switch {
			case used[c] || !part.MatchString(c.name) && !part.MatchString(c.whole):
			case isTime && !d.noteTimes(c):
			case f.field == "price" || f.field == "fee" || f.field == "vat" || f.field == "amount":
				if d.noteAmounts(c, columns) {
					return c
				}
			case numberFields.MatchString(f.field) && !allIntegers(c):
			default:
				return c
			}
		}
	}
	return nil
}

func allIntegers(c *column) bool {
	for _, v := range c.values {
		n, ok := v.(json.Number)
		if _, err := strconv.ParseInt(n.String(), 10, 64); !ok || err != nil {
			return false
		}
	}
	return true
}

// noteTimes reports whether the values are times, and notes how they are written.
func (d *draft) noteTimes(c *column) bool {
	for _, name := range draftFormats {
		f, _ := newTimeFormat(name)
		fits := true
		for _, v := range c.values {
			text, ok := scalarOf(v)
			if fits = fits && ok && text != ""; !fits {
				break
			}
			if f.layout == "" {
				n, err := strconv.ParseInt(text, 10, 64)
				low, high := int64(600_000_000), int64(7_000_000_000)
				if name == "unix_ms" {
					low, high = low*1000, high*1000
				}
				fits = err == nil && n > low && n < high
			} else if _, isTime := parseTime(text, []timeFormat{f}, loadZone("UTC")); !isTime {
				fits = false
			}
		}
		if fits && len(c.values) > 0 {
			if name != "2006-01-02" || c.name != "date" {
				d.times[name] = true
			}
			return true
		}
	}
	return false
}

// noteAmounts reports whether the values are amounts of money, and notes how they are written.
func (d *draft) noteAmounts(c *column, columns []*column) bool {
	major, comma := false, false
	for _, v := range c.values {
		text, ok := scalarOf(v)
		if _, isBool := v.(bool); !ok || isBool {
			return false
		}
		switch {
		case amountText.MatchString(text):
			major = major || strings.Contains(text, ".")
		case commaText.MatchString(text):
			comma = true
		default:
			return false
		}
	}
	beside := false
	for _, other := range columns {
		beside = beside || other.name == "currency"
	}
	d.amounts, d.major, d.comma, d.money = true, d.major || major, d.comma || comma, d.money || !beside
	return true
}

// draftWords are words of services whose meaning is clear.
var draftWords = map[string]map[string]string{
	"ticket.status": {"sold": "valid", "paid": "valid", "confirmed": "valid", "active": "valid", "complete": "valid", "completed": "valid", "betaald": "valid", "booked": "valid", "ok": "valid",
		"option": "reserved", "pending": "reserved", "open": "reserved", "unpaid": "reserved", "held": "reserved", "deleted": "void", "gone": "void", "geannuleerd": "void", "returned": "refunded"},
	"event.status":   {"published": "on_sale", "live": "on_sale", "active": "on_sale", "open": "on_sale", "onsale": "on_sale", "closed": "sales_closed", "concept": "draft", "soldout": "sold_out"},
	"payment.status": {"confirmed": "paid", "complete": "paid", "completed": "paid", "success": "paid", "betaald": "paid", "created": "open", "done": "paid"},
	"scan.direction": {"i": "entry", "o": "exit", "in": "entry", "out": "exit", "arrival": "entry", "departure": "exit"},
}

// noteWords notes what the words of a state mean, as far as that is clear.
func (d *draft) noteWords(field string, c *column) {
	known := map[string]bool{}
	for _, w := range record.Vocabulary[field] {
		known[w] = true
	}
	for _, v := range c.values {
		word, ok := scalarOf(v)
		key := wordKey(word)
		if !ok || word == "" || len(word) > 60 || known[strings.ReplaceAll(key, " ", "_")] || !Printable(word) {
			continue
		}
		if d.words[field] == nil {
			d.words[field] = map[string]string{}
		}
		if len(d.words[field]) < 50 {
			d.words[field][key] = draftWords[field][plainName(key)]
		}
	}
}
