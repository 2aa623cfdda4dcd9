package web

// MostRecent and Remembered show what a Renderer remembers.
const MostRecent = mostRecent

func (r *Renderer) Remembered() int { return len(r.recent.contents) }
