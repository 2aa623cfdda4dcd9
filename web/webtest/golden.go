package webtest

import (
	"slices"
	"testing"

	"housecount/web"
	"housecount/web/words"
)

// GoldenRoles compares what frames of the small house carry for each role with golden files. Every role sees
// the same on the wall, and of the search only the languages are compared.
func GoldenRoles(t *testing.T, views ...View) {
	r, s := Renderer(t), Small(t).Snapshot()
	for _, v := range views {
		for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager} {
			if !v.SeenBy(role) || v.Page == "events" || v.Page == "wall" && role != web.Door {
				continue
			}
			name := v.Page
			if v.Page == "wall" && v.Params != "" {
				name += "-hall"
			}
			t.Run(name+"-"+string(role), func(t *testing.T) {
				got := OneElementALine(t, All(t, Content(t, r, v.As(role), s, ShowTime)))
				Golden(t, name+"-"+string(role), got)
			})
		}
	}
}

// GoldenLanguages compares what a manager reads of the small house, in every language but English, with golden
// files.
func GoldenLanguages(t *testing.T, views ...View) {
	r, s := Renderer(t), Small(t).Snapshot()
	for _, l := range words.Locales[1:] {
		for _, v := range views {
			t.Run(string(l)+"-"+v.Page, func(t *testing.T) {
				texts := ReadTexts(t, Page(t, r, In(l, v.As(web.Manager)), s, ShowTime))
				slices.Sort(texts[:len(texts)-1]) // those of charts come in no order
				Golden(t, v.Page+"-"+string(l), ReadLines(texts))
			})
		}
	}
}
