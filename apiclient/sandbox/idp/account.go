package idp

import (
	"net/http"
	"strings"
)

// accountRoutes adds the pages on which a customer manages API keys. Forms sent from other sites are refused.
func (p *Provider) accountRoutes(mux *http.ServeMux) {
	cross := http.NewCrossOriginProtection()
	mux.Handle("/account", cross.Handler(http.HandlerFunc(p.serveAccount)))
	mux.Handle("/account/keys", cross.Handler(p.withSession(p.serveNewKey)))
	mux.Handle("/account/revoke", cross.Handler(p.withSession(p.serveRevokeKey)))
}

type accountPage struct {
	Staff  *Staff
	Keys   []apiKey
	NewKey string // shown only once
	Wrong  string
}

// serveAccount shows the keys of the logged-in user, or the login page.
func (p *Provider) serveAccount(w http.ResponseWriter, r *http.Request) {
	if !Allow(w, r, http.MethodGet, http.MethodHead, http.MethodPost) {
		return
	}
	if r.Method == http.MethodPost {
		if _, status, wrong := p.logInByForm(w, r); wrong != "" {
			p.showAccountLogin(w, r, status, wrong)
			return
		}
		redirectToAccount(w, r)
		return
	}
	here, ok := p.session(r)
	if !ok {
		p.showAccountLogin(w, r, http.StatusOK, "")
		return
	}
	p.showAccount(w, http.StatusOK, accountPage{Staff: here.staff})
}

func (p *Provider) showAccountLogin(w http.ResponseWriter, r *http.Request, status int, wrong string) {
	showPage(w, status, "login.html", nil, loginPage{"Your account", "/account", wrong, r.PostForm.Get("username"), p.staff})
}

func (p *Provider) showAccount(w http.ResponseWriter, status int, page accountPage) {
	page.Keys = p.keys.list(page.Staff.User)
	showPage(w, status, "account.html", nil, page)
}

// withSession passes forms of a logged-in user to serve, and redirects others to the account page.
func (p *Provider) withSession(serve func(http.ResponseWriter, *http.Request, *Staff)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !Allow(w, r, http.MethodPost) {
			return
		}
		here, ok := p.session(r)
		if !ok {
			redirectToAccount(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
		if err := r.ParseForm(); err != nil {
			p.showAccount(w, http.StatusBadRequest, accountPage{Staff: here.staff, Wrong: "The form could not be read."})
			return
		}
		serve(w, r, here.staff)
	})
}

func (p *Provider) serveNewKey(w http.ResponseWriter, r *http.Request, staff *Staff) {
	name := strings.TrimSpace(r.PostForm.Get("name"))
	if name == "" || len(name) > 100 {
		p.showAccount(w, http.StatusUnprocessableEntity, accountPage{Staff: staff, Wrong: "Give the key a name of at most 100 letters."})
		return
	}
	key := p.keys.create(staff.User, name)
	if key == "" {
		p.showAccount(w, http.StatusConflict, accountPage{Staff: staff, Wrong: "There are too many keys: revoke one first."})
		return
	}
	p.showAccount(w, http.StatusOK, accountPage{Staff: staff, NewKey: key})
}

func (p *Provider) serveRevokeKey(w http.ResponseWriter, r *http.Request, staff *Staff) {
	p.keys.revoke(staff.User, r.PostForm.Get("id"))
	redirectToAccount(w, r)
}

func redirectToAccount(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}
