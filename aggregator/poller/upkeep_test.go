package poller_test

import (
	"fmt"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/logtest"
	"housecount/apiclient/record"
)

// What is due is retired once some of it has been due for a week, in quiet hours, and all of it then.
func TestRetire(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s, log := newService(), logtest.New()
		for i, id := range []string{"long ago", "lately", "to come"} { // 98 and 49 hours ago, and in 50 days
			s.put(eveningEvent(id, []time.Duration{-100, -51, 1200}[i]*time.Hour))
			sold := sale("of "+id, id)
			sold.ContactID, sold.Scans = "con of "+id, []record.Scan{{At: eveningEvent(id, []time.Duration{-100, -51, 1200}[i]*time.Hour).StartsAt, Direction: record.Entry}}
			s.put(sold)
		}
		run(t, s, log, func(o *options) { o.keep, o.cadence.Idle, o.cadence.OnSale = 48*time.Hour, 6*time.Hour, 6*time.Hour })
		retired := func() (all []string) {
			for _, r := range log.Retired() {
				for _, a := range r.Admissions {
					all = append(all, a.EventID)
				}
				all = append(all, r.Contacts...)
			}
			return all
		}
		log.Set(func() { log.FailRetire, log.Retiring = fmt.Errorf("no room"), true })
		pass(3*time.Hour + 30*time.Minute)
		log.Set(func() { log.FailRetire = nil })
		pass(96 * time.Hour)
		if got := retired(); got != nil {
			t.Errorf("retired %q too early", got)
		}
		if n := len(log.Retired()); n != 1 {
			t.Errorf("what was begun was gone on with %d times, want once", n)
		}
		pass(49 * time.Hour)
		if got, want := fmt.Sprintf("%q", retired()), `["lately" "long ago" "con of lately" "con of long ago"]`; got != want {
			t.Errorf("retired %s, want %s", got, want)
		}
		for _, r := range log.Retired() {
			if hour := r.At.UTC().Hour(); hour < 3 || hour > 5 {
				t.Errorf("retired at %v", r.At)
			}
		}
	})
}

// What was begun to be retired is ended, also where everything is stored for ever by now.
func TestRetireIsEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		log := logtest.New()
		log.Set(func() { log.Retiring = true })
		run(t, newService(), log, func(o *options) { o.cadence.Idle, o.cadence.OnSale = 6*time.Hour, 6*time.Hour })
		pass(24 * time.Hour)
		if r := log.Retired(); len(r) != 1 || !r[0].Empty() {
			t.Errorf("retired %+v, want once what was begun", r)
		}
	})
}

// Readings are thinned out on the days that have any, once in a term for each age.
func TestReadingsAreThinned(t *testing.T) {
	bubble(t, func(t *testing.T) {
		log := logtest.New()
		var rows []aggregator.Reading
		for _, day := range []int{-10_000, -101, -99, -34, 300} {
			rows = append(rows, aggregator.Reading{Event: "e", Minute: time.Now().AddDate(0, 0, day).Unix() / 60})
		}
		if err := log.Open().Record(t.Context(), 0, rows, 0); err != nil {
			t.Fatal(err)
		}
		today := time.Now().UTC().Truncate(24 * time.Hour)
		start := func(day int, bucket time.Duration) string {
			return today.AddDate(0, 0, day).Format("2006-01-02 15:04 ") + bucket.String()
		}
		run(t, newService(), log, func(o *options) { o.cadence.Idle, o.cadence.OnSale = 6*time.Hour, 6*time.Hour })
		pass(24 * time.Hour)
		if got, want := fmt.Sprint(log.Thinned()), fmt.Sprint([]string{start(-10_000, 24*time.Hour), start(-101, time.Hour), start(-99, 15*time.Minute)}); got != want {
			t.Errorf("thinned out %s, want %s", got, want)
		}
		if n := log.Looked(); n != 4 { // each of those days, and the first on which every minute stays
			t.Errorf("in one night a day with readings was looked for %d times, want 4", n)
		}
		pass(72 * time.Hour)
		if got, want := fmt.Sprint(log.Thinned()), fmt.Sprint([]string{start(-99, time.Hour), start(-34, 15*time.Minute)}); got != want {
			t.Errorf("thinned out %s in the days after, want %s", got, want)
		}
	})
}

// Readings are stored as they are made; what cannot be stored is stored later.
func TestReadingsAreStored(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := run(t, tonight(), logtest.New())
		sold := func() (n []int) {
			for _, r := range h.log.Stored() {
				if r.Event == "evt_big" {
					n = append(n, r.Sold)
				}
			}
			return n
		}
		sell := func(id string) {
			pass(2 * time.Minute)
			h.put(sale(id, "evt_big"))
			pass(2 * time.Minute)
		}
		sell("1")
		sell("2")
		if got := fmt.Sprint(sold()); got != "[6 8]" {
			t.Errorf("stored %s before the minute of the third had ended", got)
		}
		h.log.Set(func() { h.log.FailAppend = fmt.Errorf("no room") })
		pass(time.Minute)
		h.log.Set(func() { h.log.FailAppend = nil })
		sell("3")
		sell("4")
		if got := fmt.Sprint(sold()); got != "[6 8 10 12]" {
			t.Errorf("stored %s", got)
		}
		if rows, _ := h.Readings(); len(rows) > 0 {
			t.Errorf("%d readings are still held", len(rows))
		}
	})
}
