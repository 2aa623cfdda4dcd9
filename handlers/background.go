package handlers

import (
	"context"
	"sync"
	"time"

	"housecount/handlers/presence"
	"housecount/handlers/screens"
	"housecount/web"
	"housecount/web/live"
)

const (
	// sessionsEvery is how often Run looks for ended sessions without a hint, and sessionsPause the shortest time
	// between two queries, so that a crowd that signs in causes one query.
	sessionsEvery = 4 * time.Second
	sessionsPause = 200 * time.Millisecond
	// unreadPatience is how long at least sockets stay open while their sessions cannot be read.
	unreadPatience = 90 * time.Second
)

// Run closes the sockets of sessions and screens that ended or whose access changed, on this or another replica, until ctx ends.
func (s *site) Run(ctx context.Context) error {
	timer := time.NewTimer(sessionsEvery)
	defer timer.Stop()
	var tasks sync.WaitGroup
	defer tasks.Wait()
	// Each task has its own goroutine, so that a sign-in service that does not answer does not make sessions in use end as idle.
	tasks.Go(func() { s.keepUp(ctx, touchEvery, "note use", s.touch) })
	tasks.Go(func() { s.keepUp(ctx, presence.Every, "note presence", s.presence.Note) })
	tasks.Go(func() { s.keepUp(ctx, touchEvery, "end what has expired", s.endExpired) })
	tasks.Go(func() { s.keepUp(ctx, clearEvery, "clear what is old", s.clearOld) })
	tasks.Go(func() {
		if err := s.verifyAudit(ctx); err != nil && ctx.Err() == nil {
			s.Log.Warn("the audit could not be verified; it is tried again", "in", clearEvery, "err", err)
		}
		s.keepUp(ctx, clearEvery, "verify the audit", s.verifyAudit)
	})
	tasks.Go(func() {
		s.keepUp(ctx, refusalsEvery, "record refusals", s.recordRefusals)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		s.recordRefusals(last) // if that fails, they are in the log
	})
	tasks.Go(func() {
		s.keepUp(ctx, walkInsEvery, "record walk-ins", s.recordWalkIns)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		s.recordWalkIns(last) // if that fails, they are in the log of the figures
	})
	tasks.Go(func() { s.webhooks.Run(ctx) })
	tasks.Go(func() { s.wakePeople(ctx) })
	tasks.Go(func() { s.watchDatabase(ctx) })
	tasks.Go(func() {
		s.keepUp(ctx, alertsEvery, "look for screens that need attention", func(ctx context.Context) error {
			if time.Since(s.began) < screens.SilentAfter {
				return nil // the screens have yet to come
			}
			return s.findScreenAlerts(ctx)
		})
	})
	tasks.Go(func() { s.keepUp(ctx, settleEvery, "end former credentials of screens", s.settleScreens) })
	tasks.Go(func() { s.director.Run(ctx) })
	tasks.Go(func() { s.keepUp(ctx, recheckEvery, "ask the sign-in service", s.recheck) })
	tasks.Go(func() { s.provider.KeepDiscovered(ctx, s.Log) })
	var unread time.Time // since when the sessions could not be read
	var failure lastFailure
	var seen seenSessions
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.SessionsChanged:
		case <-s.ScreensChanged:
			s.Hub.Wake(web.WakeScreens)
		case <-timer.C:
		}
		next, err := s.closeEnded(ctx, seen)
		if err != nil {
			if unread.IsZero() {
				unread = time.Now()
			}
			if time.Since(unread) >= max(unreadPatience, s.AwayLimit) {
				for _, h := range s.Hub.Holders() {
					s.Hub.CloseHolder(h.Credential, live.CloseTryLater)
				}
			}
		} else {
			seen, unread = next, time.Time{}
		}
		if failure.isNew(err) && ctx.Err() == nil {
			s.Log.Warn("ended sessions and screens not found; sockets stay open", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sessionsPause):
		}
		timer.Reset(sessionsEvery - sessionsPause)
	}
}

// wakePeople wakes the pages of sessions and of screens when they may show something else.
func (s *site) wakePeople(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.PeopleChanged:
			s.Hub.Wake(web.WakeSessions, web.WakeScreens)
		}
	}
}

// lastFailure is the text of a task's last failure, empty after a success.
type lastFailure string

// isNew stores how a task ended, nil for a success, and reports whether it failed in another way than the last
// time. So a failure that repeats is logged once.
func (f *lastFailure) isNew(err error) bool {
	last := *f
	*f = ""
	if err != nil {
		*f = lastFailure(err.Error())
	}
	return err != nil && *f != last
}

// keepUp calls f at every interval until ctx ends, and logs its failures with the name of the task.
func (s *site) keepUp(ctx context.Context, every time.Duration, task string, f func(context.Context) error) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var failure lastFailure
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := f(ctx); failure.isNew(err) && ctx.Err() == nil {
			s.Log.Warn("sessions could not be kept up", "task", task, "err", err)
		}
	}
}
