package words

import (
	"context"
	"html"
	"io"
)

// Figures and sentences are the smallest components of a page, and the only ones that no template
// writes: a template may put a space between two runs, and in a sentence none may come.

// Render writes a figure as HTML, as a link if it is explained; for one that is not exact, with the reason
// on hover and on focus.
func (n Num) Render(_ context.Context, w io.Writer) error {
	class := "q"
	if n.Unknown() {
		class = "q unknown"
	}
	switch {
	case n.Href == "" && n.Why == "":
		return write(w, html.EscapeString(n.Text))
	case n.Why == "":
		return write(w, `<a class="f" href="`, html.EscapeString(n.Href), `">`, html.EscapeString(n.Text), `</a>`)
	case n.Href == "":
		return write(w, `<span class="`, class, `" tabindex="0">`, html.EscapeString(n.Text),
			`<span class="why"> `, html.EscapeString(n.Why), `</span></span>`)
	}
	return write(w, `<a class="f `, class, `" href="`, html.EscapeString(n.Href), `">`, html.EscapeString(n.Text),
		`<span class="why"> `, html.EscapeString(n.Why), `</span></a>`)
}

// Render writes a sentence as HTML, with its figures and names marked.
func (s Sentence) Render(ctx context.Context, w io.Writer) error {
	for _, r := range s {
		if err := r.render(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

func (r Run) render(ctx context.Context, w io.Writer) error {
	if r.Strong {
		r.Strong = false
		if err := write(w, "<b>"); err != nil {
			return err
		}
		if err := r.render(ctx, w); err != nil {
			return err
		}
		return write(w, "</b>")
	}
	switch {
	case r.Num != nil:
		return r.Num.Render(ctx, w)
	case r.Name:
		return write(w, "<bdi>", html.EscapeString(r.Text), "</bdi>")
	}
	return write(w, html.EscapeString(r.Text))
}

// write writes texts that are HTML already.
func write(w io.Writer, html ...string) error {
	for _, part := range html {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

type contextKey struct{}

// NewContext returns a context in which components are rendered in the language.
func NewContext(ctx context.Context, w *Words) context.Context {
	return context.WithValue(ctx, contextKey{}, w)
}

// FromContext returns the language of NewContext. It panics where there is none.
func FromContext(ctx context.Context) *Words { return ctx.Value(contextKey{}).(*Words) }
