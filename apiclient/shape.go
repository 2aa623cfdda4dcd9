package apiclient

import (
	"reflect"
	"slices"
	"strings"
	"time"
)

// form is how a field of a record is settled.
type form int

const (
	formAny    form = iota
	formID          // a text; an integer becomes one
	formMoney       // Money
	formTime        // a time
	formWord        // one of our words
	formObject      // fields of its own
)

// shape is a field of a record, or a whole record.
type shape struct {
	name   string
	form   form
	list   bool
	words  string // the name in vocabulary, of a word
	fields []*shape
}

// shapes are the records by their kinds, as their types tell them.
var shapes = map[Kind]*shape{
	KindEvent:    shapeOf[Event](KindEvent),
	KindTicket:   shapeOf[Ticket](KindTicket),
	KindPayment:  shapeOf[Payment](KindPayment),
	KindContact:  shapeOf[Contact](KindContact, &shape{name: "postal_code"}),
	KindPlanning: shapeOf[Planning](KindPlanning),
	KindScan:     shapeOf[TicketScan](KindScan),
}

var kindNames = []string{string(KindEvent), string(KindTicket), string(KindPayment), string(KindContact), string(KindPlanning), string(KindScan)}

// vocabulary are the words of the fields that have them.
var vocabulary = map[string][]string{
	"event.status":    ours(eventStatus),
	"ticket.status":   ours(ticketStatus),
	"payment.status":  ours(paymentStatus),
	"payment.kind":    ours(paymentKind),
	"planning.status": ours(planningStatus),
	"planning.kind":   ours(planningKind),
	"scan.direction":  ours(directions),
}

// ours are the words that known leads to.
func ours[S ~string](known map[string]S) (words []string) {
	for _, w := range known {
		words = append(words, string(w))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// shapeOf is the shape of a record of type T. More are the fields that T reads by itself.
func shapeOf[T any](kind Kind, more ...*shape) *shape {
	return &shape{form: formObject, fields: append(fieldsOf(reflect.TypeFor[T](), string(kind)), more...)}
}

// fieldsOf are the fields of a struct, of which the words are called after owner.
func fieldsOf(t reflect.Type, owner string) (fields []*shape) {
	for f := range t.Fields() {
		if f.Anonymous {
			fields = append(fields, fieldsOf(f.Type, owner)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := &shape{name: name}
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
		case t == reflect.TypeFor[Money]():
			s.form = formMoney
		case t == reflect.TypeFor[Scan]():
			s.form, s.fields = formObject, fieldsOf(t, "scan")
		case t.Kind() == reflect.Struct:
			s.form, s.fields = formObject, fieldsOf(t, owner+"."+name)
		case name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids"):
			s.form = formID
		case vocabulary[owner+"."+name] != nil:
			s.form, s.words = formWord, owner+"."+name
		}
		fields = append(fields, s)
	}
	return fields
}
