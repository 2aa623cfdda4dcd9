package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store/pgtest"
	"housecount/assets"
	"housecount/web"
	"housecount/web/live"
)

// pages are the bytes of every page for every role, by its address, and the tokens of what
// their sockets would send.
func pages(t *testing.T, s *figures.Snapshot, now time.Time) map[string]string {
	t.Helper()
	bundle, err := assets.Load()
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle, Venue: "Theater De Waag", Sources: web.Sources{
		Sessions: func(web.SessionsQuery) (web.Sessions, error) { return web.Sessions{}, nil },
		Screens:  func() (web.Screens, error) { return web.Screens{}, nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	params := map[string][]url.Values{ // by page; every page of the table is shown at least without any
		"event":   {{"event": {"evt_none"}}},
		"revenue": {{"period": {"week"}}, {"period": {"season"}, "against": {"last_year"}}, {"period": {"today"}, "against": {"nothing"}}},
	}
	halls := map[string]bool{}
	for _, e := range s.Events {
		params["event"] = append(params["event"], url.Values{"event": {e.Event.ID}})
		if hall := e.Event.Hall; !halls[hall] {
			halls[hall] = true
			params["wall"] = append(params["wall"], url.Values{"hall": {hall}})
		}
	}
	all := map[string]string{}
	show := func(page string, values url.Values) {
		for _, role := range web.Roles {
			q, err := web.NewRequest(page, values, role.Access(), web.English)
			if err != nil {
				if !errors.Is(err, web.ErrForbidden) && len(values) > 0 {
					t.Fatal(err)
				}
				continue
			}
			var b bytes.Buffer
			// A page of an event that there is none of is an error, and the socket says so.
			if err := renderer.Page(&b, web.Frame{Request: q, Snapshot: s, Now: now, User: "Marijke"}); err != nil {
				b.WriteString(err.Error())
			}
			content, err := renderer.Content(q, s, now, live.Content{})
			if err != nil {
				t.Fatal(err)
			}
			all[q.Topic()] = b.String() + "\n" + content.Token()
		}
	}
	for _, p := range web.Pages() {
		for _, values := range append(params[p.Name], url.Values{}) {
			show(p.Name, values)
		}
	}
	return all
}

// At one position, time and access the process that polls, one that follows and one that
// has just begun show the same bytes: with records that were refused, and while a list fails.
func TestSamePages(t *testing.T) {
	for _, c := range []struct{ name, database string }{
		{"SQLite", filepath.Join(t.TempDir(), "house.db")},
		{"PostgreSQL", pgtest.New(t)},
	} {
		t.Run(c.name, func(t *testing.T) { samePages(t, c.database) })
	}
}

func samePages(t *testing.T, database string) {
	s := newService(t)
	house := &testHouse{t: t, demo: &demo{sandboxURL: s.url}}
	s.stand(func(w http.ResponseWriter, r *http.Request) { // a ticket of each page has a price that is none
		answer := httptest.NewRecorder()
		s.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		if strings.HasSuffix(r.URL.Path, "/tickets") {
			body = bytes.Replace(body, []byte(`"EUR"`), []byte(`"???"`), 1)
		}
		maps.Copy(w.Header(), answer.Header())
		w.Header().Del("Content-Length")
		w.WriteHeader(answer.Code)
		w.Write(body)
	})
	ready, err := serveCommandFor(t, nil, s.arguments(database)[1:]...).validate()
	if err != nil {
		t.Fatal(err)
	}
	ready.now = s.Now
	leader, err := newProgram(t.Context(), ready, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 3)
	watching, folding, polling := start(leader.store.Run, "store", failed), start(leader.figures.Run, "figures", failed), start(leader.poller.Run, "poller", failed)
	follower := s.follow(t, database, s.Now)

	shown := follower.until("records that are refused", func(shown *figures.Snapshot) bool {
		return complete(shown) && slices.ContainsFunc(shown.Health.Streams, func(h figures.StreamHealth) bool { return h.Refused > 0 })
	})
	house.control("fault", trouble{Kind: "error", Stream: "payments", For: 3600, Rate: 1, Status: 422}, nil)
	follower.until("a list that fails", func(shown *figures.Snapshot) bool {
		return slices.ContainsFunc(shown.Health.Streams, func(h figures.StreamHealth) bool { return h.Name == "payments" && h.Missed > 0 })
	})
	if err := polling.stop(shutdownLimit); err != nil {
		t.Fatal(err)
	}
	at, err := follower.log.Position(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at.Tenure = "" // a Snapshot has none
	there := func(s *figures.Snapshot) bool { return s.Position == at }
	shown = follower.until("the last position", there)
	(&testHouse{t: t, demo: &demo{program: leader}}).until("the leader's last position", there)
	polled := leader.figures.Snapshot()
	if err := errors.Join(folding.stop(shutdownLimit), watching.stop(shutdownLimit), leader.store.Close()); err != nil {
		t.Fatal(err)
	}
	follower.stop()
	restarted := s.follow(t, database, s.Now).until("the position of before", there)

	now := s.Now().Add(3 * time.Second)
	want := pages(t, polled, now)
	for name, got := range map[string]map[string]string{"the follower": pages(t, shown, now), "the restarted process": pages(t, restarted, now)} {
		if len(got) != len(want) {
			t.Errorf("%s has %d pages, the leader %d", name, len(got), len(want))
		}
		for topic, page := range want {
			if got[topic] != page {
				t.Errorf("%s shows another %s: %s", name, topic, difference(got[topic], page))
			}
		}
	}
	t.Logf("%d pages", len(want))
	all := strings.Join(slices.Collect(maps.Values(want)), "")
	for _, text := range []string{"≥", "the service does not accept our question (422)"} {
		if !strings.Contains(all, text) {
			t.Errorf("no page says %q", text)
		}
	}
}

// difference is where two texts begin to differ.
func difference(got, want string) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	from := max(0, n-80)
	return fmt.Sprintf("…%q, want …%q", got[from:min(len(got), n+80)], want[from:min(len(want), n+80)])
}
