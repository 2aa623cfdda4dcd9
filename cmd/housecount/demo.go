package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/cmd/housecount/demohouse"
	"housecount/cmd/housecount/options"
)

// A demonstration begins on a day on which every hall plays. Its days begin in the early morning.
const (
	demoDay    = time.Saturday
	demoCutoff = "06:00"
	demoPast   = 100 // days that the season has had
)

type demoCommand struct {
	Listen       string `help:"Address to listen on; another port when it is taken." default:"127.0.0.1:8080"`
	Data         string `help:"Directory that keeps the house and the figures between runs; a temporary one unless given." type:"path"`
	houseFlags   `embed:""`
	languageFlag `embed:""`
	Story        bool   `help:"Play the evening in ten minutes, with a line here for each thing that happens; then it goes on at its own pace."`
	Start        string `help:"When the evening begins, by the house's clock, like \"2026-11-21 19:32\"; 19:32 on the last Saturday unless given." placeholder:"DATE TIME"`

	graceFlag    `embed:""`
	logLevelFlag `embed:"" set:"log_level=warn"`
}

func (c demoCommand) Check(faults *options.Faults) {
	_, err := c.start(time.Now())
	faults.Join(err)
	if c.Story && (c.Data != "" || c.Start != "" || c.Speed != 1) {
		faults.Add("--story has an evening of its own: leave --data, --start and --speed out")
	}
}

// Run serves housecount and the sandbox until ctx ends.
func (c demoCommand) Run(ctx context.Context, env environment) error {
	level := c.LogLevel
	if c.Story && level == "warn" { // the lines of the story are not to stand between warnings about what it plays
		level = "error"
	}
	log, err := logger(env.stderr, level, "text")
	if err != nil {
		return err
	}
	dir := c.Data
	if dir == "" {
		if dir, err = os.MkdirTemp("", "housecount-demo-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	ln, err := net.Listen("tcp", c.Listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(c.Listen)
		if ln, err = net.Listen("tcp", net.JoinHostPort(host, "0")); err == nil {
			fmt.Fprintf(env.stdout, "%s is taken, so housecount listens on %s instead.\n", c.Listen, ln.Addr())
		}
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Listen, err)
	}
	house, err := rememberHouse(dir, c)
	if err != nil {
		ln.Close()
		return err
	}
	build := quickly()
	d, err := newDemo(ctx, dir, ln, c, sandbox.Options{
		Seed: house.Seed, Speed: house.Speed, Start: house.Opened(), Seasons: house.Seasons, Past: house.Past, Journal: filepath.Join(dir, "sandbox.jsonl"), Log: log,
	})
	build()
	if err != nil {
		ln.Close()
		return err
	}
	if err := rememberSeason(dir, house, d.service.Truth()); err != nil {
		d.close(ctx)
		return err
	}
	fmt.Fprintf(env.stdout, "housecount  %s\n", d.url)
	fmt.Fprintf(env.stdout, "sandbox  %s  %s\n", d.sandboxURL, d.apiKey)
	fmt.Fprintf(env.stdout, "database  %s\n", filepath.Join(dir, "housecount.db"))
	for _, m := range idp.DemoStaff {
		fmt.Fprintf(env.stdout, "login  %-10s  %-10s  %-15s  %s\n", m.Roles[0], m.User, m.Password, lookFirst[m.Roles[0]])
	}
	known, err := d.program.records.Position(ctx)
	if err != nil {
		d.close(ctx)
		return err
	}
	if known.Revision > 0 {
		d.service.Advance(house.Start.Sub(d.service.Now()) + house.Passed(time.Now()))
		return d.run(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	opening := start(func(ctx context.Context) error { return d.evening().Open(ctx, house, c.Language, c.Story, env.stdout) }, "evening", make(chan error, 1))
	err = d.run(ctx)
	return errors.Join(err, opening.stop(shutdownLimit/10))
}

// lookFirst is what each role looks at first.
var lookFirst = map[string]string{
	"door":       "Tonight: who is inside and who is still to come; the walk-ins of a performance",
	"box_office": "Tonight: what is free and what needs attention; Events: any performance, by a few letters",
	"manager":    "Revenue: this season beside the last, by weekday; Marketing: the campaign; Tonight: what changed since you last looked",
	"admin":      "Screens: the two below; Settings: rates of VAT, budgets, how many people a hall may hold",
}

// quickly has the garbage of building the house collected less often, until the function that it returns is called.
func quickly() (done func()) {
	before := debug.SetGCPercent(400)
	return func() { debug.SetGCPercent(before) }
}

// close ends a demonstration that was never run.
func (d *demo) close(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_ = d.run(ctx)
}

// demo is a housecount and the sandbox that it reads, on two loopback ports.
type demo struct {
	url, sandboxURL, apiKey string

	service   *sandbox.Sandbox
	settings  configuration // of the program
	program   *program
	ln        net.Listener
	serviceLn net.Listener
	log       *slog.Logger
}

// newDemo wires a demonstration that keeps its database in dir and serves on ln. Of c it needs the language and how long people stay
// after a performance. The addresses and credentials of o are filled in here.
func newDemo(ctx context.Context, dir string, ln net.Listener, c demoCommand, o sandbox.Options) (_ *demo, err error) {
	d := &demo{ln: ln, log: o.Log, apiKey: rand.Text(), url: "http://" + ln.Addr().String()}
	if d.serviceLn, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			d.serviceLn.Close()
		}
	}()
	d.sandboxURL = "http://" + d.serviceLn.Addr().String()
	secret := rand.Text()
	o.PublicURL, o.APIKey = d.sandboxURL, d.apiKey
	o.Clients = []idp.Client{{ID: sandboxClient, Secret: secret, RedirectURIs: []string{d.url + "/login/callback"}}}
	if d.service, err = sandbox.New(o); err != nil {
		return nil, err
	}
	s, err := serveCommand{
		Listen: ln.Addr().String(), Venue: "Theater De Waag", languageFlag: c.languageFlag,
		Timezone: sandboxZone, DayCutoff: demoCutoff, MailFlags: options.MailFlags{MailMorning: "07:30", MailNight: "23:30"}, graceFlag: graceFlag{Grace: c.Grace}, DatabaseFlags: options.DatabaseFlags{Database: options.Database(filepath.Join(dir, "housecount.db"))}, KeepVersions: options.Age(400 * options.Day), KeepAudit: options.Age(400 * options.Day),
		ServiceFlags: options.ServiceFlags{Profile: "default", APIURL: d.sandboxURL, APIKey: d.apiKey, RequestsPerMinute: 6000, PageSize: 500},
		PollBusy:     time.Second, PollOnSale: 2 * time.Second, PollIdle: 2 * time.Second,
		LoginFlags: options.LoginFlags{PublicURLFlag: options.PublicURLFlag{PublicURL: d.url}, OIDCIssuer: d.sandboxURL, OIDCClientID: sandboxClient, OIDCClientSecret: secret,
			OIDCScopes: []string{"openid", "profile", "email"}, RoleClaim: "roles"},
		SessionLifetime: 12 * time.Hour,
		logLevelFlag:    logLevelFlag{"info"}, LogFormat: "text",
	}.validate()
	if err != nil {
		return nil, err
	}
	s.now, s.at = d.service.Now, d.service.At
	d.settings = s
	d.program, err = newProgram(ctx, s, o.Log)
	return d, err
}

// evening returns what the house is furnished and the story played with.
func (d *demo) evening() *demohouse.Evening {
	return &demohouse.Evening{URL: d.url, SandboxURL: d.sandboxURL, Service: d.service, Store: d.program.store, Records: d.program.records, Figures: d.program.figures,
		Message: d.program.entries.Message, Zone: d.settings.zone, Cutoff: d.settings.cutoff, Log: d.log}
}

// run serves both until ctx ends; the sandbox outlives housecount, so that the last look
// does not fail.
func (d *demo) run(ctx context.Context) error {
	failed := make(chan error, 1)
	service := start(func(ctx context.Context) error { return serveSandbox(ctx, d.service, d.service, d.serviceLn, d.log) }, "sandbox", failed)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-failed:
			cancel(err)
		case <-service.done:
		}
	}()
	return errors.Join(d.program.run(ctx, listeners{pages: d.ln}), service.stop(shutdownLimit/4))
}

// start returns when the evening begins.
func (c demoCommand) start(now time.Time) (time.Time, error) {
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		return time.Time{}, err
	}
	if c.Start == "" {
		now = now.In(zone)
		since := int(now.Weekday()-demoDay+7) % 7
		return eveningAt(demohouse.Start, now.AddDate(0, 0, -since))
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", c.Start, zone)
	if err != nil {
		return t, &options.Faults{List: []string{fmt.Sprintf("--start %q is not a moment: give one like %q", c.Start, "2026-11-21 19:32")}}
	}
	return t, nil
}

// rememberHouse reads the directory's house, or creates one that begins now.
func rememberHouse(dir string, c demoCommand) (demohouse.House, error) {
	path := filepath.Join(dir, "demo.json")
	b, err := os.ReadFile(path)
	if err == nil {
		var h demohouse.House
		if err := json.Unmarshal(b, &h); err != nil {
			return h, fmt.Errorf("%s: %w (remove the directory to begin anew)", path, err)
		}
		if c.Start != "" {
			return h, &options.Faults{List: []string{fmt.Sprintf("--data %s holds a house whose evening began already: leave --start out, or give another directory", dir)}}
		}
		if h.Seed != c.Seed || h.Speed != c.Speed {
			return h, &options.Faults{List: []string{fmt.Sprintf("--data %s holds a house of --seed %d --speed %g: give those, or another directory", dir, h.Seed, h.Speed)}}
		}
		return h, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return demohouse.House{}, err
	}
	now := time.Now()
	start, err := c.start(now)
	if err != nil {
		return demohouse.House{}, err
	}
	h := demohouse.House{Seed: c.Seed, Speed: c.Speed, Start: start, Began: now, Seasons: 2, Past: demoPast}
	if c.Story {
		h.Start = h.Start.Add(demohouse.StoryEarlier)
	}
	if c.Start == "" { // what changed in the evening's day, and since the staff were here last, can then be told
		y, m, day := start.Date()
		h.Morning = time.Date(y, m, day, 5, 50, 0, 0, start.Location())
	}
	return h, storeHouse(dir, h)
}

func storeHouse(dir string, h demohouse.House) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "demo.json"), b, 0o600)
}

// rememberSeason stores in the directory of a house what its season is planned to be, or fails if it was another: a version of
// housecount that plans another season would take the records of the first for those of this one.
func rememberSeason(dir string, h demohouse.House, opening sandbox.Truth) error {
	hash := sha256.New()
	for _, id := range slices.Sorted(maps.Keys(opening.Events)) {
		e := opening.Events[id]
		fmt.Fprintln(hash, id, e.Title, e.Date, e.Capacity)
	}
	season := fmt.Sprintf("%x", hash.Sum(nil)[:8])
	if h.Season != "" && h.Season != season {
		return &options.Faults{List: []string{fmt.Sprintf("--data %s holds a house that housecount %s made, and this version makes another of it: give another directory, or run that version", dir, h.By)}}
	}
	if h.Season == season {
		return nil
	}
	h.Season, h.By = season, options.Version()
	return storeHouse(dir, h)
}
