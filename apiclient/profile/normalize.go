package profile

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/record"
)

// normalizer makes a record of what a program or a service wrote: ids as strings, money in minor
// units with its currency, times in UTC, and our words. It does not modify its input, parts of
// which belong to the program.
type normalizer struct {
	*Profile
	strict   bool // an unknown member is a fault
	currency any  // the record's own, nil if it has none
	zone     *time.Location
	// field and why describe the first fault.
	field string
	why   record.Message
}

// recordKeys are the members that a program may set in addition to a record's fields.
var recordKeys = []string{"record", "currency", "timezone"}

// normalize returns r as a record of that kind, not yet validated. If a field cannot be read it
// returns the field and why. With strict, a member of r that is no field of the record is a fault.
func (p *Profile) normalize(kind record.Kind, r map[string]any, strict bool) (made record.Record, field string, why record.Message) {
	n := normalizer{Profile: p, strict: strict, currency: r["currency"]}
	n.zoneOf(r)
	made = record.New(kind)
	n.object("", shapes[kind], r, reflect.ValueOf(made).Elem(), true)
	if t, ok := made.(*record.Ticket); ok {
		n.takeFeeOut(t)
	}
	if e, ok := made.(*record.Event); ok && r["date"] == nil && r["starts_at"] != nil && n.why.IsZero() {
		if at, ok := n.readTime(r["starts_at"]); ok {
			if n.zone != nil {
				at = at.In(n.zone)
			}
			e.Date = at.Format(time.DateOnly)
		}
	}
	if e, ok := made.(*record.Event); ok && strict && e.Date == "" {
		// A program that gives the date as null says that the service does not know it.
		_, given := r["date"]
		e.Undated = given && r["date"] == nil && r["starts_at"] == nil
	}
	return made, n.field, n.why
}

// zoneOf sets the zone for times without one: the record's own or the profile's.
func (n *normalizer) zoneOf(r map[string]any) {
	n.zone = n.Profile.zone
	name, ok := r["timezone"].(string)
	switch {
	case r["timezone"] == nil || name == "" && ok:
	case !ok:
		n.fault("timezone", record.Say("is no text"))
	default:
		if n.zone = n.zones.find(name); n.zone == nil {
			n.fault("timezone", record.Say("is {value}, which is no time zone", record.Of("value", record.Describe(name))))
		}
	}
}

func (n *normalizer) fault(field string, why record.Message) {
	if n.why.IsZero() {
		n.field, n.why = field, why
	}
}

// object sets the fields of to from m. isRecord reports whether m is a record and not a part of
// one.
func (n *normalizer) object(at string, of *shape, m map[string]any, to reflect.Value, isRecord bool) {
	found := 0
	for _, f := range of.fields {
		v, ok := m[f.name]
		if !ok {
			continue
		}
		found++
		n.member(joinPath(at, f.name), f, v, to.FieldByIndex(f.index))
	}
	own := recordKeys
	if !isRecord {
		own = nil
	}
	for _, name := range own {
		if _, ok := m[name]; ok {
			found++
		}
	}
	if !n.strict || found == len(m) {
		return
	}
	for _, name := range sortedKeys(m) {
		if !slices.Contains(own, name) && !hasField(of, name) {
			n.fault(at, record.Say("has no field {name}", record.Verbatim("name", fmt.Sprintf("%.60q", name))))
		}
	}
}

func joinPath(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func hasField(of *shape, name string) bool {
	return slices.ContainsFunc(of.fields, func(f *shape) bool { return f.name == name })
}

// member sets a field, which may be a list.
func (n *normalizer) member(at string, f *shape, v any, to reflect.Value) {
	if !f.list {
		n.value(at, f, v, to)
		return
	}
	switch v := v.(type) {
	case nil:
	case []any:
		to.Set(reflect.MakeSlice(to.Type(), len(v), len(v)))
		for i, one := range v {
			n.value(at, f, one, to.Index(i))
		}
	default:
		n.wrongType(at, v, record.Say("an array"))
	}
}

// value sets a field, or an entry of a list. Null leaves it unset.
func (n *normalizer) value(at string, f *shape, v any, to reflect.Value) {
	if f, ok := v.(float64); v == nil || ok && math.IsNaN(f) { // JSON writes NaN as null
		return
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	switch f.form {
	case formID:
		n.id(at, v, to)
	case formMoney:
		n.money(at, v, to.Addr().Interface().(*record.Money))
	case formTime:
		n.timeField(at, v, to.Addr().Interface().(*time.Time))
	case formDate:
		n.date(at, v, to)
	case formWord:
		if theirs, ok := scalarOf(v); ok {
			if ours, ok := n.words[f.words][wordKey(theirs)]; ok {
				v = ours
			}
		}
		n.text(at, v, to)
	case formObject:
		if m, ok := v.(map[string]any); ok {
			n.object(at, f, m, to, false)
			return
		}
		n.wrongType(at, v, record.Say("an object"))
	case formNumber:
		n.number(at, v, to)
	case formBool:
		if b, ok := v.(bool); ok {
			to.SetBool(b)
			return
		}
		n.wrongType(at, v, record.Say("true or false"))
	default:
		n.text(at, v, to)
	}
}

func (n *normalizer) id(at string, v any, to reflect.Value) {
	text, ok := numberText(v)
	switch {
	case !ok:
		n.text(at, v, to)
	case !decimalDigits(strings.TrimPrefix(text, "-")) || isFloat(v):
		n.fault(at, record.Say("is the number {literal}, neither a text nor an integer", record.Verbatim("literal", record.Cut(text, 40))))
	default:
		to.SetString(text)
	}
}

// text sets a string field. An empty string does not overwrite what another member has set.
func (n *normalizer) text(at string, v any, to reflect.Value) {
	switch text, ok := v.(string); {
	case !ok:
		n.wrongType(at, v, record.Say("a string"))
	case text != "":
		to.SetString(strings.ToValidUTF8(text, "\ufffd"))
	}
}

func (n *normalizer) number(at string, v any, to reflect.Value) {
	text, ok := numberText(v)
	units, err := strconv.ParseInt(text, 10, 64)
	switch {
	case !ok:
		n.wrongType(at, v, record.Say("an integer"))
	case err != nil:
		if f, ok := v.(float64); ok {
			text = strconv.FormatFloat(min(max(f, -math.MaxFloat64), math.MaxFloat64), 'g', -1, 64)
		}
		n.fault(at, record.Say("is the number {literal}, not an integer", record.Verbatim("literal", record.Cut(text, 40))))
	default:
		to.SetInt(units)
	}
}

func (n *normalizer) money(at string, v any, to *record.Money) {
	code := n.currency
	if m, ok := v.(map[string]any); ok {
		if own := m["currency"]; own != nil && own != "" {
			code = own
		}
		if v = m["amount"]; v == nil {
			v = m["value"]
		}
		if v == nil {
			n.fault(at, record.Say("says no amount"))
			return
		}
	}
	if code == nil || code == "" {
		code = n.Money.Currency
	}
	name, ok := code.(string)
	switch {
	case !ok:
		n.fault(at, record.Say("has a currency that is no text"))
		return
	case name == "":
		n.fault(at, record.Say("says no currency; set money.currency"))
		return
	}
	text, isText := v.(string)
	if !isText {
		if text, ok = numberText(v); !ok {
			n.fault(at, record.Say("is no amount of money, neither a text nor a number"))
			return
		}
	}
	if isText && n.Money.Decimal == decimalComma {
		text = pointFromComma(text)
	}
	name = strings.ToUpper(strings.TrimSpace(name))
	units, why := n.Money.minorUnits(text, name)
	if !why.IsZero() {
		n.fault(at, why)
		return
	}
	*to = record.Money{Amount: units, Currency: name}
}

func (n *normalizer) timeField(at string, v any, to *time.Time) {
	t, ok := n.readTime(v)
	switch {
	case !ok:
		is := typeOf(v)
		if text, ok := v.(string); ok {
			is = record.Describe(text)
		}
		n.fault(at, record.Say("is no time as time.formats says: {value}", record.Of("value", is)))
	case t.Before(record.Earliest) || !t.Before(record.Latest):
		n.fault(at, record.OutOfRange(t))
	default:
		*to = t.UTC()
	}
}

// date sets the date of an event, which is YYYY-MM-DD or in one of the formats of times; then it is
// the day of that moment in the zone.
func (n *normalizer) date(at string, v any, to reflect.Value) {
	text, ok := v.(string)
	if _, err := time.Parse(time.DateOnly, text); ok && (err == nil || text == "") {
		n.text(at, v, to)
		return
	}
	t, ok := n.readTime(v)
	if !ok { // record.Validate says what it is not
		n.text(at, v, to)
		return
	}
	if n.zone != nil {
		t = t.In(n.zone)
	}
	to.SetString(t.Format(time.DateOnly))
}

// takeFeeOut takes the fee out of the price of a ticket whose price contains it.
func (n *normalizer) takeFeeOut(t *record.Ticket) {
	switch {
	case n.Money.Fee != feeIncluded || t.Price == nil || t.Fee == nil || t.Kind != "":
	case t.Price.Currency != t.Fee.Currency:
		n.fault("fee", record.Say("has another currency than the price that contains it"))
	case t.Fee.Amount > t.Price.Amount:
		n.fault("fee", record.Say("is more than the price that contains it; set money.fee to apart where it does not"))
	default:
		t.Price = &record.Money{Amount: t.Price.Amount - t.Fee.Amount, Currency: t.Price.Currency}
	}
}

// wrongType reports that v has another type than the field.
func (n *normalizer) wrongType(at string, v any, want record.Message) {
	n.fault(at, record.Say("is {value}, not {want}", record.Of("value", typeOf(v)), record.Of("want", want)))
}

// typeOf returns the name of v's JSON type.
func typeOf(v any) record.Message {
	switch v.(type) {
	case string:
		return record.Say("a string")
	case bool:
		return record.Say("true or false")
	case []any:
		return record.Say("an array")
	case map[string]any:
		return record.Say("an object")
	}
	return record.Say("a number")
}

// readTime parses a time in one of the profile's formats.
func (n *normalizer) readTime(v any) (time.Time, bool) {
	text, ok := scalarOf(v)
	if !ok {
		return time.Time{}, false
	}
	in := n.zone
	if in == nil {
		in = time.UTC
	}
	return parseTime(text, n.formats, in)
}

// scalarOf returns a string, a number or a boolean as a string.
func scalarOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	}
	return numberText(v)
}

// numberText returns a number as a string: the service's own literal if the program passed it
// through, or all digits of a computed number.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), true
	case int:
		return strconv.Itoa(v), true
	case float64: // jq's numbers have this range
		return strconv.FormatFloat(min(max(v, -math.MaxFloat64), math.MaxFloat64), 'f', -1, 64), true
	case *big.Int:
		return bigText(v), true
	}
	return "", false
}

// bigText returns v in decimal digits, or 1e999 if it is far beyond any valid number.
func bigText(v *big.Int) string {
	if v.BitLen() > 1000 {
		return "1e999"
	}
	return v.String()
}

func isFloat(v any) bool { _, ok := v.(float64); return ok }
