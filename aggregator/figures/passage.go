package figures

import (
	"cmp"
	"slices"

	"housecount/apiclient/record"
)

// passage is what the ledger holds of a scan that is told apart from its ticket.
type passage struct {
	id       string
	ticket   string
	revision int64
	scan
	through bool // let through and not undone
	counts  bool // not deleted
}

// same says that two readings of a passage make the same figures.
func (p *passage) same(o *passage) bool {
	return p.ticket == o.ticket && p.scan == o.scan && p.through == o.through && p.counts == o.counts
}

// applyScan puts a scan in the place of what was held of it.
func (l *Ledger) applyScan(r *record.TicketScan, v record.Version) {
	held := l.passages[r.ID]
	if held != nil && !newest(v, held.revision) || !v.Head {
		return
	}
	next := passage{id: r.ID, ticket: r.TicketID, revision: v.Revision, counts: !r.Deleted}
	next.scan, next.through = l.scanOf(r.Scan)
	switch {
	case held == nil:
		held = &passage{}
		l.passages[r.ID] = held
	case held.same(&next):
		held.revision = next.revision
		return
	default:
		l.pass(held, -1)
	}
	*held = next
	l.pass(held, 1)
}

// pass puts a passage to its ticket (n = 1) or takes it away (n = −1).
func (l *Ledger) pass(p *passage, n int) {
	if !p.counts {
		return
	}
	t := l.tickets[p.ticket]
	if t != nil {
		l.postScans(p.ticket, t, -1)
	}
	if n > 0 {
		l.apart[p.ticket] = append(l.apart[p.ticket], p)
	} else {
		prune(l.apart, p.ticket, p)
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

// scansOf are a ticket's own scans and those told apart from it, in the order in which they
// happened; told says that anything was told of them. A scan told in both ways counts once.
func (l *Ledger) scansOf(id string, t *ticket) (scans []scan, told bool) {
	apart := l.apart[id]
	if len(apart) == 0 {
		return t.scans, t.scansTold
	}
	apart = slices.SortedFunc(slices.Values(apart), func(a, b *passage) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
	})
	scans = slices.Clone(t.scans)
	listed := make(map[scan]bool, len(scans)+len(apart))
	for _, s := range scans {
		listed[s] = true
	}
	for _, p := range apart {
		if p.through && !listed[p.scan] {
			listed[p.scan] = true
			scans = append(scans, p.scan)
		}
	}
	slices.SortStableFunc(scans, func(a, b scan) int { return cmp.Compare(a.at, b.at) })
	return scans, true
}
