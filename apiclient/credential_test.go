package apiclient_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"housecount/apiclient"
)

const oddKey = `k/+ 8&=é"9`

// The credential is sent as the profile says on every page and appears in no error.
func TestCredentialKinds(t *testing.T) {
	basic := func(s string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(s)) }
	for _, test := range []struct {
		auth, key    string
		header, want string
	}{
		{"{}", testKey, "Authorization", "Bearer " + testKey},
		{"{kind: bearer}", testKey, "Authorization", "Bearer " + testKey},
		{"{kind: header, scheme: Token}", testKey, "Authorization", "Token " + testKey},
		{"{kind: header, header: X-Api-Key}", testKey, "X-Api-Key", testKey},
		{"{kind: basic}", oddKey, "Authorization", basic(oddKey + ":")},
		{"{kind: basic, user: api}", oddKey, "Authorization", basic("api:" + oddKey)},
		{"{kind: query, param: api key}", oddKey, "", oddKey},
		{"{kind: none}", "", "Authorization", ""},
	} {
		t.Run(test.auth, func(t *testing.T) {
			calls := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls++
				got := r.Header.Get(test.header)
				if test.header == "" {
					got = r.URL.Query().Get("api key")
					if n := len(r.URL.Query()["api key"]); n != 1 {
						t.Errorf("the key is sent %d times in %s", n, r.URL)
					}
				} else if strings.Contains(r.URL.RawQuery, "key") && calls != 2 {
					t.Errorf("asked for %s", r.URL)
				}
				if got != test.want {
					t.Errorf("call %d: %s is %q, want %q", calls, test.header, got, test.want)
				}
				if r.Header.Get("X-Version") != "7 of xyz" || r.Header.Get("Accept") != "application/x.json" {
					t.Errorf("headers %v", r.Header)
				}
				switch calls {
				case 1: // the next address repeats the request's parameters
					next := url.Values{"p": {"2"}}
					if test.header == "" {
						next.Set("api key", got)
					}
					fmt.Fprintf(w, `{"data":[%s],"next":%q}`, eventRow(1, ""), "/a?x=1&"+next.Encode()+"&y=%20")
				case 2:
					http.Redirect(w, r, "/b?p=2", http.StatusFound)
				case 3:
					fmt.Fprintf(w, `{"data":[%s],"next":"?p=3"}`, eventRow(2, ""))
				default:
					w.WriteHeader(409)
					escaped := url.QueryEscape(test.key)
					json.NewEncoder(w).Encode(map[string]string{"message": strings.Join([]string{got, escaped, url.PathEscape(test.key), test.key, "7 of xyz"}, " | ")})
				}
			}))
			t.Cleanup(s.Close)
			c, err := apiclient.New(apiclient.Options{BaseURL: s.URL, APIKey: test.key, RequestsPerMinute: 600_000, Retries: -1, Vars: map[string]string{"v": "xyz"}, Profile: profileOf(t,
				"name: a\nvars: {v: ''}\nauth: "+test.auth+"\nheaders: {X-Version: '7 of {v}', Accept: application/x.json}\nstreams: [{name: a, path: a, gives: [event]}]")})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.CloseIdle)
			var resume []string
			g := gather(probing(t.Context(), c, "a", apiclient.Query{OnPage: func(p apiclient.Page) { resume = append(resume, p.Resume) }}))
			e := g.failure(t, apiclient.Rejected)
			if len(g.records) != 2 || calls != 4 {
				t.Errorf("%d records by %d calls", len(g.records), calls)
			}
			shown := e.Error()
			for _, token := range resume {
				place, err := base64.RawURLEncoding.DecodeString(token)
				if err != nil {
					t.Fatal(err)
				}
				shown += string(place)
			}
			if test.key == "" {
				return
			}
			for _, secret := range []string{test.key, url.QueryEscape(test.key), url.PathEscape(test.key), strings.TrimPrefix(basic(test.key+":"), "Basic "), "7 of xyz"} {
				if strings.Contains(shown, secret) {
					t.Errorf("%q shows in %s", secret, shown)
				}
			}
			if !strings.Contains(e.Message, "[hidden]") {
				t.Errorf("says %q", e.Message)
			}
		})
	}
}

func TestCredentialsThatDoNotFit(t *testing.T) {
	for _, test := range []struct {
		auth string
		o    apiclient.Options
		want string // empty if valid
	}{
		{"{kind: none}", apiclient.Options{}, ""},
		{"{kind: none}", apiclient.Options{APIKey: "hush"}, "the profile a needs none"},
		{"{kind: none}", apiclient.Options{ClientID: "x", ClientSecret: "hush", TokenURL: "http://x.test"}, "the profile a needs none"},
		{"{kind: query, param: key}", apiclient.Options{APIKey: "hu sh"}, ""},
		{"{kind: query, param: key}", apiclient.Options{APIKey: "hush\n"}, "APIKey has"},
		{"{kind: basic}", apiclient.Options{APIKey: "hu sh"}, ""},
		{"{kind: basic}", apiclient.Options{APIKey: "hush\x00"}, "APIKey has"},
		{"{kind: basic, user: u}", apiclient.Options{}, "APIKey is missing"},
		{"{kind: header, header: X-Key}", apiclient.Options{APIKey: "hu sh"}, "APIKey has"},
		{"{oauth: {token_url: 'https://login.test/t', scopes: [a]}}", apiclient.Options{ClientID: "x", ClientSecret: "hush"}, ""},
		{"{oauth: {token_url: 'https://login.test/t'}}", apiclient.Options{ClientID: "x"}, "ClientSecret is missing"},
		{"{oauth: {}}", apiclient.Options{ClientID: "x", ClientSecret: "hush"}, "TokenURL is missing"},
	} {
		test.o.BaseURL = "https://api.test"
		test.o.Profile = profileOf(t, "name: a\nauth: "+test.auth+"\nstreams: [{name: a, path: a, gives: [event]}]")
		_, err := apiclient.New(test.o)
		switch {
		case (err == nil) != (test.want == ""):
			t.Errorf("%s: %v, want %q", test.auth, err, test.want)
		case err != nil && (!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hush")):
			t.Errorf("%s: %v, want %q", test.auth, err, test.want)
		}
	}
}

// A token is requested in the profile's style and sent as the profile says.
func TestTokenStyles(t *testing.T) {
	for style, want := range map[string]string{
		"basic": "application/x-www-form-urlencoded id:hush audience=a+b&grant_type=client_credentials&scope=r+w",
		"post":  "application/x-www-form-urlencoded : audience=a+b&client_id=id&client_secret=hush&grant_type=client_credentials&scope=r+w",
		"json":  `application/json : {"audience":"a b","client_id":"id","client_secret":"hush","grant_type":"client_credentials","scope":"r w"}`,
	} {
		var asked, sent string
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" {
				user, password, _ := r.BasicAuth()
				body, _ := io.ReadAll(r.Body)
				asked = r.Header.Get("Content-Type") + " " + user + ":" + password + " " + string(body)
				io.WriteString(w, `{"access_token":"tok 1","token_type":"session"}`)
				return
			}
			sent = r.URL.RawQuery
			io.WriteString(w, "[]")
		}))
		t.Cleanup(s.Close)
		c := newClient(t, apiclient.Options{BaseURL: s.URL, ClientID: "id", ClientSecret: "hush", Profile: profileOf(t, fmt.Sprintf(`
name: a
auth: {kind: query, param: t, oauth: {token_url: "%s/token", style: %s, scopes: [r, w], params: {audience: a b}}}
streams: [{name: a, path: a, gives: [event], paging: {style: bare}}]`, s.URL, style))})
		if _, err := read(t, c, "a", apiclient.Query{}); err != nil || asked != want || sent != "t=tok+1" {
			t.Errorf("%s: asked with %s, want %s; sent %s; %v", style, asked, want, sent, err)
		}
	}
}

// A profile may contain the service's address.
func TestBaseURLOfAProfile(t *testing.T) {
	text := "name: a\nbase_url: 'https://{shop}.test/v2'\nvars: {shop: ''}\nstreams: [{name: a, path: a, gives: [event]}]"
	for name, test := range map[string]struct {
		o    apiclient.Options
		want string
	}{
		"its own":           {apiclient.Options{Vars: map[string]string{"shop": "x"}}, "apiclient.Client(https://x.test/v2)"},
		"the operator's":    {apiclient.Options{Vars: map[string]string{"shop": "x"}, BaseURL: "https://y.test/v2"}, "apiclient.Client(https://y.test/v2)"},
		"a variable less":   {apiclient.Options{}, "needs the variable shop"},
		"a variable more":   {apiclient.Options{Vars: map[string]string{"shop": "x", "hall": "y"}}, `no variable "hall"`},
		"and another fault": {apiclient.Options{PageSize: -1}, "PageSize is out of range"},
	} {
		test.o.APIKey, test.o.Profile = testKey, profileOf(t, text)
		c, err := apiclient.New(test.o)
		if got := fmt.Sprint(c, err); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s, want %q", name, got, test.want)
		}
	}
}

// A variable may be a secret wherever it is sent, except in an address.
func TestSecretVariables(t *testing.T) {
	for name, rule := range map[string]string{
		"header": "headers: {X-Key: 'a {v}'}\nstreams: [{name: a, path: '{shop}/a', gives: [event]}]",
		"query":  "streams: [{name: a, path: '{shop}/a', gives: [event], query: {k: '{v}'}}]",
		"body":   "streams: [{name: a, path: '{shop}/a', gives: [event], method: POST, body: '{\"k\":\"{v}\"}'}]",
	} {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(400)
			fmt.Fprint(w, `{"message":"hush-hush-hush may not see the-old-theatre"}`)
		}, apiclient.Options{Vars: map[string]string{"v": "hush-hush-hush", "shop": "the-old-theatre"}, Profile: profileOf(t, "name: a\nvars: {v: '', shop: ''}\n"+rule)})
		e := gather(probing(t.Context(), c, "a", apiclient.Query{})).failure(t, apiclient.Rejected)
		if e.Message != "[hidden] may not see the-old-theatre" {
			t.Errorf("%s: says %q", name, e.Message)
		}
	}
}

func TestRedirects(t *testing.T) {
	var reached atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		t.Errorf("the foreign host was asked, with %q", r.Header.Get("Authorization"))
	}))
	defer thief.Close()
	port := thief.URL[strings.LastIndex(thief.URL, ":"):]

	for name, target := range map[string]string{
		"another port":   thief.URL + "/v2/tickets",
		"another name":   "http://localhost" + port + "/v2/tickets",
		"with the key":   thief.URL + "/" + testKey,
		"another scheme": "https://" + strings.TrimPrefix(thief.URL, "http://"),
		"no scheme":      "//127.0.0.1" + port + "/",
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, target, http.StatusTemporaryRedirect)
			}, apiclient.Options{Retries: 3})
			e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Foreign)
			if strings.Contains(e.Error(), testKey) {
				t.Errorf("%v shows the key", e)
			}
		})
	}
	t.Run("at home", func(t *testing.T) {
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer "+testKey {
				t.Error("the credential was left behind")
			}
			if !strings.HasSuffix(r.URL.Path, "/") {
				http.Redirect(w, r, r.URL.Path+"/?"+r.URL.RawQuery, http.StatusMovedPermanently)
				return
			}
			writePage(w, r, tickets(3), 100, 3)
		}, apiclient.Options{})
		if g := gather(readTickets(t.Context(), c, apiclient.Query{})); g.err != nil || len(g.records) != 3 {
			t.Errorf("%d records, %v", len(g.records), g.err)
		}
	})
	t.Run("in circles", func(t *testing.T) {
		calls := 0
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			calls++
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}, apiclient.Options{})
		gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Endless)
		if calls > 6 {
			t.Errorf("followed %d redirects", calls)
		}
	})
}
