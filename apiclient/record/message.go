package record

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Message is a text about a record or the service. The catalogue of words translates it by its
// Text. The log stores messages, so a message may come from another version and have no
// translation: it is then shown in English by String.
type Message struct {
	Text string // in English, with placeholders: "is longer than {most} bytes"
	Args []Arg
}

// Arg is an argument of a Message: another message, text from outside, or else a number.
type Arg struct {
	Name string
	Of   *Message `json:",omitempty"`
	Text string   `json:",omitempty"` // shown unchanged
	N    int64    `json:",omitempty"`
}

// Say returns a Message.
func Say(text string, args ...Arg) Message { return Message{text, args} }

// Of returns an argument that is a message.
func Of(name string, m Message) Arg { return Arg{Name: name, Of: &m} }

// Verbatim returns an argument that is shown unchanged in every language.
func Verbatim(name, text string) Arg { return Arg{Name: name, Text: text} }

// Number returns an argument that is an integer.
func Number[N int | int64](name string, n N) Arg { return Arg{Name: name, N: int64(n)} }

// IsZero reports whether m is empty.
func (m Message) IsZero() bool { return m.Text == "" }

// Equal reports whether m and o are the same.
func (m Message) Equal(o Message) bool {
	return m.Text == o.Text && slices.EqualFunc(m.Args, o.Args, func(a, b Arg) bool {
		return a.Name == b.Name && a.Text == b.Text && a.N == b.N && (a.Of == nil) == (b.Of == nil) && (a.Of == nil || a.Of.Equal(*b.Of))
	})
}

// String returns m in English.
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

// Error returns String; a Message can be an error.
func (m Message) Error() string { return m.String() }

// MarshalJSON encodes a message without arguments as a string, to save space in the log.
func (m Message) MarshalJSON() ([]byte, error) {
	if m.Args == nil {
		return json.Marshal(m.Text)
	}
	type plain Message // without this method
	return json.Marshal(plain(m))
}

// UnmarshalJSON decodes what MarshalJSON writes, and messages stored before they had arguments.
func (m *Message) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*m = Message{Text: text}
		return nil
	}
	type plain Message // without this method
	return json.Unmarshal(b, (*plain)(m))
}
