package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/notify"
	"housecount/aggregator/poller"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/apiclient/services"
	"housecount/cmd/housecount/observe"
	"housecount/cmd/housecount/options"
	"housecount/web"
	letters "housecount/web/night"
)

// postedEvening is a house on the clock of a synctest bubble, with a reader of each role who gets every letter that the role
// may choose.
type postedEvening struct {
	*chaoticHouse
	program *program

	mu   sync.Mutex
	sent []sentLetter
}

// sentLetter is a letter that went out.
type sentLetter struct {
	at       time.Time
	to, name string
	notify.Text
}

// Send implements notify.Sender.
func (e *postedEvening) Send(_ context.Context, _ string, to store.Subscriber, t notify.Text, _ time.Duration) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	to.Address, _, _ = strings.Cut(to.Address, "@")
	e.sent = append(e.sent, sentLetter{time.Now(), to.Address, t.Name, t})
	return nil
}

// table returns what was sent, one line a message, by reader.
func (e *postedEvening) table() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	slices.SortStableFunc(e.sent, func(x, y sentLetter) int { return strings.Compare(x.to, y.to) })
	for _, l := range e.sent {
		fmt.Fprintf(&b, "%-10s  %s  %-10s  %s\n", l.to, l.at.In(e.zone()).Format("Mon 15:04:05"), l.name, strings.ReplaceAll(l.Subject, "Theater De Waag: ", ""))
		if l.Brief != "" && (l.name == letters.Alerts || l.name == letters.Unanswered) {
			fmt.Fprintf(&b, "%-10s    %s\n", "", strings.ReplaceAll(l.Brief, "\n", "\n              "))
		}
	}
	return b.String()
}

func (e *postedEvening) zone() *time.Location { return e.program.figures.Snapshot().Calendar.Zone }

// of returns how many messages a reader got, by the names of their letters.
func (e *postedEvening) of(reader string) map[string]int {
	n := map[string]int{}
	for _, l := range e.sent {
		if l.to == reader {
			n[l.name]++
		}
	}
	return n
}

// tonight returns the ids of tonight's performances by their halls.
func (e *postedEvening) tonight() map[string]string {
	ids := map[string]string{}
	s := e.program.figures.Snapshot()
	for _, of := range s.Events {
		if of.Date == s.Calendar.Day(time.Now()) {
			ids[of.Event.Hall] = of.Event.ID
		}
	}
	return ids
}

// postEvening has everybody read their letters on a Saturday from three in the afternoon to eight in the morning; befall is
// called first.
func postEvening(t *testing.T, befall func(*postedEvening)) *postedEvening {
	t.Helper()
	e := &postedEvening{chaoticHouse: &chaoticHouse{t: t}}
	synctest.Test(t, func(t *testing.T) {
		zone, err := time.LoadLocation(sandboxZone)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Until(time.Date(2000, 1, 22, 14, 0, 0, 0, zone)))
		e.t, e.begin = t, time.Now()
		if e.sandbox, err = sandbox.New(sandbox.Options{Seed: 7, Start: e.begin, Speed: -1, Past: 12, Coming: 1, APIKey: chaosKey}); err != nil {
			t.Fatal(err)
		}
		defer e.sandbox.Close()
		e.pipes = newPipes(t, http.HandlerFunc(e.ServeHTTP))
		stop := e.run(t)
		defer stop()
		time.Sleep(time.Hour)
		e.subscribe(t)
		if befall != nil {
			befall(e)
		}
		time.Sleep(time.Until(time.Date(2000, 1, 23, 8, 0, 0, 0, zone)))
	})
	return e
}

// run runs a program on the house until stop.
func (e *postedEvening) run(t *testing.T) (stop func()) {
	c, err := serveCommand{
		Listen: "127.0.0.1:1", Venue: "Theater De Waag", languageFlag: languageFlag{"en"}, Timezone: sandboxZone, DayCutoff: demoCutoff, MailFlags: options.MailFlags{MailMorning: "07:30", MailNight: "23:30"},
		DatabaseFlags: options.DatabaseFlags{Database: options.Database(filepath.Join(t.TempDir(), "housecount.db"))}, KeepVersions: options.Age(400 * options.Day), KeepAudit: options.Age(400 * options.Day),
		ServiceFlags: options.ServiceFlags{Profile: "default", APIURL: "http://127.0.0.1:1", APIKey: chaosKey, RequestsPerMinute: 6000, PageSize: 500},
		PollBusy:     time.Second, PollOnSale: 2 * time.Second, PollIdle: 2 * time.Second,
		LoginFlags: options.LoginFlags{PublicURLFlag: options.PublicURLFlag{PublicURL: "http://127.0.0.1:1"}, OIDCIssuer: "http://127.0.0.1:2", OIDCClientID: sandboxClient, OIDCClientSecret: "secret",
			OIDCScopes: []string{"openid", "profile", "email"}, RoleClaim: "roles"},
		SessionLifetime: 12 * time.Hour, logLevelFlag: logLevelFlag{"info"}, LogFormat: "text",
	}.validate()
	if err != nil {
		t.Fatal(err)
	}
	c.now, c.at = time.Now, func(at time.Time) time.Time { return at }
	ctx, cancel := context.WithCancel(t.Context())
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	p, err := newProgram(ctx, c, log)
	if err != nil {
		t.Fatal(err)
	}
	client := e.client(apiclient.Options{PageSize: 500, RequestsPerMinute: 6000})
	leading := &observe.LeadingLog{Records: p.records}
	read, err := services.Join(services.Service{Name: "first", Source: probe.NewSource(client, leading, log)})
	if err != nil {
		t.Fatal(err)
	}
	p.poller, err = poller.New(poller.Options{Source: read, Log: leading, Figures: p.figures, Calendar: figures.Calendar{Zone: c.zone, Cutoff: c.cutoff, Grace: c.Grace, HalfLeft: c.HalfLeft},
		Logger: log, Cadence: poller.Cadence{Busy: time.Minute, OnSale: 2 * time.Minute, Idle: 15 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	p.post.Mail, e.program = e, p
	failed := make(chan error, 10)
	parts := []*part{start(p.store.Run, "store", failed), start(p.figures.Run, "aggregator", failed), start(p.poller.Run, "poller", failed), start(p.hub.Run, "live", failed),
		start(func(ctx context.Context) error {
			return p.entries.enterAlerts(ctx, p.now, func() ([]web.ScreenAlert, bool) { return nil, true }, log)
		}, "alerts", failed),
		start(p.post.Run, "letters", failed)}
	return func() {
		for _, one := range slices.Backward(parts) {
			if err := one.stop(shutdownLimit); err != nil {
				t.Error(err)
			}
		}
		select {
		case err := <-failed:
			t.Error(err)
		default:
		}
		cancel()
		client.CloseIdle()
		if err := p.store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// subscribe has a reader of each role choose every letter that they may.
func (e *postedEvening) subscribe(t *testing.T) {
	for _, who := range idp.DemoStaff {
		kept, err := json.Marshal(map[string]any{"issuer": "http://127.0.0.1:2", "subject": who.User, "name": who.Name, "claim": "roles", "values": who.Roles, "address": who.Email})
		if err != nil {
			t.Fatal(err)
		}
		access := web.Role(who.Roles[0]).Access()
		names := slices.DeleteFunc(slices.Clone(letters.LetterNames), func(name string) bool { return !letters.MayChoose(name, access) })
		one := store.Subscriber{Person: "http://127.0.0.1:2 " + who.User, Address: who.Email, Language: "en", Names: names, Who: kept}
		if err := e.program.store.Letters().Subscribe(t.Context(), one, store.Act{Actor: one.Person, Action: store.ActLettersChosen}); err != nil {
			t.Fatal(err)
		}
	}
}

// readers are those of postedEvening, by role.
var readers = map[web.Role]string{web.Door: "sanne", web.BoxOffice: "karim", web.Manager: "marijke", web.Admin: "joost"}

// Whoever gets every letter has at most three messages of an evening without trouble, and none in the night between the report
// of the evening and the morning.
func TestLettersOfAnEvening(t *testing.T) {
	t.Parallel()
	e := postEvening(t, nil)
	t.Logf("sent:\n%s", e.table())
	for role, reader := range readers {
		n := e.of(reader)
		if n[letters.Close] != 1 || n[letters.Morning] != 1 || n[letters.Alerts]+n[letters.Unanswered] > 1 || len(n) > 3 {
			t.Errorf("%s gets %v", role, n)
		}
	}
	for _, l := range e.sent { // the club goes on until three
		if at := l.at.In(e.zone()).Format("15:04"); l.name == letters.Close && (at < "23:30" || at > "23:31" || !strings.Contains(l.Plain, "so far · until 02:55") || !strings.Contains(l.HTML, "2 of 4 are over")) {
			t.Errorf("%s gets the letter after the evening at %s:\n%s", l.to, at, l.Plain)
		}
	}
}

// On an evening with trouble whoever has to act hears of each thing within minutes, at most twice, and nobody of what is not
// their work.
func TestLettersOfAnEveningWithTrouble(t *testing.T) {
	t.Parallel()
	e := postEvening(t, func(e *postedEvening) {
		ids := e.tonight()
		e.control("night", map[string]any{"event_id": ids["Grote Zaal"], "night": "gate"})
		e.control("night", map[string]any{"event_id": ids["Kleine Zaal"], "night": "late"})
		time.Sleep(2 * time.Hour)
		foyer := e.program.figures.Snapshot().Event(ids["Foyer"])
		e.control("sell", map[string]any{"event_id": ids["Foyer"], "quantity": foyer.Available.Value + 4})
		time.Sleep(time.Hour)
		e.control("fault", trouble{Kind: "error", Status: 500, For: 1200, Rate: 1})
	})
	t.Logf("sent:\n%s", e.table())
	for _, c := range []struct {
		what, from, until string
		roles             []web.Role
	}{
		{"Late Night Trio: 4 without a seat", "17:00", "17:05", []web.Role{web.Manager, web.Admin}},
		{"No answer about", "18:00", "18:05", []web.Role{web.BoxOffice, web.Manager, web.Admin}},
		{"Gate A is quiet", "19:50", "19:58", []web.Role{web.Door, web.BoxOffice, web.Manager, web.Admin}}, // it failed at 19:50
		{"Hold De ingebeelde zieke", "20:00", "20:20", []web.Role{web.BoxOffice, web.Manager, web.Admin}},  // of 20:30
	} {
		for role, reader := range readers {
			var told []string
			for _, l := range e.sent {
				if l.to == reader && strings.Contains(l.Subject, c.what) {
					told = append(told, l.at.In(e.zone()).Format("15:04"))
				}
			}
			if !slices.Contains(c.roles, role) {
				if told != nil {
					t.Errorf("%s is told that %s, at %s", role, c.what, told)
				}
				continue
			}
			if len(told) == 0 || len(told) > 2 || told[0] < c.from || told[0] > c.until {
				t.Errorf("%s is told that %s at %s, want once or twice, from %s to %s on", role, c.what, told, c.from, c.until)
			}
		}
	}
	for _, l := range e.sent { // the box office cannot mend the service
		if l.to == readers[web.BoxOffice] && l.name == letters.Unanswered && strings.Contains(l.Subject, "No answer about") {
			t.Errorf("the box office is told again at %s that %s", l.at.In(e.zone()).Format("15:04"), l.Subject)
		}
	}
	for role, reader := range readers {
		if n := e.of(reader); n[letters.Close] != 1 || n[letters.Morning] != 1 || n[letters.Alerts] > 5 || n[letters.Unanswered] > 4 {
			t.Errorf("%s gets %v", role, n)
		}
	}
}
