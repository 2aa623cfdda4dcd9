package catalogue

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
)

// mostUnequal bounds how many differences of a recompute are listed.
const mostUnequal = 100

// Unequal compares the published figures with those of a recompute, proper, of the same position. differ is how
// many performances differ, plus one if the figures of the whole house do. found lists them, each with those of
// the catalogue's figures that differ. It takes time in proportion to all figures.
func Unequal(shown, proper *figures.Snapshot, now time.Time) (found []record.Found, differ int) {
	a, b := evening.At(shown, now), evening.At(proper, now)
	add := func(id string, differing []record.FoundFigure) {
		if differ++; len(found) < mostUnequal {
			found = append(found, record.Found{Key: string(figures.CheckRecompute) + ":" + id, Event: id, Figures: differing, Since: now})
		}
	}
	should := make(map[string]*figures.EventFigures, len(proper.Events))
	for _, e := range proper.Events {
		should[e.Event.ID] = e
	}
	for _, e := range shown.Events {
		other := should[e.Event.ID]
		delete(should, e.Event.ID)
		if other == nil || !reflect.DeepEqual(e, other) {
			add(e.Event.ID, unequalOf(a, e, b, other))
		}
	}
	for _, e := range proper.Events {
		if should[e.Event.ID] != nil {
			add(e.Event.ID, unequalOf(a, nil, b, e))
		}
	}
	if !sameHouse(shown, proper) {
		var differing []record.FoundFigure
		for _, of := range totals {
			differing = appendUnequal(differing, of.Key, figures.MoneyOf(shown.Total.Of(of.Measure)), figures.MoneyOf(proper.Total.Of(of.Measure)))
		}
		add("", differing)
	}
	slices.SortFunc(found, func(a, b record.Found) int { return cmp.Compare(a.Key, b.Key) })
	return found, differ
}

// totals are the figures of the whole house that are compared individually.
var totals = []struct {
	figures.Key
	figures.Measure
}{{figures.KeyBooked, figures.Booked}, {figures.KeyReceived, figures.Received}, {figures.KeyRefunded, figures.Refunded}, {figures.KeyChargedBack, figures.ChargedBack}, {figures.KeyReversed, figures.Reversed},
	{figures.KeyRefundsPending, figures.RefundsPending}, {figures.KeyFees, figures.Fees}, {figures.KeyVAT, figures.VAT}, {figures.KeyToBePaid, figures.ToBePaid}, {figures.KeyGoodwill, figures.Goodwill}, {figures.KeyToBePaidBack, figures.ToBePaidBack}}

// sameHouse compares what belongs to no single performance, except what people entered and what checks found.
func sameHouse(a, b *figures.Snapshot) bool {
	house := func(s *figures.Snapshot) figures.Snapshot {
		return figures.Snapshot{Days: s.Days, Unattributed: s.Unattributed, UnattributedDays: s.UnattributedDays, OrderDays: s.OrderDays,
			UnattributedOrderDays: s.UnattributedOrderDays, Total: s.Total, Strays: s.Strays, Payments: s.Payments, UnmatchedPayments: s.UnmatchedPayments, Contacts: s.Contacts}
	}
	return reflect.DeepEqual(house(a), house(b))
}

// unequalOf returns the figures of a performance that differ; e or o is nil if one side lacks it.
func unequalOf(v *evening.Evening, e *figures.EventFigures, other *evening.Evening, o *figures.EventFigures) (all []record.FoundFigure) {
	show := func(v *evening.Evening, e *figures.EventFigures) *evening.Show {
		if e == nil {
			return nil
		}
		return v.Show(e)
	}
	shown, proper := show(v, e), show(other, o)
	for i := range catalogue {
		d := &catalogue[i]
		if d.ofShow == nil {
			continue
		}
		read := func(s *evening.Show) figures.Value {
			if s == nil {
				return figures.Value{Quality: figures.Unknown}
			}
			return d.ofShow(s)
		}
		all = appendUnequal(all, d.Key, read(shown), read(proper))
	}
	return all
}

// appendUnequal appends a figure if its two values differ. Ratios are left out, because they follow from other
// figures.
func appendUnequal(all []record.FoundFigure, k figures.Key, shown, proper figures.Value) []record.FoundFigure {
	if Define(k).Unit.Ratio() || shown.Known() == proper.Known() && (!shown.Known() || !shown.Less(proper).Some()) {
		return all
	}
	return append(all, record.FoundFigure{Figure: string(k), Shown: foundValue(shown), Proper: foundValue(proper)})
}

func foundValue(v figures.Value) record.FoundValue {
	return record.FoundValue{Unknown: !v.Known(), Count: v.Count, Amount: v.Amount}
}

// ReadFound returns a value that a recompute stored.
func ReadFound(v record.FoundValue) figures.Value {
	if v.Unknown {
		return figures.Value{Quality: figures.Unknown}
	}
	return figures.Value{Count: v.Count, Amount: v.Amount}
}
