package apiclient_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
)

func TestOptionsAreCheckedWhole(t *testing.T) {
	client := func(o apiclient.Options) apiclient.Options {
		o.BaseURL, o.ClientID, o.ClientSecret, o.TokenURL = "https://api.test", "id", "hush", "https://login.test/token?tenant=1"
		return o
	}
	with := func(f func(*apiclient.Options)) apiclient.Options {
		o := apiclient.Options{BaseURL: "https://api.test/shop", APIKey: testKey}
		f(&o)
		return o
	}
	tests := []struct {
		name string
		o    apiclient.Options
		want []string // empty if valid
	}{
		{"an API key", with(func(o *apiclient.Options) {}), nil},
		{"client credentials", client(apiclient.Options{Scopes: []string{"read"}}), nil},
		{"nothing", apiclient.Options{}, []string{"BaseURL is missing", "APIKey is missing"}},
		{"both", client(apiclient.Options{APIKey: testKey}), []string{"both"}},
		{"half a client", apiclient.Options{BaseURL: "https://api.test", ClientID: "x"}, []string{"ClientSecret is missing", "TokenURL is missing"}},
		{"no scheme", with(func(o *apiclient.Options) { o.BaseURL = "api.test" }), []string{"BaseURL does not begin"}},
		{"other scheme", with(func(o *apiclient.Options) { o.BaseURL = "ftp://api.test" }), []string{"BaseURL does not begin"}},
		{"no host", with(func(o *apiclient.Options) { o.BaseURL = "https:///x" }), []string{"BaseURL names no host"}},
		{"password in the address", with(func(o *apiclient.Options) { o.BaseURL = "https://u:hush@api.test" }), []string{"BaseURL has a user name"}},
		{"unreadable address", with(func(o *apiclient.Options) { o.BaseURL = "https://u:hush@api test" }), []string{"BaseURL cannot be read"}},
		{"query", with(func(o *apiclient.Options) { o.BaseURL = "https://api.test?key=hush" }), []string{"BaseURL has a query"}},
		{"version", with(func(o *apiclient.Options) { o.BaseURL = "https://api.test/api/v2/" }), []string{"BaseURL ends in /v2"}},
		{"key with line end", with(func(o *apiclient.Options) { o.APIKey = "hush\n" }), []string{"APIKey has a space"}},
		{"scope with space", client(apiclient.Options{Scopes: []string{"a b"}}), []string{"Scopes"}},
		{"many", apiclient.Options{BaseURL: "x", RequestsPerMinute: -1, PageSize: -1, Timeout: -time.Second, MaxBody: -1, Retries: 99, UserAgent: "a\nb"},
			[]string{"BaseURL", "APIKey is missing", "RequestsPerMinute", "PageSize", "Timeout", "MaxBody", "Retries", "UserAgent"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := apiclient.New(test.o)
			if len(test.want) == 0 {
				if err != nil || c == nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil || c != nil {
				t.Fatalf("got a client and %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if n := strings.Count(err.Error(), "\n") + 1; n != len(test.want) {
				t.Errorf("%d faults in %q, want %d", n, err, len(test.want))
			}
			if strings.Contains(err.Error(), "hush") {
				t.Errorf("%q repeats a secret", err)
			}
		})
	}
}

func TestPrintingShowsNoSecret(t *testing.T) {
	o := apiclient.Options{BaseURL: "https://api.test/?key=" + testKey, APIKey: testKey, ClientSecret: "cs_hush", ClientID: "wall",
		TokenURL: "https://u:cs_hush@api.test/token"}
	c := newClient(t, apiclient.Options{BaseURL: "https://api.test", APIKey: testKey})
	for _, s := range []string{
		fmt.Sprint(o), fmt.Sprintf("%+v", o), fmt.Sprintf("%#v", o), fmt.Sprintf("%+v", &o), fmt.Sprintf("%+v", struct{ API apiclient.Options }{o}),
		o.LogValue().String(), fmt.Sprintf("%+v", c), fmt.Sprintf("%#v", c),
	} {
		if strings.Contains(s, testKey) || strings.Contains(s, "hush") {
			t.Errorf("a secret shows in %s", s)
		}
		if !strings.Contains(s, "api.test") {
			t.Errorf("%s does not name the service", s)
		}
	}
}
