// Package web is what a person sees: figures in, HTML fragments and chart options out.
// It owns the views, the words, the charts and the formats; it knows nothing of
// sessions or sockets. What a role may not see is not rendered.
//
// There is one rendering path: a page is its fragments inside a shell, a frame is the
// same fragments without it. A view is built once into plain data (view_*.go), and the
// same named templates make the page and the fragments of it.
//
// A chart's element stands in the page and never in a fragment, so that a frame cannot
// take a drawn chart away; the words and the table beside it are fragments. So a page
// has room for all the charts that its view may come to have, and a style hides the one
// whose words say that there is nothing to draw. In the same way Tonight deals its rows
// over a fixed number of fragments: a sale resends one of them and not the evening, and
// no fragment ever has to appear or go.
package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"time"

	"housecount/aggregator/figures"
	"housecount/assets"
	"housecount/web/live"
)

//go:embed templates/*.gohtml
var templates embed.FS

// Role is what a member of staff may see.
type Role string

// The roles, each seeing more than the one before.
const (
	Door      Role = "door"       // places and arrivals, no money
	BoxOffice Role = "box_office" // and today's takings
	Manager   Role = "manager"    // everything
	Admin     Role = "admin"      // as the manager
)

// Roles lists the roles from least to most.
var Roles = []Role{Door, BoxOffice, Manager, Admin}

// ViewName names a page.
type ViewName string

// The pages.
const (
	Tonight ViewName = "tonight"
	Event   ViewName = "event"
	Revenue ViewName = "revenue"
	Wall    ViewName = "wall"
)

// View is a page with its parameters; unused ones are empty.
type View struct {
	Name  ViewName
	Event string // event id, for Event
	Hall  string // for Wall; empty for the whole house
	Days  int    // 7, 30 or 90, for Revenue
}

// Request is what is to be rendered, and for whom.
type Request struct {
	View View
	Role Role
}

// Options configures a Renderer. Bundle is required.
type Options struct {
	Bundle *assets.Bundle
	// Venue is the name shown in the title; may be empty.
	Venue string
}

// Renderer renders pages. It is safe for concurrent use.
type Renderer struct {
	pages   map[ViewName]*template.Template
	message *template.Template
	shell   shell
}

// shell is what every page of a Renderer has in common.
type shell struct {
	Venue, Style, Script, Version string
}

// New parses every template and fails on any fault in them.
func New(o Options) (*Renderer, error) {
	if o.Bundle == nil {
		return nil, errors.New("web: a Renderer needs a Bundle")
	}
	r := &Renderer{
		pages: map[ViewName]*template.Template{},
		shell: shell{o.Venue, o.Bundle.URL("app.css"), o.Bundle.URL("app.js"), o.Bundle.Version()},
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
	for _, name := range []ViewName{Tonight, Event, Revenue, Wall} {
		if r.pages[name], err = parse(string(name)); err != nil {
			return nil, err
		}
	}
	if r.message, err = parse("message"); err != nil {
		return nil, err
	}
	return r, nil
}

// Frame is what a page shows round its view.
type Frame struct {
	Request  Request
	Snapshot *figures.Snapshot
	Now      time.Time
	// User is the name of who is logged in.
	User string
}

// view is a view built into data: what its page is made from, and which of its
// templates are fragments.
type view struct {
	title     string
	data      any
	fragments []fragment
	charts    map[string]json.RawMessage
}

// fragment is one element that a frame may replace.
type fragment struct {
	id       string
	template string
	data     any
}

// document is what the shell shows.
type document struct {
	shell
	Title  string
	Name   ViewName
	Nav    []link
	User   string
	Live   string
	Token  string
	Clock  string
	Strip  strip
	View   any
	Charts map[string]json.RawMessage
}

type link struct {
	Href, Text string
	Current    bool
}

// build makes the view's data, after asking whether the role may see it.
func (q Request) build(s *figures.Snapshot, now time.Time) (view, document, error) {
	if err := q.check(); err != nil {
		return view{}, document{}, fmt.Errorf("web: %w", err)
	}
	c := newScene(q, s, now)
	var v view
	var err error
	switch q.View.Name {
	case Tonight:
		v = c.tonight()
	case Event:
		v, err = c.event()
	case Revenue:
		v, err = c.revenue()
	case Wall:
		v = c.wall()
	}
	if err != nil {
		return view{}, document{}, fmt.Errorf("web: view %s: %w", q.View.Name, err)
	}
	d := document{
		Title: v.title, Name: q.View.Name, Nav: q.nav(), Live: q.View.live(),
		Clock: clock(now, c.zone), Strip: c.strip(), View: v.data, Charts: v.charts,
	}
	v.fragments = append(v.fragments, fragment{"clock", "clock", d.Clock}, fragment{"strip", "strip", d.Strip})
	return v, d, nil
}

// nav lists the pages that the role may open.
func (q Request) nav() []link {
	var nav []link
	for _, l := range []struct {
		view View
		link link
	}{
		{View{Name: Tonight}, link{Href: "/tonight", Text: "Tonight"}},
		{View{Name: Revenue}, link{Href: "/revenue", Text: "Revenue"}},
		{View{Name: Wall}, link{Href: "/wall", Text: "Wall"}},
	} {
		if q.Role.MaySee(l.view) {
			l.link.Current = l.view.Name == q.View.Name
			nav = append(nav, l.link)
		}
	}
	return nav
}

// Page writes a whole document. Nothing is written when it fails before the last byte
// is rendered.
func (r *Renderer) Page(w io.Writer, f Frame) error {
	v, d, err := f.Request.build(f.Snapshot, f.Now)
	if err != nil {
		return err
	}
	content, err := r.render(f.Request, v, f.Snapshot)
	if err != nil {
		return err
	}
	d.shell, d.User, d.Token = r.shell, f.User, content.Token()
	return write(w, r.pages[f.Request.View.Name], "document", d)
}

// Content renders the fragments and charts of a view. The view of an event that does
// not exist says so.
func (r *Renderer) Content(q Request, s *figures.Snapshot, now time.Time) (live.Content, error) {
	v, _, err := q.build(s, now)
	if err != nil {
		return live.Content{}, err
	}
	return r.render(q, v, s)
}

// Light renders what runs with the seconds, the truth strip. ok is false where a minute has
// passed since shown was rendered: then more than that may differ.
func (r *Renderer) Light(q Request, s *figures.Snapshot, now time.Time, shown live.Content) (light live.Content, ok bool, err error) {
	if err := q.check(); err != nil {
		return live.Content{}, false, fmt.Errorf("web: %w", err)
	}
	c := newScene(q, s, now)
	light, err = r.render(q, view{fragments: []fragment{{"clock", "clock", clock(now, c.zone)}, {"strip", "strip", c.strip()}}}, s)
	return light, err == nil && light.HTML["clock"] == shown.HTML["clock"], err
}

func (r *Renderer) render(q Request, v view, s *figures.Snapshot) (live.Content, error) {
	c := live.Content{
		Position: s.Position.Epoch + "." + strconv.FormatInt(s.Position.Revision, 10),
		HTML:     make(map[string]string, len(v.fragments)),
		Charts:   v.charts,
	}
	if !s.AsOf.IsZero() {
		c.AsOf = s.AsOf.UTC().Format(time.RFC3339)
	}
	var b bytes.Buffer
	for _, f := range v.fragments {
		b.Reset()
		if err := r.pages[q.View.Name].ExecuteTemplate(&b, f.template, f.data); err != nil {
			return live.Content{}, fmt.Errorf("web: fragment %s: %w", f.id, err)
		}
		c.HTML[f.id] = b.String()
	}
	return c, nil
}

// Message is a page with one message: an error, or a goodbye.
type Message struct {
	Title, Text string
	// RequestID is shown when set, for whoever asks for help.
	RequestID string
	// SignIn shows a link to the login.
	SignIn bool
	// Return is the path that the login leads back to; empty for the first page. The login
	// checks it.
	Return string
}

// Message writes a whole document with one message.
func (r *Renderer) Message(w io.Writer, m Message) error {
	d := document{shell: r.shell, Title: m.Title, Name: "message", View: m}
	return write(w, r.message, "document", d)
}

// write renders into a buffer first, so that a fault leaves no half page behind.
func write(w io.Writer, t *template.Template, name string, data any) error {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return fmt.Errorf("web: page: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}
