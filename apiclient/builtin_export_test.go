package apiclient

// StreamRule is what a sample of a stream's answer has to be read with.
type StreamRule struct {
	Name, List, Over, With string
	Keeps                  bool
	Gives                  []Kind
}

// StreamRules are the streams of p in their order.
func (p *Profile) StreamRules() (rules []StreamRule) {
	for _, s := range p.streams {
		rules = append(rules, StreamRule{s.Name, s.List, s.Over, s.With, s.keep != nil, s.Gives})
	}
	return rules
}
