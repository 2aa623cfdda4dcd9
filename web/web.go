// Package web is what a person sees: figures in, HTML fragments and chart options out.
// It owns the views, the words, the charts and the formats; it keeps no session and opens no
// socket. What a role may not see is not rendered.
//
// A reader meets the files in the order in which a page is made: the table (pages.go), what is
// asked for and by whom (request.go, params.go, access.go), what a page shows beside the figures
// (sources.go), its builder (builder.go), its view and template (view_*.go, page_*.templ), and what
// these are made of: parts and markup, then words, money and charts. The forms of administrators
// are in package admin, which imports this one.
//
// A page is one row of one table (pages.go). There is one rendering path: a builder turns
// figures into typed data once (view_*.go), each fragment is rendered once, and a page is the
// rendered fragments in their places inside a shell, a frame the same fragments without it.
// The templates (*.templ) are compiled to Go by make generate.
//
// A chart's element stands in the page and never in a fragment, so that a frame cannot
// take a drawn chart away; the words and the table beside it are fragments. A page has
// room for every chart that its view may come to have. A style hides those whose caption
// says that there is nothing to draw. In the same way Tonight deals its rows over a fixed
// number of fragments: a sale resends one of them and not the whole evening, and no
// fragment ever has to appear or go.
//
// What a page shows beside the figures comes from its source, which its row names: a function that
// whoever makes the Renderer hands to it (Sources), so that nothing here knows where it is kept. It
// is asked for each rendering, with the parameters of the request; what it gave is compared as the
// figures are, and the page wakes by its subject. A source of another kind is a type, a field of
// Sources and a row's source.
//
// Only the strip shows seconds, and a snapshot shares with the one before it what did not
// change. So it is known without rendering that a view still shows the same; a frame then
// costs its strip and its clock alone (see Renderer.Content). Where one performance has changed,
// Tonight renders its row and what sums it up (rows.go). Who loads a page that others look at is
// shown what was rendered for them (recent.go).
package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"housecount/aggregator/figures"
	"housecount/assets"
	"housecount/web/live"
	"housecount/web/words"
)

// Options configures a Renderer. Bundle is required.
type Options struct {
	Bundle *assets.Bundle
	// Venue is the name shown in the title; may be empty.
	Venue string
	// Sources are what pages show beside the figures. Without one, the pages that it is for are an
	// error.
	Sources Sources
}

// Renderer renders pages. It is safe for concurrent use.
type Renderer struct {
	shell   shell
	sources Sources
	recent  recent
}

// shell is what every page of a Renderer has in common.
type shell struct {
	Venue, Style, WallStyle, Font, WallFont, Script, Service, Version string
}

// New returns a Renderer.
func New(o Options) (*Renderer, error) {
	if o.Bundle == nil {
		return nil, errors.New("web: a Renderer needs a Bundle")
	}
	if err := words.Check(); err != nil {
		return nil, err
	}
	s := shell{Venue: o.Venue, Version: o.Bundle.Version()}
	for name, address := range map[string]*string{
		"app.css": &s.Style, "wall.css": &s.WallStyle, "inter-latin-opsz-normal.woff2": &s.Font, "inter-wall.woff2": &s.WallFont,
		"app.js": &s.Script, assets.Service: &s.Service,
	} {
		var err error
		if *address, err = o.Bundle.URL(name); err != nil {
			return nil, err
		}
	}
	return &Renderer{sources: o.Sources, shell: s}, nil
}

// Frame is what is to be rendered as a page, for whom and when.
type Frame struct {
	Request  Request
	Snapshot *figures.Snapshot
	Now      time.Time
	// Ready says that everything has been read, so that what the figures lack does not exist.
	Ready bool
	// Form is what somebody typed on the page of settings that could not be saved; nil where nothing was.
	Form *SettingsForm
	// User is the name of who is logged in.
	User string
	// Screen is the state of the screen that shows the page, which nobody can leave; nil where none
	// does.
	Screen *ScreenState
	// Picture says that the page is a picture of what it shows now: nothing in it runs.
	Picture bool
}

// document is what the shell shows.
type document struct {
	shell
	Title  string
	Name   string
	Wall   bool
	Screen bool
	// Explained says that figures lead to their explanations, which a panel shows.
	Explained bool
	Locale    Locale
	Nav       []link
	User      string
	Live      string
	Token     string
	// Zone and Now are the venue's zone and the time in milliseconds of the Unix epoch, for the
	// page's script.
	Zone string
	Now  int64
	// Topic is what a screen's page shows, State its ScreenState as JSON, and Dim says that it is dimmed.
	Topic, State string
	Dim          bool
	// Picture is the state of the screen of which the page is a picture; nil where it is none.
	Picture *ScreenState

	fragments map[string]string // rendered, by id
	charts    []chart
}

// font is the address of what most of the page is set in.
func (d *document) font() string {
	if d.Wall {
		return d.WallFont
	}
	return d.Font
}

// heading is the title in the browser's tab.
func (d *document) heading() string {
	if d.Venue == "" {
		return d.Title + " · housecount"
	}
	return d.Title + " · " + d.Venue + " · housecount"
}

// fragment is the rendered fragment, for its one place in the page.
func (d *document) fragment(id string) templ.Component {
	html, ok := d.fragments[id]
	if !ok {
		return templ.Raw("", fmt.Errorf("there is no fragment %q", id))
	}
	return rendered(html)
}

func (d *document) has(fragment string) bool {
	_, ok := d.fragments[fragment]
	return ok
}

// chart is the chart's element, for its one place in the page.
func (d *document) chart(id string) templ.Component {
	i := slices.IndexFunc(d.charts, func(c chart) bool { return c.ID == id })
	if i < 0 {
		return templ.Raw("", fmt.Errorf("there is no chart %q", id))
	}
	return d.charts[i].html()
}

// build builds what the request asks for.
func (b *builder) build() error {
	b.makeEvening()
	var err error
	if b.shows, err = PageNamed(b.Page).build(b); err != nil {
		return fmt.Errorf("web: page %s: %w", b.Page, err)
	}
	return nil
}

// Page writes a whole document. When rendering fails, nothing is written; ErrNotFound says
// that what the page is about does not exist.
func (r *Renderer) Page(w io.Writer, f Frame) error {
	q := f.Request
	if err := q.check(); err != nil {
		return err
	}
	if f.Ready && !q.Exists(f.Snapshot) {
		return ErrNotFound
	}
	content, err := r.Content(q, f.Snapshot, f.Now, r.recent.of(q))
	if err != nil {
		return err
	}
	token, fragments, b := content.Token(), content.HTML, content.Basis.(*builder)
	if PageNamed(q.Page).Still {
		b.form = f.Form
		if err := b.build(); err != nil {
			return err
		}
		if err := render(b.Words, b.shows.fragments, fragments); err != nil {
			return err
		}
	}
	d := &document{
		shell: r.shell, Title: b.shows.title, Name: q.Page, Wall: PageNamed(q.Page).Wall, Explained: PageNamed(q.Page).Explained, Screen: f.Screen != nil, Locale: q.Locale, Nav: q.nav(), User: f.User,
		Live: q.socket(), Token: token, Zone: b.zone.String(), Now: f.Now.UnixMilli(),
		fragments: fragments, charts: b.shows.charts,
	}
	if f.Screen != nil {
		d.Live, d.Nav, d.Topic, d.State, d.Dim = screenSocket, nil, q.Topic(), string(f.Screen.JSON()), f.Screen.Dim
	}
	if f.Picture {
		d.Script, d.Live, d.Picture = "", "", f.Screen
	}
	return d.write(w, b.shows.body(d))
}

// Content renders the fragments and charts of a view, of one that is still the strip and the
// clock. last is what the view showed before; it may be the zero Content. Where last was
// rendered from the same figures in the same minute, only the strip and the clock are rendered
// and the rest is taken from last. The view of an event that does not exist says so.
func (r *Renderer) Content(q Request, s *figures.Snapshot, now time.Time, last live.Content) (live.Content, error) {
	if err := q.check(); err != nil {
		return live.Content{}, err
	}
	b := newBuilder(q, s, now)
	b.recent = &r.recent
	bare := PageNamed(q.Page).Bare
	content := live.Content{
		HTML:  make(map[string]string, len(last.HTML)),
		Basis: b,
	}
	if err := b.readSource(r.sources); err != nil {
		return live.Content{}, err
	}
	before, ok := last.Basis.(*builder)
	switch {
	case PageNamed(q.Page).Still:
	case ok && b.sameFigures(before):
		b.shows, b.drawn = before.shows, before.drawn
		maps.Copy(content.HTML, last.HTML)
		content.Charts = last.Charts
	default:
		if ok && b.sameMoment(before) {
			b.before = before.drawn
		}
		if err := b.build(); err != nil {
			return live.Content{}, err
		}
		if err := render(b.Words, b.shows.fragments, content.HTML); err != nil {
			return live.Content{}, err
		}
		content.Charts = make(map[string]json.RawMessage, len(b.shows.charts))
		for _, c := range b.shows.charts {
			content.Charts[c.ID] = c.Option
		}
		b.forget()
	}
	edge := []fragment{{"clock", clockFace(b.Clock(b.now, b.zone)).html()}}
	if !bare {
		strip := b.strip(now)
		content.Same = map[string]string{"strip": strip.same()}
		edge = append(edge, fragment{"strip", strip.html()})
	}
	if PageNamed(q.Page).Wall {
		content.Body = func() (string, error) { return b.places(slices.Sorted(maps.Keys(content.HTML))) }
	}
	err := render(b.Words, edge, content.HTML)
	if err == nil && !PageNamed(q.Page).Still {
		r.recent.remember(q, b.now, content)
	}
	return content, err
}

// places is the view of a screen without its fragments, which belong where their ids stand.
func (b *builder) places(fragments []string) (string, error) {
	d := &document{Name: b.Page, Locale: b.Locale, Wall: true, Screen: true, fragments: make(map[string]string)}
	for _, id := range fragments {
		d.fragments[id] = `<div id="` + id + `"></div>`
	}
	html, err := toHTML(b.Words, b.shows.body(d))
	if err != nil {
		return "", fmt.Errorf("web: page %s: %w", b.Page, err)
	}
	return string(html), nil
}

// render puts the fragments into html, by their ids.
func render(w *words.Words, fragments []fragment, html map[string]string) error {
	for _, f := range fragments {
		text, err := toHTML(w, f.html)
		if err != nil {
			return fmt.Errorf("web: fragment %s: %w", f.id, err)
		}
		html[f.id] = string(text)
	}
	return nil
}

// Message is a page with one message: an error, or that somebody has signed out.
type Message struct {
	Locale      Locale // English when empty
	Title, Text string
	// User is who has signed in and Role what that is here, both shown when set; Needs is the
	// least role that may do what was asked for, and shown when set.
	User        string
	Role, Needs Role
	// RequestID is shown when set, for whoever asks for help.
	RequestID string
	// SignIn shows a link to the login.
	SignIn bool
	// Onward is an address elsewhere that a link leads on to; who sends the page may have it go
	// there by itself.
	Onward string
	// SignOut is the address at which one signs out of the sign-in service; a link leads there.
	SignOut string
	// Another shows a link to the login with another account.
	Another bool
	// Next is where a link leads, and NextText what it says; to Tonight where they are empty.
	Next, NextText string
	// Return is the path that the login leads back to; empty for the first page. The login
	// checks it.
	Return string
}

// who names who has signed in, and whom to ask for what is needed.
func (m Message) who(w *words.Words) sentence {
	user, role := words.Name("user", m.User), words.Text("role", w.Code("role", string(m.Role)))
	var s, needs sentence
	switch {
	case m.User != "" && m.Role != "":
		s = w.Say("message.signed_in_role", user, role)
	case m.User != "":
		s = w.Say("message.signed_in", user)
	case m.Role != "":
		s = w.Say("message.role", role)
	}
	if m.Needs != "" {
		needs = w.Say("message.needs", words.Text("role", w.Code("role", string(m.Needs))))
	}
	return words.Join(" ", s, needs)
}

// login is where its link to the login leads.
func (m Message) login() string {
	if m.Return == "" {
		return "/login"
	}
	return "/login?return=" + url.QueryEscape(m.Return)
}

// another is where its link to the login with another account leads.
func (m Message) another() string {
	q := url.Values{"another": {"1"}}
	if m.Return != "" {
		q.Set("return", m.Return)
	}
	return "/login?" + q.Encode()
}

// stranger says that nobody is addressed who has a page to go back to.
func (m Message) stranger() bool { return m.Another && m.Role == "" }

// Message writes a whole document with one message.
func (r *Renderer) Message(w io.Writer, m Message) error {
	d := &document{shell: r.shell, Title: m.Title, Name: "notice", Locale: cmp.Or(m.Locale, English)}
	return d.write(w, m.html())
}

// Question is a page that asks whether something is to be done that cannot be undone.
type Question struct {
	Locale      Locale
	User        string
	Title, Text string
	// Action is where the form goes that does it, with Fields, and Do what its button says.
	Action string
	Fields map[string]string
	Do     string
	Back   string // the path that leads back
}

// sorted are the fields, by name.
func (q Question) sorted() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range slices.Sorted(maps.Keys(q.Fields)) {
			if !yield(name, q.Fields[name]) {
				return
			}
		}
	}
}

// Question writes a whole document with a question.
func (r *Renderer) Question(w io.Writer, q Question) error {
	d := &document{shell: r.shell, Title: q.Title, Name: "question", Locale: q.Locale, User: q.User}
	return d.write(w, q.html())
}

// Form is a page of its own on which an administrator fills in a form. Package admin has them.
type Form struct {
	Locale Locale
	User   string // who is logged in
	Title  string
	Body   templ.Component
}

// Form writes a whole document with a form.
func (r *Renderer) Form(w io.Writer, f Form) error {
	d := &document{shell: r.shell, Title: f.Title, Name: "pair", Locale: f.Locale, User: f.User}
	return d.write(w, f.Body)
}

// write renders into a buffer first, so that a fault leaves no half page behind.
func (d *document) write(w io.Writer, body templ.Component) error {
	var b bytes.Buffer
	if err := d.html(body).Render(words.NewContext(context.Background(), words.Of(d.Locale)), &b); err != nil {
		return fmt.Errorf("web: page %s: %w", d.Name, err)
	}
	_, err := b.WriteTo(w)
	return err
}
