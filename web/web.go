// Package web is what a person sees: figures in, HTML fragments and chart options out.
// It owns the views, the words, the charts and the formats; it knows nothing of
// sessions or sockets. What a role may not see is not rendered.
//
// A page is one row of one table (pages.go). There is one rendering path: a builder turns
// figures into plain data once (view_*.go), each fragment is rendered once, and a page is the
// rendered fragments in their places inside a shell, a frame the same fragments without it.
//
// A chart's element stands in the page and never in a fragment, so that a frame cannot
// take a drawn chart away; the words and the table beside it are fragments. A page has
// room for every chart that its view may come to have. A style hides those whose caption
// says that there is nothing to draw. In the same way Tonight deals its rows over a fixed
// number of fragments: a sale resends one of them and not the whole evening, and no
// fragment ever has to appear or go.
//
// Only the strip shows seconds, and a snapshot shares with the one before it what did not
// change. So it is known without rendering that a view still shows the same; a frame then
// costs its strip and its clock alone (see Renderer.Content).
package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/assets"
	"housecount/web/live"
)

//go:embed templates/*.gohtml
var templates embed.FS

// Options configures a Renderer. Bundle is required.
type Options struct {
	Bundle *assets.Bundle
	// Venue is the name shown in the title; may be empty.
	Venue string
}

// Renderer renders pages. It is safe for concurrent use.
type Renderer struct {
	pages   map[string]*template.Template // by the name of the page
	message *template.Template
	shell   shell
}

// shell is what every page of a Renderer has in common.
type shell struct {
	Venue, Style, Font, Script, Version string
}

// New parses every template and fails on any fault in them.
func New(o Options) (*Renderer, error) {
	if o.Bundle == nil {
		return nil, errors.New("web: a Renderer needs a Bundle")
	}
	r := &Renderer{
		pages: map[string]*template.Template{},
		shell: shell{o.Venue, o.Bundle.URL("app.css"), o.Bundle.URL("inter-latin-opsz-normal.woff2"), o.Bundle.URL("app.js"), o.Bundle.Version()},
	}
	parse := func(name string) (*template.Template, error) {
		t, err := template.New("page").Option("missingkey=error").
			ParseFS(templates, "templates/shell.gohtml", "templates/parts.gohtml", "templates/"+name+".gohtml")
		if err != nil {
			return nil, fmt.Errorf("web: templates of %s: %w", name, err)
		}
		return t, nil
	}
	var err error
	for _, p := range pages {
		if r.pages[p.Name], err = parse(p.Name); err != nil {
			return nil, err
		}
	}
	if r.message, err = parse("message"); err != nil {
		return nil, err
	}
	return r, nil
}

// Frame is what is to be rendered as a page, for whom and when.
type Frame struct {
	Request  Request
	Snapshot *figures.Snapshot
	Now      time.Time
	// Ready says that everything has been read, so that what the figures lack does not exist.
	Ready bool
	// User is the name of who is logged in.
	User string
}

// document is what the shell shows.
type document struct {
	shell
	Title  string
	Name   string
	Locale Locale
	Nav    []link
	User   string
	Live   string
	Token  string
	// Zone and Now are the venue's zone and the time in milliseconds of the Unix epoch, for the
	// page's script.
	Zone   string
	Now    int64
	View   any
	Charts map[string]json.RawMessage

	fragments map[string]string // rendered, by id
}

// Fragment is the rendered fragment, for its one place in the page.
func (d *document) Fragment(id string) (template.HTML, error) {
	html, ok := d.fragments[id]
	if !ok {
		return "", fmt.Errorf("there is no fragment %q", id)
	}
	// Our own template rendered and escaped it as an element, and it is placed between elements.
	return template.HTML(html), nil
}

// view builds what the request asks for. The evening is built for it alone: it costs far more
// than to know that a view still shows the same.
func (b *builder) view() (view, error) {
	b.evening = b.Snapshot.Evening(b.now)
	v, err := pageNamed(b.Page).build(b)
	if err != nil {
		return view{}, fmt.Errorf("web: page %s: %w", b.Page, err)
	}
	return v, nil
}

// Page writes a whole document. When rendering fails, nothing is written; ErrNotFound says
// that what the page is about does not exist.
func (r *Renderer) Page(w io.Writer, f Frame) error {
	q := f.Request
	if err := q.check(); err != nil {
		return err
	}
	c := newBuilder(q, f.Snapshot, f.Now)
	v, err := c.view()
	if err != nil {
		return err
	}
	if v.missing && f.Ready {
		return ErrNotFound
	}
	var still []fragment
	if pageNamed(q.Page).Still {
		still, v.fragments = v.fragments, nil
	}
	content, err := r.content(c, f.Now, v.fragments, v.charts)
	if err != nil {
		return err
	}
	rendered := maps.Clone(content.HTML)
	if err := r.render(q.Page, still, rendered); err != nil {
		return err
	}
	d := &document{
		shell: r.shell, Title: v.title, Name: q.Page, Locale: q.Locale, Nav: q.nav(), User: f.User,
		Live: q.socket(), Token: content.Token(), Zone: c.zone.String(), Now: f.Now.UnixMilli(), View: v.data, Charts: v.charts,
		fragments: rendered,
	}
	return write(w, r.pages[q.Page], d)
}

// Content renders the fragments and charts of a view, of one that is still the strip and the
// clock. last is what the view showed before;
// it may be the zero Content. Where last was rendered from the same figures in the same
// minute, only the strip and the clock are rendered and the rest is taken from last. The
// view of an event that does not exist says so.
func (r *Renderer) Content(q Request, s *figures.Snapshot, now time.Time, last live.Content) (live.Content, error) {
	if err := q.check(); err != nil {
		return live.Content{}, err
	}
	c := newBuilder(q, s, now)
	if pageNamed(q.Page).Still {
		return r.content(c, now, nil, nil)
	}
	if before, ok := last.Basis.(*builder); ok && c.sameFigures(before) {
		content, err := r.content(c, now, nil, last.Charts)
		if err != nil {
			return live.Content{}, err
		}
		for id, html := range last.HTML {
			if _, renewed := content.HTML[id]; !renewed {
				content.HTML[id] = html
			}
		}
		return content, nil
	}
	v, err := c.view()
	if err != nil {
		return live.Content{}, err
	}
	return r.content(c, now, v.fragments, v.charts)
}

// content renders the fragments, and with them the strip and the clock of every page.
func (r *Renderer) content(b *builder, now time.Time, fragments []fragment, charts map[string]json.RawMessage) (live.Content, error) {
	content := live.Content{
		Position: b.Position.Epoch + "." + strconv.FormatInt(b.Position.Revision, 10),
		HTML:     make(map[string]string, len(fragments)+2),
		Charts:   charts,
		Basis:    b,
	}
	if !b.AsOf.IsZero() {
		content.AsOf = b.AsOf.UTC().Format(time.RFC3339)
	}
	err := r.render(b.Page, slices.Concat(fragments, []fragment{
		{"clock", "clock", clock(b.now, b.zone)}, {"strip", "strip", b.strip(now)},
	}), content.HTML)
	return content, err
}

// render puts the fragments into html, by their ids.
func (r *Renderer) render(page string, fragments []fragment, html map[string]string) error {
	var b bytes.Buffer
	for _, f := range fragments {
		b.Reset()
		if err := r.pages[page].ExecuteTemplate(&b, f.template, f.data); err != nil {
			return fmt.Errorf("web: fragment %s: %w", f.id, err)
		}
		html[f.id] = b.String()
	}
	return nil
}

// Message is a page with one message: an error, or that somebody has signed out.
type Message struct {
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
	// Return is the path that the login leads back to; empty for the first page. The login
	// checks it.
	Return string
}

// who names who has signed in, and whom to ask for what is needed.
func (m Message) who() sentence {
	var s sentence
	switch {
	case m.User != "" && m.Role != "":
		s = say("You are signed in as ").strongName(m.User).text(", with the role ").strong(roleWords(m.Role)).text(".")
	case m.User != "":
		s = say("You signed in as ").strongName(m.User).text(".")
	case m.Role != "":
		s = say("You are signed in with the role ").strong(roleWords(m.Role)).text(".")
	}
	if m.Needs != "" {
		s = s.text(" This page needs the role ").strong(roleWords(m.Needs)).text(": ask an administrator for it.")
	}
	return s
}

// Message writes a whole document with one message.
func (r *Renderer) Message(w io.Writer, m Message) error {
	view := struct {
		Message
		Who      sentence
		Stranger bool // has no role, and so no page to go back to
	}{m, m.who(), m.Another && m.Role == ""}
	return write(w, r.message, &document{shell: r.shell, Title: m.Title, Name: "message", Locale: English, View: view})
}

// write renders into a buffer first, so that a fault leaves no half page behind.
func write(w io.Writer, t *template.Template, d *document) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "document", d); err != nil {
		return fmt.Errorf("web: page %s: %w", d.Name, err)
	}
	_, err := b.WriteTo(w)
	return err
}
