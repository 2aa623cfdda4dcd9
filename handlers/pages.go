package handlers

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"housecount/web"
)

func (s *site) home(w http.ResponseWriter, r *http.Request) error { return redirect(w, "/tonight") }

// view answers the page that the route's access found.
func (s *site) view(w http.ResponseWriter, r *http.Request) error {
	v := visitOf(r)
	snapshot := s.Snapshot() // once: everything on the page is of one moment
	// Before the figures are there no event is known; the page shows that and fills itself.
	if v.view.Name == web.Event && s.Ready() && snapshot.Event(v.view.Event) == nil {
		return &fault{status: http.StatusNotFound, title: "Performance not found",
			text: "There is no performance at this address. It may have been removed."}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Page(w, web.Frame{
		Request:  web.Request{View: v.view, Role: v.staff.Role},
		Snapshot: snapshot,
		Now:      s.Now(),
		User:     v.staff.Name,
	})
}

// pageView reads a page's view from its address.
func pageView(name web.ViewName) func(*http.Request) (web.View, error) {
	return func(r *http.Request) (web.View, error) {
		q := r.URL.Query()
		return viewOf(name, r.PathValue("id"), q.Get("hall"), q.Get("days"))
	}
}

// viewOf makes a view of an address and leaves out parameters that are not the view's.
func viewOf(name web.ViewName, event, hall, days string) (web.View, error) {
	v := web.View{Name: name}
	switch name {
	case web.Tonight:
	case web.Event:
		v.Event = event
		if !plausible(event) || event == "" {
			return web.View{}, errNotFound()
		}
	case web.Wall:
		v.Hall = hall
		if !plausible(hall) {
			return web.View{}, errNotFound()
		}
	case web.Revenue:
		v.Days = web.Periods[0]
		if days != "" {
			v.Days, _ = strconv.Atoi(days) // 0, which is no period, when it is no number
		}
		if !slices.Contains(web.Periods, v.Days) {
			return web.View{}, errNotFound()
		}
	default:
		return web.View{}, errNotFound()
	}
	return v, nil
}

// plausible bounds names that become part of a topic.
func plausible(name string) bool { return len(name) <= 200 && utf8.ValidString(name) }

// healthz answers while the process lives.
func (s *site) healthz(w http.ResponseWriter, r *http.Request) {
	plain(w, http.StatusOK, "ok")
}

// readyz reports whether pages can be shown.
func (s *site) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	switch {
	case !s.Ready():
		plain(w, http.StatusServiceUnavailable, "the figures have not been read yet")
	case s.Ping(ctx) != nil:
		plain(w, http.StatusServiceUnavailable, "the database does not answer")
	default:
		plain(w, http.StatusOK, "ok")
	}
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	io.WriteString(w, fmt.Sprintln(text))
}
