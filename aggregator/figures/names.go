package figures

// ref stands for a text that many records repeat; 0 is the empty text.
type ref int32

// names keeps each text once.
type names struct {
	refs  map[string]ref
	texts []string
}

func newNames() names {
	return names{refs: map[string]ref{"": 0}, texts: []string{""}}
}

func (n *names) ref(text string) ref {
	r, known := n.refs[text]
	if !known {
		r = ref(len(n.texts))
		n.refs[text] = r
		n.texts = append(n.texts, text)
	}
	return r
}

func (n *names) text(r ref) string { return n.texts[r] }
