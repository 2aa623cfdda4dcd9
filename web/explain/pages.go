// Package explain renders what is behind a figure (its explanation, as a page and as JSON) and what became different
// between two moments.
package explain

import (
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

type (
	num      = words.Num
	sentence = words.Sentence
)

// builder builds the pages of this package in the table of pages.
type builder struct{ *web.Builder }

func init() {
	web.AddPages(
		web.Page{Name: "changes", Path: web.ChangesPath, Under: "tonight", Still: true, Params: []query.Param{{Name: "since", Default: sinces[0], Read: readSince}, {Name: "until", Read: readUntil}, {Name: "visit", Read: query.OneOf(firstVisit)}}, Explained: true, Visible: wholeHouse, WokenBy: web.ByNothing, Source: fromChanges,
			Build: func(b *web.Builder) (web.View, error) { return builder{b}.changes() }},
		web.Page{Name: web.ExplainPage, Path: web.ExplainPath + "{figure}", Still: true, Params: web.ExplainParams, Visible: mayExplain, WokenBy: web.ByNothing, Source: fromRecords,
			Build: func(b *web.Builder) (web.View, error) { return builder{b}.explain() }},
	)
}

// wholeHouse reports whether the access includes the whole house.
func wholeHouse(a web.Access, _ query.Params) bool { return a.WholeHouse() }

// explained is an explanation with the records behind it.
type explained struct {
	catalogue.Explanation
	behind catalogue.Behind
}

// fromRecords explains a figure and reads the records behind it. The live topic names no figure, and gets
// an empty explanation.
var fromRecords = &web.Source{Subject: web.WakeRecords, Read: func(s web.Sources, b *web.Builder) (any, error) {
	k := figures.Key(b.Values.Get("figure"))
	if k == "" {
		return explained{}, nil
	}
	b.MakeEvening()
	x, ok := catalogue.Explain(b.Evening, k, web.ScopeOf(b.Values.Get))
	if !ok {
		return nil, web.ErrNotFound
	}
	if s.Behind == nil {
		return explained{Explanation: x}, nil
	}
	behind, err := s.Behind(x)
	return explained{x, behind}, err
}}

// fromChanges gives the changes as of the moment of the request.
var fromChanges = &web.Source{Subject: web.WakeRecords, Read: func(s web.Sources, b *web.Builder) (any, error) {
	if s.Changed == nil {
		return catalogue.Changed{}, nil
	}
	return s.Changed(b.Values.Get("since"), b.Values.Get("until"))
}}

// mayExplain reports whether a figure is within an access. The live topic names no figure, and is allowed.
func mayExplain(a web.Access, p query.Params) bool {
	d := catalogue.Define(figures.Key(p.Values().Get("figure")))
	return d == nil || a.Explains(d, web.ScopeOf(p.Values().Get))
}
