package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/bojanz/currency"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

var moneyFormat = currency.NewFormatter(currency.NewLocale("en"))

// money is an amount as text, with its currency. An amount in a currency that ISO 4217
// does not know is shown in minor units, as it came.
func money(amount int64, code string) string {
	a, err := currency.NewAmountFromInt64(amount, code)
	if err != nil {
		return strconv.FormatInt(amount, 10) + nbsp + code + " (minor units)"
	}
	return strings.Replace(moneyFormat.Format(a), "-", minus, 1)
}

// sums is every amount as text, currencies apart; zero when there is none.
func sums(s figures.Sums) string {
	if len(s) == 0 {
		return "0"
	}
	texts := make([]string, len(s))
	for i, m := range s {
		texts[i] = money(m.Amount, m.Currency)
	}
	return list(texts)
}

// amounts is sums for an event: where there is none, zero in the event's currency.
func amounts(e *figures.EventFigures, s figures.Sums) string {
	if code := currencyOf(e); len(s) == 0 && code != "" {
		return money(0, code)
	}
	return sums(s)
}

// currencyOf is the currency that the event is sold in, empty when that is not one.
func currencyOf(e *figures.EventFigures) string {
	codes := currencies(e.Revenue.Of(figures.Booked).Value)
	for _, t := range e.Event.TicketTypes {
		if t.Price != nil && !slices.Contains(codes, t.Price.Currency) {
			codes = append(codes, t.Price.Currency)
		}
	}
	if len(codes) != 1 {
		return ""
	}
	return codes[0]
}

// major is an amount in major units for the length of a bar, written digit by digit
// because no float may touch money.
func major(amount int64, code string) json.Number {
	a, err := currency.NewAmountFromInt64(amount, code)
	if err != nil {
		return json.Number(strconv.FormatInt(amount, 10))
	}
	return json.Number(a.Number())
}

// currencies are the codes in any of the sums, in order.
func currencies(all ...figures.Sums) []string {
	var union figures.Sums
	for _, s := range all {
		for _, m := range s {
			if union.In(m.Currency) == 0 {
				union = union.Plus(record.Money{Amount: 1, Currency: m.Currency}, 1)
			}
		}
	}
	codes := make([]string, len(union))
	for i, m := range union {
		codes[i] = m.Currency
	}
	return codes
}

// list joins texts as a sentence does: a, b and c.
func list(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}
