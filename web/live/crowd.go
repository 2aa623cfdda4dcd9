package live

// crowd is a set of watchers in the order of joining. Writing to sockets in that order costs less than in another: what
// the operating system and this program hold of them lies side by side.
type crowd struct {
	at   map[*watcher]int // the place in list
	list []*watcher       // nil where one has left
}

func (c *crowd) join(w *watcher) {
	if _, in := c.at[w]; in {
		return
	}
	if c.at == nil {
		c.at = make(map[*watcher]int)
	}
	c.at[w] = len(c.list)
	c.list = append(c.list, w)
}

func (c *crowd) leave(w *watcher) {
	i, in := c.at[w]
	if !in {
		return
	}
	delete(c.at, w)
	if c.list[i] = nil; len(c.list) <= 2*len(c.at)+8 {
		return
	}
	all := make([]*watcher, 0, len(c.at))
	for w := range c.each {
		c.at[w] = len(all)
		all = append(all, w)
	}
	c.list = all
}

func (c *crowd) size() int { return len(c.at) }

// each gives every watcher, in order.
func (c *crowd) each(yield func(*watcher) bool) {
	for _, w := range c.list {
		if w != nil && !yield(w) {
			return
		}
	}
}
