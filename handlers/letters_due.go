package handlers

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/compare"
	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers/sessions"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/night"
)

const (
	// letterMemory is for how long somebody gets letters who does not sign in: what the sign-in service said of them is
	// that old, and may not be so any more.
	letterMemory = 60 * 24 * time.Hour
	// morningFor is for how long after its time a letter of the morning is worth sending.
	morningFor = 4 * time.Hour
	// closeFor is the same for the letter after the evening, from the end of its last performance. closeSoon is for how long after
	// NightAt it waits for the last people to leave.
	closeFor, closeSoon = 8 * time.Hour, time.Hour
	// weekFor is the same for the letter of a week, from the morning of Monday on.
	weekFor = 12 * time.Hour
	// exportFor is the same for the table of a week or a month, which says as of when it is.
	exportFor = 36 * time.Hour
)

// lastDue returns the day on which a table was due last, at the latest today.
func lastDue(every night.Every, today time.Time) time.Time {
	switch every {
	case night.EveryWeek:
		return today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	case night.EveryMonth:
		return today.AddDate(0, 0, 1-today.Day())
	}
	return today
}

// letterDay returns the day that a letter is about if it is written now: today, from midnight on, the last evening that is over or
// that goes on late, or the first of the week or the month; on Sunday the week that begins tomorrow.
func (s *site) letterDay(name string) figures.Day {
	snapshot, now := s.Snapshot(), s.Now()
	switch name {
	case night.Close:
		return s.closeDay(evening.At(snapshot, now))
	case night.Week:
		return compare.SpanOf(evening.At(snapshot, now.AddDate(0, 0, 1)), compare.ThisWeek).From
	}
	if e := night.ExportOf(name); e != nil {
		today, _ := time.Parse(time.DateOnly, string(snapshot.Calendar.Day(now)))
		return figures.Day(lastDue(e.Every, today).Format(time.DateOnly))
	}
	return figures.Day(now.In(snapshot.Calendar.Zone).Format(time.DateOnly))
}

// DueLetters returns the letters that are due now: those of the morning, those of the week on Mondays and of the month on the
// first, all from MorningAt on, that of an evening once everybody has left or as goesOnLate says, and those about alerts.
func (s *site) DueLetters() (due []notify.Due) {
	if !s.Ready() {
		return nil
	}
	snapshot, now := s.Snapshot(), s.Now()
	local := now.In(snapshot.Calendar.Zone)
	morning := time.Date(local.Year(), local.Month(), local.Day(), 0, int(s.MorningAt/time.Minute), 0, 0, snapshot.Calendar.Zone)
	if until := morning.Add(morningFor); !local.Before(morning) && local.Before(until) {
		due = append(due, notify.Due{Name: night.Morning, About: local.Format(time.DateOnly), For: until.Sub(local)})
	}
	if until := morning.Add(weekFor); local.Weekday() == time.Monday && !local.Before(morning) && local.Before(until) {
		due = append(due, notify.Due{Name: night.Week, About: local.Format(time.DateOnly), For: until.Sub(local)})
	}
	for _, e := range night.Exports {
		begun, worth := lastDue(e.Every, morning), exportFor
		if e.Every == night.EveryDay {
			worth = morningFor
		}
		if until := begun.Add(worth); !local.Before(begun) && local.Before(until) {
			for _, name := range []string{e.Name, e.Name + night.CSV} {
				due = append(due, notify.Due{Name: name, About: begun.Format(time.DateOnly), For: until.Sub(local)})
			}
		}
	}
	v := evening.At(snapshot, now)
	day, end := s.closeDay(v), time.Time{}
	for _, show := range v.Night(day) {
		end = figures.Later(end, show.Hours().End)
	}
	if until := end.Add(closeFor); now.Before(until) {
		due = append(due, notify.Due{Name: night.Close, About: string(day), For: until.Sub(now)})
	}
	return slices.Concat(due, s.dueAlerts(v, now, morning), s.dueCleared(v, now))
}

// closeDay returns the day that the letter after the evening is about: the evening that goes on late, or the last that is over.
func (s *site) closeDay(v *evening.Evening) figures.Day {
	if s.goesOnLate(v) {
		return v.Day
	}
	return v.LastFinished()
}

// goesOnLate reports whether it is NightAt or later, a performance of the evening is over, and people stay for long after NightAt: a
// letter that waited for them would come when whoever wants it is asleep, and the letter of the morning says the rest.
func (s *site) goesOnLate(v *evening.Evening) bool {
	begins := v.Snapshot.Calendar.Start(v.Day)
	at := time.Date(begins.Year(), begins.Month(), begins.Day(), 0, int(s.NightAt/time.Minute), 0, 0, begins.Location())
	until, ok := v.GoesOnUntil(v.Day)
	return ok && s.NightAt > 0 && !v.Now.Before(at) && until.After(at.Add(closeSoon))
}

const (
	// tellAfter is for how long an alert must stand before it is told.
	tellAfter = time.Minute
	// alertFor is for how long an alert is worth telling.
	alertFor = 30 * time.Minute
	// clearedFor is for how long it is worth telling the house's own address that an alert is over.
	clearedFor = 12 * time.Hour
	// alertsApart and redApart are the least time between two letters of alerts.
	alertsApart = 5 * time.Minute
	redApart    = time.Minute
)

// dueAlerts returns the letters about alerts that call for something now and that nobody has taken on, as the house has them
// told. From midnight until the morning those that are not red wait for the morning's letter, unless people are in the house
// or the house has set hours for them. What waits for these hours is told again once nobody is on it for its time after that.
// Whoever gets the morning's letter has what it names at that time in it, and of that only what is red. None is due that would be empty.
func (s *site) dueAlerts(v *evening.Evening, now, morning time.Time) (due []notify.Due) {
	quiet := now.Before(morning) && !slices.ContainsFunc(v.Shows, func(s *evening.Show) bool { return s.Phase.Open() || s.Leaving })
	readers, own := s.readersNow(), map[web.Role][]evening.Alert{}
	for _, role := range web.Roles {
		own[role] = web.UnansweredAlerts(v, role.Access(), s.ScreenAlerts())
	}
	for _, a := range own[web.Admin] {
		raised, rule := v.Open(&a), s.tellingOf(v.Snapshot, a.Code)
		if raised == nil || !rule.Sent || quiet && !rule.HasHours() && a.Level != evening.Bad || !rule.Within(now.In(v.Snapshot.Calendar.Zone)) {
			continue
		}
		apart := alertsApart
		if a.Level == evening.Bad {
			apart = redApart
		}
		since, about := raised.Raised, raised.RecordID()
		if raised.Changed.After(since) { // somebody was on it, and is no more
			since = raised.Changed
		}
		inMorning := a.Show() != nil && !rule.HasHours() && since.Before(morning) && !now.Before(morning) // of tonight since this morning
		if inMorning {
			since = morning
		}
		if !since.Equal(raised.Raised) {
			about = store.AboutAgain(about, since)
		}
		first := rule.Next(since.Add(tellAfter).In(v.Snapshot.Calendar.Zone))
		for name, from := range map[string]time.Time{night.Alerts: first, night.Unanswered: rule.Next(first.Add(rule.After - tellAfter))} {
			if until := from.Add(alertFor); !now.Before(from) && now.Before(until) {
				due = append(due, notify.Due{Name: name, About: about, For: until.Sub(now), Apart: apart, To: func(to store.Subscriber) bool {
					if inMorning && a.Level != evening.Bad && slices.Contains(to.Names, night.Morning) {
						return false
					}
					who := readers(&to)
					return who != nil && isTold(&to, who, name, &a, rule) && slices.ContainsFunc(own[who.Role], func(o evening.Alert) bool { return o.Key == a.Key })
				}})
			}
		}
	}
	return due
}

// tellingOf returns how the alerts of a code are told. By ways that the house has no more, nobody would hear of them: then they go by all.
func (s *site) tellingOf(snapshot *figures.Snapshot, code string) evening.Telling {
	rule, ways := evening.TellingOf(snapshot.Settings(), code), figures.AlertByDevice
	if s.Mail {
		ways |= figures.AlertByMail
	}
	if len(s.HouseHosts) > 0 {
		ways |= figures.AlertByHouse
	}
	if rule.By&ways == 0 {
		rule.By = figures.AlertByAll
	}
	return rule
}

// isTold reports whether a subscriber is notified of an alert by the letters called name: the alert is sent by the
// subscriber's way, who may see it, and they have not switched it off. Letters about unanswered alerts go only to the role
// that the rule names, or else to those who can end the alert, and to the house's own address.
func isTold(to *store.Subscriber, who *sessions.Staff, name string, a *evening.Alert, rule evening.Telling) bool {
	access := who.Role.Access()
	again := name != night.Unanswered || store.IsHouse(to.Person) || rule.Role == 1+slices.Index(web.Roles, who.Role) || rule.Role == 0 && access.Ends(a.Code)
	return rule.Sent && rule.By&wayTo(to) != 0 && !slices.Contains(to.Without, a.Code) && access.SeesAlert(a) && access.TakesOn(a.Code) && again
}

// wayTo returns the way of figures.AlertByMail and so on by which somebody gets letters.
func wayTo(to *store.Subscriber) int {
	switch {
	case store.IsHouse(to.Person):
		return figures.AlertByHouse
	case to.Device != "":
		return figures.AlertByDevice
	}
	return figures.AlertByMail
}

// dueCleared returns letters to the house's own addresses about alerts that are over.
func (s *site) dueCleared(v *evening.Evening, now time.Time) (due []notify.Due) {
	if len(s.HouseHosts) == 0 {
		return nil
	}
	for _, r := range v.Snapshot.Alerts {
		if until := r.RecordUpdated().Add(clearedFor); !r.Cleared.IsZero() && now.Before(until) {
			due = append(due, notify.Due{Name: night.Cleared, About: r.RecordID(), For: until.Sub(now)})
		}
	}
	return due
}

// writeCleared returns the letter to an address of the house about alerts that are over, of which it was told.
func (s *site) writeCleared(ctx context.Context, letters []store.Letter, who *sessions.Staff, l web.Locale) (notify.Text, error) {
	before, err := s.Letters.To(ctx, letters[0].Person)
	if err != nil {
		return notify.Text{}, err
	}
	var over []*record.RaisedAlert
	for _, r := range s.Snapshot().Alerts {
		id := r.RecordID()
		if !slices.ContainsFunc(letters, func(l store.Letter) bool { return l.About == id }) {
			continue
		}
		if r.Cleared.IsZero() { // another process made the letter, and these figures are behind its
			return notify.Text{}, notify.ErrNotYet
		}
		states := map[string]bool{}
		for _, one := range before {
			if one.Name != night.Cleared && one.IsAbout(id) {
				states[one.State] = true
			}
		}
		switch {
		case states[store.LetterSent]:
			over = append(over, r)
		case states[store.LetterWaiting]: // perhaps it is being sent
			return notify.Text{}, notify.ErrNotYet
		}
	}
	letter, err := s.letter(ctx, night.LetterTo{Name: night.Cleared, Cleared: over}, who.Role.Access(), l)
	if err != nil {
		return notify.Text{}, err
	}
	if letter == nil {
		return notify.Text{}, notify.ErrVoid
	}
	text := notify.Text{Name: night.Cleared, Subject: letter.Subject, Plain: letter.Plain, HTML: letter.HTML, Brief: letter.Brief, Open: letter.Open}
	for _, a := range letter.Alerts {
		text.Alerts = append(text.Alerts, notify.Alert{ID: a.Over.RecordID(), Code: a.Code, Level: string(a.Level), Raised: a.Over.Raised.UTC(), Cleared: a.Over.Cleared.UTC(), Text: a.Text, Event: a.Event})
	}
	return text, nil
}

// readersNow returns a function that returns a person who gets letters as they are now, nil if they get none. It asks for
// the roles of addresses once.
func (s *site) readersNow() func(*store.Subscriber) *sessions.Staff {
	given := sync.OnceValues(func() (signin.Grants, error) { return s.sessions.Grants(s.ctx) })
	return func(to *store.Subscriber) *sessions.Staff {
		all, err := given()
		if err != nil {
			return nil
		}
		return s.readerWith(to, all)
	}
}

// readerWith is reader with the roles of addresses.
func (s *site) readerWith(to *store.Subscriber, given signin.Grants) *sessions.Staff {
	if store.IsHouse(to.Person) {
		return &sessions.Staff{Role: s.HouseRole}
	}
	kept := s.sessions.Read(to.Who, time.Time{})
	if kept == nil || time.Since(to.Seen) > letterMemory || kept.Address != to.Address {
		return nil
	}
	return s.sessions.WithRole(kept, given)
}

// reader returns a person who gets letters as they are now; nil if they get none.
func (s *site) reader(ctx context.Context, to *store.Subscriber) (*sessions.Staff, error) {
	given, err := s.sessions.GrantsOf(ctx, to.Address)
	if err != nil {
		return nil, err
	}
	return s.readerWith(to, given), nil
}

// triesBehind is how often a letter of a day waits for a minute while what came since a poll of long ago is being read.
const triesBehind = 5

// WriteLetter returns what is in letters of one name to a person, as one, by what they may see now.
func (s *site) WriteLetter(ctx context.Context, letters []store.Letter, to store.Subscriber) (notify.Text, error) {
	who, err := s.reader(ctx, &to)
	if err != nil {
		return notify.Text{}, err
	}
	if who == nil {
		return notify.Text{}, notify.ErrVoid
	}
	if !s.Ready() {
		return notify.Text{}, notify.ErrNotYet
	}
	last := letters[len(letters)-1]
	if last.Name == night.Cleared {
		return s.writeCleared(ctx, letters, who, web.Locale(to.Language))
	}
	waits := s.unjudged(letters)
	ofDay, health := last.Name != night.Alerts && last.Name != night.Unanswered, s.Snapshot().Health
	behind := health.Behind(record.KindEvent, record.KindTicket, record.KindPayment, record.KindScan)
	tries := slices.MaxFunc(letters, func(x, y store.Letter) int { return cmp.Compare(x.Tries, y.Tries) }).Tries
	if ofDay && (behind && tries <= triesBehind || health.Light() == figures.Red) {
		return notify.Text{}, notify.ErrNotYet
	}
	stop := s.public.String() + web.StopPath + "/" + to.Token
	letter, err := s.letter(ctx, night.LetterTo{Name: last.Name, Day: figures.Day(last.About), Stop: stop, About: s.about(letters, &to, who)}, who.Role.Access(), web.Locale(to.Language))
	if err != nil {
		return notify.Text{}, err
	}
	switch {
	case letter == nil && behind && !ofDay: // what it is about is not judged meanwhile
		return notify.Text{}, notify.ErrNotYet
	case letter == nil:
		return notify.Text{}, notify.ErrVoid
	}
	text := notify.Text{Name: last.Name, Subject: letter.Subject, Plain: letter.Plain, HTML: letter.HTML, Brief: letter.Brief, Open: letter.Open, Stop: stop, Alerts: s.alertsOf(letter)}
	text.Waits = slices.DeleteFunc(waits, func(about string) bool { // its list may have been read meanwhile
		return slices.ContainsFunc(text.Alerts, func(a notify.Alert) bool { return (&store.Letter{About: about}).IsAbout(a.ID) })
	})
	if f := letter.File; f != nil {
		text.Files = []notify.File{{Name: f.Name, Type: f.Type, Content: f.Content}}
	}
	return text, nil
}

// unjudged returns what letters are about of which it is not known at present whether it stands.
func (s *site) unjudged(letters []store.Letter) (all []string) {
	v := evening.At(s.Snapshot(), s.Now())
	for _, l := range letters {
		key, _, _ := strings.Cut(l.About, "#")
		if code, _, _ := strings.Cut(key, ":"); v.Unjudged(code) {
			all = append(all, l.About)
		}
	}
	return all
}

// alertsOf returns the alerts of a letter for programs.
func (s *site) alertsOf(letter *night.Letter) (all []notify.Alert) {
	v := evening.At(s.Snapshot(), s.Now())
	for _, a := range letter.Alerts {
		if raised := v.Open(&a.Alert); raised != nil {
			all = append(all, notify.Alert{ID: raised.RecordID(), Code: a.Code, Level: string(a.Level), Raised: raised.Raised.UTC(), Text: a.Text, Event: a.Event})
		}
	}
	return all
}

// about returns a function that reports whether letters to somebody are about an alert as it stands, and as it is told now.
func (s *site) about(letters []store.Letter, to *store.Subscriber, who *sessions.Staff) func(*evening.Alert) bool {
	snapshot := s.Snapshot()
	v := evening.At(snapshot, s.Now())
	return func(a *evening.Alert) bool {
		raised := v.Open(a)
		return raised != nil && slices.ContainsFunc(letters, func(l store.Letter) bool {
			return l.IsAbout(raised.RecordID()) && isTold(to, who, l.Name, a, s.tellingOf(snapshot, a.Code))
		})
	}
}
