package handlers

import (
	"context"
	"maps"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/screens"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web/live"
)

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

// closeEnded reads all sessions with a socket, and all screens, each with one query, and closes the sockets of those that ended. It
// returns the sessions by token. seen is its last result: data that have not changed are not decoded again.
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
