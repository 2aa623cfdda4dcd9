package handlers

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

// Sessions stores who is logged in; *store.Sessions is one. A deleted session never comes
// back, and every change of a session is hinted on all replicas.
type Sessions interface {
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

// staff is a member of staff who is logged in, as the session stores it: what the sign-in
// service said, not what follows from it.
type staff struct {
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

	// Role is what the values and the address are mapped to now, because is the one of them that gives it, and
	// ends is when the session does at the latest.
	Role    web.Role `json:"-"`
	because string
	ends    time.Time
	id      string // names the session; set where it was read by its token
}

// credentials are what a session holds of the sign-in service's; each may be empty.
type credentials struct {
	IDToken string `json:"id_token"` // for its own logout
	Refresh string `json:"refresh"`
}

const staffKey = "staff"

// sessions reads and writes who is logged in. It is used in place of scs's LoadAndSave, which
// saves at the end of a request and so brings an ended session back to life. Here only
// start writes.
type sessions struct {
	sm *scs.SessionManager
	// issuer is whose subjects log in and claim the role claim. A session of another issuer or claim is
	// none.
	issuer string
	claim  string
	roles  signin.RoleMap
	given  *store.Grants

	mu   sync.Mutex
	used map[string]bool // tokens in use that have not been touched since
}

func newSessions(o Options, secure bool) *sessions {
	name := "__Host-session"
	if !secure {
		name = "housecount_session" // a browser refuses __Host- on plain http
	}
	// Not scs.New, which starts a store of its own with a goroutine that cannot be stopped
	// reliably.
	return &sessions{issuer: o.Login.SubjectIssuer(), claim: o.Login.RoleClaim, roles: signin.NewRoleMap(o.Login), given: o.Grants, used: make(map[string]bool), sm: &scs.SessionManager{
		Store:    patientStore{o.Sessions},
		Codec:    scs.GobCodec{},
		Lifetime: o.SessionLifetime,
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

// patientStore does not let a request wait for a database that hangs.
type patientStore struct{ Sessions }

func (p patientStore) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, awayPatience)
	defer cancel()
	return p.Sessions.FindCtx(ctx, token)
}

// token returns the cookie's value, empty without a cookie.
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
	who := s.readStaff(s.sm.GetBytes(ctx, staffKey), s.sm.Deadline(ctx))
	if who == nil {
		return ctx, nil, nil
	}
	given, err := s.grantsOf(ctx, who.Address)
	if err != nil {
		return nil, nil, fmt.Errorf("handlers: load session: %w", err)
	}
	if who = s.withRole(who, given); who != nil {
		who.id = store.HolderID(token)
		s.use(token)
	}
	return ctx, who, nil
}

// decode reads who is logged in from what a session holds, nil for nobody and for somebody without a role.
func (s *sessions) decode(data []byte, given signin.Grants) *staff {
	return s.withRole(s.person(data), given)
}

// person reads whose a session is from what it holds, whether there is a role for them or not; nil for
// nobody's.
func (s *sessions) person(data []byte) *staff {
	ends, values, err := s.sm.Codec.Decode(data)
	if err != nil {
		return nil
	}
	who, _ := values[staffKey].([]byte)
	return s.readStaff(who, ends)
}

func (s *sessions) readStaff(b []byte, ends time.Time) *staff {
	who := staff{ends: ends}
	if err := json.Unmarshal(b, &who); err != nil || who.Subject == "" || who.Issuer != s.issuer || who.Claim != s.claim {
		return nil
	}
	return &who
}

// withRole maps the role as it is now, so that a change of the configuration or of a grant takes effect. It
// returns nil where there is none.
func (s *sessions) withRole(who *staff, given signin.Grants) *staff {
	if who == nil {
		return nil
	}
	var ok bool
	if who.Role, who.because, ok = s.roles.Role(who.Values, who.Address, given); !ok {
		return nil
	}
	return who
}

// grants returns the roles of all addresses.
func (s *sessions) grants(ctx context.Context) (signin.Grants, error) {
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

// grantsOf returns the roles of an address, which may be empty, and of its domain.
func (s *sessions) grantsOf(ctx context.Context, address string) (signin.Grants, error) {
	if address == "" {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, awayPatience)
	defer cancel()
	own, common, err := s.given.Of(ctx, address, signin.DomainOf(address))
	if err != nil {
		return nil, err
	}
	return signin.Grants{address: web.Role(own), signin.DomainOf(address): web.Role(common)}, nil
}

// encode is decode's inverse.
func (s *sessions) encode(who staff) ([]byte, error) {
	b, err := json.Marshal(who)
	if err != nil {
		return nil, err
	}
	return s.sm.Codec.Encode(who.ends, map[string]any{staffKey: b})
}

// start logs a person in with a new token, which it returns, and ends the browser's previous session. of is
// the owner for the store, with the subject and the session id of the sign-in service.
func (s *sessions) start(ctx context.Context, w http.ResponseWriter, who staff, of store.Owner) (token string, err error) {
	who.Issuer, who.Claim = s.issuer, s.claim
	b, err := json.Marshal(who)
	if err != nil {
		return "", fmt.Errorf("handlers: start session: %w", err)
	}
	if err := s.sm.RenewToken(ctx); err != nil {
		return "", fmt.Errorf("handlers: start session: %w", err)
	}
	s.sm.Put(ctx, staffKey, b)
	of.Subject = s.owned(of.Subject)
	if of.SID != "" {
		of.SID = s.owned(of.SID)
	}
	token, expiry, err := s.sm.Commit(store.WithOwner(ctx, of))
	if err != nil {
		return "", fmt.Errorf("handlers: start session: %w", err)
	}
	s.sm.WriteSessionCookie(ctx, w, token, expiry)
	return token, nil
}

// owned returns a subject or a session id of the issuer as the store has it.
func (s *sessions) owned(id string) string { return s.issuer + " " + id }

// known reports whether the browser came with a session that was good when it was read.
func (s *sessions) known(ctx context.Context) bool { return s.sm.Token(ctx) != "" }

// forget has the browser forget its session.
func (s *sessions) forget(ctx context.Context, w http.ResponseWriter) {
	s.sm.WriteSessionCookie(ctx, w, "", time.Time{})
}

// use notes that sessions are in use.
func (s *sessions) use(tokens ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range tokens {
		s.used[token] = true
	}
}

// takeUsed returns the tokens that were in use since it was called last.
func (s *sessions) takeUsed() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	used := s.used
	s.used = make(map[string]bool)
	return used
}

// sealCredentials and openCredentials protect what could be used at the sign-in service from whoever can
// read a session and, with a secret key that is not in the database, from whoever has a copy of the
// database.
func (s *site) sealCredentials(c credentials) ([]byte, error) {
	b, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("handlers: seal credentials: %w", err)
	}
	return s.Seal.Seal(credentialsPurpose, b), nil
}

func (s *site) openCredentials(sealed []byte) (c credentials, err error) {
	b, err := s.Seal.Open(credentialsPurpose, sealed)
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return c, fmt.Errorf("handlers: open credentials: %w", err)
	}
	return c, nil
}

// credentialsPurpose is what credentials are sealed for.
const credentialsPurpose = "credentials"
