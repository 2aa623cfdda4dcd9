package web

import (
	"context"
	"io"
	"strings"

	"github.com/a-h/templ"

	"housecount/web/words"
)

// rendered is HTML that one of our templates has rendered and escaped, as elements that are placed
// between elements.
type rendered string

// Render writes it as it is.
func (r rendered) Render(_ context.Context, w io.Writer) error { return write(w, string(r)) }

// in is the language that a component is rendered in.
func in(ctx context.Context) *words.Words { return words.FromContext(ctx) }

// toHTML renders a component in a language.
func toHTML(w *words.Words, c templ.Component) (rendered, error) {
	if r, ok := c.(rendered); ok {
		return r, nil
	}
	var b strings.Builder
	err := c.Render(words.NewContext(context.Background(), w), &b) // it waits for nothing
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
