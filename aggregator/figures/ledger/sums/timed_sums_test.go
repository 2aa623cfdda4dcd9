package sums

import (
	"math/rand/v2"
	"testing"
	"time"

	"housecount/aggregator/figures"
)

// What waits for the next publication needs room for its sums, however many records are behind them, and nothing of it is lost.
func TestSumsWaitInLittleRoom(t *testing.T) {
	const keys, puts = 300, 50_000
	random := rand.New(rand.NewPCG(1, 2))
	var sums TimedSums
	want := map[figures.TimedKey]int64{}
	for range puts {
		k, value := figures.TimedKeyOf(int32(random.IntN(keys/2)), figures.Measure(random.IntN(2))), random.Int64N(100)-30
		sums.put(k, value)
		want[k] += value
	}
	if room := cap(sums.pending); room > 4*keys {
		t.Errorf("room for %d rows is held for %d sums", room, keys)
	}
	rows := sums.publish()
	last := figures.TimedKey(0)
	for r := range rows.All() {
		if r.Value != want[r.TimedKey] || r.TimedKey <= last && last > 0 {
			t.Errorf("the row of %v after %v is %d, want %d", r.TimedKey, last, r.Value, want[r.TimedKey])
		}
		last = r.TimedKey
		delete(want, r.TimedKey)
	}
	for k, value := range want {
		if value != 0 {
			t.Errorf("no row of %v, want %d", k, value)
		}
	}
}

// TestNumberedDays compares the days that are written beforehand, and those around them, with the calendar.
func TestNumberedDays(t *testing.T) {
	for n := figures.FirstCommon - 800; n < figures.FirstCommon+figures.CommonCount+800; n++ {
		if want := time.Unix(int64(n)*figures.DaySeconds, 0).UTC().Format(time.DateOnly); string(n.Day()) != want {
			t.Fatalf("day %d is %s, want %s", n, n.Day(), want)
		}
	}
}
