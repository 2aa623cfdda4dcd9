package evening

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"housecount/aggregator/figures"
)

// DayWords are what a language calls days: each by its names and abbreviations.
type DayWords struct {
	Months   [12][]string   // from January
	Weekdays [7][]string    // from Sunday
	Near     map[string]int // days after the running day, such as "tomorrow": 1; of one word or two
}

// near returns how many days after the running day the folded text calls.
func (w *DayWords) near(said string) (days int, ok bool) {
	for name, days := range w.Near {
		if fold(name) == said {
			return days, true
		}
	}
	return 0, false
}

// leastOfName is how many letters of a name have to be typed for it to be meant.
const leastOfName = 3

// searchWord is a word of a query, with the days and times that it may mean; unused fields are zero.
type searchWord struct {
	text     string
	months   int    // a bit for each, by its number
	weekdays int    // the same
	number   int    // a day of the month, or a year
	date     string // YYYY-MM-DD or its beginning
	inYear   string // -MM-DD of any year
	clock    string // hh:mm or its beginning
	near     figures.Day
}

// searchWords reads the text of a query.
func (v *Evening) searchWords(q Query) []searchWord {
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
		all = append(all, w)
	}
	return all
}

// numberOf reads 27, 2026, 2026-11-27, 20:15, 9.30 and the beginnings of the last three; what is
// none of them comes back as one that no day or time begins with.
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

// dayFirst reads 27.11, 27-11, 27/11 and these with a year, as 27.11.2026 or 27/11/26; both are
// empty for what is none of them. 9.30 is none, for no month is the thirtieth; 19.10 is one, and
// may be a time too.
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

// saidOf reports whether the word is said of a day, or of a time of day as hh:mm.
func (w *searchWord) saidOf(d figures.Day, at string) bool {
	if w.date != "" && strings.HasPrefix(string(d), w.date) || w.inYear != "" && strings.HasSuffix(string(d), w.inYear) || w.near != "" && w.near == d || w.clock != "" && strings.HasPrefix(at, w.clock) {
		return true
	}
	on, err := time.Parse(time.DateOnly, string(d))
	return err == nil && (w.months>>on.Month()&1 == 1 || w.weekdays>>on.Weekday()&1 == 1 || w.number > 0 && (w.number == on.Day() || w.number == on.Year()))
}

// matches reports whether every word is in the title or the hall, or is said of the day or the time of
// the curtain. A performance after midnight has two days, of which one has to fit all words: that
// of the evening, and that of the calendar.
func (v *Evening) matches(e *figures.EventFigures, words []searchWord) bool {
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

// fold is text without case and accents: "Dvořák" and "DVORAK" are one.
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

// undivided are letters that are typed as others and that Unicode does not take apart.
var undivided = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ς': "σ", '’': "'", '‘': "'",
}
