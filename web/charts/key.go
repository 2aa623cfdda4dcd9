package charts

import "housecount/web/words"

// Key explains the colours of a picture.
type Key []Keyed

// Keyed is an entry of a key: the class of its sample of colour, empty for none, and its words.
type Keyed struct {
	Class string
	Text  words.Sentence
}
