package web

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
	// Own says that its value is the session of who asks, by its name in Session.ID. Whoever makes a
	// request gives it; an address cannot.
	Own bool
	// read brings a value into its normal form, or says what is wrong with it. Without read it is
	// a name of at most nameBytes.
	read func(value string) (normal string, wrong *ParamError)
	// with says whether the parameter has any effect, by the values of those before it; nil where it
	// always has.
	with func(url.Values) bool
	// exists says that there is what the value names. Without it the value names nothing.
	exists func(s *figures.Snapshot, value string) bool
}

// HasParam says that a page has a parameter of that name.
func HasParam(page, name string) bool {
	p := PageNamed(page)
	return p != nil && slices.ContainsFunc(p.Params, func(param Param) bool { return param.Name == name })
}

// eventExists is for ids of performances.
func eventExists(s *figures.Snapshot, id string) bool { return s.Event(id) != nil }

// hallExists is for names of halls in which anything is, was or will be on.
func hallExists(s *figures.Snapshot, name string) bool {
	return slices.ContainsFunc(s.Events, func(e *figures.EventFigures) bool { return e.Event.Hall == name })
}

// ParamError is what is wrong with a parameter of an address.
type ParamError struct {
	Param  string
	fault  paramFault
	values []string // that it may have; for a parameter that is not known, those that the page takes
}

type paramFault uint8

const (
	paramRepeated paramFault = iota
	paramMissing
	paramUnknown
	paramTooLong
	paramNoDay
	paramNoMinute
	paramNoNumber
	paramNoneOf
	paramWithout
	paramTooMany
)

func (e *ParamError) Error() string { return e.In(English) }

// In is the error as a sentence about an address.
func (e *ParamError) In(l Locale) string {
	w := words.Of(l)
	param := words.Name("param", clip(e.Param, 60))
	switch e.fault {
	case paramRepeated:
		return w.Text("param.repeated", param)
	case paramMissing:
		return w.Text("param.missing", param)
	case paramTooLong:
		return w.Text("param.too_long", param, words.Int("most", nameBytes))
	case paramNoDay:
		return w.Text("param.no_day", param)
	case paramNoMinute:
		return w.Text("param.no_minute", param)
	case paramNoNumber:
		return w.Text("param.no_number", param, words.Text("most", strconv.Itoa(mostWhole)))
	case paramTooMany:
		return w.Text("param.too_many", param)
	case paramWithout:
		return w.Text("param.without", param)
	case paramNoneOf:
		return w.Text("param.none_of", param, words.Text("values", w.AnyOf(e.values)))
	}
	if len(e.values) == 0 {
		return w.Text("param.unknown_none", param)
	}
	return w.Text("param.unknown", param, words.Text("known", w.List(e.values)))
}

// readParams brings the values of a page's parameters into normal form; its error is a
// *ParamError. Parameters that the page does not have are refused, so that no part of an
// address is silently without effect.
func readParams(params []Param, values url.Values) (Params, error) {
	normal := url.Values{}
	for _, p := range params {
		given := values[p.Name]
		if len(given) > 1 {
			return "", &ParamError{Param: p.Name, fault: paramRepeated}
		}
		value := cmp.Or(values.Get(p.Name), p.Default)
		if value != "" && p.with != nil && !p.with(normal) {
			return "", &ParamError{Param: p.Name, fault: paramWithout}
		}
		if value == "" && p.Required {
			return "", &ParamError{Param: p.Name, fault: paramMissing}
		}
		if value != "" {
			read := p.read
			if read == nil {
				read = readName
			}
			var wrong *ParamError
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
			return "", &ParamError{Param: name, fault: paramUnknown, values: paramNames(params)}
		}
	}
	return Params(normal.Encode()), nil
}

func paramNames(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Name
	}
	return names
}

// nameBytes bounds names that become part of a topic.
const nameBytes = 200

// readName takes any name of a bounded length that is text: PostgreSQL stores no U+0000.
func readName(value string) (normal string, wrong *ParamError) {
	if len(value) > nameBytes || !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return "", &ParamError{fault: paramTooLong}
	}
	return value, nil
}

// readWords is readName, with single spaces between words.
func readWords(value string) (normal string, wrong *ParamError) {
	return readName(strings.Join(strings.Fields(value), " "))
}

// readText takes what somebody wrote to be read on a screen, on one line.
func readText(value string) (normal string, wrong *ParamError) {
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(value, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if len(text) > programme.MostText {
		return "", &ParamError{fault: paramTooLong}
	}
	return text, nil
}

// readDay takes a day of the calendar.
func readDay(value string) (normal string, wrong *ParamError) {
	if _, err := time.Parse(time.DateOnly, value); err != nil {
		return "", &ParamError{fault: paramNoDay}
	}
	return value, nil
}

// minuteLayout is a minute with its offset: of the hour that a clock shows twice each has an address.
const minuteLayout = "2006-01-02T15:04Z07:00"

// readMinute takes a minute of a day, as minuteLayout has it. A plus that is typed into an address
// arrives as a space.
func readMinute(value string) (normal string, wrong *ParamError) {
	at, err := time.Parse(minuteLayout, strings.Replace(value, " ", "+", 1))
	if err != nil {
		return "", &ParamError{fault: paramNoMinute}
	}
	return at.Format(minuteLayout), nil
}

// mostWhole is more than there can be places or performances.
const mostWhole = 1_000_000

// readWhole takes a whole number.
func readWhole(value string) (normal string, wrong *ParamError) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > mostWhole {
		return "", &ParamError{fault: paramNoNumber}
	}
	return strconv.Itoa(n), nil
}

// readPlaces is readWhole for what 0 does not ask for.
func readPlaces(value string) (normal string, wrong *ParamError) {
	if normal, wrong = readWhole(value); normal == "0" {
		normal = ""
	}
	return normal, wrong
}

// oneOf takes these values alone.
func oneOf(values ...string) func(string) (normal string, wrong *ParamError) {
	return func(value string) (string, *ParamError) {
		if slices.Contains(values, value) {
			return value, nil
		}
		return "", &ParamError{fault: paramNoneOf, values: values}
	}
}
