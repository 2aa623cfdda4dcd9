package handlers

import (
	"encoding/json"
	"net/http"

	"housecount/aggregator/store"
	"housecount/handlers/signin"
)

// backchannelLogout ends sessions when the sign-in service requests it (OpenID Connect Back-Channel
// Logout). Each logout token counts once.
func (s *site) backchannelLogout(w http.ResponseWriter, r *http.Request) error {
	raw := r.PostFormValue("logout_token")
	if err := s.provider.CheckLogoutForm(raw); err != nil { // first, because it is cheap and takes no turn
		return s.refuseLogout(w, r, err)
	}
	if err := s.logouts.Wait(r.Context(), s.proxies.Address(r)); err != nil { // a made-up token may make us fetch keys
		return tooManySignIns(w, err)
	}
	e, err := s.provider.Endpoints(r.Context())
	if err != nil {
		return signInFault(err)
	}
	t, err := s.provider.VerifyLogout(r.Context(), e, raw)
	if err != nil {
		return s.refuseLogout(w, r, err)
	}
	var which store.Which
	switch {
	case t.Session == "":
		which = store.BySubject(s.sessions.Owned(t.Subject))
	case t.Subject == "":
		which = store.BySID(s.sessions.Owned(t.Session), "")
	default:
		which = store.BySID(s.sessions.Owned(t.Session), s.sessions.Owned(t.Subject))
	}
	by := store.Act{Actor: store.ActorProvider, Action: store.ActSessionEnded, Reason: endedByProvider, Address: s.from(r)}
	ended, first, err := s.Sessions.RevokeOnce(r.Context(), s.sessions.Owned("logout "+t.ID), t.Issued.Add(signin.LogoutAge), which, by)
	if err != nil {
		return err
	}
	s.logEnded(ended, by)
	s.Log.Info("the sign-in service ended sessions", "request", visitOf(r).id, "subject", t.Subject, "sessions", len(ended), "repeated", !first)
	if !first {
		w.WriteHeader(http.StatusBadRequest)
	}
	return nil
}

func (s *site) refuseLogout(w http.ResponseWriter, r *http.Request, why error) error {
	s.Log.Info("a logout token was refused", "request", visitOf(r).id, "err", why)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	return json.NewEncoder(w).Encode(map[string]string{"error": "invalid_request", "error_description": "The logout token was refused."})
}
