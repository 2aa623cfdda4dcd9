package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/setup"
)

// connectionLimit is how long a change of the connection asks the service or the provider. It is less than a request
// may take.
const connectionLimit = 45 * time.Second

// Connection is how housecount is connected to its ticketing service and its sign-in service.
type Connection interface {
	// Present returns the values, as they are from the next start on.
	Present() setup.Connection
	// Check reads the form of a part and asks the service or the provider. The error is a *setup.Fault if something is
	// wrong with what was typed; nothing is stored then. Neither holds a secret.
	Check(ctx context.Context, form url.Values) (ConnectionChange, error)
}

// ConnectionChange is a change that was checked.
type ConnectionChange struct {
	Before, After string       // what changes, in words without secrets
	Store         func() error // stores it for the next start
}

// connectionPage shows how housecount is connected.
func (s *site) connectionPage(w http.ResponseWriter, r *http.Request) error {
	c := s.presentConnection()
	c.Saved = r.URL.Query().Has("saved")
	return s.writeConnection(w, r, c)
}

func (s *site) presentConnection() setup.Connection {
	if s.Connection == nil {
		return setup.Connection{Fixed: "not_file"}
	}
	return s.Connection.Present()
}

func (s *site) writeConnection(w http.ResponseWriter, r *http.Request, c setup.Connection) error {
	c.Locale, c.User = s.language(r), visitOf(r).staff.Name
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if c.Fault.Code != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
	return c.Write(w, s.Renderer)
}

// changeConnection takes a change, which takes effect at the next start. It is audited before it is stored. What was
// typed is shown again if something is wrong with it, except secrets.
func (s *site) changeConnection(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	part, present := r.PostForm.Get("part"), s.presentConnection()
	if part != setup.PartService && part != setup.PartSignIn {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.ConnectionPath}
	}
	if present.Fixed != "" || part == setup.PartSignIn && present.FixedSignIn != "" {
		return &fault{status: http.StatusConflict, code: "form", back: web.ConnectionPath, cause: errors.New("the connection cannot be changed here")}
	}
	ctx, cancel := context.WithTimeout(r.Context(), connectionLimit)
	defer cancel()
	change, err := s.Connection.Check(ctx, r.PostForm)
	if err == nil && change.Before == "" && change.After == "" { // nothing was changed
		return redirect(w, web.ConnectionPath)
	}
	if err == nil {
		act := s.act(r, visitOf(r).staff, store.ActServiceChanged)
		if part == setup.PartSignIn {
			act.Action = store.ActSignInChanged
		}
		act.Before, act.After = change.Before, change.After
		if err := s.record(r.Context(), act); err != nil {
			return err
		}
		err = change.Store()
	}
	if wrong, ok := errors.AsType[*setup.Fault](err); ok {
		present.At, present.Fault = part, *wrong
		for name, to := range map[string]*string{"api_url": &present.APIURL, "client_id": &present.ClientID, "public_url": &present.PublicURL, "issuer": &present.Issuer, "login_id": &present.LoginID} {
			if r.PostForm.Has(name) {
				*to = r.PostForm.Get(name)
			}
		}
		return s.writeConnection(w, r, present)
	}
	if err != nil {
		return err
	}
	return redirect(w, web.ConnectionPath+"?saved=1")
}
