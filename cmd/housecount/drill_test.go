package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"housecount/aggregator/store/pgtest"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/assets"
	"housecount/cmd/housecount/load"
)

const (
	drillPages, drillScreens = 200, 20
	// drillAway is how long the database is away in TestDrill, unless DRILL says another time.
	drillAway = 10 * time.Second
)

// TestDrill is an operator's day with the program as it runs in a house. It is backed up while it runs, the backup is verified,
// the house moves to PostgreSQL, that is away while 200 pages and 20 screens are open, the house moves back, and at last
// the first backup is restored. No page or screen is closed or asks anybody to sign in or pair again, and each time the figures are
// those of the books. The test's log has the time of each part.
func TestDrill(t *testing.T) {
	t.Parallel()
	away := drillAway
	if text := os.Getenv("DRILL"); text != "" {
		var err error
		if away, err = time.ParseDuration(text); err != nil {
			t.Fatalf("DRILL: %v", err)
		}
	}
	f := newFront(t)
	s := newService(t, loginAt(f), func(o *sandbox.Options) { o.Start = testEvening(t) })
	server := pgtest.Start(t)
	dir := t.TempDir()
	first, second, third, last := filepath.Join(dir, "first.db"), server.URL("postgres"), filepath.Join(dir, "third.db"), filepath.Join(dir, "last.db")
	morning, noon, night := filepath.Join(dir, "morning.zip"), filepath.Join(dir, "noon.zip"), filepath.Join(dir, "night.zip")
	var report strings.Builder
	part := func(name string, do func()) {
		t.Helper()
		began := time.Now()
		do()
		fmt.Fprintf(&report, "%8s  %s\n", time.Since(began).Round(100*time.Millisecond), name)
	}
	var running *replica
	begin := func(database string) {
		t.Helper()
		running = f.start(t, s, database)
		f.to.Store(running.url)
		running.out.await(t, "this process polls")
		follows := s.follow(t, database, s.Now)
		compareWithTruth(t, follows.truth(s), s.Sandbox)
		follows.stop()
	}
	end := func() {
		t.Helper()
		if err := errors.Join(running.Process.Signal(syscall.SIGTERM), running.Wait()); err != nil {
			t.Errorf("it does not end in order: %v\n%s", err, running.out)
		}
	}
	house := &testHouse{t: t, demo: &demo{service: s.Sandbox, sandboxURL: s.url}}
	onSale := ""
	for id, e := range s.Truth().Events {
		if e.Status == record.EventOnSale && (onSale == "" || id > onSale) {
			onSale = id
		}
	}
	sell := func() {
		t.Helper()
		house.sell(onSale, 2)
	}

	part("start, and the first read", func() { begin(first) })
	person := f.visitor(t)
	person.login()
	var screens []*visitor
	part("twenty screens are paired", func() {
		for n := range drillScreens {
			link := succeeds(t, "screens", "add", "--database", first, "--public-url", f.URL, "--office", "--name", fmt.Sprint("Screen ", n+1))
			_, secret, _ := strings.Cut(strings.TrimSpace(link), "#")
			device := f.visitor(t)
			device.send(http.MethodGet, f.URL+"/screen", nil)
			device.send(http.MethodPost, f.URL+"/screen", url.Values{"secret": {secret}})
			screens = append(screens, device)
		}
	})
	part("backup of the running house", func() { succeeds(t, "backup", morning, "--database", first, "--with-keys") })
	part("verify", func() { succeeds(t, "verify", morning) })
	sell()

	// move ends the program, and starts it again on another database that is restored from its backup.
	move := func(to, file, from string) {
		t.Helper()
		end()
		if from != "" {
			succeeds(t, "backup", file, "--database", from, "--with-keys")
		}
		succeeds(t, "restore", file, "--database", to)
		before := s.requests.Load()
		begin(to)
		if asked := s.requests.Load() - before; from != "" && asked > 60 {
			t.Errorf("%d requests after the move: everything is read again", asked)
		}
		if status, at, _ := person.send(http.MethodGet, f.URL+"/revenue", nil); status != http.StatusOK || at != f.URL+"/revenue" {
			t.Errorf("after %s was restored, who was signed in is sent to %s: %d", file, at, status)
		}
		for n, device := range screens {
			if _, _, page := device.send(http.MethodGet, f.URL+"/screen", nil); !strings.Contains(page, `data-live="/screen/live`) {
				t.Errorf("after %s was restored, screen %d shows %.300s", file, n+1, page)
			}
		}
	}
	part("the move to PostgreSQL", func() { move(second, noon, first) })
	part(fmt.Sprintf("the database is away for %s, with %d pages and %d screens", away, drillPages, drillScreens), func() {
		awayWithPages(t, f, s, running, server, person, screens, away, sell)
	})
	part("the move back to SQLite", func() { move(third, night, second) })
	part("restore of the first backup", func() { move(last, morning, "") })
	end()
	t.Logf("\n%s", report.String())
}

// awayWithPages takes the database away while pages and screens are open.
func awayWithPages(t *testing.T, f *front, s *countedService, running *replica, server *pgtest.Server, person *visitor, screens []*visitor, away time.Duration, sell func()) {
	t.Helper()
	watching, closing := new(sync.WaitGroup), new(atomic.Bool)
	var closed, beats atomic.Int64
	for _, device := range screens {
		conn := device.screenSocket()
		watching.Go(func() {
			for {
				if _, _, err := conn.ReadMessage(); err != nil {
					if !closing.Load() {
						closed.Add(1)
					}
					return
				}
				beats.Add(1)
			}
		})
		defer func() { closing.Store(true); conn.Close() }()
	}
	open := person.watch("view=tonight")
	var stdout, stderr bytes.Buffer
	const toOpen, after = 5 * time.Second, 5 * time.Second
	signedIn := func() int { return strings.Count(running.out.String(), "path=/login/callback ") }
	already, people := signedIn(), (drillPages+load.SocketsOfPerson-1)/load.SocketsOfPerson
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"load", "--url", f.URL, "--watchers", fmt.Sprint(drillPages), "--user", "admin", "--password", "admin-demo", "--topics", "/tonight,/revenue,/events", "--for", (toOpen + away + after).String()},
			nil, &stdout, &stderr)
	}()
	for began := time.Now(); signedIn()-already < people; time.Sleep(100 * time.Millisecond) {
		if time.Since(began) > patience || len(ended) > 0 {
			t.Fatalf("%d of %d people signed in", signedIn()-already, people)
		}
	}
	time.Sleep(toOpen) // whoever is signed in stays so while the database is away, and nobody else signs in

	lines := strings.Count(running.out.String(), "\n")
	back := server.Stop(t)
	gone := time.Now()
	for !strings.Contains(open.shows.HTML["strip"], "Read only") {
		if err := open.next(); err != nil {
			t.Fatal(err)
		}
	}
	open.Close()
	for time.Since(gone) < away {
		if status, at, page := person.send(http.MethodGet, f.URL+"/tonight", nil); status != http.StatusOK || at != f.URL+"/tonight" || !strings.Contains(page, "Read only") {
			t.Errorf("after %s who was signed in gets %d at %s", time.Since(gone), status, at)
		}
		time.Sleep(min(time.Minute/2, max(0, away-time.Since(gone))))
	}
	said := 0
	for line := range strings.Lines(strings.Join(strings.SplitAfter(running.out.String(), "\n")[lines:], "")) {
		if !strings.Contains(line, "msg=request") {
			said++
		}
	}
	t.Logf("%d lines of log, without those of requests, in %s", said, away)
	if said > 40 { // each list, and each thing that is done again and again, says it once, and all together every ten minutes
		t.Errorf("it says\n%s", running.out)
	}
	before := beats.Load()
	back()
	for readOnly := true; readOnly; time.Sleep(100 * time.Millisecond) {
		_, _, page := person.send(http.MethodGet, f.URL+"/tonight", nil)
		if readOnly = strings.Contains(page, "Read only"); time.Since(gone) > away+patience {
			t.Fatal("pages stay read only")
		}
	}
	t.Logf("pages are no longer read only %s after the database is back", (time.Since(gone) - away).Round(100*time.Millisecond))
	sell()
	if code := <-ended; code != exitOK || !regexp.MustCompile(`(?m)^closed +0$`).MatchString(stdout.String()) {
		t.Errorf("pages: exit code %d\n%s%s", code, &stdout, &stderr)
	}
	if closed.Load() > 0 || beats.Load() < before+drillScreens {
		t.Errorf("%d of %d screens were closed, and all got %d frames afterwards", closed.Load(), drillScreens, beats.Load()-before)
	}
	closing.Store(true)
}

// screenSocket opens the socket of a device that is a screen.
func (v *visitor) screenSocket() *websocket.Conn {
	v.t.Helper()
	bundle, err := assets.Load()
	if err != nil {
		v.t.Fatal(err)
	}
	d := websocket.Dialer{Jar: v.Jar, HandshakeTimeout: patience}
	conn, _, err := d.DialContext(v.t.Context(), "ws"+strings.TrimPrefix(v.front.URL, "http")+"/screen/live?version="+bundle.Version(), http.Header{"Origin": {v.front.URL}})
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { conn.Close() })
	return conn
}
