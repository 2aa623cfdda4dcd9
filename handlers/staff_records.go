package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers/sessions"
	"housecount/web"
)

const (
	// mostWalkIns is the most people that one form counts.
	mostWalkIns = 100
	// enterTimeout is how long to wait until the figures show what was entered, or until an act is recorded.
	enterTimeout = 5 * time.Second
)

// acknowledge stores that a member of staff looks after an alert, alone or with others, or no longer does. Those whose role
// may not take it on are refused. For an alert that has passed, or that calls for nothing, it does nothing.
func (s *site) acknowledge(w http.ResponseWriter, r *http.Request) error {
	return s.entered(w, r, func(ctx context.Context, who *sessions.Staff, v *evening.Evening, show *evening.Show) error {
		key, err := field(r, "alert")
		if err != nil {
			return err
		}
		var alerts []evening.Alert
		access := who.Role.Access()
		code, _, _ := strings.Cut(key, ":")
		if !access.TakesOn(code) {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.RoleFor(code), another: true,
				cause: fmt.Errorf("role %s may not take on %q", who.Role, clip(code))}
		}
		if show != nil {
			alerts = v.AlertsOf(show)
		} else {
			alerts = web.HouseAlerts(v, access, s.ScreenAlerts())
		}
		for _, a := range alerts {
			undo := r.PostForm.Get("undo") != ""
			if a.Key != key || a.Seen.Has(who.Name) != undo || !access.SeesAlert(&a) || !undo && !a.CallsForAction() {
				continue
			}
			seen, enter, action := evening.Seen{By: who.Name, At: s.Now()}, s.Entries.Acknowledge, actSeen
			if undo {
				enter, action = s.Entries.Unacknowledge, actUnseen
			}
			return s.didSee(r, who, action, &a, enter(ctx, &a, seen))
		}
		return nil
	})
}

// walkIn takes it that people without a ticket came in through a gate, or went out. Nobody goes out who was not counted, as far as
// this replica's figures know: it lets them out one form after another, each when the figures show the one before. Where two
// replicas let out the same person, or the figures lag, a gate's sum falls below 0, and the page shows that.
func (s *site) walkIn(w http.ResponseWriter, r *http.Request) error {
	gate, err := field(r, "gate")
	if err != nil {
		return err
	}
	count, err := strconv.Atoi(r.PostForm.Get("count"))
	if err != nil || count == 0 || count > mostWalkIns || count < -mostWalkIns {
		return &fault{status: http.StatusBadRequest, code: "address", cause: errors.Join(errors.New("no such count of walk-ins"), err)}
	}
	if count < 0 {
		s.walkOutMu.Lock()
		defer s.walkOutMu.Unlock()
	}
	return s.entered(w, r, func(ctx context.Context, who *sessions.Staff, v *evening.Evening, show *evening.Show) error {
		if show == nil {
			return nil
		}
		inside := 0
		for _, w := range show.WalkIns {
			if w.Gate == gate {
				inside = w.Count
			}
		}
		if count = max(count, min(0, -inside)); count == 0 || gate != "" && !slices.Contains(v.WalkInGates(show), gate) || !show.Phase.Open() && !show.Leaving {
			return nil
		}
		err := s.Entries.WalkIn(ctx, record.WalkIn{EventID: show.Event.ID, Gate: gate, Count: count, By: who.Name, At: s.Now()})
		if err == nil {
			a := s.act(r, who, actWalkIn)
			a.Object, a.ObjectName = show.Event.ID, show.Event.Title
			s.walkIns.add(walkInsOf{a, gate}, count)
		}
		return err
	})
}

// walkInCounts sums the people counted at a gate. Each press is in the log of the figures already; in the
// audit, all presses of a person at a gate in a quarter of an hour are one act.
type walkInCounts struct {
	mu     sync.Mutex
	counts map[walkInsOf]walkInCount
}

// walkInsOf is a person and a gate. It has the fields of an act that are not summed.
type walkInsOf struct {
	store.Act
	gate string
}

type walkInCount struct{ in, out, presses int }

// walkInsEvery is how often sums of walk-ins are recorded.
const walkInsEvery = 15 * time.Minute

func (t *walkInCounts) add(of walkInsOf, count int) {
	t.sum(of, walkInCount{max(0, count), min(0, count), 1})
}

func (t *walkInCounts) sum(of walkInsOf, more walkInCount) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make(map[walkInsOf]walkInCount)
	}
	c := t.counts[of]
	t.counts[of] = walkInCount{c.in + more.in, c.out + more.out, c.presses + more.presses}
}

// recordWalkIns records what was counted since the last time. What cannot be recorded is recorded the next time.
func (s *site) recordWalkIns(ctx context.Context) (err error) {
	s.walkIns.mu.Lock()
	counts := s.walkIns.counts
	s.walkIns.counts = nil
	s.walkIns.mu.Unlock()
	for of, c := range counts {
		var parts []string
		for _, n := range []int{c.in, c.out} {
			if n != 0 {
				parts = append(parts, fmt.Sprintf("%+d", n))
			}
		}
		if of.gate != "" {
			parts = append(parts, of.gate)
		}
		a := of.Act
		a.After, a.Count = strings.Join(parts, " "), c.presses
		if failed := s.record(ctx, a); failed != nil {
			s.walkIns.sum(of, c)
			err = failed
		}
	}
	return err
}

// entered calls enter with the sender of a form and the performance that it names, nil if it names none,
// and redirects back to the page. Nothing is done if the performance does not exist or is not within the
// sender's access. If the client disconnects, the entry is made all the same.
func (s *site) entered(w http.ResponseWriter, r *http.Request, enter func(context.Context, *sessions.Staff, *evening.Evening, *evening.Show) error) error {
	who := visitOf(r).staff
	if who == nil {
		return redirect(w, "/login?return="+url.QueryEscape(s.pageBefore(r, "/tonight")))
	}
	id, err := field(r, "event")
	if err != nil {
		return err
	}
	all := who.Role.Access().Within(s.Snapshot())
	event := all.Event(id)
	if event != nil || id == "" {
		v := evening.At(all, s.Now())
		var show *evening.Show
		if event != nil {
			show = v.Show(event)
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), enterTimeout)
		defer cancel()
		if err := enter(ctx, who, v, show); err != nil {
			return err
		}
	}
	return redirect(w, s.pageBefore(r, "/tonight"))
}

// didSee records that an alert was seen, or that this was taken back, unless err is set.
func (s *site) didSee(r *http.Request, who *sessions.Staff, action string, of *evening.Alert, err error) error {
	if err == nil {
		a := s.act(r, who, action)
		a.After, a.ObjectName = of.Code, of.Screen
		if show := of.Show(); show != nil {
			a.Object, a.ObjectName = show.Event.ID, show.Event.Title
		}
		s.note(r.Context(), a)
	}
	return err
}

// field returns a form's field that was query-escaped.
func field(r *http.Request, name string) (string, error) {
	value, err := url.QueryUnescape(r.PostFormValue(name))
	if err != nil {
		return "", &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	return value, nil
}
