package handlers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers/sessions"
	"housecount/web"
	"housecount/web/admin"
)

// changedAgain is how often what somebody set meanwhile is read before a form is given up.
const changedAgain = 3

// saveSettings saves what an administrator typed on the settings page, all of it or nothing. If something is wrong, or was changed
// by somebody else since the page was made, the page shows that and what was typed.
func (s *site) saveSettings(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), enterTimeout)
	defer cancel()
	who, request := visitOf(r).staff, visitOf(r).request
	err := store.ErrChanged
	for range changedAgain {
		snapshot, now := s.Snapshot(), s.Now()
		form, changes := admin.ReadSettings(request, r.PostForm, snapshot, now)
		if form == nil {
			return &fault{status: http.StatusBadRequest, code: "address", cause: errors.New("no such form of settings")}
		}
		if form.Failed() {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			return s.Renderer.Page(w, web.Frame{Request: request, Form: form, Snapshot: snapshot, Now: now, Ready: s.Ready(), User: who.Name})
		}
		if err = s.set(ctx, r, snapshot, now, changes); err == nil {
			return redirect(w, form.Saved())
		}
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
	}
	return err
}

// set stores settings that the person of a request changed on the basis of a snapshot. The error is store.ErrChanged if the log has
// newer ones.
func (s *site) set(ctx context.Context, r *http.Request, snapshot *figures.Snapshot, now time.Time, changes []*record.Setting) error {
	if len(changes) == 0 {
		return nil
	}
	who := visitOf(r).staff
	var acts []store.Act
	for _, c := range changes {
		before := snapshot.Settings().Get(c.Name, c.Of, c.From)
		a := s.act(r, who, admin.SettingChanged)
		a.Object, a.Reason = c.RecordID(), string(c.Name)
		a.ObjectName, a.After = admin.SettingWords(c)
		c.At, c.By = now, who.Name
		if before != nil {
			_, a.Before = admin.SettingWords(before)
		}
		if next := snapshot.Settings().At(c.Name, c.Of, c.From).Add(time.Millisecond); next.After(now) { // of two replicas one may be behind
			c.At = next
		}
		acts = append(acts, a)
	}
	if err := s.Entries.Set(ctx, snapshot.Position.Revision, now, changes, acts); err != nil {
		return err
	}
	for _, a := range acts {
		s.Log.Info("act", "action", a.Action, "actor", a.Actor, "object", clip(a.Object), "before", a.Before, "after", a.After, "address", a.Address)
	}
	return nil
}

// leaveOut takes it that a past performance is not to be among the comparables of another, or is again. One
// that is so already needs nothing.
func (s *site) leaveOut(w http.ResponseWriter, r *http.Request) error {
	past, err := field(r, "past")
	if err != nil {
		return err
	}
	return s.entered(w, r, func(ctx context.Context, who *sessions.Staff, _ *evening.Evening, show *evening.Show) error {
		if !who.Role.Access().TakesOut() {
			return &fault{status: http.StatusForbidden, code: "role", user: who.Name, role: who.Role, needs: web.Manager, another: true}
		}
		err := store.ErrChanged
		for i := 0; i < changedAgain && errors.Is(err, store.ErrChanged); i++ {
			snapshot, now := s.Snapshot(), s.Now()
			if show == nil || snapshot.Event(past) == nil {
				return nil
			}
			change := &record.Setting{Name: record.SettingLeftOut, Of: record.LeftOutOf(show.Event.ID, past)}
			undo := r.PostForm.Get("undo") != ""
			if out := slices.Contains(snapshot.Settings().LeftOut(show.Event.ID), past); out != undo {
				return nil
			}
			if !undo {
				change.Value = new(int64(1))
			}
			err = s.set(ctx, r, snapshot, now, []*record.Setting{change})
		}
		return err
	})
}
