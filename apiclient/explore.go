package apiclient

import "housecount/apiclient/profile"

// startsOver says that page 1, which was asked for first, is the second one by the
// service's counting and says t; it then sets out from page 0.
func (c *pager) startsOver(t pageInfo) bool {
	if !c.auto || !c.exploring || c.here.Style != profile.PagingPage || c.seen > 0 || !t.fromZero || t.page < 0 || t.pages < 0 {
		return false
	}
	switch {
	case c.here.RejectsUnknownParams: // no number was sent
		c.here.N = t.page
	case c.here.N == 1 && t.page == 1 && !c.fromOne:
		c.here.N = 0
		return true
	case c.here.N == 0 && t.page == 1:
		c.here.N, c.fromOne = 1, true
	}
	return false
}

// guess returns another place in which the second page may be.
func (c *pager) guess() (pagePosition, bool) {
	if len(c.guesses) == 0 {
		return pagePosition{}, false
	}
	p := c.guesses[0]
	p.RejectsUnknownParams = c.here.RejectsUnknownParams
	c.guesses = c.guesses[1:]
	return p, true
}

// learn notes how the list was found to go on, at a page that has been read.
func (r *listRead) learn(next pagePosition, more bool) {
	found := &r.w.found
	switch {
	case !r.exploring:
	case !r.auto:
		found.Paging = r.rule.Style
	case r.how != profile.PagingPage && r.how != profile.PagingOffset:
		found.Paging = r.how
		if more {
			found.Param = next.Param
		}
	case r.number > 1: // and it was not the first one again
		found.Paging, found.Param = r.here.Style, r.here.Param
		found.FromZero = r.here.Style == profile.PagingPage && r.here.N == r.number-1
	}
}
