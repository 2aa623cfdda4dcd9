package handlers

import (
	"context"
	"time"
)

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
