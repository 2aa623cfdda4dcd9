package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/idp"
	"housecount/web"
	"housecount/web/admin"
)

// The demonstration's house is furnished as its staff would do it: what they set are entries of the log, and its
// screens are added as the command screens add does.

// staffNamed returns the name of the member of staff with a role.
func staffNamed(role web.Role) string {
	i := slices.IndexFunc(idp.DemoStaff, func(m idp.Staff) bool { return m.Roles[0] == string(role) })
	return idp.DemoStaff[i].Name
}

// demoScreens are the screens of the house.
var demoScreens = []struct {
	name, place string
	access      web.Access
}{
	{"Foyer", "Next to the cloakroom", web.Access{Money: web.NoMoney, Public: true}},
	{"Office", "Above the box office", web.Access{Money: web.NoMoney}},
}

// furnish adds the screens and what the venue has set, and writes the screens' addresses to out.
func (d *demo) furnish(ctx context.Context, language string, out io.Writer) error {
	by := staffNamed(web.Admin)
	for _, s := range demoScreens {
		secret := rand.Text()
		if _, err := d.program.store.Screens().Add(ctx, store.Screen{Name: s.name, Place: s.place, Language: language, Access: s.access.String(), By: by}, secret,
			store.Act{Actor: store.ActorCommand, Name: by, Action: store.ActScreenAdded}); err != nil {
			return err
		}
		fmt.Fprintf(out, "screen  %-8s  %s/screen#%s\n", s.name, d.url, secret)
	}
	now := d.service.Now()
	settings := []*record.Setting{
		{Name: record.SettingVATRate, Value: new(int64(900))},
		{Name: record.SettingVATRate, Of: "Entree", Value: new(int64(2100))}, // the club and the late nights
		{Name: record.SettingLicensed, Value: new(int64(1600))},
		{Name: record.SettingLicensed, Of: "Kelder", Value: new(int64(demoLicensed))},
	}
	if from, days, ok := d.service.Campaign(); ok {
		settings = append(settings, &record.Setting{Name: record.SettingCampaign, Of: "Najaarsactie op Instagram", From: from.Format(time.DateOnly), Value: new(int64(days))})
	}
	return d.set(ctx, 0, now, settings)
}

// demoLicensed is how many people may be in the club at once: fewer than come on a good night.
const demoLicensed = 250

// set enters settings as an administrator does.
func (d *demo) set(ctx context.Context, read int64, now time.Time, settings []*record.Setting) error {
	var acts []store.Act
	for _, s := range settings {
		s.At, s.By = now, staffNamed(web.Admin)
		a := store.Act{Actor: store.ActorCommand, Name: s.By, Action: admin.SettingChanged, Object: s.RecordID(), Reason: string(s.Name)}
		a.ObjectName, a.After = admin.SettingWords(s)
		acts = append(acts, a)
	}
	_, err := d.program.records.Replace(ctx, now, read, acts, slices.Collect(func(yield func(record.Record) bool) {
		for _, s := range settings {
			if !yield(s) {
				return
			}
		}
	})...)
	return err
}

// open furnishes a house that is new, waits, in the early morning, until everything has been read, sets the budgets,
// and moves the clock to the evening. Then it plays the story, if that is wanted.
func (d *demo) open(ctx context.Context, h house, c demoCommand, out io.Writer) error {
	if err := d.furnish(ctx, c.Language, out); err != nil && ctx.Err() == nil {
		d.log.Error("the demonstration has no screens or settings", "err", err)
	}
	if err := d.awaitFirstRead(ctx); err != nil {
		return nil // it ends
	}
	s := d.program.figures.Snapshot()
	if err := d.set(ctx, s.Position.Revision, d.service.Now(), demoBudgets(s, s.Calendar.Day(h.Start))); err != nil {
		d.log.Error("the demonstration has no budgets", "err", err)
	}
	passed := h.passed(time.Now())
	if c.Story { // which begins when all has been read
		passed = 0
	}
	d.service.Advance(h.Start.Sub(d.service.Now()) + passed)
	zone := s.Calendar.Zone
	fmt.Fprintf(out, "%s  the evening begins: look at Tonight  %s/tonight\n", d.service.Now().In(zone).Format("15:04"), d.url)
	if c.Story {
		return d.playStory(ctx, out)
	}
	return nil
}

// readEvery is how often it is asked whether everything has been read.
const readEvery = 100 * time.Millisecond

func (d *demo) awaitFirstRead(ctx context.Context) error {
	ticker := time.NewTicker(readEvery)
	defer ticker.Stop()
	for slices.ContainsFunc(d.program.figures.Snapshot().Health.Streams, func(s figures.StreamHealth) bool { return !s.Complete }) {
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

// demoBudgets returns the budgets of the season's months up to that of a day: what was booked in the same month of
// the year before, and a little more. A month of which nothing is known has none.
func demoBudgets(s *figures.Snapshot, today figures.Day) (all []*record.Setting) {
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
