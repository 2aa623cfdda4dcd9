package record

import (
	"reflect"
	"time"
)

// Newer reports whether record b replaces record a of the same kind and id: it was updated later,
// or at the same (or an unknown) time with different content. Update times are compared to the
// microsecond, the precision of databases; other times by the instant, whatever their zone. Records
// of different kinds never replace each other.
//
// Only tests use it: the store compares hashes of what it stores, and its tests check that both
// agree, except for update times that are implausible (see MaxAhead).
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

// equal reports whether two values of one type are the same. Times are compared by the instant, and
// a nil list equals an empty one.
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

// Deleted reports whether a record was deleted, by the service or because a whole read no longer
// had it.
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

// Tombstone returns a deleted copy of a record without personal data. It has the record's update
// time, so that each of the two is Newer than the other.
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
