package poller_test

import (
	"fmt"
	"testing"
	"time"

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
