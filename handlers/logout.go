package handlers

import (
	"cmp"
	"net/http"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/words"
)

// logout ends the session, closes its sockets (here at once, on other replicas within a second), and goes
// on to the sign-in service's own logout if it has one.
//
// It does so with a page and not with a redirect, because a browser checks every redirect after a form
// against form-action, and only the provider knows where its logout redirects to.
func (s *site) logout(w http.ResponseWriter, r *http.Request) error {
	who := visitOf(r).staff
	by := store.Act{Actor: store.ActorStranger, Action: store.ActLogout, Address: s.from(r)}
	if who != nil {
		by = s.act(r, who, store.ActLogout)
		by.Before = string(who.Role)
	}
	if err := s.signOut(w, r, by); err != nil {
		return err
	}
	// Not "cookies" or "storage", because that would remove those of a screen and of the sign-in service, too.
	w.Header().Set("Clear-Site-Data", `"cache"`)
	if who == nil {
		return redirect(w, signin.SignedOutPath)
	}
	c, err := s.sessions.OpenCredentials(who.Sealed)
	if err != nil {
		s.Log.Warn("a logout without its ID token", "request", visitOf(r).id, "err", err)
	}
	to := s.provider.LogoutURL(c.IDToken, s.public.String()+signin.SignedOutPath)
	if to == "" {
		return redirect(w, signin.SignedOutPath+"?"+onlyHere)
	}
	w.Header().Set("Refresh", "0; url="+to)
	language := s.language(r)
	text := words.Of(language)
	return s.message(w, web.Message{Locale: language, Title: text.Text("signing_out.title"), Text: text.Text("signing_out.text"), Onward: to})
}

// signOut ends the session and closes its sockets.
func (s *site) signOut(w http.ResponseWriter, r *http.Request, by store.Act) error {
	if s.sessions.Known(r.Context()) {
		if err := s.end(r.Context(), store.ByToken(s.sessions.Token(r)), by); err != nil {
			return err
		}
	}
	s.sessions.Forget(r.Context(), w)
	s.Hub.CloseHolder(s.sessions.Token(r), live.CloseSignedOut)
	return nil
}

// onlyHere is the parameter of the signed-out page after a logout that did not reach the sign-in service.
const onlyHere = "only=here"

// signedOut shows that nobody is signed in. Somebody who is signed in is redirected to the first page,
// unless a page redirected here by itself: the two could redirect to each other for ever.
func (s *site) signedOut(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	if visitOf(r).staff != nil && q.Get("return") == "" {
		return redirect(w, "/tonight")
	}
	language := s.language(r)
	text := words.Of(language)
	m := web.Message{Locale: language, Title: text.Text("signed_out.title"), Text: text.Text("signed_out.here"), SignIn: true}
	switch back := q.Get("return"); {
	case back != "": // a page redirected here by itself
		m.Return, m.Text = back, text.Text("signed_out.ended")
		if by := s.endedBy(r); by != nil {
			at := s.At(by.At).In(cmp.Or(s.Snapshot().Calendar.Zone, time.UTC))
			m.Text = text.Text("signed_out.ended_by", words.Name("name", by.Name), words.Text("day", text.Day(at.Format(time.DateOnly), s.Now().In(at.Location()).Format(time.DateOnly))),
				words.Text("time", text.Clock(at, at.Location())))
		}
	case q.Get("only") == "here":
		m.SignOut, m.Text = s.Login.LogoutURL, text.Text("signed_out.only_here")
	}
	return s.message(w, m)
}

// endedBy returns the act of the administrator who ended the session that the browser still has; nil if it ended otherwise.
func (s *site) endedBy(r *http.Request) *store.Act {
	token := s.sessions.Token(r)
	if token == "" {
		return nil
	}
	acts, err := s.Audit.Acts(r.Context(), store.ActQuery{Object: store.HolderID(token), Action: store.ActSessionEnded}, 0, 1)
	if err != nil || len(acts) == 0 || acts[0].Reason != endedByAdmin || acts[0].Name == "" {
		return nil // the notice is not essential
	}
	return &acts[0]
}
