package handlers_test

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	clientID     = "housecount"
	clientSecret = "a secret: of & ours"
)

// standIn is a sign-in service in which somebody is always signed in already. It can misbehave and make wrong tokens, which the real provider of oidctest cannot.
type standIn struct {
	*httptest.Server
	key *ecdsa.PrivateKey

	mu    sync.Mutex
	codes map[string]url.Values // what each code was asked for with
	// The fields below are what the next login gets.
	who map[string]any // claims about the person
	// tamper changes a token before it is signed; header is its typ and the like.
	tamper         func(header, claims map[string]any)
	signer         *ecdsa.PrivateKey // key, when nil
	down           bool              // every address answers 503
	closesIdle     bool              // a token request on a connection that was used before finds it closed
	end            string            // the logout's address, if elsewhere
	userinfo       map[string]any    // what the userinfo endpoint says; there is none when nil
	refuseUserinfo bool
	// refreshes makes the login give a refresh token, which is good once; refreshed is what a
	// refresh answers instead, when set.
	refreshes bool
	refreshed func(w http.ResponseWriter) bool
	refresh   string         // the one that is good; empty for none
	algorithm string         // that is published; ES256 when empty
	prompts   []string       // that are published
	claims    []string       // the same
	scopes    []string       // the same
	noPrompt  bool           // it refuses to be told to ask for the password
	plain     bool           // the access token carries the claims; there is no ID token
	calls     map[string]int // by path
}

func newIDP(t testing.TB) *standIn {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &standIn{key: key, codes: make(map[string]url.Values), calls: make(map[string]int)}
	p.as("mia", "manager")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if p.refuseUserinfo || r.Header.Get("Authorization") != "Bearer opaque" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(p.userinfo)
	})
	type requests struct{}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.calls[r.URL.Path]++
		before := r.Context().Value(requests{}).(*int)
		if *before++; p.closesIdle && *before > 1 && r.URL.Path == "/token" {
			c, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			c.(*net.TCPConn).SetLinger(0)
			c.Close()
			return
		}
		if p.down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	p.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, requests{}, new(int))
	}
	p.Start()
	t.Cleanup(p.Close)
	return p
}

// as chooses who logs in next.
func (p *standIn) as(subject string, roles ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who = map[string]any{"sub": subject, "name": "Name of " + subject, "roles": roles}
}

// called returns how often an address was.
func (p *standIn) called(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[path]
}

func (p *standIn) set(change func(p *standIn)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *standIn) discovery(w http.ResponseWriter, r *http.Request) {
	published := map[string]any{
		"issuer":                                p.URL,
		"authorization_endpoint":                p.URL + "/authorize",
		"token_endpoint":                        p.URL + "/token",
		"jwks_uri":                              p.URL + "/keys",
		"end_session_endpoint":                  cmp.Or(p.end, p.URL+"/end?tenant=1"),
		"id_token_signing_alg_values_supported": []string{cmp.Or(p.algorithm, "ES256")},
		"prompt_values_supported":               p.prompts,
		"claims_supported":                      p.claims,
		"scopes_supported":                      p.scopes,
	}
	if p.userinfo != nil {
		published["userinfo_endpoint"] = p.URL + "/userinfo"
	}
	json.NewEncoder(w).Encode(published)
}

func (p *standIn) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("response_type") != "code" || q.Get("client_id") != clientID ||
		q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || len(q.Get("state")) < 20 {
		http.Error(w, "bad authorization request", http.StatusBadRequest)
		return
	}
	if p.noPrompt && (q.Has("prompt") || q.Has("max_age")) {
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"error": {"invalid_request"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
		return
	}
	code := rand.Text()
	p.codes[code] = q
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (p *standIn) token(w http.ResponseWriter, r *http.Request) {
	fail := func(code string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		json.NewEncoder(w).Encode(map[string]string{"error": code})
	}
	id, secret, _ := r.BasicAuth()
	if secret, _ = url.QueryUnescape(secret); id != clientID || secret != clientSecret {
		fail("invalid_client")
		return
	}
	if r.FormValue("grant_type") == "refresh_token" {
		if p.refreshed != nil && p.refreshed(w) {
			return
		}
		if p.refresh == "" || r.FormValue("refresh_token") != p.refresh {
			p.refresh = "" // what is used twice was stolen
			fail("invalid_grant")
			return
		}
		p.answer(w, "")
		return
	}
	asked, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	challenge := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || asked.Get("redirect_uri") != r.FormValue("redirect_uri") ||
		asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(challenge[:]) {
		fail("invalid_grant")
		return
	}
	p.answer(w, asked.Get("nonce"))
}

// answer gives tokens, and a new refresh token. A refresh has no nonce.
func (p *standIn) answer(w http.ResponseWriter, nonce string) {
	header := map[string]any{"alg": "ES256", "kid": "one", "typ": "JWT"}
	claims := map[string]any{
		"iss": p.URL, "aud": clientID,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}
	maps.Copy(claims, p.who)
	answer := map[string]any{"access_token": "opaque", "token_type": "Bearer", "expires_in": 60}
	into := "id_token"
	if p.plain {
		into, header["typ"], claims["aud"] = "access_token", "at+jwt", "the-api"
	} else if nonce != "" {
		claims["nonce"] = nonce
	}
	if p.refreshes {
		p.refresh = rand.Text()
		answer["refresh_token"] = p.refresh
	}
	if p.tamper != nil {
		p.tamper(header, claims)
	}
	answer[into] = p.sign(header, claims)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

// sign makes a JWT by hand, so that tests can make wrong ones.
func (p *standIn) sign(header, claims map[string]any) string {
	encode := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	text := encode(header) + "." + encode(claims)
	if header["alg"] == "none" {
		return text + "."
	}
	signer := p.signer
	if signer == nil {
		signer = p.key
	}
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, signer, digest[:])
	if err != nil {
		panic(err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (p *standIn) keys(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: p.key.Public(), KeyID: "one", Algorithm: "ES256", Use: "sig"},
	}})
}
