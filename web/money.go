package web

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/bojanz/currency"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// noSums stands for no amount in an unknown currency.
const noSums = "0"

// Sums returns every amount as text, each currency by itself; noSums if there is none.
func (b *Builder) Sums(s figures.Sums) string {
	if len(s) == 0 {
		return noSums
	}
	texts := make([]string, len(s))
	for i, m := range s {
		texts[i] = b.Money(m.Amount, m.Currency)
	}
	return b.List(texts)
}

// Amounts returns sums as text for an event; without an amount, zero in the event's currency or else the house's.
func (b *Builder) Amounts(e *figures.EventFigures, s figures.Sums) string {
	if len(s) == 0 {
		if code := CurrencyOf(e); code != "" {
			return b.Money(0, code)
		}
	}
	return b.HouseSums(s)
}

// HouseSums returns sums as text for the house; without an amount, zero in its only currency.
func (b *Builder) HouseSums(s figures.Sums) string {
	if codes := figures.Currencies(b.Total.Of(figures.Booked).Value); len(s) == 0 && len(codes) == 1 {
		return b.Money(0, codes[0])
	}
	return b.Sums(s)
}

// AveragePrice returns what places that were sold were booked for on average as text, known as well as what was booked; a dash for none.
func (b *Builder) AveragePrice(p figures.PaidFor, booked figures.Caveat) string {
	if p.Places <= 0 || p.Amount < 0 {
		return words.Dash
	}
	f := figures.AverageOf([]figures.PaidFor{p}, booked)
	return b.QualifiedSums(f.Quality, f.Reasons, b.Sums(f.Value)).Text
}

// CurrencyOf returns the event's currency; empty unless there is exactly one.
func CurrencyOf(e *figures.EventFigures) string {
	codes := figures.Currencies(e.Revenue.Of(figures.Booked).Value)
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

// Major returns an amount in major units, for the length of a bar. It is written digit by digit, because
// amounts never pass through floating point.
func Major(amount int64, code string) json.Number {
	a, err := currency.NewAmountFromInt64(amount, code)
	if err != nil {
		return json.Number(strconv.FormatInt(amount, 10))
	}
	return json.Number(a.Number())
}
