// Package web is what a person sees: figures in, HTML fragments and chart options out.
// It owns the views, the words, the charts and the formats; it knows nothing of
// sessions or sockets. What a role may not see is not rendered.
//
// There is one rendering path: a page is its fragments inside a shell, a frame is the
// same fragments without it. A builder turns figures into plain data once (view_*.go), and
// the same named templates make the page and its fragments.
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
	pages   map[ViewName]*template.Template
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
		pages: map[ViewName]*template.Template{},
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

// Frame is what is to be rendered as a page, for whom and when.
type Frame struct {
	Request  Request
	Snapshot *figures.Snapshot
	Now      time.Time
	// User is the name of who is logged in.
	User string
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

// view builds what the request asks for.
func (b *builder) view() (view, error) {
	var v view
	var err error
	switch b.View.Name {
	case Tonight:
		v = b.tonight()
	case Event:
		v, err = b.event()
	case Revenue:
		v, err = b.revenue()
	case Wall:
		v = b.wall()
	}
	if err != nil {
		return view{}, fmt.Errorf("web: view %s: %w", b.View.Name, err)
	}
	return v, nil
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

// Page writes a whole document. When rendering fails, nothing is written.
func (r *Renderer) Page(w io.Writer, f Frame) error {
	q := f.Request
	if err := q.check(); err != nil {
		return fmt.Errorf("web: %w", err)
	}
	c := newBuilder(q, f.Snapshot, f.Now)
	v, err := c.view()
	if err != nil {
		return err
	}
	content, err := r.content(c, f.Now, v.fragments, v.charts)
	if err != nil {
		return err
	}
	return write(w, r.pages[q.View.Name], "document", document{
		shell: r.shell, Title: v.title, Name: q.View.Name, Nav: q.nav(), User: f.User,
		Live: q.View.live(), Token: content.Token(), Clock: clock(c.now, c.zone), Strip: c.strip(f.Now),
		View: v.data, Charts: v.charts,
	})
}

// Content renders the fragments and charts of a view. last is what the view showed before;
// it may be the zero Content. Where last was rendered from the same figures in the same
// minute, only the strip and the clock are rendered and the rest is taken from last. The
// view of an event that does not exist says so.
func (r *Renderer) Content(q Request, s *figures.Snapshot, now time.Time, last live.Content) (live.Content, error) {
	if err := q.check(); err != nil {
		return live.Content{}, fmt.Errorf("web: %w", err)
	}
	c := newBuilder(q, s, now)
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
	t := r.pages[b.View.Name]
	var html bytes.Buffer
	for _, f := range slices.Concat(fragments, []fragment{
		{"clock", "clock", clock(b.now, b.zone)}, {"strip", "strip", b.strip(now)},
	}) {
		html.Reset()
		if err := t.ExecuteTemplate(&html, f.template, f.data); err != nil {
			return live.Content{}, fmt.Errorf("web: fragment %s: %w", f.id, err)
		}
		content.HTML[f.id] = html.String()
	}
	return content, nil
}

// Message is a page with one message: an error, or that somebody has signed out.
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
