package live

import (
	"maps"
	"strings"
)

// element is an element of HTML that has an id as its first attribute, and an end, and is no svg. Such elements
// may hold one another, and the content of one may travel without what surrounds it. Text cannot
// look like an element, as it is escaped.
type element struct {
	id    string
	start string // the tag
	inner string
	end   string // the tag
}

func (e element) outer() string { return e.start + e.inner + e.end }

// Run is part of a list as it is now: the elements From up to To of those that it was, or a new
// one.
type Run struct {
	From int    `json:"from,omitzero"`
	To   int    `json:"to,omitzero"`
	HTML string `json:"html,omitzero"`
}

// changes are the differences between two pieces of HTML, by the ids of elements: the new orders of lists,
// and then the contents of other elements.
type changes struct {
	lists map[string][]Run
	parts map[string]string
}

func noChanges() changes { return changes{make(map[string][]Run), make(map[string]string)} }

func (c changes) add(more changes) {
	maps.Copy(c.lists, more.lists)
	maps.Copy(c.parts, more.parts)
}

// compare finds the smallest elements that contain all differences between two pieces of HTML; ok is false if
// there is a difference outside elements with an id.
func compare(from, to string) (c changes, ok bool) {
	c = noChanges()
	for from != to {
		before, old, rest, found := cutElement(from)
		beforeNow, now, restNow, still := cutElement(to)
		if !found || !still || before != beforeNow || old.start != now.start {
			return changes{}, false
		}
		if within, ok := compare(old.inner, now.inner); ok {
			c.add(within)
		} else if runs, within, ok := compareLists(old.inner, now.inner); ok {
			c.lists[now.id] = runs
			c.add(within)
		} else {
			c.parts[now.id] = now.inner
		}
		from, to = rest, restNow
	}
	return c, true
}

// compareLists compares two elements that contain only other elements; ok is false for other elements, and if no
// element stays.
func compareLists(from, to string) (runs []Run, within changes, ok bool) {
	before, after := listed(from), listed(to)
	index := make(map[string]int, len(before))
	for i, e := range before {
		index[e.start] = i
	}
	within = noChanges()
	for _, e := range after {
		i, stays := index[e.start]
		if !stays {
			runs = append(runs, Run{HTML: e.outer()})
			continue
		}
		delete(index, e.start)
		ok = true
		c, _ := compare(before[i].outer(), e.outer()) // they have the same tag
		within.add(c)
		if last := len(runs) - 1; last >= 0 && runs[last].HTML == "" && runs[last].To == i {
			runs[last].To++
		} else {
			runs = append(runs, Run{From: i, To: i + 1})
		}
	}
	return runs, within, ok
}

// listed returns the elements that html consists of; nil if there is anything else.
func listed(html string) []element {
	var all []element
	for html != "" {
		before, e, rest, found := cutElement(html)
		if !found || before != "" {
			return nil
		}
		all = append(all, e)
		html = rest
	}
	return all
}

// apply returns html after the changes; ok is false if they do not fit.
func (c changes) apply(html string) (_ string, ok bool) {
	var b strings.Builder
	for {
		before, e, rest, found := cutElement(html)
		if !found {
			b.WriteString(html)
			return b.String(), true
		}
		inner, changed := c.parts[e.id]
		if !changed {
			if inner, ok = c.applyTo(e); !ok {
				return "", false
			}
		}
		b.WriteString(before + e.start + inner + e.end)
		html = rest
	}
}

// applyTo returns the content of the element after the changes.
func (c changes) applyTo(e element) (inner string, ok bool) {
	runs, changed := c.lists[e.id]
	if !changed {
		return c.apply(e.inner)
	}
	before := listed(e.inner)
	for _, r := range runs {
		inner += r.HTML
		if r.From > r.To || r.To > len(before) {
			return "", false
		}
		for _, same := range before[r.From:r.To] {
			inner += same.outer()
		}
	}
	return c.apply(inner)
}

// cutElement splits html at the first element that has an id.
func cutElement(html string) (before string, e element, rest string, found bool) {
	const attribute = ` id="`
	for at := 0; ; {
		i := strings.Index(html[at:], attribute)
		if i < 0 {
			return "", element{}, "", false
		}
		i += at
		at = i + len(attribute)
		start := strings.LastIndexByte(html[:i], '<')
		if start < 0 || strings.ContainsAny(html[start:i], " \n>") {
			continue // the id is not its first attribute
		}
		if html[start+1:i] == "svg" {
			continue // a browser reads what is in a picture as pictures only inside of it
		}
		id, _, _ := strings.Cut(html[at:], `"`)
		inner, end, size := measure(html[start:], html[start+1:i])
		if size == 0 || strings.Contains(id, "&") { // a page knows the id as the unescaped text
			continue
		}
		all := html[start : start+size]
		return html[:start], element{id, all[:inner], all[inner:end], all[end:]}, html[start+size:], true
	}
}

// measure returns where the content of the element at the beginning of html begins and ends, and the element's
// size; 0 if it has no end.
func measure(html, name string) (inner, end, size int) {
	for at, depth := 0, 0; ; {
		i := strings.IndexByte(html[at:], '<')
		if i < 0 {
			return 0, 0, 0
		}
		at += i + 1
		tag, closes := strings.CutPrefix(html[at:], "/")
		after, ours := strings.CutPrefix(tag, name)
		if !ours || after == "" || !strings.ContainsRune(" \n>/", rune(after[0])) {
			continue
		}
		close := strings.IndexByte(after, '>')
		if close < 0 {
			return 0, 0, 0
		}
		past := len(html) - len(after) + close + 1
		switch {
		case !closes:
			if depth++; inner == 0 {
				inner = past
			}
		default:
			if depth--; depth == 0 {
				return inner, at - 1, past
			}
		}
		at = past
	}
}
