package handlers

import (
	"context"
	"net/http"
	"sync"
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
	page, shown, version := q.Get("view"), q.Get("token"), q.Get("version")
	for _, own := range []string{"view", "token", "version"} {
		q.Del(own)
	}
	request, err := web.NewRequest(page, q, who.Role.Access(), web.English)
	if err != nil {
		s.Hub.Refuse(w, r, live.CloseForbidden)
		return
	}
	s.closeAtEnd(token, who.ends)
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
	// unreadPatience is how long sockets stay open whose sessions cannot be read.
	unreadPatience = 90 * time.Second
)

// Run closes the sockets of sessions that ended, here or on another replica, until ctx ends.
func (s *site) Run(ctx context.Context) error {
	timer := time.NewTimer(sessionsEvery)
	defer timer.Stop()
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { s.keepSessions(ctx) })
	var unread time.Time // since when the sessions could not be read
	fault := ""          // the last failure's text, so that it is logged once
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
			if unread.IsZero() {
				unread = time.Now()
			}
			if time.Since(unread) >= unreadPatience {
				for _, token := range s.Hub.Sessions() {
					s.Hub.CloseSession(token, live.CloseTryLater)
				}
			}
		} else {
			unread = time.Time{}
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
		data, ok := alive[token]
		if !ok {
			s.Hub.CloseSession(token, live.CloseSignedOut)
			continue
		}
		if who := s.sessions.decode(data); who != nil {
			s.closeAtEnd(token, who.ends)
		}
	}
	return nil
}

// closeAtEnd closes the sockets of a session that ends before anybody asks for it again.
func (s *site) closeAtEnd(token string, ends time.Time) {
	if left := time.Until(ends); left <= sessionsEvery {
		time.AfterFunc(left, func() { s.Hub.CloseSession(token, live.CloseSignedOut) })
	}
}

// staffOf reads a session and saves nothing. It is nil when nobody is logged in.
func (s *site) staffOf(ctx context.Context, token string) (*staff, error) {
	_, who, err := s.sessions.load(ctx, token)
	return who, err
}
