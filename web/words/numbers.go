package words

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bojanz/currency"
)

// minus is as wide as a digit.
const minus = "\u2212"

// Count returns a whole number with its thousands apart.
func (w *Words) Count(n int) string {
	if n >= 0 && n < 1000 { // has no thousands in any language
		return strconv.Itoa(n)
	}
	return w.decimal(float64(n), 0)
}

// decimal returns a number with a number of decimals.
func (w *Words) decimal(f float64, decimals uint64) string {
	text := w.cldr.FmtNumber(math.Abs(f), decimals)
	if f < 0 && strings.Trim(text, "0.,") != "" {
		return minus + text
	}
	return text
}

// Signed returns a count with its sign always shown.
func (w *Words) Signed(n int) string {
	if n > 0 {
		return "+" + w.Count(n)
	}
	return w.Count(n)
}

// Percent returns a fraction to one decimal. What is not full never rounds up to 100.
func (w *Words) Percent(f float64) string {
	p := math.Round(f*1000) / 10
	if f < 1 && p >= 100 {
		p = 99.9
	}
	return w.Text("number.percent", Text("n", w.decimal(p, 1)))
}

// Points returns the difference of two parts of a whole, in percentage points to one decimal.
func (w *Words) Points(f float64) string {
	return w.Text("number.points", Text("n", w.decimal(math.Round(f*1000)/10, 1)))
}

// WholePercent returns a fraction as a whole number of per cent, without the sign.
func (w *Words) WholePercent(f float64) string {
	p := math.Round(f * 100)
	if f < 1 && p >= 100 {
		p = 99
	}
	return w.Count(int(p))
}

// Change returns how much a differs from b, relative to b, with its sign. From ten times as much on it is a multiple, because
// thousands of per cent say no more.
func (w *Words) Change(a, b int64) string {
	f := (float64(a) - float64(b)) / math.Abs(float64(b))
	switch times := float64(a) / float64(b); {
	case b > 0 && times >= 100:
		return "> ×" + w.Count(100)
	case b > 0 && times >= 10:
		return "×" + w.decimal(times, 0)
	}
	if f > 0 {
		return "+" + w.Percent(f)
	}
	return w.Percent(f)
}

// Rate returns entries in five minutes as a rate per minute.
func (w *Words) Rate(entries int) string { return w.Rates([]int{entries})[0] }

// Rates returns the entries of several gates in five minutes as rates per minute, all with one decimal if
// one of them is small.
func (w *Words) Rates(entries []int) []string {
	decimals := uint64(0)
	if slices.ContainsFunc(entries, func(n int) bool { return n < 15 && n%5 != 0 }) {
		decimals = 1
	}
	rates := make([]string, len(entries))
	for i, n := range entries {
		rates[i] = w.decimal(float64(n)/5, decimals)
	}
	return rates
}

// PerMinute returns a rate, to one decimal where it is small.
func (w *Words) PerMinute(rate float64) string {
	if rate < 3 && rate != math.Trunc(rate) {
		return w.decimal(rate, 1)
	}
	return w.decimal(rate, 0)
}

// Mean returns a mean to one decimal.
func (w *Words) Mean(f float64) string { return w.decimal(f, 1) }

// Spelled returns a small number in words, and another in digits.
func (w *Words) Spelled(n int) string {
	if m := w.messages["spelled."+strconv.Itoa(n)]; m != nil {
		return m.text
	}
	return w.Count(n)
}

// amounts are texts of money: most of a page's amounts are those that it showed last, and to make the
// text of one takes as long as the rest of its row.
type amounts struct {
	mu    sync.Mutex
	texts map[amount]string
}

type amount struct {
	value    int64
	currency string
}

// mostAmounts is how many amounts are held at most.
const mostAmounts = 8192

// Money returns an amount of minor units as text, with its currency. An amount in a currency that
// ISO 4217 does not know is shown in minor units, as it came.
func (w *Words) Money(value int64, code string) string {
	a, of := &w.amounts, amount{value, code}
	a.mu.Lock()
	text, known := a.texts[of]
	a.mu.Unlock()
	if known {
		return text
	}
	text = w.newMoney(value, code)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.texts == nil || len(a.texts) == mostAmounts {
		a.texts = make(map[amount]string)
	}
	a.texts[of] = text
	return text
}

func (w *Words) newMoney(amount int64, code string) string {
	a, err := currency.NewAmountFromInt64(amount, code)
	if err != nil {
		return w.Text("money.minor_units", Text("amount", strconv.FormatInt(amount, 10)), Name("currency", code))
	}
	text := strings.Replace(w.money.Format(a), "-", minus, 1)
	if w.pseudo {
		return "⟦" + text + "⟧"
	}
	return text
}

// CurrencyDigits is how many decimals amounts in a currency have; 0 for one that ISO 4217 does not know.
func CurrencyDigits(code string) int {
	digits, _ := currency.GetDigits(code)
	return int(digits)
}
