package handlers

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/words"
)

// endPage asks for confirmation before all sessions of a person are ended.
func (s *site) endPage(w http.ResponseWriter, r *http.Request) error {
	who, person := visitOf(r).staff, r.URL.Query().Get("person")
	list, err := s.Sessions.List(r.Context())
	if err != nil {
		return err
	}
	name, sessions := "", 0
	for _, info := range list {
		if info.Subject == person && info.ID != who.ID {
			name, sessions = cmp.Or(name, info.Name, person), sessions+1
		}
	}
	if person == "" || sessions == 0 {
		return redirect(w, "/sessions")
	}
	text := words.Of(s.language(r))
	return s.confirm(w, r, web.Question{Title: text.Text("sessions.end_all_of", words.Int("n", sessions), words.Name("name", name)), Text: text.Text("sessions.end_text"),
		Action: "/sessions/end", Fields: map[string]string{"person": person}, Do: text.Text("sessions.end_all", words.Int("n", sessions)), Back: "/sessions"})
}

// confirm shows a question on its own page.
func (s *site) confirm(w http.ResponseWriter, r *http.Request, q web.Question) error {
	q.Locale, q.User = s.language(r), visitOf(r).staff.Name
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Question(w, q)
}

// endSession ends a session, or all sessions of a person except the administrator's own. The hint closes sockets
// on every replica. The owner has to enter the password again.
func (s *site) endSession(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	who := visitOf(r).staff
	id, person := r.PostForm.Get("session"), r.PostForm.Get("person")
	if id == who.ID || id == "" && person == "" {
		return &fault{status: http.StatusBadRequest, code: "own_session"}
	}
	list, err := s.Sessions.List(r.Context())
	if err != nil {
		return err
	}
	given, err := s.sessions.Grants(r.Context())
	if err != nil {
		return err
	}
	by := s.act(r, who, store.ActSessionEnded)
	by.Reason = endedByAdmin
	people := map[string]bool{}
	for _, info := range list {
		if info.ID == who.ID || info.ID != id && (person == "" || info.Subject != person) {
			continue
		}
		by.Before = ""
		if whose := s.sessions.Decode(info.Data, given); whose != nil {
			by.Before = string(whose.Role)
		}
		ended, err := s.Sessions.RevokeAnew(r.Context(), store.ByID(info.ID), by)
		if err != nil {
			return fmt.Errorf("handlers: end session: %w", err)
		}
		s.logEnded(ended, by)
		people[info.Subject] = true
	}
	for person := range people {
		if err := s.lapseLetters(r.Context(), person); err != nil {
			return err
		}
	}
	if id == "" {
		return redirect(w, "/sessions") // not back to the question
	}
	return redirect(w, s.pageBefore(r, "/sessions"))
}

// end ends sessions and logs each. The audit gets the act in the same transaction. If the act cannot be added, the
// sessions are ended without it, which is logged.
func (s *site) end(ctx context.Context, which store.Which, by store.Act) error {
	ended, err := s.Sessions.Revoke(ctx, which, by)
	if err != nil {
		s.Log.Error("an act is not in the audit", "action", by.Action, "actor", by.Actor, "err", err)
		ended, err = s.Sessions.Revoke(ctx, which, store.Act{})
	}
	s.logEnded(ended, by)
	return err
}

func (s *site) logEnded(ended []store.SessionInfo, by store.Act) {
	for _, e := range ended {
		s.Log.Info("act", "action", by.Action, "actor", by.Actor, "person", e.Subject, "session", shortID(e.ID), "role", by.Before,
			"reason", by.Reason, "address", by.Address)
	}
}

// endExpired ends and records the sessions that have expired.
func (s *site) endExpired(ctx context.Context) error {
	ended, err := s.Sessions.EndExpired(ctx)
	s.logEnded(ended, store.Act{Actor: store.ActorProgram, Action: store.ActSessionEnded})
	return err
}
