package live

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Frame is what is sent to a page about one topic: the difference from the content named From to the one
// named Token, or the whole topic, which needs no From.
type Frame struct {
	Topic string `json:"topic"`
	// Woken is when the topic was woken for this, in milliseconds of the Unix epoch by the
	// hub's machine.
	Woken int64  `json:"woken"`
	From  string `json:"from,omitzero"`
	Token string `json:"token"`
	Whole bool   `json:"whole,omitzero"`
	// Body is the element that holds the fragments; see Content.Body. A page that shows another
	// topic puts it in the place of that.
	Body string `json:"body,omitzero"`
	// HTML are fragments by their ids. For fragments of which only some elements changed, Lists are the new
	// orders of elements that contain only other elements, and then Parts are the new contents of others.
	HTML  map[string]string `json:"html,omitempty"`
	Lists map[string][]Run  `json:"lists,omitempty"`
	Parts map[string]string `json:"parts,omitempty"`
	// Charts are options by the ids of their charts, and Edits what is done to options.
	Charts map[string]json.RawMessage `json:"charts,omitempty"`
	Edits  map[string][]Edit          `json:"edits,omitempty"`
	Gone   []string                   `json:"gone,omitempty"`
}

// change returns the frame from one content to another, without tokens; ok is false if no fragment differs.
func change(from, to Content) (f Frame, ok bool) {
	f = Frame{
		HTML:   make(map[string]string),
		Charts: make(map[string]json.RawMessage),
		Edits:  make(map[string][]Edit),
	}
	all := noChanges()
	for id, html := range to.HTML {
		if !to.differs(from, id) {
			continue
		}
		// A page renews what Same stands for by itself, so it may be newer than from.
		_, renewed := to.Same[id]
		if c, ok := compare(from.HTML[id], html); ok && !renewed {
			all.add(c)
		} else {
			f.HTML[id] = html
		}
	}
	f.Lists, f.Parts = all.lists, all.parts
	for id, option := range to.Charts {
		old, known := from.Charts[id]
		switch all := edits(nil, old, option); {
		case len(all) == 0 && known:
		case known && len(all[0].At) > 0 && !slices.ContainsFunc(all, func(e Edit) bool { return !json.Valid(e.To) }):
			f.Edits[id] = all
		default:
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
	return f, len(f.HTML)+len(f.Lists)+len(f.Parts)+len(f.Charts)+len(f.Edits)+len(f.Gone) > 0
}

// Apply returns what a page that showed c shows after the frame. It is for programs that watch; a page does the
// same to its document. It fails if the frame does not fit.
func (f *Frame) Apply(c Content) (Content, error) {
	next := Content{HTML: make(map[string]string), Charts: make(map[string]json.RawMessage)}
	if !f.Whole {
		maps.Copy(next.HTML, c.HTML)
		maps.Copy(next.Charts, c.Charts)
	}
	for _, id := range f.Gone {
		delete(next.HTML, id)
		delete(next.Charts, id)
	}
	for id, html := range next.HTML {
		var ok bool
		if next.HTML[id], ok = (changes{f.Lists, f.Parts}).apply(html); !ok {
			return Content{}, fmt.Errorf("live: a list of %q does not fit", id)
		}
	}
	for id, all := range f.Edits {
		for _, e := range all {
			var err error
			if next.Charts[id], err = e.apply(next.Charts[id]); err != nil {
				return Content{}, err
			}
		}
	}
	maps.Copy(next.HTML, f.HTML)
	maps.Copy(next.Charts, f.Charts)
	return next, nil
}
