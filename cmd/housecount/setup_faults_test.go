package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// failing is a service that refuses every key.
func failing(t *testing.T) string {
	t.Helper()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(service.Close)
	return service.URL
}

// What is wrong stands on a page of its own, so that the browser's way back sends no form again, names every field that is wrong,
// and keeps what was typed, also while another step is looked at.
func TestSetupSaysAllThatIsWrong(t *testing.T) {
	service := newSetupService(t)
	s := newSetup(t, t.TempDir())
	v := s.visitor()
	v.post("code", s.code())
	alerts := func(body string) int { return strings.Count(body, `role="alert"`) }

	v.post("step", "1", "profile", "ticketmatic")
	status, body := v.post("step", "2", "api_url", failing(t), "var.account", "", "var.access_key", "", "var.currency", "EUR", "var.zone", "Europe/Brussels", "key", "hush")
	if v.refuses("two fields missing", status, body, "Access key", "Short name of the account"); alerts(body) != 2 {
		t.Errorf("two missing fields are %d faults: %s", alerts(body), body)
	}
	for zone, want := range map[string]string{
		"Mars":            "<bdi>Time zone of the service’s times</bdi>:  This cannot be used",
		"Europe/Brussels": "<bdi>Access key; Short name of the account, as in its addresses; Secret key</bdi>:  The service refuses these together",
	} {
		status, body = v.post("step", "2", "api_url", failing(t), "var.account", "waag", "var.access_key", "ak", "var.currency", "EUR", "var.zone", zone, "key", "hush")
		v.refuses(zone, status, body, want, `value="waag"`, `value="`+zone+`"`)
	}
	v.post("step", "1", "profile", "default")
	status, body = v.post("step", "2", "api_url", "", "key", "two words")
	if v.refuses("no address and no key", status, body, "The address of the service is missing", "The key has a space"); alerts(body) != 2 {
		t.Errorf("an address and a key are %d faults: %s", alerts(body), body)
	}

	alone := *v.Client
	alone.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r, err := alone.PostForm(s.address, url.Values{"step": {"2"}, "api_url": {"nowhere"}, "key": {testKey}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Body.Close(); r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/setup?step=2#step-2" {
		t.Errorf("a form that is wrong is answered %d, %s", r.StatusCode, r.Header.Get("Location"))
	}
	status, body = v.post("step", "2", "api_url", service.url, "key", testKey)
	v.wants("the key", status, body, http.StatusOK, "You will see")
	if alerts(body) != 0 {
		t.Errorf("what was wrong is still said: %s", body)
	}

	status, body = v.post("step", "3", "venue", "", "zone", "Mars/Olympus", "cutoff", "25:00", "language", "nl", "hall.0", "many", "whole", "few")
	if v.refuses("all of the venue", status, body, "name of the venue", "Mars/Olympus", "25:00", "not a number of people", `value="few"`); alerts(body) != 5 {
		t.Errorf("five faults of the venue are said as %d: %s", alerts(body), body)
	}
	v.post("step", "3", "venue", "De Waag", "zone", "Europe/Amsterdam", "cutoff", "06:00", "language", "nl")
	status, body = v.post("step", "4", "provider", "other", "public_url", "dash", "issuer", "http://id.example.org", "login_id", "front-desk", "login_secret", "hush-55", "admin", "nobody", "do", "check")
	if v.refuses("all of the login", status, body, "Give the address with https", "sign-in service is not found", "nobody"); alerts(body) != 3 {
		t.Errorf("three faults of the login are said as %d: %s", alerts(body), body)
	}
	v.answer(v.Get(s.address + "?step=3"))
	status, body = v.answer(v.Get(s.address + "?step=4"))
	v.refuses("the login again", status, body, `value="front-desk"`, `value="http://id.example.org"`, `value="nobody"`)
	if strings.Contains(body, "hush-55") {
		t.Error("the page shows a secret")
	}
}
