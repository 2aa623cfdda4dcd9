package handlers

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"housecount/handlers/admission"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/live"
)

// live opens a page's socket. If the visitor may not have one, the socket is opened and closed with a code,
// because a page cannot read the status of a refused handshake.
func (s *site) live(w http.ResponseWriter, r *http.Request) {
	token := s.sessions.Token(r)
	who, err := s.staffOf(r.Context(), token)
	switch {
	case err != nil:
		if s.outage.State().Since.IsZero() {
			s.Log.Error("request failed", "request", visitOf(r).id, "path", loggedPath(r), "err", err)
		}
		s.Hub.Refuse(w, r, live.CloseTryLater)
		return
	case who == nil:
		s.Hub.Refuse(w, r, live.CloseSignedOut)
		return
	}
	// The query has the page's parameters and the script's own.
	q := r.URL.Query()
	shown, version := q.Get("token"), q.Get("version")
	q.Del("token")
	q.Del("version")
	topic, code := s.topicFor(who, q)
	if code != 0 {
		s.Hub.Refuse(w, r, code)
		return
	}
	s.closeAtEnd(token, who.Ends)
	s.Hub.Serve(w, r, live.Watcher{
		Holder:  live.Holder{Credential: token, Access: who.Role.Access().String(), Person: who.Subject},
		Address: s.from(r),
		Agent:   admission.DeviceKind(r.UserAgent()),
		Topics:  map[string]string{topic: shown},
		Version: version,
		Authorize: func(ctx context.Context, address string) ([]string, live.CloseCode) {
			return s.authorize(ctx, token, address)
		},
	})
}

// authorize returns what a session may watch at the address of the page that a socket switches to, or the code to close it with.
func (s *site) authorize(ctx context.Context, token, address string) ([]string, live.CloseCode) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	who, err := s.staffOf(ctx, token)
	switch {
	case err != nil:
		s.Log.Warn("session of a socket not read", "err", err)
		return nil, live.CloseTryLater
	case who == nil:
		return nil, live.CloseSignedOut
	}
	q, err := url.ParseQuery(address)
	if err != nil {
		return nil, live.CloseForbidden
	}
	topic, code := s.topicFor(who, q)
	return []string{topic}, code
}

// topicFor returns the topic of the page that a socket's parameters name, or the code to refuse it with if the
// role may not see the page, or if its subject does not exist.
func (s *site) topicFor(who *sessions.Staff, q url.Values) (topic string, code live.CloseCode) {
	page, language := q.Get("view"), cmp.Or(web.Locale(q.Get("locale")), s.Language)
	q.Del("view")
	q.Del("locale")
	if own := s.own[page]; own != "" {
		q.Set(own, who.ID)
	}
	request, err := web.NewRequest(page, q, who.Role.Access(), language)
	if err != nil {
		return "", live.CloseForbidden
	}
	request = request.Live()
	ready := s.Ready() // read before the figures, so that the figures include what made it true
	if ready && !request.Exists(s.Snapshot()) {
		return "", live.CloseForbidden
	}
	return request.Topic(), 0
}

// staffOf reads a session without saving it. It returns nil if nobody is logged in.
func (s *site) staffOf(ctx context.Context, token string) (*sessions.Staff, error) {
	_, who, _, err := s.whoIs(ctx, token)
	return who, err
}
