package handlers

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/programme"
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

// settingsIn returns the settings of a screen in a form, and the access that they give. Money is shown only on
// screens for staff, and only for the whole house.
func settingsIn(form url.Values) (admin.ScreenSettings, web.Access) {
	f := admin.ScreenSettings{Name: admin.CleanLabel(form.Get("name")), Place: admin.CleanLabel(form.Get("place")), Programme: form.Get("programme"),
		Language: web.Locale(form.Get("language")), Office: form.Get("shows") == "office", Money: form.Get("money") == "today"} // by default it is public and without money
	for _, hall := range form["hall"] {
		if hall != "" {
			f.Halls = append(f.Halls, hall)
		}
	}
	access := web.Access{Money: web.NoMoney, Public: !f.Office}
	if f.Money {
		access.Money = web.TodaysMoney
	}
	if len(f.Halls) > 0 {
		access = access.InHalls(f.Halls...)
	}
	for _, fault := range []struct {
		code string
		is   bool
	}{{"name", f.Name == ""}, {"public_money", f.Money && !f.Office}, {"hall_money", f.Money && len(f.Halls) > 0}} {
		if fault.is {
			f.Wrong = append(f.Wrong, fault.code)
		}
	}
	return f, access
}

// hours returns the hours between two times of day; none if both are empty.
func hours(from, to string) programme.Hours {
	if from == "" && to == "" {
		return ""
	}
	return programme.Hours(from + "-" + to)
}

// editScreen changes a screen's settings, or shows the form again with what is wrong.
func (s *site) editScreen(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	form := r.PostForm
	f := admin.ScreenForm{ID: form.Get("screen"), Margin: strings.TrimSpace(form.Get("margin")), DarkFrom: form.Get("dark_from"), DarkTo: form.Get("dark_to"), DimFrom: form.Get("dim_from"), DimTo: form.Get("dim_to")}
	var access web.Access
	f.ScreenSettings, access = settingsIn(form)
	wrong := func(code string, is bool) {
		if is {
			f.Wrong = append(f.Wrong, code)
		}
	}
	margin, err := strconv.Atoi(f.Margin)
	dark, dim := hours(f.DarkFrom, f.DarkTo), hours(f.DimFrom, f.DimTo)
	wrong("margin", err != nil || margin < 0 || margin > 100)
	wrong("dark", !dark.Valid())
	wrong("dim", !dim.Valid())
	wrong("access", !isOffered(f.Language))
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

func (s *site) zone() *time.Location {
	if z := s.Snapshot().Calendar.Zone; z != nil {
		return z
	}
	return time.UTC
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
	if end := evening.At(s.Snapshot(), now).LastEnd(); end.After(now) {
		f.LastEnd = end.In(s.zone()).Format("15:04")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return f.Write(w, s.Renderer)
}

// sendMessage stores a message for screens, for a while or until a time.
func (s *site) sendMessage(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	form, now := r.PostForm, s.Now()
	f := admin.MessageForm{Text: oneLine(form.Get("text")), Urgent: form.Get("urgent") != "", For: form.Get("for"), Until: form.Get("until")}
	until, err := s.messageEnd(f, now)
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

// messageEnd returns until when a message is shown.
func (s *site) messageEnd(f admin.MessageForm, now time.Time) (time.Time, error) {
	switch f.For {
	case admin.MessageUntil:
		return nextTime(f.Until, now.In(s.zone()))
	case admin.MessageLastEnd:
		if end := evening.At(s.Snapshot(), now).LastEnd(); end.After(now) {
			return end, nil
		}
		return time.Time{}, errors.New("the last performance has ended")
	}
	if !slices.Contains(admin.MessageMinutes, f.For) {
		return time.Time{}, errors.New("no such time")
	}
	minutes, err := strconv.Atoi(f.For)
	return now.Add(time.Duration(minutes) * time.Minute), err
}

// nextTime returns the next moment with a clock time such as 20:40, not before the next minute.
func nextTime(text string, now time.Time) (time.Time, error) {
	t, err := time.Parse("15:04", text)
	if err != nil {
		return time.Time{}, err
	}
	next := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, now.Location())
	if !next.After(now) {
		next = time.Date(now.Year(), now.Month(), now.Day()+1, t.Hour(), t.Minute(), 0, 0, now.Location())
	}
	return next, nil
}

// oneLine returns a typed text on one line.
func oneLine(typed string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(typed, ""), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
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
