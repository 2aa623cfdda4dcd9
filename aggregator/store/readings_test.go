package store_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/apiclient/record"
)

func testReadings(t *testing.T, database string) {
	l := openLog(t, database)
	l.put(t, 2, 2, ticket("1", 0, record.TicketReserved), ticket("1", 1, record.TicketValid))
	start := noon.Unix() / 60
	at := func(event string, minute, sold int) aggregator.Reading {
		return aggregator.Reading{Event: event, Minute: start + int64(minute), Sold: sold, Present: 7}
	}
	if first, err := l.FirstReading(t.Context()); err != nil || !first.IsZero() {
		t.Errorf("the first is at %v, %v", first, err)
	}
	// Before their readings are stored, no versions are folded.
	if n, err := l.Fold(t.Context(), l.term, noon.Add(time.Hour)); err != nil || n != 0 {
		t.Errorf("folded %d, %v", n, err)
	}
	rich := at(`a"é`, 3, 2)
	rich.Available = new(-4)
	rich.Net = rich.Net.Plus(record.Money{Amount: 1 << 60, Currency: "EUR"}, 1).Plus(record.Money{Amount: -5, Currency: "USD"}, 1)
	var rows []aggregator.Reading
	for minute := range 2500 { // more than are stored at once
		rows = append(rows, at("b", 10+minute, minute))
	}
	if err := l.Record(t.Context(), l.term, append(rows, at(`a"é`, 3, 1), at(`a"é`, 4, 3)), 2); err != nil {
		t.Fatal(err)
	}
	if err := l.Record(t.Context(), l.term, []aggregator.Reading{rich}, 1); err != nil { // stored again
		t.Fatal(err)
	}
	if n, err := l.Recorded(t.Context()); err != nil || n != 2 {
		t.Errorf("recorded up to %d, %v", n, err)
	}
	if n, err := l.Fold(t.Context(), l.term, noon.Add(time.Hour)); err != nil || n != 1 {
		t.Errorf("folded %d, %v", n, err)
	}
	if err := l.Record(t.Context(), l.term+1, rows, 2); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("recorded under another's term: %v", err)
	}
	if err := l.Record(t.Context(), l.term, nil, 3); err == nil {
		t.Error("recorded what the log does not have")
	}
	check := func(event string, from int, want ...aggregator.Reading) {
		t.Helper()
		got, err := l.Readings(t.Context(), event, noon.Add(time.Duration(from)*time.Minute))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s from %d: %v, %v; want %v", event, from, got, err, want)
		}
	}
	check(`a"é`, 0, rich, at(`a"é`, 4, 3))
	check(`a"é`, 4, at(`a"é`, 4, 3))
	check("b", 2508, at("b", 2508, 2498), at("b", 2509, 2499))
	if first, err := l.FirstReading(t.Context()); err != nil || !first.Equal(noon.Add(3*time.Minute)) {
		t.Errorf("the first is at %v, %v", first, err)
	}
	if err := l.ThinReadings(t.Context(), l.term+1, noon, noon.Add(time.Hour), time.Hour); !errors.Is(err, aggregator.ErrLeaseLost) {
		t.Errorf("thinned out under another's term: %v", err)
	}
	for range 2 {
		if err := l.ThinReadings(t.Context(), l.term, noon, noon.Add(70*time.Minute), time.Hour); err != nil {
			t.Fatal(err)
		}
		check(`a"é`, 0, at(`a"é`, 4, 3))
		var minutes []string
		all, err := l.Readings(t.Context(), "b", noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all[:4] {
			minutes = append(minutes, fmt.Sprint(r.Minute-start))
		}
		if fmt.Sprint(minutes) != "[59 69 70 71]" {
			t.Errorf("left are %v…", minutes)
		}
	}
}

// The readings of one night among a million.
func BenchmarkReadings(b *testing.B) {
	for _, d := range databases {
		b.Run(d.name, func(b *testing.B) {
			l := openLog(b, d.fresh(b))
			start := noon.Unix() / 60
			for event := range 1000 {
				rows := make([]aggregator.Reading, 1000)
				for i := range rows {
					rows[i] = aggregator.Reading{Event: fmt.Sprint("evt_", event), Minute: start + int64(i), Available: new(i), Sold: i, Present: i}
				}
				if err := l.Record(b.Context(), l.term, rows, 0); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if all, err := l.Readings(b.Context(), "evt_500", noon); err != nil || len(all) != 1000 {
					b.Fatal(len(all), err)
				}
			}
		})
	}
}
