package handlers

import (
	"context"
	"errors"
	"net/http"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/outage"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/live"
)

// While our own database does not answer, the figures are in memory and nobody can be asked who somebody is. Whoever
// was verified within the last minute before goes on seeing pages, read only, until a limit: nobody can be
// signed out meanwhile. Everything else is refused at once, with the way to come back. A database that answers and cannot be
// written has no such limit, for who somebody is can be read.

const (
	// awayCheck is how often the database is asked.
	awayCheck = time.Second
	// awayRetry is after how many seconds it is worth to ask again.
	awayRetry = "10"
)

// verify notes that a session was read just now. who is nil for one that has ended.
func (s *site) verify(token string, who *sessions.Staff) {
	if who == nil {
		s.outage.Forget(token)
		return
	}
	s.outage.Verify(token, who, who.Ends, time.Now())
}

// errAway returns the refusal of what needs the database.
func (s *site) errAway(w http.ResponseWriter, cause error) error {
	w.Header().Set("Retry-After", awayRetry)
	f := &fault{status: http.StatusServiceUnavailable, code: "database_away", cause: cause}
	if s.outage.State().Unwritable || errors.Is(cause, store.ErrUnwritable) {
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
func (s *site) whoIs(ctx context.Context, token string) (_ context.Context, who *sessions.Staff, recalled bool, err error) {
	if state := s.outage.State(); state.Since.IsZero() || state.Unwritable {
		loaded, who, err := s.sessions.Load(ctx, token)
		if err == nil {
			s.verify(token, who)
			return loaded, who, false, nil
		}
		if ctx.Err() != nil {
			return nil, nil, false, err
		}
		if who, ok := s.outage.Recall(token, time.Now()); ok {
			return ctx, who, true, nil
		}
		return nil, nil, false, err
	}
	if who, ok := s.outage.Recall(token, time.Now()); ok {
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
	state := s.outage.State()
	if state.Since.IsZero() {
		return web.Away{}
	}
	a := web.Away{Since: s.At(state.Since), Unwritable: state.Unwritable}
	if !state.Until.IsZero() {
		a.Until = s.At(state.Until)
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
		patience, cancel := context.WithTimeout(ctx, sessions.Patience)
		err := s.Ping(patience)
		cancel()
		if ctx.Err() != nil {
			return
		}
		s.noteReady()
		away, changed, toLog, since := s.outage.Noted(err, asked, time.Now())
		if changed {
			s.Hub.Wake(live.Minute) // each page has the strip
		}
		switch {
		case toLog && away:
			s.Log.Error("the database is away; whoever was signed in sees the last figures, read only", "since", since.UTC().Format(time.RFC3339), "until", untilText(s.outage.State()), "err", err)
		case toLog:
			s.Log.Info("the database is back", "away", time.Since(since).Round(time.Second).String())
		}
	}
}

// untilText returns until when pages are shown.
func untilText(s outage.State) string {
	if s.Until.IsZero() {
		return "it can be written"
	}
	return s.Until.UTC().Format(time.RFC3339)
}
