package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/admission"
	"housecount/handlers/screens"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/live"
)

// A screen has its own credential, which is not a session: it reads one page at one address, and the store, the figures and the
// clock decide what that shows (handlers/screens). It gets another each time that it loads the page (screen_series.go); sockets are
// held by what these share. A device without a credential gets one that is not a screen's yet, and shows a code (pairing.go).

// credentialLasts is the longest lifetime of a cookie in browsers; each visit renews it.
const credentialLasts = 400 * 24 * time.Hour

// screenPath is the address of all screens.
const screenPath = "/screen"

func (s *site) screenCookie() string {
	if s.public.Scheme == "https" {
		return "__Host-screen"
	}
	return "housecount_screen" // a browser refuses __Host- on plain http
}

// screenCredential returns the device's credential; empty if it has none that could be a screen's.
func (s *site) screenCredential(r *http.Request) string {
	c, err := r.Cookie(s.screenCookie())
	if err != nil || !screens.IsCredential(c.Value) {
		return ""
	}
	return c.Value
}

// keepCredential stores the credential on the device for as long as possible.
func (s *site) keepCredential(w http.ResponseWriter, credential string) {
	http.SetCookie(w, &http.Cookie{Name: s.screenCookie(), Value: credential, Path: "/", MaxAge: int(credentialLasts / time.Second),
		Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode})
}

// screen returns what a screen shows, or a code if the device is not a screen.
func (s *site) screen(w http.ResponseWriter, r *http.Request) error {
	// Nobody is there to reload the page if it cannot be shown.
	w.Header().Set("Refresh", "30")
	if early(r) {
		w.WriteHeader(http.StatusServiceUnavailable) // the browser loads it again when it is to be seen
		return nil
	} else if r.Method == http.MethodHead {
		return nil
	}
	credential := s.screenCredential(r)
	held, known, err := s.screenOf(r.Context(), credential)
	if err != nil {
		return err
	}
	if held.Screen == nil {
		return s.waiting(w, r, credential, known)
	}
	programmes, err := s.director.ReadProgrammes(r.Context())
	if err != nil {
		return fmt.Errorf("handlers: read programmes: %w", err)
	}
	at := s.director.Moment()
	q, _, err := screens.Showing(held.Screen, programmes, at)
	if err != nil {
		return fmt.Errorf("handlers: screen %s: %w", held.Screen.ID, err)
	}
	if credential, known, err = s.renewed(r, credential, &held); errors.Is(err, admission.ErrTooMany) {
		return tooManyCodes(w, err)
	} else if err != nil {
		return err
	} else if !known {
		return s.waiting(w, r, "", false)
	}
	w.Header().Del("Refresh")
	w.Header().Set("Screen", q.Access.String()) // the service worker stores only pages with this header, for this access
	s.keepCredential(w, credential)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Page(w, web.Frame{Request: q, Snapshot: at.Snapshot, Now: at.Now, Screen: new(screens.State(held.Screen, at))})
}

// screenOf returns what a credential, or another of its series, stands for; known is false for nothing.
func (s *site) screenOf(ctx context.Context, credential string) (held store.Holds, known bool, err error) {
	if credential == "" {
		return held, false, nil
	}
	alive, err := s.Screens.Alive(ctx, []string{credential})
	if err != nil {
		return held, false, fmt.Errorf("handlers: find a screen: %w", err)
	}
	held, known = alive[credential]
	return held, known, nil
}

// leaveScreen gives the device a new credential in place of a screen's, so that it shows a code. Its page asks for
// that when another device uses the credential. A device that already shows a code keeps its credential.
func (s *site) leaveScreen(w http.ResponseWriter, r *http.Request) error {
	held, known, err := s.screenOf(r.Context(), s.screenCredential(r))
	if err != nil {
		return err
	}
	if known && held.Screen == nil { // another tab of the browser was faster
		return redirect(w, screenPath)
	}
	http.SetCookie(w, &http.Cookie{Name: s.screenCookie(), Path: "/", MaxAge: -1, Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return redirect(w, screenPath)
}

// pictureSize is how a screen's page reports the size of its picture, in pixels.
var pictureSize = regexp.MustCompile(`^([1-9][0-9]{1,4})x([1-9][0-9]{1,4})$`)

// screenLive opens a screen's socket. The server alone decides what it watches.
func (s *site) screenLive(w http.ResponseWriter, r *http.Request) {
	credential := s.screenCredential(r)
	held, programmes, to, err := s.director.First(r.Context(), credential)
	switch {
	case err != nil:
		s.Log.Error("request failed", "request", visitOf(r).id, "path", loggedPath(r), "err", err)
		s.Hub.Refuse(w, r, live.CloseTryLater)
		return
	case to.Topic == "":
		s.Hub.Refuse(w, r, live.CloseForbidden) // the page reloads, and shows a code
		return
	}
	if valid, err := s.presented(r, credential, &held); err != nil {
		s.Log.Warn("the credential of a screen was not noted", "screen", held.Screen.ID, "err", err)
		s.Hub.Refuse(w, r, live.CloseTryLater)
		return
	} else if !valid {
		s.Hub.Refuse(w, r, live.CloseForbidden)
		return
	}
	q := r.URL.Query()
	device := ""
	if held.Screen != nil && q.Get("version") == s.Bundle.Version() { // a page of another version reloads, and is not in use
		device = deviceName(q.Get("device"))
		if err := s.useScreen(r, credential, device, held.Screen); err != nil {
			s.Log.Warn("the device of a screen was not noted", "screen", held.Screen.ID, "err", err)
			s.Hub.Refuse(w, r, live.CloseTryLater)
			return
		}
	}
	watches := s.Hub.Serve(w, r, live.Watcher{
		Holder:  live.Holder{Credential: store.Series(credential), Key: store.HolderID(credential), Access: screens.AccessOf(held), Stranger: held.Screen == nil, Device: device},
		Address: s.from(r),
		Agent:   admission.DeviceKind(r.UserAgent()),
		Loaded:  loaded(q.Get("for")),
		Topics:  map[string]string{to.Topic: q.Get("token")},
		State:   to.State,
		Version: q.Get("version"),
	})
	if watches && held.Screen != nil {
		s.director.Add(store.Series(credential), held.Screen, programmes)
	}
	if watches {
		s.noteDevice(r, credential, held)
	}
}

// deviceName returns the random name that a device has given itself and stores next to its credential, cut
// if it is too long. Devices that can store none share one name.
func deviceName(given string) string {
	if given == "" {
		return "unnamed"
	}
	return given[:min(len(given), 64)]
}

// useScreen lets a device replace another that used the same credential: the other's sockets are closed on every replica
// (closeEnded), and its page shows a code. The name alone distinguishes another device from a page that loads or connects again. A
// change of device costs a transaction, so it waits for a turn as codes do.
func (s *site) useScreen(r *http.Request, credential, device string, screen *store.Screen) error {
	if screen.Uses == device {
		return nil
	}
	if err := s.codes.Wait(r.Context(), s.proxies.Address(r)); err != nil {
		return err
	}
	return s.Screens.Use(r.Context(), credential, device, s.taken(r))
}

// loaded returns when a page was loaded, from the number of seconds since; zero if that is not a number.
func loaded(seconds string) time.Time {
	n, err := strconv.ParseUint(seconds, 10, 30)
	if err != nil {
		return time.Time{}
	}
	return time.Now().Add(-time.Duration(n) * time.Second)
}

// noteDevice stores the size of the picture that a device reports with its socket. That costs a transaction, so it
// waits for a turn like codes.
func (s *site) noteDevice(r *http.Request, credential string, held store.Holds) {
	size := pictureSize.FindStringSubmatch(r.URL.Query().Get("size"))
	if size == nil || held.Size == size[1]+" × "+size[2] {
		return
	}
	err := s.codes.Wait(r.Context(), s.proxies.Address(r))
	if err == nil {
		err = s.Screens.Describe(r.Context(), credential, size[1]+" × "+size[2])
	}
	if err != nil {
		s.Log.Warn("the size of a screen was not noted", "err", err)
	}
}

// reportFault stores a fault that a screen's page reports. It ignores devices that are not screens.
func (s *site) reportFault(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	if err := s.codes.Wait(r.Context(), s.proxies.Address(r)); err != nil {
		return tooManyCodes(w, err)
	}
	credential := s.screenCredential(r)
	held, known, err := s.screenOf(r.Context(), credential)
	if err != nil {
		return err
	}
	if text := admin.CleanLabel(r.PostForm.Get("fault")); held.Screen != nil && known && held.Valid(screens.Key(s.Seal, credential)) && text != "" && text != held.Screen.Fault {
		if err := s.Screens.Report(r.Context(), credential, text); err != nil {
			return err
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
