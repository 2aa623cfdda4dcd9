package words

import (
	"slices"
	"strings"
	"unicode"
)

// Dash stands for what is not known.
const Dash = "\u2014"

// Num is a figure as text. Why is empty for an exact one; otherwise it is how far the figure can be
// trusted, shown on hover and on focus.
type Num struct {
	Text string
	Why  string
	// Href is where the figure is explained; empty for one that is not.
	Href string
	// N chooses the plural form of the words next to a whole number.
	N int
}

// Unknown reports whether there is no value at all.
func (n Num) Unknown() bool { return n.Text == Dash }

// Sentence is text in which some parts are figures and some are names from the service.
type Sentence []Run

// Lead returns the beginning of a sentence that is strong, with the spaces within it; all of it if that is none of it.
func (s Sentence) Lead() Sentence {
	end := 0
	for i := range s {
		if s[i].Strong {
			end = i + 1
		} else if strings.TrimSpace(s[i].Text) != "" || s[i].Num != nil {
			break
		}
	}
	if end == 0 {
		return s
	}
	return s[:end]
}

// Brief returns the sentence with each name cut off before its first comma, as a title names its performers after one.
func (s Sentence) Brief() Sentence {
	s = slices.Clone(s)
	for i, r := range s {
		if before, _, ok := strings.Cut(r.Text, ", "); ok && r.Name && before != "" {
			s[i].Text = before
		}
	}
	return s
}

// WithoutWhy returns the sentence without the reasons of its figures, for a line that has no room for them.
func (s Sentence) WithoutWhy() Sentence {
	s = slices.Clone(s)
	for i, r := range s {
		if r.Num != nil {
			n := *r.Num
			n.Why, s[i].Num = "", &n
		}
	}
	return s
}

// Run is a part of a sentence.
type Run struct {
	Text   string
	Num    *Num // a figure
	Strong bool
	Name   bool // text from the service; isolated, so that its writing direction does not affect the rest
}

// Arg is an argument of a message.
type Arg struct {
	name string
	kind kind
	n    int
	text string
	num  Num
	part Sentence
}

type kind uint8

const (
	ours kind = iota
	outside
	whole
	spelled
	figure
	part
)

// Text returns an argument of our own text.
func Text(name, text string) Arg { return Arg{name: name, text: text} }

// Name returns an argument of text from outside: a title, a hall, a person.
func Name(name, text string) Arg { return Arg{name: name, kind: outside, text: text} }

// Int returns a whole number that is exact.
func Int(name string, n int) Arg { return Arg{name: name, kind: whole, n: n} }

// Spelled returns a whole number, in words where it is small.
func Spelled(name string, n int) Arg { return Arg{name: name, kind: spelled, n: n} }

// Fig returns a figure with what is to be said of its quality.
func Fig(name string, num Num) Arg { return Arg{name: name, kind: figure, num: num, n: num.N} }

// Plain returns a figure's text alone, where what is to be said of its quality stands elsewhere.
func Plain(name string, num Num) Arg { return Arg{name: name, text: num.Text, n: num.N} }

// Part returns an argument with marks of its own, such as a list of names.
func Part(name string, s Sentence) Arg { return Arg{name: name, kind: part, part: s} }

// Join puts what stands by itself side by side; empty parts are left out.
func Join(separator string, parts ...Sentence) Sentence {
	var all Sentence
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if len(all) > 0 {
			all = append(all, Run{Text: separator})
		}
		all = append(all, p...)
	}
	return all
}

// List joins texts as a sentence does: a, b and c.
func (w *Words) List(texts []string) string { return w.join("list.last", texts) }

// AnyOf joins texts of which one is enough: a, b or c.
func (w *Words) AnyOf(texts []string) string { return w.join("list.or", texts) }

func (w *Words) join(last string, texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	all := texts[0]
	for i, t := range texts[1:] {
		key := "list.middle"
		if i == len(texts)-2 {
			key = last
		}
		all = w.Text(key, Text("list", all), Text("item", t))
	}
	return all
}

// Names is List for names from outside.
func (w *Words) Names(names []string) Sentence {
	if len(names) == 0 {
		return nil
	}
	all := Sentence{{Text: names[0], Name: true}}
	for i, n := range names[1:] {
		key := "list.middle"
		if i == len(names)-2 {
			key = "list.last"
		}
		all = w.Say(key, Part("list", all), Name("item", n))
	}
	return all
}

// Sentence returns the figure alone.
func (n Num) Sentence() Sentence { return Sentence{{Num: &n}} }

// NameAlone returns a sentence that is text from outside alone; without text it is empty.
func NameAlone(text string) Sentence {
	if text == "" {
		return nil
	}
	return Sentence{{Text: text, Name: true}}
}

// String returns the sentence without its marks, for places that take only text.
func (s Sentence) String() string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r.Num != nil:
			b.WriteString(r.Num.Text)
			if r.Num.Why != "" {
				b.WriteString(" (" + r.Num.Why + ")")
			}
		case r.Name:
			b.WriteString(Bare(r.Text))
		default:
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

// Bare removes control characters, those of writing direction included, from text of the
// service, for places where no element can isolate it: attributes, a page's title, a chart.
func Bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control) {
			return -1
		}
		return r
	}, s)
}
