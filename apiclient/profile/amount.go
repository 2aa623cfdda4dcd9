package profile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bojanz/currency"
	"github.com/cockroachdb/apd/v3"

	"housecount/apiclient/record"
)

const (
	// maxAmountText is the longest amount, in bytes. It and maxExponent limit the work on malicious
	// input.
	maxAmountText = 64
	maxExponent   = 64
)

// amountText matches a decimal number as in JSON, also with leading zeros.
var amountText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// commaText matches an amount with a decimal comma, also with a point before each three digits.
var commaText = regexp.MustCompile(`^-?([0-9]{1,3}(\.[0-9]{3})+|[0-9]+)(,[0-9]+)?$`)

// pointFromComma returns an amount that is written with a decimal comma as one with a point. Any
// other text is returned with a comma in it, so that it is refused: with a point it could be taken
// for another amount.
func pointFromComma(s string) string {
	number := strings.TrimSpace(s)
	if !commaText.MatchString(number) {
		return strings.ReplaceAll(s, ".", ",")
	}
	return strings.ReplaceAll(strings.ReplaceAll(number, ".", ""), ",", ".")
}

// decimals has more precision than any valid amount.
var decimals = apd.Context{Precision: 300, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}

// minorUnits parses an amount, given as text or as the literal of a JSON number, and converts it
// from the rule's unit to minor units of the currency. It never uses floats. why is zero on
// success, else it continues a sentence that starts with the field's name.
func (m MoneyRule) minorUnits(s, code string) (amount int64, why record.Message) {
	digits := uint8(0)
	if m.Unit == unitMajor {
		known := false
		if digits, known = currency.GetDigits(code); !known {
			value := record.Verbatim("value", code)
			if len(code) != 3 {
				value = record.Of("value", record.Describe(code))
			}
			return 0, record.Say("has {value} for its currency, of which the number of digits is not known", value)
		}
	}
	number := strings.TrimSpace(s)
	switch {
	case len(s) > maxAmountText:
		return 0, record.Say("is longer than the {most} bytes that an amount may have", record.Number("most", maxAmountText))
	case !amountText.MatchString(number):
		return 0, record.Say("is no amount of money: {value}", record.Of("value", record.Describe(s)))
	}
	value := func() record.Arg { return record.Verbatim("value", fmt.Sprintf("%.64q", s)) }
	beyond := func() record.Message { return record.Say("is {value}, which is beyond any amount", value()) }
	d, _, err := apd.NewFromString(number)
	if err != nil || d.Exponent > maxExponent || d.Exponent < -maxExponent-maxAmountText {
		return 0, beyond()
	}
	rounds := m.Rounding == roundHalfEven
	if m.Unit != unitMajor && !decimalDigits(strings.TrimPrefix(number, "-")) && !rounds {
		return 0, record.Say("is {value}, not an integer of minor units; set money.unit to major where that is meant", value())
	}
	d.Exponent += int32(digits)
	inexact, err := decimals.RoundToIntegralExact(d, d)
	if err != nil {
		return 0, beyond()
	}
	if inexact.Inexact() && !rounds {
		return 0, record.Say("is {value}, which has more digits than {currency} has; set money.rounding to half_even", value(), record.Verbatim("currency", code))
	}
	if amount, err = d.Int64(); err != nil || max(amount, -amount) > record.MaxAmount {
		return 0, beyond()
	}
	return amount, record.Message{}
}

// decimalDigits reports whether s consists of one or more decimal digits.
func decimalDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
