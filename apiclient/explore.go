package apiclient

import "housecount/apiclient/profile"

// startsOver says that page 1, which was asked for first, is the second one by the
// service's counting and says t; it then sets out from page 0.
func (pg *pager) restartsAtZero(info pageInfo) bool {
	if !pg.auto || !pg.exploring || pg.here.Style != profile.PagingPage || pg.seen > 0 || !info.fromZero || info.page < 0 || info.pages < 0 {
		return false
	}
	switch {
	case pg.here.RejectsUnknownParams: // no number was sent
		pg.here.N = info.page
	case pg.here.N == 1 && info.page == 1 && !pg.fromOne:
		pg.here.N = 0
		return true
	case pg.here.N == 0 && info.page == 1:
		pg.here.N, pg.fromOne = 1, true
	}
	return false
}

// guess returns another place in which the second page may be.
func (pg *pager) nextAlternative() (pagePosition, bool) {
	if len(pg.alternatives) == 0 {
		return pagePosition{}, false
	}
	p := pg.alternatives[0]
	p.RejectsUnknownParams = pg.here.RejectsUnknownParams
	pg.alternatives = pg.alternatives[1:]
	return p, true
}

// learn notes how the list was found to go on, at a page that has been read.
func (r *listRead) recordPaging(next pagePosition, more bool) {
	found := &r.sr.found
	switch {
	case !r.exploring:
	case !r.auto:
		found.Paging = r.rule.Style
	case r.foundBy != profile.PagingPage && r.foundBy != profile.PagingOffset:
		found.Paging = r.foundBy
		if more {
			found.Param = next.Param
		}
	case r.number > 1: // and it was not the first one again
		found.Paging, found.Param = r.here.Style, r.here.Param
		found.FromZero = r.here.Style == profile.PagingPage && r.here.N == r.number-1
	}
}
