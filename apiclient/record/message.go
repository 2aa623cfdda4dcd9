package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Message is what people read of a record or of the service: the catalogue of words has it in every
// language, under its Text. The log keeps messages, so that one may be of another version, whose
// Text no catalogue has: it then reads in English, as String has it.
type Message struct {
	Text string // in English, with the places of the arguments: "is longer than {most} bytes"
	Args []Arg
}

// Arg is an argument of a Message: another message, text from outside, or else a number.
type Arg struct {
	Name string
	Of   *Message `json:",omitempty"`
	Text string   `json:",omitempty"` // stays as it came
	N    int64    `json:",omitempty"`
}

// Say is a Message.
func Say(text string, args ...Arg) Message { return Message{text, args} }

// Of is an argument that is a message.
func Of(name string, m Message) Arg { return Arg{Name: name, Of: &m} }

// AsCame is an argument that is text from outside, or one that no language writes otherwise.
func Verbatim(name, text string) Arg { return Arg{Name: name, Text: text} }

// Number is an argument that is a whole number.
func Number[N int | int64](name string, n N) Arg { return Arg{Name: name, N: int64(n)} }

// IsZero says that m says nothing.
func (m Message) IsZero() bool { return m.Text == "" }

// Equal says that m and o say the same.
func (m Message) Equal(o Message) bool {
	return m.Text == o.Text && slices.EqualFunc(m.Args, o.Args, func(a, b Arg) bool {
		return a.Name == b.Name && a.Text == b.Text && a.N == b.N && (a.Of == nil) == (b.Of == nil) && (a.Of == nil || a.Of.Equal(*b.Of))
	})
}

// String is m in English.
func (m Message) String() string {
	if m.Args == nil {
		return m.Text
	}
	var b strings.Builder
	rest := m.Text
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(before)
		name, after, closed := strings.Cut(after, "}")
		if !found || !closed {
			return b.String()
		}
		rest = after
		i := slices.IndexFunc(m.Args, func(a Arg) bool { return a.Name == name })
		if i < 0 {
			b.WriteString("{" + name + "}")
			continue
		}
		switch a := m.Args[i]; {
		case a.Of != nil:
			b.WriteString(a.Of.String())
		case a.Text != "":
			b.WriteString(a.Text)
		default:
			b.WriteString(strconv.FormatInt(a.N, 10))
		}
	}
}

// Error is String, for a Message that ends something.
func (m Message) Error() string { return m.String() }

// MarshalJSON writes a message without arguments as its text: the log has many.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.Args == nil {
		return json.Marshal(m.Text)
	}
	type plain Message // without this method
	return json.Marshal(plain(m))
}

// UnmarshalJSON reads what MarshalJSON writes, and so what was stored before messages had
// arguments.
func (m *Message) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*m = Message{Text: text}
		return nil
	}
	type plain Message // without this method
	return json.Unmarshal(b, (*plain)(m))
}
