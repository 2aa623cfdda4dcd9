package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"housecount/aggregator/figures"
	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/cmd/housecount/options"
	"housecount/handlers"
	"housecount/handlers/signin"
)

// serveCommand is the configuration of a housecount. It is read once and never changed.
type serveCommand struct {
	Listen       string `help:"Address to listen on." default:"127.0.0.1:8080" check:"host:port one like 127.0.0.1:8080 or :8080"`
	Venue        string `help:"Name of the venue, shown in titles."`
	languageFlag `embed:""`
	Timezone     string `help:"The venue's time zone." default:"Europe/Amsterdam" check:"timezone"`
	DayCutoff    string `help:"When a day begins, as HH:MM; a club uses 06:00." default:"00:00" check:"clock 06:00"`
	SeasonStart  int    `help:"The month, 1 to 12, on whose first day a season starts." default:"9" check:"month"`
	graceFlag    `embed:""`

	options.DatabaseFlags `embed:""`
	KeepVersions          options.Age `help:"How long the versions of a record that are not its newest are kept; 0 for ever." default:"400d" check:"least 1d or 0 to keep all" manual:"After that they are folded, in quiet hours, into what the newest remembers of them; no figure changes by that."`
	KeepScans             options.Age `help:"How long after a performance its scans are kept one by one; then their sums take their place. 0 for ever." default:"0" check:"least 1d or 0 to keep all" manual:"Many venues choose 180d: a chargeback, which scans can answer, comes within 120 days. See [Old scans and contacts](75-privacy.md#old-scans-and-contacts)."`
	KeepContacts          options.Age `help:"How long contacts are kept of whom nothing is heard; 0 for ever." default:"0" check:"least 1d or 0 to keep all" manual:"Many venues choose 1096d, three years, after which who buys again is new."`
	KeepAudit             options.Age `help:"How long is kept who signed in and what was done; 0 for ever." default:"400d" check:"least 1d or 0 to keep all" manual:"See [People, and what was done](35-people.md)."`

	BackupTo    string        `help:"Directory for backups that serve makes by itself, on the replica that polls. None unless given." placeholder:"DIR" type:"path" check:"directory" manual:"See [Backups](55-backup.md)."`
	BackupEvery time.Duration `help:"How often a backup is made." default:"24h" check:"least 1m"`
	BackupKeep  int           `help:"How many backups are kept; older ones are taken away." default:"14" check:"least 1"`

	options.MailFlags   `embed:""`
	options.AlertsFlags `embed:""`

	options.ServiceFlags `embed:""`
	options.HookFlags    `embed:""`
	Services             map[string]string `help:"Further services, such as the payment provider: the name of each, and a YAML file with its options." mapsep:"," placeholder:"NAME=FILE,..." manual:"See [A second service](20-connect.md#a-second-service)."`

	PollBusy   time.Duration `help:"How often to look from doors to curtain + 15 minutes." default:"6s" check:"least 1s"`
	PollOnSale time.Duration `help:"How often to look while tickets are on sale." default:"1m" check:"least 1s"`
	PollIdle   time.Duration `help:"How often to look otherwise." default:"15m" check:"least 1s"`

	options.LoginFlags `embed:""`

	SessionLifetime  time.Duration `help:"How long a login lasts at most." default:"12h" check:"least 1m"`
	SessionIdle      time.Duration `help:"How long a login lasts that nobody uses and of which no page is open; 0 for no such limit." default:"2h" check:"least 1m or 0 for no such limit"`
	SessionUnchecked time.Duration `help:"How long a login goes on while the provider does not answer whether it still may; at least 10m, 0 for as long as it lasts." default:"0" check:"least 10m or 0 for no such limit"`

	AwayLimit time.Duration `help:"How long, while the database does not answer, those see the last figures who were signed in shortly before; nobody can be signed out meanwhile. 0 for not at all." default:"10m" check:"least 1m or 0 for not at all"`

	options.EdgeFlags `embed:""`

	TrustedProxies []string `help:"Addresses of your own proxies, or ranges like 10.0.0.0/8: what their X-Forwarded-For says is believed." placeholder:"ADDRESS,..." check:"network" manual:"Sign-ins are limited by address, 100 at once and ten a second after that, the others wait their turn; without this option everybody behind a proxy shares the proxy's."`

	MetricsListen string `help:"Address to listen on for Prometheus, which reads /metrics there: one that only it can reach, like 127.0.0.1:9090. No metrics unless given." placeholder:"HOST:PORT" check:"host:port one like 127.0.0.1:9090" manual:"See [Metrics](70-metrics.md)."`

	logLevelFlag `embed:"" set:"log_level=info"`
	LogFormat    string `help:"text or json." default:"text" check:"log-format"`
	Trace        string `help:"Id of a ticket to follow in the log: a line when the service said that it changed, and when that was seen, appended, folded, rendered, sent and shown on a page, each with the milliseconds since the first." placeholder:"ID" manual:"See [Follow one sale](70-metrics.md#follow-one-sale)."`

	SetupFile string `help:"YAML file that the setup in the browser writes, with secrets in files beside it. serve begins with that setup where neither a service nor a provider is given." default:"housecount.yaml" type:"path" manual:"Start with --config and this file afterwards."`
}

// Run serves until ctx ends. Where nothing is configured yet, it begins with a setup in the browser.
func (c serveCommand) Run(ctx context.Context, env environment, k *kong.Context) error {
	log, err := logger(env.stderr, c.LogLevel, c.LogFormat)
	if err != nil {
		return err
	}
	file, _ := k.FlagValue(options.ConfigFlag(k)).(options.File)
	if c.unconfigured() {
		address, err := c.setUp(ctx, env, log)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil // it can be resumed
		case err != nil:
			return err
		}
		if c, err = c.afterSetup(ctx, env, address); err != nil {
			return err
		}
		file = options.File(c.SetupFile)
	}
	s, err := c.validate()
	if err != nil {
		return err
	}
	connected := newConnection(c, string(file), env, log)
	s.connection = connected
	log.Info("configuration", "listen", s.Listen, "public_url", s.PublicURL, "profile", s.Profile, "api_url", s.APIURL,
		"database", s.Database.String(), "keep_versions", s.KeepVersions.String(), "keep_scans", s.KeepScans.String(), "keep_contacts", s.KeepContacts.String(), "keep_audit", s.KeepAudit.String(), "timezone", s.Timezone, "issuer", s.OIDCIssuer, "requests_per_minute", s.RequestsPerMinute,
		"tls_cert", s.TLSCert, "acme_domains", s.ACMEDomain, "secret_key", s.SecretKey != "")
	s.sensitiveFiles(env.secrets).Warn(log)
	var ln listeners
	for _, l := range []struct {
		flag, address string
		to            *net.Listener
	}{{"listen", s.Listen, &ln.pages}, {"redirect-listen", s.RedirectListen, &ln.redirect}, {"metrics-listen", s.MetricsListen, &ln.metrics}} {
		if l.address == "" {
			continue
		}
		if *l.to, err = net.Listen("tcp", l.address); err != nil {
			return errors.Join(fmt.Errorf("cannot listen on %s: %w (is another program there? give another --%s)", l.address, err, l.flag), ln.Close())
		}
	}
	w, err := answerMeanwhile(ln.pages, s, log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	s.upgrading = w.report
	p, err := newProgram(ctx, s, log)
	if err = errors.Join(err, w.stop()); err != nil {
		if p != nil {
			err = errors.Join(err, p.store.Close())
		}
		return errors.Join(err, ln.Close())
	}
	connected.attach(runningHouse{p.store, p.granted, p.records})
	return p.run(ctx, ln)
}

// afterSetup returns the options with those that the setup wrote. It goes on listening where the setup was.
func (c serveCommand) afterSetup(ctx context.Context, env environment, address string) (serveCommand, error) {
	cli, _, err := parse(ctx, append(slices.Clip(env.args), "--config", c.SetupFile), env.vars, env)
	if err != nil {
		return c, err
	}
	cli.Serve.Listen = address
	fmt.Fprintf(env.stdout, "%s is written: start with --config %s from now on\n", c.SetupFile, c.SetupFile)
	return cli.Serve, nil
}

// Options that several commands have.
type (
	languageFlag struct {
		Language string `help:"Language of pages, en, nl or de, where neither the person nor the browser asks for another." default:"en" check:"language" manual:"The person chooses at the top of a page. A wall's own is /wall?language=nl."`
	}
	graceFlag struct {
		Grace    time.Duration `help:"How long after its end a performance counts towards the people in the building, for those who were not scanned out." default:"30m" check:"least 1m or 0 for the usual 30m"`
		HalfLeft time.Duration `help:"Where nobody is scanned out, how long after the end of a performance half of its people have left; nearly all have within three times as long." default:"6m" check:"least 1m or 0 for the usual 6m"`
	}
	logLevelFlag struct {
		LogLevel string `help:"debug, info, warn or error." default:"${log_level}" check:"log-level"`
	}
)

// configuration is the checked options of a serveCommand.
type configuration struct {
	serveCommand
	service apiclient.Options
	others  []otherService // sorted by name
	zone    *time.Location
	cutoff  time.Duration
	morning time.Duration // when letters of the morning go out, after midnight
	night   time.Duration // when the letter goes out after an evening that goes on for long, after the midnight before it; 0 for never
	mail    *notify.SMTP  // nil without a mail server
	alerts  []*notify.Webhook
	login   signin.Login
	proxies []netip.Prefix
	// securityExpires is the Expires of security.txt.
	securityExpires time.Time
	// now returns the venue's clock, and at what it showed at a moment of the machine's clock; nil if the two are
	// the same.
	now func() time.Time
	at  func(time.Time) time.Time
	// connection changes how housecount is connected; nil for a made-up house.
	connection handlers.Connection
	// upgrading, if set, is called before each step of an upgrade of the database.
	upgrading func(store.UpgradeStep)
}

// validate returns the configuration, or all faults that concern several options together.
func (c serveCommand) validate() (configuration, error) {
	var faults options.Faults
	s := c.configuration(&faults)
	return s, faults.OrNil()
}

func (c serveCommand) Check(faults *options.Faults) {
	if !c.unconfigured() {
		c.configuration(faults)
	}
}

// configuration converts the options. Options that violate their tags have been refused before.
func (c serveCommand) configuration(faults *options.Faults) configuration {
	s := configuration{serveCommand: c, now: time.Now}
	if s.PublicURL == "" {
		s.PublicURL = c.CertifiedURL()
	}
	s.PublicURL = s.Address(faults)
	s.login = c.LoginFlags.SignIn(faults)
	c.EdgeFlags.CheckWith(faults, s.PublicURL)
	s.service = c.ServiceFlags.Client(faults)
	c.HookFlags.CheckFor(s.service.Profile, faults)
	s.others = c.otherServices(s.service.Profile, faults)
	for _, text := range c.TrustedProxies {
		if p, err := options.ParseNetwork(text); err == nil {
			s.proxies = append(s.proxies, p)
		}
	}
	s.zone, _ = options.ParseZone(c.Timezone)
	s.cutoff, _ = options.ParseClock(c.DayCutoff)
	s.mail, s.morning, s.night = c.SMTP(faults), c.Morning(c.DayCutoff, faults), c.Night()
	s.alerts = c.Webhooks(faults)
	if c.SecurityExpires != "" {
		s.securityExpires, _ = time.Parse(time.DateOnly, c.SecurityExpires)
	}
	return s
}

// alertWays returns the sum of the ways by which alerts can be sent. Devices need nothing of the house.
func (c configuration) alertWays() int {
	ways := figures.AlertByDevice
	if c.mail != nil {
		ways |= figures.AlertByMail
	}
	if len(c.alerts) > 0 {
		ways |= figures.AlertByHouse
	}
	return ways
}

// alertsHosts returns the hosts of the addresses, by their persons.
func (c configuration) alertsHosts() map[string]string {
	hosts := map[string]string{}
	for _, w := range c.alerts {
		hosts[w.Person()] = w.Host()
	}
	return hosts
}

func logger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, err
	}
	o := &slog.HandlerOptions{Level: l}
	if strings.EqualFold(format, "json") {
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return slog.New(slog.NewTextHandler(w, o)), nil
}
