package sums

import "strings"

// Ref stands for a text that many records repeat; 0 is the empty text.
type Ref int32

// Names keeps each text once.
type Names struct {
	refs  map[string]Ref
	texts []string
}

// NewNames returns names in which the given texts, all different, have the refs from 1 on.
func NewNames(texts ...string) Names {
	n := Names{refs: map[string]Ref{}, texts: []string{""}}
	for _, text := range texts {
		n.Ref(text)
	}
	return n
}

func (n *Names) Ref(text string) Ref {
	if text == "" { // the usual value of an optional field
		return 0
	}
	r, known := n.refs[text]
	if !known {
		text = strings.Clone(text) // it may be a part of a whole row
		r = Ref(len(n.texts))
		n.refs[text] = r
		n.texts = append(n.texts, text)
	}
	return r
}

func (n *Names) Text(r Ref) string { return n.texts[r] }
