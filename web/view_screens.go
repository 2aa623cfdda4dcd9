package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"housecount/aggregator/figures/evening"
	"housecount/web/words"
)

// Screens is what the page of screens shows.
type Screens struct {
	Now    time.Time // to which the others are compared, to the minute
	Thumbs bool      // pictures of what screens show are to be had at PicturePath
	List   []Screen
}

// Screen is one that hangs.
type Screen struct {
	ID, Name, Place string
	State           ScreenStanding
	Since           time.Time // of its State
	// Shows is what it shows, or showed last; nil where that is not known.
	Shows *Request
	// Identifies says that it says its name.
	Identifies bool
	// Programme is the name of its programme, empty for the automatic one.
	Programme string
	Language  Locale
	Access    Access
	Dark, Dim string // hours, as 23:30-08:00; empty for none
	// Kind, Size, Address and Fault are what is known of its device, as outside text; FaultAt is when
	// the device said so, and Version that of its page, which it had last.
	Kind, Size, Address, Fault string
	Version                    string
	FaultAt                    time.Time
	By                         string // who made it a screen
}

// ScreenStanding is how it is with a screen.
type ScreenStanding string

// The standings, in the order of the page.
const (
	ScreenSilent  ScreenStanding = "silent"  // it should be on, and is not
	ScreenNew     ScreenStanding = "new"     // no device is it yet
	ScreenOn      ScreenStanding = "on"      // it shows something
	ScreenBlank   ScreenStanding = "blank"   // it is on and shows nothing, as somebody wants it
	ScreenResting ScreenStanding = "resting" // it is off in its dark hours
	ScreenOff     ScreenStanding = "off"     // it is meant to be off
)

var standings = []ScreenStanding{ScreenSilent, ScreenNew, ScreenOn, ScreenBlank, ScreenResting, ScreenOff}

// ScreenAlert is of a screen that should be on and is not.
type ScreenAlert struct {
	ID, Name string
	Since    time.Time
}

// alert is the screen's alert among others.
func (s ScreenAlert) alert() evening.Alert {
	a := evening.Alert{Code: evening.AlertSilentScreen, Level: evening.Warn, Since: s.Since, AlertArgs: evening.AlertArgs{Screen: s.Name}}
	a.Key = a.Code + ":" + s.ID
	return a
}

// MostName is how long the name and the place of a screen may be, in characters.
const MostName = 60

// Label is a screen's name or place as somebody typed it: on one line, and of MostName characters
// at most.
func Label(typed string) string {
	text := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(typed, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " "))
	return string(text[:min(len(text), MostName)])
}

// fleetPage is every screen.
type fleetPage struct{}

// fleet is every screen, and what they say.
type fleet struct {
	Title    string
	Lede     sentence
	Messages []fleetMessage
	Rows     []fleetRow
}

type fleetMessage struct {
	ID, Text string
	Urgent   bool
	When     sentence
}

// fleetRow is one screen.
type fleetRow struct {
	ID, Name, Place string
	State           ScreenStanding
	Standing        string
	Shows, Setting  sentence
	Device, Fault   sentence
	Actions         []fleetAction
	Query           string // names the screen in an address
	Picture         string // the address of its picture; empty for none
	Tall            bool
}

type fleetAction struct{ Do, Text string }

// screens builds the page of screens.
func (b *builder) screens() (view, error) {
	s := b.source.(Screens)
	return view{title: b.Text("screens.title"), body: fleetPage{}.body, fragments: []fragment{{"fleet", b.fleet(s).html()}}}, nil
}

func (b *builder) fleet(s Screens) fleet {
	list := slices.Clone(s.List)
	slices.SortStableFunc(list, func(x, y Screen) int {
		return cmp.Or(slices.Index(standings, x.State)-slices.Index(standings, y.State), cmp.Compare(x.Name, y.Name))
	})
	alive := 0
	var silent []sentence
	f := fleet{}
	for _, screen := range list {
		switch screen.State {
		case ScreenOn, ScreenBlank:
			alive++
		case ScreenSilent:
			silent = append(silent, b.Say("screens.silent", words.Name("name", screen.Name), words.Text("when", b.moment(s.Now, screen.Since))))
		}
		f.Rows = append(f.Rows, b.fleetRow(s, screen))
	}
	f.Title, f.Lede = b.Text("screens.alive", words.Int("n", len(list)), words.Int("alive", alive)), words.Join(" ", silent...)
	switch {
	case len(list) == 0:
		f.Title, f.Lede = b.Text("screens.none"), b.Say("screens.none_text")
	case len(silent) == 0:
		f.Lede = b.Say("screens.well")
	}
	for _, m := range b.Messages("", b.now) {
		where := b.Say("screens.on_all")
		if len(m.Screens) > 0 {
			var names []string
			for _, screen := range list {
				if slices.Contains(m.Screens, screen.ID) {
					names = append(names, screen.Name)
				}
			}
			where = b.Say("screens.on_some", words.Part("names", b.Names(names)))
		}
		f.Messages = append(f.Messages, fleetMessage{ID: m.ID, Text: m.Text, Urgent: m.Urgent,
			When: words.Join(" · ", where, b.Say("screens.until", words.Text("time", b.Clock(m.Until, b.zone)), words.Name("by", m.By)))})
	}
	return f
}

func (b *builder) fleetRow(s Screens, one Screen) fleetRow {
	r := fleetRow{ID: "screen-" + one.ID, Name: one.Name, Place: one.Place, State: one.State, Query: "?" + url.Values{"screen": {one.ID}}.Encode(),
		Standing: b.Text("screens.state", words.Text("state", b.Code("screen_state", string(one.State))), words.Text("when", b.moment(s.Now, one.Since)))}
	switch {
	case one.Identifies:
		r.Shows = b.Say("screens.its_name")
	case one.State == ScreenBlank:
		r.Shows = b.Say("screens.nothing")
	case one.Shows != nil:
		r.Shows = sentence{{Text: b.Code("screen_view", one.Shows.Page)}}
		if hall := one.Shows.Params.values().Get("hall"); hall != "" {
			r.Shows = words.Join(", ", r.Shows, words.NameAlone(hall))
		}
	default:
		r.Shows = sentence{{Text: dash}}
	}
	programme := b.Say("screens.automatic")
	if one.Programme != "" {
		programme = words.NameAlone(one.Programme)
	}
	r.Setting = words.Join(" · ", programme, sentence{{Text: b.Code("language", string(one.Language))}}, b.mayShow(one.Access.String()))
	hours := func(key, of string) sentence {
		if from, to, found := strings.Cut(of, "-"); found {
			return b.Say(key, words.Text("from", from), words.Text("to", to))
		}
		return nil
	}
	var version sentence
	if one.Version != "" {
		version = b.Say("screens.version", words.Text("version", one.Version[:min(8, len(one.Version))]))
	}
	r.Device = words.Join(" · ", words.NameAlone(one.Size), words.NameAlone(one.Kind), version, words.NameAlone(one.Address), hours("screens.dark_hours", one.Dark), hours("screens.dim_hours", one.Dim))
	if one.Fault != "" {
		r.Fault = b.Say("screens.fault", words.Name("fault", one.Fault), words.Text("when", b.moment(s.Now, one.FaultAt)))
	}
	add := func(do string) { r.Actions = append(r.Actions, fleetAction{do, b.Code("screen_do", do)}) }
	switch one.State {
	case ScreenOn, ScreenBlank:
		add("identify")
		add("reload")
	}
	switch {
	case one.State == ScreenBlank:
		add("light")
	case one.State == ScreenOn:
		add("dark")
	}
	switch one.State {
	case ScreenOff:
		add("on")
	case ScreenSilent:
		add("off")
	case ScreenOn, ScreenBlank, ScreenResting:
		add("off")
	}
	width, height, ok := strings.Cut(one.Size, " × ")
	if ok {
		w, _ := strconv.Atoi(width)
		h, _ := strconv.Atoi(height)
		r.Tall = h > w
	}
	if s.Thumbs && one.Shows != nil && (one.State == ScreenOn || one.State == ScreenBlank) { // of one that is not heard nobody knows what it shows
		r.Picture = PicturePath + "?" + url.Values{"screen": {one.ID}, "at": {b.pictureOf(one)}}.Encode()
	}
	return r
}

// pictureOf names what a screen's picture shows, so that it is got again when that changes.
func (b *builder) pictureOf(one Screen) string {
	name := strconv.FormatInt(b.now.Unix()/60, 36) + one.Shows.Topic()
	if one.Identifies {
		name += " identify"
	}
	if all := b.Messages(one.ID, b.now); len(all) > 0 {
		name += " " + all[0].ID
	}
	return name
}
