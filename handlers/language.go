package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// languageName is the name of the form's field, and of the parameter by which an address asks for a language.
const languageName = "language"

// languageCookie returns the name of the cookie with the language that a person has chosen. It does not identify
// the person. It outlives the session, so that the login page has that language, too.
func (s *site) languageCookie() string {
	if s.public.Scheme == "https" {
		return "__Host-language"
	}
	return languageName // a browser refuses __Host- on plain http
}

// language returns the language of a request: the one that its address asks for, or else the one that the person
// has chosen, or else the one that the browser prefers among ours, or else the site's.
func (s *site) language(r *http.Request) web.Locale {
	if l := web.Locale(r.URL.Query().Get(languageName)); words.Offered(l) {
		return l
	}
	if c, err := r.Cookie(s.languageCookie()); err == nil && words.Offered(web.Locale(c.Value)) {
		return web.Locale(c.Value)
	}
	return words.Preferred(r.Header.Get("Accept-Language"), s.Language)
}

// chooseLanguage stores the chosen language in a cookie and redirects back to the page.
func (s *site) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	l := web.Locale(r.PostForm.Get(languageName))
	if !words.Offered(l) {
		return &fault{status: http.StatusBadRequest, code: "language"}
	}
	s.keepLanguage(w, l)
	return redirect(w, s.pageBefore(r, "/tonight"))
}

// pageBefore returns the path of the page from which a form was sent; otherwise if it is not known.
func (s *site) pageBefore(r *http.Request, otherwise string) string {
	page, err := url.Parse(r.Referer())
	if err != nil {
		return otherwise
	}
	back, err := s.checkReturn(page.RequestURI())
	if err != nil {
		return otherwise
	}
	return back
}

// askedLanguage stores the language that a page's address asks for, and returns the address without it; empty if
// it asks for none, or if the page has its own language.
func (s *site) askedLanguage(w http.ResponseWriter, r *http.Request, p *web.Page) string {
	values := r.URL.Query()
	l := web.Locale(values.Get(languageName))
	if !words.Offered(l) || slices.ContainsFunc(p.Params, func(param query.Param) bool { return param.Name == languageName }) {
		return ""
	}
	s.keepLanguage(w, l)
	values.Del(languageName)
	to := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: values.Encode()}
	return to.RequestURI()
}

func (s *site) keepLanguage(w http.ResponseWriter, l web.Locale) {
	http.SetCookie(w, &http.Cookie{
		Name: s.languageCookie(), Value: string(l), Path: "/", MaxAge: int(365 * 24 * time.Hour / time.Second),
		Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}
