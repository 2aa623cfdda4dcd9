package profile_test

import (
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

var faultLine = regexp.MustCompile(`(?s)^fuzz\.yaml:(\d+:|) .*; `)

// Whatever a profile says, it is refused with a line for each fault, or it can be used.
func FuzzParseProfile(f *testing.F) {
	files, err := filepath.Glob("builtin/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), order)
	}
	f.Add(orders, order)
	f.Add(oneStream, `{"id":"e","date":"2026-11-21"}`)
	f.Add("name: a\nstreams:\n  - &s {name: a, path: a, gives: &g [event]}\n  - {name: b, path: b, gives: *g, records: '.[]?'}\n", `[{"id":1}]`)
	f.Add("name: a\nmoney: {unit: major, currency: EUR}\nwords: {payment.kind: {sale: payment}}\nstreams: [{name: a, path: a, gives: [payment]}]", `{"id":1,"kind":"sale","amount":"1.5"}`)
	f.Add("name: a\nstreams:\n  - {name: a, path: a, gives: [event], \"\\x07\": 1, records: '\"\\\xef'}\n", "{}")
	f.Add("? - [{a: &x *x}]\n: |\n  !!str", "{}")
	f.Fuzz(func(t *testing.T, text, row string) {
		p, err := profile.Parse("fuzz.yaml", []byte(text))
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !faultLine.MatchString(line) || !utf8.ValidString(line) {
					t.Errorf("fault %q", line)
				}
			}
			return
		}
		vars := map[string]string{}
		for name, value := range p.Vars {
			if value == "" {
				vars[name] = "x"
			}
		}
		ready, err := p.With(vars)
		if err != nil {
			return // x is no zone and no currency
		}
		ready.RowTime = 10 * time.Millisecond
		for _, stream := range ready.Lists() {
			checkMapped(t, ready.MapRow(stream, row, nil, nil))
			if !ready.Stream(stream).SharesRows() {
				continue
			}
			if key, kept, err := ready.KeepRow(stream, row, nil); err == nil && (key == "") != (kept == nil) {
				t.Errorf("kept %v under %q", kept, key)
			}
		}
	})
}

// checkMapped checks what holds for every record that is handed on.
func checkMapped(t *testing.T, m profile.Mapped) {
	t.Helper()
	money := func(all ...*record.Money) {
		for _, m := range all {
			if m != nil && (m.Amount < 0 || m.Amount > 1e13 || len(m.Currency) != 3) {
				t.Errorf("money %+v", m)
			}
		}
	}
	at := func(times ...time.Time) {
		for _, at := range times {
			if !at.IsZero() && (at.Year() < 1970 || at.Year() > 2200 || at.Location() != time.UTC) {
				t.Errorf("time %v", at)
			}
		}
	}
	for _, r := range m.Records {
		if id := r.RecordID(); id == "" || len(id) > 200 || !utf8.ValidString(id) {
			t.Errorf("%s %q", r.RecordKind(), id)
		}
		at(r.RecordUpdated())
		switch r := r.(type) {
		case *record.Event:
			at(r.StartsAt, r.EndsAt, r.DoorsAt, r.IntervalStartsAt, r.IntervalEndsAt)
			if _, err := time.Parse(time.DateOnly, r.Date); err != nil {
				t.Error(err)
			}
		case *record.Ticket:
			money(r.Price, r.Fee, r.VAT)
			at(r.SoldAt, r.CreatedAt, r.CancelledAt)
		case *record.Payment:
			money(&r.Amount, r.AmountRefunded)
			at(r.PaidAt, r.CreatedAt)
		}
	}
	for _, r := range m.Refused {
		if r.Stream == "" || r.Why.String() == "" || len(r.Why.String()) > 1000 || len(r.ID) > 200 || strings.ContainsFunc(r.Why.String(), unicode.IsControl) {
			t.Errorf("refused %#v", r)
		}
	}
}

// Whatever a row says, it becomes records that keep their promises, or is refused.
func FuzzMapRow(f *testing.F) {
	f.Add(order)
	f.Add(`{"code":1,"positions":[{"id":1e3,"price":1e999999999,"checkins":[{"datetime":0}]},{"id":-1,"price":{"value":"1"}}],"payments":[{"local_id":{},"amount":"-5.005","state":true}]}`)
	f.Add(`{"id":1,"event_id":"e","date":null,"starts_at":1795287600,"timezone":"Europe/London","currency":"JPY","price":"12","amount":{"value":1},"scans":[{"at":"2026-10-25 02:30","direction":"IN"}]}`)
	f.Add(`{"slug":"\u0000","name":[],"date_from":"x","timezone":"../etc","positions":{"a":{"id":null}},"payments":null}`)
	f.Add(`[[[[]]]]`)
	f.Add(`{"id":"` + strings.Repeat("9", 500) + `"}`)
	ready, err := parsed(f, orders).With(map[string]string{"organizer": "theatre"})
	if err != nil {
		f.Fatal(err)
	}
	const rules = "money: {unit: major, currency: EUR, rounding: half_even}\ntime: {zone: Europe/Amsterdam, formats: [rfc3339, unix, '2006-01-02 15:04']}\nwords: {ticket.status: {\"1\": valid}}"
	var settled []*profile.Profile
	for _, kind := range []record.Kind{record.KindEvent, record.KindTicket, record.KindPayment, record.KindContact, record.KindPlanning, record.KindScan} {
		settled = append(settled, normalizing(f, kind, rules))
	}
	with := map[string]any{"hamlet": map[string]any{"key": "hamlet", "currency": "EUR"}}
	f.Fuzz(func(t *testing.T, row string) {
		checkMapped(t, ready.MapRow("orders", row, nil, with))
		checkMapped(t, ready.MapRow("events", row, nil, with))
		if key, _, err := ready.KeepRow("events", row, nil); err == nil && (len(key) > 200 || strings.ContainsFunc(key, unicode.IsControl)) {
			t.Errorf("key %q", key)
		}
		for _, p := range settled {
			checkMapped(t, p.MapRow("rows", row, nil, nil))
		}
	})
}

// An amount that is read is what arithmetic on fractions makes of it, and a plain one is
// never refused.
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

// A time that is read and written again in the same format is the same moment.
func FuzzParseTime(f *testing.F) {
	amsterdam, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		f.Fatal(err)
	}
	f.Add("2006-01-02 15:04", "2026-10-25 02:30")
	f.Add("2006-01-02 15:04", "2026-03-29 02:30")
	f.Add("2006-01-02T15:04:05Z07:00", "2026-10-25T02:30:00+01:00")
	f.Add("02-Jan-2006 3:04pm -0700", "25-Oct-2026 2:30am +0100")
	f.Add("rfc3339", "2026-11-21T20:00:00.5Z")
	f.Add("unix", "1795287600")
	f.Add("unix_ms", "-1")
	f.Add("2006-002", "2026-300")
	f.Add("MST", "CET")
	f.Fuzz(func(t *testing.T, format, s string) {
		at, ok := profile.ParseTime(format, s, amsterdam)
		if !ok || at.Year() < 1970 || at.Year() > 2200 || format == "rfc3339" || strings.HasPrefix(format, "unix") {
			return
		}
		text := at.Format(format)
		again, ok := profile.ParseTime(format, text, amsterdam)
		if !ok || again.Sub(at).Abs() >= time.Second {
			t.Errorf("%q in %q is %v, which is %q, which is %v", s, format, at, text, again)
		}
	})
}
