package handlers

import (
	"context"
	"errors"
	"net/http"
	"time"

	"housecount/aggregator/store"
	"housecount/web"
)

// changedAgain is how often what somebody set meanwhile is read before a form is given up.
const changedAgain = 3

// saveSettings saves what an administrator typed on the page of settings, all of it or nothing: where
// something is wrong, or was set by somebody else since the page was made, the page says so and keeps
// what was typed.
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
		form, changes := web.ReadSettings(request, r.PostForm, snapshot, now)
		if form == nil {
			return &fault{status: http.StatusBadRequest, code: "address", cause: errors.New("no such form of settings")}
		}
		if form.Failed() {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			return s.Renderer.Page(w, web.Frame{Request: request, Form: form, Snapshot: snapshot, Now: now, Ready: s.Ready(), User: who.Name})
		}
		var acts []store.Act
		for _, c := range changes {
			before := snapshot.Settings().Get(c.Name, c.Of, c.From)
			a := s.act(r, who, web.SettingChanged)
			a.Object, a.Reason = c.RecordID(), string(c.Name)
			a.ObjectName, a.After = web.SettingWords(c)
			c.At, c.By = now, who.Name
			if before != nil {
				_, a.Before = web.SettingWords(before)
			}
			if next := snapshot.Settings().At(c.Name, c.Of, c.From).Add(time.Millisecond); next.After(now) { // of two replicas one may be behind
				c.At = next
			}
			acts = append(acts, a)
		}
		if len(changes) > 0 {
			err = s.Entries.Set(ctx, snapshot.Position.Revision, now, changes, acts)
		} else {
			err = nil
		}
		if err == nil {
			for _, a := range acts {
				s.Log.Info("act", "action", a.Action, "actor", a.Actor, "object", clip(a.Object), "before", a.Before, "after", a.After, "address", a.Address)
			}
			return redirect(w, form.Saved())
		}
		if !errors.Is(err, store.ErrChanged) {
			return err
		}
	}
	return err
}
