package handlers

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/setup"
)

// connectionLimit is how long a change of the connection asks the service or the provider. It is less than a request may take.
const connectionLimit = 45 * time.Second

// Connection is how housecount is connected to its ticketing service and its sign-in service.
type Connection interface {
	// Present returns the values, as they are from the next start on, with what another service asks for, whose profile is
	// chosen; empty for none.
	Present(chosen string) setup.Connection
	// Check reads the form of a part and asks the service or the provider. The error is a *setup.Fault if something is
	// wrong with what was typed; nothing is stored then. Neither holds a secret.
	Check(ctx context.Context, form url.Values) (ConnectionChange, error)
	// Waits reports whether a change waits for the next start. It returns at once.
	Waits() bool
	// Allow begins to have a person allow housecount at each service that runs and that needs it, which leads the browser back to
	// an address; none where no person has to.
	Allow(back string) []*Allowance
}

// ConnectionChange is a change that was checked.
type ConnectionChange struct {
	Before, After string       // what changes, in words without secrets
	Store         func() error // stores it for the next start
	// Plan is what becomes of what was read, where somebody has to say that it is meant, and Found what the service gives;
	// empty and nil for none.
	Plan  string
	Found *setup.Found
}

// confirmation is a change of the connection that was checked, with the part of its form.
type confirmation struct {
	part   string
	change ConnectionChange
}

// Messages returns the messages that services have sent since a moment of the venue's clock, by the names that their lists have.
func (s *site) Messages(since time.Time) (map[string][]figures.Messages, error) {
	ctx, cancel := context.WithTimeout(s.ctx, enterTimeout)
	defer cancel()
	return s.messages.Since(ctx, s.Hooks, time.Now().Add(since.Sub(s.Now())), s.At)
}

// connectionPage shows how housecount is connected.
func (s *site) connectionPage(w http.ResponseWriter, r *http.Request) error {
	c := s.presentConnection(r.URL.Query().Get("profile"))
	c.Saved, c.Granted = r.URL.Query().Has("saved"), r.URL.Query().Has("allowed")
	return s.writeConnection(w, r, c)
}

func (s *site) presentConnection(chosen string) setup.Connection {
	if s.Connection == nil {
		return setup.Connection{Fixed: setup.FixedNotFile}
	}
	return s.Connection.Present(chosen)
}

func (s *site) writeConnection(w http.ResponseWriter, r *http.Request, c setup.Connection) error {
	c.Locale, c.User = s.language(r), visitOf(r).staff.Name
	if s.Connection != nil {
		c.Register = s.public.String() + setup.AuthorizedPath
		for _, a := range s.Connection.Allow(c.Register) {
			s.allowances.put(a.State, visitOf(r).staff.ID, a, time.Now())
			c.Allow = append(c.Allow, setup.Allow{At: a.Service, Address: a.Address})
		}
	}
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
	part, present := r.PostForm.Get("part"), s.presentConnection(r.PostForm.Get("profile"))
	if part != setup.PartService && part != setup.PartSignIn {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.ConnectionPath}
	}
	if present.Fixed != "" || part == setup.PartSignIn && present.FixedSignIn != "" {
		return &fault{status: http.StatusConflict, code: "form", back: web.ConnectionPath, cause: errors.New("the connection cannot be changed here")}
	}
	ctx, cancel := context.WithTimeout(r.Context(), connectionLimit)
	defer cancel()
	change, part, err := s.checkConnection(ctx, r)
	if err == nil && change.Plan != "" {
		title := present.Service
		if present.Other != nil {
			title = present.Other.Service
		}
		id := rand.Text()
		s.confirmations.put(id, visitOf(r).staff.ID, confirmation{part, change}, time.Now())
		present.Confirm = &setup.Confirm{ID: id, Plan: change.Plan, Service: title, Found: change.Found}
		return s.writeConnection(w, r, present)
	}
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
		if wrong.Code != "meanwhile" { // what was typed was meant for other values
			present.Take(r.PostForm)
		}
		return s.writeConnection(w, r, present)
	}
	if err != nil {
		return err
	}
	return redirect(w, web.ConnectionPath+"?saved=1")
}

// checkConnection checks a form and returns its part. One that confirms what was checked before is not checked again, and has
// the part of that.
func (s *site) checkConnection(ctx context.Context, r *http.Request) (change ConnectionChange, part string, err error) {
	part = r.PostForm.Get("part")
	if !r.PostForm.Has("confirm") {
		change, err = s.Connection.Check(ctx, r.PostForm)
		return change, part, err
	}
	checked, ok := s.confirmations.take(r.PostForm.Get("confirm"), visitOf(r).staff.ID, time.Now())
	if !ok {
		return change, part, &setup.Fault{Code: "expired"}
	}
	checked.change.Plan = ""
	return checked.change, checked.part, nil
}
