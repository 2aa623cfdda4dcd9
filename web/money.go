package web

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/bojanz/currency"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// sums is every amount as text, currencies apart; zero when there is none.
func (b *builder) sums(s figures.Sums) string {
	if len(s) == 0 {
		return "0"
	}
	texts := make([]string, len(s))
	for i, m := range s {
		texts[i] = b.Money(m.Amount, m.Currency)
	}
	return b.List(texts)
}

// amounts is sums for an event: where there is none, zero in the event's currency.
func (b *builder) amounts(e *figures.EventFigures, s figures.Sums) string {
	if len(s) == 0 {
		if code := currencyOf(e); code != "" {
			return b.Money(0, code)
		}
	}
	return b.sums(s)
}

// houseSums is sums for the house: where there is none, zero in its one currency.
func (b *builder) houseSums(s figures.Sums) string {
	if codes := currencies(b.Total.Of(figures.Booked).Value); len(s) == 0 && len(codes) == 1 {
		return b.Money(0, codes[0])
	}
	return b.sums(s)
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
