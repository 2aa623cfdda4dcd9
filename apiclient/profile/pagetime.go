package profile

import (
	"context"
	"time"
)

// PageTime returns how long the stream's programs may take for all rows of a page.
func (s *Stream) PageTime() time.Duration { return pageTimeFactor * s.Profile.RowTime }

// pageTimer ends a context once the rows of a page took too long. One goroutine maps the rows of a page.
type pageTimer struct {
	timer *time.Timer
	began time.Time // when it last went on
	left  time.Duration
	rests bool
}

type pageTimerKey struct{}

// LimitPage returns a context for the rows of a page, which ends once they took PageTime, without what they waited for the
// process that runs programs.
func (s *Stream) LimitPage(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	t := &pageTimer{timer: time.AfterFunc(s.PageTime(), cancel), began: time.Now(), left: s.PageTime()}
	return context.WithValue(ctx, pageTimerKey{}, t), func() { t.timer.Stop(); cancel() }
}

// pausePage has the time of the page not go on until resume is called.
func pausePage(ctx context.Context) (resume func()) {
	t, ok := ctx.Value(pageTimerKey{}).(*pageTimer)
	if !ok || t.rests || !t.timer.Stop() {
		return func() {}
	}
	t.rests = true
	t.left -= time.Since(t.began)
	return func() {
		t.rests, t.began = false, time.Now()
		t.timer.Reset(t.left)
	}
}
