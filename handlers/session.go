package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/alexedwards/scs/v2"

	"housecount/aggregator/store"
	"housecount/web"
)

// Sessions stores who is logged in; *store.Sessions is one. A deleted session never comes
// back, and every change of a session is hinted on all replicas.
type Sessions interface {
	scs.CtxStore
	// Alive maps those of the tokens whose session has not ended to what it holds, in one query.
	Alive(ctx context.Context, tokens []string) (map[string][]byte, error)
}

// staff is a member of staff who is logged in, as the session stores it.
type staff struct {
	Subject string    `json:"subject"` // who this is to the sign-in service
	Name    string    `json:"name"`
	Role    web.Role  `json:"role"`
	Since   time.Time `json:"since"`
	// IDToken is for the sign-in service's own logout; empty without one.
	IDToken string `json:"id_token"`
}

const staffKey = "staff"

// sessions reads and writes who is logged in. It is used in place of scs's LoadAndSave, which
// saves at the end of a request and so brings an ended session back to life. Here only
// start writes.
type sessions struct {
	sm     *scs.SessionManager
	stored Sessions
	// issuer is whose subjects log in.
	issuer string
}

func newSessions(stored Sessions, issuer string, lifetime time.Duration, secure bool) *sessions {
	name := "__Host-session"
	if !secure {
		name = "housecount_session" // a browser refuses __Host- on plain http
	}
	// Not scs.New, which starts a store of its own with a goroutine that cannot be stopped
	// reliably.
	return &sessions{stored: stored, issuer: issuer, sm: &scs.SessionManager{
		Store:    stored,
		Codec:    scs.GobCodec{},
		Lifetime: lifetime,
		Cookie: scs.SessionCookie{
			Name:     name,
			Path:     "/",
			Secure:   secure,
			HttpOnly: true,
			// Not Strict, because the way back from the sign-in service begins at another site.
			SameSite: http.SameSiteLaxMode,
			Persist:  true,
		},
	}}
}

// token is the cookie's value, empty without a cookie.
func (s *sessions) token(r *http.Request) string {
	c, err := r.Cookie(s.sm.Cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// load reads a session. staff is nil when nobody is logged in. The context is the one to give
// to start and end in the same request.
func (s *sessions) load(ctx context.Context, token string) (context.Context, *staff, error) {
	ctx, err := s.sm.Load(ctx, token)
	if err != nil {
		return nil, nil, fmt.Errorf("handlers: load session: %w", err)
	}
	return ctx, readStaff(s.sm.GetBytes(ctx, staffKey)), nil
}

// decode reads who is logged in from what a session holds, nil for nobody.
func (s *sessions) decode(data []byte) *staff {
	_, values, err := s.sm.Codec.Decode(data)
	if err != nil {
		return nil
	}
	who, _ := values[staffKey].([]byte)
	return readStaff(who)
}

func readStaff(b []byte) *staff {
	var who staff
	if err := json.Unmarshal(b, &who); err != nil || who.Subject == "" || !slices.Contains(web.Roles, who.Role) {
		return nil
	}
	return &who
}

// start logs who in, with a new token, and ends the session that the browser had. sid is the
// sign-in service's id of its session, empty when it gave none.
func (s *sessions) start(ctx context.Context, w http.ResponseWriter, who staff, sid string) error {
	who.Since = time.Now()
	b, err := json.Marshal(who)
	if err != nil {
		return fmt.Errorf("handlers: start session: %w", err)
	}
	if err := s.sm.RenewToken(ctx); err != nil {
		return fmt.Errorf("handlers: start session: %w", err)
	}
	s.sm.Put(ctx, staffKey, b)
	token, expiry, err := s.sm.Commit(store.WithOwner(ctx, s.issuer+" "+who.Subject, sid))
	if err != nil {
		return fmt.Errorf("handlers: start session: %w", err)
	}
	s.sm.WriteSessionCookie(ctx, w, token, expiry)
	return nil
}

// end ends the session for good.
func (s *sessions) end(ctx context.Context, w http.ResponseWriter) error {
	if s.sm.Token(ctx) != "" {
		if err := s.sm.Destroy(ctx); err != nil {
			return fmt.Errorf("handlers: end session: %w", err)
		}
	}
	s.sm.WriteSessionCookie(ctx, w, "", time.Time{})
	return nil
}
