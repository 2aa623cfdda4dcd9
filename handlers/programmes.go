package handlers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"housecount/aggregator/store"
	"housecount/handlers/screens"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/programme"
	"housecount/web/wall"
	"housecount/web/words"
)

// programmePage returns the form of a programme. A new one begins with the automatic programme.
func (s *site) programmePage(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	f, found, err := s.storedProgramme(r.Context(), q.Get("id"))
	if err != nil {
		return err
	}
	if found && q.Has("delete") {
		text := words.Of(s.language(r))
		return s.confirm(w, r, web.Question{Title: text.Text("programme.delete_title", words.Name("name", f.Name)), Text: text.Text("programme.delete_text"), Action: web.ProgrammePath,
			Fields: map[string]string{"id": f.ID, "version": strconv.Itoa(f.Version), "do": "delete"}, Do: text.Text("programme.delete"), Back: web.ProgrammePath + "?id=" + f.ID})
	}
	return s.askProgramme(w, r, f)
}

// storedProgramme returns the form of a stored programme; found is false, and the form that of the automatic one,
// if there is none with that id.
func (s *site) storedProgramme(ctx context.Context, id string) (f admin.ProgrammeForm, found bool, err error) {
	f.Views = programme.Automatic().Only(isView).Views
	list, err := s.Programmes.List(ctx)
	if err != nil {
		return f, false, err
	}
	i := slices.IndexFunc(list, func(p store.Programme) bool { return p.ID == id })
	if i < 0 {
		return f, false, nil
	}
	f.ID, f.Name, f.Version = list[i].ID, list[i].Name, list[i].Version
	if p, err := programme.Parse([]byte(list[i].Document), wall.ScreenPages()); err == nil {
		f.Views = p.Views
	} else {
		f.Wrong = append(f.Wrong, "unreadable")
	}
	return f, true, nil
}

// isView reports whether a view has a page.
func isView(v programme.View) bool { return slices.Contains(wall.ScreenPages(), v.Page) }

// askProgramme writes the form.
func (s *site) askProgramme(w http.ResponseWriter, r *http.Request, f admin.ProgrammeForm) error {
	list, err := s.Programmes.List(r.Context())
	if err != nil {
		return err
	}
	for _, p := range list {
		f.Programmes = append(f.Programmes, web.Choice{ID: p.ID, Name: p.Name, Chosen: p.ID == f.ID})
	}
	all, err := s.Screens.List(r.Context())
	if err != nil {
		return err
	}
	at := s.director.Moment()
	for _, one := range all {
		if f.ID == "" || one.Programme != f.ID {
			continue
		}
		a, err := web.ParseAccess(one.Access)
		if err != nil {
			return fmt.Errorf("handlers: screen %s: %w", one.ID, err)
		}
		f.Screens = append(f.Screens, admin.ProgrammeScreen{Name: one.Name, Access: a, Blank: one.Blank, Dark: programme.Hours(one.Dark),
			Programmes: screens.Follows(programme.Programme{Views: f.Views}, a, web.Locale(one.Language), at)})
	}
	f.Locale, f.User, f.Pages, f.Snapshot, f.Now = s.language(r), visitOf(r).staff.Name, wall.ScreenPages(), at.Snapshot, at.Now
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return f.Write(w, s.Renderer)
}

// saveProgramme saves a programme, previews a day with it, or deletes it. Screens of a deleted programme show the automatic one.
func (s *site) saveProgramme(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	form := r.PostForm
	f := admin.ProgrammeForm{ID: form.Get("id"), Name: admin.CleanLabel(form.Get("name")), Views: admin.ReadViews(form)}
	f.Version, _ = strconv.Atoi(form.Get("version")) // an invalid version is 0
	who := visitOf(r).staff
	if form.Get("do") == "delete" {
		by := s.act(r, who, store.ActProgrammeDeleted)
		err := s.Programmes.Delete(r.Context(), f.ID, f.Version, by)
		if errors.Is(err, store.ErrChanged) {
			return s.askNewer(w, r, f.ID)
		}
		if err != nil {
			return err
		}
		s.Log.Info("act", "action", by.Action, "actor", by.Actor, "object", f.ID, "address", by.Address)
		return redirect(w, web.ProgrammePath)
	}
	document := programme.Programme{Views: f.Views}.Document()
	if _, err := programme.Parse(document, wall.ScreenPages()); err != nil {
		if wrong, ok := errors.AsType[*programme.Fault](err); ok && wrong.View > 0 {
			f.WrongView = wrong.View
		} else {
			f.Wrong = append(f.Wrong, "views")
		}
	}
	if i := slices.IndexFunc(f.Views, func(v programme.View) bool { return v.Page == web.PerformancePage && v.Event == "" }); i >= 0 && f.WrongView == 0 {
		f.WrongView = i + 1
	}
	if f.Name == "" {
		f.Wrong = append(f.Wrong, "name")
	}
	if form.Get("do") != "save" || len(f.Wrong) > 0 || f.WrongView > 0 {
		return s.askProgramme(w, r, f)
	}
	by := s.act(r, who, store.ActProgrammeSaved)
	saved, err := s.Programmes.Save(r.Context(), store.Programme{ID: f.ID, Name: f.Name, Document: string(document), Version: f.Version, By: who.Name}, by)
	if errors.Is(err, store.ErrChanged) {
		f.Wrong = append(f.Wrong, "changed")
		return s.askProgramme(w, r, f)
	}
	if err != nil {
		return err
	}
	s.Log.Info("act", "action", by.Action, "actor", by.Actor, "object", saved.ID, "address", by.Address)
	return redirect(w, web.ProgrammePath+"?id="+saved.ID)
}

// askNewer writes the form of a programme that somebody else has changed in the meantime, with that change; if it
// was deleted, it redirects to a new one.
func (s *site) askNewer(w http.ResponseWriter, r *http.Request, id string) error {
	f, found, err := s.storedProgramme(r.Context(), id)
	if err != nil {
		return err
	}
	if !found {
		return redirect(w, web.ProgrammePath)
	}
	f.Wrong = append(f.Wrong, "changed")
	return s.askProgramme(w, r, f)
}
