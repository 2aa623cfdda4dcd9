package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"housecount/web"
	"housecount/web/words"
)

var standings = []web.ScreenStanding{web.ScreenSilent, web.ScreenNew, web.ScreenOn, web.ScreenBlank, web.ScreenResting, web.ScreenOff}

// MostName is how long the name and the place of a screen may be, in characters.
const MostName = 60

// Label returns a screen's name or place as somebody typed it: on one line, and of MostName characters
// at most.
func Label(typed string) string {
	text := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(typed, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " "))
	return string(text[:min(len(text), MostName)])
}

// fleetPage is every screen.
type fleetPage struct{}

// fleet is every screen, and the messages to screens.
type fleet struct {
	Title    string
	Lede     words.Sentence
	Messages []fleetMessage
	Rows     []fleetRow
}

type fleetMessage struct {
	ID, Text string
	Urgent   bool
	When     words.Sentence
}

// fleetRow is one screen.
type fleetRow struct {
	ID, Name, Place string
	State           web.ScreenStanding
	Standing        string
	Shows, Setting  words.Sentence
	Device, Fault   words.Sentence
	Actions         []fleetAction
	Query           string // names the screen in an address
	Picture         string // the address of its picture; empty for none
	Tall            bool
}

type fleetAction struct{ Do, Text string }

// screens builds the page of screens.
func (b builder) screens() (web.View, error) {
	s := b.Source.(web.Screens)
	return web.View{Title: b.Text("screens.title"), Body: fleetPage{}.body, Fragments: []web.Fragment{{ID: "fleet", HTML: b.fleet(s).html()}}}, nil
}

func (b builder) fleet(s web.Screens) fleet {
	list := slices.Clone(s.List)
	slices.SortStableFunc(list, func(x, y web.Screen) int {
		return cmp.Or(slices.Index(standings, x.State)-slices.Index(standings, y.State), cmp.Compare(x.Name, y.Name))
	})
	alive := 0
	var silent []words.Sentence
	f := fleet{}
	for _, screen := range list {
		switch screen.State {
		case web.ScreenOn, web.ScreenBlank:
			alive++
		case web.ScreenSilent:
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
	for _, m := range b.Messages("", b.Now) {
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
			When: words.Join(" · ", where, b.Say("screens.until", words.Text("time", b.Clock(m.Until, b.Zone)), words.Name("by", m.By)))})
	}
	return f
}

func (b builder) fleetRow(s web.Screens, one web.Screen) fleetRow {
	r := fleetRow{ID: "screen-" + one.ID, Name: one.Name, Place: one.Place, State: one.State, Query: "?" + url.Values{"screen": {one.ID}}.Encode(),
		Standing: b.Text("screens.state", words.Text("state", b.Code("screen_state", string(one.State))), words.Text("when", b.moment(s.Now, one.Since)))}
	switch {
	case one.Identifies:
		r.Shows = b.Say("screens.its_name")
	case one.State == web.ScreenBlank:
		r.Shows = b.Say("screens.nothing")
	case one.Shows != nil:
		r.Shows = words.Sentence{{Text: b.Code("screen_view", one.Shows.Page)}}
		if hall := one.Shows.Params.Values().Get("hall"); hall != "" {
			r.Shows = words.Join(", ", r.Shows, words.NameAlone(hall))
		}
	default:
		r.Shows = words.Sentence{{Text: words.Dash}}
	}
	programme := b.Say("screens.automatic")
	if one.Programme != "" {
		programme = words.NameAlone(one.Programme)
	}
	r.Setting = words.Join(" · ", programme, words.Sentence{{Text: b.Code("language", string(one.Language))}}, b.mayShow(one.Access.String()))
	hours := func(key, of string) words.Sentence {
		if from, to, found := strings.Cut(of, "-"); found {
			return b.Say(key, words.Text("from", from), words.Text("to", to))
		}
		return nil
	}
	var version words.Sentence
	if one.Version != "" {
		version = b.Say("screens.version", words.Text("version", one.Version[:min(8, len(one.Version))]))
	}
	r.Device = words.Join(" · ", words.NameAlone(one.Size), words.NameAlone(one.Kind), version, words.NameAlone(one.Address), hours("screens.dark_hours", one.Dark), hours("screens.dim_hours", one.Dim))
	if one.Fault != "" {
		r.Fault = b.Say("screens.fault", words.Name("fault", one.Fault), words.Text("when", b.moment(s.Now, one.FaultAt)))
	}
	add := func(do string) { r.Actions = append(r.Actions, fleetAction{do, b.Code("screen_do", do)}) }
	switch one.State {
	case web.ScreenOn, web.ScreenBlank:
		add("identify")
		add("reload")
	}
	switch {
	case one.State == web.ScreenBlank:
		add("light")
	case one.State == web.ScreenOn:
		add("dark")
	}
	switch one.State {
	case web.ScreenOff:
		add("on")
	case web.ScreenSilent:
		add("off")
	case web.ScreenOn, web.ScreenBlank, web.ScreenResting:
		add("off")
	}
	width, height, ok := strings.Cut(one.Size, " × ")
	if ok {
		w, _ := strconv.Atoi(width)
		h, _ := strconv.Atoi(height)
		r.Tall = h > w
	}
	if s.Thumbs && one.Shows != nil && (one.State == web.ScreenOn || one.State == web.ScreenBlank) { // of one that is not heard nobody knows what it shows
		r.Picture = web.PicturePath + "?" + url.Values{"screen": {one.ID}, "at": {b.pictureOf(one)}}.Encode()
	}
	return r
}

// pictureOf names what a screen's picture shows, so that it is got again when that changes.
func (b builder) pictureOf(one web.Screen) string {
	name := strconv.FormatInt(b.Now.Unix()/60, 36) + one.Shows.Topic()
	if one.Identifies {
		name += " identify"
	}
	if all := b.Messages(one.ID, b.Now); len(all) > 0 {
		name += " " + all[0].ID
	}
	return name
}
