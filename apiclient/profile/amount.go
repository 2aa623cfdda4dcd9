package profile

import (
	"fmt"
	"strconv"
	"strings"

	"housecount/apiclient/record"

	"github.com/bojanz/currency"
)

// maxAmountText is the longest text, in bytes, that is read as an amount. It bounds the
// work on hostile ones, and so does maxExponent.
const (
	maxAmountText = 64
	maxExponent   = 64
)

// minorUnits reads an amount, as text or as the literal of a JSON number, in the unit of
// the rule: minor units of the currency. It computes with digits only, so that no amount
// passes through a float. why, empty when all is well, says what is wrong with it and
// reads on after the field's name.
func (m MoneyRule) minorUnits(s, code string) (amount int64, why string) {
	digits := 0
	if m.Unit == unitMajor {
		n, known := currency.GetDigits(code)
		if !known {
			return 0, fmt.Sprintf("has the currency %.20q, of which the number of digits is not known", code)
		}
		digits = int(n)
	}
	d, why := parseDecimal(s)
	if why != "" {
		return 0, why
	}
	rounds := m.Rounding == roundHalfEven
	if m.Unit != unitMajor && !d.integer && !rounds {
		return 0, fmt.Sprintf("is %.64q, not an integer of minor units; set money.unit to major where that is meant", s)
	}
	whole, rest := d.at(digits)
	if strings.Trim(rest, "0") != "" && !rounds {
		return 0, fmt.Sprintf("is %.64q, which has more digits than %s has; set money.rounding to half_even", s, code)
	}
	amount, err := strconv.ParseInt("0"+whole, 10, 64)
	if err != nil || amount > record.MaxAmount {
		return 0, fmt.Sprintf("is %.64q, which is beyond any amount", s)
	}
	if roundsUp(rest, amount%2 == 1) {
		amount++
	}
	if d.negative {
		amount = -amount
	}
	return amount, ""
}

// roundsUp says whether a rest of decimal digits rounds the whole before it up: half to
// even.
func roundsUp(rest string, odd bool) bool {
	if rest == "" || rest[0] != '5' {
		return rest != "" && rest[0] > '5'
	}
	return odd || strings.Trim(rest[1:], "0") != ""
}

// decimal is a decimal number, exactly: its digits, of which the last stands for
// ten to the power of exponent.
type decimal struct {
	negative bool
	digits   string
	exponent int
	integer  bool // written without a point and without an exponent
}

// parseDecimal reads a decimal number as JSON writes one, and with zeros before it.
func parseDecimal(s string) (d decimal, why string) {
	if len(s) > maxAmountText {
		return d, fmt.Sprintf("is longer than the %d bytes that an amount may have", maxAmountText)
	}
	number, negative := strings.CutPrefix(strings.TrimSpace(s), "-")
	d.negative = negative
	mantissa, exponent := number, "0"
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa, exponent = number[:i], number[i+1:]
	}
	whole, fraction, pointed := strings.Cut(mantissa, ".")
	d.integer = !pointed && len(mantissa) == len(number)
	d.digits = whole + fraction
	n, err := strconv.Atoi(exponent)
	unsigned := exponent
	if strings.HasPrefix(exponent, "+") || strings.HasPrefix(exponent, "-") {
		unsigned = exponent[1:]
	}
	if whole == "" || pointed && fraction == "" || !decimalDigits(d.digits) || !decimalDigits(unsigned) {
		return d, fmt.Sprintf("is no amount of money: %.64q", s)
	}
	if err != nil || n > maxExponent || n < -maxExponent {
		return d, fmt.Sprintf("is %.64q, which is beyond any amount", s)
	}
	d.exponent = n - len(fraction)
	return d, ""
}

// at is d in units of ten to the power of minus places: the digits before the point, and
// those that are left behind it.
func (d decimal) at(places int) (whole, rest string) {
	shift := d.exponent + places
	if shift >= 0 {
		if strings.Trim(d.digits, "0") == "" {
			return "", ""
		}
		return d.digits + strings.Repeat("0", shift), ""
	}
	all := strings.Repeat("0", max(-shift-len(d.digits), 0)) + d.digits
	return all[:len(all)+shift], all[len(all)+shift:]
}

// decimalDigits says that s is one digit or more and nothing else.
func decimalDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
