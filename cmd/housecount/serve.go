package main

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"housecount/apiclient"
	"housecount/handlers"
	"housecount/web/words"
)

// serveCommand is the configuration of a housecount, read once and never changed.
type serveCommand struct {
	Listen    string `help:"Address to listen on." default:"127.0.0.1:8080"`
	Venue     string `help:"Name of the venue, shown in titles."`
	Language  string `help:"Language of pages, en, nl or de, where neither the person nor the browser asks for another." default:"en"`
	Timezone  string `help:"The venue's time zone." default:"Europe/Amsterdam"`
	DayCutoff string `help:"When a day begins, as HH:MM; a club uses 06:00." default:"00:00"`
	// SeasonStart of 0 is the usual one.
	SeasonStart int `help:"The month, 1 to 12, on whose first day a season starts." default:"9"`
	// Grace of 0 is the usual one.
	Grace time.Duration `help:"How long after its end a performance counts towards the people in the building, for those who were not scanned out." default:"30m"`

	databaseFlags `embed:""`
	KeepVersions  age `help:"How long the versions of a record that are not its newest are kept; 0 for ever." default:"400d"`
	KeepScans     age `help:"How long after a performance its scans are kept one by one; then their sums take their place. 0 for ever." default:"0"`
	KeepContacts  age `help:"How long contacts are kept of whom nothing is heard; 0 for ever." default:"0"`
	KeepAudit     age `help:"How long is kept who signed in and what was done; 0 for ever." default:"400d"`

	serviceFlags `embed:""`

	PollBusy   time.Duration `help:"How often to look from doors to curtain + 15 minutes." default:"6s"`
	PollOnSale time.Duration `help:"How often to look while tickets are on sale." default:"1m"`
	PollIdle   time.Duration `help:"How often to look otherwise." default:"15m"`

	loginFlags `embed:""`

	SessionLifetime  time.Duration `help:"How long a login lasts at most." default:"12h"`
	SessionIdle      time.Duration `help:"How long a login lasts that nobody uses and of which no page is open; 0 for no such limit." default:"2h"`
	SessionUnchecked time.Duration `help:"How long a login goes on while the provider does not answer whether it still may; at least 10m, 0 for as long as it lasts." default:"0"`

	edgeFlags `embed:""`

	TrustedProxies []string `help:"Addresses of your own proxies, or ranges like 10.0.0.0/8: what their X-Forwarded-For says is believed." placeholder:"ADDRESS,..."`

	MetricsListen string `help:"Address to listen on for Prometheus, which reads /metrics there: one that only it can reach, like 127.0.0.1:9090. No metrics unless given." placeholder:"HOST:PORT"`

	LogLevel  string `help:"debug, info, warn or error." default:"info"`
	LogFormat string `help:"text or json." default:"text"`
}

// configuration is what a serveCommand comes to once it has been checked.
type configuration struct {
	serveCommand
	service apiclient.Options
	zone    *time.Location
	cutoff  time.Duration
	login   handlers.Login
	proxies []netip.Prefix
	// securityExpires is when what security.txt says does.
	securityExpires time.Time
	// now is the venue's clock, and at what it showed at a moment of the machine's; nil where they
	// are the same.
	now func() time.Time
	at  func(time.Time) time.Time
}

// validate checks the whole configuration and names every fault at once.
func (c serveCommand) validate() (configuration, error) {
	s := configuration{serveCommand: c, now: time.Now}
	var faults configError
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		faults.add("--listen %q is not host:port: give one like 127.0.0.1:8080 or :8080", c.Listen)
	}
	if _, _, err := net.SplitHostPort(c.MetricsListen); err != nil && c.MetricsListen != "" {
		faults.add("--metrics-listen %q is not host:port: give one like 127.0.0.1:9090", c.MetricsListen)
	}
	if c.PublicURL == "" {
		c.PublicURL = c.publicURL()
	}
	s.PublicURL, s.login = c.loginFlags.validate(&faults)
	s.securityExpires = c.edgeFlags.validate(&faults, s.PublicURL)
	s.service = c.serviceFlags.validate(&faults)
	for flag, d := range map[string]time.Duration{"poll-busy": c.PollBusy, "poll-on-sale": c.PollOnSale, "poll-idle": c.PollIdle} {
		if d < time.Second {
			faults.add("--%s must be at least 1s, not %s", flag, d)
		}
	}
	for _, text := range c.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			var a netip.Addr
			if a, err = netip.ParseAddr(text); err == nil {
				p = netip.PrefixFrom(a, a.BitLen())
			}
		}
		if err != nil {
			faults.add("--trusted-proxies: %q is no address: give one like 10.0.0.1, or a range like 10.0.0.0/8", text)
			continue
		}
		s.proxies = append(s.proxies, p.Masked())
	}
	if c.SessionLifetime < time.Minute {
		faults.add("--session-lifetime must be at least 1m, not %s", c.SessionLifetime)
	}
	c.Database.check(&faults)
	if c.SessionIdle != 0 && c.SessionIdle < time.Minute {
		faults.add("--session-idle must be at least 1m, or 0 for no such limit, not %s", c.SessionIdle)
	}
	if c.SessionUnchecked != 0 && c.SessionUnchecked < 10*time.Minute {
		faults.add("--session-unchecked must be at least 10m, or 0 for no such limit, not %s", c.SessionUnchecked)
	}
	if c.KeepVersions != 0 && c.KeepVersions < age(day) {
		faults.add("--keep-versions must be at least 1d, or 0 to keep all, not %s", c.KeepVersions)
	}
	if c.KeepScans != 0 && c.KeepScans < age(day) {
		faults.add("--keep-scans must be at least 1d, or 0 to keep all, not %s", c.KeepScans)
	}
	if c.KeepContacts != 0 && c.KeepContacts < age(day) {
		faults.add("--keep-contacts must be at least 1d, or 0 to keep all, not %s", c.KeepContacts)
	}
	if c.KeepAudit != 0 && c.KeepAudit < age(day) {
		faults.add("--keep-audit must be at least 1d, or 0 to keep all, not %s", c.KeepAudit)
	}
	var err error
	if s.zone, err = time.LoadLocation(c.Timezone); err != nil || c.Timezone == "Local" {
		faults.add("--timezone %q is not known: give one like Europe/Amsterdam", c.Timezone)
	}
	if !slices.Contains(words.Locales, words.Locale(c.Language)) {
		faults.add("--language %q is not offered: give en, nl or de", c.Language)
	}
	if t, err := time.Parse("15:04", c.DayCutoff); err != nil {
		faults.add("--day-cutoff %q is not a time: give one like 06:00", c.DayCutoff)
	} else {
		s.cutoff = time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	}
	if c.SeasonStart < 0 || c.SeasonStart > 12 {
		faults.add("--season-start must be a month, 1 to 12, not %d", c.SeasonStart)
	}
	if c.Grace != 0 && c.Grace < time.Minute {
		faults.add("--grace must be at least 1m, not %s", c.Grace)
	}
	if _, err := logger(io.Discard, c.LogLevel, c.LogFormat); err != nil {
		faults.add("%v", err)
	}
	slices.Sort(faults.faults) // some come from maps
	return s, faults.orNil()
}

func logger(w io.Writer, level, format string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q is not known: give debug, info, warn or error", level)
	}
	o := &slog.HandlerOptions{Level: l}
	switch strings.ToLower(format) {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format %q is not known: give text or json", format)
}
