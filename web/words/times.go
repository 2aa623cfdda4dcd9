package words

import (
	"math"
	"time"
	"unicode"
	"unicode/utf8"
)

// Clock returns the time of day in the zone, to the minute.
func (w *Words) Clock(t time.Time, zone *time.Location) string { return t.In(zone).Format("15:04") }

// ClockSeconds returns the time of day in the zone, to the second.
func (w *Words) ClockSeconds(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("15:04:05")
}

// Day returns a day, given as year-month-day, in words, with its year if that is not today's.
func (w *Words) Day(day, today string) string {
	return w.day(day, today, dayForm{"date.long", "date.long_year", &w.days, &w.months})
}

// DayTitle is Day where it begins a title or a line: Dutch writes its days small.
func (w *Words) DayTitle(day, today string) string {
	text := w.Day(day, today)
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// DayShort returns a day for tables.
func (w *Words) DayShort(day, today string) string {
	return w.day(day, today, dayForm{"date.short", "date.short_year", &w.shortDays, &w.shortMonths})
}

// dayForm is how a day is written: its pattern without and with the year, and the names of weekdays and months.
type dayForm struct {
	pattern, withYear string
	days              *[7]string
	months            *[13]string
}

func (w *Words) day(day, today string, form dayForm) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return Dash
	}
	pattern := form.pattern
	if len(today) >= 4 && day[:4] != today[:4] {
		pattern = form.withYear
	}
	return w.Text(pattern, Text("weekday", form.days[t.Weekday()]), Int("day", t.Day()), Text("month", form.months[t.Month()]), Text("year", day[:4]))
}

// Month returns the month of a day in words, with its year if that is not today's.
func (w *Words) Month(day, today string) string { return w.month(day, today, &w.months) }

// MonthShort is Month for tables.
func (w *Words) MonthShort(day, today string) string { return w.month(day, today, &w.shortMonths) }

func (w *Words) month(day, today string, months *[13]string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return Dash
	}
	month := Text("month", months[t.Month()])
	if len(today) >= 4 && day[:4] != today[:4] {
		return w.Text("date.month_year", month, Text("year", day[:4]))
	}
	return w.Text("date.month", month)
}

// Months returns the names of the months from January, each as it stands in a sentence and in a table.
func (w *Words) Months() (names [12][]string) {
	for i := range names {
		names[i] = []string{w.months[i+1], w.shortMonths[i+1]}
	}
	return names
}

// Weekdays returns the names of the days of a week from Sunday, as those of Months.
func (w *Words) Weekdays() (names [7][]string) {
	for i := range names {
		names[i] = []string{w.days[i], w.shortDays[i]}
	}
	return names
}

// MinutesBetween counts from one shown minute to another, so that it agrees with the
// clock on the page.
func MinutesBetween(from, to time.Time) int {
	return int(to.Truncate(time.Minute).Sub(from.Truncate(time.Minute)) / time.Minute)
}

// Spell returns a length of time in hours and minutes, such as "1 h 20 min", and from a day on in
// whole hours.
func (w *Words) Spell(minutes int) string {
	switch h, m := minutes/60, minutes%60; {
	case h == 0:
		return w.Text("time.minutes", Int("minutes", m))
	case h >= 24:
		return w.Text("time.hours", Int("hours", (minutes+30)/60))
	case m == 0:
		return w.Text("time.hours", Int("hours", h))
	default:
		return w.Text("time.hours_minutes", Int("hours", h), Int("minutes", m))
	}
}

// Countdown returns how long until t, or how long since.
func (w *Words) Countdown(now, t time.Time) string {
	const day = 24 * 60
	switch m := MinutesBetween(now, t); {
	case m >= 2*day:
		return w.Text("time.in_days", Int("days", daysBetween(now, t)))
	case m > 0:
		return w.Text("time.in", Text("spell", w.Spell(m)))
	case m == 0:
		return w.Text("time.now")
	case m > -2*day:
		return w.Text("time.ago", Text("spell", w.Spell(-m)))
	default:
		return w.Text("time.days_ago", Int("days", -daysBetween(now, t)))
	}
}

// daysBetween returns how many midnights of a's zone lie between a and b, below 0 if b is earlier: all day long a performance is
// as many days away.
func daysBetween(a, b time.Time) int {
	date := func(t time.Time) time.Time {
		y, m, d := t.In(a.Location()).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	return int(date(b).Sub(date(a)) / (24 * time.Hour))
}

// Wait returns how long from now until the service is asked next, empty if next is zero. Its steps grow
// with the time, so that a quiet page is not sent again every second.
func (w *Words) Wait(next, now time.Time) string {
	switch s := int(math.Ceil(next.Sub(now).Seconds())); {
	case next.IsZero():
		return ""
	case s <= 0:
		return w.Text("strip.updating")
	case s <= 10:
		return w.Text("strip.next_seconds", Int("seconds", s))
	case s < 60:
		return w.Text("strip.next_seconds", Int("seconds", (s+9)/10*10))
	default:
		return w.Text("strip.next_minutes", Int("minutes", (s+59)/60))
	}
}

// Took returns how long an answer took.
func (w *Words) Took(d time.Duration) string {
	if d < 50*time.Millisecond {
		return w.Text("time.under_seconds", Text("seconds", w.decimal(.1, 1)))
	}
	return w.Text("time.seconds", Text("seconds", w.decimal(d.Seconds(), 1)))
}
