package handlers_test

import (
	"strings"
	"testing"
	"time"

	"housecount/handlers"
	"housecount/handlers/signin"
	"housecount/web"
)

func TestNewNamesEveryFault(t *testing.T) {
	for _, c := range []struct {
		name string
		o    handlers.Options
		want []string
	}{
		{"nothing", handlers.Options{}, []string{"public URL", "Snapshot", "Ready", "Renderer", "Entries", "Hub", "Sessions", "Attempts", "Audit", "Presence", "Seal", "Ping", "Bundle", "client id", "an issuer is required"}},
		{"plain http", handlers.Options{PublicURL: "http://figures.example"}, []string{`public URL "http://figures.example"`, "loopback"}},
		{"a path", handlers.Options{PublicURL: "https://figures.example/housecount"}, []string{"path"}},
		{"a query", handlers.Options{PublicURL: "https://figures.example?x=1"}, []string{"query"}},
		{"a user", handlers.Options{PublicURL: "https://me@figures.example"}, []string{"user"}},
		{"no scheme", handlers.Options{PublicURL: "figures.example"}, []string{"https://"}},
		{"another scheme", handlers.Options{PublicURL: "ftp://figures.example"}, []string{"https://"}},
		{"a short session", handlers.Options{SessionLifetime: time.Second}, []string{"session lifetime"}},
		{"issuer on plain http", handlers.Options{Login: signin.Login{Issuer: "http://id.example", ClientID: "c"}}, []string{`issuer "http://id.example"`}},
		{"both", handlers.Options{Login: signin.Login{Issuer: "https://id.example", AuthURL: "https://id.example/a"}},
			[]string{"not both", "client id", "token address is required", "key set address is required"}},
		{"a logout of its own", handlers.Options{Login: signin.Login{Issuer: "https://id.example", LogoutURL: "https://id.example/a"}}, []string{"leave the logout address out"}},
		{"half", handlers.Options{Login: signin.Login{TokenURL: "https://id.example/t"}}, []string{"authorization address is required", "key set address is required"}},
		{"scopes", handlers.Options{Login: signin.Login{Issuer: "https://id.example", Scopes: []string{"profile"}}}, []string{"openid"}},
		{"administrators", handlers.Options{Login: signin.Login{Admins: []string{"mia@house.example", "mia"}}}, []string{`administrator "mia"`}},
		{"roles", handlers.Options{Login: signin.Login{Roles: map[string]web.Role{"a": "king", "b": web.Door, "c": "queen"}}}, []string{`"king"`, `"queen"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := handlers.New(t.Context(), c.o)
			if err == nil || h != nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
}
