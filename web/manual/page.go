package manual

import (
	"context"
	"io"
	"strconv"

	"github.com/a-h/templ"

	"housecount/web"
)

// Path is where the manual begins.
const Path = web.ManualPath

// WriteContents writes the page with the contents of all chapters.
func (b *Book) WriteContents(w io.Writer, r *web.Renderer) error {
	return write(w, r, "Manual", b.contents())
}

// WriteFound writes the page with what a search found. The query is to be Valid.
func (b *Book) WriteFound(w io.Writer, r *web.Renderer, query string) error {
	return write(w, r, "Search the manual", found{query, b.search(query)}.html())
}

// WriteChapter writes the page of a chapter.
func (b *Book) WriteChapter(w io.Writer, r *web.Renderer, c *Chapter) error {
	before, after := b.around(c)
	return write(w, r, c.Title, chapterPage{c, before, after}.html())
}

func write(w io.Writer, r *web.Renderer, title string, body templ.Component) error {
	return r.Form(w, web.Form{Locale: web.English, Name: "manual", Title: title, Body: body})
}

// found is what a search found.
type found struct {
	Query string
	Hits  []hit
}

// count returns how many sections there are, in words.
func (f found) count() string {
	switch n := len(f.Hits); n {
	case 0:
		return "Nothing found. Try fewer or shorter words."
	case 1:
		return "1 section"
	case maxHits:
		return "The best " + strconv.Itoa(n) + " sections"
	default:
		return strconv.Itoa(n) + " sections"
	}
}

// chapterPage is a chapter between its neighbours, which may be nil.
type chapterPage struct {
	*Chapter
	Before, After *Chapter
}

// below returns the chapter's sections without the chapter itself.
func (c *Chapter) below() []*section { return c.sections[1:] }

// body is the chapter's rendered Markdown, which has no HTML of its own.
type body string

func (b body) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, string(b))
	return err
}
