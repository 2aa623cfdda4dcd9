package profile_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// Money is parsed exactly, in the profile's unit, and always needs a currency.
func TestNormalizeMoney(t *testing.T) {
	const (
		minor   = "money: {unit: minor, currency: EUR}"
		bare    = "money: {unit: minor}\nwords: {ticket.status: {p: valid}}"
		major   = "money: {unit: major, currency: EUR}"
		rounded = "money: {unit: major, currency: EUR, rounding: half_even}"
	)
	tests := []struct {
		rules, price, more string
		want               int64
		currency           string
		why                string
	}{
		{rules: minor, price: `2450`, want: 2450, currency: "EUR"},
		{rules: minor, price: `"2450"`, want: 2450, currency: "EUR"},
		{rules: minor, price: `0`, want: 0, currency: "EUR"},
		{rules: minor, price: `{"amount":2450,"currency":"usd"}`, want: 2450, currency: "USD"},
		{rules: minor, price: `{"value":"2450"}`, want: 2450, currency: "EUR"},
		{rules: minor, price: `{"value":2450,"currency":"","display":"EUR 24.50"}`, want: 2450, currency: "EUR"},
		{rules: minor, price: `24.50`, why: `is "24.50", not an integer of minor units; set money.unit to major where that is meant`},
		{rules: minor, price: `25.00`, why: `is "25.00", not an integer of minor units; set money.unit to major where that is meant`},
		{rules: minor, price: `1e3`, why: `is "1e3", not an integer of minor units; set money.unit to major where that is meant`},
		{rules: bare, price: `2450`, why: "says no currency; set money.currency"},
		{rules: bare, price: `2450`, more: `,"currency":"sek"`, want: 2450, currency: "SEK"},
		{rules: bare, price: `{"amount":1,"currency":"EUR"}`, more: `,"currency":"sek"`, want: 1, currency: "EUR"},
		{rules: bare, price: `2450`, more: `,"currency":""`, why: "says no currency; set money.currency"},
		{rules: bare, price: `{"amount":1,"currency":""}`, more: `,"currency":"sek"`, want: 1, currency: "SEK"},
		{rules: bare, price: `2450`, more: `,"currency":7`, why: "has a currency that is no text"},
		{rules: bare, price: `2450`, more: `,"currency":"EURO"`, why: `has a text of 4 characters like aaaa for its currency, which is not three letters`},
		{rules: bare, price: `{"amount":1,"currency":"XYZ"}`, want: 1, currency: "XYZ"},
		{rules: minor, price: `{"currency":"EUR"}`, why: "says no amount"},
		{rules: minor, price: `{"amount":null,"currency":"EUR"}`, why: "says no amount"},
		{rules: minor, price: `{"amount":{"amount":1},"currency":"EUR"}`, why: "is no amount of money, neither a text nor a number"},
		{rules: minor, price: `true`, why: "is no amount of money, neither a text nor a number"},
		{rules: minor, price: `[1]`, why: "is no amount of money, neither a text nor a number"},
		{rules: minor, price: `""`, why: `is no amount of money: an empty text`},
		{rules: minor, price: `-5`, why: "is -5 minor units, which is not within 0 and 10000000000000"},

		{rules: major, price: `"24.50"`, want: 2450, currency: "EUR"},
		{rules: major, price: `24.5`, want: 2450, currency: "EUR"},
		{rules: major, price: `24`, want: 2400, currency: "EUR"},
		{rules: major, price: `"24.500"`, want: 2450, currency: "EUR"},
		{rules: major, price: `2.45e1`, want: 2450, currency: "EUR"},
		{rules: major, price: `2450E-2`, want: 2450, currency: "EUR"},
		{rules: major, price: `0.29`, want: 29, currency: "EUR"},
		{rules: major, price: `1.1`, want: 110, currency: "EUR"},
		{rules: major, price: `" 007.10 "`, want: 710, currency: "EUR"},
		{rules: major, price: `99999999999.99`, want: 9999999999999, currency: "EUR"},
		{rules: major, price: `{"amount":"24.50","currency":"JPY"}`, why: `is "24.50", which has more digits than JPY has; set money.rounding to half_even`},
		{rules: major, price: `{"amount":"2450","currency":"JPY"}`, want: 2450, currency: "JPY"},
		{rules: major, price: `{"amount":"1.234","currency":"KWD"}`, want: 1234, currency: "KWD"},
		{rules: major, price: `{"amount":"1","currency":"XYZ"}`, why: `has XYZ for its currency, of which the number of digits is not known`},
		{rules: major, price: `24.505`, why: `is "24.505", which has more digits than EUR has; set money.rounding to half_even`},
		{rules: major, price: `"24,50"`, why: `is no amount of money: a text of 5 characters like 99,99`},
		{rules: major, price: `"1.000,50"`, why: `is no amount of money: a text of 8 characters like 9.999,99`},
		{rules: major, price: `"EUR 5"`, why: `is no amount of money: a text of 5 characters like aaa 9`},
		{rules: major, price: `".5"`, why: `is no amount of money: a text of 2 characters like .9`},
		{rules: major, price: `"5."`, why: `is no amount of money: a text of 2 characters like 9.`},
		{rules: major, price: `"+5"`, why: `is no amount of money: a text of 2 characters like +9`},
		{rules: major, price: `"--5"`, why: `is no amount of money: a text of 3 characters like --9`},
		{rules: major, price: `"0x10"`, why: `is no amount of money: a text of 4 characters like 9a99`},
		{rules: major, price: `"1e"`, why: `is no amount of money: a text of 2 characters like 9a`},
		{rules: major, price: `"1e+-2"`, why: `is no amount of money: a text of 5 characters like 9a+-9`},
		{rules: major, price: `"1e+2"`, want: 10000, currency: "EUR"},
		{rules: major, price: `"٣"`, why: `is no amount of money: a text of 1 character like 9`},
		{rules: major, price: `1e999999999`, why: `is "1e999999999", which is beyond any amount`},
		{rules: major, price: `1e-999999999`, why: `is "1e-999999999", which is beyond any amount`},
		{rules: major, price: `1e99999999999999999999`, why: `is "1e99999999999999999999", which is beyond any amount`},
		{rules: major, price: `1e40`, why: `is "1e40", which is beyond any amount`},
		{rules: major, price: `0e40`, want: 0, currency: "EUR"},
		{rules: major, price: `100000000000.01`, why: `is "100000000000.01", which is beyond any amount`},
		{rules: major, price: `0.000000000000000000000000000000000000000000000000000000000000000001`, why: "is longer than the 64 bytes that an amount may have"},

		{rules: rounded, price: `24.505`, want: 2450, currency: "EUR"},
		{rules: rounded, price: `24.515`, want: 2452, currency: "EUR"},
		{rules: rounded, price: `24.5050000001`, want: 2451, currency: "EUR"},
		{rules: rounded, price: `24.504999`, want: 2450, currency: "EUR"},
		{rules: rounded, price: `24.506`, want: 2451, currency: "EUR"},
		{rules: rounded, price: `0.004`, want: 0, currency: "EUR"},
		{rules: rounded, price: `1e-60`, want: 0, currency: "EUR"},
		{rules: rounded, price: `9.995`, want: 1000, currency: "EUR"},
		{rules: "money: {currency: EUR, rounding: half_even}", price: `24.5`, want: 24, currency: "EUR"},
	}
	for _, test := range tests {
		p := normalizing(t, record.KindTicket, test.rules)
		got := p.MapRow("rows", `{"id":"t","event_id":"e","price":`+test.price+test.more+`}`, nil, nil)
		switch {
		case test.why != "":
			if len(got.Refused) != 1 || got.Refused[0].Field != "price" || got.Refused[0].Why.String() != test.why {
				t.Errorf("%s, %s: got %+v", test.rules, test.price, got)
			}
		case len(got.Records) != 1:
			t.Errorf("%s, %s: got %v", test.rules, test.price, got.Refused)
		default:
			if m := got.Records[0].(*record.Ticket).Price; *m != (record.Money{Amount: test.want, Currency: test.currency}) {
				t.Errorf("%s, %s: got %v", test.rules, test.price, m)
			}
		}
	}
}

// A program may pass on literals and sum integers exactly; for floats the shortest decimal form
// counts.
func TestNormalizeComputedMoney(t *testing.T) {
	p := parsed(t, `
name: test
money: {unit: major, currency: EUR}
streams:
  - name: rows
    path: rows
    gives: [payment]
    records: '{id: "p", status: "paid", amount: (if .sum then [.sum[]] | add else .amount end), amount_refunded: (if .back == 7 then reduce range(9) as $i (.back; . * .) else .back end)}'
`)
	tests := []struct {
		row  string
		want int64
	}{
		{`{"amount":1234567890.10}`, 123456789010},
		{`{"amount":"0.30"}`, 30},
		{`{"sum":[12345678901,9]}`, 1234567891000},
		{`{"sum":[0.25,0.5]}`, 75},
		{`{"amount":-12.5}`, 1250}, // a negative payment is a refund
	}
	for _, test := range tests {
		got := p.MapRow("rows", test.row, nil, nil)
		if len(got.Records) != 1 || got.Records[0].(*record.Payment).Amount.Amount != test.want {
			t.Errorf("%s: got %+v", test.row, got)
		}
	}
	for row, why := range map[string]string{
		`{"sum":[0.1,0.2]}`:                                 `is "0.30000000000000004", which has more digits than EUR has; set money.rounding to half_even`,
		`{"sum":[1e300,1e300]}`:                             "is longer than the 64 bytes that an amount may have",
		`{"sum":[9e18,9e18]}`:                               `is "18000000000000000000", which is beyond any amount`,
		`{"sum":[9000000000000000000,9000000000000000000]}`: `is "18000000000000000000", which is beyond any amount`,
		`{"amount":"1","back":7}`:                           `is "1e999", which is beyond any amount`,
		`{"amount":1,"back":false}`:                         "is no amount of money, neither a text nor a number",
	} {
		got := p.MapRow("rows", row, nil, nil)
		if len(got.Refused) != 1 || got.Refused[0].Why.String() != why {
			t.Errorf("%s: got %+v", row, got)
		}
	}
	if got := p.MapRow("rows", `{"amount":1,"back":null}`, nil, nil); len(got.Records) != 1 || got.Records[0].(*record.Payment).AmountRefunded != nil {
		t.Errorf("null: got %+v", got)
	}
}

// A parsed amount agrees with arithmetic on fractions, and a plain amount is never refused.
func FuzzMinorUnits(f *testing.F) {
	for _, s := range []string{"24.50", "0.005", "1.015", "-12.345", "1e3", "25E-1", "007", "1/2", "0x10", "1_000", "1e-64", "99999999999.995", "", " 1 "} {
		f.Add(s)
	}
	plain := regexp.MustCompile(`^-?[0-9]{1,10}(\.[0-9]{1,2})?$`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, unit := range []string{"minor", "major"} {
			for _, rounding := range []string{"", "half_even"} {
				got, why := profile.MinorUnits(unit, rounding, "EUR", s)
				if why != "" {
					if plain.MatchString(s) && (unit == "major" || !strings.Contains(s, ".")) {
						t.Errorf("%q %s %s: %s", s, unit, rounding, why)
					}
					continue
				}
				exact, ok := new(big.Rat).SetString(strings.TrimSpace(s))
				if !ok {
					t.Errorf("%q %s: read %d of what is no number", s, unit, got)
					continue
				}
				if unit == "major" {
					exact.Mul(exact, big.NewRat(100, 1))
				}
				off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(got))
				half := off.Abs(off).Cmp(big.NewRat(1, 2))
				if rounding == "" && off.Sign() != 0 || half > 0 || half == 0 && got%2 != 0 {
					t.Errorf("%q %s %s: read %d", s, unit, rounding, got)
				}
			}
		}
	})
}
