package web

import (
	"context"
	"io"

	"github.com/a-h/templ"

	"housecount/web/words"
)

// rendered is HTML that one of our templates has rendered and escaped: complete elements.
type rendered string

func (r rendered) Render(_ context.Context, w io.Writer) error { return write(w, string(r)) }

// in returns the language that a component is rendered in.
func in(ctx context.Context) *words.Words { return words.FromContext(ctx) }

// toHTML renders a component in a language.
func toHTML(w *words.Words, c templ.Component) (rendered, error) {
	if r, ok := c.(rendered); ok {
		return r, nil
	}
	html, err := templ.ToGoHTML(words.NewContext(context.Background(), w), c) // it waits for nothing
	return rendered(html), err
}

// write writes strings that are already HTML.
func write(w io.Writer, html ...string) error {
	for _, part := range html {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

// Render writes the option for the page's script. The option comes from json.Marshal, which escapes <, >
// and &, so that it cannot end the element; a template would escape it a second time.
func (o chartOption) Render(_ context.Context, w io.Writer) error {
	if err := write(w, `<script type="application/json" data-option-for="`, templ.EscapeString(o.ID), `">`); err != nil {
		return err
	}
	if _, err := w.Write(o.Option); err != nil {
		return err
	}
	return write(w, `</script>`)
}
