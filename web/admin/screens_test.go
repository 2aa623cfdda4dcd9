package admin_test

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/programme"
	"housecount/web/wall"
	"housecount/web/webtest"
	"housecount/web/words"
)

// hanging are screens of which everything is to be said that the page of screens can say.
func hanging() (web.Screens, error) {
	now := webtest.ShowTime.Truncate(time.Minute)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	board, err := web.NewRequest("board", nil, web.Access{Money: web.NoMoney, Public: true}, words.Dutch)
	if err != nil {
		return web.Screens{}, err
	}
	hall, err := web.NewRequest("arrivals", map[string][]string{"hall": {"Foyer"}}, web.Access{Money: web.TodaysMoney}.InHalls("Foyer"), words.German)
	if err != nil {
		return web.Screens{}, err
	}
	return web.Screens{Now: now, HasPictures: true, List: []web.Screen{
		{ID: "1", Name: "Bar", Place: "Foyer", State: web.ScreenOn, Since: ago(time.Hour), Shows: &board, Language: words.Dutch, Access: board.Access, Size: "1080 × 1920", Kind: "Tizen", Address: "192.0.2.41", Dim: "22:00-23:30", Version: "0123456789abcdef"},
		{ID: "2", Name: "Zaal", State: web.ScreenSilent, Since: ago(30 * time.Hour), Shows: &hall, Language: words.German, Access: hall.Access, Programme: "Kassa", Dark: "23:30-08:00", Fault: "nameless", FaultAt: ago(40 * time.Hour)},
		{ID: "3", Name: "Kassa", State: web.ScreenNew, Since: ago(time.Minute), Language: words.English, Access: web.Access{Money: web.NoMoney}},
		{ID: "4", Name: "Kassa", State: web.ScreenBlank, Since: ago(time.Minute), Shows: &hall, Language: words.English, Access: web.Access{Money: web.NoMoney}},
		{ID: "5", Name: "Kassa", State: web.ScreenResting, Since: ago(time.Minute), Language: words.English, Access: web.Access{Money: web.NoMoney}},
		{ID: "6", Name: "Kassa", State: web.ScreenOff, Since: ago(time.Minute), Language: words.English, Access: web.Access{Money: web.NoMoney}},
		{ID: "7", Name: "Bar", State: web.ScreenOn, Since: ago(time.Minute), Shows: &board, Identifying: true, Language: words.English, Access: web.Access{Money: web.NoMoney}},
	}}, nil
}

// The page of screens in every language: read these when words change.
func TestScreensPage(t *testing.T) {
	h := webtest.Small(t)
	h.Apply(&record.ScreenMessage{ID: "m", Text: "nameless", Urgent: true, Until: webtest.ShowTime.Add(time.Hour), At: webtest.ShowTime, By: "Fatima", Screens: []string{"1", "2"}})
	h.Apply(&record.ScreenMessage{ID: "n", Text: "nameless", Until: webtest.ShowTime.Add(time.Hour), At: webtest.ShowTime, By: "Fatima"})
	r, s := webtest.RendererWith(t, web.Sources{Screens: hanging}), h.Snapshot()
	q := webtest.View{Page: "screens"}.As(web.Admin)
	webtest.LookForWords(t)("the page of screens", webtest.Page(t, r, webtest.In(words.Pseudo, q), s, webtest.ShowTime))
	webtest.LookForWords(t)("that of none", webtest.Page(t, webtest.RendererWith(t, web.Sources{Screens: func() (web.Screens, error) { return web.Screens{Now: webtest.ShowTime}, nil }}), webtest.In(words.Pseudo, q), s, webtest.ShowTime))
	// What a screen shows that nobody hears of nobody knows; of the others a picture is got again when they say something.
	src := regexp.MustCompile(`<iframe src="([^"]*)"`)
	pictures := src.FindAllStringSubmatch(webtest.Page(t, r, webtest.In(words.English, q), s, webtest.ShowTime), -1)
	quiet := src.FindAllStringSubmatch(webtest.Page(t, r, webtest.In(words.English, q), webtest.Small(t).Snapshot(), webtest.ShowTime), -1)
	if len(pictures) != 3 || len(quiet) != 3 || strings.Contains(fmt.Sprint(pictures), "screen=2") || pictures[0][1] == quiet[0][1] || !strings.Contains(pictures[1][1], "identify") {
		t.Errorf("the pictures are %v, and without messages %v", pictures, quiet)
	}
	for _, l := range words.Locales {
		got := webtest.ReadLines(webtest.ReadTexts(t, webtest.Page(t, r, webtest.In(l, q), s, webtest.ShowTime)))
		webtest.Golden(t, "screens-"+string(l), got)
	}
}

// Whatever a person reads on the forms of screens is in the catalogue or comes from outside.
func TestFormsOfScreensAreInTheCatalogue(t *testing.T) {
	r, look, s := webtest.Renderer(t), webtest.LookForWords(t), webtest.Eventful(t).Snapshot()
	wrong := []string{"unreadable", "name", "views", "changed", "dark", "margin", "access", "public_money", "hall_money", "text", "long", "until"}
	p := programme.Automatic()
	p.Views = append(p.Views, programme.View{Page: "message", Text: "Bar", Hall: "Foyer", Seconds: 10, When: programme.Condition{Hall: "Grote Zaal", Days: []int{1, 6}, From: programme.FirstDoors, To: "23:30", FewLeft: true, Alert: true}},
		programme.View{Page: "takings", Seconds: 10, When: programme.Condition{From: programme.LastEnd}})
	for name, write := range map[string]func(io.Writer) error{
		"settings": func(w io.Writer) error {
			return admin.ScreenForm{Locale: words.Pseudo, User: "Fatima", ID: "1", ScreenSettings: admin.ScreenSettings{Name: "Bar", Programmes: []web.Choice{{ID: "1", Name: "Kassa"}}, Wrong: wrong}, Snapshot: s}.Write(w, r)
		},
		"message": func(w io.Writer) error {
			return admin.MessageForm{Locale: words.Pseudo, User: "Fatima", LastEnd: "23:10", Screens: []web.Choice{{ID: "1", Name: "Bar"}}, Wrong: wrong}.Write(w, r)
		},
		"programme": func(w io.Writer) error {
			return admin.ProgrammeForm{Locale: words.Pseudo, User: "Fatima", ID: "1", Name: "Kassa", Views: p.Views, Pages: wall.ScreenPages(), Programmes: []web.Choice{{ID: "1", Name: "Kassa", Chosen: true}},
				Screens: []admin.ProgrammeScreen{{Name: "Bar", Access: web.Access{Money: web.NoMoney, Public: true}, Dark: "23:30-08:00", Programmes: []programme.Programme{{Views: p.Views[:1]}, p}},
					{Name: "Zaal", Access: web.Access{Money: web.TodaysMoney}.InHalls("Foyer"), Blank: true, Programmes: []programme.Programme{p}}}, Wrong: wrong, WrongView: 1, Snapshot: s, Now: webtest.ShowTime}.Write(w, r)
		},
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		look(name, b.String())
	}
}

// A view of one performance is of one of the next, or of the one that it is of already.
func TestProgrammeOffersPerformances(t *testing.T) {
	h := webtest.NewHouse()
	h.Event("evt_late", "Laat", "Foyer", "21:00", "22:00", 10)
	h.Event("evt_past", "Voorbij", "Foyer", "19:00", "20:00", 10, webtest.OnDay(-3))
	h.Event("evt_next", "Morgen", "Foyer", "19:00", "20:00", 10, webtest.OnDay(1))
	h.Event("evt_off", "Afgelast", "Foyer", "19:00", "20:00", 10, func(e *record.Event) { e.Status = record.EventCancelled })
	h.Event("evt_soon", "Vroeg", "Foyer", "19:00", "20:00", 10)
	for of, want := range map[string]string{
		"":         "None Fri 20 Nov 20:00 · Vroeg Fri 20 Nov 22:00 · Laat Sat 21 Nov 20:00 · Morgen",
		"evt_past": "None Fri 20 Nov 20:00 · Vroeg Fri 20 Nov 22:00 · Laat Sat 21 Nov 20:00 · Morgen Tue 17 Nov 20:00 · Voorbij",
		"evt_gone": "None Fri 20 Nov 20:00 · Vroeg Fri 20 Nov 22:00 · Laat Sat 21 Nov 20:00 · Morgen evt_gone",
	} {
		var b bytes.Buffer
		f := admin.ProgrammeForm{Locale: words.English, Views: []programme.View{{Page: web.PerformancePage, Event: of, Seconds: 9}}, Pages: wall.ScreenPages(), Snapshot: h.Snapshot(), Now: webtest.ShowTime}
		if err := f.Write(&b, webtest.Renderer(t)); err != nil {
			t.Fatal(err)
		}
		_, options, _ := strings.Cut(b.String(), `name="event.0">`)
		options, _, _ = strings.Cut(options, "</select>")
		if got := webtest.Text(strings.ReplaceAll(options, "</option>", " ")); got != want {
			t.Errorf("of %q: %q, want %q", of, got, want)
		}
		if chosen := `value="` + of + `" selected`; of != "" && !strings.Contains(options, chosen) {
			t.Errorf("%s is not chosen", of)
		}
	}
}

// A text that was written for another view stays in the form, and is not said of this one.
func TestProgrammeSaysWhatAViewSays(t *testing.T) {
	for page, want := range map[string]string{"board": "always · 9 s", "message": "always · The bar is open · 9 s"} {
		var b bytes.Buffer
		f := admin.ProgrammeForm{Locale: words.English, Views: []programme.View{{Page: page, Text: "The bar is open", Seconds: 9}}, Pages: wall.ScreenPages(), Snapshot: webtest.NewHouse().Snapshot(), Now: webtest.ShowTime}
		if err := f.Write(&b, webtest.Renderer(t)); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(webtest.Text(got), want) || !strings.Contains(got, `value="The bar is open"`) {
			t.Errorf("%s: no %q in %s", page, want, webtest.Text(got))
		}
	}
}

// The form of a programme says what those of its screens leave out that may not show all of it.
func TestProgrammeSaysWhatIsLeftOut(t *testing.T) {
	for want, views := range map[string][]programme.View{
		"Public screens leave out: Arrivals and Wall.Screens of more than one hall leave out: Arrivals.":       programme.Automatic().Views,
		"Public screens leave out: Today's takings.Screens that may show no money leave out: Today's takings.": {{Page: "takings", Seconds: 9}, {Page: "board", Seconds: 9}},
	} {
		var b bytes.Buffer
		if err := (admin.ProgrammeForm{Locale: words.English, Views: views, Pages: wall.ScreenPages(), Snapshot: webtest.NewHouse().Snapshot(), Now: webtest.ShowTime}).Write(&b, webtest.Renderer(t)); err != nil {
			t.Fatal(err)
		}
		webtest.Wants(t, "the form", webtest.Text(b.String()), want)
	}
	var b bytes.Buffer
	if err := (admin.ProgrammeForm{Locale: words.English, Views: []programme.View{{Page: "board", Seconds: 9}, {Page: "arrivals", Hall: "Foyer", Seconds: 9}}, Pages: wall.ScreenPages(), Snapshot: webtest.NewHouse().Snapshot(), Now: webtest.ShowTime}).Write(&b, webtest.Renderer(t)); err != nil {
		t.Fatal(err)
	}
	webtest.Lacks(t, "the form", strings.Replace(webtest.Text(b.String()), "Public screens leave out: Arrivals.", "", 1), "leave out")
}

// Of the day of a programme each turn is as wide as its seconds, and each part as high as it is long, within limits.
func TestProgrammeDrawsTurns(t *testing.T) {
	var b bytes.Buffer
	views := []programme.View{{Page: "board", Seconds: 40, When: programme.Condition{From: "12:00"}}, {Page: "week", Seconds: 20, When: programme.Condition{From: "12:00", To: "14:00"}}}
	if err := (admin.ProgrammeForm{Locale: words.English, Views: views, Pages: wall.ScreenPages(), Snapshot: webtest.NewHouse().Snapshot(), Now: webtest.ShowTime}).Write(&b, webtest.Renderer(t)); err != nil {
		t.Fatal(err)
	}
	webtest.Wants(t, "the day", b.String(), `height="40" aria-hidden="true"><rect x="0" width="47" height="100%"></rect><rect x="48" width="23" height="100%"></rect></svg>`,
		`height="120" aria-hidden="true"><rect x="0" width="71" height="100%"></rect></svg>`)
}

// A picture of a screen has what the screen says over what it shows, and nothing that runs.
func TestPictureOfAScreen(t *testing.T) {
	q, err := web.NewRequest("board", nil, web.Access{Money: web.NoMoney, Public: true}, words.English)
	if err != nil {
		t.Fatal(err)
	}
	state := web.ScreenState{Dim: true, Identify: "Bar <b>", Messages: []web.MessageState{{Text: "Late <entry>", Urgent: true}}}
	var b bytes.Buffer
	if err := webtest.Renderer(t).Page(&b, web.Frame{Request: q, Snapshot: webtest.Small(t).Snapshot(), Now: webtest.ShowTime, Screen: &state, Picture: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`class="board wall dim"`, `<p id="said" class="urgent"><bdi>Late &lt;entry&gt;`, `<p id="identify"><bdi>Bar &lt;b&gt;`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in %s", want, b.String())
		}
	}
	webtest.Lacks(t, "the picture", b.String(), "<script", "data-live")
}

// The address that a device opens is on the page, also while there is no screen; a screen of which there is no picture
// has a sketch of what it shows, unless it shows nothing.
func TestScreensSayTheirAddress(t *testing.T) {
	q, s := webtest.View{Page: "screens"}.As(web.Admin), webtest.Small(t).Snapshot()
	shown := func(list ...web.Screen) string {
		r := webtest.RendererWith(t, web.Sources{Screens: func() (web.Screens, error) {
			return web.Screens{Now: webtest.ShowTime, HasPictures: true, Address: "https://house.example/screen", List: list}, nil
		}})
		return webtest.Page(t, r, q, s, webtest.ShowTime)
	}
	const address, sketch = `readonly value="https://house.example/screen"`, `class="sketch"`
	webtest.Wants(t, "no screens", shown(), address, "No screens yet")
	webtest.Lacks(t, "no screens", shown(), web.DimAllPath)
	access := web.Access{Money: web.NoMoney}
	one := func(state web.ScreenStatus) web.Screen {
		return web.Screen{ID: "1", Name: "Bar", State: state, Since: webtest.ShowTime, Language: words.English, Access: access, Dim: "22:00-07:00"}
	}
	webtest.Wants(t, "a screen", shown(one(web.ScreenResting)), address, web.DimAllPath, `name="dim_from" value="22:00"`)
	for state, want := range map[web.ScreenStatus]int{web.ScreenNew: 2, web.ScreenResting: 2, web.ScreenOff: 2, web.ScreenBlank: 1, web.ScreenSilent: 1} { // one is beside the address
		if n := strings.Count(shown(one(state)), sketch); n != want {
			t.Errorf("%s: %d sketches, want %d", state, n, want)
		}
	}
	other := one(web.ScreenOff)
	other.ID, other.Dim = "2", ""
	webtest.Lacks(t, "different hours", shown(one(web.ScreenOff), other), `value="22:00"`)
}

// Screens that no device has opened yet are named so; what they show is left empty.
func TestScreensNotOpenedYet(t *testing.T) {
	page := func(n int, state web.ScreenStatus) string {
		given := web.Screens{Now: webtest.ShowTime}
		for i := range n {
			given.List = append(given.List, web.Screen{ID: string(rune('1' + i)), Name: "Kassa", State: state, Since: webtest.ShowTime, Language: words.English, Access: web.Access{Money: web.NoMoney}})
		}
		r := webtest.RendererWith(t, web.Sources{Screens: func() (web.Screens, error) { return given, nil }})
		return webtest.Text(webtest.Page(t, r, webtest.View{Page: "screens"}.As(web.Admin), webtest.Small(t).Snapshot(), webtest.ShowTime))
	}
	webtest.Wants(t, "two new ones", page(2, web.ScreenNew), "2 screens, none opened yet")
	webtest.Wants(t, "a new one", page(1, web.ScreenNew), "1 screen, not opened yet")
	webtest.Lacks(t, "two new ones", page(2, web.ScreenNew), words.Dash, "0 on")
	webtest.Wants(t, "two that are off", page(2, web.ScreenOff), "2 screens, 0 on")
}
