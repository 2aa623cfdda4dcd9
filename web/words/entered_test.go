package words_test

import (
	"fmt"
	"testing"

	"housecount/web/words"
)

func TestNumbersAsTheyAreEntered(t *testing.T) {
	for _, c := range []struct {
		locale   words.Locale
		text     string
		decimals int
		want     string // "no" for none
	}{
		{"en", "1,250.00", 2, "125000"},
		{"en", "1250", 2, "125000"},
		{"en", "1,250", 2, "125000"},
		{"en", "€1,250.5", 2, "125050"},
		{"en", "1.250,00", 2, "no"},
		{"en", "12,50", 2, "1250"},
		{"en", "12,5000", 2, "no"},
		{"nl", "1.250,00", 2, "125000"},
		{"nl", " 1.250,00 EUR ", 2, "125000"},
		{"nl", "1.250", 2, "125000"},
		{"nl", "1.250.000", 2, "125000000"},
		{"nl", "1.25.000", 2, "no"},
		{"nl", "1,250.00", 2, "no"},
		{"nl", "9.5", 2, "950"},
		{"nl", "9,5 %", 2, "950"},
		{"nl", "0,005", 2, "no"},
		{"nl", "-3", 0, "-3"},
		{"nl", "−3,20", 2, "-320"},
		{"de", "12.345,67", 2, "1234567"},
		{"de", "12 345,67", 2, "1234567"},
		{"de", "", 2, "no"},
		{"de", ",5", 2, "no"},
		{"de", "5,", 2, "no"},
		{"de", "5.0", 0, "no"},
		{"de", "fünf", 0, "no"},
		{"de", "9<script>", 2, "no"},
		{"de", "1e3", 2, "no"},
		{"de", "99999999999999999999", 2, "no"},
	} {
		got := "no"
		if n, ok := words.Of(c.locale).ReadFixed(c.text, c.decimals, "%", "€", "EUR"); ok {
			got = fmt.Sprint(n)
		}
		if got != c.want {
			t.Errorf("%s: %q is read as %s, want %s", c.locale, c.text, got, c.want)
		}
	}
	for _, l := range words.Locales {
		for _, n := range []int64{0, 5, 50, 99, 100, 950, 123456, 100000, 123456789, -1250} {
			for _, decimals := range []int{0, 2, 3} {
				text := words.Of(l).Fixed(n, decimals)
				if got, ok := words.Of(l).ReadFixed(text, decimals); !ok || got != n {
					t.Errorf("%s: %d with %d decimals is written %q and read as %d", l, n, decimals, text, got)
				}
			}
		}
	}
	for l, want := range map[words.Locale]string{"en": "1,234.50", "nl": "1.234,50", "de": "1.234,50"} {
		if got := words.Of(l).Fixed(123450, 2); got != want {
			t.Errorf("%s: %s, want %s", l, got, want)
		}
	}
}
