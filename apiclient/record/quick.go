package record

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"time"
	"unicode/utf8"
)

// quick reads JSON as services commonly write it, in a tenth of the time of the general decoder. It gives up
// (failed) where a text is anything else, or where it is not sure that the general decoder would give the same:
// the general decoder decides then. It never accepts what is not JSON.
type quick struct {
	b      []byte
	i      int
	failed bool
	odd    bool // a string was not simple
}

// fail gives up.
func (q *quick) fail() { q.failed, q.i = true, len(q.b) }

// space takes white space.
func (q *quick) space() {
	for q.i < len(q.b) && (q.b[q.i] == ' ' || q.b[q.i] == '\n' || q.b[q.i] == '\r' || q.b[q.i] == '\t') {
		q.i++
	}
}

// peek returns the next byte that is no white space, 0 at the end.
func (q *quick) peek() byte {
	if q.i < len(q.b) && q.b[q.i] > ' ' {
		return q.b[q.i]
	}
	if q.space(); q.i < len(q.b) {
		return q.b[q.i]
	}
	return 0
}

// begin takes the bracket that opens an object or an array, and reports whether a member or an element follows. At
// the end it takes the closing bracket.
func (q *quick) begin(opening, closing byte) bool {
	if q.peek() != opening {
		q.fail()
		return false
	}
	if q.i++; q.peek() == closing {
		q.i++
		return false
	}
	return !q.failed
}

// more takes what is after a member or an element, and reports whether another follows.
func (q *quick) more(closing byte) bool {
	switch c := q.peek(); {
	case q.failed:
	case c == ',':
		q.i++
		return true
	case c == closing:
		q.i++
	default:
		q.fail()
	}
	return false
}

// plain returns where the bytes of b end that, from i on, are printable ASCII and stand for themselves in a string.
func plain(b []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote, escape, del := x^'"'*ones, x^'\\'*ones, x^0x7f*ones
		// A byte that is zero, or below a bound, borrows: its high bit is set, and perhaps those of bytes after it.
		if odd := (x | (x-' '*ones)&^x | (quote-ones)&^quote | (escape-ones)&^escape | (del-ones)&^del) & highs; odd != 0 {
			return i + bits.TrailingZeros64(odd)/8
		}
	}
	for ; i < len(b); i++ {
		if c := b[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			break
		}
	}
	return i
}

// quoted takes a string and returns what is between its quotes. simple is true if it is all printable ASCII and nothing is escaped.
func (q *quick) quoted() (s []byte, simple bool) {
	if q.peek() != '"' {
		q.fail()
		return nil, false
	}
	from := q.i + 1
	end := plain(q.b, from)
	if end < len(q.b) && q.b[end] == '"' {
		q.i = end + 1
		return q.b[from:end], true
	}
	q.odd = true
	if end = stringEnd(q.b, from); end < 0 {
		q.fail()
		return nil, false
	}
	q.i = end
	return q.b[from : end-1], false
}

// literal takes a word if it is next.
func (q *quick) literal(word string) bool {
	if len(q.b)-q.i >= len(word) && string(q.b[q.i:q.i+len(word)]) == word {
		q.i += len(word)
		return true
	}
	return false
}

func (q *quick) flag() bool {
	switch q.peek(); {
	case q.literal("true"):
		return true
	case !q.literal("false"):
		q.fail()
	}
	return false
}

// integer takes a number of at most 18 digits that is written as an integer.
func (q *quick) integer() (n int64) {
	negative := q.peek() == '-'
	if negative {
		q.i++
	}
	from := q.i
	for q.i < len(q.b) && q.b[q.i] >= '0' && q.b[q.i] <= '9' {
		n = n*10 + int64(q.b[q.i]-'0')
		q.i++
	}
	digits := q.i - from
	if digits == 0 || digits > 18 || q.b[from] == '0' && (digits > 1 || negative) ||
		q.i < len(q.b) && (q.b[q.i] == '.' || q.b[q.i]|0x20 == 'e') {
		q.fail()
		return 0
	}
	if negative {
		return -n
	}
	return n
}

// time takes a time of RFC 3339 and returns it in UTC.
func (q *quick) time() (t time.Time) {
	s, simple := q.quoted()
	const shape = "0000-00-00T00:00:00"
	if !simple || len(s) <= len(shape) || s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' {
		q.fail()
		return t
	}
	year, month, day := two(s[0:])*100+two(s[2:]), two(s[5:]), two(s[8:])
	hour, minute, second := two(s[11:]), two(s[14:]), two(s[17:])
	rest := s[len(shape):]
	nanos, offset := 0, 0
	if rest[0] == '.' {
		digits, unit := 1, 100_000_000
		for ; digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9'; digits++ {
			nanos += int(rest[digits]-'0') * unit
			unit /= 10
		}
		if digits == 1 || digits > 10 {
			q.fail()
			return t
		}
		rest = rest[digits:]
	}
	if len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' {
		hours, minutes := two(rest[1:]), two(rest[4:])
		if offset = hours*3600 + minutes*60; hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
			q.fail()
			return t
		}
		if rest[0] == '-' {
			offset = -offset
		}
	} else if len(rest) != 1 || rest[0] != 'Z' {
		q.fail()
		return t
	}
	if year < 1 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysBefore(year, month+1)-daysBefore(year, month) ||
		hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 {
		q.fail()
		return t
	}
	days := daysBefore(year, month) + day - 1
	return time.Unix(int64(days)*86400+int64(hour*3600+minute*60+second-offset), int64(nanos)).UTC()
}

// two returns the number that two digits are, far below 0 if they are not digits.
func two(s []byte) int {
	tens, ones := int(s[0])-'0', int(s[1])-'0'
	if tens < 0 || tens > 9 || ones < 0 || ones > 9 {
		return -1_000_000
	}
	return tens*10 + ones
}

// daysBefore returns the number of days from 1 January 1970 to the first of a month, of which the 13th is the next January.
func daysBefore(year, month int) int {
	if month -= 3; month < 0 { // years begin in March, so that a leap day is their last
		year, month = year-1, month+12
	}
	return year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 - 719468
}

func (q *quick) colon() {
	if q.peek() != ':' {
		q.fail()
		return
	}
	q.i++
}

// skip takes a value of any kind.
func (q *quick) skip() {
	if end := valueEnd(q.b, q.i, 0); end >= 0 {
		q.i = end
	} else {
		q.fail()
	}
}

// words shares texts that come again and again, as of status, type and event.
type words [512]string

func (w *words) of(s []byte) string {
	n := len(s)
	h := uint32(n)
	if n >= 4 {
		h = h*31 ^ binary.LittleEndian.Uint32(s)*0x9e3779b1 ^ binary.LittleEndian.Uint32(s[n-4:])*0x85ebca6b
	} else {
		for _, c := range s {
			h = h*31 + uint32(c)*0x9e3779b1
		}
	}
	at := &w[h*0xc2b2ae35>>23]
	if *at != string(s) {
		*at = string(s)
	}
	return *at
}

// fold returns a name as the general decoder compares names, which ignores case, dashes and underscores; false for one that
// is not ASCII.
func fold(to, name []byte) ([]byte, bool) {
	for _, c := range name {
		switch {
		case c >= utf8.RuneSelf:
			return to, false
		case c >= 'A' && c <= 'Z':
			to = append(to, c|0x20)
		case c != '_' && c != '-':
			to = append(to, c)
		}
	}
	return to, true
}

// names are the fields of a record, by which a row is read.
type names struct {
	quoted []string // as `"id":`
	of     map[string]int
	folded map[string]bool
}

func namesOf(all ...string) *names {
	n := &names{of: map[string]int{}, folded: map[string]bool{}}
	for i, name := range all {
		n.quoted = append(n.quoted, `"`+name+`":`)
		n.of[name] = i
		folded, _ := fold(nil, []byte(name))
		n.folded[string(folded)] = true
	}
	n.quoted = slices.Clip(n.quoted)
	return n
}
