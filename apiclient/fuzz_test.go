package apiclient_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient"
	"housecount/apiclient/record"
)

// Whatever comes, a page is read or it is not; what is handed on keeps its promises.
func FuzzDecodePage(f *testing.F) {
	f.Add(fullPage(2))
	f.Add(pageOf(`{"id":"evt_1","date":"2026-11-21","title":"a\u0000","capacity":3,"ticket_types":[{"id":"a","price":{"amount":1,"currency":"eur"}}]}`))
	f.Add(pageOf(`{"id":"pay_1","kind":"payment","amount":{"amount":-5,"currency":"EUR"}}`, `null`, `7`, `{"id":"x","amount":{}}`))
	f.Add([]byte(`{"data":[{"id":"a","event_id":"b","scans":[{"at":"2026-11-21T19:00:00Z","direction":"sideways"}]}],"meta":{"total":1.5}}`))
	f.Add(pageOf(`{"id":"con_1","postal_code":"1012 AB","types":["a"]}`, `{"id":"pln_1","kind":"show","budget_revenue":{"amount":1,"currency":"eur"}}`))
	f.Add([]byte(`[{"id":"con_1"},"a\"]",{"a":[{}]}]`))
	f.Add([]byte(`{"data":[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		money := func(m *record.Money) {
			if m != nil && (m.Amount < 0 || m.Amount > 1e13 || len(m.Currency) != 3 || strings.ToUpper(m.Currency) != m.Currency) {
				t.Errorf("money %+v", m)
			}
		}
		id := func(s string) {
			if s == "" || len(s) > 200 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
				t.Errorf("id %q", s)
			}
		}
		at := func(times ...time.Time) {
			for _, at := range times {
				if !at.IsZero() && (at.Year() < 1970 || at.Year() > 2200 || at.Location() != time.UTC) {
					t.Errorf("time %v", at)
				}
			}
		}
		list := json.Valid(body)
		if d, err := apiclient.DecodeEvents(body); err == nil {
			if !list {
				t.Errorf("read %q, which is no JSON", body)
			}
			for _, e := range d.Records {
				id(e.ID)
				at(e.DoorsAt, e.StartsAt, e.EndsAt, e.IntervalStartsAt, e.IntervalEndsAt, e.CreatedAt, e.UpdatedAt)
				if _, err := time.Parse(time.DateOnly, e.Date); err != nil || utf8.RuneCountInString(e.Title) > 500 {
					t.Errorf("date %q, title %q", e.Date, e.Title)
				}
				if e.Capacity != nil && (*e.Capacity < 0 || *e.Capacity > 1e7) {
					t.Errorf("capacity %d", *e.Capacity)
				}
				for _, p := range e.TicketTypes {
					money(p.Price)
				}
			}
		}
		if d, err := apiclient.DecodeTickets(body); err == nil {
			for _, k := range d.Records {
				id(k.ID)
				id(k.EventID)
				money(k.Price)
				money(k.Fee)
				money(k.VAT)
				at(k.CreatedAt, k.SoldAt, k.CancelledAt, k.UpdatedAt)
				if k.Places() < 0 || k.Places() > 100_000 {
					t.Errorf("quantity %d", k.Places())
				}
				for i, s := range k.Scans {
					at(s.At)
					if s.Direction != record.Entry && s.Direction != record.Exit || i > 0 && s.At.Before(k.Scans[i-1].At) {
						t.Errorf("scans %+v", k.Scans)
					}
				}
			}
			// What was handed on comes through a second time as it is.
			again, err := json.Marshal(map[string]any{"data": d.Records})
			if err != nil {
				t.Fatalf("%+v cannot be written: %v", d.Records, err)
			}
			if len(d.Records) > 0 {
				if twice, err := apiclient.DecodeTickets(again); err != nil || len(twice.Refused) > 0 || len(twice.Records) != len(d.Records) {
					t.Errorf("%s does not come through a second time: %+v, %v", again, twice, err)
				}
			}
		}
		if d, err := apiclient.DecodeContacts(body); err == nil {
			for _, c := range d.Records {
				id(c.ID)
				at(c.CreatedAt, c.UpdatedAt)
				if utf8.RuneCountInString(c.PostalArea) > 4 || len(c.Types) > 10_000 {
					t.Errorf("postal area %q, %d types", c.PostalArea, len(c.Types))
				}
			}
		}
		if d, err := apiclient.DecodePlanning(body); err == nil {
			for _, p := range d.Records {
				id(p.ID)
				at(p.StartsAt, p.EndsAt, p.CreatedAt, p.UpdatedAt)
				money(p.BudgetRevenue)
				money(p.BudgetMarketing)
			}
		}
		if d, err := apiclient.DecodePayments(body); err == nil {
			for _, p := range d.Records {
				id(p.ID)
				money(&p.Amount)
				money(p.AmountRefunded)
				at(p.CreatedAt, p.PaidAt, p.UpdatedAt)
			}
			for _, r := range d.Refused {
				if r.Why.String() == "" || len(r.ID) > 200 || len(r.Field) > 200 || len(r.Why.String()) > 1000 {
					t.Errorf("refused with %+v", r)
				}
			}
		} else if err.Kind != apiclient.Garbage && err.Kind != apiclient.TooLarge {
			t.Errorf("ended with %v", err)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for _, s := range []string{"", "7", "-1", "1e300", "NaN", "Inf", "0x10", " 5 ", "99999999999999999999", "1795291200", "1795291200000",
		now.Add(time.Minute).Format(http.TimeFormat), now.Format(time.RFC3339), `"a";r=0;t=5`, "limit=1, remaining=0, reset=5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		waits := []time.Duration{apiclient.RetryAfterOf(s, now), apiclient.Exhausted(http.Header{"Ratelimit": {s}}, now),
			apiclient.Exhausted(http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {s}}, now)}
		for i, d := range waits {
			if d < 0 || d > 15*time.Minute {
				t.Errorf("%d: %q asks for %v", i, s, d)
			}
		}
	})
}

func FuzzReset(f *testing.F) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for _, s := range []string{"", "40", "1795291200", "1795291200000", "1e400", "-Inf", now.Format(time.RFC3339), now.Format(http.TimeFormat), "2026-11-21T20:00:00+99:00"} {
		f.Add(s, `"a";r=0;t=5, "b";q=9;w=5`)
	}
	f.Add("40", "limit=1, remaining=0, reset=5,,;;=")
	f.Fuzz(func(t *testing.T, s, limits string) {
		if d := apiclient.ResetOf(s, now); d < 0 || d > 15*time.Minute {
			t.Errorf("%q is in %v", s, d)
		}
		h := http.Header{"Ratelimit": {limits}, "Ratelimit-Policy": {limits, s}, "X-Ratelimit-Remaining": {s}, "X-Ratelimit-Reset": {limits}}
		for _, w := range apiclient.Windows(h, now) {
			if strings.Contains(w, "-") {
				t.Errorf("%q and %q tell of %s", s, limits, w)
			}
		}
		if d := apiclient.Exhausted(h, now); d < 0 || d > 15*time.Minute {
			t.Errorf("%q and %q ask for %v", s, limits, d)
		}
	})
}

// Whatever an answer says about the next page, it is at home, and the error has a name.
func FuzzPaging(f *testing.F) {
	from, err := url.Parse("https://api.test/shop/v2/events?page=1&per_page=3")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range envelopes {
		h := http.Header{}
		f.Add([]byte(e.page(asked{url.Values{}, "https://api.test/shop/v2/tickets"}, sevenRows(), h)), strings.Join(h.Values("Link"), ","))
	}
	for _, next := range []string{"//thief.test", "https://api.test:443/x", "https://api.test@thief.test/", `/\\thief.test`, "/..//thief.test", "?%2f%2fthief.test", "/\t/thief.test", "////thief.test/"} {
		f.Add([]byte(`{"data":[],"links":{"next":"`+next+`"}}`), "<"+next+">; rel=next")
	}
	f.Add([]byte(`{"_embedded":{"a":[1]},"_embedded":{}}`), `<a>;rel="x\"y";rel=next,<`)
	f.Fuzz(func(t *testing.T, body []byte, link string) {
		places, errs := apiclient.Explore(from, http.Header{"Link": {link}}, body)
		for _, place := range places {
			u, err := url.Parse(place)
			if err != nil || u.Scheme != "https" || strings.ToLower(u.Hostname()) != "api.test" || u.Port() != "" && u.Port() != "443" || u.User != nil || len(place) > 10_000 {
				t.Errorf("leads to %q, %v", place, err)
			}
		}
		for _, e := range errs {
			if e.Err == nil || len(e.Error()) > 1000 || !slices.Contains([]apiclient.ErrorKind{apiclient.Garbage, apiclient.Foreign, apiclient.TooLarge}, e.Kind) {
				t.Errorf("ended with %+v", e)
			}
		}
	})
}

// Whatever is given to go on from, no other origin is asked.
func FuzzResume(f *testing.F) {
	for _, s := range []string{`{"s":"page","n":3}`, `{"s":"next","a":"/v2/events?page=2"}`, `{"s":"next","a":"//thief.test"}`, `{"s":"link-header","a":"/\\thief.test"}`, `{"s":"cursor","p":"cursor","a":"x"}`} {
		f.Add(apiclient.ResumeText(`{"v":2,"f":"default","k":"events","u":-62135596800,"l":100,"n":1,"r":3,"i":2,"w":` + s + `}`))
	}
	f.Fuzz(func(t *testing.T, from string) {
		c, err := apiclient.New(apiclient.Options{BaseURL: "https://api.test/shop", APIKey: testKey, RequestsPerMinute: 1_000_000, Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		c.SetTransport(func(r *http.Request) (*http.Response, error) {
			if r.URL.Scheme != "https" || r.URL.Host != "api.test" || r.URL.User != nil {
				t.Errorf("%q leads to %s", from, r.URL)
			}
			return nil, io.EOF
		})
		if g := gather(readEvents(t.Context(), c, apiclient.Query{From: from})); g.err == nil {
			t.Errorf("%q is read", from)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"": 0, "0": 0, "-5": 0, "soon": 0, "NaN": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "1.5": 1500 * time.Millisecond,
		"900": 15 * time.Minute, "901": 15 * time.Minute, "1e300": 15 * time.Minute, "Inf": 15 * time.Minute,
		"Sat, 21 Nov 2026 20:01:00 GMT": time.Minute, "Sat, 21 Nov 2026 19:01:00 GMT": 0, "Mon, 21 Nov 2050 19:01:00 GMT": 15 * time.Minute,
	} {
		if got := apiclient.RetryAfterOf(s, now); got != want {
			t.Errorf("%q is %v, want %v", s, got, want)
		}
	}
	if math.MaxInt64 == apiclient.RetryAfterOf("9223372036854775807", now) {
		t.Error("not capped")
	}
}

func TestExplain(t *testing.T) {
	for body, want := range map[string]string{
		`{"type":"about:blank","title":"Not now","status":503,"detail":"Come back."}`: "Not now: Come back.",
		`{"title":"Not now"}`:                                                 "Not now",
		`{"error":{"code":"limit","message":"Too fast"}}`:                     "limit: Too fast",
		`{"error":{"message":"Too fast"}}`:                                    "Too fast",
		`{"error":"invalid_client","error_description":"No such."}`:           "invalid_client: No such.",
		`{"error":"invalid_client"}`:                                          "invalid_client",
		`{"message":"Bad page","errors":{"page":["too high"]}}`:               "Bad page: page: too high",
		`{"detail":"Invalid page."}`:                                          "Invalid page.",
		`{"errors":[{"code":7,"message":"Bad page"},{"message":"Bad size"}]}`: "7: Bad page; Bad size",
		`{"errors":["Bad page"]}`:                                             "errors: Bad page",
		`{"per_page":["at most 50"]}`:                                         "per_page: at most 50",
		`{"error":{},"message":7}`:                                            "",
		`["a"]`:                                                               `["a"]`,
		"Service Unavailable\n":                                               "Service Unavailable\n",
		``:                                                                    "",
		`{"a":"1","b":"2","c":"3","d":"4"}`:                                   "a: 1; b: 2; c: 3",
		`{"message":"  "}`:                                                    "",
	} {
		if got := apiclient.Explain([]byte(body)); got != want {
			t.Errorf("%s says %q, want %q", body, got, want)
		}
	}
}

// Whatever a service answers, what is shown of it is short, printable and without the key.
func FuzzErrorBody(f *testing.F) {
	for _, s := range []string{"", testKey, `{"message":"key ` + testKey + `"}`, `{"errors":[{"message":"x"}]}`, "\x00\xff\u202e" + testKey[:5] + "\x00" + testKey[5:],
		strings.Repeat("x", 290) + testKey, `{"error":{"code":1}}`} {
		f.Add([]byte(s), testKey)
	}
	f.Add([]byte(`"a\/b\u0026"`), `a/b&"'<`)
	f.Fuzz(func(t *testing.T, body []byte, key string) {
		if len(key) < 8 || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) || strings.Contains("[hidden]", key) {
			key = testKey
		}
		said := apiclient.Clean(apiclient.Explain(body), key)
		if len(said) > 300 || !utf8.ValidString(said) || strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is not fit to be shown", said)
		}
		if strings.Contains(said, key) {
			t.Errorf("%q shows the key %q", said, key)
		}
	})
}
