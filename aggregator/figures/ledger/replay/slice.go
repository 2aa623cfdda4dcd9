package replay

import (
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// Slice recomputes the figures of some performances. It folds only the versions that belong to them, and those
// that share an order, a payment or a ticket with these, so that a payment is split as in the whole ledger. It
// needs memory only for those.
type Slice struct {
	number, of int
	ledger     *ledger.Ledger
	needed     map[slicedID]bool
	grown      bool
}

// slicedID is a record, or an order by the kind kindOrder.
type slicedID struct {
	kind record.Kind
	id   string
}

const kindOrder record.Kind = "order"

// NewSlice returns slice number, from 0, of that many slices of all performances. Each performance is in exactly
// one.
func NewSlice(c figures.Calendar, number, of int) *Slice {
	return &Slice{number: number, of: of, ledger: ledger.New(c), needed: map[slicedID]bool{}}
}

func (s *Slice) has(event string) bool { return event != "" && figures.InSlice(event, s.number, s.of) }

func (s *Slice) need(kind record.Kind, id string) {
	if k := (slicedID{kind, id}); id != "" && !s.needed[k] {
		s.needed[k], s.grown = true, true
	}
}

// Offer folds a version if it is needed. Versions are offered ascending by revision.
func (s *Slice) Offer(v record.Version) {
	needs := func(kind record.Kind, id string) bool { return id != "" && s.needed[slicedID{kind, id}] }
	r := v.Record
	var needed bool
	switch r := r.(type) {
	case *record.Event, *record.Setting: // which are few
		s.ledger.Apply(v)
		return
	case *record.Ticket:
		needed = s.has(r.EventID) || needs(kindOrder, r.OrderID) || needs(record.KindTicket, r.Replaces)
	case *record.Payment:
		needed = s.has(r.EventID) || needs(kindOrder, r.OrderID) || needs(record.KindPayment, r.ParentID) ||
			slices.ContainsFunc(r.TicketIDs, func(id string) bool { return needs(record.KindTicket, id) })
	case *record.TicketScan:
		needed = r.TicketID == "" && s.has(r.EventID) || needs(record.KindTicket, r.TicketID)
	case *record.Planning:
		needed = s.has(r.EventID)
	case *record.WalkIn:
		needed = s.has(r.EventID)
	case *record.Admissions:
		needed = s.has(r.EventID)
	}
	if !needed && !needs(r.RecordKind(), r.RecordID()) {
		return
	}
	s.need(r.RecordKind(), r.RecordID()) // so that all versions of it are needed
	switch r := r.(type) {
	case *record.Ticket:
		s.need(kindOrder, r.OrderID)
		s.need(record.KindTicket, r.Replaces)
	case *record.Payment:
		s.need(kindOrder, r.OrderID)
		s.need(record.KindPayment, r.ParentID)
		for _, id := range r.TicketIDs {
			s.need(record.KindTicket, id)
		}
	}
	s.ledger.Apply(v)
}

// Whole reports whether nothing more was found to be needed since the last call. Until then all versions have to
// be offered again, because earlier versions may be needed by later ones.
func (s *Slice) Whole() bool {
	whole := !s.grown
	s.grown = false
	return whole
}

// Proper returns a copy of a snapshot in which the slice's performances are replaced by the recomputed ones, and
// their number. The snapshot was made of the same versions with this coverage and knowledge. Buyers are not
// recomputed, because they depend on all other performances, nor is where they live, which contacts say.
func (s *Slice) Proper(shown *figures.Snapshot, c ledger.Coverage, known ledger.Knowledge) (proper *figures.Snapshot, performances int) {
	recomputed := map[string]*figures.EventFigures{}
	for _, e := range s.ledger.SnapshotWith(shown.Position, c, known).Events {
		if s.has(e.Event.ID) {
			recomputed[e.Event.ID] = e
		}
	}
	p := *shown
	p.Events = nil
	for _, e := range shown.Events {
		if s.has(e.Event.ID) {
			performances++
			anew := recomputed[e.Event.ID]
			if anew == nil {
				continue
			}
			delete(recomputed, e.Event.ID)
			replaced := *anew
			replaced.Buyers, replaced.BuyerDays, replaced.Towns, replaced.Postcodes = e.Buyers, e.BuyerDays, e.Towns, e.Postcodes
			e = &replaced
		}
		p.Events = append(p.Events, e)
	}
	for _, id := range slices.Sorted(maps.Keys(recomputed)) { // those that the snapshot lacks
		performances++
		p.Events = append(p.Events, recomputed[id])
	}
	return &p, performances
}
