package profile

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/record"
)

// draftFormats are the ways of writing times that Draft knows, most certain first.
var draftFormats = []string{
	"rfc3339", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", "02-01-2006 15:04:05", "02-01-2006 15:04", "02/01/2006 15:04:05", "02/01/2006 15:04",
	"02.01.2006 15:04:05", "02.01.2006 15:04", "01/02/2006 15:04:05", "01/02/2006 15:04", "20060102150405", "2006-01-02", "02-01-2006", "02/01/2006", "02.01.2006", "01/02/2006", "20060102", "unix", "unix_ms",
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
	{record.KindScan, regexp.MustCompile(`scan|checkin|entrance|admission|turnstile|gate|einlass|controle|ingressi`)},
	{record.KindPayment, regexp.MustCompile(`payment|transaction|charge|refund|receipt|settlement|betaling|ontvangst|zahlung|einnahme|paiement|reglement|encaissement|pago|cobro|pagament|incass|platnosc|wplat`)},
	{record.KindContact, regexp.MustCompile(`customer|contact|relation|klant|kunde|client`)},
	{record.KindTicket, regexp.MustCompile(`ticket|order|sale|booking|attendee|purchase|seat|line|kaart|reserv|bestel|billet|entrada|bigliett|karten|buchung|commande|vente|bilet`)},
	{record.KindEvent, regexp.MustCompile(`event|show|performance|session|instance|production|voorstelling|agenda|programme|film|veranstaltung|vorstellung|spectacle|representation|seance|evento|funcion|spettacol`)},
}

// kindByName returns what a list gives by its name; empty if that does not say it.
func kindByName(list string) record.Kind {
	for _, k := range draftKinds {
		if k.names.MatchString(plainName(list)) {
			return k.kind
		}
	}
	return ""
}

// methodNames match the name of a member that says how somebody paid, and wayNames values that do.
var (
	methodNames = regexp.MustCompile(`^(payment)?(method|means)$|paymethod|methode|moyen|zahlart|zahlungsart|betaalwijze|betaalmethode|psp|iban|mediodepago|metodo`)
	wayNames    = regexp.MustCompile(`^(i?deal|bancontact|paypal|sofort|sepa|klarna|visa|mastercard|maestro|amex|credit_?card|debit_?card|card|cash|pin|bar|contant|especes|carte|efectivo|tarjeta|contanti|carta)$`)
)

// kindByMembers returns what a list gives by what its rows have. Money that names no performance and holds no tickets is a payment
// where it names an order or a ticket of another list, or says how it was paid.
func (l *draftList) kindByMembers() record.Kind {
	money, event, ticket, method := false, false, false, false
	for _, c := range l.own {
		money = money || strings.Contains(c.name, "price") || isDecimal(c)
		event = event || strings.Contains(c.name, "event") || c.refers != nil && c.refers.kind == record.KindEvent
		ticket = ticket || c.refers != nil && c.refers.kind == record.KindTicket
		method = method || methodNames.MatchString(c.name) || len(c.values) > 0 && !slices.ContainsFunc(c.values, func(v any) bool {
			text, ok := v.(string)
			return !ok || !wayNames.MatchString(strings.ToLower(text))
		})
	}
	_, holds := nestedRows(record.KindTicket, l.rows)
	switch {
	case ticket && !money:
		return record.KindScan
	case money && !event && holds == "" && (ticket || method):
		return record.KindPayment
	case money || event || ticket:
		return record.KindTicket
	}
	return record.KindEvent
}

// guessedField is a field with the jq program of its value.
type guessedField struct{ name, value string }

// fields guesses the fields of a list's records from the members of its row, and of the row around it if there is
// one. open are the fields that matter and were not found.
func (d *draft) fields(l *draftList, around []*column) (all []guessedField, open []string) {
	found := map[string]*column{}
	for _, f := range draftFields[l.kind] {
		c, how := d.findReference(l, f.field), ", whose values are ids there"
		if c == nil {
			c, how = d.findColumn(l, f, l.own), ""
		}
		if c == nil && f.field != "id" && f.field != "price" {
			c = d.findColumn(l, f, around)
		}
		if c == nil && around != nil && f.field == "order_id" { // the row around a ticket is its order
			c = d.findColumn(l, draftFields[l.kind][0], around)
		}
		if c != nil {
			l.used[c], found[f.field] = true, c
			d.guess("%s, %s: %s%s", l.kind, f.field, c.path, how)
		}
	}
	d.byValues(l, found)
	if starts := d.dayAndHour(l, found); starts != "" {
		d.guess("event, starts_at: %s", starts)
		all = append(all, guessedField{"starts_at", starts})
	}
	for _, f := range draftFields[l.kind] {
		c := found[f.field]
		if c != nil {
			all = append(all, d.guessed(f, c, l))
			continue
		}
		switch {
		case f.field == "id":
			d.guess("%s, id: none was found; it is .id until you say what it is", l.kind)
			all = append(all, guessedField{"id", ".id"})
		case f.field == "status" && l.kind == record.KindTicket:
			d.guess("no state of a ticket was found: every one is valid until you say where it is")
			all = append(all, guessedField{"status", `"valid"`})
		case f.field == "direction":
			all = append(all, guessedField{"direction", `"entry"`})
		}
		if slices.Contains(draftNeeds[l.kind], f.field) && (f.field != "starts_at" || found["date"] == nil && all[0].name != "starts_at") {
			open = append(open, f.field)
		}
	}
	return all, open
}

// draftNeeds are the fields that a record is of little use without.
var draftNeeds = map[record.Kind][]string{
	record.KindEvent: {"id", "title", "starts_at", "capacity"}, record.KindTicket: {"id", "event_id", "price", "status", "sold_at"},
	record.KindPayment: {"id", "order_id", "amount", "status", "paid_at"}, record.KindScan: {"ticket_id", "at", "direction"}, record.KindContact: {"id"},
}

// guessed returns a field that comes from a column, and notes the words of a state.
func (d *draft) guessed(f draftField, c *column, l *draftList) guessedField {
	value := c.path
	if f.field == "type" {
		value = "{id: " + c.path + ", name: (" + c.path + " | tostring)}"
		object := c.path[:strings.LastIndex(c.path, ".")+1]
		for _, other := range l.own { // the name of a type that is an object
			if strings.Count(object, ".") > 1 && strings.HasPrefix(other.path, object) && other != c && typeNames.MatchString(other.name) {
				l.used[other] = true
				value = "{id: " + c.path + ", name: " + other.path + "}"
				break
			}
		}
	}
	if f.words != "" {
		d.noteWords(f.words, c)
	}
	return guessedField{f.field, value}
}

var typeNames = regexp.MustCompile(`^(name|title|label|naam|bezeichnung|libelle|nom|nombre|nome|nazwa|description)$`)

// draftReferences are the fields that name a row of a list of another kind.
var draftReferences = map[string]record.Kind{"event_id": record.KindEvent, "ticket_id": record.KindTicket}

// findReference returns the column whose values are ids of a list of the kind that a field names.
func (d *draft) findReference(l *draftList, field string) *column {
	for _, c := range slices.Concat(l.own, l.around) {
		if kind := draftReferences[field]; kind != "" && c.refers != nil && c.refers.kind == kind && !l.used[c] {
			return c
		}
	}
	return nil
}

// findColumn returns the first of the columns with a fitting name and values. A whole name goes before a part of one.
func (d *draft) findColumn(l *draftList, f draftField, columns []*column) *column {
	if f.field == "id" && l.id != nil && !l.used[l.id] && slices.Contains(columns, l.id) {
		return l.id
	}
	for _, names := range []string{"^(?:" + f.whole + ")$", f.part} {
		if names == "" || names == "^(?:)$" {
			continue
		}
		fitting := regexp.MustCompile(names)
		for _, c := range columns {
			if !l.used[c] && (fitting.MatchString(c.name) || fitting.MatchString(c.whole)) && d.fits(f.field, c, columns) {
				return c
			}
		}
	}
	return nil
}

// fits reports whether the values of a column can be those of a field, and notes how times and amounts are written.
func (d *draft) fits(field string, c *column, columns []*column) bool {
	switch {
	case field == "id":
		return c.distinct() == len(c.values)
	case field == "date":
		return d.noteTimes(c, isDay)
	case isMoment(field):
		return d.noteTimes(c, func(format string) bool { return field != "starts_at" || !isDay(format) })
	case field == "price" || field == "fee" || field == "vat" || field == "amount":
		return d.noteAmounts(c, columns)
	case numberFields.MatchString(field):
		return allIntegers(c)
	}
	return true
}

func isMoment(field string) bool { return strings.HasSuffix(field, "_at") || field == "at" }

// isDay reports whether a format of times is one of a day without an hour.
func isDay(format string) bool {
	return strings.Contains(format, "2006") && !strings.Contains(format, "15")
}

// byValues guesses what no name told by what the values are: times, the only amounts, the only few words.
func (d *draft) byValues(l *draftList, found map[string]*column) {
	take := func(field string, c *column) {
		known := slices.ContainsFunc(draftFields[l.kind], func(f draftField) bool { return f.field == field })
		if c != nil && known && found[field] == nil && d.fits(field, c, l.own) {
			l.used[c], found[field] = true, c
			d.guess("%s, %s: %s, by its values alone", l.kind, field, c.path)
		}
	}
	only := func(fitting func(c *column) bool) (one *column) {
		for _, c := range l.own {
			if l.used[c] || c.refers != nil || !fitting(c) {
				continue
			}
			if one != nil {
				return nil // one cannot tell which
			}
			one = c
		}
		return one
	}
	first, last := l.firstAndLast()
	switch {
	case l.kind != record.KindEvent:
		take("sold_at", first)
		take("paid_at", first)
		take("at", first)
		if last != nil && !l.used[last] && !last.before(first) {
			take("updated_at", last)
		}
	case last == nil || found["starts_at"] != nil || found["date"] != nil:
	case isDay(timesOf(last)):
		take("date", last)
	default:
		take("starts_at", last)
	}
	take("price", only(isDecimal))
	take("amount", only(isDecimal))
	plain := func(c *column) bool { return strings.Count(c.path, ".") == 1 && isWords(c) }
	many := func(c *column) int { return len(c.values) }
	switch l.kind {
	case record.KindEvent:
		take("title", only(func(c *column) bool { return plain(c) && c.distinct() == many(c) && many(c) > 1 }))
		take("capacity", only(func(c *column) bool { return allIntegers(c) && timesOf(c) == "" }))
	case record.KindTicket:
		take("status", only(func(c *column) bool {
			return plain(c) && c.distinct() > 1 && c.distinct() <= 8 && c.distinct()*3 <= many(c)
		}))
	}
}

// firstAndLast returns the columns of times that are not used yet that have the earliest and the latest time; nil
// without any.
func (l *draftList) firstAndLast() (first, last *column) {
	for _, c := range l.own {
		if l.used[c] || timesOf(c) == "" || l.kind != record.KindEvent && isDay(timesOf(c)) {
			continue
		}
		if first == nil || c.before(first) {
			first = c
		}
		if last == nil || last.before(c) {
			last = c
		}
	}
	return first, last
}

// before reports whether the latest time of a column is before that of another.
func (c *column) before(other *column) bool { return c.latest().Before(other.latest()) }

// latest returns the latest of a column's times.
func (c *column) latest() (latest time.Time) {
	f, _ := newTimeFormat(timesOf(c))
	for _, v := range c.values {
		text, _ := scalarOf(v)
		if t, ok := parseTime(text, []timeFormat{f}, time.UTC); ok && t.After(latest) {
			latest = t
		}
	}
	return latest
}

var hourText = regexp.MustCompile(`^([01]?[0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$`)

// dayAndHour returns the program of the start of an event whose day and hour are two members; empty if they are not.
func (d *draft) dayAndHour(l *draftList, found map[string]*column) string {
	day := found["date"]
	if l.kind != record.KindEvent || day == nil || found["starts_at"] != nil {
		return ""
	}
	for _, c := range l.own {
		if l.used[c] || len(c.values) == 0 || slices.ContainsFunc(c.values, func(v any) bool { s, ok := v.(string); return !ok || !hourText.MatchString(s) }) {
			continue
		}
		format := timesOf(day) + " 15:04"
		if strings.Count(c.values[0].(string), ":") == 2 {
			format += ":05"
		}
		if !slices.Contains(draftFormats, format) {
			return ""
		}
		l.used[c] = true
		d.times[format] = true
		delete(found, "date")
		return fmt.Sprintf(`(%s + " " + %s)`, day.path, c.path)
	}
	return ""
}

// distinct returns how many different values there are.
func (c *column) distinct() int {
	seen := map[string]bool{}
	for _, v := range c.values {
		text, _ := scalarOf(v)
		seen[text] = true
	}
	return len(seen)
}

// isWords reports whether the values are texts without digits.
func isWords(c *column) bool {
	return !slices.ContainsFunc(c.values, func(v any) bool {
		s, ok := v.(string)
		return !ok || s == "" || strings.ContainsAny(s, "0123456789@")
	})
}

// isDecimal reports whether the values are numbers, one of them with decimals.
func isDecimal(c *column) bool {
	decimals := false
	for _, v := range c.values {
		text, ok := scalarOf(v)
		if _, isBool := v.(bool); !ok || isBool || !amountText.MatchString(text) && !commaText.MatchString(text) {
			return false
		}
		decimals = decimals || strings.ContainsAny(text, ".,")
	}
	return decimals
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

// noteTimes reports whether the values are times in one of the wanted formats, and notes how they are written.
func (d *draft) noteTimes(c *column, wanted func(format string) bool) bool {
	name := timesOf(c)
	if name == "" || !wanted(name) {
		return false
	}
	if name != "2006-01-02" || c.name != "date" {
		d.times[name] = true
	}
	return true
}

// timesOf returns how the values of a column are written as times; empty if they are none.
func timesOf(c *column) string {
	for _, name := range draftFormats {
		f, _ := newTimeFormat(name)
		fits := len(c.values) > 0
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
			} else if _, isTime := parseTime(text, []timeFormat{f}, time.UTC); !isTime {
				fits = false
			}
		}
		if fits {
			return name
		}
	}
	return ""
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
			d.words[field][key] = wordInOurs(field, plainName(key))
		}
	}
	if ways := d.words["scan.direction"]; ways != nil { // of entrée and sortie, entrada and salida
		if _, both := ways["s"]; both {
			if _, both = ways["e"]; both {
				ways["e"], ways["s"] = "entry", "exit"
			}
		}
	}
}
