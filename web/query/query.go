// Package query reads the parameters of a page's address. A page has a row for each of its parameters; Read brings what an address
// has into its normal form, or returns what is wrong with it as an Error, which is a sentence in any language.
package query

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/web/programme"
	"housecount/web/words"
)

// Params are the values of a page's parameters in normal form: a query, sorted by name, without empty
// values.
type Params string

// Values returns the parameters by name, each with one value.
func (p Params) Values() url.Values {
	values, _ := url.ParseQuery(string(p)) // Read has made it
	return values
}

// Param is a parameter of a page.
type Param struct {
	Name string
	// Default replaces a missing or empty value.
	Default  string
	Required bool
	// Own marks a parameter whose value is the viewer's own session, by its Session.ID. The caller of
	// Read sets it; an address cannot.
	Own bool
	// Read returns the normal form of a value, or what is wrong with it. If Read is nil, a name of at most
	// NameBytes is accepted.
	Read func(value string) (normal string, wrong *Error)
	// HasEffect reports whether the parameter has an effect, given the values of the parameters before it;
	// nil means always.
	HasEffect func(url.Values) bool
	// Exists reports whether the thing that the value names exists; nil if the value names nothing.
	Exists func(s *figures.Snapshot, value string) bool
}

// EventExists reports whether there is a performance with the id.
func EventExists(s *figures.Snapshot, id string) bool { return s.Event(id) != nil }

// HallExists reports whether any performance, past or to come, is in the hall.
func HallExists(s *figures.Snapshot, name string) bool {
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool { return e.Event.Hall == name })
}

// Error is what is wrong with a parameter of an address.
type Error struct {
	Param  string
	fault  fault
	values []string // that it may have; for a parameter that is not known, those that the page takes
}

type fault uint8

const (
	repeated fault = iota
	missing
	unknown
	tooLong
	noDay
	noMinute
	noNumber
	noneOf
	noEffect
)

func (e *Error) Error() string { return e.In(words.English) }

// In returns the error as a sentence about an address.
func (e *Error) In(l words.Locale) string {
	w := words.Of(l)
	param := words.Name("param", words.Clip(e.Param, 60))
	switch e.fault {
	case repeated:
		return w.Text("param.repeated", param)
	case missing:
		return w.Text("param.missing", param)
	case tooLong:
		return w.Text("param.too_long", param, words.Int("most", NameBytes))
	case noDay:
		return w.Text("param.no_day", param)
	case noMinute:
		return w.Text("param.no_minute", param)
	case noNumber:
		return w.Text("param.no_number", param, words.Text("most", strconv.Itoa(mostWhole)))
	case noEffect:
		return w.Text("param.without", param)
	case noneOf:
		return w.Text("param.none_of", param, words.Text("values", w.AnyOf(e.values)))
	}
	if len(e.values) == 0 {
		return w.Text("param.unknown_none", param)
	}
	return w.Text("param.unknown", param, words.Text("known", w.List(e.values)))
}

// Read returns the values of a page's parameters in normal form; its error is a *Error. It
// refuses parameters that the page does not have, so that no part of an address is silently ignored.
func Read(params []Param, values url.Values) (Params, error) {
	normal := url.Values{}
	for _, p := range params {
		given := values[p.Name]
		if len(given) > 1 {
			return "", &Error{Param: p.Name, fault: repeated}
		}
		value := cmp.Or(values.Get(p.Name), p.Default)
		if value != "" && p.HasEffect != nil && !p.HasEffect(normal) {
			return "", &Error{Param: p.Name, fault: noEffect}
		}
		if value == "" && p.Required {
			return "", &Error{Param: p.Name, fault: missing}
		}
		if value != "" {
			read := p.Read
			if read == nil {
				read = readName
			}
			var wrong *Error
			if value, wrong = read(value); wrong != nil {
				wrong.Param = p.Name
				return "", wrong
			}
		}
		if value != "" {
			normal.Set(p.Name, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			return "", &Error{Param: name, fault: unknown, values: namesOf(params)}
		}
	}
	return Params(normal.Encode()), nil
}

func namesOf(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

// NameBytes limits the length of names, which become part of a topic.
const NameBytes = 200

// readName accepts valid text of limited length without U+0000, which PostgreSQL cannot store.
func readName(value string) (normal string, wrong *Error) {
	if len(value) > NameBytes || !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return "", &Error{fault: tooLong}
	}
	return value, nil
}

// ReadWords is readName, with single spaces between words.
func ReadWords(value string) (normal string, wrong *Error) {
	return readName(strings.Join(strings.Fields(value), " "))
}

// ReadText accepts a message for a screen, and puts it on one line.
func ReadText(value string) (normal string, wrong *Error) {
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(value, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(text) > programme.MostText {
		return "", &Error{fault: tooLong}
	}
	return text, nil
}

// ReadDay accepts a calendar day.
func ReadDay(value string) (normal string, wrong *Error) {
	if _, err := time.Parse(time.DateOnly, value); err != nil {
		return "", &Error{fault: noDay}
	}
	return value, nil
}

// MinuteLayout is a minute with its UTC offset, so that both passes of the hour that repeats in autumn have
// an address.
const MinuteLayout = "2006-01-02T15:04Z07:00"

// ReadMinute accepts a minute in MinuteLayout. A plus typed into an address arrives as a space.
func ReadMinute(value string) (normal string, wrong *Error) {
	at, err := time.Parse(MinuteLayout, strings.Replace(value, " ", "+", 1))
	if err != nil {
		return "", &Error{fault: noMinute}
	}
	return at.Format(MinuteLayout), nil
}

// mostWhole is above any number of places or performances.
const mostWhole = 1_000_000

// ReadWhole accepts a whole number from 0 to mostWhole.
func ReadWhole(value string) (normal string, wrong *Error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > mostWhole {
		return "", &Error{fault: noNumber}
	}
	return strconv.Itoa(n), nil
}

// ReadPlaces is ReadWhole for a parameter of which 0 means that nothing is asked for.
func ReadPlaces(value string) (normal string, wrong *Error) {
	if normal, wrong = ReadWhole(value); normal == "0" {
		normal = ""
	}
	return normal, wrong
}

// NoneOf is the error of a parameter that has none of the values that it may have.
func NoneOf(values ...string) *Error { return &Error{fault: noneOf, values: values} }

// OneOf accepts only the given values.
func OneOf(values ...string) func(string) (normal string, wrong *Error) {
	return func(value string) (string, *Error) {
		if slices.Contains(values, value) {
			return value, nil
		}
		return "", NoneOf(values...)
	}
}

// Given returns the parameters that have a value.
func Given(all url.Values) url.Values {
	given := url.Values{}
	for name, values := range all {
		if len(values) > 0 && values[0] != "" {
			given[name] = values
		}
	}
	return given
}
