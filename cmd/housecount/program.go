package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/notify"
	"housecount/aggregator/poller"
	"housecount/aggregator/store"
	"housecount/aggregator/store/backup"
	"housecount/apiclient"
	"housecount/apiclient/record"
	"housecount/apiclient/services"
	"housecount/assets"
	"housecount/cmd/housecount/certificates"
	"housecount/cmd/housecount/limits"
	"housecount/cmd/housecount/observe"
	"housecount/cmd/housecount/options"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/explain"
	"housecount/web/live"
)

// program is a complete housecount, not yet running. main and the tests build the same one.
type program struct {
	store   *store.Store
	figures *aggregator.Figures
	poller  *poller.Poller
	// reconciler stores what the checks of the figures find.
	reconciler *aggregator.Reconciler
	backups    *backup.Schedule
	post       *notify.Post // nil without a mail server
	topics     *observe.Topics
	trace      *observe.Trace // nil for none
	hub        *live.Hub
	site       *handlers.Site
	metrics    *observe.Monitor
	entries    entries
	records    *store.Records
	granted    []grantedService // those that somebody has to allow housecount at
	clients    []observe.Client // of the services, the first one's first
	now        func() time.Time // the venue's clock
	log        *slog.Logger
	// certificates are the certificates for TLS; nil if a proxy does TLS, or nobody.
	certificates certificates.Source
	// redirect answers plain HTTP next to TLS.
	redirect http.Handler
	// sessionsChanged receives after a session may have ended.
	sessionsChanged <-chan struct{}
}

const (
	// pastTimeout is the longest time for folding the past of a performance, and pastPatience the longest that a
	// live page waits for it.
	pastTimeout  = 3 * time.Second
	pastPatience = time.Second
)

// behindTimeout is the longest time for reading what is behind a figure.
const behindTimeout = 3 * time.Second

// changedTimeout is the longest time for reading what changed.
const changedTimeout = 20 * time.Second

// newProgram connects the parts. What it opens is closed by run, or by newProgram itself if it fails.
func newProgram(ctx context.Context, c configuration, log *slog.Logger) (_ *program, err error) {
	bundle, err := assets.Load()
	if err != nil {
		return nil, err
	}
	p := &program{log: log, metrics: observe.NewMonitor(), now: c.now}
	renderer, err := web.New(web.Options{Bundle: bundle, Venue: c.Venue, Sources: p.sources(ctx, c)})
	if err != nil {
		return nil, err
	}
	if p.store, err = store.OpenLogged(ctx, string(c.Database), log, c.upgrading); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.store.Close())
		}
	}()
	seal, err := p.openSeal(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := p.configureTLS(ctx, c, seal); err != nil {
		return nil, err
	}
	if p.records, err = openRecords(ctx, p.store, c); err != nil {
		return nil, err
	}
	if c.Trace != "" {
		p.trace = &observe.Trace{Ticket: c.Trace, Now: c.now, Versions: p.records.At, Log: log}
	}
	leading := &observe.LeadingLog{Records: p.records, Trace: p.trace}
	read, err := p.openServices(c, seal, leading)
	if err != nil {
		return nil, err
	}
	if err := p.follow(c, read, leading); err != nil {
		return nil, err
	}
	p.topics = &observe.Topics{Renderer: renderer, Snapshot: p.figures.Snapshot, Now: c.now, Trace: p.trace}
	o := live.Options{
		Open: p.topics.Open, Origin: c.PublicURL, Version: bundle.Version(), Now: c.now, MinuteWait: minuteWait, Log: log,
		MaxWatchers: limits.Sockets(c.MaxSockets, log),
	}
	if p.trace != nil {
		o.Trace = p.trace
	}
	p.hub, err = live.New(o)
	if err != nil {
		return nil, err
	}
	p.topics.Wake = p.hub.Wake
	if err := p.newSite(ctx, c, handlers.Options{Renderer: renderer, Bundle: bundle, Seal: seal, Hooks: p.hooks(c, read.Streams())}); err != nil {
		return nil, err
	}
	p.metrics.Begin(streamsOf(read))
	p.metrics.Observe(observe.Parts{Hub: p.hub, Figures: p.figures, Store: p.store, Clients: p.clients, Leading: leading}, c.now)
	return p, nil
}

// minuteWait is how long pages that turn with the minute wait for the first figures of that minute, which follow soon where the
// service is asked each second.
const minuteWait = 1500 * time.Millisecond

// sources returns the functions from which pages get further data. The site and the figures are created after
// them, but before anybody asks for a page.
func (p *program) sources(ctx context.Context, c configuration) web.Sources {
	storedFor := time.Duration(c.KeepVersions)
	return web.Sources{
		Program:  web.Program{Version: strings.Fields(options.Version())[0], Services: c.serviceNames(), AlertWays: c.alertWays(), HouseRole: web.Role(c.AlertsRole)},
		Sessions: func(q web.SessionsQuery) (web.Sessions, error) { return p.site.SignedIn(q) },
		Screens:  func() (web.Screens, error) { return p.site.Fleet() },
		Waits:    func() bool { return c.connection != nil && c.connection.Waits() },
		Letters:  func(session string) (web.Letters, error) { return p.site.LettersOf(session) },
		Messages: func(since time.Time) (map[string][]figures.Messages, error) { return p.site.Messages(since) },
		Told:     func(alert string) ([]web.LetterReader, error) { return p.site.Told(alert) },
		Away: func() web.Away {
			if p.site == nil { // it is made after what renders
				return web.Away{}
			}
			return p.site.Away()
		},
		ScreenAlerts: func() []web.ScreenAlert { return p.site.ScreenAlerts() },
		PastFrom:     func() time.Time { return p.figures.PastFrom(storedFor, c.now()) },
		Past: func(event string) ([]figures.MinuteFigures, error) {
			ctx, cancel := context.WithTimeout(ctx, pastTimeout)
			defer cancel()
			return p.figures.Past(ctx, event, storedFor, c.now())
		},
		PastSoon: func(event string) []figures.MinuteFigures {
			return p.figures.PastSoon(ctx, event, storedFor, c.now(), pastPatience)
		},
		Changed: func(since, until string) (catalogue.Changed, error) {
			ctx, cancel := context.WithTimeout(ctx, changedTimeout)
			defer cancel()
			snapshot, now := p.figures.Snapshot(), c.now()
			from, to := explain.Between(since, until, snapshot, now)
			return p.figures.Changed(ctx, from, to, storedFor, now)
		},
		Behind: func(x catalogue.Explanation) (catalogue.Behind, error) {
			ctx, cancel := context.WithTimeout(ctx, behindTimeout)
			defer cancel()
			return p.figures.Behind(ctx, x, c.now())
		},
	}
}

// openSeal opens the database's seal with the secret keys of the configuration.
func (p *program) openSeal(ctx context.Context, c configuration) (*store.Seal, error) {
	seal, err := p.store.Seal(ctx, c.SecretKey, c.SecretKeyFallback)
	if err == nil && seal.Foreign {
		p.log.Error("the database was last used with another secret key: give that one as --secret-key-fallback. Without it sessions go on, "+
			"but the sign-in service is not asked about them, who is signing in begins anew, and certificates are got anew", "database", c.Database.String())
	}
	return seal, err
}

// follow creates the figures, the poller and the reconciler.
func (p *program) follow(c configuration, read *services.Services, leading *observe.LeadingLog) (err error) {
	calendar := figures.Calendar{Zone: c.zone, Cutoff: c.cutoff, Grace: c.Grace, HalfLeft: c.HalfLeft, Season: time.Month(c.SeasonStart)}
	p.figures, err = aggregator.New(aggregator.Options{
		Log: p.records, Streams: streamsOf(read), Calendar: calendar, Logger: p.log,
		// The hub is created later, but before Run publishes anything.
		Published: func(changes figures.Changes) {
			p.trace.Published(p.figures.Snapshot().Position.Revision)
			p.topics.Published(changes)
		},
	})
	if err != nil {
		return err
	}
	nudged, _ := p.store.Watch(store.SubjectNudge) // until the store is closed
	p.poller, err = poller.New(poller.Options{
		Source: p.trace.Source(read), Log: leading, Figures: p.figures, Calendar: calendar, Now: c.now, Logger: p.log,
		Cadence: poller.Cadence{Busy: c.PollBusy, OnSale: c.PollOnSale, Idle: c.PollIdle},
		Nudges:  p.records.Nudges, Nudged: nudged,
		KeepVersions: time.Duration(c.KeepVersions), KeepScans: time.Duration(c.KeepScans), KeepContacts: time.Duration(c.KeepContacts), Polled: p.metrics.Polled,
	})
	p.reconciler = &aggregator.Reconciler{Figures: p.figures, Enter: p.records.Enter, Leads: leading.Leads.Load, Now: c.now, Logger: p.log, LowMemory: limits.LowMemory,
		Quiet: func(now time.Time) bool { return poller.Quiet(p.figures.Snapshot(), now) }}
	p.backups = &backup.Schedule{Dir: c.BackupTo, Every: c.BackupEvery, Keep: c.BackupKeep, Now: c.now, Log: p.log, Enter: p.records.Enter,
		Leads: func() bool { return leading.Leads.Load() && p.figures.Ready() },
		Last:  func() *record.Reconciliation { return p.figures.Snapshot().Checks[figures.CheckBackup] },
		Store: p.store, Program: options.Version()}
	p.entries = entries{p.records, p.figures}
	return err
}

// newSite creates the handlers and what sends letters. made has what was made before: the Renderer, the Bundle, the Seal and the
// Hooks.
func (p *program) newSite(ctx context.Context, c configuration, made handlers.Options) (err error) {
	sessions := p.store.Sessions()
	sessions.Idle = c.SessionIdle
	p.sessionsChanged, _ = p.store.Watch(store.SubjectSessions) // until the store is closed
	screensChanged, _ := p.store.Watch(store.SubjectScreens)
	peopleChanged, _ := p.store.Watch(store.SubjectSessions, store.SubjectAudit, store.SubjectPresence)
	key, err := made.Seal.PushKey()
	if err != nil {
		return err
	}
	push := notify.NewPush(key, c.PublicURL)
	p.site, err = handlers.New(ctx, handlers.Options{
		PublicURL: c.PublicURL,
		Login:     c.login,
		Snapshot:  p.figures.Snapshot, Ready: p.figures.Ready,
		Entries: p.entries, Renderer: made.Renderer, Hub: p.hub, Bundle: made.Bundle,
		Sessions: sessions, SessionsChanged: p.sessionsChanged, Grants: p.store.Grants(), Attempts: p.store.Attempts(), Seal: made.Seal, Ping: p.store.Ping, AwayLimit: c.AwayLimit,
		Screens: p.store.Screens(), Programmes: p.store.Programmes(), ScreensChanged: screensChanged,
		Audit: p.store.Audit(), Presence: p.store.Presence(), PeopleChanged: peopleChanged, KeepAudit: time.Duration(c.KeepAudit),
		Hooks: made.Hooks, Connection: c.connection,
		Keys: p.store.Keys(), Letters: p.store.Letters(), Mail: c.mail != nil, Push: push, MorningAt: c.morning, NightAt: c.night, Venue: c.Venue, HouseRole: web.Role(c.AlertsRole), HouseHosts: c.alertsHosts(),
		HSTSSubdomains: c.HSTSSubdomains, SecurityContact: c.SecurityContact, SecurityExpires: c.securityExpires,
		TrustedProxies: c.proxies, SessionLifetime: c.SessionLifetime, SessionUnchecked: c.SessionUnchecked, Language: web.Locale(c.Language), Now: c.now, At: c.at, Log: p.log,
		Served: p.metrics.Served,
	})
	if err == nil {
		var mail notify.Sender
		if c.mail != nil {
			mail = c.mail
		}
		p.post = &notify.Post{Letters: p.store.Letters(), Changed: p.store.Letters().Changed(), Mail: mail, Push: push, Due: p.site.DueLetters, Write: p.site.WriteLetter, Done: p.metrics.Lettered, Log: p.log}
		for _, w := range c.alerts {
			p.post.House = append(p.post.House, notify.Address{Subscriber: store.Subscriber{Person: w.Person(), Language: c.Language, Names: handlers.HouseLetters}, By: w})
		}
	}
	return err
}

// configureTLS sets the source of certificates, files or an authority, if one is configured.
func (p *program) configureTLS(ctx context.Context, c configuration, seal *store.Seal) error {
	p.redirect = redirectTo(c.PublicURL)
	switch {
	case c.TLSCert != "":
		public, err := url.Parse(c.PublicURL)
		if err != nil {
			return err
		}
		files, err := certificates.NewFiles(c.TLSCert, c.TLSKey, public.Hostname(), p.log)
		if err != nil {
			return err
		}
		p.certificates = files
	case len(c.ACMEDomain) > 0:
		shared, err := p.store.Certificates(ctx, seal)
		if err != nil {
			return err
		}
		a := certificates.NewACME(certificates.Authority{Domains: c.ACMEDomain, Email: c.ACMEEmail, Directory: c.ACMEDirectory}, shared, p.log)
		p.certificates = a
		if c.RedirectListen != "" {
			p.redirect = a.Redirect(p.redirect)
		}
	}
	return nil
}

// openRecords returns the log of the service. Each way of reading the service has its own log.
func openRecords(ctx context.Context, db *store.Store, c configuration) (*store.Records, error) {
	services, err := db.Services(ctx)
	if err != nil {
		return nil, err
	}
	known := len(services) == 0 || slices.Contains(services, options.Source(c.service))
	if !known {
		if known, err = db.Succeed(ctx, options.Source(c.service)); err != nil {
			return nil, err
		}
	}
	if !known {
		return nil, &options.Faults{List: []string{fmt.Sprintf("--database %s holds what was read with another --profile or --var: "+
			"give those, or name another file, into which everything is read anew", c.Database)}}
	}
	return db.Records(ctx, options.Source(c.service))
}

// streamsOf returns the lists that are read for aggregator.Options.
func streamsOf(read interface{ Streams() []apiclient.Stream }) (all []aggregator.Stream) {
	for _, s := range read.Streams() {
		all = append(all, aggregator.Stream{Name: s.Name, Service: s.Service, Kinds: s.Gives})
	}
	return all
}
