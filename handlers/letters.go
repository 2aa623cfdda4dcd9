package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/words"
)

const (
	// letterMemory is for how long somebody gets letters who does not sign in: what the sign-in service said of them is
	// that old, and may not be so any more.
	letterMemory = 60 * 24 * time.Hour
	// morningFor is for how long after its time a letter of the morning is worth sending.
	morningFor = 4 * time.Hour
	// closeFor is the same for the letter after the evening, from the end of its last performance.
	closeFor = 8 * time.Hour
	// weekFor is the same for the letter of a week, from the morning of Monday on.
	weekFor = 12 * time.Hour
	// exportFor is the same for the workbook of a week or a month, which says as of when it is.
	exportFor = 36 * time.Hour
)

// subscriber returns a person as the store has those who get letters.
func (s *site) subscriber(who *staff, l web.Locale, names []string) (store.Subscriber, error) {
	kept := staff{Issuer: s.sessions.issuer, Claim: s.sessions.claim, Subject: who.Subject, Name: who.Name, Values: who.Values, Address: who.Address}
	b, err := json.Marshal(kept)
	return store.Subscriber{Person: s.sessions.owned(who.Subject), Address: who.Address, Language: string(l), Names: names, Who: b}, err
}

// chooseLetters stores which letters the person gets.
func (s *site) chooseLetters(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	who, names := visitOf(r).staff, r.PostForm["letter"]
	if person := r.PostForm.Get("stop"); person != "" && who.Role == web.Admin {
		return s.stopFor(w, r, person)
	}
	wrong := slices.ContainsFunc(names, func(name string) bool {
		return !slices.Contains(night.LetterNames, name) || !night.MayChoose(name, who.Role.Access())
	})
	if wrong || !s.Mail || who.Address == "" {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.LettersPath}
	}
	slices.Sort(names)
	one, err := s.subscriber(who, s.language(r), slices.Compact(names))
	if err != nil {
		return err
	}
	act := s.act(r, who, store.ActLettersChosen)
	act.ObjectName = who.Address
	if err := s.Letters.Subscribe(r.Context(), one, act); err != nil {
		return err
	}
	return redirect(w, web.LettersPath+"?saved=yes")
}

// stopFor has an administrator stop the letters of a person.
func (s *site) stopFor(w http.ResponseWriter, r *http.Request, person string) error {
	one, err := s.Letters.Of(r.Context(), person)
	if err != nil || one == nil {
		return cmp.Or(err, redirect(w, web.LettersPath))
	}
	act := s.act(r, visitOf(r).staff, store.ActLettersStopped)
	act.ObjectName = one.Address
	if err := s.Letters.Subscribe(r.Context(), store.Subscriber{Person: person}, act); err != nil {
		return err
	}
	return redirect(w, web.LettersPath)
}

// refreshLetters stores what the sign-in service says of somebody who gets letters, and whether they have just signed in. They get them without that, too, until
// letterMemory is over: a failure is logged.
func (s *site) refreshLetters(ctx context.Context, who *staff, signedIn bool) {
	if s.Letters == nil {
		return
	}
	one, err := s.subscriber(who, "", nil)
	if err == nil {
		err = s.Letters.Refresh(ctx, one, signedIn)
	}
	if err != nil {
		s.Log.Warn("who gets letters is not noted", "err", err)
	}
}

// lapseLetters has a person, as the store knows them, get no letters until they sign in again.
func (s *site) lapseLetters(ctx context.Context, person string) error {
	if s.Letters == nil {
		return nil
	}
	return s.Letters.Lapse(ctx, person)
}

// LettersOf returns which letters the person of a session gets and, for administrators, what everybody gets.
func (s *site) LettersOf(session string) (web.Letters, error) {
	ctx, cancel := context.WithTimeout(s.ctx, enterTimeout)
	defer cancel()
	l := web.Letters{Mail: s.Mail}
	list, err := s.Sessions.List(ctx)
	if err != nil || s.Letters == nil {
		return l, err
	}
	given, err := s.sessions.grants(ctx)
	if err != nil {
		return l, err
	}
	i := slices.IndexFunc(list, func(one store.SessionInfo) bool { return one.ID == session })
	if i < 0 {
		return l, nil
	}
	who := s.sessions.decode(list[i].Data, given)
	if who == nil {
		return l, nil
	}
	l.Address = who.Address
	all, err := s.Letters.Subscribers(ctx)
	if err != nil {
		return l, err
	}
	newest, err := s.Letters.Newest(ctx)
	if err != nil {
		return l, err
	}
	l.PushKey = s.Push.Key()
	for _, one := range all {
		reader := web.LetterReader{Person: one.Person, Address: one.Address, Names: one.Names, Last: stateOf(newest, one.Person, s.At)}
		if one.Device != "" {
			reader.Device = cmp.Or(s.Push.Name(one.Device), "–")
		}
		switch s.sessions.owned(who.Subject) {
		case one.Person:
			l.Names, l.Last = reader.Names, reader.Last
		case one.Owner:
			l.Devices = append(l.Devices, reader)
		}
		if who.Role == web.Admin {
			l.Everybody = append(l.Everybody, reader)
		}
	}
	if who.Role == web.Admin && s.HouseHost != "" {
		l.Everybody = append(l.Everybody, web.LetterReader{Address: s.HouseHost, Names: HouseLetters, Last: stateOf(newest, notify.HousePerson, s.At)})
	}
	return l, nil
}

// HouseLetters are the letters that the house's own address gets.
var HouseLetters = []string{night.Alerts, night.Unanswered}

// stateOf returns what became of the newest letter to a person, by the venue's clock; nil if there is none.
func stateOf(newest map[string]store.Letter, person string, at func(time.Time) time.Time) *web.LetterState {
	one, ok := newest[person]
	if !ok {
		return nil
	}
	state := &web.LetterState{Name: one.Name, State: one.State, Failure: clip(one.Failure), At: at(one.Done)}
	if one.Done.IsZero() {
		state.At = at(one.Made)
	}
	return state
}

// lookAtLetter answers with a letter as it would go to the person now.
func (s *site) lookAtLetter(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if !slices.Contains(night.LetterNames, name) {
		return errNotFound()
	}
	if !s.Ready() {
		return notReady(w)
	}
	who := visitOf(r).staff
	if who == nil {
		return redirect(w, "/login?return="+web.LettersPath)
	}
	l := s.language(r)
	letter, err := s.letter(r.Context(), night.LetterTo{Name: name, Day: s.letterDay(name), Stop: s.public.String() + web.LettersPath, About: func(*evening.Alert) bool { return true }}, who.Role.Access(), l)
	if err != nil {
		return err
	}
	if letter == nil {
		t := words.Of(l)
		return s.message(w, web.Message{Locale: l, Title: t.Code("letter_name", name), Text: t.Code("letter_state", store.LetterVoid), Next: web.LettersPath, NextText: t.Text("letters.title")})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	// A letter has its styles in itself, because a mail program asks for nothing.
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'")
	_, err = w.Write([]byte(letter.HTML))
	return err
}

// letter returns a letter to somebody; nil if there is nothing in it.
func (s *site) letter(ctx context.Context, to night.LetterTo, a web.Access, l web.Locale) (*night.Letter, error) {
	q, err := web.NewRequest("night", nil, a, l)
	if err != nil {
		return nil, err
	}
	to.Venue, to.Public, to.Screens = s.Venue, s.public.String(), s.ScreenAlerts()
	return night.NewLetter(ctx, s.Renderer, web.Frame{Request: q, Snapshot: s.Snapshot(), Now: s.Now(), Ready: true}, to)
}

// letterDay returns the day that a letter is about if it is written now: today, the last evening that is over, or the first of
// the week or the month.
func (s *site) letterDay(name string) figures.Day {
	snapshot, now := s.Snapshot(), s.Now()
	switch name {
	case night.Close:
		return evening.At(snapshot, now).LastFinished()
	case night.Week, night.RevenueWeek:
		return evening.At(snapshot, now).Range(evening.ThisWeek).From
	case night.RevenueMonth:
		return evening.At(snapshot, now).Range(evening.ThisMonth).From
	}
	return snapshot.Calendar.Day(now)
}

// DueLetters returns the letters that are due now: those of the morning, those of the week on Mondays and of the month on the
// first, all from MorningAt on, and that of an evening once everybody has left.
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
	exports := []struct {
		name  string
		begun time.Time
	}{{night.RevenueWeek, morning.AddDate(0, 0, -(int(local.Weekday())+6)%7)}, {night.RevenueMonth, morning.AddDate(0, 0, 1-local.Day())}}
	for _, e := range exports {
		if until := e.begun.Add(exportFor); !local.Before(e.begun) && local.Before(until) {
			due = append(due, notify.Due{Name: e.name, About: e.begun.Format(time.DateOnly), For: until.Sub(local)})
		}
	}
	v := evening.At(snapshot, now)
	day, end := v.LastFinished(), time.Time{}
	for _, show := range v.Night(day) {
		end = figures.Later(end, show.Hours().End)
	}
	if until := end.Add(closeFor); now.Before(until) {
		due = append(due, notify.Due{Name: night.Close, About: string(day), For: until.Sub(now)})
	}
	return append(due, s.dueAlerts(v, now, morning)...)
}

const (
	// tellAfter is for how long an alert must stand before it is told, and unansweredAfter for how long with nobody on it.
	tellAfter       = time.Minute
	unansweredAfter = 10 * time.Minute
	// alertFor is for how long an alert is worth telling.
	alertFor = 30 * time.Minute
	// alertsApart and redApart are the least time between two letters of alerts.
	alertsApart = 5 * time.Minute
	redApart    = time.Minute
)

// dueAlerts returns the letters about alerts that call for something now and that nobody has taken on. From midnight until
// the morning those that are not red wait for the morning's letter, unless people are in the house.
func (s *site) dueAlerts(v *evening.Evening, now, morning time.Time) (due []notify.Due) {
	quiet := now.Before(morning) && !slices.ContainsFunc(v.Shows, func(s *evening.Show) bool { return s.Phase.Open() || s.Leaving })
	readers := s.readersNow()
	for _, a := range web.UnansweredAlerts(v, web.Admin.Access(), s.ScreenAlerts()) {
		raised := v.Open(&a)
		if raised == nil || quiet && a.Level != evening.Bad {
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
		if a.Show() != nil && since.Before(morning) && !now.Before(morning) { // of tonight since this morning
			since = morning
		}
		if !since.Equal(raised.Raised) {
			about += againAt + strconv.FormatInt(since.Unix(), 10)
		}
		for name, after := range map[string]time.Duration{night.Alerts: tellAfter, night.Unanswered: unansweredAfter} {
			from := since.Add(after)
			if until := from.Add(alertFor); !now.Before(from) && now.Before(until) {
				due = append(due, notify.Due{Name: name, About: about, For: until.Sub(now), Apart: apart, To: func(to store.Subscriber) bool {
					who := readers(&to)
					return who != nil && who.Role.Access().SeesAlert(&a) && who.Role.Access().TakesOn(a.Code)
				}})
			}
		}
	}
	return due
}

// againAt stands between the id of an alert in the log and the time from which it is told again.
const againAt = " @"

// readersNow returns a function that returns a person who gets letters as they are now, nil if they get none. It asks for
// the roles of addresses once.
func (s *site) readersNow() func(*store.Subscriber) *staff {
	given := sync.OnceValues(func() (signin.Grants, error) { return s.sessions.grants(s.ctx) })
	return func(to *store.Subscriber) *staff {
		all, err := given()
		if err != nil {
			return nil
		}
		return s.readerWith(to, all)
	}
}

// readerWith is reader with the roles of addresses.
func (s *site) readerWith(to *store.Subscriber, given signin.Grants) *staff {
	if to.Person == notify.HousePerson {
		return &staff{Role: s.HouseRole}
	}
	kept := s.sessions.readStaff(to.Who, time.Time{})
	if kept == nil || time.Since(to.Seen) > letterMemory || kept.Address != to.Address {
		return nil
	}
	return s.sessions.withRole(kept, given)
}

// reader returns a person who gets letters as they are now; nil if they get none.
func (s *site) reader(ctx context.Context, to *store.Subscriber) (*staff, error) {
	given, err := s.sessions.grantsOf(ctx, to.Address)
	if err != nil {
		return nil, err
	}
	return s.readerWith(to, given), nil
}

// WriteLetter returns what is in letters of one name to a person, as one, by what they may see now.
func (s *site) WriteLetter(ctx context.Context, letters []store.Letter, to store.Subscriber) (notify.Text, error) {
	who, err := s.reader(ctx, &to)
	if err != nil {
		return notify.Text{}, err
	}
	if who == nil {
		return notify.Text{}, notify.ErrVoid
	}
	last := letters[len(letters)-1]
	ofDay := last.Name != night.Alerts && last.Name != night.Unanswered
	if !s.Ready() || ofDay && s.Snapshot().Health.Light() == figures.Red {
		return notify.Text{}, notify.ErrNotYet
	}
	stop := s.public.String() + web.StopPath + "/" + to.Token
	letter, err := s.letter(ctx, night.LetterTo{Name: last.Name, Day: figures.Day(last.About), Stop: stop, About: s.about(letters)}, who.Role.Access(), web.Locale(to.Language))
	if err != nil {
		return notify.Text{}, err
	}
	if letter == nil {
		return notify.Text{}, notify.ErrVoid
	}
	text := notify.Text{Name: last.Name, Subject: letter.Subject, Plain: letter.Plain, HTML: letter.HTML, Brief: letter.Brief, Open: letter.Open, Stop: stop, Alerts: s.alertsOf(letter)}
	if f := letter.File; f != nil {
		text.Files = []notify.File{{Name: f.Name, Type: web.WorkbookType, Content: f.Content}}
	}
	return text, nil
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

// about returns a function that reports whether letters are about an alert as it stands.
func (s *site) about(letters []store.Letter) func(*evening.Alert) bool {
	v := evening.At(s.Snapshot(), s.Now())
	return func(a *evening.Alert) bool {
		raised := v.Open(a)
		return raised != nil && slices.ContainsFunc(letters, func(l store.Letter) bool {
			rest, of := strings.CutPrefix(l.About, raised.RecordID())
			return of && (rest == "" || strings.HasPrefix(rest, againAt))
		})
	}
}

// stopPage asks whoever follows the link in a letter whether to stop them: programs follow links by themselves.
func (s *site) stopPage(w http.ResponseWriter, r *http.Request) error {
	l := s.language(r)
	t := words.Of(l)
	address, err := s.readerOf(r)
	if err != nil || address == "" {
		return s.stopped(w, l, address, err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Question(w, web.Question{Locale: l, Title: t.Text("letters.stop", words.Name("address", address)), Text: t.Text("letters.stop_text"),
		Action: r.URL.Path, Back: web.LettersPath, Do: t.Text("letter.stop")})
}

// stopLetters stops the letters with a token: from the page, or at once from a mail program (RFC 8058).
func (s *site) stopLetters(w http.ResponseWriter, r *http.Request) error {
	address, err := s.readerOf(r)
	if address != "" {
		act := store.Act{Action: store.ActLettersStopped, Name: address, ObjectName: address, Address: s.from(r)}
		address, err = s.Letters.Stop(r.Context(), r.PathValue("token"), act)
	}
	return s.stopped(w, s.language(r), address, err)
}

// letterToken is what tokens of letters look like.
var letterToken = regexp.MustCompile(`^[A-Z2-7]{26}$`)

// readerOf returns the address of the person whose letters have the token of a link; it is empty if there is none.
func (s *site) readerOf(r *http.Request) (address string, err error) {
	if s.Letters == nil || !letterToken.MatchString(r.PathValue("token")) {
		return "", nil
	}
	return s.Letters.AddressOf(r.Context(), r.PathValue("token"))
}

// stopped answers that no letters go to an address, or that none did.
func (s *site) stopped(w http.ResponseWriter, l web.Locale, address string, err error) error {
	if err != nil {
		return err
	}
	t := words.Of(l)
	title := t.Text("letters.unknown")
	if address != "" {
		title = t.Text("letters.stopped", words.Name("address", address))
	}
	return s.message(w, web.Message{Locale: l, Title: title, Text: t.Text("letters.stop_text"), Next: web.LettersPath, NextText: t.Text("letters.title")})
}
