package apiclient_test

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

// parsed returns a profile with these rules.
func parsed(t *testing.T, rules string) *profile.Profile {
	t.Helper()
	p, err := profile.Parse("house.yaml", []byte(rules))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// dated is a row of the lists of these tests.
type dated struct {
	ID      string `json:"id"`
	Date    string `json:"date"`
	Updated string `json:"updated_at,omitempty"`
}

// Page, time since and event are members of the body of a POST, as numbers where they are some.
func TestParametersInBody(t *testing.T) {
	var bodies []string
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		bodies = append(bodies, r.URL.RawQuery+" "+string(text))
		var asked struct {
			Filter struct {
				Since int64 `json:"since"`
				Page  int   `json:"page"`
			} `json:"filter"`
		}
		if r.Method != http.MethodPost || json.Unmarshal(text, &asked) != nil {
			t.Errorf("asked by %s with %q", r.Method, text)
		}
		rows := []dated{{"a", "2026-11-21", "2026-11-21T20:00:00Z"}, {"b", "2026-11-22", "2026-11-21T19:00:00Z"}, {"c", "2026-11-23", "2026-11-21T18:00:00Z"}}
		from := min((asked.Filter.Page-1)*2, len(rows))
		writeJSON(w, map[string]any{"data": rows[from:min(from+2, len(rows))], "total": len(rows)})
	}, apiclient.Options{Profile: parsed(t, `
name: house
streams:
  - name: events
    path: search
    method: POST
    body: '{"sort": "changed", "filter": {"open": true}}'
    params: body
    query: {v: "2"}
    since: {param: filter.since, format: unix}
    paging: {style: page, param: filter.page, size_param: size, size: 2, total: total}
    gives: [event]
`)})
	g := gather(c.Read(t.Context(), "events", apiclient.Query{}))
	if g.err != nil || strings.Join(g.ids(), " ") != "a b c" {
		t.Fatalf("%v: %v", g.ids(), g.err)
	}
	g = gather(c.Read(t.Context(), "events", apiclient.Query{UpdatedSince: time.Unix(1_700_000_000, 0)}))
	if g.err != nil {
		t.Fatal(g.err)
	}
	want := []string{
		`v=2 {"filter":{"open":true,"page":1},"size":2,"sort":"changed"}`,
		`v=2 {"filter":{"open":true,"page":2},"size":2,"sort":"changed"}`,
		`v=2 {"filter":{"open":true,"page":1,"since":1700000000},"size":2,"sort":"changed"}`,
		`v=2 {"filter":{"open":true,"page":2,"since":1700000000},"size":2,"sort":"changed"}`,
	}
	if strings.Join(bodies, "\n") != strings.Join(want, "\n") {
		t.Errorf("asked\n%s\nwant\n%s", strings.Join(bodies, "\n"), strings.Join(want, "\n"))
	}
}

// Each line is a row. One that is cut short is no list of the lines before it.
func TestLinesOfJSON(t *testing.T) {
	body := "{\"id\":\"a\",\"date\":\"2026-11-21\"}\n\n  {\"id\":\"b\",\"date\":\"2026-11-22\"}\r\n{\"id\":\"c\",\"date\":\"2026-11-23\"}"
	c := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }, apiclient.Options{Profile: parsed(t, `
name: house
streams:
  - {name: events, path: events.ndjson, format: lines, paging: {style: bare}, gives: [event]}
`)})
	if g := gather(c.Read(t.Context(), "events", apiclient.Query{})); g.err != nil || strings.Join(g.ids(), " ") != "a b c" {
		t.Errorf("%v: %v", g.ids(), g.err)
	}
	body = body[:len(body)-5]
	gather(c.Read(t.Context(), "events", apiclient.Query{})).failure(t, apiclient.Garbage)
	body = ""
	if g := gather(c.Read(t.Context(), "events", apiclient.Query{})); g.err != nil || len(g.records) != 0 {
		t.Errorf("an empty answer: %v, %v", g.ids(), g.err)
	}
	body = `{"id":"a","date":"2026-11-21"} {"id":"b","date":"2026-11-22"}` + "\n"
	gather(c.Read(t.Context(), "events", apiclient.Query{})).failure(t, apiclient.Garbage)
}

// A list that can only be asked for by dates is read window by window, each to its last page, and one of changes from
// the time since on. A read goes on in the window where it ended.
func TestWindowsOfDates(t *testing.T) {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	day := func(n int) string { return today.AddDate(0, 0, n).Format(time.DateOnly) }
	var asked []string
	handler := func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.RawQuery)
		var rows []dated
		for n := -50; n <= 0; n += 10 {
			if at := day(n); at >= r.FormValue("dateFrom") && at <= r.FormValue("dateTo") {
				rows = append(rows, dated{ID: fmt.Sprintf("o%d", -n), Date: at})
			}
		}
		writePage(w, r, rows, 2, len(rows))
	}
	c := serve(t, handler, apiclient.Options{Profile: parsed(t, `
name: house
vars: {begin: "`+day(-50)+`"}
streams:
  - name: orders
    path: orders
    window: {from: dateFrom, to: dateTo, format: "2006-01-02", zone: UTC, start: "{begin}", days: 25, basis: created}
    paging: {style: page, size_param: per_page, total: meta.total}
    gives: [event]
`)})
	var resume string
	g := gather(c.Read(t.Context(), "orders", apiclient.Query{OnPage: func(p apiclient.Page) {
		if p.Number == 2 {
			resume = p.Resume
		}
	}}))
	// A row at the moment between two windows comes with both.
	if want := "o50 o40 o30 o20 o10 o0 o0"; g.err != nil || strings.Join(g.ids(), " ") != want {
		t.Fatalf("%v: %v, want %s", g.ids(), g.err, want)
	}
	first, last := "dateFrom="+day(-50)+"&dateTo="+day(-25), "dateFrom="+day(0)+"&dateTo="+day(1)
	if len(asked) != 5 || !strings.HasPrefix(asked[0], first) || !strings.HasPrefix(asked[4], last) {
		t.Errorf("asked %q, from %s to %s", asked, first, last)
	}
	if g = gather(c.Read(t.Context(), "orders", apiclient.Query{From: resume})); g.err != nil || strings.Join(g.ids(), " ") != "o20 o10 o0 o0" {
		t.Errorf("resumed: %v, %v", g.ids(), g.err)
	}
	asked = nil
	g = gather(c.Read(t.Context(), "orders", apiclient.Query{UpdatedSince: today.AddDate(0, 0, -12)}))
	if g.err != nil || strings.Join(g.ids(), " ") != "o10 o0" || len(asked) != 1 {
		t.Errorf("since twelve days ago: %v, %v, asked %q", g.ids(), g.err, asked)
	}
	for _, s := range c.Streams() {
		if s.Since != "created" || s.ReadsWhole {
			t.Errorf("%+v", s)
		}
	}
}

// A second address of the service gets the credential only where the profile says so.
func TestSecondOrigin(t *testing.T) {
	for _, credential := range []bool{false, true} {
		var got string
		second := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = fmt.Sprintf("%s %q", r.URL.Path, r.Header.Get("Authorization"))
			if r.FormValue("page") == "" {
				writeJSON(w, map[string]any{"data": []dated{{ID: "s1", Date: "2026-11-21"}}, "links": map[string]any{"next": "/api/scans?page=2"}})
				return
			}
			writeJSON(w, map[string]any{"data": []dated{{ID: "s2", Date: "2026-11-21"}}, "links": map[string]any{"next": nil}})
		}))
		t.Cleanup(second.Close)
		main := ""
		c := serve(t, func(w http.ResponseWriter, r *http.Request) {
			main = r.Header.Get("Authorization")
			writeJSON(w, map[string]any{"data": []dated{{ID: "e1", Date: "2026-11-21"}}, "links": map[string]any{"next": nil}})
		}, apiclient.Options{Vars: map[string]string{"scanner": second.URL + "/api"}, Profile: parsed(t, fmt.Sprintf(`
name: house
prefixes: [v2]
vars: {scanner: ""}
origins:
  scanner: {base_url: "{scanner}", credential: %t}
streams:
  - {name: events, path: events, paging: {next: links.next}, gives: [event]}
  - {name: scans, origin: scanner, path: scans, paging: {next: links.next}, gives: [event]}
`, credential))})
		if g := gather(c.Read(t.Context(), "events", apiclient.Query{})); g.err != nil || main != "Bearer "+testKey {
			t.Errorf("%v, with %q", g.err, main)
		}
		want := `/api/scans ""`
		if credential {
			want = `/api/scans "Bearer ` + testKey + `"`
		}
		if g := gather(c.Read(t.Context(), "scans", apiclient.Query{})); g.err != nil || strings.Join(g.ids(), " ") != "s1 s2" || got != want {
			t.Errorf("credential %t: %v, %v, asked for %s, want %s", credential, g.ids(), g.err, got, want)
		}
	}
}

// The key travels as the template of the header says, and the user of basic authentication is a variable.
func TestCredentialTemplates(t *testing.T) {
	var got string
	handler := func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		writeJSON(w, []dated{{ID: "e1", Date: "2026-11-21"}})
	}
	for rule, want := range map[string]string{
		`{kind: header, template: "Token token={key}"}`: "Token token=" + testKey,
		`{kind: basic, user: "box-{house}"}`:            "Basic " + base64.StdEncoding.EncodeToString([]byte("box-noord:"+testKey)),
	} {
		c := serve(t, handler, apiclient.Options{Vars: map[string]string{"house": "noord"}, Profile: parsed(t, `
name: house
vars: {house: ""}
auth: `+rule+`
streams:
  - {name: events, path: events, paging: {style: bare}, gives: [event]}
`)})
		if g := gather(c.Read(t.Context(), "events", apiclient.Query{})); g.err != nil || got != want {
			t.Errorf("%s: %v, sent %q, want %q", rule, g.err, got, want)
		}
	}
}

// Each request is signed for itself: a page that is followed with its own address, a body with its hash, a retry anew. The
// key is never sent, and neither it nor a signature is in an error.
func TestSignedRequests(t *testing.T) {
	const secret = "c2VjcmV0IGtleSBvZiB0aGUgaG91c2U="
	key, _ := base64.StdEncoding.DecodeString(secret)
	var calls []*http.Request
	var sent string
	status := http.StatusOK
	handler := func(w http.ResponseWriter, r *http.Request) {
		calls = append(calls, r)
		sent = r.Header.Get("Authorization")
		body, _ := io.ReadAll(r.Body)
		sum := md5.Sum(body)
		mac := hmac.New(sha1.New, key)
		fmt.Fprintf(mac, "%s\nhttp://%s%s\n%s\n%s", r.Method, r.Host, r.URL.RequestURI(), r.Header.Get("Date"), base64.StdEncoding.EncodeToString(sum[:]))
		if want := "HouseAPI box:" + base64.StdEncoding.EncodeToString(mac.Sum(nil)); sent != want || status != http.StatusOK {
			w.WriteHeader(max(status, http.StatusForbidden))
			fmt.Fprintf(w, `{"message":"not signed as %s is"}`, sent)
			return
		}
		if at, err := http.ParseTime(r.Header.Get("Date")); err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("signed at %q", r.Header.Get("Date"))
		}
		if r.FormValue("page") == "2" {
			writeJSON(w, map[string]any{"data": []dated{{ID: "b", Date: "2026-11-22"}}, "links": map[string]any{"next": nil}})
			return
		}
		writeJSON(w, map[string]any{"data": []dated{{ID: "a", Date: "2026-11-21"}}, "links": map[string]any{"next": r.URL.Path + "?page=2"}})
	}
	c := serve(t, handler, apiclient.Options{APIKey: secret, Vars: map[string]string{"login": "box"}, Profile: parsed(t, `
name: house
vars: {login: ""}
auth:
  kind: hmac
  sign:
    hash: sha1
    secret: base64
    encoding: base64
    time: http
    text: "{method}\n{url}\n{time}\n{body_md5}"
    headers: {Authorization: "HouseAPI {login}:{signature}", Date: "{time}"}
streams:
  - {name: events, path: events, paging: {next: links.next}, gives: [event]}
  - {name: asked, path: asked, method: POST, body: '{"all": true}', paging: {next: links.next}, gives: [event]}
`)})
	for _, stream := range []string{"events", "asked"} {
		if g := gather(c.Read(t.Context(), stream, apiclient.Query{})); g.err != nil || strings.Join(g.ids(), " ") != "a b" {
			t.Errorf("%s: %v, %v", stream, g.ids(), g.err)
		}
	}
	for _, r := range calls {
		for name, values := range r.Header {
			if strings.Contains(strings.Join(values, ""), secret) {
				t.Errorf("%s carries the key", name)
			}
		}
	}
	status = http.StatusForbidden
	e := gather(c.Read(t.Context(), "events", apiclient.Query{})).failure(t, apiclient.Forbidden)
	signature := strings.TrimPrefix(sent, "HouseAPI box:")
	if strings.Contains(e.Error(), signature) || strings.Contains(e.Error(), secret) || !strings.Contains(e.Error(), "not signed as") {
		t.Errorf("the error shows a secret, or not what was answered: %v", e)
	}

	_, err := apiclient.New(apiclient.Options{APIKey: "no base64!", BaseURL: "http://127.0.0.1", Vars: map[string]string{"login": "box"}, Profile: parsed(t, `
name: house
vars: {login: ""}
auth: {kind: hmac, sign: {secret: base64, text: "{time}", headers: {Authorization: "{login} {signature}"}}}
streams:
  - {name: events, path: events, gives: [event]}
`)})
	if err == nil || strings.Contains(err.Error(), "no base64!") {
		t.Errorf("a key that cannot be read: %v", err)
	}
}

// A signature may go into the query, with the time as the service writes it.
func TestSignedQuery(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		mac := hmac.New(sha256.New, []byte(testKey))
		fmt.Fprintf(mac, "acme%s%s", r.URL.Path, q.Get("ts"))
		if q.Get("sign") != fmt.Sprintf("%x", mac.Sum(nil)) || q.Get("page") != "1" {
			t.Errorf("asked for %s", r.URL)
		}
		if _, err := time.Parse("2006-01-02T15:04:05", q.Get("ts")); err != nil {
			t.Error(err)
		}
		writeJSON(w, map[string]any{"data": []dated{{ID: "a", Date: "2026-11-21"}}, "total": 1})
	}, apiclient.Options{Profile: parsed(t, `
name: house
auth: {kind: hmac, sign: {time: "2006-01-02T15:04:05", text: "acme{path}{time}", query: {ts: "{time}", sign: "{signature}"}}}
streams:
  - {name: events, path: events, paging: {style: page, total: total}, gives: [event]}
`)})
	if g := gather(c.Read(t.Context(), "events", apiclient.Query{})); g.err != nil || len(g.records) != 1 {
		t.Error(g.err)
	}
}

// Dates, amounts and fees are read as the profile says the service writes them.
func TestWrittenAsTheServiceDoes(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "events") {
			io.WriteString(w, `[{"id":"a","date":"21-11-2026"},{"id":"b","date":"2026-11-22"},{"id":"c","date":"22.11.26"}]`)
			return
		}
		io.WriteString(w, `[
			{"id":"1","event_id":"a","status":"valid","price":"1.234,50","fee":"2,5"},
			{"id":"2","event_id":"a","status":"valid","price":"27,50","fee":"2.50"},
			{"id":"3","event_id":"a","status":"valid","price":"1,00","fee":"2,00"},
			{"id":"4","event_id":"a","status":"valid","price":12.5}]`)
	}, apiclient.Options{Profile: parsed(t, `
name: house
money: {unit: major, currency: EUR, decimal: comma, fee: included}
time: {zone: Europe/Amsterdam, formats: ["02-01-2006", "02-01-2006 15:04"]}
streams:
  - {name: events, path: events, paging: {style: bare}, gives: [event]}
  - {name: tickets, path: tickets, paging: {style: bare}, gives: [ticket]}
`)})
	g := gather(c.Read(t.Context(), "events", apiclient.Query{}))
	if len(g.records) != 2 || g.records[0].(*record.Event).Date != "2026-11-21" || g.records[1].(*record.Event).Date != "2026-11-22" ||
		len(g.refused) != 1 || g.refused[0].ID != "c" || g.refused[0].Field != "date" {
		t.Errorf("%v, %v, %v", g.records, g.refused, g.err)
	}
	g = gather(c.Read(t.Context(), "tickets", apiclient.Query{}))
	text := ""
	for _, r := range g.records {
		k := r.(*record.Ticket)
		text += fmt.Sprint(k.ID, " ", k.Price.Amount, "; ")
	}
	for _, r := range g.refused {
		text += fmt.Sprint(r.ID, " ", r.Field, "; ")
	}
	if want := "1 123200; 4 1250; 2 fee; 3 fee; "; text != want {
		t.Errorf("%s, want %s; %v", text, want, g.err)
	}
}
