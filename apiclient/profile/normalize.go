package profile

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/record"

	"github.com/itchyny/gojq"
)

// normalizer writes one record, which a program or a service made, as JSON of our own:
// identifiers as text, money in minor units with its currency, times in RFC 3339 and
// words of ours. What it does not know how to settle it writes as it is, for the record's
// own decoding to judge. It changes nothing of what it is given: parts of that belong to
// the program.
type normalizer struct {
	*Profile
	strict   bool // a member that is no field is a fault
	currency any  // the record's own, nil for none
	zone     *time.Location
	buf      []byte
	// field and why are the first thing that is wrong.
	field, why string
}

// recordKeys are what a program may say of a record beside its fields.
var recordKeys = []string{"record", "currency", "timezone"}

// settle is r as JSON of a record of that kind, or the field that cannot be normalized and
// why. strict says that a member of r that is no field of the record is a fault.
func (p *Profile) normalize(kind record.Kind, r map[string]any, strict bool, buf []byte) (normalized []byte, field, why string) {
	s := normalizer{Profile: p, strict: strict, currency: r["currency"], buf: buf}
	s.zoneOf(r)
	s.object("", shapes[kind], r, true)
	if kind == record.KindEvent && r["date"] == nil && r["starts_at"] != nil && s.why == "" {
		if at, ok := s.time(r["starts_at"]); ok {
			if s.zone != nil {
				at = at.In(s.zone)
			}
			s.buf = append(s.buf[:len(s.buf)-1], `,"date":"`...)
			s.buf = append(at.AppendFormat(s.buf, time.DateOnly), `"}`...)
		}
	}
	return s.buf, s.field, s.why
}

// zoneOf takes the zone of times that tell none from the record, or from the profile.
func (s *normalizer) zoneOf(r map[string]any) {
	s.zone = s.Profile.zone
	name, ok := r["timezone"].(string)
	switch {
	case r["timezone"] == nil || name == "" && ok:
	case !ok:
		s.fault("timezone", "is no text")
	default:
		if s.zone = s.zones.find(name); s.zone == nil {
			s.fault("timezone", "is %.60q, which is no time zone", name)
		}
	}
}

func (s *normalizer) fault(field, format string, a ...any) {
	if s.why == "" {
		s.field, s.why = field, fmt.Sprintf(format, a...)
	}
}

func (s *normalizer) object(at string, of *shape, m map[string]any, whole bool) {
	s.buf = append(s.buf, '{')
	found := 0
	for _, f := range of.fields {
		v, ok := m[f.name]
		if !ok {
			continue
		}
		if found++; found > 1 {
			s.buf = append(s.buf, ',')
		}
		s.buf = append(s.buf, '"')
		s.buf = append(append(s.buf, f.name...), '"', ':')
		s.member(at, f, v)
	}
	s.buf = append(s.buf, '}')
	own := recordKeys
	if !whole {
		own = nil
	}
	for _, name := range own {
		if _, ok := m[name]; ok {
			found++
		}
	}
	if !s.strict || found == len(m) {
		return
	}
	for _, name := range sortedKeys(m) {
		if !slices.Contains(own, name) && !hasField(of, name) {
			s.fault(at, "has no field %.60q", name)
		}
	}
}

func hasField(of *shape, name string) bool {
	return slices.ContainsFunc(of.fields, func(f *shape) bool { return f.name == name })
}

func (s *normalizer) member(at string, f *shape, v any) {
	if at != "" {
		at += "."
	}
	at += f.name
	all, ok := v.([]any)
	if !f.list || !ok {
		s.value(at, f, v)
		return
	}
	s.buf = append(s.buf, '[')
	for i, one := range all {
		if i > 0 {
			s.buf = append(s.buf, ',')
		}
		s.value(at, f, one)
	}
	s.buf = append(s.buf, ']')
}

func (s *normalizer) value(at string, f *shape, v any) {
	if v == nil {
		s.buf = append(s.buf, "null"...)
		return
	}
	switch f.form {
	case formID:
		s.id(at, v)
	case formMoney:
		s.money(at, v)
	case formTime:
		s.moment(at, v)
	case formWord:
		if theirs, ok := scalarOf(v); ok {
			if ours, ok := s.words[f.words][wordKey(theirs)]; ok {
				v = ours
			}
		}
		s.any(v)
	case formObject:
		if m, ok := v.(map[string]any); ok {
			s.object(at, f, m, false)
			return
		}
		s.any(v)
	default:
		s.any(v)
	}
}

func (s *normalizer) id(at string, v any) {
	text, ok := numberText(v)
	if !ok {
		s.any(v)
		return
	}
	if !decimalDigits(strings.TrimPrefix(text, "-")) || isFloat(v) {
		s.fault(at, "is the number %.40s, neither a text nor an integer", text)
		return
	}
	s.any(text)
}

func (s *normalizer) money(at string, v any) {
	code := s.currency
	if m, ok := v.(map[string]any); ok {
		if own := m["currency"]; own != nil && own != "" {
			code = own
		}
		if v = m["amount"]; v == nil {
			v = m["value"]
		}
		if v == nil {
			s.fault(at, "says no amount")
			return
		}
	}
	if code == nil || code == "" {
		code = s.Money.Currency
	}
	name, ok := code.(string)
	switch {
	case !ok:
		s.fault(at, "has a currency that is no text")
		return
	case name == "":
		s.fault(at, "says no currency; set money.currency")
		return
	}
	text, isText := v.(string)
	if !isText {
		if text, ok = numberText(v); !ok {
			s.fault(at, "is no amount of money, neither a text nor a number")
			return
		}
	}
	name = strings.ToUpper(strings.TrimSpace(name))
	units, why := s.Money.minorUnits(text, name)
	if why != "" {
		s.fault(at, "%s", why)
		return
	}
	s.buf = strconv.AppendInt(append(s.buf, `{"amount":`...), units, 10)
	s.buf = append(s.buf, `,"currency":`...)
	s.any(name)
	s.buf = append(s.buf, '}')
}

func (s *normalizer) moment(at string, v any) {
	t, ok := s.time(v)
	switch {
	case !ok:
		text, _ := scalarOf(v)
		s.fault(at, "is no time as time.formats says: %.60q", text)
	case t.Before(record.Earliest) || !t.Before(record.Latest):
		s.fault(at, "is in the year %d", t.Year())
	default:
		s.buf = append(s.buf, '"')
		s.buf = append(t.UTC().AppendFormat(s.buf, time.RFC3339Nano), '"')
	}
}

// time reads a time in one of the formats.
func (s *normalizer) time(v any) (time.Time, bool) {
	text, ok := scalarOf(v)
	if !ok {
		return time.Time{}, false
	}
	in := s.zone
	if in == nil {
		in = time.UTC
	}
	return parseTime(text, s.formats, in)
}

// any writes v as it is; of an array or an object, for which the field has no use, only
// that it is one.
func (s *normalizer) any(v any) {
	switch v := v.(type) {
	case []any:
		s.buf = append(s.buf, "[]"...)
	case map[string]any:
		s.buf = append(s.buf, "{}"...)
	case string:
		if plainText(v) {
			s.buf = append(append(append(s.buf, '"'), v...), '"')
			return
		}
		b, _ := gojq.Marshal(v) // cannot fail for a string
		s.buf = append(s.buf, b...)
	default:
		b, _ := gojq.Marshal(v) // cannot fail for what a program makes
		s.buf = append(s.buf, b...)
	}
}

// plainText says that s is in JSON what it is.
func plainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// wordKey is the form in which words are compared.
func wordKey(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// scalarOf is a text, a number, true or false as text.
func scalarOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	}
	return numberText(v)
}

// numberText is a number as text: the service's own literal where the program passed it
// through, and all digits of what it computed.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case json.Number:
		return v.String(), true
	case int:
		return strconv.Itoa(v), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case *big.Int:
		return bigText(v), true
	}
	return "", false
}

// bigText is v in decimal digits; of one beyond any use only that it is.
func bigText(v *big.Int) string {
	if v.BitLen() > 1000 {
		return "1e999"
	}
	return v.String()
}

func isFloat(v any) bool { _, ok := v.(float64); return ok }
