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

// languageCookie keeps the language that a person has chosen. It says nothing of the person and
// outlives the session, so that the page of the login is in it too.
const languageCookie = "language"

// offered matches what a browser prefers to the languages that there are. Its first is what it
// falls back to, which is then told apart by its confidence.
var offered = func() language.Matcher {
	var tags []language.Tag
	for _, l := range words.Locales {
		tags = append(tags, language.MustParse(string(l)))
	}
	return language.NewMatcher(tags)
}()

// language is the language to answer a request in: the one that the person has chosen, or else
// what the browser prefers of those that there are, or else the site's own.
func (s *site) language(r *http.Request) web.Locale {
	if c, err := r.Cookie(languageCookie); err == nil && isOffered(web.Locale(c.Value)) {
		return web.Locale(c.Value)
	}
	// A browser may invent anything: what cannot be read is passed over.
	tags, _, err := language.ParseAcceptLanguage(firstLanguages(r.Header.Get("Accept-Language")))
	if err == nil && len(tags) > 0 {
		if _, i, confidence := offered.Match(tags...); confidence >= language.High {
			return words.Locales[i]
		}
	}
	return s.Language
}

// firstLanguages are so many of a browser's languages as are read, none of them cut through.
func firstLanguages(accept string) string {
	const most = 300 // bytes
	if len(accept) <= most {
		return accept
	}
	return accept[:max(0, strings.LastIndexByte(accept[:most+1], ','))]
}

func isOffered(l web.Locale) bool { return slices.Contains(words.Locales, l) }

// chooseLanguage keeps the language that a person has chosen and leads back to the page.
func (s *site) chooseLanguage(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	l := web.Locale(r.PostForm.Get("language"))
	if !isOffered(l) {
		return &fault{status: http.StatusBadRequest, code: "language"}
	}
	http.SetCookie(w, &http.Cookie{
		Name: languageCookie, Value: string(l), Path: "/", MaxAge: int(365 * 24 * time.Hour / time.Second),
		Secure: s.public.Scheme == "https", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return redirect(w, s.pageBefore(r))
}

// pageBefore is the path of the page from which a form was sent.
func (s *site) pageBefore(r *http.Request) string {
	back := ""
	if page, err := url.Parse(r.Referer()); err == nil {
		back = page.RequestURI()
	}
	return s.returnPath(back)
}
