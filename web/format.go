package web

import (
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"

	"housecount/aggregator/figures"
)

// The typography of figures: a space that does not break before a unit, and a minus
// that is as wide as a digit.
const (
	nbsp  = "\u00a0"
	minus = "\u2212"
	dash  = "\u2014"
)

var english = message.NewPrinter(language.English)

// count is a whole number with its thousands apart.
func count(n int) string {
	return strings.Replace(english.Sprint(number.Decimal(n)), "-", minus, 1)
}

// signed is a count with its sign always shown.
func signed(n int) string {
	if n > 0 {
		return "+" + count(n)
	}
	return count(n)
}

// percent is a fraction to one decimal. What is not full never rounds up to 100.
func percent(f float64) string {
	p := math.Round(f*1000) / 10
	if f < 1 && p >= 100 {
		p = 99.9
	}
	s := english.Sprint(number.Decimal(p, number.Scale(1)))
	return strings.Replace(s, "-", minus, 1) + nbsp + "%"
}

// wholePercent is a fraction as a whole number of per cent, without the sign.
func wholePercent(f float64) string {
	p := math.Round(f * 100)
	if f < 1 && p >= 100 {
		p = 99
	}
	return count(int(p))
}

// change is how much a differs from b, relative to b, with its sign.
func change(a, b int64) string {
	f := (float64(a) - float64(b)) / math.Abs(float64(b))
	if f > 0 {
		return "+" + percent(f)
	}
	return percent(f)
}

// rate is entries in five minutes as so many a minute.
func rate(entries int) string {
	perMinute := float64(entries) / 5
	if perMinute >= 3 || entries%5 == 0 {
		return count(int(math.Round(perMinute)))
	}
	return english.Sprint(number.Decimal(perMinute, number.Scale(1)))
}

// plural is "1 place" or "2 places"; the plural is one+"s" unless given.
func plural(n int, one string, many ...string) string {
	return count(n) + nbsp + noun(n, one, many...)
}

func noun(n int, one string, many ...string) string {
	switch {
	case n == 1:
		return one
	case len(many) > 0:
		return many[0]
	}
	return one + "s"
}

var smallNumbers = []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// spelled is a small number in words.
func spelled(n int) string {
	if n >= 0 && n < len(smallNumbers) {
		return smallNumbers[n]
	}
	return count(n)
}

// clock is the time of day in the zone, to the minute.
func clock(t time.Time, zone *time.Location) string { return t.In(zone).Format("15:04") }

// clockSeconds is the time of day in the zone, to the second.
func clockSeconds(t time.Time, zone *time.Location) string { return t.In(zone).Format("15:04:05") }

// dayWords is a day as a person says it; the year only where it is not that of today.
func dayWords(d, today figures.Day) string { return formatDay(d, today, "Monday 2 January") }

// dayShort is a day for tables.
func dayShort(d, today figures.Day) string { return formatDay(d, today, "Mon 2 Jan") }

func formatDay(d, today figures.Day, layout string) string {
	t, err := time.Parse(time.DateOnly, string(d))
	if err != nil {
		return dash
	}
	if len(today) >= 4 && d[:4] != today[:4] {
		layout += " 2006"
	}
	return t.Format(layout)
}

// minutesBetween counts from one shown minute to another, so that it agrees with the
// clock on the page.
func minutesBetween(from, to time.Time) int {
	return int(to.Truncate(time.Minute).Sub(from.Truncate(time.Minute)) / time.Minute)
}

// spell is a length of time in hours and minutes, such as "1 h 20 min".
func spell(minutes int) string {
	switch h, m := minutes/60, minutes%60; {
	case h == 0:
		return fmt.Sprint(m, nbsp, "min")
	case h >= 6 || m == 0:
		return fmt.Sprint(h, nbsp, "h")
	default:
		return fmt.Sprint(h, nbsp, "h", nbsp, m, nbsp, "min")
	}
}

// countdown says how long until t, or how long since.
func countdown(now, t time.Time) string {
	switch m := minutesBetween(now, t); {
	case m >= 48*60:
		return fmt.Sprint("in ", m/60/24, nbsp, "days")
	case m > 0:
		return "in " + spell(m)
	case m == 0:
		return "now"
	case m > -48*60:
		return spell(-m) + " ago"
	default:
		return fmt.Sprint(-m/60/24, nbsp, "days ago")
	}
}

// wait says how long from now until the service is asked next, nothing where next is zero. Its
// steps grow with the time, so that a quiet page is not sent anew every second.
func wait(next, now time.Time) string {
	switch s := int(math.Ceil(next.Sub(now).Seconds())); {
	case next.IsZero():
		return ""
	case s <= 0:
		return "updating now"
	case s <= 10:
		return fmt.Sprint("next update in ", s, nbsp, "s")
	case s < 60:
		return fmt.Sprint("next update in ", (s+9)/10*10, nbsp, "s")
	default:
		return fmt.Sprint("next update in ", (s+59)/60, nbsp, "min")
	}
}

// took is how long an answer took.
func took(d time.Duration) string {
	if d < 50*time.Millisecond {
		return "under 0.1" + nbsp + "s"
	}
	return english.Sprint(number.Decimal(d.Seconds(), number.Scale(1))) + nbsp + "s"
}

// clip shortens outside text to n runes for places that cannot wrap, such as a chart.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
