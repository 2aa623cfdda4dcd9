package admin

import (
	"io"
	"slices"
	"strconv"

	"housecount/aggregator/figures"
	"housecount/web"
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
