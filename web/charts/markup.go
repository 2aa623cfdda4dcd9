package charts

import (
	"context"
	"io"

	"github.com/a-h/templ"
)

// barParts renders the parts of a bar and the mark of what is usual. It is not a template, because it is drawn some hundred
// times on a page and a template checks the class of each part for duplicates.
type barParts Bar

func (b barParts) Render(_ context.Context, w io.Writer) error {
	for _, p := range b.Parts {
		if err := rect(w, p.Class, ` x="`+templ.EscapeString(p.X)+`" width="`+templ.EscapeString(p.Width)+`" height="100%"`); err != nil {
			return err
		}
	}
	if b.usual == "" {
		return nil
	}
	at := templ.EscapeString(b.usual)
	_, err := io.WriteString(w, `<line class="usual" x1="`+at+`" x2="`+at+`" y1="0" y2="100%"></line>`)
	return err
}

// swatch is the sample of a part's colour in a key, by the class of the part.
type swatch string

func (s swatch) Render(_ context.Context, w io.Writer) error {
	return rect(w, string(s), ` width="10" height="10"`)
}

// rect draws a part with the given attributes, which are HTML. Some parts have a pattern, so that they can
// be told apart without their colour.
func rect(w io.Writer, class, attributes string) error {
	fill := ""
	switch class {
	case "resv":
		fill = ` fill="url(#hatch)"`
	case "unpaid":
		fill = ` fill="url(#due)"`
	case "over":
		fill = ` fill="var(--bad)" stroke="var(--paper)"`
	case "fits": // too many are too many of all: what is over is set off by its edge
		fill = ` fill="var(--bad)"`
	case "blocked":
		fill = ` fill="url(#cross)"`
	}
	_, err := io.WriteString(w, `<rect class="`+templ.EscapeString(class)+`"`+fill+attributes+`></rect>`)
	return err
}
