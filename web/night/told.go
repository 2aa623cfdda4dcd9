package night

import (
	"slices"
	"time"

	"housecount/web"
	"housecount/web/words"
)

// States of letters, as web.LetterState has them.
const (
	letterWaiting = "waiting"
	letterSent    = "sent"
	letterVoid    = "void"
)

// togetherFor is how far apart letters are that count as sent at one time.
const togetherFor = 2 * time.Minute

// toldSteps returns who was told of an alert at which times, and who could not be: with addresses for those who see them.
func (b builder) toldSteps(told toldOf) (all []lifeStep) {
	told = slices.DeleteFunc(slices.Clone(told), func(t web.LetterReader) bool { return t.Last.State == letterVoid })
	slices.SortStableFunc(told, func(x, y web.LetterReader) int { return x.Last.At.Compare(y.Last.At) })
	for len(told) > 0 {
		first := told[0].Last
		together := func(t web.LetterReader) bool {
			return t.Last.Name == first.Name && t.Last.State == first.State && t.Last.At.Sub(first.At) < togetherFor
		}
		var group toldOf
		for _, t := range told {
			if together(t) {
				group = append(group, t)
			}
		}
		told = slices.DeleteFunc(told, together)
		step := lifeStep{at: first.At, What: b.toldWords(first.Name, first.State, b.List(b.waysOf(group)))}
		if b.Access.Admin && b.Access.WholeHouse() {
			step.Side = b.Names(people(group, addressOf))
		}
		all = append(all, step)
	}
	return all
}

// toldWords says that people are told of an alert by the letters called name.
func (b builder) toldWords(name, state, whom string) words.Sentence {
	switch {
	case state == letterWaiting:
		return b.Say("life.waits", words.Text("whom", whom))
	case state != letterSent:
		return b.Say("life.not_told", words.Text("whom", whom))
	case name == Unanswered:
		return b.Say("life.told_again", words.Text("whom", whom))
	case name == Cleared:
		return b.Say("life.told_over", words.Text("whom", whom))
	}
	return b.Say("life.told", words.Text("whom", whom))
}

// waysOf returns how many people are told in each way.
func (b builder) waysOf(told toldOf) (all []string) {
	by := func(is func(web.LetterReader) bool) int {
		return len(people(slices.DeleteFunc(slices.Clone(told), func(t web.LetterReader) bool { return !is(t) }), nil))
	}
	if n := by(func(t web.LetterReader) bool { return t.Person != "" && t.Device != "" }); n > 0 {
		all = append(all, b.Text("life.by_device", words.Int("n", n)))
	}
	if n := by(func(t web.LetterReader) bool { return t.Person != "" && t.Device == "" }); n > 0 {
		all = append(all, b.Text("life.by_mail", words.Int("n", n)))
	}
	if n := by(func(t web.LetterReader) bool { return t.Person == "" }); n > 0 {
		all = append(all, b.Text("life.by_house", words.Int("n", n)))
	}
	return all
}

// people returns each of those who were told once, as name has them, or by who they are to the store.
func people(told toldOf, name func(web.LetterReader) string) (all []string) {
	for _, t := range told {
		of := t.Person + t.Address
		if t.Person != "" && name == nil { // who gets letters no more, or has changed their address, is one person
			of = t.Person
		} else if name != nil {
			of = name(t)
		}
		if !slices.Contains(all, of) {
			all = append(all, of)
		}
	}
	return all
}

// addressOf is the address at which somebody was told; of who gets letters no more, it is not known.
func addressOf(t web.LetterReader) string {
	if t.Address == "" {
		return words.Dash
	}
	return t.Address
}

var fromTold = &web.Source{Subject: web.WakeRecords, Spare: true, Read: func(s web.Sources, b *web.Builder) (any, error) {
	if s.Told == nil {
		return toldOf(nil), nil
	}
	told, err := s.Told(b.Values.Get("id"))
	if told == nil {
		told = []web.LetterReader{}
	}
	return toldOf(told), err
}}
