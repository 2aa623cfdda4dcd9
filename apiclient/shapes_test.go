package apiclient_test

import (
	"net/http"
	"strings"
	"testing"

	"housecount/apiclient"
)

// The shapes in which services refuse, each as a service documents it.
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
