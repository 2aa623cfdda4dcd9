package web

import (
	"context"
	"io"

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
	html, err := templ.ToGoHTML(words.NewContext(context.Background(), w), c) // it waits for nothing
	return rendered(html), err
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

// barParts are the parts of a bar and its mark, which no template writes: they are drawn some
// hundred times on a page, and a template looks for repeated names in each class.
type barParts bar

// Render draws them.
func (b barParts) Render(_ context.Context, w io.Writer) error {
	for _, p := range b.Parts {
		if err := rect(w, p.Class, ` x="`, templ.EscapeString(p.X), `" width="`, templ.EscapeString(p.Width), `" height="100%"`); err != nil {
			return err
		}
	}
	if b.Mark == "" {
		return nil
	}
	at := templ.EscapeString(b.Mark)
	return write(w, `<line class="limit" x1="`, at, `" x2="`, at, `" y1="0" y2="100%"></line>`)
}

// swatch is the class of a part in a key.
type swatch string

// Render draws it as in the bar.
func (s swatch) Render(_ context.Context, w io.Writer) error {
	return rect(w, string(s), ` width="10" height="10"`)
}

// rect draws a part with what else it has, attributes that are HTML. Some have a pattern, so that
// their colour is not all that tells them.
func rect(w io.Writer, class string, attributes ...string) error {
	fill := ""
	switch class {
	case "resv":
		fill = ` fill="url(#hatch)"`
	case "unpaid":
		fill = ` fill="url(#due)"`
	case "blocked":
		fill = ` fill="url(#cross)"`
	}
	if err := write(w, `<rect class="`, templ.EscapeString(class), `"`, fill); err != nil {
		return err
	}
	return write(w, append(attributes, `></rect>`)...)
}
