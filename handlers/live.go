package handlers

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"housecount/web"
	"housecount/web/live"
)

// live opens a page's socket. Whoever may not have one gets a close code, as a
// page cannot read the status of a refused handshake.
func (s *site) live(w http.ResponseWriter, r *http.Request) {
	token := s.sessions.token(r)
	who, err := s.staffOf(r.Context(), token)
	if err != nil {
		s.Log.Error("request failed", "request", visitOf(r).id, "path", r.URL.Path, "err", err)
		s.Hub.Refuse(w, r, live.CloseTryLater)
		return
	}
	if who == nil {
		s.Hub.Refuse(w, r, live.CloseSignedOut)
		return
	}
	// The script's own parameters stand beside the page's.
	q := r.URL.Query()
	page, shown, version, language := q.Get("view"), q.Get("token"), q.Get("version"), cmp.Or(web.Locale(q.Get("locale")), s.Language)
	for _, own := range []string{"view", "token", "version", "locale"} {
		q.Del(own)
	}
	request, err := web.NewRequest(page, q, who.Role.Access(), language)
	if err != nil {
		s.Hub.Refuse(w, r, live.CloseForbidden)
		return
	}
	// The hub checks as soon as it knows the socket, so a logout between our read of
	// the session and that moment closes it too.
	s.Hub.Serve(w, r, live.Watcher{
		Topic:   request.Live().Topic(),
		Session: token,
		Token:   shown,
		Version: version,
		Check:   func(ctx context.Context) live.CloseCode { return s.check(ctx, token, request) },
	})
}

// check returns the code to close a socket with, 0 while its session may watch what was
// asked for.
func (s *site) check(ctx context.Context, token string, q web.Request) live.CloseCode {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	who, err := s.staffOf(ctx, token)
	switch {
	case err != nil:
		// A database that is slow for once closes no wall; the next check decides.
		s.Log.Warn("session of a socket not checked", "err", err)
		return 0
	case who == nil:
		return live.CloseSignedOut
	case who.Role.Access() != q.Access:
		return live.CloseForbidden // the page loads again, with what the role may see now
	}
	return 0
}

const (
	// sessionsEvery is how often Run asks for ended sessions without a hint, and
	// sessionsPause the least time between two queries: a crowd that signs in is one query.
	sessionsEvery = 4 * time.Second
	sessionsPause = 200 * time.Millisecond
)

// Run closes the sockets of sessions that ended, here or on another replica, until ctx ends.
func (s *site) Run(ctx context.Context) error {
	timer := time.NewTimer(sessionsEvery)
	defer timer.Stop()
	fault := "" // the last failure's text, so that it is logged once
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.SessionsChanged:
		case <-timer.C:
		}
		text := ""
		if err := s.closeEnded(ctx); err != nil {
			text = err.Error()
		}
		if text != fault && text != "" && ctx.Err() == nil {
			s.Log.Warn("ended sessions not found; sockets stay open", "err", text)
		}
		fault = text
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(sessionsPause):
		}
		timer.Reset(sessionsEvery - sessionsPause)
	}
}

// closeEnded asks once for all sessions that have a socket.
func (s *site) closeEnded(ctx context.Context) error {
	tokens := s.Hub.Sessions()
	if len(tokens) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sessionsEvery)
	defer cancel()
	alive, err := s.Sessions.Alive(ctx, tokens)
	if err != nil {
		return err
	}
	for _, token := range tokens {
		if !alive[token] {
			s.Hub.CloseSession(token, live.CloseSignedOut)
		}
	}
	return nil
}

// staffOf reads a session and saves nothing. It is nil when nobody is logged in.
func (s *site) staffOf(ctx context.Context, token string) (*staff, error) {
	_, who, err := s.sessions.load(ctx, token)
	return who, err
}
