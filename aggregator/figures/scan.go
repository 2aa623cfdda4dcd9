package figures

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// listedScan is what the ledger holds of a scan that came in a list of its own, apart from its ticket.
type listedScan struct {
	id       string
	ticket   string
	revision int64
	scan
	through bool // let through and not undone
	counts  bool // not deleted
}

// same says that two readings of a scan make the same figures.
func (p *listedScan) same(o *listedScan) bool {
	return p.ticket == o.ticket && p.scan == o.scan && p.through == o.through && p.counts == o.counts
}

// applyScan puts a scan in the place of what was held of it.
func (l *Ledger) applyScan(r *record.TicketScan, v record.Version) {
	held := l.scans[r.ID]
	if held != nil && !newest(v, held.revision) || !v.Head {
		return
	}
	next := listedScan{id: r.ID, ticket: r.TicketID, revision: v.Revision, counts: !r.Deleted}
	next.scan, next.through = l.scanOf(r.Scan)
	switch {
	case held == nil:
		held = &listedScan{}
		l.scans[r.ID] = held
	case held.same(&next):
		held.revision = next.revision
		return
	default:
		l.give(held, -1)
	}
	*held = next
	l.give(held, 1)
}

// give puts a scan to its ticket (n = 1) or takes it away (n = −1).
func (l *Ledger) give(p *listedScan, n int) {
	if !p.counts {
		return
	}
	t := l.tickets[p.ticket]
	if t != nil {
		l.postScans(p.ticket, t, -1)
	} else {
		l.missing.scans += n
	}
	if n > 0 {
		l.byTicket[p.ticket] = append(l.byTicket[p.ticket], p)
	} else {
		prune(l.byTicket, p.ticket, p)
	}
	if t != nil {
		l.postScans(p.ticket, t, 1)
	}
}

// scanOf reads a scan; through says that somebody was let through, and it was not undone.
func (l *Ledger) scanOf(s record.Scan) (read scan, through bool) {
	passed := s.Result == "" || s.Result == "ok"
	known := s.Direction == record.Entry || s.Direction == record.Exit
	return scan{stampOf(s.At), l.names.ref(s.Gate), s.Direction == record.Exit}, passed && known && !s.Undone
}

// scansOf are a ticket's own scans and those listed apart from it, in the order in which they
// happened; known says that anything is known of them. A scan that came in both ways counts once.
func (l *Ledger) scansOf(id string, t *ticket) (scans []scan, known bool) {
	apart := l.byTicket[id]
	if len(apart) == 0 {
		return t.scans, t.scansReported
	}
	apart = slices.SortedFunc(slices.Values(apart), func(a, b *listedScan) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	scans = slices.Clone(t.scans)
	seen := make(map[scan]bool, len(scans)+len(apart))
	for _, s := range scans {
		seen[s] = true
	}
	for _, p := range apart {
		if p.through && !seen[p.scan] {
			seen[p.scan] = true
			scans = append(scans, p.scan)
		}
	}
	slices.SortStableFunc(scans, func(a, b scan) int { return cmp.Compare(a.at, b.at) })
	return scans, true
}
