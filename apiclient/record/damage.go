package record

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Damage returns the refusal of next as a damaged version of a record, nil if it is none. held is the newest
// version; sameTime is true if the service dates both the same, or does not date next.
func Damage(next, held Record, sameTime bool) *Refusal {
	field, lacks := LacksRequired(next, held)
	if !lacks && sameTime {
		field, lacks = Lacks(next, held)
	}
	if !lacks {
		return nil
	}
	updated := next.RecordUpdated()
	if updated.IsZero() {
		updated = held.RecordUpdated()
	}
	return &Refusal{Kind: next.RecordKind(), ID: PrintableID(next.RecordID()), EventID: PrintableID(EventOf(held)), Updated: updated, Field: field,
		Why: Say("is missing or unreadable, and was there before without a later change")}
}

// MissingFromRow returns the refusal of a damaged row that does not give held, which it gave before.
func MissingFromRow(held Record) *Refusal {
	return &Refusal{Kind: held.RecordKind(), ID: PrintableID(held.RecordID()), EventID: PrintableID(EventOf(held)), Updated: held.RecordUpdated(),
		Why: Say("is missing from its row, which may be damaged")}
}

// Lacks reports whether next is held with parts missing or unreadable, and returns the first of these
// fields. It compares two versions of a record that have the same time: a service that changes nothing
// cannot take a part away, so next is a damaged answer. A version that has any other value is not
// compared further: it is another state of the record. A deletion lacks nothing.
func Lacks(next, held Record) (field string, lacks bool) {
	if next.RecordKind() != held.RecordKind() || Deleted(next) || Deleted(held) {
		return "", false
	}
	field, same := lacking("", reflect.ValueOf(next).Elem(), reflect.ValueOf(held).Elem())
	return field, same && field != ""
}

// LacksRequired is Lacks for a version with a later time. It regards only the parts that the service's
// document requires of every version, and that it gave before: a ticket's scans, and the status of a ticket
// or a payment. Other parts may be taken away by a change.
func LacksRequired(next, held Record) (field string, lacks bool) {
	if Deleted(next) || Deleted(held) {
		return "", false
	}
	switch next := next.(type) {
	case *Ticket:
		held, ok := held.(*Ticket)
		switch {
		case !ok:
		case next.Status == "" && held.Status != "":
			return "status", true
		case next.Scans == nil && held.Scans != nil:
			return "scans", true
		}
	case *Payment:
		held, ok := held.(*Payment)
		return "status", ok && next.Status == "" && held.Status != ""
	}
	return "", false
}

// MayLackRequired reports whether LacksRequired may be true for some older version.
func MayLackRequired(next Record) bool {
	switch r := next.(type) {
	case *Ticket:
		return !r.Deleted && (r.Status == "" || r.Scans == nil)
	case *Payment:
		return !r.Deleted && r.Status == ""
	}
	return false
}

// lacking returns the first field that next lacks; same is false if another field has another value.
func lacking(path string, next, held reflect.Value) (field string, same bool) {
	switch next.Kind() {
	case reflect.Struct:
		if at, ok := next.Interface().(time.Time); ok {
			before := held.Interface().(time.Time)
			return missing(path, at.IsZero(), before.IsZero(), at.Equal(before))
		}
		for i := range next.NumField() {
			name, _, _ := strings.Cut(next.Type().Field(i).Tag.Get("json"), ",")
			lacks, same := lacking(strings.TrimPrefix(path+"."+name, "."), next.Field(i), held.Field(i))
			if !same {
				return "", false
			}
			if field == "" {
				field = strings.TrimSuffix(lacks, ".")
			}
		}
		return field, true
	case reflect.Pointer:
		if next.IsNil() || held.IsNil() {
			return missing(path, next.IsNil(), held.IsNil(), false)
		}
		return "", reflect.DeepEqual(next.Interface(), held.Interface()) // a zero is a value
	case reflect.Slice:
		if next.IsNil() || held.IsNil() || next.Len() != held.Len() {
			return missing(path, next.IsNil(), held.IsNil(), false)
		}
		for i := range next.Len() {
			lacks, same := lacking(path, next.Index(i), held.Index(i))
			if !same {
				return "", false
			}
			if field == "" {
				field = lacks
			}
		}
		return field, true
	}
	if next.Kind() != reflect.String { // a number or a flag has no value that is missing
		return "", next.Equal(held)
	}
	return missing(path, next.IsZero() || !readable(next), held.IsZero() || !readable(held), next.Equal(held))
}

// missing returns path if a value is missing that was there; same is false for two different values, and for
// one that was not there before.
func missing(path string, isMissing, wasMissing, equal bool) (field string, same bool) {
	switch {
	case equal || isMissing && wasMissing:
		return "", true
	case isMissing:
		return path, true
	}
	return "", false
}

// readable reports whether a status or a kind of payment is one of our words. Other values are readable.
func readable(v reflect.Value) bool {
	switch s := v.Interface().(type) {
	case EventStatus:
		return isWord(eventStatus, s)
	case TicketStatus:
		return isWord(ticketStatus, s)
	case ExtraKind:
		return isWord(extraKind, s)
	case PaymentStatus:
		return isWord(paymentStatus, s)
	case PaymentKind:
		return isWord(paymentKind, s)
	}
	return true
}

func isWord[S ~string](words map[string]S, s S) bool {
	_, ok := words[string(s)]
	return ok || slices.Contains(slices.Collect(maps.Values(words)), s)
}
