package handlers

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/admission"
	"housecount/handlers/presence"
	"housecount/handlers/screens"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
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

// authorize returns what a session may watch at the address of the page that a socket switches to, or the code to
// close it with.
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

const (
	// sessionsEvery is how often Run looks for ended sessions without a hint, and sessionsPause the shortest time
	// between two queries, so that a crowd that signs in causes one query.
	sessionsEvery = 4 * time.Second
	sessionsPause = 200 * time.Millisecond
	// unreadPatience is how long at least sockets stay open while their sessions cannot be read.
	unreadPatience = 90 * time.Second
)

// Run closes the sockets of sessions and screens that ended or whose access changed, on this or another replica,
// until ctx ends.
func (s *site) Run(ctx context.Context) error {
	timer := time.NewTimer(sessionsEvery)
	defer timer.Stop()
	var tasks sync.WaitGroup
	defer tasks.Wait()
	// Each task has its own goroutine, so that a sign-in service that does not answer does not make sessions in
	// use end as idle.
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

// session is a session's data, the access that it gave, and when it ends.
type session struct {
	data   string
	who    *sessions.Staff // nil for nobody
	access string          // empty for none
	ends   time.Time
}

// seenSessions are sessions by their tokens, with the roles of addresses that their access follows from.
type seenSessions struct {
	given   signin.Grants
	byToken map[string]session
}

// closeEnded reads all sessions with a socket, and all screens, each with one query, and closes the sockets of
// those that ended. It returns the sessions by token. seen is its last result: data that have not changed are not
// decoded again.
func (s *site) closeEnded(ctx context.Context, seen seenSessions) (next seenSessions, err error) {
	var tokens, credentials []string
	s.director.Begin()
	holders := s.Hub.Holders()
	for _, h := range holders {
		if screens.IsCredential(h.Credential) {
			credentials = append(credentials, h.Credential)
		} else {
			tokens = append(tokens, h.Credential)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, sessionsEvery)
	defer cancel()
	if next, err = s.sessionsOf(ctx, tokens, seen); err != nil {
		return next, err
	}
	heldScreens, err := s.director.Read(ctx, credentials)
	if err != nil {
		return next, err
	}
	for _, h := range holders {
		if screens.IsCredential(h.Credential) {
			held, known := heldScreens[h.Credential]
			s.closeScreen(h, held, known)
			continue
		}
		switch access := next.byToken[h.Credential].access; access {
		case h.Access:
		case "":
			s.Hub.CloseHolder(h.Credential, live.CloseSignedOut)
		default:
			s.Hub.CloseHolder(h.Credential, live.CloseForbidden) // the page reloads and shows what it may show now
		}
	}
	return next, nil
}

// sessionsOf returns those of the tokens' sessions that have not ended.
func (s *site) sessionsOf(ctx context.Context, tokens []string, seen seenSessions) (next seenSessions, err error) {
	if len(tokens) == 0 {
		return next, nil
	}
	if next.given, err = s.sessions.Grants(ctx); err != nil {
		return next, err
	}
	alive, err := s.Sessions.Alive(ctx, tokens)
	if err != nil {
		return next, err
	}
	same := maps.Equal(seen.given, next.given)
	next.byToken = make(map[string]session, len(alive))
	for token, data := range alive {
		now, known := seen.byToken[token]
		if !known || !same || now.data != string(data) {
			now = session{data: string(data)}
			if who := s.sessions.Decode(data, next.given); who != nil {
				who.ID = store.HolderID(token)
				now.who, now.access, now.ends = who, who.Role.Access().String(), who.Ends
			}
		}
		s.verify(token, now.who)
		next.byToken[token] = now
		s.closeAtEnd(token, now.ends)
	}
	return next, nil
}

// closeAtEnd closes the sockets of a session that ends before the next query.
func (s *site) closeAtEnd(token string, ends time.Time) {
	if left := time.Until(ends); left <= sessionsEvery {
		time.AfterFunc(left, func() { s.Hub.CloseHolder(token, live.CloseSignedOut) })
	}
}

// staffOf reads a session without saving it. It returns nil if nobody is logged in.
func (s *site) staffOf(ctx context.Context, token string) (*sessions.Staff, error) {
	_, who, _, err := s.whoIs(ctx, token)
	return who, err
}
