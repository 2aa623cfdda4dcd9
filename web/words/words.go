// Package words holds every text that a person reads, in English, Dutch and German, and
// writes numbers, dates and money as each language does.
//
// A text is a message: a key and one whole text in the catalogue of each language (en.yaml,
// nl.yaml, de.yaml). Code names the key and gives the arguments; it never joins pieces of a
// sentence. What is put side by side, such as the notes under a number, are messages that stand
// by themselves.
//
// A message is written in this small markup:
//
//	{title}             an argument
//	{n|place|places}    the form that fits the argument's number, in the order of the language's
//	                    plural categories in CLDR; # in a form is the number itself
//	**strong**          text that stands out
//	~                   a space that does not break
//
// Whether an argument is our text, text from outside or a figure is said by the code that gives
// it, never by the catalogue. A code of the figures, such as a reason, is a key within its
// family: "reason.no_exits".
//
// The catalogues are read once and never change; everything here may be used by many
// goroutines at once.
package words

import (
	"embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bojanz/currency"
	"github.com/go-playground/locales"
	"github.com/go-playground/locales/de"
	"github.com/go-playground/locales/en"
	"github.com/go-playground/locales/nl"
	"github.com/goccy/go-yaml"

	"housecount/apiclient/record"
)

// Locale is the language that a page is written in.
type Locale string

// The languages. Pseudo is English in which every message stands between ⟦ and ⟧, so that a
// text that is not in the catalogue is seen; it is never offered.
const (
	English Locale = "en"
	Dutch   Locale = "nl"
	German  Locale = "de"
	Pseudo  Locale = "en-XA"
)

// Locales lists the languages that pages are offered in; the first is the default.
var Locales = []Locale{English, Dutch, German}

// Words is one language.
type Words struct {
	locale   Locale
	messages map[string]*message
	cldr     locales.Translator
	money    *currency.Formatter
	amounts  amounts
	pseudo   bool
	fault    error // why messages are missing; see Check

	// CLDR's names, by time.Weekday and by time.Month; without the full stops that would end a
	// sentence, but for those of German months.
	days, shortDays     [7]string
	months, shortMonths [13]string
}

//go:embed *.yaml
var files embed.FS

var languages = map[Locale]func() *Words{
	English: sync.OnceValue(func() *Words { return load(English, English, en.New(), false) }),
	Dutch:   sync.OnceValue(func() *Words { return load(Dutch, Dutch, nl.New(), false) }),
	German:  sync.OnceValue(func() *Words { return load(German, German, de.New(), false) }),
	Pseudo:  sync.OnceValue(func() *Words { return load(Pseudo, English, en.New(), true) }),
}

// Of returns a language, nil when there is none of that name.
func Of(l Locale) *Words {
	if language, ok := languages[l]; ok {
		return language()
	}
	return nil
}

// Check returns which catalogues cannot be read, and why. They are part of the program: no other error comes
// of them later.
func Check() error {
	var all []error
	for _, l := range Locales {
		all = append(all, Of(l).fault)
	}
	return errors.Join(all...)
}

func load(name, file Locale, cldr locales.Translator, pseudo bool) *Words {
	w := &Words{locale: name, messages: map[string]*message{}, cldr: cldr, pseudo: pseudo, money: currency.NewFormatter(currency.NewLocale(string(file)))}
	for d := range w.days {
		w.days[d] = cldr.WeekdayWide(time.Weekday(d))
		w.shortDays[d] = strings.TrimSuffix(cldr.WeekdayAbbreviated(time.Weekday(d)), ".")
	}
	for m := time.January; m <= time.December; m++ {
		w.months[m] = cldr.MonthWide(m)
		w.shortMonths[m] = cldr.MonthAbbreviated(m)
		if file != German { // which writes a full stop after the day too
			w.shortMonths[m] = strings.TrimSuffix(w.shortMonths[m], ".")
		}
	}
	if pseudo {
		for _, names := range [][]string{w.days[:], w.shortDays[:], w.months[:], w.shortMonths[:]} {
			for i, name := range names {
				names[i] = "⟦" + name + "⟧"
			}
		}
	}
	text, err := files.ReadFile(string(file) + ".yaml")
	if err == nil {
		err = w.read(text)
	}
	if err != nil {
		w.fault = fmt.Errorf("words: %s.yaml: %w", file, err)
	}
	return w
}

// read adds the messages of a catalogue: sections by name, in each the texts by name.
func (w *Words) read(text []byte) error {
	var sections map[string]map[string]string
	if err := yaml.Unmarshal(text, &sections); err != nil {
		return err
	}
	for section, texts := range sections {
		for name, text := range texts {
			m, err := parse(text, len(w.cldr.PluralsCardinal()))
			if err != nil {
				return fmt.Errorf("%s.%s: %w", section, name, err)
			}
			if w.pseudo {
				m.mark()
			}
			w.messages[section+"."+name] = m
		}
	}
	return nil
}

// Language returns the language's name, for the lang of a document.
func (w *Words) Language() Locale { return w.locale }

// Around returns a message cut where its one argument goes, for an element that the page's script
// fills.
func (w *Words) Around(key, arg string) (before, after string) {
	const mark = "\x00"
	before, after, _ = strings.Cut(w.Text(key, Text(arg, mark)), mark)
	return before, after
}

// Say fills a message. A message that does not exist is shown as its key between ⟨ and ⟩, and so
// is an argument that is not given.
func (w *Words) Say(key string, args ...Arg) Sentence {
	m := w.messages[key]
	if m == nil {
		return Sentence{{Text: "⟨" + key + "⟩"}}
	}
	if m.sentence != nil {
		return m.sentence
	}
	f := filler{w: w, runs: make(Sentence, 0, m.runs)}
	f.b.Grow(m.size)
	f.fill(m, args)
	f.flush()
	return f.runs
}

// Text is Say for places that take only text: marks are left out, and outside text is Bare.
func (w *Words) Text(key string, args ...Arg) string {
	m := w.messages[key]
	if m == nil {
		return "⟨" + key + "⟩"
	}
	if m.sentence != nil {
		return m.text
	}
	f := filler{w: w, plain: true}
	f.fill(m, args)
	return f.b.String()
}

// Code returns the text for a code of a family. A code that is not known stays as it came.
func (w *Words) Code(family, code string) string {
	if m := w.messages[family+"."+code]; m != nil {
		return m.text
	}
	return code
}

// Message returns a message of the aggregator's. One that the catalogue does not have, because another
// version stored it, stays as it came.
func (w *Words) Message(m record.Message) string {
	key := "detail." + m.Text
	if w.messages[key] == nil {
		return m.String()
	}
	args := make([]Arg, len(m.Args))
	for i, a := range m.Args {
		switch {
		case a.Of != nil:
			args[i] = Text(a.Name, w.Message(*a.Of))
		case a.Text != "":
			args[i] = Name(a.Name, a.Text)
		default:
			args[i] = Int(a.Name, int(a.N))
		}
	}
	return w.Text(key, args...)
}

// Clip shortens outside text to n runes, for places that cannot wrap, such as a chart.
func Clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
