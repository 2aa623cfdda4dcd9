package ledger_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// pass is a scan that let somebody through.
type pass struct {
	at   int64
	gate string
	way  record.Direction
}

// passes returns those of a ticket, in the order of their times.
func (c *recompute) passes(t *record.Ticket) (passes []pass) {
	take := func(s record.Scan, again bool) {
		p := pass{0, s.Gate, s.Direction}
		if !s.At.IsZero() {
			p.at = s.At.UnixMicro()
		}
		if (s.Result == "" || s.Result == "ok") && !s.Undone && (p.way == record.Entry || p.way == record.Exit) && (again || !slices.Contains(passes, p)) {
			passes = append(passes, p)
		}
	}
	for _, s := range t.Scans {
		take(s, true)
	}
	slices.SortFunc(c.scans, func(a, b *record.TicketScan) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	for _, s := range c.scans {
		if s.TicketID == t.ID && !s.Deleted {
			take(s.Scan, false)
		}
	}
	slices.SortStableFunc(passes, func(a, b pass) int { return cmp.Compare(a.at, b.at) })
	return passes
}

// cameOn returns when somebody first came in after a moment on a ticket or one that replaces it, directly or not; 0 for never.
func (c *recompute) cameOn(id string, after int64, not map[string]bool) (first int64) {
	if not[id] {
		return 0
	}
	not[id] = true
	if t := c.tickets[id]; t != nil && foldtest.CountsTicket(t) && admits(t) {
		for _, p := range c.passes(t) {
			if p.way == record.Entry && p.at > after && (first == 0 || p.at < first) {
				first = p.at
			}
		}
	}
	for _, next := range c.tickets {
		if next.Replaces == id && next.ID != id {
			if at := c.cameOn(next.ID, after, not); at != 0 && (first == 0 || at < first) {
				first = at
			}
		}
	}
	return first
}

// exchangedPlaces returns the places of a ticket that replaces another.
func exchangedPlaces(t *record.Ticket) int {
	if !t.Test && !t.Deleted && !foldtest.CountsTicket(t) {
		return 0
	}
	return min(max(0, t.Places()), 100_000)
}

// visits counts who came in on a ticket, who went out, and who is inside: not who came in later on one that replaces it.
func (c *recompute) visits(t *record.Ticket, standing bool, count func(string, int)) {
	if t.Places() < 0 {
		return
	}
	passes, entered := c.passes(t), false
	for _, p := range passes {
		if p.way == record.Exit {
			count("exits", 1)
		}
		if p.way != record.Entry {
			continue
		}
		count("gate "+p.gate, t.Places())
		minute := p.at / 60_000_000
		if p.at != 0 {
			count(fmt.Sprintf("gate %s at %d", p.gate, minute), t.Places())
		}
		if !entered {
			count("admitted at "+p.gate, t.Places())
		}
		if !entered && standing && p.at != 0 {
			count(fmt.Sprintf("arrived at %d", minute), t.Places())
		}
		entered = true
	}
	if !entered {
		return
	}
	count("attendance", t.Places())
	if standing {
		count("arrived", t.Places())
	}
	last := passes[len(passes)-1]
	if last.way == record.Exit {
		count("left by "+last.gate, t.Places())
	}
	switch {
	case last.way == record.Entry:
		inside := t.Places()
		moved := map[int64]int{}
		for _, next := range c.tickets {
			if next.Replaces == t.ID && next.ID != t.ID {
				if at := c.cameOn(next.ID, last.at, map[string]bool{t.ID: true}); at != 0 {
					moved[at] += exchangedPlaces(next)
				}
			}
		}
		for _, at := range slices.Sorted(maps.Keys(moved)) {
			n := min(moved[at], inside)
			inside -= n
			count(fmt.Sprintf("departed at %d", at/60_000_000), n)
			count("moved on", n)
		}
		count("present", inside)
	case last.at != 0:
		count(fmt.Sprintf("departed at %d", last.at/60_000_000), t.Places())
	}
}

// passed counts who came in and went out by scans that name no ticket.
func (c *recompute) passed() {
	inside := map[string]int{}
	for _, s := range c.scans {
		if s.TicketID != "" || s.Deleted || s.Undone || s.Result != "" && s.Result != "ok" || s.Direction != record.Entry && s.Direction != record.Exit {
			continue
		}
		minute := s.At.Unix() / 60
		count := func(what string, n int) { c.places[[2]string{s.EventID, what}] += n }
		if s.Direction == record.Exit {
			count("exits", 1)
			count("left by "+s.Gate, 1)
			inside[s.EventID]--
			if !s.At.IsZero() {
				count(fmt.Sprintf("departed at %d", minute), 1)
			}
			continue
		}
		inside[s.EventID]++
		for _, what := range []string{"attendance", "arrived", "gate " + s.Gate, "admitted at " + s.Gate} {
			count(what, 1)
		}
		if !s.At.IsZero() {
			count(fmt.Sprintf("arrived at %d", minute), 1)
			count(fmt.Sprintf("gate %s at %d", s.Gate, minute), 1)
		}
	}
	for event, n := range inside {
		at := [2]string{event, "present"}
		c.places[at] = max(0, c.places[at]+n)
	}
}
