package manual

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxQuery is how long a search may be, in bytes.
	MaxQuery = 200
	// maxHits is how many sections a search finds at most.
	maxHits = 30
	// excerptLength is about how long an excerpt is, in bytes.
	excerptLength = 180
)

// hit is a section that a search found.
type hit struct {
	chapter *Chapter
	section *section
	excerpt []span
	score   int
}

// span is a part of a text, marked where it is what was searched for.
type span struct {
	Text   string
	Marked bool
}

// search returns the sections that have every word of the query in their headings or texts, the best first.
// Upper and lower case are the same.
func (b *Book) search(query string) (hits []hit) {
	var patterns []*regexp.Regexp
	words := strings.Fields(query)
	for i, w := range words {
		words[i] = regexp.QuoteMeta(w)
		patterns = append(patterns, regexp.MustCompile("(?i)"+words[i]))
	}
	if len(words) == 0 {
		return nil
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest is marked
	anyOf := regexp.MustCompile("(?i)" + strings.Join(words, "|"))
	for _, c := range b.Chapters {
		for _, s := range c.sections {
			if h := (hit{chapter: c, section: s}); h.rate(patterns) {
				h.excerpt = s.excerpt(patterns, anyOf)
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits[:min(len(hits), maxHits)]
}

// rate reports whether the section has every word, and scores it: a word in its heading counts most, then a
// paragraph or row that begins with it, as its definition does, then one in the chapter's title, then each time that its
// text has it, up to five, and a whole word more than a part of one.
func (h *hit) rate(patterns []*regexp.Regexp) bool {
	body := strings.Join(h.section.texts, "\n")
	for _, p := range patterns {
		inTitle, inChapter, inBody := p.MatchString(h.section.Title), p.MatchString(h.chapter.Title), len(p.FindAllStringIndex(body, 5))
		if !inTitle && inBody == 0 {
			return false
		}
		whole := regexp.MustCompile(p.String() + `\b`)
		if slices.ContainsFunc(h.section.texts, func(t string) bool { at := whole.FindStringIndex(t); return at != nil && at[0] == 0 }) {
			h.score += 10
		}
		for _, at := range p.FindAllStringIndex(body, 5) {
			if at[0] == 0 || !isLetter(body[at[0]-1]) {
				if at[1] == len(body) || !isLetter(body[at[1]]) {
					h.score += 2
				}
			}
		}
		h.score += inBody
		if inTitle {
			h.score += 20
		}
		if inChapter {
			h.score += 5
		}
	}
	return true
}

func isLetter(b byte) bool { return b >= utf8.RuneSelf || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

// excerpt returns a part of the section's paragraph that has the most of the words.
func (s *section) excerpt(patterns []*regexp.Regexp, anyOf *regexp.Regexp) []span {
	best, most := "", -1
	for _, t := range s.texts {
		found := 0
		for _, p := range patterns {
			if p.MatchString(t) {
				found++
			}
		}
		if found > most {
			best, most = t, found
		}
	}
	return marked(clip(best, anyOf.FindStringIndex(best)), anyOf)
}

// clip returns about excerptLength bytes of a text around a match, cut between words.
func clip(t string, match []int) string {
	if len(t) <= excerptLength {
		return t
	}
	from := 0
	if match != nil {
		from = max(0, match[0]-excerptLength/3)
	}
	to := min(len(t), from+excerptLength)
	for from > 0 && t[from-1] != ' ' {
		from--
	}
	for to < len(t) && t[to] != ' ' {
		to++
	}
	cut := t[from:to]
	if from > 0 {
		cut = "… " + cut
	}
	if to < len(t) {
		cut += " …"
	}
	return cut
}

// marked cuts a text into spans.
func marked(t string, anyOf *regexp.Regexp) (all []span) {
	end := 0
	for _, m := range anyOf.FindAllStringIndex(t, -1) {
		if m[0] > end {
			all = append(all, span{Text: t[end:m[0]]})
		}
		all = append(all, span{Text: t[m[0]:m[1]], Marked: true})
		end = m[1]
	}
	if end < len(t) {
		all = append(all, span{Text: t[end:]})
	}
	return all
}

// Valid reports whether a query can be searched for.
func Valid(query string) bool {
	return len(query) <= MaxQuery && utf8.ValidString(query) && !strings.ContainsRune(query, 0)
}

// About returns the topics of the chapters that have every word of a query in one section, in the order of
// the chapters.
func (b *Book) About(query string) (topics []string) {
	hits := b.search(query)
	for _, c := range b.Chapters {
		if slices.ContainsFunc(hits, func(h hit) bool { return h.chapter == c }) {
			topics = append(topics, c.Topic)
		}
	}
	return topics
}
