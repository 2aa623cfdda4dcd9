package web

// MostRecent and Remembered show what a Renderer remembers.
const MostRecent = mostRecent

func (r *Renderer) Remembered() int { return len(r.recent.contents) }

// HasWords reports whether an alert of a code has words.
func HasWords(code string) bool { return alertWords[code] != nil }
