package web

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"
)

// Figures and sentences are the smallest components, and the only ones that no template writes:
// a template may put a space between two runs, and in a sentence none may come.

// Render writes a figure; one that is not exact says why on hover and on focus.
func (n num) Render(_ context.Context, w io.Writer) error {
	if n.Why == "" {
		return write(w, templ.EscapeString(n.Text))
	}
	class := "q"
	if n.Unknown() {
		class = "q unknown"
	}
	return write(w, `<span class="`, class, `" tabindex="0">`, templ.EscapeString(n.Text),
		`<span class="why"> `, templ.EscapeString(n.Why), `</span></span>`)
}

// Render writes a sentence with its figures and names marked.
func (s sentence) Render(ctx context.Context, w io.Writer) error {
	for _, r := range s {
		if err := r.Render(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// Render writes one run of a sentence.
func (r run) Render(ctx context.Context, w io.Writer) error {
	if r.Strong {
		r.Strong = false
		if err := write(w, "<b>"); err != nil {
			return err
		}
		if err := r.Render(ctx, w); err != nil {
			return err
		}
		return write(w, "</b>")
	}
	switch {
	case r.Num != nil:
		return r.Num.Render(ctx, w)
	case r.Name:
		return write(w, "<bdi>", templ.EscapeString(r.Text), "</bdi>")
	}
	return write(w, templ.EscapeString(r.Text))
}

// rendered is HTML that one of our templates has rendered and escaped, as elements that are placed
// between elements.
type rendered string

// Render writes it as it is.
func (r rendered) Render(_ context.Context, w io.Writer) error { return write(w, string(r)) }

// toHTML renders a component.
func toHTML(c templ.Component) (rendered, error) {
	if r, ok := c.(rendered); ok {
		return r, nil
	}
	var b strings.Builder
	err := c.Render(context.Background(), &b) // it waits for nothing
	return rendered(b.String()), err
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

// Render writes the option, for the page's script. Its maker is json.Marshal, which escapes <, >
// and &, so that nothing in it ends the element; a template would take it for text and escape it
// again.
func (o chartOption) Render(_ context.Context, w io.Writer) error {
	if err := write(w, `<script type="application/json" data-option-for="`, templ.EscapeString(o.ID), `">`); err != nil {
		return err
	}
	if _, err := w.Write(o.Option); err != nil {
		return err
	}
	return write(w, `</script>`)
}

// fillOf is the pattern that a part of a bar is drawn with, so that its colour is not all that
// tells it; empty for a plain one.
func fillOf(class string) string {
	switch class {
	case "resv":
		return "url(#hatch)"
	case "blocked":
		return "url(#cross)"
	}
	return ""
}
