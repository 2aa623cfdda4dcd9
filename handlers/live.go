package handlers

import (
	"context"
	"net/http"
	"time"

	"housecount/web"
	"housecount/web/live"
)

// live opens a page's socket. Whoever may not have one is told by a close code, as a
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
	q := r.URL.Query()
	view, err := viewOf(web.ViewName(q.Get("view")), q.Get("event"), q.Get("hall"), q.Get("days"))
	if err != nil || !who.Role.MaySee(view) {
		s.Hub.Refuse(w, r, live.CloseForbidden)
		return
	}
	request := web.Request{View: view, Role: who.Role}
	// The hub checks as soon as it knows the socket, so a logout that came between our look
	// at the session and that moment closes it too.
	s.Hub.Serve(w, r, live.Watcher{
		Topic:   request.Topic(),
		Session: who.Session,
		Token:   q.Get("token"),
		Version: q.Get("version"),
		Check:   func(ctx context.Context) live.CloseCode { return s.check(ctx, token, request) },
	})
}

// check says whether the session may still watch what was asked for: 0, or the code to
// close its socket with.
func (s *site) check(ctx context.Context, token string, q web.Request) live.CloseCode {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	who, err := s.staffOf(ctx, token)
	switch {
	case err != nil:
		// A database that is slow for once closes no wall; the next check tells.
		s.Log.Warn("session of a socket not checked", "err", err)
		return 0
	case who == nil:
		return live.CloseSignedOut
	case who.Role != q.Role || !who.Role.MaySee(q.View):
		return live.CloseForbidden // the page loads again, with what the role may see now
	}
	return 0
}

// staffOf reads a session and saves nothing. It is nil when nobody is logged in.
func (s *site) staffOf(ctx context.Context, token string) (*staff, error) {
	_, who, err := s.sessions.load(ctx, token)
	return who, err
}
