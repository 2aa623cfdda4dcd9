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

// decode reads a body of exactly one JSON value. An unknown field is an error.
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

// fields lists the JSON names of a struct's fields.
func fields(v any) string {
	var names []string
	for f := range reflect.TypeOf(v).Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// amountInput is an amount with its currency, or a number of minor units.
type amountInput struct{ record.Money }

func (a *amountInput) UnmarshalJSON(b []byte) error {
	if err := json.Unmarshal(b, &a.Amount); err == nil {
		return nil
	}
	return json.Unmarshal(b, &a.Money)
}

// form reads the fields of a write and collects their errors. A missing field is read as nil.
type form struct {
	raw         map[string]json.RawMessage
	fieldErrors []idp.FieldError
}

func (f *form) addError(field, detail string) {
	f.fieldErrors = append(f.fieldErrors, idp.FieldError{Field: field, Detail: detail})
}

// finish returns all errors. Fields that were not read are errors, too.
func (f *form) finish() error {
	for name := range f.raw {
		f.addError(name, "is not a field that can be written here")
	}
	if len(f.fieldErrors) == 0 {
		return nil
	}
	slices.SortFunc(f.fieldErrors, func(a, b idp.FieldError) int { return strings.Compare(a.Field, b.Field) })
	return &idp.Problem{Status: http.StatusUnprocessableEntity, Detail: "Some fields are wrong.", Errors: f.fieldErrors}
}

// field reads one field and removes it from raw. requirement completes the error "must be …".
func field[T any](f *form, name, requirement string, ok func(T) bool) *T {
	raw, given := f.raw[name]
	if !given {
		return nil
	}
	delete(f.raw, name)
	v := new(T)
	if string(raw) == "null" || json.Unmarshal(raw, v) != nil || !ok(*v) {
		f.addError(name, "must be "+requirement)
		return nil
	}
	return v
}

func (f *form) text(name string, limit int) *string {
	return field(f, name, fmt.Sprintf("a text of 1 to %d letters", limit), func(s string) bool {
		return strings.TrimSpace(s) != "" && len([]rune(s)) <= limit
	})
}

func (f *form) oneOf(name string, words ...string) *string {
	return field(f, name, "one of "+strings.Join(words, ", "), func(s string) bool { return slices.Contains(words, s) })
}

func (f *form) number(name string, limit int) *int {
	return field(f, name, fmt.Sprintf("a whole number from 0 to %d", limit), func(n int) bool { return n >= 0 && n <= limit })
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

// require adds an error if a field is missing.
func require[T any](f *form, name string, v *T) {
	if v == nil && !slices.ContainsFunc(f.fieldErrors, func(w idp.FieldError) bool { return w.Field == name }) {
		f.addError(name, "is needed")
	}
}

// set sets *into to *v unless v is nil.
func set[T any](into *T, v *T) {
	if v != nil {
		*into = *v
	}
}
