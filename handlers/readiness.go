package handlers

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/handlers/admission"
	"housecount/handlers/outage"
	"housecount/handlers/sessions"
)

// readyz reports whether the figures were read and the database answers, and with the parameter pages whether pages can be shown,
// which they can for some time without the database. With the parameter verbose it has a line for each thing, with its state and
// since when that is so; lists of services are named to this machine only, as their names and faults are nobody else's business.
func (s *site) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), sessions.Patience)
	defer cancel()
	s.noteReady()
	database := s.databaseState(ctx)
	status, text := s.readiness(database, r.URL.Query().Has("pages"))
	if r.URL.Query().Has("verbose") {
		lines := s.checks(database)
		if isLocal(r) {
			lines += s.listChecks()
		}
		text = lines + text
	}
	plain(w, status, text)
}

// databaseState returns the state of the database, which is asked if it is not known to be away.
func (s *site) databaseState(ctx context.Context) outage.State {
	state := s.outage.State()
	if !state.Since.IsZero() {
		return state
	}
	if err := s.Ping(ctx); err != nil {
		return s.outage.Failed(err, time.Now())
	}
	return state
}

// readiness returns the answer of readyz without verbose.
func (s *site) readiness(database outage.State, pages bool) (status int, text string) {
	switch {
	case !s.Ready():
		return http.StatusServiceUnavailable, "the figures have not been read yet"
	case database.Since.IsZero():
		return http.StatusOK, "ok"
	}
	status, text = http.StatusServiceUnavailable, databaseText(database)+" since "+stamp(database.Since)
	if database.Unwritable || time.Now().Before(database.Until) {
		text += "; whoever was signed in sees the last figures, read only"
		if !database.Unwritable {
			text += ", until " + stamp(database.Until)
		}
		if pages {
			status = http.StatusOK
		}
	}
	return status, text
}

func databaseText(state outage.State) string {
	if state.Unwritable {
		return "the database cannot be written"
	}
	return "the database does not answer"
}

// isLocal reports whether a request is from this machine and was passed on by no proxy: its peer has a loopback address, and
// so has the address that was asked. That is what tells a proxy on this machine that adds no header but keeps the name.
func isLocal(r *http.Request) bool {
	peer, ok := admission.ParseAddress(r.RemoteAddr)
	for _, by := range []string{"X-Forwarded-For", "X-Real-Ip", "Forwarded", "Via"} {
		ok = ok && len(r.Header.Values(by)) == 0
	}
	asked := (&url.URL{Host: r.Host}).Hostname()
	return ok && peer.IsLoopback() && (asked == "localhost" || net.ParseIP(asked).IsLoopback())
}

// checks returns a line for each thing on which it depends whether pages can be shown: the figures and the database.
func (s *site) checks(database outage.State) string {
	var b strings.Builder
	if at := s.readySince.Load(); at != nil {
		fmt.Fprintf(&b, "figures: ok since %s\n", stamp(*at))
	} else {
		fmt.Fprintf(&b, "figures: not read yet, since %s\n", stamp(s.began))
	}
	if database.Since.IsZero() {
		fmt.Fprintf(&b, "database: ok since %s\n", stamp(s.outage.Answers()))
	} else {
		fmt.Fprintf(&b, "database: %s since %s\n", strings.TrimPrefix(databaseText(database), "the database "), stamp(database.Since))
	}
	return b.String()
}

// listChecks returns a line for each list of the services, which says nothing about whether pages can be shown.
func (s *site) listChecks() string {
	var b strings.Builder
	if snapshot := s.Snapshot(); snapshot != nil {
		for _, list := range snapshot.Health.Streams {
			fmt.Fprintf(&b, "list %s: %s\n", list.Name, listText(list))
		}
	}
	return b.String()
}

// listText returns how a list of a service is.
func listText(list figures.StreamHealth) string {
	answered := "never answered"
	if !list.LastGood.IsZero() {
		answered = "last answered " + stamp(list.LastGood)
	}
	switch {
	case list.Fault != "":
		return fmt.Sprintf("%s, %d polls missed, %s", list.Fault, list.Missed, answered)
	case list.LastGood.IsZero():
		return "not asked yet"
	case !list.Complete:
		return "read for the first time, " + answered
	}
	return "ok, " + answered
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// noteReady notes when the figures were first seen to be read.
func (s *site) noteReady() {
	if s.readySince.Load() == nil && s.Ready() {
		now := time.Now()
		s.readySince.CompareAndSwap(nil, &now)
	}
}
