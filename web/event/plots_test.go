package event

import (
	"testing"

	"housecount/aggregator/figures"
)

func TestGatesBeyondTheFifthAreOne(t *testing.T) {
	e := &figures.EventFigures{}
	for i := range 9 {
		e.Gates = append(e.Gates, figures.GateFigures{Gate: string(rune('A' + i)), Entries: 2, Minutes: []figures.MinuteCount{{Minute: 1, Count: 1}, {Minute: int64(2 + i), Count: 1}}})
	}
	gates := gatesOf(e)
	if len(gates) != plotGates+1 || !gates[plotGates].combined || gates[plotGates].Entries != 8 {
		t.Fatalf("%d gates, the last %+v", len(gates), gates[len(gates)-1])
	}
	sum := 0
	for _, m := range gates[plotGates].Minutes {
		sum += m.Count
	}
	if sum != 8 || gates[plotGates].Minutes[0].Count != 4 {
		t.Errorf("minutes %+v", gates[plotGates].Minutes)
	}
	if e.Gates[5].Entries != 2 || len(e.Gates[5].Minutes) != 2 {
		t.Error("the snapshot was changed")
	}
}
