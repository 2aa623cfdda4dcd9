// Package web renders pages: figures in, HTML fragments and chart options out. It has the table of pages, what all pages are made
// of, and the page Tonight; it stores no session and opens no socket. What a role may not see is not rendered.
//
// The other pages are packages that import this one and add their rows to the table: event, events, calendar, night, money
// (Revenue, Marketing and Reconcile), explain (what is behind a figure and what changed), wall (what screens show) and admin.
// Packages setup and manual have documents of their own. Below are words, charts, programme and query, the parameters of addresses.
//
// Read the files in the order in which a page is made: the table of pages (pages.go); what is asked for and by whom (request.go,
// access.go); what a page shows besides the figures (sources.go); its builder (builder.go); its view and template (view_*.go,
// page_*.templ); and what views are made of: parts and markup, then words and money.
//
// A page is one row of one table (pages.go). There is one rendering path: a builder turns figures into typed data (view_*.go), and
// each fragment of that data is rendered once. A page is a shell with the rendered fragments in their places; a frame is the same
// fragments without the shell. The templates (*.templ) are compiled to Go by make generate.
//
// A chart's element is in the page and never in a fragment, so that a frame cannot remove a drawn chart; the words and the table
// next to it are fragments. A page has room for every chart that its view can have, and a style hides those whose caption is empty.
// In the same way Tonight distributes its rows over a fixed number of fragments: a sale resends one of them instead of the whole
// evening, and fragments never appear or disappear.
//
// What a page shows besides the figures comes from the source that its row names: a function in Sources, provided by the caller of
// New. The source is asked at each rendering with the parameters of the request. Its result is compared as the figures are, and its
// subject wakes the page. To add a source, add a type, a field of Sources, and the source of a row.
//
// Only the strip shows seconds, and successive snapshots share what did not change. So it is known without
// rendering that a view is unchanged; its frame then costs only the strip and the clock (see
// Renderer.Content). If one performance has changed, Tonight renders its row and the sums (tonight_rows.go). A page
// that others are already viewing is served from what was rendered for them (recent.go).
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
	// Sources are what pages show besides the figures. Rendering a page whose source is missing is an error.
	Sources Sources
}

// Renderer renders pages. It is safe for concurrent use.
type Renderer struct {
	shell   shell
	sources Sources
	recent  recent
}

// shell has the addresses and names that every page of a Renderer needs.
type shell struct {
	Venue, Style, PrintStyle, WallStyle, Font, WallFont, Script, Service, Push, Version string
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
		"app.css": &s.Style, "print.css": &s.PrintStyle, "wall.css": &s.WallStyle, "inter-latin-opsz-normal.woff2": &s.Font, "inter-wall.woff2": &s.WallFont,
		"app.js": &s.Script, assets.Service: &s.Service, assets.Push: &s.Push,
	} {
		var err error
		if *address, err = o.Bundle.URL(name); err != nil {
			return nil, err
		}
	}
	return &Renderer{sources: o.Sources, shell: s}, nil
}

// Frame is a request to render, with its figures and its time.
type Frame struct {
	Request  Request
	Snapshot *figures.Snapshot
	Now      time.Time
	// Ready is true once all streams have been read; what is missing from the figures then does not exist.
	Ready bool
	// Form is a submitted form of the page that could not be saved; nil if there is none.
	Form any
	// User is the name of the person logged in.
	User string
	// Screen is the state of the screen that shows the page, without navigation; nil if none does.
	Screen *ScreenState
	// Picture renders a still picture of the page, without a script.
	Picture bool
}

// Document is the data of the shell's template.
type Document struct {
	shell
	Title  string
	Name   string
	Wall   bool
	Screen bool
	// Explained adds the panel that shows the explanation of a figure.
	Explained bool
	Locale    Locale
	Nav       []Link
	User      string
	Live      string
	Token     string
	// Zone is the venue's time zone and Now the time in Unix milliseconds, for the page's script.
	Zone string
	Now  int64
	// Topic is the topic that a screen's page shows, State its ScreenState as JSON; Dim dims the picture.
	Topic, State string
	Dim          bool
	// Picture is the state of the pictured screen; nil if the page is not a picture.
	Picture *ScreenState

	fragments map[string]string // rendered, by id
	charts    []chart
}

// font returns the address of the font that most of the page uses.
func (d *Document) font() string {
	if d.Wall {
		return d.WallFont
	}
	return d.Font
}

// heading returns the title for the browser's tab.
func (d *Document) heading() string {
	if d.Venue == "" {
		return d.Title + " · housecount"
	}
	return d.Title + " · " + d.Venue + " · housecount"
}

// Fragment returns a rendered fragment, for its one place in the page.
func (d *Document) Fragment(id string) templ.Component {
	html, ok := d.fragments[id]
	if !ok {
		return templ.Raw("", fmt.Errorf("there is no fragment %q", id))
	}
	return rendered(html)
}

// chapter returns the address of the part of the manual about the page.
func (d *Document) chapter() string { return cmp.Or(chapters[d.Name], pagesHelp) }

// chapterName returns the text of the link to it.
func (d *Document) chapterName(w *words.Words) string {
	if _, ok := chapters[d.Name]; !ok {
		return w.Text("shell.manual")
	}
	return w.Text("shell.manual_of", words.Text("page", w.Code("nav", d.Name)))
}

func (d *Document) has(Fragment string) bool {
	_, ok := d.fragments[Fragment]
	return ok
}

// Chart returns the chart's element, for its one place in the page.
func (d *Document) Chart(id string) templ.Component {
	i := slices.IndexFunc(d.charts, func(c chart) bool { return c.ID == id })
	if i < 0 {
		return templ.Raw("", fmt.Errorf("there is no chart %q", id))
	}
	return d.charts[i].html()
}

// build makes the view of the requested page.
func (b *Builder) build() error {
	b.MakeEvening()
	var err error
	if b.shows, err = PageNamed(b.Page).Build(b); err != nil {
		return fmt.Errorf("web: page %s: %w", b.Page, err)
	}
	return nil
}

// builder returns what builds the view of a request, with its source read.
func (r *Renderer) builder(q Request, s *figures.Snapshot, now time.Time) (*Builder, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	b := NewBuilder(q, s, now)
	b.recent, b.away, b.Program = &r.recent, r.sources.away(), r.sources.Program
	b.waits = r.sources.Waits != nil && r.sources.Waits()
	return b, b.readSource(r.sources)
}

// Builder returns what builds the view of a frame's request. Its errors are those of Page.
func (r *Renderer) Builder(f Frame) (*Builder, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	return r.builder(f.Request, f.Snapshot, f.Now)
}

// check returns what is wrong with a request, or ErrNotFound if what it is about does not exist.
func (f *Frame) check() error {
	if err := f.Request.check(); err != nil {
		return err
	}
	if f.Ready && !f.Request.Exists(f.Snapshot) {
		return ErrNotFound
	}
	return nil
}

// Page writes a whole document. It writes nothing if rendering fails. It returns ErrNotFound if what the
// page is about does not exist.
func (r *Renderer) Page(w io.Writer, f Frame) error {
	q := f.Request
	if err := f.check(); err != nil {
		return err
	}
	content, err := r.Content(q, f.Snapshot, f.Now, r.recent.of(q))
	if err != nil {
		return err
	}
	token, fragments, b := content.Token(), content.HTML, content.Basis.(*Builder)
	if PageNamed(q.Page).Still {
		b.Form = f.Form
		if err := b.build(); err != nil {
			return err
		}
		if err := render(b.Words, b.shows.Fragments, fragments); err != nil {
			return err
		}
	}
	d := &Document{
		shell: r.shell, Title: b.shows.Title, Name: q.Page, Wall: PageNamed(q.Page).Wall, Explained: PageNamed(q.Page).Explained, Screen: f.Screen != nil, Locale: q.Locale, Nav: q.nav(), User: f.User,
		Live: q.socket(), Token: token, Zone: b.Zone.String(), Now: f.Now.UnixMilli(),
		fragments: fragments, charts: b.shows.Charts,
	}
	if f.Screen != nil {
		d.Live, d.Nav, d.Topic, d.State, d.Dim = screenSocket, nil, q.Topic(), string(f.Screen.JSON()), f.Screen.Dim
	}
	if f.Picture {
		d.Script, d.Live, d.Picture = "", "", f.Screen
	}
	return d.write(w, b.shows.Body(d))
}

// Waiting writes the document of a device that waits to become a screen. Its body is what the device shows
// besides what all devices that wait have in common, which the frame's request names.
func (r *Renderer) Waiting(w io.Writer, f Frame, body func(*Document) templ.Component) error {
	content, err := r.Content(f.Request, f.Snapshot, f.Now, live.Content{})
	if err != nil {
		return err
	}
	b := content.Basis.(*Builder)
	d := &Document{shell: r.shell, Title: b.shows.Title, Name: f.Request.Page, Wall: true, Screen: true, Locale: b.Locale, Live: screenSocket, Token: content.Token(),
		Zone: b.Zone.String(), Now: f.Now.UnixMilli(), fragments: content.HTML}
	return d.write(w, body(d))
}

// Content renders the fragments and charts of a view; of a still page only the strip and the clock. last is the content that the
// view showed before, or the zero Content. If last was rendered from the same figures in the same minute, only the strip and the
// clock are rendered and the rest is copied from last. The view of an event that does not exist has a message instead.
func (r *Renderer) Content(q Request, s *figures.Snapshot, now time.Time, last live.Content) (live.Content, error) {
	b, err := r.builder(q, s, now)
	if err != nil {
		return live.Content{}, err
	}
	bare := PageNamed(q.Page).Bare
	content := live.Content{
		HTML:  make(map[string]string, len(last.HTML)),
		Basis: b,
	}
	before, ok := last.Basis.(*Builder)
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
		if err := render(b.Words, b.shows.Fragments, content.HTML); err != nil {
			return live.Content{}, err
		}
		content.Charts = make(map[string]json.RawMessage, len(b.shows.Charts))
		for _, c := range b.shows.Charts {
			content.Charts[c.ID] = c.Option
		}
		b.forget()
	}
	edge := []Fragment{{"clock", clockFace(b.Clock(b.Now, b.Zone)).html()}}
	if !bare {
		strip := b.strip(now)
		content.Same = map[string]string{"strip": strip.same()}
		edge = append(edge, Fragment{"strip", strip.html()})
	}
	if PageNamed(q.Page).Wall {
		content.Body = func() (string, error) { return b.places(slices.Sorted(maps.Keys(content.HTML))) }
	}
	err = render(b.Words, edge, content.HTML)
	if err == nil && !PageNamed(q.Page).Still {
		r.recent.remember(q, b.Now, content)
	}
	return content, err
}

// places returns the view of a screen with an empty element for each fragment, by its id.
func (b *Builder) places(fragments []string) (string, error) {
	d := &Document{Name: b.Page, Locale: b.Locale, Wall: true, Screen: true, fragments: make(map[string]string)}
	for _, id := range fragments {
		d.fragments[id] = `<div id="` + id + `"></div>`
	}
	html, err := toHTML(b.Words, b.shows.Body(d))
	if err != nil {
		return "", fmt.Errorf("web: page %s: %w", b.Page, err)
	}
	return string(html), nil
}

// render puts the rendered fragments into html, by id.
func render(w *words.Words, fragments []Fragment, html map[string]string) error {
	for _, f := range fragments {
		text, err := toHTML(w, f.HTML)
		if err != nil {
			return fmt.Errorf("web: fragment %s: %w", f.ID, err)
		}
		html[f.ID] = string(text)
	}
	return nil
}

// Message is a page with one message, such as an error or a sign-out.
type Message struct {
	Locale      Locale // English when empty
	Title, Text string
	// User is the person signed in and Role their role. Needs is the least role for what was asked. Each is shown if set.
	User        string
	Role, Needs Role
	// RequestID is shown if set, to quote when asking for help.
	RequestID string
	SignIn    bool
	// Help is the address of the part of the manual about it, shown as a link if set.
	Help string
	// Onward is an external address that a link leads to; the caller may also redirect there.
	Onward string
	// SignOut is the address for signing out of the sign-in service, shown as a link.
	SignOut string
	// Another shows a link for logging in with another account.
	Another bool
	// Next is the address of a link and NextText its text; by default the link leads to Tonight.
	Next, NextText string
	// Values are texts to copy, each with its name.
	Values [][2]string
	// Return is the path to return to after the login, which checks it; empty for the first page.
	Return string
}

// signedInAs returns a sentence with the person, their role, and the role that is needed.
func (m Message) signedInAs(w *words.Words) sentence {
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

// login returns the address of the link to the login.
func (m Message) login() string {
	if m.Return == "" {
		return "/login"
	}
	return "/login?return=" + url.QueryEscape(m.Return)
}

// another returns the address of the link for logging in with another account.
func (m Message) another() string {
	q := url.Values{"another": {"1"}}
	if m.Return != "" {
		q.Set("return", m.Return)
	}
	return "/login?" + q.Encode()
}

// withoutRole reports whether the person has signed in with an account that has no role, and so has no page to return to.
func (m Message) withoutRole() bool { return m.Another && m.Role == "" }

// Message writes a document with one message.
func (r *Renderer) Message(w io.Writer, m Message) error {
	d := &Document{shell: r.shell, Title: m.Title, Name: "notice", Locale: cmp.Or(m.Locale, English)}
	return d.write(w, m.html())
}

// Question is a page that asks for confirmation of something that cannot be undone.
type Question struct {
	Locale      Locale
	User        string
	Title, Text string
	// Action is the address that the form posts Fields to, and Do the text of its button.
	Action string
	Fields map[string]string
	Do     string
	Back   string // the path that leads back
}

// sorted yields the fields by name.
func (q Question) sorted() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range slices.Sorted(maps.Keys(q.Fields)) {
			if !yield(name, q.Fields[name]) {
				return
			}
		}
	}
}

// Question writes a document with a question.
func (r *Renderer) Question(w io.Writer, q Question) error {
	d := &Document{shell: r.shell, Title: q.Title, Name: "question", Locale: q.Locale, User: q.User}
	return d.write(w, q.html())
}

// Form is a page whose body the caller makes and that shows no live figures: package admin has forms for
// administrators, package manual the manual.
type Form struct {
	Locale Locale
	User   string // who is logged in
	Name   string // the page's name for its styles; that of a form unless given
	Title  string
	Body   templ.Component
}

// Form writes a document with a form.
func (r *Renderer) Form(w io.Writer, f Form) error {
	d := &Document{shell: r.shell, Title: f.Title, Name: cmp.Or(f.Name, "pair"), Locale: f.Locale, User: f.User}
	return d.write(w, f.Body)
}

// write renders into a buffer first, so that an error leaves no partial page.
func (d *Document) write(w io.Writer, body templ.Component) error {
	var b bytes.Buffer
	if err := d.html(body).Render(words.NewContext(context.Background(), words.Of(d.Locale)), &b); err != nil {
		return fmt.Errorf("web: page %s: %w", d.Name, err)
	}
	_, err := b.WriteTo(w)
	return err
}
