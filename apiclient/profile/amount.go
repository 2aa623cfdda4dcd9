package profile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bojanz/currency"
	"github.com/cockroachdb/apd/v3"

	"housecount/apiclient/record"
)

// maxAmountText is the longest text, in bytes, that is read as an amount. It bounds the
// work on hostile ones, and so does maxExponent.
const (
	maxAmountText = 64
	maxExponent   = 64
)

// amountText is a decimal number as JSON writes one, and with zeros before it.
var amountText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// decimals computes with more digits than an amount may have.
var decimals = apd.Context{Precision: 300, MaxExponent: apd.MaxExponent, MinExponent: apd.MinExponent, Rounding: apd.RoundHalfEven}

// minorUnits reads an amount, as text or as the literal of a JSON number, in the unit of
// the rule: minor units of the currency. No amount passes through a float. why, zero when
// all is well, says what is wrong with it and reads on after the field's name.
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

// decimalDigits says that s is one digit or more and nothing else.
func decimalDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
