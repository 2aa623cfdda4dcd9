package admin

import (
	"errors"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/programme"
	"housecount/web/words"
)

// ScreenSettings are the fields of a screen that are asked for both at pairing and later.
type ScreenSettings struct {
	Name, Place   string
	Halls         []string // limits it to the performances of these halls; empty means all
	Programme     string   // an id; empty means the automatic programme
	Programmes    []web.Choice
	Language      web.Locale
	Office, Money bool // Office shows counts; Money also shows today's takings
	UnusedMoney   bool // no view of the programme shows the money that it may
	// Wrong lists the faults of a submitted form, as codes of the family screen_wrong.
	Wrong []string
}

// ScreenForm is the page on which an administrator edits a screen.
type ScreenForm struct {
	Locale web.Locale
	User   string

	ID string
	ScreenSettings
	Margin           string // as typed
	DarkFrom, DarkTo string
	DimFrom, DimTo   string

	Snapshot *figures.Snapshot
}

// Write writes the page as a document.
func (f ScreenForm) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: f.Locale, User: f.User, Title: words.Of(f.Locale).Text("screens.edit_title", words.Name("name", f.Name)), Body: f.html()})
}

// MessageForm is the page on which an administrator writes to screens.
type MessageForm struct {
	Locale web.Locale
	User   string

	Text   string
	Urgent bool
	// For is how long the message is shown: one of MessageMinutes, MessageLastEnd or MessageUntil. Until is
	// the time of day for MessageUntil.
	For, Until string
	LastEnd    string // time at which the day's last performance ends; empty if there is none or it has ended
	Screens    []web.Choice
	Wrong      []string // as in ScreenSettings
}

// MessageMinutes are the choices of MessageForm.For in minutes.
var MessageMinutes = []string{"10", "20", "30", "60"}

// The other choices of MessageForm.For.
const (
	MessageLastEnd = "last_end" // until the day's last performance ends
	MessageUntil   = "until"    // until the time of day in MessageForm.Until
)

func (f MessageForm) durationChoices(w *words.Words) []web.Choice {
	var all []web.Choice
	add := func(id, text string) { all = append(all, web.Choice{ID: id, Name: text, Chosen: id == f.For}) }
	for _, minutes := range MessageMinutes {
		n, _ := strconv.Atoi(minutes) // always a number
		add(minutes, w.Text("screens.message_for", words.Int("n", n)))
	}
	if f.LastEnd != "" {
		add(MessageLastEnd, w.Text("screens.message_last_end", words.Text("time", f.LastEnd)))
	}
	add(MessageUntil, w.Text("screens.message_at"))
	return all
}

// MaxMessageLength is the longest message, in characters.
const MaxMessageLength = 160

// Write writes the page as a document.
func (f MessageForm) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: f.Locale, User: f.User, Title: words.Of(f.Locale).Text("screens.message_title"), Body: f.html()})
}

// hallChoices returns the halls, followed by chosen halls that no longer exist.
func hallChoices(s *figures.Snapshot, chosen ...string) []web.Choice {
	names := web.HallsOf(s)
	for _, hall := range chosen {
		if hall != "" && !slices.Contains(names, hall) {
			names = append(names, hall)
		}
	}
	all := make([]web.Choice, len(names))
	for i, name := range names {
		all[i] = web.Choice{ID: name, Name: name, Chosen: slices.Contains(chosen, name)}
	}
	return all
}

func languageChoices(w *words.Words, chosen web.Locale) []web.Choice {
	var all []web.Choice
	for _, l := range words.Locales {
		all = append(all, web.Choice{ID: string(l), Name: w.Code("language", string(l)), Chosen: l == chosen})
	}
	return all
}

// ReadScreenSettings returns the settings of a screen that were sent with a form, and the access that they give. Money is shown only on
// screens for staff, and only for the whole house.
func ReadScreenSettings(form url.Values) (ScreenSettings, web.Access) {
	f := ScreenSettings{Name: CleanLabel(form.Get("name")), Place: CleanLabel(form.Get("place")), Programme: form.Get("programme"),
		Language: web.Locale(form.Get("language")), Office: form.Get("shows") == "office", Money: form.Get("money") == "today"} // by default it is public and without money
	for _, hall := range form["hall"] {
		if hall != "" {
			f.Halls = append(f.Halls, hall)
		}
	}
	access := web.Access{Money: web.NoMoney, Public: !f.Office}
	if f.Money {
		access.Money = web.TodaysMoney
	}
	if len(f.Halls) > 0 {
		access = access.InHalls(f.Halls...)
	}
	for _, fault := range []struct {
		code string
		is   bool
	}{{"name", f.Name == ""}, {"public_money", f.Money && !f.Office}, {"hall_money", f.Money && len(f.Halls) > 0}} {
		if fault.is {
			f.Wrong = append(f.Wrong, fault.code)
		}
	}
	return f, access
}

// HoursOf returns the hours between two times of day; none if both are empty.
func HoursOf(from, to string) programme.Hours {
	if from == "" && to == "" {
		return ""
	}
	return programme.Hours(from + "-" + to)
}

func zoneOf(s *figures.Snapshot) *time.Location {
	if z := s.Calendar.Zone; z != nil {
		return z
	}
	return time.UTC
}

// OfferLastEnd offers to show the message until the last performance has ended, unless it has at now.
func (f *MessageForm) OfferLastEnd(s *figures.Snapshot, now time.Time) {
	if end := evening.At(s, now).LastEnd(); end.After(now) {
		f.LastEnd = end.In(zoneOf(s)).Format("15:04")
	}
}

// End returns until when the message is shown, given the figures and the time at which it is sent. An error means that
// no such time was chosen.
func (f MessageForm) End(s *figures.Snapshot, now time.Time) (time.Time, error) {
	switch f.For {
	case MessageUntil:
		return nextTime(f.Until, now.In(zoneOf(s)))
	case MessageLastEnd:
		if end := evening.At(s, now).LastEnd(); end.After(now) {
			return end, nil
		}
		return time.Time{}, errors.New("the last performance has ended")
	}
	if !slices.Contains(MessageMinutes, f.For) {
		return time.Time{}, errors.New("no such time")
	}
	minutes, err := strconv.Atoi(f.For)
	return now.Add(time.Duration(minutes) * time.Minute), err
}

// nextTime returns the next moment with a clock time such as 20:40, not before the next minute.
func nextTime(text string, now time.Time) (time.Time, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return time.Time{}, err
	}
	next := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !next.After(now) {
		next = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, now.Location())
	}
	return next, nil
}

// OneLine returns a typed text on one line.
func OneLine(typed string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(typed, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}
