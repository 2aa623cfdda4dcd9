package search

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
)

// DayWords are a language's words for days: names and abbreviations.
type DayWords struct {
	Months   [12][]string   // from January
	Weekdays [7][]string    // from Sunday
	Near     map[string]int // by word or two words such as "tomorrow": days after today
}

// near returns how many days after today the folded text means.
func (w *DayWords) near(said string) (days int, ok bool) {
	for name, days := range w.Near {
		if fold(name) == said {
			return days, true
		}
	}
	return 0, false
}

// leastOfName is how many letters of a day's or month's name are enough.
const leastOfName = 3

// searchWord is a word of a query with the days and times that it may mean; unused fields are zero.
type searchWord struct {
	text     string
	months   int    // bit n is set for month n
	weekdays int    // bit n is set for weekday n
	number   int    // a day of the month, or a year
	date     string // YYYY-MM-DD, or the beginning of it
	inYear   string // -MM-DD, of any year
	clock    string // hh:mm, or the beginning of it
	near     figures.Day
}

// searchWords parses the text of a query.
func searchWords(v *evening.Evening, q Query) []searchWord {
	var all []searchWord
	typed := strings.Fields(fold(q.Text))
	for len(typed) > 0 {
		if len(typed) > 1 {
			both := typed[0] + " " + typed[1]
			if days, ok := q.Words.near(strings.Trim(both, ".,")); ok {
				all = append(all, searchWord{text: both, near: v.Today.Add(days)})
				typed = typed[2:]
				continue
			}
		}
		w := searchWord{text: typed[0]}
		typed = typed[1:]
		said := strings.Trim(w.text, ".,")
		means := func(name string) bool {
			name = fold(name)
			return name == said || len(said) >= leastOfName && strings.HasPrefix(name, said)
		}
		for i, names := range q.Words.Months {
			if slices.ContainsFunc(names, means) {
				w.months |= 1 << (i + 1)
			}
		}
		for i, names := range q.Words.Weekdays {
			if slices.ContainsFunc(names, means) {
				w.weekdays |= 1 << i
			}
		}
		if days, ok := q.Words.near(said); ok {
			w.near = v.Today.Add(days)
		}
		w.number, w.date, w.clock = numberOf(said)
		if date, inYear := dayFirst(said); date != "" {
			w.date = date
		} else {
			w.inYear = inYear
		}
		w.joined(q.Words.Months)
		all = append(all, w)
	}
	return all
}

// numberOf parses 27, 2026, 2026-11-27, 20:15, 9.30 and beginnings of the last three. For anything else it returns
// values that match no day or time.
func numberOf(said string) (number int, date, clock string) {
	if n, err := strconv.Atoi(said); err == nil {
		return n, "", ""
	}
	hour, minute, timed := strings.Cut(strings.Replace(said, ".", ":", 1), ":")
	switch {
	case timed && len(hour) == 1:
		return 0, "", "0" + hour + ":" + minute
	case timed && len(hour) == 2:
		return 0, "", hour + ":" + minute
	case !timed && len(said) > len("2026-"):
		return 0, said, ""
	}
	return 0, "", ""
}

// dayFirst parses 27.11, 27-11 and 27/11, also with a year of four or two digits; both results are empty for
// anything else. 9.30 is not a day, because there is no month 30; 19.10 is one, and may be a time as well.
func dayFirst(said string) (date, inYear string) {
	for _, separator := range []string{".", "-", "/"} {
		parts := strings.Split(said, separator)
		if len(parts) != 2 && len(parts) != 3 || len(parts[0]) > 2 || len(parts[1]) > 2 {
			continue
		}
		day, err := strconv.Atoi(parts[0])
		month, err2 := strconv.Atoi(parts[1])
		if err != nil || err2 != nil || day < 1 || day > 31 || month < 1 || month > 12 {
			continue
		}
		inYear = fmt.Sprintf("-%02d-%02d", month, day)
		if len(parts) == 2 {
			return "", inYear
		}
		switch year := parts[2]; len(year) {
		case 2:
			return "20" + year + inYear, ""
		case 4:
			return year + inYear, ""
		}
	}
	return "", ""
}

// ordinals are the ends of a day's number as people type it: 29th and, in Dutch, 29e.
var ordinals = []string{"st", "nd", "rd", "th", "e", "de", "ste"}

// joined reads 29th as the day alone, and 29dec as a day and its month.
func (w *searchWord) joined(months [12][]string) {
	said := strings.Trim(w.text, ".,")
	end := strings.TrimLeft(said, "0123456789")
	day, err := strconv.Atoi(said[:len(said)-len(end)])
	switch {
	case err != nil || end == "" || day < 1 || day > 31:
	case slices.Contains(ordinals, end):
		w.number = day
	case len(end) >= leastOfName:
		for i, names := range months {
			if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(fold(name), end) }) {
				w.inYear = fmt.Sprintf("-%02d-%02d", i+1, day)
				return
			}
		}
	}
}

// saidOf reports whether the word names a day, or a time of day given as hh:mm.
func (w *searchWord) saidOf(d figures.Day, at string) bool {
	if w.date != "" && strings.HasPrefix(string(d), w.date) || w.inYear != "" && strings.HasSuffix(string(d), w.inYear) || w.near != "" && w.near == d || w.clock != "" && strings.HasPrefix(at, w.clock) {
		return true
	}
	on, err := time.Parse(time.DateOnly, string(d))
	return err == nil && (w.months>>on.Month()&1 == 1 || w.weekdays>>on.Weekday()&1 == 1 || w.number > 0 && (w.number == on.Day() || w.number == on.Year()))
}

// matches reports whether every word is in the title or the hall, or names the day or time of the curtain. A
// performance after midnight has two days, that of the evening and that of the calendar; all words must fit one of
// them.
func matches(v *evening.Evening, e *figures.EventFigures, words []searchWord) bool {
	if len(words) == 0 {
		return true
	}
	text := fold(e.Event.Title) + " " + fold(e.Event.Hall)
	var rest []searchWord
	for _, w := range words {
		if !strings.Contains(text, w.text) {
			rest = append(rest, w)
		}
	}
	if len(rest) == 0 {
		return true
	}
	on, day, at := e.Date, e.Date, ""
	if start := e.Event.StartsAt; !start.IsZero() {
		start = start.In(v.Snapshot.Calendar.Location())
		on, at = figures.Day(start.Format(time.DateOnly)), start.Format("15:04")
	}
	onDay := func(d figures.Day) bool {
		return !slices.ContainsFunc(rest, func(w searchWord) bool { return !w.saidOf(d, at) })
	}
	return onDay(day) || on != day && onDay(on)
}

// fold returns text without case and accents: "Dvořák" and "DVORAK" fold alike.
func fold(s string) string {
	ascii := true
	for i := range len(s) {
		ascii = ascii && s[i] < 0x80
	}
	if ascii {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		if unicode.Is(unicode.Mn, r) {
			continue
		}
		r = unicode.ToLower(r)
		if letters, ok := undivided[r]; ok {
			b.WriteString(letters)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// undivided maps letters without a Unicode decomposition to what people type for them.
var undivided = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ς': "σ", '’': "'", '‘': "'",
}
