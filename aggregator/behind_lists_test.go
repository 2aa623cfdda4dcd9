package aggregator_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// Each list that is behind marks what is counted from it, until it has been read.
func TestListsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lists := []aggregator.Stream{{Name: "events", Kinds: []record.Kind{record.KindEvent}}, {Name: "tickets", Kinds: []record.Kind{record.KindTicket}}, {Name: "payments", Kinds: []record.Kind{record.KindPayment}},
			{Name: "scans", Kinds: []record.Kind{record.KindScan}}, {Name: "planning", Kinds: []record.Kind{record.KindPlanning}}}
		marked := func(s *figures.Snapshot, name string) bool {
			e := s.Event("a")
			reasons := map[string][]figures.Reason{"events": e.Available.Reasons, "tickets": e.Sold.Reasons, "payments": e.Revenue.Of(figures.Received).Reasons,
				"scans": e.Attendance.Reasons, "planning": e.Forecast.Reasons}
			return slices.Contains(reasons[name], figures.ReasonBehind)
		}
		h := followStreams(t, logtest.New(), lists)
		defer h.stop()
		var all []aggregator.StreamState
		for _, list := range lists {
			all = append(all, read(list.Name))
		}
		h.append(all, event("a", 10, 0), ticket("t", "a"), &record.Planning{ID: "p", EventID: "a", ExpectedVisitors: new(4)})
		for _, list := range lists {
			behind := read(list.Name)
			behind.Behind = true
			for _, state := range []aggregator.StreamState{behind, read(list.Name)} {
				h.append([]aggregator.StreamState{state})
				if got := marked(h.Snapshot(), list.Name); got != state.Behind {
					t.Errorf("%s are behind: %v, and marked: %v", list.Name, state.Behind, got)
				}
			}
		}
	})
}
