package handlers

import (
	"errors"
	"net/http"
	"net/url"
	"sync"

	"housecount/assets"
	"housecount/web/manual"
)

// openManual reads the manual, once: it is the same for every site.
var openManual = sync.OnceValues(func() (*manual.Book, error) { return manual.Open(assets.Manual) })

// manualContents answers with the manual's contents, or with what a search of it found. Everybody may read
// the manual, because somebody who cannot sign in may need it, and it holds nothing of the venue.
func (s *site) manualContents(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	values, err := url.ParseQuery(r.URL.RawQuery)
	query := values.Get("q")
	if err == nil && !manual.Valid(query) {
		err = errors.New("the search is too long or no text")
	}
	switch {
	case err != nil:
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	case query == "":
		return s.manual.WriteContents(w, s.Renderer)
	}
	return s.manual.WriteFound(w, s.Renderer, query)
}

// manualChapter answers with a chapter of the manual.
func (s *site) manualChapter(w http.ResponseWriter, r *http.Request) error {
	c := s.manual.Chapter(r.PathValue("topic"))
	if c == nil {
		return errNotFound()
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.manual.WriteChapter(w, s.Renderer, c)
}
