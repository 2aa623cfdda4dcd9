package manual

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	table "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders chapters. It is safe for concurrent use.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))), // without styles
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 100))),
)

// render fills the chapter in from its text.
func (c *Chapter) render() error {
	source := []byte(c.Text)
	doc := markdown.Parser().Parse(text.NewReader(source))
	if err := c.prepare(doc, source); err != nil {
		return err
	}
	title, ok := doc.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		return errors.New("a chapter begins with its title, as # Title")
	}
	lede, ok := title.NextSibling().(*ast.Paragraph)
	if !ok {
		return errors.New("after its title a chapter says in a paragraph what it is about")
	}
	c.Title, c.lede = plain(title, source), plain(lede, source)
	c.collect(doc, source)
	doc.RemoveChild(doc, title)
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, doc); err != nil {
		return err
	}
	c.html = b.String()
	return nil
}

// prepare checks what a chapter is made of, and makes its links those of pages.
func (c *Chapter) prepare(doc ast.Node, source []byte) error {
	return ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			line := n.Lines().At(0)
			return ast.WalkStop, fmt.Errorf("HTML is not allowed: %s", bytes.TrimSpace(line.Value(source)))
		case *ast.RawHTML:
			return ast.WalkStop, fmt.Errorf("HTML is not allowed: %s; write it between backticks", n.Segments.Value(source))
		case *ast.Image:
			return ast.WalkStop, fmt.Errorf("pictures are not allowed: %s", n.Destination)
		case *ast.Link:
			return ast.WalkContinue, c.lead(n)
		}
		return ast.WalkContinue, nil
	})
}

// lead notes where a link leads, and makes it lead there on a page.
func (c *Chapter) lead(link *ast.Link) error {
	to := string(link.Destination)
	file, anchor, hasAnchor := strings.Cut(to, "#")
	m := fileName.FindStringSubmatch(file)
	switch {
	case strings.HasPrefix(to, "https://"):
		return nil
	case m != nil:
		c.links = append(c.links, to)
		if to = Path + "/" + m[2]; hasAnchor {
			to += "#" + anchor
		}
		link.Destination = []byte(to)
		return nil
	case file == "" && hasAnchor:
		c.links = append(c.links, to)
		return nil
	}
	return fmt.Errorf("a link leads to a chapter's file, a #heading or an https address, not to %s", to)
}

// collect finds the chapter's sections and their texts, block by block.
func (c *Chapter) collect(doc ast.Node, source []byte) {
	var now *section
	ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // without an error
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			now = &section{ID: string(id.([]byte)), Title: plain(n, source), Level: n.Level}
			c.sections = append(c.sections, now)
			return ast.WalkSkipChildren, nil
		case *ast.Paragraph, *ast.TextBlock, *table.TableRow, *table.TableHeader, *ast.CodeBlock, *ast.FencedCodeBlock:
			now.texts = append(now.texts, plain(n, source))
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
}

// plain returns the text of a node without its markup, in one line.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	if n.Type() == ast.TypeBlock && n.FirstChild() == nil {
		b.Write(n.Lines().Value(source))
	}
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // without an error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.AutoLink:
			if entering {
				b.Write(n.URL(source))
			}
		case *table.TableCell:
			if entering && n.PreviousSibling() != nil && n.FirstChild() != nil {
				b.WriteString(" · ")
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// elements renders what this manual has otherwise than Markdown usually is: headings lead to themselves,
// and what may be wider than a phone scrolls.
type elements struct{}

func (elements) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindCodeBlock, code)
	r.Register(ast.KindFencedCodeBlock, code)
	r.Register(table.KindTable, scrolled)
	r.Register(table.KindTableCell, cell)
}

func heading(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	level := n.(*ast.Heading).Level
	if !entering {
		_, err := fmt.Fprintf(w, "</a></h%d>\n", level)
		return ast.WalkContinue, err
	}
	id, _ := n.AttributeString("id")
	_, err := fmt.Fprintf(w, `<h%d id="%[2]s"><a href="#%[2]s">`, level, html.EscapeString(string(id.([]byte))))
	return ast.WalkContinue, err
}

func code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	_, err := fmt.Fprintf(w, "<pre tabindex=\"0\"><code>%s</code></pre>\n", html.EscapeString(string(n.Lines().Value(source))))
	return ast.WalkSkipChildren, err
}

func scrolled(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	out := `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>`
	if !entering {
		out = "</table></div>\n"
	}
	_, err := w.WriteString(out)
	return ast.WalkContinue, err
}

func cell(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	name, attributes := "td", ""
	if _, ok := n.Parent().(*table.TableHeader); ok {
		name, attributes = "th", ` scope="col"`
	}
	if entering {
		_, err := fmt.Fprintf(w, "<%s%s>", name, attributes)
		return ast.WalkContinue, err
	}
	_, err := fmt.Fprintf(w, "</%s>\n", name)
	return ast.WalkContinue, err
}
