package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/web/words"
)

// Sessions is what the page of sessions shows.
type Sessions struct {
	// Now is the time to which the others are compared, to the minute.
	Now    time.Time
	People []Person
	// Acts are those of the query, the newest first, Total how many there are, and Actors who did
	// anything in its time, by name.
	Acts   []Act
	Total  int
	Actors []Actor
	// Kept is how long acts are kept, 0 for ever.
	Retention time.Duration
}

// Person is somebody who is signed in.
type Person struct {
	Subject, Name string
	Sessions      []Session // the newest first
}

// Session is a sign-in.
type Session struct {
	ID string
	// Own says that it is that of who looks at the page, which cannot be ended there.
	Own     bool
	Role    Role // empty for none
	Started time.Time
	// Watching says that a page of it is open, and Pages which, as far as they are known. Seen is
	// when it was last used, and Ends when it ends by itself.
	Watching      bool
	Pages         []Request
	Seen, Ends    time.Time
	Address, From string // where it was used from last, and with what
}

// Actor is who did something: a person by the subject, or a code.
type Actor struct{ Subject, Name string }

// Act is something that was done. Actor, Action and Reason are codes of the catalogue, but for the
// Actor that is a person's subject.
type Act struct {
	ID                 int64
	At                 time.Time
	Actor, Name        string
	Action, Reason     string
	Object, ObjectName string
	Before, After      string
	Count              int
	Address            string
}

// Actions are the codes that are asked for by the parameter what.
var Actions = []string{"login", "login_refused", "logout", "role_changed", "session_ended", "audit_exported", "figures_exported", "alert_seen", "alert_unseen", "walk_in", SettingChanged,
	"screen_paired", "screen_refused", "screen_added", "screen_linked", "screen_revoked", "screen_copied",
	"screen_changed", "screen_off", "screen_on", "screen_dark", "screen_light", "screen_told", "screen_message", "message_withdrawn",
	"programme_saved", "programme_deleted", "scans_retired", "contacts_retired", "forgot_contact", "forgot_everything", "records_exported"}

// SessionsQuery is what the page's address asks for.
type SessionsQuery struct {
	Own           string // the session of who looks at the page
	Actor, Action string // empty for all
	Days          int    // 0 for all
	Skip, Most    int    // of the newest, and then how many
}

// sessionsDays are the values of the parameter days.
var sessionsDays = []string{"7", "1", "30", "all"}

// actRows is how many acts the page shows at once.
const actRows = 50

// Sessions is what a request for the page of sessions asks for.
func (q Request) Sessions() SessionsQuery { return sessionsQuery(q.Params.values()) }

func sessionsQuery(params url.Values) SessionsQuery {
	days, _ := strconv.Atoi(params.Get("days")) // the table of pages reads them
	skip, _ := strconv.Atoi(params.Get("skip"))
	return SessionsQuery{Own: params.Get("own"), Actor: params.Get("who"), Action: params.Get("what"), Days: days, Skip: skip, Most: actRows}
}

// sessionsPage is who is signed in, and below it what was done.
type sessionsPage struct {
	Filter actFilter
}

// signedIn is who is signed in.
type signedIn struct {
	Lede sentence
	Rows []sessionRow
}

// sessionRow is one session. Name, Role and All are given in the first of a person.
type sessionRow struct {
	ID, Session string
	Name        string
	You         bool
	Role        string
	Since       string
	Watching    bool
	Seen        string
	Address     string
	With        string
	Views       sentence
	All         string // leads to AllPath, which asks whether all of the person's are to be ended; empty where there is one
	AllPath     string
	End         string // ends this one; empty for one's own
	Label       string // the same for whoever does not see the row
}

// actFilter is the form that says which acts are shown.
type actFilter struct {
	Path            string
	Who, What, Days []option
	Export          string
}

// acts are what was done.
type acts struct {
	Rows           []actRow
	Empty          string
	Earlier, Later link
	Retention      string
}

// actRow is one act.
type actRow struct {
	ID      string
	Day     string // where it is another than in the row above
	Time    string
	Who     sentence
	What    string
	Refused bool
	Which   sentence
	Address string
}

// sessions builds the page of sessions.
func (b *builder) sessions() (view, error) {
	s := b.source.(Sessions)
	p := sessionsPage{b.actFilter(s)}
	return view{title: b.Text("sessions.title"), body: p.body, fragments: []fragment{{"people", b.signedIn(s).html()}, {"acts", b.acts(s).html()}}}, nil
}

func (b *builder) signedIn(s Sessions) signedIn {
	p := signedIn{}
	sessions, watching := 0, 0
	for _, person := range s.People {
		sessions += len(person.Sessions)
		if slices.ContainsFunc(person.Sessions, func(s Session) bool { return s.Watching }) {
			watching++
		}
		others := 0
		for _, one := range person.Sessions {
			if !one.Own {
				others++
			}
		}
		for i, one := range person.Sessions {
			r := b.sessionRow(s.Now, person, one)
			if i > 0 {
				r.Name, r.You = "", false
			} else if others > 1 {
				r.All, r.AllPath = b.Text("sessions.end_all", words.Int("n", others)), "/sessions/end?person="+url.QueryEscape(person.Subject)
			}
			p.Rows = append(p.Rows, r)
		}
	}
	p.Lede = b.Say("sessions.lede", words.Int("people", len(s.People)), words.Int("sessions", sessions), words.Int("watching", watching))
	return p
}

func (b *builder) sessionRow(now time.Time, p Person, s Session) sessionRow {
	r := sessionRow{ID: "session-" + s.ID, Session: s.ID, Name: cmp.Or(p.Name, b.subject(p.Subject)), Role: b.Text("sessions.no_role"),
		Since: b.moment(now, s.Started), Watching: s.Watching, Seen: b.Countdown(now, s.Seen), Address: s.Address, With: s.From}
	if s.Role != "" {
		r.Role = b.Code("role", string(s.Role))
	}
	if s.Watching {
		r.Seen = b.Text("time.now")
	}
	r.You = slices.ContainsFunc(p.Sessions, func(s Session) bool { return s.Own })
	switch {
	case s.Watching:
		var looks []sentence
		for _, page := range s.Pages {
			if look := b.pageWords(page); !slices.ContainsFunc(looks, func(l sentence) bool { return l.String() == look.String() }) {
				looks = append(looks, look)
			}
		}
		switch {
		case len(looks) == 0 && s.Own:
			looks = append(looks, b.Say("sessions.this_page"))
		case len(looks) == 0: // of a process of another version
			looks = append(looks, b.Say("sessions.other_page"))
		}
		r.Views = words.Join("; ", looks...)
	default:
		r.Views = b.Say("sessions.no_page", words.Text("when", b.Countdown(now, s.Ends)))
	}
	if !s.Own {
		r.End, r.Label = b.Text("sessions.end"), b.Text("sessions.end_of", words.Name("name", r.Name), words.Text("since", r.Since))
	}
	return r
}

// looksAt is what a page shows, in a few words.
func (b *builder) pageWords(q Request) sentence {
	name := words.Text("page", b.Code("nav", q.Page))
	switch params := q.Params.values(); {
	case params.Has("event"):
		if e := b.Event(params.Get("event")); e != nil {
			return b.Say("sessions.event", words.Name("title", b.title(e)))
		}
		return b.Say("sessions.other_page")
	case params.Has("hall"):
		return b.Say("sessions.page_of", name, words.Name("hall", params.Get("hall")))
	}
	return b.Say("sessions.page", name)
}

// subject is who it is to the sign-in service, without the service.
func (b *builder) subject(owned string) string {
	_, subject, _ := strings.Cut(owned, " ")
	return subject
}

// moment is a day and a time of day, the day only where it is not that of now.
func (b *builder) moment(now, t time.Time) string {
	if day := b.dateOf(t); day != b.dateOf(now) {
		return b.Text("sessions.on_day", words.Text("day", b.DayShort(day, b.dateOf(now))), words.Text("time", b.Clock(t, b.zone)))
	}
	return b.Text("sessions.today", words.Text("time", b.Clock(t, b.zone)))
}

func (b *builder) dateOf(t time.Time) string { return t.In(b.zone).Format(time.DateOnly) }

// actor is who did something, in words.
func (b *builder) actor(a Actor) sentence {
	if !strings.Contains(a.Subject, " ") {
		return sentence{{Text: b.Code("actor", a.Subject)}}
	}
	return words.NameAlone(cmp.Or(a.Name, b.subject(a.Subject)))
}

func (b *builder) actFilter(s Sessions) actFilter {
	f := actFilter{Path: sessionsPath, Export: sessionsPath + "/audit.csv"}
	asked := b.Params.values()
	asked.Del("own")
	asked.Del("skip")
	f.Export += "?" + asked.Encode()
	f.Who = []option{{Text: b.Text("acts.anybody")}}
	actors := s.Actors
	if who := b.params.Get("who"); who != "" && !slices.ContainsFunc(actors, func(a Actor) bool { return a.Subject == who }) {
		actors = append(slices.Clip(actors), Actor{Subject: who})
	}
	for _, a := range actors {
		if len(a.Subject) <= nameBytes { // longer ones cannot be asked for
			f.Who = append(f.Who, option{a.Subject, words.Bare(b.actor(a).String()), true, a.Subject == b.params.Get("who")})
		}
	}
	f.What = []option{{Text: b.Text("acts.everything")}}
	for _, code := range Actions {
		f.What = append(f.What, option{Value: code, Text: b.Code("act", code), Chosen: code == b.params.Get("what")})
	}
	for _, days := range sessionsDays {
		text := b.Text("acts.all_days")
		if n, err := strconv.Atoi(days); err == nil {
			text = b.Text("acts.days", words.Int("n", n))
		}
		f.Days = append(f.Days, option{Value: days, Text: text, Chosen: days == b.params.Get("days")})
	}
	return f
}

// acts builds the list of what was done.
func (b *builder) acts(s Sessions) acts {
	a := acts{}
	today, last := b.dateOf(s.Now), ""
	for _, act := range s.Acts {
		r := actRow{ID: "act-" + strconv.FormatInt(act.ID, 10), Time: b.ClockSeconds(act.At, b.zone), Who: b.actor(Actor{act.Actor, act.Name}),
			What: b.Code("act", act.Action), Refused: act.Action == "login_refused", Which: b.actDetails(act), Address: cmp.Or(act.Address, dash)}
		if act.Count > 1 {
			r.What = b.Text("acts.times", words.Text("what", r.What), words.Int("n", act.Count))
		}
		if day := b.dateOf(act.At); day != last {
			last, r.Day = day, b.DayShort(day, today)
			if day == today {
				r.Day = b.Text("date.today")
			}
		}
		a.Rows = append(a.Rows, r)
	}
	if len(a.Rows) == 0 {
		a.Empty = b.Text("acts.none")
	}
	skip, _ := strconv.Atoi(b.params.Get("skip"))
	if skip > 0 {
		a.Later = link{Href: b.actsHref(max(0, skip-actRows)), Text: b.Text("acts.later", words.Int("n", min(skip, actRows)))}
	}
	if rest := s.Total - skip - len(s.Acts); rest > 0 {
		a.Earlier = link{Href: b.actsHref(skip + actRows), Text: b.Text("acts.earlier", words.Int("n", rest))}
	}
	a.Retention = b.Text("acts.kept_always")
	if s.Retention > 0 {
		a.Retention = b.Text("acts.kept", words.Int("days", int(s.Retention/(24*time.Hour))))
	}
	return a
}

// actsHref is the address of this list from another act on.
func (b *builder) actsHref(skip int) string {
	values := b.Params.values()
	values.Del("own")
	values.Del("skip")
	if skip > 0 {
		values.Set("skip", strconv.Itoa(skip))
	}
	return sessionsPath + "?" + values.Encode()
}

// which is what an act was done to, and why.
func (b *builder) actDetails(a Act) sentence {
	was, is := words.Text("before", b.Code("role", a.Before)), words.Text("after", b.Code("role", a.After))
	name := words.Name("name", cmp.Or(a.ObjectName, dash))
	switch a.Action {
	case "login":
		return b.Say("acts.as", is)
	case "logout", "audit_exported":
		return nil
	case "login_refused":
		return sentence{{Text: b.Code("refusal", a.Reason)}}
	case "role_changed":
		return b.Say("acts.role", name, was, is)
	case "session_ended":
		of := b.Say("acts.of", name)
		if a.Before != "" {
			of = b.Say("acts.of_role", name, was)
		}
		var why sentence
		if a.Reason != "" && a.Reason != "admin" { // who did it says that
			why = sentence{{Text: b.Code("ending", a.Reason)}}
		}
		return words.Join(" · ", of, why)
	case "alert_seen", "alert_unseen":
		return words.Join(" · ", words.NameAlone(a.ObjectName), sentence{{Text: b.Code("alert_code", a.After)}})
	case SettingChanged:
		set := record.SettingName(a.Reason)
		was, is := words.Text("before", b.settingValue(set, a.Object, a.Before)), words.Text("after", b.settingValue(set, a.Object, a.After))
		return words.Join(" · ", sentence{{Text: b.Code("setting", a.Reason)}}, b.settingOf(a.Object, a.ObjectName), b.Say("acts.became", was, is))
	case "screen_paired", "screen_added":
		return words.Join(" · ", words.NameAlone(a.ObjectName), b.mayShow(a.After))
	case "screen_changed":
		return words.Join(" · ", slices.Concat([]sentence{words.NameAlone(a.ObjectName)}, b.settingsChanged(a))...)
	case "scans_retired", "contacts_retired":
		return b.retiredWhich(a)
	case "screen_message", "message_withdrawn":
		return b.messageWhich(a)
	case "screen_told":
		return words.Join(" · ", words.NameAlone(a.ObjectName), sentence{{Text: b.Code("screen_do", a.After)}})
	}
	return words.Join(" · ", words.NameAlone(a.ObjectName), words.NameAlone(a.After))
}

// MessageSent is what an act says of a message to screens: until when it is said, on which screens, by name
// (all without any), and whether it is urgent. messageWhich reads it.
func MessageSent(until time.Time, screens []string, urgent bool) string {
	values := url.Values{"until": {until.UTC().Format(time.RFC3339)}, "screen": screens}
	if urgent {
		values.Set("urgent", "yes")
	}
	return values.Encode()
}

// messageWhich is what a message said, where and until when; acts of before that was recorded have its text
// alone.
func (b *builder) messageWhich(a Act) sentence {
	text := words.NameAlone(a.ObjectName)
	values, err := url.ParseQuery(a.After)
	until, errUntil := time.Parse(time.RFC3339, values.Get("until"))
	if err != nil || errUntil != nil {
		return text
	}
	where := b.Say("screens.on_all")
	if names := values["screen"]; len(names) > 0 {
		where = b.Say("screens.on_some", words.Part("names", b.Names(names)))
	}
	var urgent sentence
	if values.Has("urgent") {
		urgent = b.Say("acts.urgent")
	}
	return words.Join(" · ", text, urgent, where, b.Say("acts.until", words.Text("time", b.Clock(until, b.zone))))
}

// retiredWhich is how many were retired, and by which rule.
func (b *builder) retiredWhich(a Act) sentence {
	n, _ := strconv.Atoi(a.After)
	day := words.Text("day", b.Day(a.Before, string(b.today)))
	if a.Action == "scans_retired" {
		return b.Say("acts.scans_retired", words.Int("n", n), day)
	}
	return b.Say("acts.contacts_retired", words.Int("n", n), day)
}

// screenSettings are what may be changed of a screen, in the order of its form.
var screenSettings = []string{"name", "place", "programme", "language", "access", "dark", "dim", "margin"}

// settingsChanged are the settings of a screen that differ, before and after.
func (b *builder) settingsChanged(a Act) (all []sentence) {
	before, _ := url.ParseQuery(a.Before) // what is cut off at the end is not said
	after, _ := url.ParseQuery(a.After)
	value := func(name, v string) sentence {
		switch {
		case name == "access":
			return b.mayShow(v)
		case name == "language":
			return sentence{{Text: b.Code("language", v)}}
		case name == "programme" && v == "":
			return b.Say("screens.automatic")
		case v == "":
			return sentence{{Text: dash}}
		}
		return words.NameAlone(v)
	}
	for _, name := range screenSettings {
		if before.Has(name) && after.Has(name) {
			all = append(all, words.Join(": ", sentence{{Text: b.Code("screen_setting", name)}},
				b.Say("acts.became", words.Part("before", value(name, before.Get(name))), words.Part("after", value(name, after.Get(name))))))
		}
	}
	return all
}

// mayShow is what a screen may show, by the name of its access.
func (b *builder) mayShow(name string) sentence {
	a, err := ParseAccess(name)
	if err != nil {
		return words.NameAlone(name)
	}
	return MayShow(b.Words, a)
}

// MayShow is what a screen of an access may show, in words.
func MayShow(w *words.Words, a Access) sentence {
	what := w.Say("pair.office")
	if a.Public {
		what = w.Say("pair.public")
	}
	all := []sentence{what}
	switch a.Money {
	case TodaysMoney:
		all = append(all, w.Say("acts.money_today"))
	case AllMoney:
		all = append(all, w.Say("acts.money_all"))
	}
	for _, hall := range a.Halls() {
		all = append(all, words.NameAlone(hall))
	}
	return words.Join(", ", all...)
}

// admins is for pages of those who look after the house.
func admins(a Access, _ Params) bool { return a.Admin && a.wholeHouse() }
