package handlers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"housecount/aggregator/store"
	"housecount/assets"
	"housecount/web"
	"housecount/web/calendar"
	"housecount/web/query"
	"housecount/web/words"
)

// What programs read has addresses of its own, and keys instead of sessions: a key is sent as a bearer token or, by
// programs that know nothing but an address, in the query. It has a role, and gives what pages give to that role.
const (
	apiPath     = "/api/"
	apiFigures  = apiPath + "figures/"
	apiCalendar = apiPath + "calendar.ics"
	apiDocument = apiPath + "openapi.yaml"
	// keyParam is the parameter with the key.
	keyParam = "key"
)

// apiPages are the pages whose tables programs can read.
var apiPages = []string{"tonight", "events", "night", "revenue"}

// errKey is returned for a request without a good key.
var errKey = &apiFault{http.StatusUnauthorized, "a key is missing or not good: send one as Authorization: Bearer KEY, or as ?key=KEY; administrators make them under People"}

// apiFault is an error that a program is told.
type apiFault struct {
	status int
	text   string
}

func (f *apiFault) Error() string { return f.text }

// api answers a program with f, which gets what the key may see and the request's parameters without the key. Errors
// are lines of text.
func (s *site) api(f func(w http.ResponseWriter, r *http.Request, role web.Role, values url.Values) error) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := protect(func(w http.ResponseWriter, r *http.Request) error { return s.keyed(w, r, f) }, w, r)
		if err == nil {
			return nil
		}
		wrong, ok := errors.AsType[*apiFault](err)
		switch {
		case ok && wrong.status == http.StatusUnauthorized:
			w.Header().Set("WWW-Authenticate", `Bearer realm="housecount"`)
		case ok:
		case !s.outage.State().Since.IsZero(), errors.Is(err, store.ErrUnwritable):
			state := s.outage.State()
			state.Unwritable = state.Unwritable || errors.Is(err, store.ErrUnwritable)
			w.Header().Set("Retry-After", awayRetry)
			wrong = &apiFault{http.StatusServiceUnavailable, databaseText(state) + ": try again"}
		default:
			id := visitOf(r).id
			s.Log.Error("request of a program failed", "request", id, "path", loggedPath(r), "err", err)
			wrong = &apiFault{http.StatusInternalServerError, "something went wrong (" + id + ")"}
		}
		plain(w, wrong.status, wrong.text)
		return nil
	}
}

// apiNothing answers what is no address for programs, or no way to ask there.
func (s *site) apiNothing(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "figures can only be read: GET")
		return nil
	}
	plain(w, http.StatusNotFound, "there is nothing here: "+apiDocument+" describes what there is")
	return nil
}

// keyed finds the key of a request and calls f.
func (s *site) keyed(w http.ResponseWriter, r *http.Request, f func(w http.ResponseWriter, r *http.Request, role web.Role, values url.Values) error) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return &apiFault{http.StatusBadRequest, "the query cannot be read"}
	}
	secret, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !bearer {
		secret = values.Get(keyParam)
	}
	values.Del(keyParam)
	if s.Keys == nil {
		return errKey
	}
	key, err := s.Keys.Of(r.Context(), secret)
	if err != nil {
		return err
	}
	if key == nil || !slices.Contains(web.Roles, web.Role(key.Role)) {
		return errKey
	}
	if !s.Ready() {
		w.Header().Set("Retry-After", "5")
		return &apiFault{http.StatusServiceUnavailable, "the figures are not known yet"}
	}
	return f(w, r, web.Role(key.Role), values)
}

// apiRequest returns what a program asks of a page.
func (s *site) apiRequest(page string, values url.Values, role web.Role) (web.Request, error) {
	l := web.English
	if own := web.Locale(values.Get(languageName)); words.Offered(own) {
		l = own
	}
	values.Del(languageName)
	q, err := web.NewRequest(page, values, role.Access(), l)
	switch wrong, ok := errors.AsType[*query.Error](err); {
	case ok:
		return q, &apiFault{http.StatusBadRequest, wrong.In(l)}
	case errors.Is(err, web.ErrForbidden):
		return q, &apiFault{http.StatusForbidden, fmt.Sprintf("the key's role, %s, may not see %s", role, page)}
	}
	return q, err
}

// sendTagged sends a body with a tag of it, or 304 where the program has it already.
func sendTagged(w http.ResponseWriter, r *http.Request, contentType string, body []byte) error {
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", contentType)
	_, err := w.Write(body)
	return err
}

// apiTable answers with the tables of a page, as JSON or the first of them as CSV.
func (s *site) apiTable(w http.ResponseWriter, r *http.Request, role web.Role, values url.Values) error {
	page, csv := strings.CutSuffix(r.PathValue("page"), ".csv")
	if !slices.Contains(apiPages, page) {
		return &apiFault{http.StatusNotFound, "there is no such table: ask for one of " + strings.Join(apiPages, ", ") + ", or with .csv after it"}
	}
	q, err := s.apiRequest(page, values, role)
	if err != nil {
		return err
	}
	format, kind := web.SheetOfJSON, "application/json"
	if csv {
		format, kind = web.SheetOfCSV, csvFile.contentType
	}
	var b bytes.Buffer
	_, err = s.Renderer.Sheets(&b, web.Frame{Request: q, Snapshot: s.Snapshot(), Now: s.Now(), Ready: true}, format)
	if errors.Is(err, web.ErrNotFound) {
		return &apiFault{http.StatusNotFound, "what the parameters name does not exist"}
	} else if err != nil {
		return err
	}
	return sendTagged(w, r, kind, b.Bytes())
}

// apiFeed answers with the performances as a calendar's feed.
func (s *site) apiFeed(w http.ResponseWriter, r *http.Request, role web.Role, values url.Values) error {
	q, err := s.apiRequest("calendar", values, role)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := calendar.Feed(&b, s.Renderer, web.Frame{Request: q, Snapshot: s.Snapshot(), Now: s.Now(), Ready: true}, s.Venue, s.public); err != nil {
		return err
	}
	return sendTagged(w, r, "text/calendar; charset=utf-8", b.Bytes())
}

// document answers with the description of what programs read.
func (s *site) document(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml; charset=utf-8")
	_, err := w.Write(assets.API)
	return err
}

// mostKeyName is the most bytes of a key's name.
const mostKeyName = 80

// changeKey makes a key for programs, which is shown once, or revokes one.
func (s *site) changeKey(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	who := visitOf(r).staff
	if id := r.PostForm.Get("revoke"); id != "" {
		if err := s.Keys.Revoke(r.Context(), id, s.act(r, who, store.ActKeyRevoked)); err != nil {
			return err
		}
		return redirect(w, web.SessionsPath+"#keys")
	}
	name, wrong := query.ReadText(r.PostForm.Get("name"))
	role := web.Role(r.PostForm.Get("role"))
	if name == "" || wrong != nil || len(name) > mostKeyName || !slices.Contains(web.Roles, role) || role == web.Admin {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.SessionsPath}
	}
	secret, err := s.Keys.Make(r.Context(), name, string(role), who.Name, s.act(r, who, store.ActKeyMade))
	if err != nil {
		return err
	}
	l := s.language(r)
	t := words.Of(l)
	base, query := s.public.String(), "?"+url.Values{keyParam: {secret}}.Encode()
	return s.message(w, web.Message{Locale: l, Title: t.Text("api_keys.made", words.Name("name", name)), Text: t.Text("api_keys.once"), Next: web.SessionsPath + "#keys", NextText: t.Text("sessions.title"),
		Values: [][2]string{{t.Text("api_keys.key"), secret}, {t.Text("api_keys.calendar"), base + apiCalendar + query}, {t.Text("api_keys.table"), base + apiFigures + "tonight.csv" + query}}})
}

// keys returns the keys for the page.
func (s *site) keys(ctx context.Context) (all []web.Key, err error) {
	if s.Keys == nil {
		return nil, nil
	}
	list, err := s.Keys.List(ctx)
	for _, k := range list {
		one := web.Key{ID: k.ID, Name: k.Name, Role: web.Role(k.Role), By: k.By}
		if !k.Used.IsZero() {
			one.Used = s.At(k.Used)
		}
		all = append(all, one)
	}
	return all, err
}
