package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"housecount/aggregator/figures"
)

// Params are the values of a page's parameters in their one normal form: a query, sorted by
// name, of those that have a value. It is made by NewRequest.
type Params string

// values are the parameters by name, each with one value.
func (p Params) values() url.Values {
	values, _ := url.ParseQuery(string(p)) // Request.check has read it
	return values
}

// Param is a parameter of a page.
type Param struct {
	Name string
	// Default is the value of a parameter that is not given or empty.
	Default string
	// Required refuses a parameter without a value.
	Required bool
	// read brings a value into its normal form; what is not empty in mend says what the value
	// has to be instead. Without read it is a name of at most nameBytes.
	read func(value string) (normal, mend string)
	// exists says that there is what the value names. Without it the value names nothing.
	exists func(s *figures.Snapshot, value string) bool
}

// eventExists is for ids of performances.
func eventExists(s *figures.Snapshot, id string) bool { return s.Event(id) != nil }

// hallExists is for names of halls in which anything is, was or will be on.
func hallExists(s *figures.Snapshot, name string) bool {
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool { return e.Event.Hall == name })
}

// ParamError is what is wrong with a parameter of an address.
type ParamError struct {
	Param string
	Mend  string // what it has to be, after the parameter's name in a sentence
}

func (e *ParamError) Error() string { return fmt.Sprintf("parameter %q %s", clip(e.Param, 60), e.Mend) }

// readParams brings the values of a page's parameters into normal form; its error is a
// *ParamError. Parameters that the page does not have are refused, so that no part of an
// address is silently without effect.
func readParams(params []Param, values url.Values) (Params, error) {
	normal := url.Values{}
	for _, p := range params {
		given := values[p.Name]
		if len(given) > 1 {
			return "", &ParamError{p.Name, "is given more than once"}
		}
		value := cmp.Or(values.Get(p.Name), p.Default)
		if value == "" && p.Required {
			return "", &ParamError{p.Name, "is missing"}
		}
		if value != "" {
			read := p.read
			if read == nil {
				read = readName
			}
			var mend string
			if value, mend = read(value); mend != "" {
				return "", &ParamError{p.Name, mend}
			}
		}
		if value != "" {
			normal.Set(p.Name, value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.ContainsFunc(params, func(p Param) bool { return p.Name == name }) {
			return "", &ParamError{name, "is not known here: this page takes " + takes(params)}
		}
	}
	return Params(normal.Encode()), nil
}

func takes(params []Param) string {
	if len(params) == 0 {
		return "no parameters"
	}
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return list(names)
}

// nameBytes bounds names that become part of a topic.
const nameBytes = 200

// readName takes any name of a bounded length.
func readName(value string) (normal, mend string) {
	if len(value) > nameBytes || !utf8.ValidString(value) {
		return "", fmt.Sprintf("has to be text of at most %d bytes", nameBytes)
	}
	return value, ""
}

// readWords is readName, with single spaces between words.
func readWords(value string) (normal, mend string) {
	return readName(strings.Join(strings.Fields(value), " "))
}

// readDay takes a day of the calendar.
func readDay(value string) (normal, mend string) {
	if _, err := time.Parse(time.DateOnly, value); err != nil {
		return "", "has to be a day like 2026-11-21"
	}
	return value, ""
}

// mostWhole is more than there can be places or performances.
const mostWhole = 1_000_000

// readWhole takes a whole number.
func readWhole(value string) (normal, mend string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > mostWhole {
		return "", fmt.Sprintf("has to be a whole number from 0 to %d", mostWhole)
	}
	return strconv.Itoa(n), ""
}

// readPlaces is readWhole for what 0 does not ask for.
func readPlaces(value string) (normal, mend string) {
	if normal, mend = readWhole(value); normal == "0" {
		normal = ""
	}
	return normal, mend
}

// oneOf takes these values alone.
func oneOf(values ...string) func(string) (normal, mend string) {
	return func(value string) (string, string) {
		if slices.Contains(values, value) {
			return value, ""
		}
		last := len(values) - 1
		return "", "has to be " + strings.Join(values[:last], ", ") + " or " + values[last]
	}
}
