package outage

import (
	"errors"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// Whoever was verified within a minute before the database failed is remembered until the limit, and nobody else is.
func TestOutage(t *testing.T) {
	start := time.Date(2026, 11, 25, 20, 0, 0, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	fails := errors.New("it does not answer")
	o := New[string](10 * time.Minute)
	o.Verify("early", "x", at(90000), at(0))
	o.Verify("recent", "x", at(90000), at(100))
	o.Verify("short", "x", at(200), at(100))
	o.Verify("ended", "x", at(90000), at(100))
	o.Forget("ended")

	if away, changed, toLog, _ := o.Noted(fails, at(120), at(121)); away || changed || toLog {
		t.Error("one failure counts as away")
	}
	if who, ok := o.Recall("recent", at(121)); !ok || who != "x" {
		t.Error("before it counts as away, who was verified is not remembered")
	}
	if away, changed, toLog, since := o.Noted(fails, at(122), at(122)); !away || !changed || !toLog || !since.Equal(at(120)) {
		t.Error("two seconds of failures do not count as away, once and with their beginning")
	}
	for _, c := range []struct {
		token string
		at    int
		known bool
	}{
		{"recent", 122, true}, {"recent", 719, true}, {"recent", 720, false},
		{"early", 122, false}, // 120 seconds before
		{"short", 199, true}, {"short", 200, false},
		{"ended", 122, false}, {"stranger", 122, false},
	} {
		if _, got := o.Recall(c.token, at(c.at)); got != c.known {
			t.Errorf("%s at %d s: remembered %t", c.token, c.at, got)
		}
	}
	logged := 0
	for s := 123; s <= 122+1800; s++ {
		if _, changed, toLog, _ := o.Noted(fails, at(s), at(s)); toLog {
			logged++
		} else if changed {
			t.Errorf("something changed after %d s", s)
		}
	}
	if logged != 3 {
		t.Errorf("half an hour is logged %d times more, want every ten minutes", logged)
	}
	if s := o.State(); !s.Since.Equal(at(120)) || !s.Until.Equal(at(720)) || s.Unwritable {
		t.Errorf("the state is %+v", s)
	}
	if away, changed, toLog, since := o.Noted(nil, at(2000), at(2000)); away || !changed || !toLog || !since.Equal(at(120)) {
		t.Error("the end is not logged with its beginning")
	}
	if _, changed, toLog, _ := o.Noted(nil, at(2001), at(2001)); changed || toLog {
		t.Error("the end is logged twice")
	}
	if _, ok := o.Recall("recent", at(2001)); ok {
		t.Error("who was verified long ago is remembered")
	}
	if away, _, _, _ := o.Noted(errors.Join(store.ErrUnwritable), at(2002), at(2002)); !away || !o.State().Unwritable || !o.State().Until.IsZero() {
		t.Error("a database that cannot be written is not known at once, and without a limit")
	}
	none := New[string](0)
	none.Verify("recent", "x", at(90000), at(0))
	if _, ok := none.Recall("recent", at(1)); ok {
		t.Error("somebody is remembered for no time")
	}
}
