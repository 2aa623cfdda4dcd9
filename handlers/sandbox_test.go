package handlers_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/handlers"
	"housecount/handlers/signin"
	"housecount/web"
)

// Staff sign in at the sandbox, in both ways, and out again.
func TestSandbox(t *testing.T) {
	box := httptest.NewUnstartedServer(nil)
	issuer := "http://" + box.Listener.Addr().String()
	s, err := sandbox.New(sandbox.Options{
		Empty: true, Speed: -1, PublicURL: issuer, APIKey: "an-api-key-for-the-test", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Clients: []idp.Client{{ID: clientID, Secret: clientSecret, RedirectURIs: []string{"http://127.0.0.1/login/callback"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	box.Config.Handler = s
	box.Start()
	t.Cleanup(box.Close)

	for name, login := range map[string]signin.Login{
		"issuer": {Issuer: issuer},
		"configured addresses": {AuthURL: issuer + "/oauth/authorize", TokenURL: issuer + "/oauth/token",
			JWKSURL: issuer + "/oauth/jwks", Audience: issuer},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, func(o *handlers.Options) {
				o.Login = login
				o.Login.ClientID, o.Login.ClientSecret = clientID, clientSecret
			})
			for _, who := range idp.DemoStaff {
				b := h.browser(t)
				form := b.get("/wall?hall=Grote+zaal")
				if form.status != http.StatusOK || !strings.Contains(form.body, `name="password"`) {
					t.Fatalf("no login form but status %d at %s: %s", form.status, form.path, form.body)
				}
				wrong := b.post(issuer+form.path, url.Values{"username": {who.User}, "password": {"x"}})
				if wrong.status == http.StatusOK || b.session() != "" {
					t.Fatalf("%s with a wrong password: status %d", who.User, wrong.status)
				}
				p := b.post(issuer+form.path, url.Values{"username": {who.User}, "password": {who.Password}})
				if p.status != http.StatusOK || p.path != "/wall?hall=Grote+zaal" {
					t.Fatalf("%s: status %d at %s: %s", who.User, p.status, p.path, p.body)
				}
				want := http.StatusForbidden
				if role := web.Role(who.Roles[0]); role == web.Manager || role == web.Admin {
					want = http.StatusOK
				}
				if p := b.get("/revenue"); p.status != want {
					t.Errorf("%s: revenue is answered %d, want %d", who.User, p.status, want)
				}
				p = b.do(http.MethodPost, "/logout", nil)
				end := "/signed-out?only=here"
				if login.Issuer != "" {
					p, end = b.get(p.onward(t).String()), "/signed-out"
				}
				if p.status != http.StatusOK || p.path != end {
					t.Errorf("%s: logout ends with status %d at %s: %s", who.User, p.status, p.path, p.body)
				}
				// With an issuer, the logout ended the login there as well.
				again := b.get("/tonight")
				if asked := strings.Contains(again.body, `name="password"`); asked != (login.Issuer != "") {
					t.Errorf("%s: after the logout the password is asked for: %v", who.User, asked)
				}
			}
		})
	}
}

func (b *browser) post(address string, form url.Values) page {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.send(req)
}
