package live

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Frame is what travels to a page about one topic: what leads from the content named From to
// the one named Token, or the whole topic, which leads there from anything.
type Frame struct {
	Topic string `json:"topic"`
	AsOf  string `json:"as_of"`
	// Woken is when the topic was woken for this, in milliseconds of the Unix epoch by the
	// hub's machine.
	Woken int64  `json:"woken"`
	From  string `json:"from,omitzero"`
	Token string `json:"token"`
	Whole bool   `json:"whole,omitzero"`
	// HTML are fragments by their ids. Rows are rows of tables by theirs, where nothing else of
	// their fragment differs.
	HTML   map[string]string          `json:"html,omitempty"`
	Rows   map[string]string          `json:"rows,omitempty"`
	Charts map[string]json.RawMessage `json:"charts,omitempty"`
	Gone   []string                   `json:"gone,omitempty"`
}

// change is the frame from one content to another, without its tokens; ok is false when
// no fragment differs.
func change(from, to Content) (f Frame, ok bool) {
	f = Frame{
		AsOf:   to.AsOf,
		HTML:   make(map[string]string),
		Rows:   make(map[string]string),
		Charts: make(map[string]json.RawMessage),
	}
	for id, html := range to.HTML {
		if !to.differs(from, id) {
			continue
		}
		if rows, ok := changedRows(from.HTML[id], html); ok {
			maps.Copy(f.Rows, rows)
		} else {
			f.HTML[id] = html
		}
	}
	for id, option := range to.Charts {
		if old, known := from.Charts[id]; !known || !bytes.Equal(old, option) {
			f.Charts[id] = option
		}
	}
	f.Gone = slices.Sorted(func(yield func(string) bool) {
		for id := range from.HTML {
			if _, still := to.HTML[id]; !still && !yield(id) {
				return
			}
		}
		for id := range from.Charts {
			if _, still := to.Charts[id]; !still && !yield(id) {
				return
			}
		}
	})
	return f, len(f.HTML)+len(f.Rows)+len(f.Charts)+len(f.Gone) > 0
}

// Apply is what a page shows that showed c and took up the frame. It is for programs that
// watch; a page does the same to its document.
func (f *Frame) Apply(c Content) Content {
	next := Content{AsOf: f.AsOf, HTML: make(map[string]string), Charts: make(map[string]json.RawMessage)}
	if !f.Whole {
		maps.Copy(next.HTML, c.HTML)
		maps.Copy(next.Charts, c.Charts)
	}
	for _, id := range f.Gone {
		delete(next.HTML, id)
		delete(next.Charts, id)
	}
	for id, html := range next.HTML {
		if len(f.Rows) > 0 {
			next.HTML[id] = replaceRows(html, f.Rows)
		}
	}
	maps.Copy(next.HTML, f.HTML)
	maps.Copy(next.Charts, f.Charts)
	return next
}

// Elements that may travel alone, where they have an id as their first attribute: rows of tables,
// and the summaries above them. They begin and end like this, and do not hold one another. Text
// of others cannot look like it, as it is escaped.
var alone = []struct{ start, end string }{{`<tr id="`, `</tr>`}, {`<summary id="`, `</summary>`}}

// changedRows are the elements that differ between two states of a fragment and may travel alone;
// ok is false where something else differs too: what surrounds them, which they are, or their
// order.
func changedRows(from, to string) (changed map[string]string, ok bool) {
	for {
		before, old, restOld, found := cutRow(from)
		after, row, rest, still := cutRow(to)
		if !found || !still {
			return changed, len(changed) > 0 && from == to
		}
		if before != after || rowID(old) != rowID(row) {
			return nil, false
		}
		if old != row {
			if changed == nil {
				changed = make(map[string]string)
			}
			changed[rowID(row)] = row
		}
		from, to = restOld, rest
	}
}

// replaceRows puts elements in the places of those with their ids.
func replaceRows(html string, rows map[string]string) string {
	var b strings.Builder
	for {
		before, row, rest, found := cutRow(html)
		if !found {
			b.WriteString(html)
			return b.String()
		}
		if next, changed := rows[rowID(row)]; changed {
			row = next
		}
		b.WriteString(before)
		b.WriteString(row)
		html = rest
	}
}

// cutRow cuts html around the first element that may travel alone.
func cutRow(html string) (before, row, rest string, found bool) {
	at, end := len(html), ""
	for _, e := range alone {
		if i := strings.Index(html[:at], e.start); i >= 0 {
			at, end = i, e.end
		}
	}
	if end == "" {
		return "", "", "", false
	}
	size := strings.Index(html[at:], end)
	if size < 0 {
		return "", "", "", false
	}
	size += len(end)
	return html[:at], html[at : at+size], html[at+size:], true
}

// rowID is the id of an element that cutRow cut: what is between its first quotation marks.
func rowID(row string) string {
	_, id, _ := strings.Cut(row, `"`)
	id, _, _ = strings.Cut(id, `"`)
	return id
}
