package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
)

// decode reads the one JSON value of a body; a field that is not known is an error.
func decode[T any](body []byte) (T, error) {
	var v T
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		return v, idp.BadRequest("The body is not what this call takes: " + strings.TrimPrefix(err.Error(), "json: ") + ". It takes " + fields(v) + ".")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return v, idp.BadRequest("The body holds more than one JSON value.")
	}
	return v, nil
}

// fields names what a struct takes from JSON.
func fields(v any) string {
	var names []string
	for f := range reflect.TypeOf(v).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// someAmount is an amount with its currency, or a bare number of minor units.
type someAmount struct{ record.Money }

func (a *someAmount) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &a.Amount); err == nil {
		return nil
	}
	return json.Unmarshal(b, &a.Money)
}

// form reads the fields of a write and gathers what is wrong with them. A field that is
// missing reads as nil.
type form struct {
	raw   map[string]json.RawMessage
	wrong []idp.FieldError
}

func (f *form) fault(field, detail string) {
	f.wrong = append(f.wrong, idp.FieldError{Field: field, Detail: detail})
}

// done names all that is wrong, fields among it that nobody asked for.
func (f *form) done() error {
	for name := range f.raw {
		f.fault(name, "is not a field that can be written here")
	}
	if len(f.wrong) == 0 {
		return nil
	}
	slices.SortFunc(f.wrong, func(a, b idp.FieldError) int { return strings.Compare(a.Field, b.Field) })
	return &idp.Problem{Status: http.StatusUnprocessableEntity, Detail: "Some fields are wrong.", Errors: f.wrong}
}

// field reads one field; what describes the valid values.
func field[T any](f *form, name, what string, ok func(T) bool) *T {
	raw, given := f.raw[name]
	if !given {
		return nil
	}
	delete(f.raw, name)
	v := new(T)
	if string(raw) == "null" || json.Unmarshal(raw, v) != nil || !ok(*v) {
		f.fault(name, "must be "+what)
		return nil
	}
	return v
}

func (f *form) text(name string, most int) *string {
	return field(f, name, fmt.Sprintf("a text of 1 to %d letters", most), func(s string) bool {
		return strings.TrimSpace(s) != "" && len([]rune(s)) <= most
	})
}

func (f *form) word(name string, words ...string) *string {
	return field(f, name, "one of "+strings.Join(words, ", "), func(s string) bool { return slices.Contains(words, s) })
}

func (f *form) number(name string, most int) *int {
	return field(f, name, fmt.Sprintf("a whole number from 0 to %d", most), func(n int) bool { return n >= 0 && n <= most })
}

func (f *form) time(name string) *time.Time {
	return field(f, name, "an RFC 3339 time of this age", func(t time.Time) bool { return t.Year() > 1900 && t.Year() < 2200 })
}

func (f *form) money(name string) *record.Money {
	return field(f, name, "an amount in minor units with its currency", func(m record.Money) bool { return checkMoney(name, m) == nil })
}

func checkMoney(name string, m record.Money) error {
	if m.Amount < 0 || m.Amount > 1_000_000_000 {
		return idp.BadRequest(name + ".amount must be from 0 to 1000000000 minor units.")
	}
	if len(m.Currency) != 3 || strings.Trim(m.Currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return idp.BadRequest(name + ".currency must be three capital letters.")
	}
	return nil
}

// need reports a field as missing.
func need[T any](f *form, name string, v *T) {
	if v == nil && !slices.ContainsFunc(f.wrong, func(w idp.FieldError) bool { return w.Field == name }) {
		f.fault(name, "is needed")
	}
}

// set changes *into when there is a value.
func set[T any](into *T, v *T) {
	if v != nil {
		*into = *v
	}
}
