package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"housecount/apiclient/sandbox"
	"housecount/cmd/housecount/options"
)

// weekSpeed is how much faster than the machine's the clock of TestWeek runs.
const weekSpeed = 300

// mostMemory is how many MB the program may take at any time of the week, while lists answer without an end too.
const mostMemory = 400

// TestWeek has the program run as a process of its own, by a clock that is 300 times as fast, with another fault of the service in
// every hour, while somebody signs in every hour and looks at pages. Each six hours it measures what the process needs, which is
// much while a fault sends bodies that do not end. After three days or more, the least that the last day needs must not be more than the
// least of the second. WEEK says how long, of the venue's time; without, it is an hour.
func TestWeek(t *testing.T) {
	lasting := time.Hour
	if text := os.Getenv("WEEK"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatalf("WEEK: %v", err)
		}
	}
	f := newFront(t)
	s := newService(t, loginAt(f), func(o *sandbox.Options) { o.Speed, o.Start = weekSpeed, testEvening(t) })
	database := filepath.Join(t.TempDir(), "house.db")
	ln := listen(t, "127.0.0.1:0")
	metrics := ln.Addr().String()
	ln.Close()
	t.Setenv("TEST_CLOCK", fmt.Sprintf("%d %d %d", time.Now().UnixNano(), s.Now().UnixNano(), weekSpeed))
	running := f.start(t, s, database, "--metrics-listen", metrics)
	f.to.Store(running.url)
	running.out.await(t, "this process polls")

	house := &testHouse{t: t, demo: &demo{service: s.Sandbox, sandboxURL: s.url}}
	random := rand.New(rand.NewPCG(1, 1))
	kinds := slices.Sorted(maps.Keys(troubles))
	const hour = time.Hour / weekSpeed
	var all []needs
	began := time.Now()
	for n := 0; time.Duration(n)*time.Hour < lasting; n++ {
		if n%6 == 0 {
			all = append(all, needsOf(t, time.Duration(n)*time.Hour, "http://"+metrics+"/metrics", database, running))
			t.Log(all[len(all)-1])
		}
		x := trouble{Kind: kinds[random.IntN(len(kinds))], For: (hour / 3).Seconds(), Rate: pick(random, .2, .5, 1)}
		if choose := troubles[x.Kind]; choose != nil {
			choose(&x, random)
		}
		house.control("fault", x, nil)
		person := f.visitor(t)
		person.login()
		for _, page := range []string{"/tonight", "/events", "/revenue", "/marketing"} {
			if status, _, _ := person.send(http.MethodGet, f.URL+page, nil); status != http.StatusOK {
				t.Errorf("after %d hours %s is answered %d", n, page, status)
			}
		}
		open := person.watch("view=tonight")
		time.Sleep(time.Until(began.Add(time.Duration(n+1) * hour)))
		open.Close()
		person.CloseIdleConnections()
	}
	all = append(all, needsOf(t, lasting, "http://"+metrics+"/metrics", database, running))
	t.Log(all[len(all)-1])
	if err := errors.Join(running.Process.Signal(syscall.SIGTERM), running.Wait()); err != nil {
		t.Errorf("it does not end in order: %v", err)
	}
	if peak := all[len(all)-1].peak; peak > mostMemory {
		t.Errorf("it took %.0f MB at most, more than %d", peak, mostMemory)
	}
	if lasting >= 3*options.Day {
		grown(t, all)
	}
}

// needs is what the process needs at a time.
type needs struct {
	at                       time.Duration // of the venue's
	memory, heap             float64       // MB
	peak                     float64       // MB, of memory since the process began; 0 where the system does not say it
	files, goroutines, lines float64
	rows                     map[string]float64 // by table
}

func (n needs) String() string {
	text := fmt.Sprintf("%4.0f h: %4.0f MB, %4.0f at most, heap %3.0f MB, %3.0f files, %4.0f goroutines, %6.0f lines of log; rows", n.at.Hours(), n.memory, n.peak, n.heap, n.files, n.goroutines, n.lines)
	for _, table := range slices.Sorted(maps.Keys(n.rows)) {
		if n.rows[table] > 0 {
			text += fmt.Sprintf(" %s %.0f", table, n.rows[table])
		}
	}
	return text
}

func needsOf(t *testing.T, at time.Duration, metrics, database string, of *replica) needs {
	t.Helper()
	_, _, text := (&visitor{Client: &http.Client{Timeout: patience}, t: t}).send(http.MethodGet, metrics, nil)
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("there is no %s", name)
		}
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	n := needs{at: at, memory: value("process_resident_memory_bytes") / 1e6, heap: value("go_memstats_heap_inuse_bytes") / 1e6, files: value("process_open_fds"),
		goroutines: value("go_goroutines"), lines: float64(strings.Count(of.out.String(), "\n")), rows: map[string]float64{}, peak: peakOf(of.Process.Pid)}
	db, err := sql.Open("sqlite", "file:"+database+"?mode=ro&_pragma=busy_timeout(20000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	for tables.Next() {
		var table string
		if err := tables.Scan(&table); err != nil {
			t.Fatal(err)
		}
		n.rows[table] = 0
	}
	if err := tables.Err(); err != nil {
		t.Fatal(err)
	}
	for table := range n.rows {
		var count float64
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM "`+table+`"`).Scan(&count); err != nil {
			t.Fatal(err)
		}
		n.rows[table] = count
	}
	return n
}

// peakOf returns the most memory that a process has taken, in MB; 0 where the system does not say it.
func peakOf(pid int) (mb float64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &mb); n == 1 {
			return mb * 1024 / 1e6
		}
	}
	return 0
}

// mayGrow are the tables that grow with what is sold, entered or done.
var mayGrow = map[string]string{
	"version": "what is sold", "head": "what is sold", "row_record": "what is sold", "reading": "each minute of each performance", "audit": "who signs in",
	// These go after hours, and the week has two thirds of an hour of the machine's time, by which they live.
	"session": "who signs in", "presence": "who signs in", "used_state": "who signs in",
}

// grown fails the test for what the last day needs more of than the second.
func grown(t *testing.T, all []needs) {
	t.Helper()
	day := func(n int) []needs { return all[4*n : 4*n+5] } // with its last moment
	least := func(of []needs, value func(needs) float64) float64 {
		m := value(of[0])
		for _, n := range of {
			m = min(m, value(n))
		}
		return m
	}
	second, last := day(1), all[len(all)-5:]
	for name, of := range map[string]struct {
		value        func(needs) float64
		times, above float64
	}{
		"MB of memory": {func(n needs) float64 { return n.memory }, 1.25, 20}, "files": {func(n needs) float64 { return n.files }, 1, 6}, "goroutines": {func(n needs) float64 { return n.goroutines }, 1, 20},
	} {
		if before, after := least(second, of.value), least(last, of.value); after > before*of.times+of.above {
			t.Errorf("%s: %.0f on the second day, %.0f on the last", name, before, after)
		}
	}
	if before, after := second[4].lines-second[0].lines, last[4].lines-last[0].lines; after > 1.5*before {
		t.Errorf("lines of log: %.0f on the second day, %.0f on the last", before, after)
	}
	for table, after := range last[4].rows {
		if before := second[4].rows[table]; mayGrow[table] == "" && after > before+5 {
			t.Errorf("rows of %s: %.0f after the second day, %.0f after the last", table, before, after)
		}
	}
}

// serveByClock serves with the options of the command line, by a clock that showed a time at a time of the machine's and runs faster.
func serveByClock(text string) {
	var real, venue, speed int64
	if _, err := fmt.Sscan(text, &real, &venue, &speed); err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cli, _, err := parse(ctx, os.Args[1:], nil, environment{stdout: os.Stdout, stderr: os.Stderr})
	if err != nil {
		log.Fatal(err)
	}
	c, err := cli.Serve.validate()
	if err != nil {
		log.Fatal(err)
	}
	c.at = func(t time.Time) time.Time { return time.Unix(0, venue+(t.UnixNano()-real)*speed) }
	c.now = func() time.Time { return c.at(time.Now()) }
	logs, err := logger(os.Stderr, c.LogLevel, c.LogFormat)
	if err != nil {
		log.Fatal(err)
	}
	p, err := newProgram(ctx, c, logs)
	if err != nil {
		log.Fatal(err)
	}
	var ln listeners
	for address, to := range map[string]*net.Listener{c.Listen: &ln.pages, c.MetricsListen: &ln.metrics} {
		if *to, err = net.Listen("tcp", address); err != nil {
			log.Fatal(err)
		}
	}
	if err := p.run(ctx, ln); err != nil {
		log.Fatal(err)
	}
	os.Exit(0)
}
