package ledger

import "housecount/apiclient/record"

// applyScan stores a listed scan in place of its previous version.
func (l *Ledger) applyScan(r *record.TicketScan, v *record.Version) {
	held := l.scans[r.ID]
	if held != nil && !newest(v, held.revision) || !v.Head {
		return
	}
	next := listedScan{id: r.ID, ticket: r.TicketID, revision: v.Revision, counts: !r.Deleted}
	next.scan, next.through = l.scanOf(r.Scan)
	if r.TicketID == "" {
		next.event = l.account(r.EventID)
	}
	switch {
	case held == nil:
		held = &listedScan{}
		l.scans[r.ID] = held
	case held.same(&next):
		held.revision = next.revision
		return
	default:
		l.give(held, -1)
		if held.event != nil && held.event != next.event { // which counts it no more
			held.event.trail.Add(v.Revision)
		}
	}
	*held = next
	l.give(held, 1)
}

// give adds a scan to its ticket (n = 1) or removes it (n = −1).
func (l *Ledger) give(p *listedScan, n int) {
	if !p.counts {
		return
	}
	if p.event != nil {
		l.touch(p.event)
		l.scansReported += n
		p.event.pass(p, n)
		return
	}
	t, known := l.ticket(p.ticket)
	replaced := l.exchanges.Before(p.ticket, l.exchanges.First[p.ticket])
	l.rescan(replaced, -1)
	if known {
		l.postScans(p.ticket, &t, -1)
	} else {
		l.missing.scans += n
	}
	if n > 0 {
		l.byTicket[p.ticket] = append(l.byTicket[p.ticket], p)
	} else {
		prune(l.byTicket, p.ticket, p)
	}
	if known {
		l.postScans(p.ticket, &t, 1)
	}
	l.rescan(replaced, 1)
}
