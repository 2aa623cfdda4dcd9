package handlers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"housecount/web"
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

// offered matches a browser's preferred languages with ours. The first is the fallback; its confidence then tells.
var offered = func() language.Matcher {
	var tags []language.Tag
	for _, l := range words.Locales {
		tags = append(tags, language.MustParse(string(l)))
	}
	return language.NewMatcher(tags)
}()

// language returns the language of a request: the one that its address asks for, or else the one that the person
// has chosen, or else the one that the browser prefers among ours, or else the site's.
func (s *site) language(r *http.Request) web.Locale {
	if l := web.Locale(r.URL.Query().Get(languageName)); isOffered(l) {
		return l
	}
	if c, err := r.Cookie(s.languageCookie()); err == nil && isOffered(web.Locale(c.Value)) {
		return web.Locale(c.Value)
	}
	return PreferredLanguage(r, s.Language)
}

// PreferredLanguage returns what a browser prefers of the languages that there are, or else otherwise.
func PreferredLanguage(r *http.Request, otherwise web.Locale) web.Locale {
	// A browser may send anything; what cannot be parsed is ignored.
	tags, _, err := language.ParseAcceptLanguage(firstLanguages(r.Header.Get("Accept-Language")))
	if err == nil && len(tags) > 0 {
		if _, i, confidence := offered.Match(tags...); confidence >= language.High {
			return words.Locales[i]
		}
	}
	return otherwise
}

// firstLanguages returns the beginning of a browser's languages, cut between two of them.
func firstLanguages(accept string) string {
	const most = 300 // bytes
	if len(accept) <= most {
		return accept
	}
	return accept[:max(0, strings.LastIndexByte(accept[:most+1], ','))]
}

func isOffered(l web.Locale) bool { return slices.Contains(words.Locales, l) }

// chooseLanguage stores the chosen language in a cookie and redirects back to the page.
func (s *site) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	l := web.Locale(r.PostForm.Get(languageName))
	if !isOffered(l) {
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
	if !isOffered(l) || slices.ContainsFunc(p.Params, func(param web.Param) bool { return param.Name == languageName }) {
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
