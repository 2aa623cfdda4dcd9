package figures

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"housecount/apiclient/record"
)

// mostUnequal bounds how many differences of a recompute are listed.
const mostUnequal = 100

// Unequal compares the figures that are shown with those of a recompute, proper, which are of the same
// position: differ is how many performances differ, with one more where the figures of the whole house do, and
// found lists them, each with the figures of the catalogue that are not the same. It takes time in
// proportion to all figures.
func Unequal(shown, proper *Snapshot, now time.Time) (found []record.Found, differ int) {
	a, b := shown.Evening(now), proper.Evening(now)
	add := func(id string, differing []record.FoundFigure) {
		if differ++; len(found) < mostUnequal {
			found = append(found, record.Found{Key: string(CheckRecompute) + ":" + id, Event: id, Figures: differing, Since: now})
		}
	}
	should := make(map[string]*EventFigures, len(proper.Events))
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
			differing = appendUnequal(differing, of.Key, moneyOf(shown.Total.Of(of.Measure)), moneyOf(proper.Total.Of(of.Measure)))
		}
		add("", differing)
	}
	slices.SortFunc(found, func(a, b record.Found) int { return cmp.Compare(a.Key, b.Key) })
	return found, differ
}

// totals are the figures of the whole house that are compared one by one.
var totals = []struct {
	Key
	Measure
}{{KeyBooked, Booked}, {KeyReceived, Received}, {KeyRefunded, Refunded}, {KeyChargedBack, ChargedBack}, {KeyReversed, Reversed},
	{KeyRefundsPending, RefundsPending}, {KeyFees, Fees}, {KeyVAT, VAT}, {KeyToBePaid, ToBePaid}, {KeyToBePaidBack, ToBePaidBack}}

// sameHouse compares what is of no single performance, but for what people entered and checks found.
func sameHouse(a, b *Snapshot) bool {
	house := func(s *Snapshot) Snapshot {
		return Snapshot{Days: s.Days, Unattributed: s.Unattributed, UnattributedDays: s.UnattributedDays, OrderDays: s.OrderDays,
			UnattributedOrderDays: s.UnattributedOrderDays, Total: s.Total, Strays: s.Strays, Payments: s.Payments, Apart: s.Apart, Contacts: s.Contacts}
	}
	return reflect.DeepEqual(house(a), house(b))
}

// unequalOf are the figures of a performance that are not the same; one that is nil has none.
func unequalOf(v *Evening, e *EventFigures, other *Evening, o *EventFigures) (all []record.FoundFigure) {
	show := func(v *Evening, e *EventFigures) *Show {
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
		read := func(s *Show) Value {
			if s == nil {
				return Value{Quality: Unknown}
			}
			return d.ofShow(s)
		}
		all = appendUnequal(all, d.Key, read(shown), read(proper))
	}
	return all
}

// appendUnequal appends a figure of which the two values are not the same. Shares are of other figures.
func appendUnequal(all []record.FoundFigure, k Key, shown, proper Value) []record.FoundFigure {
	if Define(k).Unit.Ratio() || shown.Known() == proper.Known() && (!shown.Known() || !shown.less(proper).Some()) {
		return all
	}
	return append(all, record.FoundFigure{Figure: string(k), Shown: foundValue(shown), Proper: foundValue(proper)})
}

func foundValue(v Value) record.FoundValue {
	return record.FoundValue{Unknown: !v.Known(), Count: v.Count, Amount: v.Amount}
}

// ReadFound is a value that a recompute stored.
func ReadFound(v record.FoundValue) Value {
	if v.Unknown {
		return Value{Quality: Unknown}
	}
	return Value{Count: v.Count, Amount: v.Amount}
}
