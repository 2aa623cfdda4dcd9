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

// stateOrder is the order of screens on the page, by state.
var stateOrder = []web.ScreenStatus{web.ScreenSilent, web.ScreenNew, web.ScreenOn, web.ScreenBlank, web.ScreenResting, web.ScreenOff}

// MaxNameLength is the longest name or place of a screen, in characters.
const MaxNameLength = 60

// CleanLabel returns a typed name or place on one line, cut off after MaxNameLength characters.
func CleanLabel(typed string) string {
	text := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(typed, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " "))
	return string(text[:min(len(text), MaxNameLength)])
}

// attention returns 1 for a screen whose credential another device has, and 0 for others.
func attention(s web.Screen) int {
	if s.Copied.IsZero() {
		return 0
	}
	return 1
}

type screensPage struct{}

// screenList is the list of screens, with the messages on them.
type screenList struct {
	Title    string
	Lede     words.Sentence
	Messages []screenMessage
	Rows     []screenRow
	Address  string // what a device opens to become a screen
	// DimFrom and DimTo are the hours at which all screens are dimmed; empty where they differ or there are none.
	DimFrom, DimTo string
}

type screenMessage struct {
	ID, Text string
	Urgent   bool
	When     words.Sentence
}

type screenRow struct {
	ID, Name, Place string
	State           web.ScreenStatus
	StateText       string
	Shows, Settings words.Sentence
	Device, Fault   words.Sentence
	Taken           words.Sentence // what to do about another device with its credential; empty without one
	Actions         []screenAction
	Query           string // selects the screen in links
	Picture         string // the path of its picture; empty means none
	Portrait        bool
	View            string // the page that it shows; empty if unknown
}

type screenAction struct{ Do, Text string }

// screens builds the page of screens.
func (b builder) screens() (web.View, error) {
	s := b.Source.(web.Screens)
	return web.View{Title: b.Text("screens.title"), Body: screensPage{}.body, Fragments: []web.Fragment{{ID: "fleet", HTML: b.screenList(s).html()}}}, nil
}

func (b builder) screenList(s web.Screens) screenList {
	list := slices.Clone(s.List)
	slices.SortStableFunc(list, func(x, y web.Screen) int {
		return cmp.Or(attention(y)-attention(x), slices.Index(stateOrder, x.State)-slices.Index(stateOrder, y.State), cmp.Compare(x.Name, y.Name))
	})
	connected := 0
	var wrong []words.Sentence // silent ones, and those whose credential another device has
	f := screenList{Address: s.Address}
	for _, screen := range list {
		switch screen.State {
		case web.ScreenOn, web.ScreenBlank:
			connected++
		case web.ScreenSilent:
			wrong = append(wrong, b.Say("screens.silent", words.Name("name", screen.Name), words.Text("when", b.dateTime(s.Now, screen.Since))))
		}
		if !screen.Copied.IsZero() {
			wrong = append(wrong, b.Say("screens.taken", words.Name("name", screen.Name), words.Text("when", b.dateTime(s.Now, screen.Copied))))
		}
		f.Rows = append(f.Rows, b.screenRow(s, screen))
	}
	f.Title, f.Lede = b.Text("screens.alive", words.Int("n", len(list)), words.Int("alive", connected)), words.Join(" ", wrong...)
	switch {
	case len(list) == 0:
		f.Title, f.Lede = b.Text("screens.none"), nil
	case !slices.ContainsFunc(list, func(s web.Screen) bool { return s.State != web.ScreenNew || !s.Copied.IsZero() }):
		f.Title, f.Lede = b.Text("screens.all_new", words.Int("n", len(list))), nil
	case len(wrong) == 0:
		f.Lede = b.quietScreens(list)
	}
	if len(list) > 0 && !slices.ContainsFunc(list, func(screen web.Screen) bool { return screen.Dim != list[0].Dim }) {
		f.DimFrom, f.DimTo, _ = strings.Cut(list[0].Dim, "-")
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
		f.Messages = append(f.Messages, screenMessage{ID: m.ID, Text: m.Text, Urgent: m.Urgent,
			When: words.Join(" · ", where, b.Say("screens.until", words.Text("time", b.Clock(m.Until, b.Zone)), words.Name("by", m.By)))})
	}
	return f
}

// quietScreens counts the screens that are not on, as they should be; nothing if all are on.
func (b builder) quietScreens(list []web.Screen) words.Sentence {
	of := map[web.ScreenStatus]int{}
	for _, screen := range list {
		of[screen.State]++
	}
	var all []words.Sentence
	for _, state := range []web.ScreenStatus{web.ScreenNew, web.ScreenResting, web.ScreenOff} {
		if of[state] > 0 {
			all = append(all, b.Say("screens.count", words.Int("n", of[state]), words.Text("state", b.Code("screen_count", string(state)))))
		}
	}
	return words.Join(" · ", all...)
}

func (b builder) screenRow(s web.Screens, screen web.Screen) screenRow {
	r := screenRow{ID: "screen-" + screen.ID, Name: screen.Name, Place: screen.Place, State: screen.State, Query: "?" + url.Values{"screen": {screen.ID}}.Encode(),
		StateText: b.Text("screens.state", words.Text("state", b.Code("screen_state", string(screen.State))), words.Text("when", b.dateTime(s.Now, screen.Since)))}
	switch {
	case screen.Identifying:
		r.Shows = b.Say("screens.its_name")
	case screen.State == web.ScreenBlank:
		r.Shows = b.Say("screens.nothing")
	case screen.Shows != nil:
		r.View = screen.Shows.Page
		r.Shows = words.Sentence{{Text: b.Code("screen_view", screen.Shows.Page)}}
		if hall := screen.Shows.Params.Values().Get("hall"); hall != "" {
			r.Shows = words.Join(", ", r.Shows, words.NameAlone(hall))
		}
	}
	programme := b.Say("screens.automatic")
	if screen.Programme != "" {
		programme = words.NameAlone(screen.Programme)
	}
	r.Settings = words.Join(" · ", programme, words.Sentence{{Text: b.Code("language", string(screen.Language))}}, b.accessWords(screen.Access.String()))
	if screen.UnusedMoney {
		r.Settings = words.Join(" · ", r.Settings, b.Say("screens.money_unused"))
	}
	hours := func(key, span string) words.Sentence {
		if from, to, found := strings.Cut(span, "-"); found {
			return b.Say(key, words.Text("from", from), words.Text("to", to))
		}
		return nil
	}
	var version words.Sentence
	if screen.Version != "" {
		version = b.Say("screens.version", words.Text("version", screen.Version[:min(8, len(screen.Version))]))
	}
	r.Device = words.Join(" · ", words.NameAlone(screen.Size), words.NameAlone(screen.Kind), version, words.NameAlone(screen.Address), hours("screens.dark_hours", screen.Dark), hours("screens.dim_hours", screen.Dim))
	if screen.Fault != "" {
		r.Fault = b.Say("screens.fault", words.Name("fault", b.faultText(screen.Fault)), words.Text("when", b.dateTime(s.Now, screen.FaultAt)))
	}
	if !screen.Copied.IsZero() {
		r.Taken = b.Say("screens.taken_do")
	}
	add := func(do string) { r.Actions = append(r.Actions, screenAction{do, b.Code("screen_do", do)}) }
	switch screen.State {
	case web.ScreenOn, web.ScreenBlank:
		add("identify")
		add("reload")
	}
	switch {
	case screen.State == web.ScreenBlank:
		add("light")
	case screen.State == web.ScreenOn:
		add("dark")
	}
	switch screen.State {
	case web.ScreenOff:
		add("on")
	case web.ScreenSilent:
		add("off")
	case web.ScreenOn, web.ScreenBlank, web.ScreenResting:
		add("off")
	}
	if !screen.Copied.IsZero() {
		add("known")
	}
	width, height, ok := strings.Cut(screen.Size, " × ")
	if ok {
		w, _ := strconv.Atoi(width)
		h, _ := strconv.Atoi(height)
		r.Portrait = h > w
	}
	if s.HasPictures && screen.Shows != nil && (screen.State == web.ScreenOn || screen.State == web.ScreenBlank) { // what a disconnected screen shows is unknown
		r.Picture = web.PicturePath + "?" + url.Values{"screen": {screen.ID}, "at": {b.pictureVersion(screen)}}.Encode()
	}
	return r
}

// pictureVersion returns a value that changes with the minute and with what the screen shows, so that browsers
// load the picture again.
func (b builder) pictureVersion(screen web.Screen) string {
	name := strconv.FormatInt(b.Now.Unix()/60, 36) + screen.Shows.Topic()
	if screen.Identifying {
		name += " identify"
	}
	if all := b.Messages(screen.ID, b.Now); len(all) > 0 {
		name += " " + all[0].ID
	}
	return name
}

// faultText returns what went wrong on a screen. What browsers report of a refusal is a name for programs.
func (b builder) faultText(fault string) string {
	switch {
	case strings.HasPrefix(fault, "wake lock: "):
		return b.Text("screens.fault_dark")
	case strings.Contains(fault, "NotAllowedError"):
		return b.Text("screens.fault_refused")
	}
	return fault
}
