package handlers

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/live"
)

// While our own database does not answer, the figures are in memory and nobody can be asked who somebody is. Whoever
// was verified within the last minute before goes on seeing pages, read only, until a limit: nobody can be
// signed out meanwhile. Everything else is refused at once, with the way to come back. A database that answers and cannot be
// written has no such limit, for who somebody is can be read.

const (
	// awayCheck is how often the database is asked, and awayPatience how long it may take.
	awayCheck    = time.Second
	awayPatience = 2 * time.Second
	// awayAfter is how long it has to fail to count as away: a page that meets a shorter break waits for it.
	awayAfter = 2 * time.Second
	// verifiedFor is how long before that somebody was verified at the latest who goes on seeing pages.
	verifiedFor = time.Minute
	// awayLogged is how often it is logged that the database is still away.
	awayLogged = 10 * time.Minute
	// awayRetry is after how many seconds it is worth to ask again.
	awayRetry = "10"
)

// outage knows whether the database answers, and who was verified when. Its methods may be called from any
// goroutine.
type outage struct {
	limit time.Duration

	mu sync.Mutex
	// failing is since when the database does not answer, or cannot be written; away is true once that counts.
	failing    time.Time
	away       bool
	unwritable bool // it answers
	logged     time.Time
	answering  time.Time               // since when it answers, if it does
	verified   map[string]verification // by token
}

// verification is who a session was of when it was last read.
type verification struct {
	who *staff
	at  time.Time
}

func newOutage(limit time.Duration) *outage {
	return &outage{limit: limit, answering: time.Now(), verified: make(map[string]verification)}
}

// awayState is a state of the database: since when it is away, zero if it is not.
type awayState struct {
	since      time.Time
	until      time.Time // when pages are no longer shown; zero for never
	unwritable bool
}

func (o *outage) state() (s awayState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		s.since, s.unwritable = o.failing, o.unwritable
		if !s.unwritable {
			s.until = s.since.Add(o.limit)
		}
	}
	return s
}

// answers returns since when the database answers. It is of no meaning while it is away.
func (o *outage) answers() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.answering
}

// noted notes what the database answered, and reports whether it is away now, whether that is new, and whether it is to
// be logged.
func (o *outage) noted(err error, asked, now time.Time) (away, changed, toLog bool, since time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	before := o.away
	if err == nil {
		since = o.failing
		o.failing, o.away, o.unwritable = time.Time{}, false, false
		if before {
			o.answering = now
		}
		o.prune(now)
		return false, before, before, since
	}
	if o.failing.IsZero() {
		o.failing = asked
	}
	unwritable := errors.Is(err, store.ErrUnwritable)
	o.away = o.away || unwritable || now.Sub(o.failing) >= awayAfter
	changed = o.away != before || o.away && unwritable != o.unwritable
	o.unwritable = unwritable
	if toLog = o.away && (changed || now.Sub(o.logged) >= awayLogged); toLog {
		o.logged = now
	}
	return o.away, changed, toLog, o.failing
}

// prune forgets who was verified too long ago to count.
func (o *outage) prune(now time.Time) {
	for token, v := range o.verified {
		if now.Sub(v.at) > 2*verifiedFor {
			delete(o.verified, token)
		}
	}
}

// verify notes that a session was read just now. It is nil for one that has ended.
func (o *outage) verify(token string, who *staff, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if who == nil {
		delete(o.verified, token)
		return
	}
	o.verified[token] = verification{who, now}
}

// recall returns who a session was of, if that was verified shortly before the database failed, and that is not too
// long ago; nil otherwise.
func (o *outage) recall(token string, now time.Time) *staff {
	o.mu.Lock()
	defer o.mu.Unlock()
	v, known := o.verified[token]
	from := now
	if !o.failing.IsZero() {
		from = o.failing
	}
	if !known || from.Sub(v.at) > verifiedFor || now.Sub(from) >= o.limit || !v.who.ends.After(now) {
		return nil
	}
	return v.who
}

// errAway returns the refusal of what needs the database.
func (s *site) errAway(w http.ResponseWriter, cause error) error {
	w.Header().Set("Retry-After", awayRetry)
	f := &fault{status: http.StatusServiceUnavailable, code: "database_away", cause: cause}
	if s.outage.state().unwritable || errors.Is(cause, store.ErrUnwritable) {
		f.code = "database_unwritable"
	}
	return f
}

// aboutDatabase reports whether the refusal is of errAway.
func (f *fault) aboutDatabase() bool {
	return f.code == "database_away" || f.code == "database_unwritable"
}

// whoIs reads a session. recalled is true if the database could not be asked, and who it was of is remembered. The
// context is the one to give to start and end in the same request; it has no session if that is recalled.
func (s *site) whoIs(ctx context.Context, token string) (_ context.Context, who *staff, recalled bool, err error) {
	if state := s.outage.state(); state.since.IsZero() || state.unwritable {
		loaded, who, err := s.sessions.load(ctx, token)
		if err == nil {
			s.outage.verify(token, who, time.Now())
			return loaded, who, false, nil
		}
		if ctx.Err() != nil {
			return nil, nil, false, err
		}
		if who := s.outage.recall(token, time.Now()); who != nil {
			return ctx, who, true, nil
		}
		return nil, nil, false, err
	}
	if who := s.outage.recall(token, time.Now()); who != nil {
		return ctx, who, true, nil
	}
	return nil, nil, false, errors.New("handlers: the database is away")
}

// goesOn reports whether a route needs nothing but the figures.
func (rt *route) goesOn(r *http.Request) bool {
	return rt.who.page != nil && !rt.who.admin && (r.Method == http.MethodGet || r.Method == http.MethodHead) && rt.view && rt.who.page.FromFigures()
}

// Away returns since when the database is away, by the clock that pages show.
func (s *site) Away() web.Away {
	state := s.outage.state()
	if state.since.IsZero() {
		return web.Away{}
	}
	a := web.Away{Since: s.At(state.since), Unwritable: state.unwritable}
	if !state.until.IsZero() {
		a.Until = s.At(state.until)
	}
	return a
}

// watchDatabase asks the database every second until ctx ends.
func (s *site) watchDatabase(ctx context.Context) {
	tick := time.NewTicker(awayCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		patience, cancel := context.WithTimeout(ctx, awayPatience)
		err := s.Ping(patience)
		cancel()
		if ctx.Err() != nil {
			return
		}
		s.noteReady()
		away, changed, toLog, since := s.outage.noted(err, asked, time.Now())
		if changed {
			s.Hub.Wake(live.Minute) // each page has the strip
		}
		switch {
		case toLog && away:
			s.Log.Error("the database is away; whoever was signed in sees the last figures, read only", "since", since.UTC().Format(time.RFC3339), "until", untilText(s.outage.state()), "err", err)
		case toLog:
			s.Log.Info("the database is back", "away", time.Since(since).Round(time.Second).String())
		}
	}
}

// untilText returns until when pages are shown.
func untilText(s awayState) string {
	if s.until.IsZero() {
		return "it can be written"
	}
	return s.until.UTC().Format(time.RFC3339)
}
