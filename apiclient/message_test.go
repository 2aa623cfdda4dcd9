package apiclient_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"housecount/apiclient"
)

// The error responses of services, each in its documented form.
func TestErrorShapes(t *testing.T) {
	for name, test := range map[string]struct{ contentType, body, want string }{
		"problem+json":                   {"application/problem+json", `{"type":"https://e.test/1","title":"Bad page","status":422,"detail":"Page 0.","instance":"/x"}`, "Bad page: Page 0."},
		"problem, Mollie":                {"application/hal+json", `{"status":422,"title":"Unprocessable Entity","detail":"The amount is too high","field":"amount","_links":{}}`, "Unprocessable Entity: The amount is too high"},
		"error object":                   {"", `{"error":{"code":"bad_page","message":"Page 0."}}`, "bad_page: Page 0."},
		"error object, number":           {"", `{"error":{"code":17,"message":"Page 0."}}`, "17: Page 0."},
		"OAuth":                          {"", `{"error":"invalid_request","error_description":"Page 0."}`, "invalid_request: Page 0."},
		"Eventbrite":                     {"", `{"status_code":422,"error":"ARGUMENTS_ERROR","error_description":"Page 0."}`, "ARGUMENTS_ERROR: Page 0."},
		"Bizzabo":                        {"", `{"error":"Bad","message":"Page 0."}`, "Bad: Page 0."},
		"Laravel":                        {"", `{"message":"Invalid.","errors":{"page":["Page 0.","An integer."],"size":["Big."]}}`, "Invalid.: page: Page 0.; page: An integer.; size: Big."},
		"Tito, message":                  {"", `{"status":422,"message":"Page 0.","hint":"Begin at 1"}`, "Page 0."},
		"Tito, errors":                   {"", `{"errors":{"page":["Page 0."]},"error_list":["x"]}`, "error_list: x; page: Page 0."},
		"Tito, errors object":            {"", `{"errors":{"status":422,"title":"Invalid","detail":"Page 0."}}`, "Invalid: Page 0."},
		"Seats.io":                       {"", `{"status":400,"errors":[{"code":"BAD_PAGE","message":"Page 0."},{"code":"B","message":"C"}],"requestId":"7"}`, "BAD_PAGE: Page 0.; B: C"},
		"detail":                         {"", `{"detail":"Page 0."}`, "Page 0."},
		"fields alone, pretix":           {"", `{"page":["Page 0."]}`, "page: Page 0."},
		"code and message, Ticketmatic":  {"", `{"code":400,"message":"Page 0.","applicationcode":3,"applicationdata":null}`, "400: Page 0."},
		"code and message, words":        {"", `{"code":"bad_page","message":"Page 0."}`, "bad_page: Page 0."},
		"plain text":                     {"text/plain", "Page 0.\r\n", "Page 0."},
		"plain text, long":               {"text/plain", strings.Repeat("x", 1000), strings.Repeat("x", 300)},
		"a page for people":              {"text/html", "<h1>Page 0.</h1>", "<h1>Page 0.</h1>"},
		"nothing":                        {"", "", ""},
		"the key in a shape":             {"", `{"error":{"code":"` + testKey + `","message":"unknown"}}`, "[hidden]: unknown"},
		"deep":                           {"", `{"errors":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`, ""},
		"several errors, more than told": {"", `{"errors":[{"message":"1"},{"message":"2"},{"message":"3"},{"message":"4"}]}`, "1; 2; 3"},
	} {
		t.Run(name, func(t *testing.T) {
			c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(409)
				w.Write([]byte(test.body))
			}, apiclient.Options{})
			e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Rejected)
			if e.Message != test.want || e.Status != 409 {
				t.Errorf("says %q, want %q", e.Message, test.want)
			}
		})
	}
}

// A response that quotes our request where HTTP expects a header ends up in Go's error text; the
// key must not.
func TestEchoedCredentialIsHidden(t *testing.T) {
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\n%s %s\r\n\r\n", "Authorization", r.Header.Get("Authorization"))
		buf.Flush()
	}, apiclient.Options{})
	e := gather(readTickets(t.Context(), c, apiclient.Query{})).failure(t, apiclient.Unreachable)
	for err := error(e); err != nil; err = errors.Unwrap(err) {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), testKey) {
			t.Errorf("%#v shows the key", err)
		}
	}
	if !strings.Contains(e.Error(), "[hidden]") {
		t.Errorf("%v does not quote the answer: the test proves nothing", e)
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

// Whatever a service responds, the message is short, printable and without the key.
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
		report := apiclient.Clean(apiclient.Explain(body), key)
		if len(report) > 300 || !utf8.ValidString(report) || strings.ContainsFunc(report, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q is not fit to be shown", report)
		}
		if strings.Contains(report, key) {
			t.Errorf("%q shows the key %q", report, key)
		}
	})
}
