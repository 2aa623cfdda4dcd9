package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/faults"
	"housecount/apiclient/sandbox/idp"
	"housecount/cmd/housecount/options"
)

// sandboxClient is the OAuth client that the sandbox knows housecount by.
const sandboxClient = "housecount"

// houseFlags are the options of the sandbox's house and clock.
type houseFlags struct {
	Seed  uint64  `help:"The same seed makes the same house." default:"1"`
	Speed float64 `help:"Seconds that pass in a second." default:"1" check:"above 0"`
}

type sandboxCommand struct {
	Listen     string `help:"Address to listen on." default:"127.0.0.1:8090"`
	APIKey     string `name:"api-key" help:"API key to accept; a made-up one unless given." placeholder:"KEY"`
	Secret     string `name:"client-secret" help:"Secret of the OAuth client housecount; a made-up one unless given."`
	houseFlags `embed:""`
	Start      string `help:"Time of day at which the sandbox's clock starts, HH:MM; the real time unless given." check:"clock 19:32"`
	Events     int    `help:"Make a house of so many events at once, to which nothing happens by itself; 0 for a season that goes on." default:"0"`
	Tickets    int    `help:"How many tickets those events have between them." default:"0"`

	Paging          string        `help:"How lists are cut into pages: page, offset, cursor, next, link-header or bare." default:"page"`
	Orders          bool          `help:"List orders with their tickets as parts, and no tickets by themselves."`
	RateLimit       string        `help:"Requests that each credential may make, like 60/min or 5/s; 0 for any number." default:"0" placeholder:"N/min" check:"rate"`
	Fault           []string      `help:"Faults to meet, with their rates and delays, like latency=0.2:800ms,reset,unknown-status=0.05." placeholder:"KIND[=RATE][:DELAY]" check:"fault"`
	Scopes          []string      `help:"Scopes that the OAuth client may have; all unless given." placeholder:"SCOPE"`
	TokenLifetime   time.Duration `help:"How long access tokens are good for." default:"1h"`
	RefreshLifetime time.Duration `help:"How long refresh tokens are good for." default:"720h"`

	Journal string `help:"File that keeps the control calls, to be replayed at the next start." type:"path"`
}

// Run serves the sandbox until ctx ends.
func (c sandboxCommand) Run(ctx context.Context, env environment) error {
	log, err := logger(env.stderr, "info", "text")
	if err != nil {
		return err
	}
	start, err := eveningAt(c.Start, time.Now())
	if err != nil {
		return err
	}
	limit, err := options.ParseRate(c.RateLimit)
	if err != nil {
		return err
	}
	active, err := faults.Parse(strings.Join(c.Fault, ","))
	if err != nil {
		return err
	}
	if before := debug.SetMemoryLimit(-1); c.Tickets >= largeHouse && before == math.MaxInt64 { // GOMEMLIMIT has precedence
		debug.SetMemoryLimit(largeMemory)
		defer debug.SetMemoryLimit(before)
	}
	ln, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w (is another program there? give another --listen)", c.Listen, err)
	}
	defer ln.Close()
	key, secret := c.APIKey, c.Secret
	if key == "" {
		key = rand.Text()
	}
	if secret == "" {
		secret = rand.Text()
	}
	base := "http://" + ln.Addr().String()
	s, err := sandbox.New(sandbox.Options{
		Seed: c.Seed, Speed: c.Speed, Start: start, Journal: c.Journal,
		Events: c.Events, Tickets: c.Tickets, Orders: c.Orders, Paging: c.Paging, RateLimit: limit, Faults: active,
		PublicURL: base, APIKey: key, Log: log, AccessLifetime: c.TokenLifetime, RefreshLifetime: c.RefreshLifetime,
		Clients: []idp.Client{{ID: sandboxClient, Secret: secret, Scopes: c.Scopes,
			RedirectURIs: []string{"http://127.0.0.1/login/callback", "http://localhost/login/callback"}}},
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(env.stdout, "sandbox  %s  %s\n", base, key)
	fmt.Fprintf(env.stdout, "client  %s  %s\n", sandboxClient, secret)
	printStaff(env)
	return serveSandbox(ctx, s, s, ln, log)
}

// For a house with this many tickets the collector has a limit. Without it the heap could grow to twice the size
// of the records.
const (
	largeHouse  = 200_000
	largeMemory = 940 << 20
)

func printStaff(env environment) {
	for _, m := range idp.DemoStaff {
		fmt.Fprintf(env.stdout, "login  %s  %s  %s\n", m.Roles[0], m.User, m.Password)
	}
}

// eveningAt returns the moment of today at which the clock in the sandbox's zone shows hhmm; now if hhmm is empty.
func eveningAt(hhmm string, now time.Time) (time.Time, error) {
	if hhmm == "" {
		return now, nil
	}
	zone, err := time.LoadLocation(sandboxZone)
	if err != nil {
		return time.Time{}, err
	}
	sinceMidnight, err := options.ParseClock(hhmm)
	if err != nil {
		return time.Time{}, err
	}
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d, 0, int(sinceMidnight.Minutes()), 0, 0, zone), nil
}

// serveSandbox serves h, which is s or forwards to it, on ln until ctx ends.
func serveSandbox(ctx context.Context, s *sandbox.Sandbox, h http.Handler, ln net.Listener, log *slog.Logger) error {
	server := newServer(h, log)
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() {
		// Close first: it ends answers that a fault keeps open.
		stopped <- errors.Join(s.Close(), shutdown(server, shutdownLimit/5))
	})
	err := server.Serve(ln)
	if stop() || !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// sandboxZone is the time zone of the sandbox's house.
const sandboxZone = "Europe/Amsterdam"
