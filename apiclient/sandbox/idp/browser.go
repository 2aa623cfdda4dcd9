package idp

import (
	"bytes"
	"crypto/subtle"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// loginCookie is specific to the sandbox, because all ports of a host share cookies.
const loginCookie = "sandbox_session"

// logInByForm logs the browser in by the form's user name and password. On failure it returns the status and the
// message for the login page.
func (p *Provider) logInByForm(w http.ResponseWriter, r *http.Request) (here session, status int, wrong string) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	if err := r.ParseForm(); err != nil {
		return here, http.StatusBadRequest, "The form could not be read."
	}
	staff := p.findStaff(r.PostForm.Get("username"), r.PostForm.Get("password"))
	if staff == nil {
		return here, http.StatusUnprocessableEntity, "There is nobody of that name with that password."
	}
	token, here := p.startSession(staff)
	http.SetCookie(w, p.cookie(r, token, here.expires))
	return here, http.StatusOK, ""
}

func (p *Provider) cookie(r *http.Request, value string, expires time.Time) *http.Cookie {
	return &http.Cookie{
		Name: loginCookie, Value: value, Path: "/", Expires: expires, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(p.Issuer(r), "https:"),
	}
}

// colleague matches the user name of another person who works as somebody else does, such as manager-2.
var colleague = regexp.MustCompile(`^(.+)-[1-9]\d{0,3}$`)

// findStaff returns the member of staff with a user name and password, or nil. Of each there are as many as are asked for:
// manager-2 is another manager, with the same password and no address.
func (p *Provider) findStaff(user, password string) *Staff {
	like := user
	if m := colleague.FindStringSubmatch(user); m != nil {
		like = m[1]
	}
	for i := range p.staff {
		if s := &p.staff[i]; (s.User == user || s.User == like) && subtle.ConstantTimeCompare([]byte(s.Password), []byte(password)) == 1 {
			if s.User == user {
				return s
			}
			return &Staff{User: user, Name: s.Name + user[len(like):], Roles: s.Roles}
		}
	}
	return nil
}

// session returns the unexpired session of the browser that sent r.
func (l *login) session(r *http.Request) (session, bool) {
	c, err := r.Cookie(loginCookie)
	if err != nil {
		return session{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	here, ok := l.sessions[c.Value]
	return here, ok && time.Now().Before(here.expires)
}

// redirectToClient redirects to an address with v added to its query. The caller has checked that the address
// belongs to a client.
func redirectToClient(w http.ResponseWriter, r *http.Request, to string, v url.Values) {
	u, err := url.Parse(to)
	if err != nil {
		showPage(w, http.StatusBadRequest, "message.html", nil, "The return address cannot be read.")
		return
	}
	q := u.Query()
	for name, values := range v {
		if len(values) > 0 {
			q.Set(name, values[0])
		}
	}
	u.RawQuery = q.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

//go:embed pages
var loginPages embed.FS

var pageTemplates = template.Must(template.ParseFS(loginPages, "pages/*.html"))

type loginPage struct {
	Client, Action, Wrong, User string
	Staff                       []Staff
}

// showPage renders a page. Its forms may redirect to the given origins besides our own.
func showPage(w http.ResponseWriter, status int, name string, origins []string, data any) {
	var page bytes.Buffer
	if err := pageTemplates.ExecuteTemplate(&page, name, data); err != nil {
		WriteError(w, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action "+
		strings.Join(append([]string{"'self'"}, origins...), " "))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	w.Write(page.Bytes())
}
