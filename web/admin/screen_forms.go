package admin

import (
	"io"
	"slices"
	"strconv"

	"housecount/aggregator/figures"
	"housecount/web"
	"housecount/web/words"
)

// ScreenSettings are the settings of a screen that an administrator enters, when it is paired and later.
type ScreenSettings struct {
	Name, Place   string
	Halls         []string // of which it may show the performances; all without any
	Programme     string   // an id; empty for the automatic one
	Programmes    []web.Choice
	Language      web.Locale
	Office, Money bool // it shows counts; it also shows today's takings
	// Wrong are the codes of what has to be looked at again: screen_wrong.CODE.
	Wrong []string
}

// ScreenForm is the page on which an administrator names a screen and chooses what it shows.
type ScreenForm struct {
	Locale web.Locale
	User   string

	ID string
	ScreenSettings
	Margin           string
	DarkFrom, DarkTo string
	DimFrom, DimTo   string

	Snapshot *figures.Snapshot
}

// Write writes a whole document.
func (f ScreenForm) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: f.Locale, User: f.User, Title: words.Of(f.Locale).Text("screens.edit_title", words.Name("name", f.Name)), Body: f.html()})
}

// MessageForm is the page on which an administrator writes to screens.
type MessageForm struct {
	Locale web.Locale
	User   string

	Text   string
	Urgent bool
	// For is how long it is said: one of MessageMinutes, MessageLastEnd, or MessageUntil for until the
	// time of day in Until.
	For, Until string
	LastEnd    string // when the last performance of the day ends; empty for a day without one to come
	Screens    []web.Choice
	Wrong      []string // as a ScreenForm's
}

// MessageMinutes are the minutes for which a message may be said; see MessageForm.For.
var MessageMinutes = []string{"10", "20", "30", "60"}

const (
	MessageLastEnd = "last_end"
	MessageUntil   = "until"
)

// lengths returns the choices of For.
func (f MessageForm) lengths(w *words.Words) []web.Choice {
	var all []web.Choice
	add := func(id, text string) { all = append(all, web.Choice{ID: id, Name: text, Chosen: id == f.For}) }
	for _, minutes := range MessageMinutes {
		n, _ := strconv.Atoi(minutes) // they are numbers
		add(minutes, w.Text("screens.message_for", words.Int("n", n)))
	}
	if f.LastEnd != "" {
		add(MessageLastEnd, w.Text("screens.message_last_end", words.Text("time", f.LastEnd)))
	}
	add(MessageUntil, w.Text("screens.message_at"))
	return all
}

// MostMessage is how long a message may be, in characters.
const MostMessage = 160

// Write writes a whole document.
func (f MessageForm) Write(w io.Writer, r *web.Renderer) error {
	return r.Form(w, web.Form{Locale: f.Locale, User: f.User, Title: words.Of(f.Locale).Text("screens.message_title"), Body: f.html()})
}

// hallChoices returns the halls, and those that were chosen although they are none any more.
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

func languageChoices(w *words.Words, of web.Locale) []web.Choice {
	var all []web.Choice
	for _, l := range words.Locales {
		all = append(all, web.Choice{ID: string(l), Name: w.Code("language", string(l)), Chosen: l == of})
	}
	return all
}
