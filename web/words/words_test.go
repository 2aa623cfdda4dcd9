package words

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"
	xmessage "golang.org/x/text/message"
	"golang.org/x/text/number"
)

// with returns a language with one more message.
func with(t *testing.T, l Locale, text string) *Words {
	t.Helper()
	w := *Of(l)
	m, err := parse(text, len(w.cldr.PluralsCardinal()))
	if err != nil {
		t.Fatal(err)
	}
	if w.pseudo {
		m.mark()
	}
	w.messages = map[string]*message{"a.b": m}
	return &w
}

// marked shows a sentence with its marks.
func marked(s Sentence) string {
	var b strings.Builder
	for _, r := range s {
		text := r.Text
		switch {
		case r.Num != nil:
			text = "#" + r.Num.Text
		case r.Name:
			text = "<" + r.Text + ">"
		}
		if r.Strong {
			text = "*" + text + "*"
		}
		b.WriteString(text)
	}
	return b.String()
}

func TestSay(t *testing.T) {
	title, n := Name("title", "\u202eVader"), Fig("n", Num{Text: "≈ 2", Why: "estimated", N: 2})
	for _, test := range []struct {
		name, text  string
		args        []Arg
		want, text2 string
	}{
		{"text alone", "No~places", nil, "No\u00a0places", "No\u00a0places"},
		{"a band", "{n} ({n}–{n}) late, {n}–{n}", []Arg{n}, "#≈ 2 (#≈ 2–\u2060#≈ 2) late, #≈ 2–#≈ 2", "≈ 2 (≈ 2–\u2060≈ 2) late, ≈ 2–≈ 2"},
		{"strong", "**Hold {title}:** now", []Arg{title}, "*Hold **<\u202eVader>**:* now", "Hold Vader: now"},
		{"a figure", "**{n}** of {n|one place|# places}", []Arg{n}, "*#≈ 2* of #≈ 2 places", "≈ 2 of ≈ 2 places"},
		{"one", "{n|# place is|# places are} free", []Arg{Int("n", 1)}, "1 place is free", "1 place is free"},
		{"thousands", "{n|# place is|# places are} free", []Arg{Int("n", 1200)}, "1,200 places are free", "1,200 places are free"},
		{"none", "{n|# place|# places}", []Arg{Int("n", 0)}, "0 places", "0 places"},
		{"in words", "for {n|# show|# shows}", []Arg{Spelled("n", 300)}, "for 300 shows", "for 300 shows"},
		{"a sentence within", "({part})", []Arg{Part("part", Sentence{{Text: "x", Name: true}, {Text: " y"}})}, "(<x> y)", "(x y)"},
		{"not given", "It is {what} and {n|one|many}", nil, "It is ⟨what⟩ and ⟨n⟩", "It is ⟨what⟩ and ⟨n⟩"},
		{"markup in a name", "{title} ends", []Arg{Name("title", "**{n}**")}, "<**{n}**> ends", "**{n}** ends"},
	} {
		w := with(t, English, test.text)
		if got := marked(w.Say("a.b", test.args...)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if got := w.Text("a.b", test.args...); got != test.text2 {
			t.Errorf("%s, as text: %q, want %q", test.name, got, test.text2)
		}
	}
	if got := Of(English).Text("no.such") + marked(Of(English).Say("no.such")); got != "⟨no.such⟩⟨no.such⟩" {
		t.Errorf("a key that does not exist: %q", got)
	}
	if got := marked(with(t, Pseudo, "{n} **free**").Say("a.b", Int("n", 3))); got != "⟦⟧3⟦ *free*⟧" {
		t.Errorf("pseudo: %q", got)
	}
	if got := Of(German).Code("status", "sold-out") + Of(German).Code("status", "haunted"); got != "ausverkaufthaunted" {
		t.Errorf("codes: %q", got)
	}
}

// What is fixed is shared; whoever appends to it has a copy.
func TestSayIsNotShared(t *testing.T) {
	w := Of(English)
	_ = append(w.Say("verdict.on_time"), Run{Text: "!"})
	one := append(w.Say("verdict.on_time"), Run{Text: "1"})
	_ = append(w.Say("verdict.on_time"), Run{Text: "2"})
	if got := one.String(); got != "Start on time1" {
		t.Errorf("%q", got)
	}
}

func TestMarkupFaults(t *testing.T) {
	for _, text := range []string{"", "{", "}", "a {n", "{}", "{N}", "{n|one}", "{n|one|two|three}", "**a", "a * b"} {
		if m, err := parse(text, 2); err == nil {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

func TestLists(t *testing.T) {
	for _, test := range []struct {
		l              Locale
		and, or, names string
	}{
		{English, "a, b and c", "a, b or c", "<a>, <b> and <c>"}, {Dutch, "a, b en c", "a, b of c", "<a>, <b> en <c>"}, {German, "a, b und c", "a, b oder c", "<a>, <b> und <c>"},
	} {
		w, all := Of(test.l), []string{"a", "b", "c"}
		if got := w.List(all); got != test.and {
			t.Errorf("%s: %q", test.l, got)
		}
		if got := w.AnyOf(all); got != test.or {
			t.Errorf("%s: %q", test.l, got)
		}
		if got := marked(w.Names(all)); got != test.names {
			t.Errorf("%s: %q", test.l, got)
		}
		if w.List(nil) != "" || w.List(all[:1]) != "a" || w.List(all[:2]) == "a, b" || w.Names(nil) != nil {
			t.Errorf("%s: short lists: %q", test.l, w.List(all[:2]))
		}
	}
	if got := marked(Join("; ", nil, Sentence{{Text: "a"}}, nil, Sentence{{Text: "b"}}, nil)); got != "a; b" {
		t.Errorf("join: %q", got)
	}
}

func TestNumbers(t *testing.T) {
	en, nl, de := Of(English), Of(Dutch), Of(German)
	for _, test := range []struct{ got, want string }{
		{en.Count(0), "0"}, {en.Count(999), "999"}, {en.Count(1280), "1,280"}, {en.Count(-12), "−12"}, {nl.Count(1234567), "1.234.567"}, {de.Count(-1280), "−1.280"},
		{en.Signed(31), "+31"}, {en.Signed(-3), "−3"}, {en.Signed(0), "0"},
		{en.Percent(.9206), "92.1%"}, {en.Percent(1.03), "103.0%"}, {en.Percent(.9999), "99.9%"}, {en.Percent(1), "100.0%"}, {en.Percent(0), "0.0%"}, {en.Percent(-.0004), "0.0%"}, {en.Points(-.0004), "0.0\u00a0pp"}, {en.Mean(-.04), "0.0"}, {en.Mean(-.06), "\u22120.1"}, {nl.Mean(-.04), "0,0"},
		{en.Points(.0206), "2.1\u00a0pp"}, {nl.Points(.02), "2,0\u00a0procentpunt"}, {de.Points(1.5), "150,0\u00a0Prozentpunkte"},
		{nl.Percent(.9206), "92,1%"}, {de.Percent(.9206), "92,1\u00a0%"},
		{en.WholePercent(.999), "99"}, {en.WholePercent(1), "100"}, {en.WholePercent(.9206), "92"},
		{en.Change(150, 100), "+50.0%"}, {en.Change(50, 100), "−50.0%"}, {en.Change(100, 100), "0.0%"}, {en.Change(2995, 10), "> ×100"}, {en.Change(999, 10), "×100"}, {en.Change(99, 10), "+890.0%"},
		{en.Change(999_999, 1_000_000), "0.0%"}, {nl.Change(104, 10), "×10"}, {en.Change(100, -10), "+1,100.0%"},
		{en.Rate(0), "0"}, {en.Rate(3), "0.6"}, {en.Rate(107), "21"}, {strings.Join(nl.Rates([]int{5, 13, 107}), " "), "1,0 2,6 21,4"}, {strings.Join(en.Rates([]int{5, 0, 107}), " "), "1 0 21"}, {en.Rate(5), "1"}, {de.Rate(3), "0,6"},
		{en.Spelled(3), "three"}, {en.Spelled(13), "13"}, {nl.Spelled(1), "één"}, {de.Spelled(12), "zwölf"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// The digits are grouped as another reading of CLDR groups them.
func TestNumbersAgreeWithCLDR(t *testing.T) {
	for _, l := range Locales {
		w, printer := Of(l), xmessage.NewPrinter(language.MustParse(string(l)))
		for _, n := range []int{1, 999, 1000, 9999, 10_000, 123_456, 1_000_000, 987_654_321} {
			if got, want := w.Count(n), printer.Sprint(number.Decimal(n)); got != want {
				t.Errorf("%s: %q, want %q", l, got, want)
			}
			f := float64(n) + .25
			if got, want := w.decimal(f, 1), printer.Sprint(number.Decimal(f, number.Scale(1))); got != want {
				t.Errorf("%s: %q, want %q", l, got, want)
			}
		}
	}
}

func TestMoney(t *testing.T) {
	for _, test := range []struct {
		l      Locale
		amount int64
		code   string
		want   string
	}{
		{English, 120450, "EUR", "€1,204.50"}, {English, -5, "EUR", "−€0.05"}, {English, 1200, "JPY", "¥1,200"}, {English, 1234, "BHD", "BHD\u00a01.234"},
		{English, 9_007_199_254_740_993, "EUR", "€90,071,992,547,409.93"}, // no float would keep the last digit
		{English, 5, "<b>", "5\u00a0<b> (minor units)"},
		{Dutch, 120450, "EUR", "€\u00a01.204,50"}, {Dutch, -5, "EUR", "€\u00a0−0,05"}, {German, 120450, "EUR", "1.204,50\u00a0€"}, {German, -5, "EUR", "−0,05\u00a0€"},
	} {
		if got := Of(test.l).Money(test.amount, test.code); got != test.want {
			t.Errorf("%s: %q, want %q", test.l, got, test.want)
		}
	}
}

// However many amounts were made into text before, each has its own, in each currency; they are not held
// without end.
func TestMoneyAgain(t *testing.T) {
	w := Of(English)
	for range 2 {
		for n := range 3 * mostAmounts {
			for code, symbol := range map[string]string{"EUR": "€", "GBP": "£"} {
				if got, want := w.Money(int64(n), code), fmt.Sprintf("%s%d.%02d", symbol, n/100, n%100); got != want {
					t.Fatalf("%d %s is %q, want %q", n, code, got, want)
				}
			}
		}
		if n := len(w.amounts.texts); n > mostAmounts {
			t.Fatalf("%d amounts are held", n)
		}
	}
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 11, 20, 19, 52, 40, 0, time.UTC)
	en, nl, de := Of(English), Of(Dutch), Of(German)
	for _, test := range []struct{ got, want string }{
		{en.Countdown(now, now.Add(23*time.Minute)), "in 23\u00a0min"},
		{en.Countdown(now, time.Date(2026, 11, 20, 20, 15, 0, 0, time.UTC)), "in 23\u00a0min"}, // as the two clocks on the page read
		{en.Countdown(now, now), "now"}, {en.Countdown(now, now.Add(-90*time.Minute)), "1\u00a0h\u00a030\u00a0min ago"},
		{en.Countdown(now, now.Add(200*time.Minute)), "in 3\u00a0h\u00a020\u00a0min"}, {en.Countdown(now, now.Add(410*time.Minute)), "in 6\u00a0h\u00a050\u00a0min"},
		{en.Countdown(now, now.Add(590*time.Minute)), "in 9\u00a0h\u00a050\u00a0min"}, {en.Countdown(now, now.Add(31*time.Hour+40*time.Minute)), "in 32\u00a0h"},
		{en.Countdown(now, time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)), "in 3\u00a0days"}, {en.Countdown(now.Add(-10*time.Hour), time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)), "in 3\u00a0days"},
		{en.Countdown(now, now.AddDate(0, 0, 3)), "in 3\u00a0days"}, {en.Countdown(now, now.AddDate(0, 0, -3)), "3\u00a0days ago"},
		{nl.Countdown(now, now.Add(80*time.Minute)), "over 1\u00a0u\u00a020\u00a0min"}, {de.Countdown(now, now.AddDate(0, 0, -3)), "vor 3\u00a0Tagen"},
		{en.Wait(now.Add(3*time.Second), now), "next update in 3\u00a0s"}, {en.Wait(now.Add(-time.Second), now), "updating now"}, {en.Wait(now.Add(41*time.Second), now), "next update in 50\u00a0s"},
		{en.Wait(now.Add(14*time.Minute), now), "next update in 14\u00a0min"}, {en.Wait(time.Time{}, now), ""},
		{en.Took(200 * time.Millisecond), "0.2\u00a0s"}, {en.Took(time.Millisecond), "under 0.1\u00a0s"}, {nl.Took(200 * time.Millisecond), "0,2\u00a0s"},
		{en.Day("2026-11-20", "2026-11-20"), "Friday 20\u00a0November"}, {en.Day("2027-01-01", "2026-11-20"), "Friday 1\u00a0January 2027"}, {en.DayShort("nonsense", "2026-11-20"), "—"},
		{en.DayShort("2026-09-02", "2026-11-20"), "Wed 2 Sep"},
		{en.Month("2026-10-01", "2026-11-20"), "October"}, {nl.Month("2027-01-01", "2026-11-20"), "januari 2027"}, {de.MonthShort("2026-10-01", "2026-11-20"), "Okt."},
		{nl.Day("2026-11-20", "2026-11-20"), "vrijdag 20\u00a0november"}, {nl.DayTitle("2026-11-20", "2026-11-20"), "Vrijdag 20\u00a0november"}, {nl.DayTitle("", "2026-11-20"), "—"}, {nl.DayShort("2027-01-01", "2026-11-20"), "vr 1 jan 2027"}, {nl.DayShort("2026-03-02", "2026-11-20"), "ma 2 mrt"},
		{de.Day("2026-11-20", "2026-11-20"), "Freitag, 20.\u00a0November"}, {de.DayShort("2027-01-01", "2026-11-20"), "Fr 1. Jan. 2027"}, {de.DayShort("2026-03-02", "2026-11-20"), "Mo 2. März"},
		{en.Clock(now, time.FixedZone("x", 3600)), "20:52"}, {de.ClockSeconds(now, time.UTC), "19:52:40"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// A message is filled on the way to every fragment.
func BenchmarkSay(b *testing.B) {
	w := Of(German)
	title, n, sold := Name("title", "Matthäus-Passion"), Int("n", 12), Plain("sold", Num{Text: "1.234"})
	b.ReportAllocs()
	for b.Loop() {
		w.Say("alert.few_left_sold", title, n, sold)
	}
}

func BenchmarkText(b *testing.B) {
	w := Of(German)
	b.ReportAllocs()
	for b.Loop() {
		w.Text("show.doors_since", Text("time", "19:30"))
	}
}
