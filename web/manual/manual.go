// Package manual has the manual: chapters in Markdown, rendered once at the start, their contents, and a
// search over headings and paragraphs.
//
// A chapter is a file NN-TOPIC.md. NN is its place among the chapters and TOPIC its name in addresses
// (/manual/TOPIC) and on the command line (housecount help TOPIC). It begins with its title (#) and a
// paragraph that sums it up; its sections are ## and ###. Links lead to another chapter's file
// (20-sign-in.md#roles), to a heading of the same chapter (#roles) or to an https address. HTML is refused,
// but for comments, which are left out. A new file is a new chapter: there is no list of chapters.
//
// The manual holds nothing secret and is in English only. The package knows no figures, roles or sessions.
package manual

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Book is the whole manual. It does not change and is safe for concurrent use.
type Book struct {
	Chapters []*Chapter // in their order
}

// Chapter is a chapter of the manual.
type Chapter struct {
	// Topic is the chapter's name in addresses and on the command line.
	Topic string
	Title string
	// Text is the chapter in Markdown, without comments.
	Text string

	lede     string // its first paragraph, without markup
	html     string // rendered, without its title
	sections []*section
	file     string
	links    []string // to chapters and headings, as in the file
}

// section is what is under a heading, down to the next one.
type section struct {
	ID, Title string
	Level     int // 1 is the chapter itself
	texts     []string
}

var (
	fileName = regexp.MustCompile(`^(\d\d)-([a-z][a-z0-9-]*)\.md$`)
	comments = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
)

// Open reads and renders the chapters in the folder manual. An error names the chapter and what is wrong in it.
func Open(assets fs.FS) (*Book, error) {
	files, err := fs.Glob(assets, "manual/*.md")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("manual: there is no chapter")
	}
	b := new(Book)
	for _, file := range files { // in the order of their names
		name := path.Base(file)
		m := fileName.FindStringSubmatch(name)
		if m == nil {
			return nil, fmt.Errorf("manual: %s: the name of a chapter is like 20-sign-in.md", name)
		}
		if b.Chapter(m[2]) != nil {
			return nil, fmt.Errorf("manual: %s: there is another chapter %s", name, m[2])
		}
		text, err := fs.ReadFile(assets, file)
		if err != nil {
			return nil, fmt.Errorf("manual: %w", err)
		}
		c := &Chapter{file: name, Topic: m[2], Text: comments.ReplaceAllString(string(text), "")}
		if err := c.render(); err != nil {
			return nil, fmt.Errorf("manual: %s: %w", name, err)
		}
		b.Chapters = append(b.Chapters, c)
	}
	return b, b.checkLinks()
}

// commandTopics are the topics of the chapters that are about commands of another name.
var commandTopics = map[string]string{"demo": "start", "serve": "start", "check": "troubleshooting", "sandbox": "developing", "restore": "backup"}

// Chapter returns the chapter of a topic, or nil.
func (b *Book) Chapter(topic string) *Chapter {
	topic = cmp.Or(commandTopics[topic], topic)
	i := slices.IndexFunc(b.Chapters, func(c *Chapter) bool { return c.Topic == topic })
	if i < 0 {
		return nil
	}
	return b.Chapters[i]
}

// Topics returns the topics, in the order of the chapters.
func (b *Book) Topics() (all []string) {
	for _, c := range b.Chapters {
		all = append(all, c.Topic)
	}
	return all
}

// Beginning returns the first topic that begins with a text, or nothing.
func (b *Book) Beginning(text string) string {
	for _, topic := range b.Topics() {
		if strings.HasPrefix(topic, strings.ToLower(text)) {
			return topic
		}
	}
	return ""
}

// Has reports whether there is a chapter of a topic, with a heading of an anchor unless that is empty.
func (b *Book) Has(topic, anchor string) bool {
	c := b.Chapter(topic)
	return c != nil && (anchor == "" || slices.ContainsFunc(c.sections, func(s *section) bool { return s.ID == anchor }))
}

// HasHeading is Has for a chapter by its file, NN-TOPIC.md.
func (b *Book) HasHeading(file, anchor string) bool {
	m := fileName.FindStringSubmatch(file)
	return m != nil && b.Has(m[2], anchor) && b.Chapter(m[2]).file == file
}

// checkLinks returns an error for a link to a chapter or a heading that does not exist.
func (b *Book) checkLinks() error {
	for _, c := range b.Chapters {
		for _, link := range c.links {
			file, anchor, _ := strings.Cut(link, "#")
			if !b.HasHeading(cmp.Or(file, c.file), anchor) {
				return fmt.Errorf("manual: %s: there is nothing at %s", c.file, link)
			}
		}
	}
	return nil
}

// around returns the chapters before and after a chapter, nil where there is none.
func (b *Book) around(c *Chapter) (before, after *Chapter) {
	i := slices.Index(b.Chapters, c)
	if i > 0 {
		before = b.Chapters[i-1]
	}
	if i+1 < len(b.Chapters) {
		after = b.Chapters[i+1]
	}
	return before, after
}

// address returns the address of a section of the chapter.
func (c *Chapter) address(s *section) string {
	if s.Level == 1 {
		return Path + "/" + c.Topic
	}
	return Path + "/" + c.Topic + "#" + s.ID
}
