package record_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
)

func TestNewer(t *testing.T) {
	at := func(s string, seat string) *record.Ticket {
		return &record.Ticket{ID: "t", UpdatedAt: clock(s), Seat: seat}
	}
	elsewhere := at("10:00", "A")
	elsewhere.UpdatedAt = elsewhere.UpdatedAt.In(time.FixedZone("", 3600))
	for name, c := range map[string]struct {
		a, b record.Record
		want bool
	}{
		"later":                    {at("10:00", "A"), at("10:01", "A"), true},
		"earlier":                  {at("10:01", "A"), at("10:00", "B"), false},
		"the same":                 {at("10:00", "A"), at("10:00", "A"), false},
		"the same, another zone":   {at("10:00", "A"), elsewhere, false},
		"same time, another text":  {at("10:00", "A"), at("10:00", "B"), true},
		"no times":                 {at("", "A"), at("", "A"), false},
		"no times, another text":   {at("", "A"), at("", "B"), true},
		"time told no more":        {at("10:00", "A"), at("", "A"), true},
		"time told for once":       {at("", "A"), at("10:00", "A"), true},
		"within one microsecond":   {&record.Event{UpdatedAt: time.Unix(9, 1500)}, &record.Event{UpdatedAt: time.Unix(9, 1999), Title: "x"}, true},
		"another kind":             {at("10:00", "A"), &record.Event{ID: "t"}, false},
		"scans told at last":       {&record.Ticket{}, &record.Ticket{Scans: []record.Scan{}}, true},
		"no ticket ids either way": {&record.Payment{}, &record.Payment{TicketIDs: []string{}}, false},
	} {
		if got := record.Newer(c.a, c.b); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	if r := at("10:00", "A"); record.Newer(r, r) {
		t.Error("a record replaces itself")
	}
}

// TestNewerComparesEveryField sets one field after the other, so that a new field of a record cannot
// be forgotten.
func TestNewerComparesEveryField(t *testing.T) {
	for _, make := range []func() record.Record{
		func() record.Record { return &record.Event{TicketTypes: []record.TicketType{{}}} },
		func() record.Record { return &record.Ticket{Scans: []record.Scan{{}}} },
		func() record.Record { return &record.Payment{} },
		func() record.Record { return &record.Contact{} },
		func() record.Record { return &record.Planning{} },
		func() record.Record { return &record.TicketScan{} },
		func() record.Record {
			return &record.Reconciliation{Found: []record.Found{{}}, Slice: &record.RecomputedSlice{}}
		},
		func() record.Record { return &record.Admissions{Gates: []record.GateAdmissions{{}}} },
	} {
		count := 0
		var visit func(path []int, name string, of reflect.Type)
		check := func(name string, set func(reflect.Value)) {
			count++
			a, b := make(), make()
			set(reflect.ValueOf(b).Elem())
			if !record.Newer(a, b) || !record.Newer(b, a) {
				t.Errorf("%T: Newer does not look at %s", a, name)
			}
			same := make()
			set(reflect.ValueOf(same).Elem())
			if record.Newer(b, same) {
				t.Errorf("%T: the same %s differs", a, name)
			}
		}
		visit = func(path []int, name string, of reflect.Type) {
			for i := range of.NumField() {
				f := of.Field(i)
				full, at := name+f.Name, append(path[:len(path):len(path)], i)
				switch {
				case f.Type.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]():
					visit(at, full+".", f.Type)
				case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
					elem := f.Type.Elem()
					for j := range elem.NumField() {
						check(full+"[]."+elem.Field(j).Name, func(v reflect.Value) { fill(v.FieldByIndex(at).Index(0).Field(j)) })
					}
				default:
					check(full, func(v reflect.Value) { fill(v.FieldByIndex(at)) })
				}
			}
		}
		visit(nil, "", reflect.TypeOf(make()).Elem())
		if count < 9 {
			t.Errorf("%T: only %d fields", make(), count)
		}
	}
}

// A deleted record has no personal data, whether the service or a whole read deleted it, and is the
// same version either way.
func TestDeletedHaveNoPersonalData(t *testing.T) {
	for kind, text := range map[record.Kind]string{
		record.KindTicket:  `{"id":"x","event_id":"e","contact_id":"person","seat":"person","status":"valid","updated_at":"2026-11-21T12:00:00Z"`,
		record.KindPayment: `{"id":"x","event_id":"e","contact_id":"person","amount":{"amount":1,"currency":"EUR"},"status":"paid"`,
		record.KindContact: `{"id":"x","city":"person","postal_area":"pers","country":"person","types":["person"],"created_at":"2026-11-21T12:00:00Z"`,
	} {
		r, deleted := decode(t, kind, text+"}"), decode(t, kind, text+`,"deleted":true}`)
		for _, r := range []record.Record{deleted, record.Tombstone(r)} {
			b, err := json.Marshal(r)
			if err != nil || strings.Contains(string(b), "pers") || !record.Deleted(r) || record.Newer(r, deleted) {
				t.Errorf("%s tells %s; %v", kind, b, err)
			}
		}
		if b, _ := json.Marshal(r); !strings.Contains(string(b), "pers") || !record.Newer(r, deleted) || !record.Newer(deleted, r) {
			t.Errorf("%s is not the same any more, or no other version than %+v", b, deleted)
		}
	}
}

// clock returns a time of 20 November 2026, zero for an empty string.
func clock(s string) (at time.Time) {
	if s != "" {
		at, _ = time.Parse("2006-01-02 15:04", "2026-11-20 "+s)
	}
	return at
}

// fill sets a value to something other than zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1e9, 0)))
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	default:
		panic("no such field: " + v.Type().String())
	}
}
