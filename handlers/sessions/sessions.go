// Package sessions has what a session stores of the member of staff who signed in, the cookie by which a browser is known, and
// the role that somebody has now. A session holds what the sign-in service said; the role is mapped from that at each use.
//
// Only Start writes a session. What ends one is the store's, and package handlers decides when. Everything here may be used by
// many goroutines at once.
package sessions

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/alexedwards/scs/v2"

	"housecount/aggregator/store"
	"housecount/handlers/signin"
	"housecount/web"
)

// Store stores who is logged in; *store.Sessions is one. A deleted session never comes
// back, and every change of a session is hinted on all replicas.
type Store interface {
	scs.CtxStore
	// Alive maps those of the tokens whose session has not ended to what it holds, in one query.
	Alive(ctx context.Context, tokens []string) (map[string][]byte, error)
	// Touch notes that the sessions of the tokens are in use.
	Touch(ctx context.Context, tokens []string) error
	// Claim takes sessions that the sign-in service was last asked about before a time; no other
	// replica gets them as well.
	Claim(ctx context.Context, before time.Time, n int) ([]store.SessionInfo, error)
	// Replace changes what a session holds.
	Replace(ctx context.Context, id string, data []byte) error
	// List returns those that have not ended.
	List(ctx context.Context) ([]store.SessionInfo, error)
	// Revoke ends sessions, RevokeOnce only for a new order, and EndExpired those whose time is up. Each
	// end is an act in the audit. After RevokeAnew, the owners have to give the password again; Anew
	// returns since when somebody has to, or zero, and ClearAnew removes that if it is older than a time.
	Revoke(ctx context.Context, which store.Which, by store.Act) (ended []store.SessionInfo, err error)
	RevokeAnew(ctx context.Context, which store.Which, by store.Act) (ended []store.SessionInfo, err error)
	RevokeOnce(ctx context.Context, order string, expiry time.Time, which store.Which, by store.Act) (ended []store.SessionInfo, first bool, err error)
	EndExpired(ctx context.Context) (ended []store.SessionInfo, err error)
	Anew(ctx context.Context, subject string) (since time.Time, err error)
	ClearAnew(ctx context.Context, before time.Time) error
}

// Staff is a member of staff who is logged in, as the session stores it: what the sign-in
// service said, not what follows from it.
type Staff struct {
	Issuer  string   `json:"issuer"`
	Subject string   `json:"subject"` // who this is to the issuer
	Name    string   `json:"name"`
	SID     string   `json:"sid,omitempty"` // of the session at the issuer; empty when it gives none
	Claim   string   `json:"claim"`         // the role claim
	Values  []string `json:"values"`
	// Address is the e-mail address that the sign-in service has verified, in the form in which roles are
	// given to addresses; empty for every other.
	Address string `json:"address,omitempty"`
	// Silent is since when the sign-in service does not answer about the session; zero when it
	// answered the last time.
	Silent time.Time `json:"silent,omitzero"`
	Sealed []byte    `json:"sealed"` // the credentials

	// Role is what the values and the address are mapped to now, Because is the one of them that gives it, and
	// Ends is when the session ends at the latest.
	Role    web.Role  `json:"-"`
	Because string    `json:"-"`
	Ends    time.Time `json:"-"`
	ID      string    `json:"-"` // names the session; set where it was read by its token
}

// Credentials are what a session holds of the sign-in service's; each may be empty.
type Credentials struct {
	IDToken string `json:"id_token"` // for its own logout
	Refresh string `json:"refresh"`
}

const staffKey = "staff"

// Sessions reads and writes who is logged in. It is used in place of scs's LoadAndSave, which
// saves at the end of a request and so brings an ended session back to life. Here only
// Start writes.
type Sessions struct {
	// Roles maps what the sign-in service said of somebody to their role.
	Roles signin.RoleMap

	sm *scs.SessionManager
	// issuer is whose subjects log in and claim the role claim. A session of another issuer or claim is
	// none.
	issuer string
	claim  string
	given  *store.Grants
	seal   *store.Seal

	mu   sync.Mutex
	used map[string]bool // tokens in use that have not been touched since
}

// Options configures Sessions.
type Options struct {
	Login signin.Login
	// Grants are the roles of e-mail addresses.
	Grants *store.Grants
	Store  Store
	// Seal seals the credentials.
	Seal *store.Seal
	// Lifetime is the longest duration of a login.
	Lifetime time.Duration
	// Secure is true if browsers use https.
	Secure bool
}

// New returns the sessions of a site. It makes no calls.
func New(o Options) *Sessions {
	name := "__Host-session"
	if !o.Secure {
		name = "housecount_session" // a browser refuses __Host- on plain http
	}
	// Not scs.New, which starts a store of its own with a goroutine that cannot be stopped
	// reliably.
	return &Sessions{issuer: o.Login.SubjectIssuer(), claim: o.Login.RoleClaim, Roles: signin.NewRoleMap(o.Login), given: o.Grants, seal: o.Seal, used: make(map[string]bool), sm: &scs.SessionManager{
		Store:    patientStore{o.Store},
		Codec:    scs.GobCodec{},
		Lifetime: o.Lifetime,
		Cookie: scs.SessionCookie{
			Name:     name,
			Path:     "/",
			Secure:   o.Secure,
			HttpOnly: true,
			// Not Strict, because the way back from the sign-in service begins at another site.
			SameSite: http.SameSiteLaxMode,
			Persist:  true,
		},
	}}
}

// Patience is how long a request waits for the database.
const Patience = 2 * time.Second

// patientStore does not let a request wait for a database that hangs.
type patientStore struct{ Store }

func (p patientStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	return p.Store.FindCtx(ctx, token)
}

// Token returns the cookie's value, empty without a cookie.
func (s *Sessions) Token(r *http.Request) string {
	c, err := r.Cookie(s.sm.Cookie.Name)
	if err != nil {
		return ""
	}
	return c.Value
}

// Load reads a session. Staff is nil when nobody is logged in. The context is the one to give
// to Start and Forget in the same request.
func (s *Sessions) Load(ctx context.Context, token string) (context.Context, *Staff, error) {
	ctx, err := s.sm.Load(ctx, token)
	if err != nil {
		return nil, nil, fmt.Errorf("sessions: load session: %w", err)
	}
	who := s.Read(s.sm.GetBytes(ctx, staffKey), s.sm.Deadline(ctx))
	if who == nil {
		return ctx, nil, nil
	}
	given, err := s.GrantsOf(ctx, who.Address)
	if err != nil {
		return nil, nil, fmt.Errorf("sessions: load session: %w", err)
	}
	if who = s.WithRole(who, given); who != nil {
		who.ID = store.HolderID(token)
		s.Use(token)
	}
	return ctx, who, nil
}

// Decode reads who is logged in from what a session holds, nil for nobody and for somebody without a role.
func (s *Sessions) Decode(data []byte, given signin.Grants) *Staff {
	return s.WithRole(s.person(data), given)
}

// person reads whose a session is from what it holds, whether there is a role for them or not; nil for
// nobody's.
func (s *Sessions) person(data []byte) *Staff {
	ends, values, err := s.sm.Codec.Decode(data)
	if err != nil {
		return nil
	}
	who, _ := values[staffKey].([]byte)
	return s.Read(who, ends)
}

// Read reads a person from what Staff is stored as; nil for somebody of another sign-in service or another configuration.
func (s *Sessions) Read(b []byte, ends time.Time) *Staff {
	who := Staff{Ends: ends}
	if err := json.Unmarshal(b, &who); err != nil || who.Subject == "" || who.Issuer != s.issuer || who.Claim != s.claim {
		return nil
	}
	return &who
}

// WithRole maps the role as it is now, so that a change of the configuration or of a grant takes effect. It
// returns nil where there is none.
func (s *Sessions) WithRole(who *Staff, given signin.Grants) *Staff {
	if who == nil {
		return nil
	}
	var ok bool
	if who.Role, who.Because, ok = s.Roles.Role(who.Values, who.Address, given); !ok {
		return nil
	}
	return who
}

// Grants returns the roles of all addresses.
func (s *Sessions) Grants(ctx context.Context) (signin.Grants, error) {
	list, err := s.given.List(ctx)
	if err != nil {
		return nil, err
	}
	all := make(signin.Grants, len(list))
	for _, g := range list {
		all[g.Address] = web.Role(g.Role)
	}
	return all, nil
}

// GrantsOf returns the roles of an address, which may be empty, and of its domain.
func (s *Sessions) GrantsOf(ctx context.Context, address string) (signin.Grants, error) {
	if address == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	own, common, err := s.given.Of(ctx, address, signin.DomainOf(address))
	if err != nil {
		return nil, err
	}
	return signin.Grants{address: web.Role(own), signin.DomainOf(address): web.Role(common)}, nil
}

// Stored returns what Read reads of a person, without what belongs to one session.
func (s *Sessions) Stored(who *Staff) ([]byte, error) {
	return json.Marshal(Staff{Issuer: s.issuer, Claim: s.claim, Subject: who.Subject, Name: who.Name, Values: who.Values, Address: who.Address})
}

// Encode is the inverse of Decode.
func (s *Sessions) Encode(who Staff) ([]byte, error) {
	b, err := json.Marshal(who)
	if err != nil {
		return nil, err
	}
	return s.sm.Codec.Encode(who.Ends, map[string]any{staffKey: b})
}

// Start logs a person in with a new token, which it returns, and ends the browser's previous session. of is
// the owner for the store, with the subject and the session id of the sign-in service.
func (s *Sessions) Start(ctx context.Context, w http.ResponseWriter, who Staff, of store.Owner) (token string, err error) {
	who.Issuer, who.Claim = s.issuer, s.claim
	b, err := json.Marshal(who)
	if err != nil {
		return "", fmt.Errorf("sessions: start session: %w", err)
	}
	if err := s.sm.RenewToken(ctx); err != nil {
		return "", fmt.Errorf("sessions: start session: %w", err)
	}
	s.sm.Put(ctx, staffKey, b)
	of.Subject = s.Owned(of.Subject)
	if of.SID != "" {
		of.SID = s.Owned(of.SID)
	}
	token, expiry, err := s.sm.Commit(store.WithOwner(ctx, of))
	if err != nil {
		return "", fmt.Errorf("sessions: start session: %w", err)
	}
	s.sm.WriteSessionCookie(ctx, w, token, expiry)
	return token, nil
}

// Owned returns a subject or a session id of the issuer as the store has it.
func (s *Sessions) Owned(id string) string { return s.issuer + " " + id }

// Known reports whether the browser came with a session that was good when it was read.
func (s *Sessions) Known(ctx context.Context) bool { return s.sm.Token(ctx) != "" }

// Forget has the browser forget its session.
func (s *Sessions) Forget(ctx context.Context, w http.ResponseWriter) {
	s.sm.WriteSessionCookie(ctx, w, "", time.Time{})
}

// Use notes that sessions are in use.
func (s *Sessions) Use(tokens ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range tokens {
		s.used[token] = true
	}
}

// TakeUsed returns the tokens that were in use since it was called last.
func (s *Sessions) TakeUsed() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := s.used
	s.used = make(map[string]bool)
	return used
}

// SealCredentials protects credentials from whoever can read a session and, with a secret key that is not in the database, from
// whoever has a copy of the database.
func (s *Sessions) SealCredentials(c Credentials) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("sessions: seal credentials: %w", err)
	}
	return s.seal.Seal(credentialsPurpose, b), nil
}

// OpenCredentials is the inverse of SealCredentials.
func (s *Sessions) OpenCredentials(sealed []byte) (c Credentials, err error) {
	b, err := s.seal.Open(credentialsPurpose, sealed)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, fmt.Errorf("sessions: open credentials: %w", err)
	}
	return c, nil
}

// credentialsPurpose is what credentials are sealed for.
const credentialsPurpose = "credentials"
