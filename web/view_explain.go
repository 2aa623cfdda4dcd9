package web

import (
	"unicode"
	"unicode/utf8"

	"housecount/aggregator/figures"
	"housecount/web/words"
)

// explanation is how a figure comes about.
type explanation struct {
	Name       string
	Of         sentence
	Value      num
	Line       sentence // the formula
	Definition string
	Terms      []explainedTerm
	Parts      []explainedPart
	Counted    sentence // from what, where there are no terms
	Quality    sentence
	Reasons    []sentence
	AsOf       sentence
}

type explainedTerm struct {
	Sign, Name, Href string
	Value            num
}

type explainedPart struct {
	Title, When, Href string
	Value             num
}

// explain builds the explanation of a figure.
func (b *builder) explain() (view, error) {
	x, ok := b.evening.Explain(figures.Key(b.params.Get("figure")), scopeOf(b.params.Get))
	if !ok {
		return view{}, ErrNotFound
	}
	e := b.explanation(x)
	return view{title: e.Name, body: explainBody, fragments: []fragment{{"explanation", e.html()}}}, nil
}

func (b *builder) explanation(x figures.Explanation) explanation {
	e := explanation{Name: b.figureTitle(x.Key), Of: b.scopeWords(x), Value: b.value(x.Definition, x.Value, x.Scope.Currency, x.Event), Definition: b.Code("definition", string(x.Key))}
	var formula sentence
	for i, t := range x.Terms {
		d := figures.Define(t.Key)
		if !b.Access.explains(d, x.Scope) {
			e.Terms, formula = nil, nil
			break
		}
		term := explainedTerm{Sign: signs[t.Op], Name: b.figureTitle(t.Key), Href: explainHref(t.Key, x.Scope), Value: b.value(d, t.Value, x.Scope.Currency, x.Event)}
		if i == 0 {
			term.Sign = ""
		} else {
			formula = append(formula, words.Run{Text: " " + term.Sign + " "})
		}
		formula = append(formula, b.Say("explain.term", words.Plain("value", term.Value), words.Text("name", b.Code("figure", string(t.Key))))...)
		e.Terms = append(e.Terms, term)
	}
	if len(e.Terms) > 0 {
		e.Line = b.Say("explain.equals", words.Plain("value", e.Value), words.Part("formula", formula))
	} else {
		var kinds []string
		for _, k := range x.From {
			kinds = append(kinds, b.Code("rows", string(k)))
		}
		e.Counted = b.Say("explain.counted", words.Text("records", b.List(kinds)))
	}
	for _, p := range x.Parts {
		part := explainedPart{Title: b.title(p.Event), Href: explainHref(p.Key, figures.Scope{Event: p.Event.Event.ID}), Value: b.value(figures.Define(p.Key), p.Value, "", p.Event)}
		if at := p.Event.Event.StartsAt; !at.IsZero() {
			part.When = b.Clock(at, b.zone)
		}
		e.Parts = append(e.Parts, part)
	}
	e.Quality = b.Say("explain.exact")
	if x.Quality != figures.Exact {
		e.Quality = b.Say("explain.is", words.Text("quality", b.Code("quality", qualityCode(x.Quality, x.Reasons))))
	}
	for _, r := range x.Reasons {
		e.Reasons = append(e.Reasons, b.Say("explain.because", words.Text("reason", capital(b.Code("reason", string(r)))), words.Text("remedy", b.Code("remedy", string(r)))))
	}
	e.AsOf = b.Say("explain.never")
	if !x.AsOf.IsZero() {
		e.AsOf = b.Say("explain.as_of", words.Text("time", b.ClockSeconds(x.AsOf, b.zone)), words.Text("position", b.Count(int(b.Position.Revision))))
	}
	return e
}

// signs are the operations as they are written.
var signs = [...]string{figures.Plus: "+", figures.Less: "−", figures.DividedBy: "÷"}

// figureTitle is a figure's name as a heading.
func (b *builder) figureTitle(k figures.Key) string { return capital(b.Code("figure", string(k))) }

func capital(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// scopeWords is what the figure is of.
func (b *builder) scopeWords(x figures.Explanation) sentence {
	switch {
	case x.Event != nil:
		return words.NameAlone(b.title(x.Event))
	case x.Scope.Night:
		return b.Say("explain.night")
	case x.Scope.Orders:
		return b.Say("explain.orders", words.Text("period", b.period(x.Scope.From, x.Scope.To)))
	case x.Scope.From != "":
		return b.Say("explain.period", words.Text("period", b.period(x.Scope.From, x.Scope.To)))
	}
	return b.Say("explain.evening")
}
