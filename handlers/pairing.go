package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/admission"
	"housecount/handlers/screens"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/wall"
	"housecount/web/words"
)

const (
	// codeLasts is how long a code is valid, and codeShown how long a page shows it. The difference is time to type it.
	codeLasts = 15 * time.Minute
	codeShown = 14 * time.Minute
	pairPath  = "/screens/pair"
)

// waiting shows a new code. A device that already waits keeps its credential. Another gets a new one, so that the
// former credential of a screen never becomes one again.
func (s *site) waiting(w http.ResponseWriter, r *http.Request, credential string, waits bool) error {
	from := s.proxies.Address(r)
	if err := s.codes.Wait(r.Context(), from); err != nil {
		return tooManyCodes(w, err)
	}
	if !waits {
		credential = screens.NewCredential()
	}
	d := store.Device{Kind: admission.DeviceKind(r.UserAgent()), Address: from.String()}
	code, err := "", store.ErrCodeTaken
	for try := 0; try < 3 && errors.Is(err, store.ErrCodeTaken); try++ {
		if code, err = screens.NewCode(); err == nil {
			err = s.Screens.Ask(r.Context(), credential, code, d, time.Now().Add(codeLasts))
		}
	}
	if errors.Is(err, store.ErrTooManyCodes) {
		return tooManyCodes(w, err)
	} else if err != nil {
		return err
	}
	s.keepCredential(w, credential)
	w.Header().Set("Refresh", fmt.Sprint(int(codeShown/time.Second)))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return (wall.Waiting{
		Locale: s.language(r), Code: code, Device: strings.Join([]string{d.Kind, d.Address}, " · "), For: codeShown,
		Link: s.public.String() + pairPath + "?code=" + code, Address: s.public.Host + "/pair",
		Snapshot: s.Snapshot(), Now: s.Now(),
	}).Write(w, s.Renderer)
}

func tooManyCodes(w http.ResponseWriter, cause error) error {
	w.Header().Set("Retry-After", "60")
	return &fault{status: http.StatusTooManyRequests, code: "too_many_codes", cause: cause}
}

// linkScreen turns the device into a screen by the secret in its address. The device gets a new credential;
// another device that became the screen by the same address loses it.
func (s *site) linkScreen(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	from := s.proxies.Address(r)
	if err := s.codes.Wait(r.Context(), from); err != nil {
		return tooManyCodes(w, err)
	}
	credential := screens.NewCredential()
	linked, err := s.Screens.Link(r.Context(), r.PostForm.Get("secret"), credential, store.Device{Kind: admission.DeviceKind(r.UserAgent()), Address: from.String()},
		store.Act{Actor: store.ActorStranger, Action: store.ActScreenLinked, Address: from.String()})
	if err != nil {
		return err
	}
	if linked {
		s.Log.Info("act", "action", store.ActScreenLinked, "address", from.String())
		s.keepCredential(w, credential)
	} // otherwise the device shows a code
	return redirect(w, screenPath)
}

// pairShort redirects from the address that a person types.
func (s *site) pairShort(w http.ResponseWriter, r *http.Request) error { return redirect(w, pairPath) }

// pairPage asks an admin whether a code is the one on the device, and what the screen is to show.
func (s *site) pairPage(w http.ResponseWriter, r *http.Request) error {
	return s.askToPair(w, r, admin.Pairing{Code: screens.ReadCode(r.URL.Query().Get("code"))})
}

// askToPair writes that page, filled in with what is known of the device.
func (s *site) askToPair(w http.ResponseWriter, r *http.Request, p admin.Pairing) error {
	from := s.proxies.Address(r)
	list, err := s.Programmes.List(r.Context())
	if err != nil {
		return err
	}
	for _, one := range list {
		p.Programmes = append(p.Programmes, web.Choice{ID: one.ID, Name: one.Name, Chosen: one.ID == p.Programme})
	}
	p.Locale, p.User, p.Snapshot = s.language(r), visitOf(r).staff.Name, s.Snapshot()
	if p.Code != "" {
		if err := s.codes.Wait(r.Context(), from); err != nil {
			return tooManyCodes(w, err)
		}
		device, shown, err := s.Screens.Asked(r.Context(), p.Code)
		if err != nil {
			return err
		}
		p.Gone = !shown
		p.Kind, p.Size, p.Address, p.ShownFor, p.SameAddress = device.Kind, device.Size, device.Address, time.Since(device.Asked), device.Address == from.String()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return p.Write(w, s.Renderer)
}

// pair turns the device that shows a code into a screen, or refuses it, after which it shows another code.
func (s *site) pair(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	form := r.PostForm
	code, who, language := screens.ReadCode(form.Get("code")), visitOf(r).staff, s.language(r)
	text := words.Of(language)
	if form.Get("do") == "refuse" {
		if err := s.codes.Wait(r.Context(), s.proxies.Address(r)); err != nil {
			return tooManyCodes(w, err)
		}
		refused, err := s.Screens.Refuse(r.Context(), code, s.act(r, who, store.ActScreenRefused))
		if err != nil {
			return err
		}
		if !refused { // the code has ended, or somebody else was faster
			return s.askToPair(w, r, admin.Pairing{Code: code})
		}
		s.Log.Info("act", "action", store.ActScreenRefused, "actor", s.sessions.Owned(who.Subject), "address", s.from(r))
		return s.message(w, web.Message{Locale: language, Title: text.Text("pair.refused"), Text: text.Text("pair.refused_text"), Next: "/screens", NextText: text.Text("pair.to_screens")})
	}
	p := admin.Pairing{Code: code}
	var access web.Access
	p.ScreenSettings, access = admin.ReadScreenSettings(form)
	screen := store.Screen{Name: p.Name, Place: p.Place, Programme: p.Programme, Language: string(cmp.Or(p.Language, language)), Access: access.String(), By: who.Name}
	if _, _, err := screens.Showing(&screen, nil, s.director.Moment()); err != nil {
		return &fault{status: http.StatusBadRequest, code: "form", cause: err}
	}
	if len(p.Wrong) > 0 {
		return s.askToPair(w, r, p)
	}
	if err := s.codes.Wait(r.Context(), s.proxies.Address(r)); err != nil {
		return tooManyCodes(w, err)
	}
	id, paired, err := s.Screens.Pair(r.Context(), code, screen, s.act(r, who, store.ActScreenPaired))
	if err != nil {
		return err
	}
	if !paired { // somebody else was faster, or it took too long
		return s.askToPair(w, r, p)
	}
	s.Log.Info("act", "action", store.ActScreenPaired, "actor", s.sessions.Owned(who.Subject), "object", id, "after", screen.Access, "address", s.from(r))
	return s.message(w, web.Message{Locale: language, Title: text.Text("pair.paired", words.Name("name", screen.Name)), Text: text.Text("pair.paired_text"), Next: "/screens", NextText: text.Text("pair.to_screens")})
}
