package record

import (
	"reflect"
	"time"
)

// Newer says that record b replaces record a of the same kind and id: it was updated
// later, or at the same time (or at times not told) and says something else. Only tests use
// it: it says the rule by which the store tells versions apart, which compares hashes of what
// it stores, and the store's tests see that both agree, but for times of update that are not
// believed (see MostAhead). Times of update are compared to the
// microsecond, which is what databases keep; other times by the moment, whatever their zone.
// Records of different kinds never replace each other.
func Newer(a, b Record) bool {
	if a == b || reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	if before, after := a.RecordUpdated(), b.RecordUpdated(); !before.IsZero() && !after.IsZero() {
		if before, after := before.UnixMicro(), after.UnixMicro(); before != after {
			return after > before
		}
	}
	if ticket, ok := a.(*Ticket); ok && (ticket.Scans == nil) != (b.(*Ticket).Scans == nil) {
		return true
	}
	return !equal(reflect.ValueOf(a), reflect.ValueOf(b))
}

// same says that two values of one type say the same: times the same moment, and a list that is nil what an empty
// one says.
func equal(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equal(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equal(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if at, ok := a.Interface().(time.Time); ok {
			return at.Equal(b.Interface().(time.Time))
		}
		for i := range a.NumField() {
			if !equal(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// Deleted says that the service, or a whole read, has taken a record away.
func Deleted(r Record) bool {
	switch r := r.(type) {
	case *Event:
		return r.Deleted
	case *Ticket:
		return r.Deleted
	case *Payment:
		return r.Deleted
	case *Contact:
		return r.Deleted
	case *Planning:
		return r.Deleted
	case *TicketScan:
		return r.Deleted
	}
	return false
}

// Tombstone is a copy of a record that is deleted and tells nothing of a person any more. Its
// time of update stays that of the record, so that it is Newer than the record and the record
// than it.
func Tombstone(r Record) Record {
	switch r := r.(type) {
	case *Event:
		b := *r
		b.Deleted = true
		return &b
	case *Ticket:
		b := *r
		b.Deleted = true
		b.forget()
		return &b
	case *Payment:
		b := *r
		b.Deleted = true
		b.forget()
		return &b
	case *Contact:
		b := *r
		b.Deleted = true
		b.forget()
		return &b
	case *Planning:
		b := *r
		b.Deleted = true
		return &b
	case *TicketScan:
		b := *r
		b.Deleted = true
		return &b
	}
	return r
}
