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

// barParts renders the parts of a bar and its mark. It is not a template, because it is drawn some hundred
// times on a page and a template checks the class of each part for duplicates.
type barParts Bar

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

// swatch is the sample of a part's colour in a key, by the class of the part.
type swatch string

func (s swatch) Render(_ context.Context, w io.Writer) error {
	return rect(w, string(s), ` width="10" height="10"`)
}

// rect draws a part with the given attributes, which are HTML. Some parts have a pattern, so that they can
// be told apart without their colour.
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
