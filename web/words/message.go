package words

import (
	"errors"
	"fmt"
	"strings"
)

// NBSP is a space at which a line does not break.
const NBSP = "\u00a0"

// noBreak has no width, and a line does not break at it either.
const noBreak = "\u2060"

// message is a text as it is filled: its segments in order.
type message struct {
	segments []segment
	// sentence and text are the message where it has no arguments; sentence is nil if it has.
	sentence Sentence
	text     string
	runs     int // about how many runs a filled sentence has
	size     int // and how many bytes of text
}

// segment is text, or the place of an argument.
type segment struct {
	text   string
	arg    string     // empty for text
	forms  [][]string // by plural category, each cut where the number goes; nil for the argument itself
	strong bool
}

// parse reads a text of the catalogue, in a language with that many plural categories.
func parse(text string, categories int) (*message, error) {
	m := &message{}
	strong := false
	add := func(s segment) {
		s.strong = strong
		m.segments = append(m.segments, s)
	}
	if text == "" {
		return nil, errors.New("is empty")
	}
	for rest := text; rest != ""; {
		i := strings.IndexAny(rest, "{}*")
		if i < 0 {
			i = len(rest)
		}
		if i > 0 {
			between := strings.ReplaceAll(rest[:i], "~", NBSP)
			if n := len(m.segments); between == "–" && n > 1 && strings.HasSuffix(m.segments[n-2].text, "(") { // a band
				between += noBreak
			}
			add(segment{text: between})
			rest = rest[i:]
			continue
		}
		switch {
		case strings.HasPrefix(rest, "**"):
			strong = !strong
			rest = rest[2:]
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			if end < 0 {
				return nil, fmt.Errorf("%q does not close", rest)
			}
			s, err := parseArg(rest[1:end], categories)
			if err != nil {
				return nil, err
			}
			add(s)
			rest = rest[end+1:]
		default:
			return nil, fmt.Errorf("%q has no meaning", rest)
		}
	}
	if strong {
		return nil, errors.New("** does not close")
	}
	m.precompute()
	return m, nil
}

func parseArg(inside string, categories int) (segment, error) {
	name, forms, plural := strings.Cut(inside, "|")
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return segment{}, fmt.Errorf("{%s} does not name an argument", inside)
	}
	s := segment{arg: name}
	if !plural {
		return s, nil
	}
	for form := range strings.SplitSeq(forms, "|") {
		s.forms = append(s.forms, strings.Split(strings.ReplaceAll(form, "~", NBSP), "#"))
	}
	if len(s.forms) != categories {
		return segment{}, fmt.Errorf("{%s} has %d forms, the language %d", inside, len(s.forms), categories)
	}
	return s, nil
}

// precompute computes the text of the segments without arguments.
func (m *message) precompute() {
	m.sentence, m.text, m.runs, m.size = nil, "", len(m.segments), 0
	for _, s := range m.segments {
		m.size += max(len(s.text), 12)
	}
	var fixed Sentence
	for _, s := range m.segments {
		if s.arg != "" {
			return
		}
		fixed = append(fixed, Run{Text: s.text, Strong: s.strong})
		m.text += s.text
	}
	m.sentence = fixed[:len(fixed):len(fixed)] // full, so that appending copies it
}

// mark puts the message between the marks of the pseudo-language.
func (m *message) mark() {
	m.segments = append(append([]segment{{text: "⟦"}}, m.segments...), segment{text: "⟧"})
	m.precompute()
}

// filler writes a message's text and runs.
type filler struct {
	w     *Words
	plain bool // only text is wanted
	b     strings.Builder
	runs  Sentence
	start int // of the text that is in no run yet
	// strong is that of the text from start on.
	strong bool
}

func (f *filler) fill(m *message, args []Arg) {
	for i := range m.segments {
		s := &m.segments[i]
		if s.arg == "" {
			f.text(s.text, s.strong)
			continue
		}
		a := find(args, s.arg)
		switch {
		case a == nil:
			f.text("⟨"+s.arg+"⟩", s.strong)
		case s.forms == nil:
			f.arg(a, s.strong)
		default:
			for i, piece := range s.forms[f.w.category(a.n)] {
				if i > 0 {
					f.arg(a, s.strong)
				}
				f.text(piece, s.strong)
			}
		}
	}
}

func find(args []Arg, name string) *Arg {
	for i := range args {
		if args[i].name == name {
			return &args[i]
		}
	}
	return nil
}

// category returns the index of the plural category of a whole number among those of the language.
func (w *Words) category(n int) int {
	rule := w.cldr.CardinalPluralRule(float64(n), 0)
	for i, r := range w.cldr.PluralsCardinal() {
		if r == rule {
			return i
		}
	}
	return len(w.cldr.PluralsCardinal()) - 1
}

func (f *filler) text(t string, strong bool) {
	if strong != f.strong {
		f.flush()
		f.strong = strong
	}
	f.b.WriteString(t)
}

// flush ends the run of text.
func (f *filler) flush() {
	if f.plain || f.b.Len() == f.start {
		return
	}
	f.runs = append(f.runs, Run{Text: f.b.String()[f.start:], Strong: f.strong})
	f.start = f.b.Len()
}

// arg writes an argument. In the pseudo-language it stands outside the marks of its message, so
// that it has to have its own.
func (f *filler) arg(a *Arg, strong bool) {
	if f.w.pseudo {
		f.text("⟧", strong)
		defer f.text("⟦", strong)
	}
	switch {
	case a.kind == whole:
		f.text(f.w.Count(a.n), strong)
	case a.kind == spelled:
		f.text(f.w.Spelled(a.n), strong)
	case a.kind == ours:
		f.text(a.text, strong)
	case f.plain && a.kind == outside:
		f.b.WriteString(Bare(a.text))
	case f.plain && a.kind == figure:
		f.b.WriteString(a.num.Text)
	case f.plain:
		f.b.WriteString(a.part.String())
	case a.kind == outside:
		f.flush()
		f.runs = append(f.runs, Run{Text: a.text, Name: true, Strong: strong})
	case a.kind == figure:
		f.flush()
		f.runs = append(f.runs, Run{Num: new(a.num), Strong: strong})
	default:
		f.flush()
		for _, r := range a.part {
			r.Strong = r.Strong || strong
			f.runs = append(f.runs, r)
		}
	}
}
