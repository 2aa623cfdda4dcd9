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
	formText   form = iota
	formID          // a text; an integer becomes one
	formMoney       // Money
	formTime        // a time
	formWord        // one of our words
	formNumber      // an integer
	formBool        // true or false
	formObject      // fields of its own
)

// shape is a field of a record, or a whole record.
type shape struct {
	name   string
	form   form
	list   bool
	index  []int  // of the field in its struct
	words  string // the name in Vocabulary, of a word
	fields []*shape
}

// shapes are the records by their kinds, as their types tell them.
var shapes = map[record.Kind]*shape{
	record.KindEvent:    shapeOf[record.Event](record.KindEvent),
	record.KindTicket:   shapeOf[record.Ticket](record.KindTicket),
	record.KindPayment:  shapeOf[record.Payment](record.KindPayment),
	record.KindContact:  shapeOf[record.Contact](record.KindContact, postalCode),
	record.KindPlanning: shapeOf[record.Planning](record.KindPlanning),
	record.KindScan:     shapeOf[record.TicketScan](record.KindScan),
}

var kindNames = []string{string(record.KindEvent), string(record.KindTicket), string(record.KindPayment), string(record.KindContact), string(record.KindPlanning), string(record.KindScan)}

// postalCode is what a contact's postal area may be taken from; the record keeps but the area.
var postalCode = func() *shape {
	f, _ := reflect.TypeFor[record.Contact]().FieldByName("PostalArea")
	return &shape{name: "postal_code", index: f.Index}
}()

// shapeOf is the shape of a record of type T. More are the fields that T reads by itself.
func shapeOf[T any](kind record.Kind, more ...*shape) *shape {
	return &shape{form: formObject, fields: append(fieldsOf(reflect.TypeFor[T](), string(kind)), more...)}
}

// fieldsOf are the fields of a struct, of which the words are called after owner.
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
