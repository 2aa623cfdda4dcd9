package handlers

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/words"
)

// editPage returns the form of a screen's settings.
func (s *site) editPage(w http.ResponseWriter, r *http.Request) error {
	one, err := s.screenNamed(r)
	if err != nil {
		return err
	}
	if one == nil { // it was revoked in the meantime
		return redirect(w, "/screens")
	}
	a, err := web.ParseAccess(one.Access)
	if err != nil {
		return err
	}
	f := admin.ScreenForm{ID: one.ID, Margin: strconv.Itoa(one.Margin), ScreenSettings: admin.ScreenSettings{Name: one.Name, Place: one.Place, Halls: a.Halls(),
		Programme: one.Programme, Language: web.Locale(one.Language), Office: !a.Public, Money: a.Money != web.NoMoney}}
	f.DarkFrom, f.DarkTo, _ = strings.Cut(one.Dark, "-")
	f.DimFrom, f.DimTo, _ = strings.Cut(one.Dim, "-")
	return s.askSettings(w, r, f)
}

// askSettings writes the form.
func (s *site) askSettings(w http.ResponseWriter, r *http.Request, f admin.ScreenForm) error {
	list, err := s.Programmes.List(r.Context())
	if err != nil {
		return err
	}
	for _, p := range list {
		f.Programmes = append(f.Programmes, web.Choice{ID: p.ID, Name: p.Name, Chosen: p.ID == f.Programme})
	}
	f.UnusedMoney = f.Money && moneyUnused(web.Access{Money: web.TodaysMoney}, s.director.Parse(list)[f.Programme])
	f.Locale, f.User, f.Snapshot = s.language(r), visitOf(r).staff.Name, s.Snapshot()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return f.Write(w, s.Renderer)
}

// editScreen changes a screen's settings, or shows the form again with what is wrong.
func (s *site) editScreen(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	form := r.PostForm
	f := admin.ScreenForm{ID: form.Get("screen"), Margin: strings.TrimSpace(form.Get("margin")), DarkFrom: form.Get("dark_from"), DarkTo: form.Get("dark_to"), DimFrom: form.Get("dim_from"), DimTo: form.Get("dim_to")}
	var access web.Access
	f.ScreenSettings, access = admin.ReadScreenSettings(form)
	wrong := func(code string, is bool) {
		if is {
			f.Wrong = append(f.Wrong, code)
		}
	}
	margin, err := strconv.Atoi(f.Margin)
	dark, dim := admin.HoursOf(f.DarkFrom, f.DarkTo), admin.HoursOf(f.DimFrom, f.DimTo)
	wrong("margin", err != nil || margin < 0 || margin > 100)
	wrong("dark", !dark.Valid())
	wrong("dim", !dim.Valid())
	wrong("access", !words.Offered(f.Language))
	if len(f.Wrong) > 0 {
		return s.askSettings(w, r, f)
	}
	by := s.act(r, visitOf(r).staff, store.ActScreenChanged)
	if _, err := s.Screens.Change(r.Context(), f.ID, by, func(one *store.Screen) {
		one.Name, one.Place, one.Programme, one.Language, one.Access = f.Name, f.Place, f.Programme, string(f.Language), access.String()
		one.Margin, one.Dark, one.Dim = margin, string(dark), string(dim)
	}); err != nil {
		return err
	}
	s.Log.Info("act", "action", by.Action, "actor", by.Actor, "object", f.ID, "after", access.String(), "address", by.Address)
	return redirect(w, "/screens")
}

// messagePage returns the form of a message, to the screen that the address names or to all.
func (s *site) messagePage(w http.ResponseWriter, r *http.Request) error {
	return s.askMessage(w, r, admin.MessageForm{For: admin.MessageMinutes[1]}, r.URL.Query()["screen"])
}

// askMessage writes the form.
func (s *site) askMessage(w http.ResponseWriter, r *http.Request, f admin.MessageForm, to []string) error {
	list, err := s.Screens.List(r.Context())
	if err != nil {
		return err
	}
	for _, one := range list {
		f.Screens = append(f.Screens, web.Choice{ID: one.ID, Name: one.Name, Chosen: slices.Contains(to, one.ID)})
	}
	f.Locale, f.User = s.language(r), visitOf(r).staff.Name
	now := s.Now()
	f.OfferLastEnd(s.Snapshot(), now)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return f.Write(w, s.Renderer)
}

// sendMessage stores a message for screens, for a while or until a time.
func (s *site) sendMessage(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	form, now := r.PostForm, s.Now()
	f := admin.MessageForm{Text: admin.OneLine(form.Get("text")), Urgent: form.Get("urgent") != "", For: form.Get("for"), Until: form.Get("until")}
	until, err := f.End(s.Snapshot(), now)
	if err != nil {
		f.Wrong = append(f.Wrong, "until")
	}
	switch {
	case f.Text == "":
		f.Wrong = append(f.Wrong, "text")
	case utf8.RuneCountInString(f.Text) > admin.MaxMessageLength:
		f.Wrong = append(f.Wrong, "long")
	}
	if len(f.Wrong) > 0 {
		return s.askMessage(w, r, f, form["screen"])
	}
	m := &record.ScreenMessage{ID: rand.Text(), Text: f.Text, Urgent: f.Urgent, Screens: form["screen"], Until: until, At: now}
	return s.enterMessage(w, r, m, "screen_message")
}

// withdrawMessage removes a message from the screens. If it is gone already, it does nothing.
func (s *site) withdrawMessage(w http.ResponseWriter, r *http.Request) error {
	id := r.PostFormValue("message")
	for _, m := range s.Snapshot().Messages("", s.Now()) {
		if m.ID == id {
			withdrawn := *m
			withdrawn.Withdrawn, withdrawn.At = true, s.Now()
			return s.enterMessage(w, r, &withdrawn, "message_withdrawn")
		}
	}
	return redirect(w, "/screens")
}

// enterMessage stores a message for screens and its act.
func (s *site) enterMessage(w http.ResponseWriter, r *http.Request, m *record.ScreenMessage, action string) error {
	who := visitOf(r).staff
	m.By = who.Name
	list, err := s.Screens.List(r.Context())
	if err != nil {
		return err
	}
	var names []string
	for _, id := range m.Screens {
		if i := slices.IndexFunc(list, func(one store.Screen) bool { return one.ID == id }); i >= 0 {
			id = list[i].Name
		}
		names = append(names, id)
	}
	a := s.act(r, who, action)
	a.Object, a.ObjectName, a.After = m.ID, m.Text, admin.EncodeMessage(m.Until, names, m.Urgent)
	if err := s.record(r.Context(), a); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), enterTimeout)
	defer cancel()
	if err := s.Entries.Message(ctx, m); err != nil {
		return err
	}
	return redirect(w, "/screens")
}
