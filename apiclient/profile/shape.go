package profile

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"
)

// form is how a field of a record is normalized.
type form int

const (
	formText form = iota
	formID        // a string; an integer is converted
	formMoney
	formTime
	formDate   // of an event: YYYY-MM-DD
	formWord   // one of our words
	formNumber // an integer
	formBool
	formObject // has fields of its own
)

// shape describes a field of a record, or a whole record.
type shape struct {
	name   string
	form   form
	list   bool
	index  []int  // of the field in its struct
	words  string // key in record.Vocabulary, for a word
	fields []*shape
}

// shapes holds the shape of each kind of record, derived from its type.
var shapes = map[record.Kind]*shape{
	record.KindEvent:    shapeOf[record.Event](record.KindEvent),
	record.KindTicket:   shapeOf[record.Ticket](record.KindTicket),
	record.KindPayment:  shapeOf[record.Payment](record.KindPayment),
	record.KindContact:  shapeOf[record.Contact](record.KindContact, postalCode),
	record.KindPlanning: shapeOf[record.Planning](record.KindPlanning),
	record.KindScan:     shapeOf[record.TicketScan](record.KindScan),
}

var kindNames = []string{string(record.KindEvent), string(record.KindTicket), string(record.KindPayment), string(record.KindContact), string(record.KindPlanning), string(record.KindScan)}

// postalCode is the field from which a contact's postal area may be derived; the record has only
// the area.
var postalCode = func() *shape {
	f, _ := reflect.TypeFor[record.Contact]().FieldByName("PostalArea")
	return &shape{name: "postal_code", index: f.Index}
}()

// shapeOf returns the shape of a record of type T; more are the fields that T decodes itself.
func shapeOf[T any](kind record.Kind, more ...*shape) *shape {
	return &shape{form: formObject, fields: append(fieldsOf(reflect.TypeFor[T](), string(kind)), more...)}
}

// fieldsOf returns the shapes of a struct's fields; owner is the prefix of their words in
// record.Vocabulary.
func fieldsOf(t reflect.Type, owner string) (fields []*shape) {
	for f := range t.Fields() {
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type, owner) {
				inner.index = append(slices.Clone(f.Index), inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := &shape{name: name, index: f.Index}
		t := f.Type
		if t.Kind() == reflect.Slice {
			s.list, t = true, t.Elem()
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case t == reflect.TypeFor[time.Time]():
			s.form = formTime
		case t == reflect.TypeFor[record.Money]():
			s.form = formMoney
		case t == reflect.TypeFor[record.Scan]():
			s.form, s.fields = formObject, fieldsOf(t, "scan")
		case t.Kind() == reflect.Struct:
			s.form, s.fields = formObject, fieldsOf(t, owner+"."+name)
		case name == "date":
			s.form = formDate
		case name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids"):
			s.form = formID
		case record.Vocabulary[owner+"."+name] != nil:
			s.form, s.words = formWord, owner+"."+name
		case t.Kind() == reflect.Int:
			s.form = formNumber
		case t.Kind() == reflect.Bool:
			s.form = formBool
		}
		fields = append(fields, s)
	}
	return fields
}
