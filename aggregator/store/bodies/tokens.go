package bodies

import (
	"encoding/json"
	"strconv"
	"time"

	"housecount/apiclient/record"
)

// Parser reads back what Append wrote. Where it meets anything else it gives up, and
// encoding/json reads the record instead. Words that come again and again (of status, gate,
// currency, event) and amounts are shared between the records of one parser, which belongs
// to one goroutine.
type Parser struct {
	b      []byte
	i      int
	failed bool

	words   map[string]string
	amounts map[record.Money]*record.Money
	order   string // of the record before, as the tickets of an order come together
	contact string
}

// maxShared limits how many strings a parser shares. At the limit it begins again, so that rare strings do
// not keep out frequent ones.
const maxShared = 50_000

func NewParser() *Parser {
	return &Parser{words: map[string]string{}, amounts: map[record.Money]*record.Money{}}
}

// begin takes the bracket that opens an object or an array.
func (p *Parser) begin(bracket byte) {
	if !p.next(bracket) {
		p.failed = true
	}
}

// more reports whether an element follows, and takes what is before it: nothing or a comma. At the
// end it takes the closing bracket.
func (p *Parser) more(bracket byte) bool {
	if p.failed || p.next(bracket) {
		return false
	}
	if before := p.b[p.i-1]; before != '{' && before != '[' && !p.next(',') {
		p.failed = true
		return false
	}
	return true
}

func (p *Parser) next(c byte) bool {
	if p.i < len(p.b) && p.b[p.i] == c {
		p.i++
		return true
	}
	return false
}

func (p *Parser) name() []byte {
	name, plain := p.quoted()
	if !plain || !p.next(':') {
		p.failed = true
	}
	return name
}

// quoted reads a string and returns what is between its quotes; plain is true if nothing in it is escaped.
func (p *Parser) quoted() (s []byte, plain bool) {
	if !p.next('"') {
		p.failed = true
		return nil, false
	}
	plain = true
	for from := p.i; p.i < len(p.b); p.i++ {
		switch p.b[p.i] {
		case '"':
			p.i++
			return p.b[from : p.i-1], plain
		case '\\':
			p.i++
			plain = false
		}
	}
	p.failed = true
	return nil, false
}

func (p *Parser) text() string {
	from := p.i
	s, plain := p.quoted()
	if plain || p.failed {
		return string(s)
	}
	var text string
	if json.Unmarshal(p.b[from:p.i], &text) != nil {
		p.failed = true
	}
	return text
}

// word returns a text that is shared.
func (p *Parser) word() string {
	from := p.i
	s, plain := p.quoted()
	if !plain {
		p.i = from
		return p.text()
	}
	if word, known := p.words[string(s)]; known {
		return word
	}
	word := string(s)
	if len(p.words) == maxShared {
		clear(p.words)
	}
	p.words[word] = word
	return word
}

// again returns a text that is often the same as last.
func (p *Parser) again(last *string) string {
	from := p.i
	s, plain := p.quoted()
	switch {
	case !plain:
		p.i = from
		return p.text()
	case string(s) != *last:
		*last = string(s)
	}
	return *last
}

func (p *Parser) literal(word string) bool {
	if len(p.b)-p.i >= len(word) && string(p.b[p.i:p.i+len(word)]) == word {
		p.i += len(word)
		return true
	}
	return false
}

func (p *Parser) null() bool { return p.literal("null") }

func (p *Parser) flag() bool {
	if p.literal("true") {
		return true
	}
	if !p.literal("false") {
		p.failed = true
	}
	return false
}

func (p *Parser) integer() int64 {
	from := p.i
	for p.i < len(p.b) && (p.b[p.i] == '-' || p.b[p.i] >= '0' && p.b[p.i] <= '9') {
		p.i++
	}
	n, err := strconv.ParseInt(string(p.b[from:p.i]), 10, 64)
	if err != nil {
		p.failed = true
	}
	return n
}

func (p *Parser) number() *int {
	if p.null() {
		return nil
	}
	return new(int(p.integer()))
}

func (p *Parser) money() *record.Money {
	var m record.Money
	if !p.literal(`{"amount":`) {
		p.failed = true
		return nil
	}
	m.Amount = p.integer()
	if !p.literal(`,"currency":`) {
		p.failed = true
		return nil
	}
	m.Currency = p.word()
	if !p.next('}') {
		p.failed = true
		return nil
	}
	if known := p.amounts[m]; known != nil {
		return known
	}
	if len(p.amounts) == maxShared {
		clear(p.amounts)
	}
	shared := new(m)
	p.amounts[m] = shared
	return shared
}

// time takes a time of UTC as it is written in a body.
func (p *Parser) time() time.Time {
	s, plain := p.quoted()
	const shape = "0000-00-00T00:00:00"
	if !plain || len(s) <= len(shape) || s[len(s)-1] != 'Z' {
		p.failed = true
		return time.Time{}
	}
	for i := range len(shape) {
		if shape[i] == '0' && (s[i] < '0' || s[i] > '9') || shape[i] != '0' && s[i] != shape[i] {
			p.failed = true
			return time.Time{}
		}
	}
	nanos := 0
	if fraction := s[len(shape) : len(s)-1]; len(fraction) > 0 {
		if fraction[0] != '.' || len(fraction) < 2 || len(fraction) > 10 {
			p.failed = true
			return time.Time{}
		}
		for i := 1; i < 10; i++ {
			nanos *= 10
			if i < len(fraction) {
				if fraction[i] < '0' || fraction[i] > '9' {
					p.failed = true
				}
				nanos += int(fraction[i] - '0')
			}
		}
	}
	two := func(at int) int { return int(s[at]-'0')*10 + int(s[at+1]-'0') }
	t := time.Date(two(0)*100+two(2), time.Month(two(5)), two(8), two(11), two(14), two(17), nanos, time.UTC)
	if t.Day() != two(8) || t.Minute() != two(14) || t.Second() != two(17) { // it was no such time
		p.failed = true
	}
	return t
}
