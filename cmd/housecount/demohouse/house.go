// Package demohouse furnishes the house of a demonstration as its staff would do it, and plays the story of its evening: what they
// set are entries of the log, and what somebody does goes through the sandbox's own paths.
package demohouse

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
	"housecount/apiclient/sandbox/idp"
	"housecount/web"
	"housecount/web/admin"
)

// Start is when the evening begins: the doors have just opened.
const Start = "19:32"

// Evening is a demonstration that runs: the sandbox, and the housecount that reads it.
type Evening struct {
	// URL is the address of the housecount, and SandboxURL that of the sandbox.
	URL, SandboxURL string
	Service         *sandbox.Sandbox
	Store           *store.Store
	Records         *store.Records
	Figures         *aggregator.Figures
	// Message enters a message for screens and returns once the figures have it.
	Message func(context.Context, *record.ScreenMessage) error
	// Zone is the venue's time zone, in which a day begins at Cutoff.
	Zone   *time.Location
	Cutoff time.Duration
	Log    *slog.Logger
}

// House is what a demonstration stores of its house, so that the next run continues with the same house as if it had never
// stopped.
type House struct {
	Seed  uint64    `json:"seed"`
	Speed float64   `json:"speed"`
	Start time.Time `json:"start"` // of the evening, by the sandbox's clock
	Began time.Time `json:"began"` // real time
	// Morning is when the sandbox's clock starts, if that is before the evening; zero if it is not.
	Morning time.Time `json:"morning,omitzero"`
	Seasons int       `json:"seasons,omitzero"`
	Past    int       `json:"past,omitzero"` // days of the season before the evening
	// By is the version of housecount that made the house, and Season a hash of what that planned.
	By     string `json:"by,omitzero"`
	Season string `json:"season,omitzero"`
}

// Opened returns when the sandbox's clock starts.
func (h House) Opened() time.Time {
	if h.Morning.IsZero() {
		return h.Start
	}
	return h.Morning
}

// Passed returns how much of the sandbox's time has passed since it began.
func (h House) Passed(now time.Time) time.Duration {
	return time.Duration(float64(now.Sub(h.Began)) * h.Speed)
}

// staffNamed returns the name of the member of staff with a role.
func staffNamed(role web.Role) string {
	i := slices.IndexFunc(idp.DemoStaff, func(m idp.Staff) bool { return m.Roles[0] == string(role) })
	return idp.DemoStaff[i].Name
}

// Screens are the screens of the house. They are added as the command screens add does.
var Screens = []struct {
	name, place string
	access      web.Access
}{
	{"Foyer", "Next to the cloakroom", web.Access{Money: web.NoMoney, Public: true}},
	{"Office", "Above the box office", web.Access{Money: web.NoMoney}},
}

// Furnish adds the screens and what the venue has set, and writes the screens' addresses to out.
func (e *Evening) Furnish(ctx context.Context, language string, out io.Writer) error {
	for _, s := range Screens {
		secret := rand.Text()
		if _, err := e.Store.Screens().Add(ctx, store.Screen{Name: s.name, Place: s.place, Language: language, Access: s.access.String(), By: byCommand}, secret,
			store.Act{Actor: store.ActorCommand, Name: byCommand, Action: store.ActScreenAdded}); err != nil {
			return err
		}
		fmt.Fprintf(out, "screen  %-8s  %s/screen#%s\n", s.name, e.URL, secret)
	}
	now := e.Service.Now()
	settings := []*record.Setting{
		{Name: record.SettingVATRate, Value: new(int64(900))},
		{Name: record.SettingVATRate, Of: "Entree", Value: new(int64(2100))}, // the club and the late nights
		{Name: record.SettingLicensed, Value: new(int64(1600))},
		{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(licensed))},
	}
	if from, days, ok := e.Service.Campaign(); ok {
		settings = append(settings, &record.Setting{Name: record.SettingCampaign, Of: autumn, From: from.Format(time.DateOnly), Value: new(int64(days))},
			&record.Setting{Name: record.SettingCampaignCost, Of: record.CampaignCostOf("EUR", autumn), From: from.Format(time.DateOnly), Value: new(int64(640_00))})
	}
	return e.set(ctx, 0, now, settings)
}

// autumn is the campaign of the season.
const autumn = "Najaarsactie op Instagram"

// licensed is how many people may be in the club at once: fewer than come on a good night.
const licensed = 250

// byCommand is whom pages and the audit name for what the demonstration adds and sets: no person did it.
const byCommand = "housecount demo"

// set enters settings as an administrator does.
func (e *Evening) set(ctx context.Context, read int64, now time.Time, settings []*record.Setting) error {
	var acts []store.Act
	for _, s := range settings {
		s.At, s.By = now, byCommand
		a := store.Act{Actor: store.ActorCommand, Name: s.By, Action: admin.SettingChanged, Object: s.RecordID(), Reason: string(s.Name)}
		a.ObjectName, a.After = admin.SettingWords(s)
		acts = append(acts, a)
	}
	_, err := e.Records.Replace(ctx, now, read, acts, slices.Collect(func(yield func(record.Record) bool) {
		for _, s := range settings {
			if !yield(s) {
				return
			}
		}
	})...)
	return err
}

// Open furnishes a house that is new, waits, in the early morning, until everything has been read, sets the budgets, has the staff sign in
// before the evening, and moves the clock to the evening. Then it plays the story, if that is wanted.
func (e *Evening) Open(ctx context.Context, h House, language string, story bool, out io.Writer) error {
	if err := e.Furnish(ctx, language, out); err != nil && ctx.Err() == nil {
		e.Log.Error("the demonstration has no screens or settings", "err", err)
	}
	if err := e.awaitFirstRead(ctx); err != nil {
		return nil // it ends
	}
	s := e.Figures.Snapshot()
	if err := e.set(ctx, s.Position.Revision, e.Service.Now(), budgets(s, s.Calendar.Day(h.Start))); err != nil {
		e.Log.Error("the demonstration has no budgets", "err", err)
	}
	if err := e.SignIns(ctx, h); err != nil {
		e.Log.Error("the demonstration has no earlier sign-ins", "err", err)
	}
	passed := h.Passed(time.Now())
	if story { // which begins when all has been read
		passed = 0
	}
	e.Service.Advance(h.Start.Sub(e.Service.Now()) + passed)
	zone := s.Calendar.Zone
	fmt.Fprintf(out, "%s  the evening begins: look at Tonight  %s/tonight\n", e.Service.Now().In(zone).Format("15:04"), e.URL)
	if story {
		return e.playStory(ctx, out)
	}
	return nil
}

// LastSeen returns when the staff of a house that begins in the morning are there last before its evening.
func (h House) LastSeen() time.Time {
	y, m, day := h.Start.Date()
	return time.Date(y, m, day, 9, 0, 0, 0, h.Start.Location())
}

// SignIns moves the clock to when the staff are there last before the evening, and adds to the audit that they sign in, so that what
// changed since then can be told. A house that begins with its evening has no morning.
func (e *Evening) SignIns(ctx context.Context, h House) error {
	if h.Morning.IsZero() {
		return nil
	}
	e.Service.Advance(h.LastSeen().Sub(e.Service.Now()))
	time.Sleep(2 * time.Millisecond) // the audit has whole milliseconds, and one before the clock was moved would be of before that
	for _, m := range idp.DemoStaff {
		if err := e.Store.Audit().Append(ctx, store.Act{Actor: e.SandboxURL + " " + m.User, Name: m.Name, Action: store.ActLogin, Object: store.HolderID(rand.Text()), After: m.Roles[0]}); err != nil {
			return err
		}
	}
	return nil
}

// readEvery is how often it is asked whether everything has been read.
const readEvery = 100 * time.Millisecond

func (e *Evening) awaitFirstRead(ctx context.Context) error {
	ticker := time.NewTicker(readEvery)
	defer ticker.Stop()
	for slices.ContainsFunc(e.Figures.Snapshot().Health.Streams, func(s figures.StreamHealth) bool { return !s.Complete }) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

// budgetStep is what budgets are rounded to, in cents, and budgetGrowth how much more is planned than last year took, in per
// cent.
const (
	budgetStep   = 5_000_00
	budgetGrowth = 8
)

// budgets returns the budgets of the season's months up to that of a day: what was booked in the same month of
// the year before, and a little more. A month of which nothing is known has none.
func budgets(s *figures.Snapshot, today figures.Day) (all []*record.Setting) {
	booked := map[string]map[string]int64{} // by month and currency
	for _, d := range s.Days {
		month := string(d.Day)[:len("2006-01")]
		for _, m := range d.Of(figures.Booked) {
			if booked[month] == nil {
				booked[month] = map[string]int64{}
			}
			booked[month][m.Currency] += m.Amount
		}
	}
	at, err := time.Parse(time.DateOnly, string(today))
	if err != nil {
		return nil
	}
	for back := range 4 {
		month := time.Date(at.Year(), at.Month()-time.Month(back), 1, 0, 0, 0, 0, time.UTC)
		for currency, amount := range booked[month.AddDate(-1, 0, 0).Format("2006-01")] {
			if plan := amount * (100 + budgetGrowth) / 100 / budgetStep * budgetStep; plan > 0 {
				all = append(all, &record.Setting{Name: record.SettingBudget, Of: currency, From: month.Format("2006-01"), Value: &plan})
			}
		}
	}
	return all
}
