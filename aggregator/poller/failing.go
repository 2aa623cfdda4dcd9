package poller

import (
	"maps"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
)

const (
	// failingLogged is how often it is logged that lists still fail, and failingChecked how often is looked whether it is time.
	failingLogged  = 10 * time.Minute
	failingChecked = time.Minute
)

// failing is lists of one service that fail, and began to for one reason. The log has a line when the first of them
// begins to fail, one every ten minutes, and one when none fails any more. A list that counts as not offered is one of its own:
// that is no outage, and the log has no line every ten minutes.
type failing struct {
	service       string
	fault         figures.Fault
	withdrawn     bool            // it counts as not offered
	now           map[string]bool // the lists that fail, by name
	ever          map[string]bool // and those that did
	since, logged time.Time
}

// fails notes that s fails, and logs it when it begins to, unless others do that began to for the same reason. A list that
// counts as not offered from now on, or no more, begins to fail anew.
func (t *tenure) fails(s *stream, fault figures.Fault, err error) {
	if f := s.failing; f != nil {
		if f.withdrawn == s.state.Withdrawn {
			return
		}
		delete(f.ever, s.Name)
		t.leaveFailing(s)
	}
	i := slices.IndexFunc(t.failing, func(f *failing) bool {
		return f.service == s.Service && f.fault == fault && !f.withdrawn && !s.state.Withdrawn
	})
	if i < 0 {
		t.Logger.Warn("stream fails", "stream", s.Name, "fault", fault, "error", err)
		i = len(t.failing)
		now := time.Now()
		t.failing = append(t.failing, &failing{s.Service, fault, s.state.Withdrawn, map[string]bool{}, map[string]bool{}, now, now})
	}
	s.failing = t.failing[i]
	s.failing.now[s.Name], s.failing.ever[s.Name] = true, true
}

// failsNoMore notes that s answers again, after a fault, and logs it if that was the last of those that failed with it.
func (t *tenure) failsNoMore(s *stream, fault figures.Fault) {
	if s.failing == nil { // it failed before this process polled
		t.Logger.Info("stream is back", "streams", s.Name, "after", fault)
		return
	}
	t.leaveFailing(s)
}

// leaveFailing takes s from the lists that fail. If it was the last of those that failed with it, it logs which are back.
func (t *tenure) leaveFailing(s *stream) {
	f := s.failing
	s.failing = nil
	if delete(f.now, s.Name); len(f.now) > 0 {
		return
	}
	if len(f.ever) > 0 {
		t.Logger.Info("stream is back", "streams", names(f.ever), "after", f.fault, "failed_for", time.Since(f.since).Round(time.Second).String())
	}
	t.failing = slices.DeleteFunc(t.failing, func(other *failing) bool { return other == f })
}

// remindOfFailing logs what has been failing for a while.
func (t *tenure) remindOfFailing() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, f := range t.failing {
		if !f.withdrawn && now.Sub(f.logged) >= failingLogged {
			f.logged = now
			t.Logger.Warn("stream still fails", "streams", names(f.now), "fault", f.fault, "since", f.since.UTC().Format(time.RFC3339))
		}
	}
}

func names(of map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(of)), ",") }
