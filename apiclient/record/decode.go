package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// validator is a record that can validate itself.
type validator interface {
	Record
	tidy(*checker)
}

// newRecord returns an empty record of a kind that services give, nil for any other.
func newRecord(kind Kind) validator {
	r, _ := New(kind).(validator)
	return r
}

// anyCase makes the fast decoder ignore the case of names, as encoding/json does. Rows that it
// refuses are decoded again by encoding/json, which accepts duplicate names and invalid UTF-8, and
// whose errors name the wrong value.
var anyCase = fast.MatchCaseInsensitiveNames(true)

// New returns an empty record of a kind, nil for an unknown kind.
func New(kind Kind) Record {
	switch kind {
	case KindEvent:
		return new(Event)
	case KindTicket:
		return new(Ticket)
	case KindPayment:
		return new(Payment)
	case KindContact:
		return new(Contact)
	case KindPlanning:
		return new(Planning)
	case KindScan:
		return new(TicketScan)
	case KindAcknowledgement:
		return new(Acknowledgement)
	case KindAlert:
		return new(RaisedAlert)
	case KindWalkIn:
		return new(WalkIn)
	case KindScreenMessage:
		return new(ScreenMessage)
	case KindAdmissions:
		return new(Admissions)
	case KindSetting:
		return new(Setting)
	case KindReconciliation:
		return new(Reconciliation)
	}
	return nil
}

// Decode decodes a row into a record or a refusal, and returns its id if it has one. The error
// means that raw is not JSON.
func Decode(kind Kind, raw []byte) (m Result, id string, err error) {
	r := newRecord(kind)
	if fast.Unmarshal(raw, r, anyCase) == nil {
		m, id = Validate(kind, r)
		return m, id, nil
	}
	r = newRecord(kind)
	if err := json.Unmarshal(raw, r); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return Result{}, "", syntax
		}
		m.Refused = refusalOf(kind, raw, err)
		return m, m.Refused.ID, nil
	}
	m, id = Validate(kind, r)
	return m, id, nil
}

// Validate validates a decoded record. It returns the record or a refusal, and the record's id.
func Validate(kind Kind, r Record) (m Result, id string) {
	return validate(kind, r, new(checker))
}

// validate is Validate with an empty checker.
func validate(kind Kind, r Record, check *checker) (m Result, id string) {
	r.(validator).tidy(check)
	if !check.why.IsZero() {
		m.Refused = &Refusal{Kind: kind, ID: PrintableID(r.RecordID()), EventID: PrintableID(EventOf(r)), Updated: r.RecordUpdated(), Field: check.field, Why: check.why}
	} else {
		m.Record = r
	}
	return m, r.RecordID()
}

// refusalOf returns the refusal of a row for which Unmarshal returned err. It decodes the fields
// one by one to find the wrong one, because the json package does not name the field if a time or
// an amount returns the error. That costs time only for rows that are refused.
func refusalOf(kind Kind, raw []byte, err error) *Refusal {
	e := &Refusal{Kind: kind}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		e.Why = Say("is not an object")
		return e
	}
	var id string
	if json.Unmarshal(fields["id"], &id) == nil {
		e.ID = PrintableID(id)
	}
	var event string
	if kind != KindEvent && json.Unmarshal(fields["event_id"], &event) == nil {
		e.EventID = PrintableID(event)
	}
	if json.Unmarshal(fields["updated_at"], &e.Updated) != nil {
		e.Updated = time.Time{}
	}
	e.Why = reason(err)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		one, _ := json.Marshal(map[string]json.RawMessage{name: fields[name]})
		if err := json.Unmarshal(one, newRecord(kind)); err != nil {
			e.Field, e.Why = name, reason(err)
			if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && t.Field != "" {
				e.Field = t.Field
			}
			break
		}
	}
	e.Field = PrintableID(e.Field)
	return e
}

// EventOf returns the id of the event that a record belongs to, empty if it names none.
func EventOf(r Record) string {
	switch r := r.(type) {
	case *Ticket:
		return r.EventID
	case *Payment:
		return r.EventID
	case *Planning:
		return r.EventID
	case *TicketScan:
		return r.EventID
	}
	return ""
}

// reason describes why a value was refused.
func reason(err error) Message {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Say("is {value}, not {want}", Of("value", jsonValue(t.Value)), Of("want", goType(t.Type.Kind().String())))
	}
	if t, ok := errors.AsType[*time.ParseError](err); ok {
		return Say("is no RFC 3339 time: {value}", Of("value", Describe(t.Value)))
	}
	if m, ok := errors.AsType[Message](err); ok { // returned by Money.UnmarshalJSON
		return m
	}
	return Say("cannot be read")
}

// jsonValue translates the json package's description of a value.
func jsonValue(value string) Message {
	kind, literal, _ := strings.Cut(value, " ")
	switch {
	case kind == "bool":
		return Say("true or false")
	case literal != "":
		return Say("the number {literal}", Verbatim("literal", Cut(literal, 40)))
	case kind == "array":
		return Say("an array")
	case kind == "object":
		return Say("an object")
	case kind == "string":
		return Say("a string")
	}
	return Say("a number")
}

// goType returns the JSON type for a kind of Go type.
func goType(kind string) Message {
	switch kind {
	case "int", "int64":
		return Say("an integer")
	case "string":
		return Say("a string")
	case "bool":
		return Say("true or false")
	case "slice":
		return Say("an array")
	}
	return Say("an object")
}

// UnmarshalJSON requires an integer of minor units and accepts a missing currency, which validation
// refuses. A missing amount is an error, because it is not zero.
func (m *Money) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	var read struct {
		Amount   *int64
		Currency string
	}
	switch err := fast.Unmarshal(b, &read, anyCase, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); {
	case err != nil:
		return Say("is no amount of money: an integer of minor units and a currency")
	case read.Amount == nil: // missing or null
		return Say("says no amount")
	}
	*m = Money{*read.Amount, read.Currency}
	return nil
}

// PrintableID returns an identifier fit for display: cut, and without control characters.
func PrintableID(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return utf8.RuneError
		}
		return r
	}, s)
	return Cut(s, MaxID)
}

// DecodeAll decodes an array of records of a kind; nil if the array or one of its records cannot be
// decoded. The records are not validated.
func DecodeAll(kind Kind, text []byte) []Record {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != '[' {
		return nil
	}
	all := []Record{}
	for d.PeekKind() != ']' {
		r := newRecord(kind)
		if d.PeekKind() == 'n' || fast.UnmarshalDecode(d, r, anyCase) != nil {
			return nil
		}
		all = append(all, r)
	}
	return all
}

// Result is a record or the reason why it was refused.
type Result struct {
	Record  Record
	Refused *Refusal
}
