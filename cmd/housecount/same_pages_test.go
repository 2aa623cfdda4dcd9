package main

import (
	"bytes"
	"context"
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

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
	"housecount/assets"
	"housecount/web"
	"housecount/web/explain"
	"housecount/web/live"
	"housecount/web/query"
	"housecount/web/words"
)

// process is one of those that show pages of a log.
type process struct {
	figures *aggregator.Figures
	log     *store.Records
}

// sources returns what its pages show beside the figures, at a time.
func (p process) sources(ctx context.Context, now time.Time) web.Sources {
	return web.Sources{
		Sessions: func(web.SessionsQuery) (web.Sessions, error) { return web.Sessions{}, nil },
		Screens:  func() (web.Screens, error) { return web.Screens{}, nil },
		PastFrom: func() time.Time { return p.figures.PastFrom(0, now) },
		Past:     func(event string) ([]figures.MinuteFigures, error) { return p.figures.Past(ctx, event, 0, now) },
		PastSoon: func(event string) []figures.MinuteFigures {
			return p.figures.PastSoon(ctx, event, 0, now, time.Minute)
		},
		Changed: func(since, until string) (catalogue.Changed, error) {
			s := p.figures.Snapshot()
			from, to := explain.Between(since, until, s, now)
			return p.figures.Changed(ctx, from, to, 400*24*time.Hour, now)
		},
		Behind: func(x catalogue.Explanation) (catalogue.Behind, error) {
			return p.figures.Behind(ctx, x, now)
		},
	}
}

// pages returns the bytes of every page of a snapshot for every access of people and of screens, in two
// languages, by its address, and the tokens of what their sockets would send.
func (p process) pages(t *testing.T, s *figures.Snapshot, now time.Time) map[string]string {
	t.Helper()
	bundle, err := assets.Load()
	if err != nil {
		t.Fatal(err)
	}
	renderer, err := web.New(web.Options{Bundle: bundle, Venue: "Theater De Waag", Sources: p.sources(t.Context(), now)})
	if err != nil {
		t.Fatal(err)
	}
	params := map[string][]url.Values{ // by page; the first of each is shown in both languages
		"event":   {{"event": {"evt_none"}}},
		"revenue": {{"period": {"week"}}, {"period": {"season"}, "against": {"last_year"}}, {"period": {"today"}, "against": {"nothing"}}},
		"message": {{"text": {"The bar is open"}}},
		"alert":   {{"id": {"oversold:evt_none#1"}}},
	}
	for _, r := range s.Alerts {
		params["alert"] = append(params["alert"], url.Values{"id": {r.RecordID()}})
	}
	var halls []string
	for i, e := range s.Events {
		id := url.Values{"event": {e.Event.ID}}
		params["event"] = append(params["event"], id)
		if i%8 == 0 {
			params["replay"], params["performance"] = append(params["replay"], id), append(params["performance"], id)
			for _, k := range []figures.Key{figures.KeySold, figures.KeyBooked} {
				params["explain"] = append(params["explain"], url.Values{"figure": {string(k)}, "event": id["event"]})
			}
		}
		if hall := e.Event.Hall; !slices.Contains(halls, hall) {
			halls = append(halls, hall)
			params["wall"], params["arrivals"] = append(params["wall"], url.Values{"hall": {hall}}), append(params["arrivals"], url.Values{"hall": {hall}})
		}
	}
	accesses := []web.Access{{Money: web.NoMoney, Public: true}, web.Access{Money: web.NoMoney, Public: true}.InHalls(halls[0]), web.Access{Money: web.TodaysMoney}.InHalls(halls[0])}
	for _, role := range web.Roles {
		accesses = append(accesses, role.Access())
	}
	all, shown := map[string]string{}, map[string]bool{}
	show := func(page string, values url.Values, a web.Access, l web.Locale) {
		q, err := web.NewRequest(page, values, a, l)
		if err != nil {
			if _, wrong := errors.AsType[*query.Error](err); !wrong && !errors.Is(err, web.ErrForbidden) {
				t.Fatal(err)
			}
			return
		}
		var b bytes.Buffer
		// A page of an event that there is none of is an error, and the socket says so.
		if err := renderer.Page(&b, web.Frame{Request: q, Snapshot: s, Now: now, User: "Marijke"}); err != nil {
			b.WriteString(err.Error())
		} else {
			shown[string(l)+" "+page] = true
		}
		content, err := renderer.Content(q, s, now, live.Content{})
		if err != nil {
			t.Fatal(err)
		}
		all[q.Topic()] = b.String() + "\n" + content.Token()
	}
	locales := []web.Locale{web.English, words.Dutch}
	for _, p := range web.Pages() {
		for i, values := range append([]url.Values{{}}, params[p.Name]...) {
			for j, a := range accesses {
				switch {
				case i < 2:
					show(p.Name, values, a, web.English)
					show(p.Name, values, a, words.Dutch)
				case i%2 == j%2: // what differs between accesses is shown of others
					show(p.Name, values, a, locales[i/2%2])
				}
			}
		}
		for _, l := range locales {
			if !shown[string(l)+" "+p.Name] {
				t.Errorf("no page %s is shown in %s", p.Name, l)
			}
		}
	}
	return all
}

// At one position, time, access and language the process that polls, one that follows and one that
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

	follower.until("records that are refused", func(shown *figures.Snapshot) bool {
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
	// Nobody polls any more, which each of them says in its time: what is compared is from before.
	theirs := follower.until("the last position", there)
	ours := (&testHouse{t: t, demo: &demo{program: leader}}).until("the leader's last position", there)
	now := s.Now().Add(3 * time.Second)
	want, followed := process{leader.figures, leader.records}.pages(t, ours, now), process{follower.Figures, follower.log}.pages(t, theirs, now)
	if err := errors.Join(folding.stop(shutdownLimit), watching.stop(shutdownLimit), leader.store.Close()); err != nil {
		t.Fatal(err)
	}
	follower.stop()
	restarted := s.follow(t, database, s.Now)
	anew := restarted.until("the position of before", there)
	for name, got := range map[string]map[string]string{"the follower": followed, "the restarted process": process{restarted.Figures, restarted.log}.pages(t, anew, now)} {
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

// difference returns where two texts begin to differ.
func difference(got, want string) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	from := max(0, n-80)
	return fmt.Sprintf("…%q, want …%q", got[from:min(len(got), n+80)], want[from:min(len(want), n+80)])
}
