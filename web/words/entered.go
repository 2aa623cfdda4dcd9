package words

import (
	"strconv"
	"strings"
)

// mostDigits is the greatest number of digits that an entered number may have.
const mostDigits = 15

// marks returns what the language writes between thousands and before decimals.
func (w *Words) marks() (thousands, decimals string) {
	text := w.cldr.FmtNumber(1234.5, 1)
	return text[1 : len(text)-5], text[len(text)-2 : len(text)-1]
}

// Plain returns a number that is written with a point, with the language's decimal mark and nothing between
// thousands, as spreadsheets read it.
func (w *Words) Plain(number string) string {
	_, decimals := w.marks()
	return strings.Replace(number, ".", decimals, 1)
}

// BetweenColumns returns what spreadsheets of the language expect between columns.
func (w *Words) BetweenColumns() rune {
	if w.Plain(".") == "," {
		return ';'
	}
	return ','
}

// Fixed returns a number, given in units of its last decimal, as a person enters it: without decimals
// where all are 0.
func (w *Words) Fixed(n int64, decimals int) string {
	digits := strconv.FormatInt(max(n, -n), 10)
	digits = strings.Repeat("0", max(0, decimals+1-len(digits))) + digits
	whole, rest := digits[:len(digits)-decimals], digits[len(digits)-decimals:]
	between, before := w.marks()
	var b strings.Builder
	if n < 0 {
		b.WriteString(minus)
	}
	for i, d := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(between)
		}
		b.WriteRune(d)
	}
	if strings.Trim(rest, "0") != "" {
		b.WriteString(before + rest)
	}
	return b.String()
}

// ReadFixed reads a number that a person entered, in units of its last decimal: as Fixed writes it, or
// without anything between thousands, with a unit before or behind it or none. Where the other
// language's mark can only stand before decimals it does: 9.5 is no thousands. Anything else is not ok.
func (w *Words) ReadFixed(text string, decimals int, units ...string) (n int64, ok bool) {
	text = strings.TrimSpace(text)
	for _, unit := range units {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, unit), unit))
	}
	negative := strings.HasPrefix(text, minus) || strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(strings.TrimPrefix(text, minus), "-")
	between, before := w.marks()
	whole, rest, point := strings.Cut(text, before)
	if i := strings.Index(text, between); !point && i >= 0 && i == strings.LastIndex(text, between) && i+4 != len(text) {
		whole, rest, point = text[:i], text[i+1:], true
	}
	if point && (rest == "" || len(rest) > decimals) {
		return 0, false
	}
	groups := strings.FieldsFunc(whole, func(r rune) bool { return string(r) == between || r == ' ' || r == '\u00a0' || r == '\u202f' })
	for i, g := range groups {
		if len(groups) > 1 && (i == 0 && len(g) > 3 || i > 0 && len(g) != 3) {
			return 0, false
		}
	}
	digits := strings.Join(groups, "") + rest + strings.Repeat("0", max(0, decimals-len(rest)))
	if len(groups) == 0 || strings.Trim(digits, "0123456789") != "" || len(digits) > mostDigits {
		return 0, false
	}
	if n, _ = strconv.ParseInt(digits, 10, 64); negative { // digits alone, and few
		n = -n
	}
	return n, true
}

// CodeHalves returns the code of a device in two times three characters.
func CodeHalves(code string) []string {
	if len(code) != 6 {
		return []string{code}
	}
	return []string{code[:3], code[3:]}
}
