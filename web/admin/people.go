package admin

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/words"
)

// Actions are the values of the parameter what: the actions of acts, in the order of the menu.
var Actions = []string{"login", "login_refused", "logout", "role_changed", "role_given", "role_taken", "key_made", "key_revoked", "service_changed", "sign_in_changed", "letters_chosen", "letters_stopped", "session_ended", "audit_exported", "figures_exported", "alert_seen", "alert_unseen", "walk_in", SettingChanged,
	"screen_paired", "screen_refused", "screen_added", "screen_linked", "screen_revoked", "screen_copied",
	"screen_changed", "screen_off", "screen_on", "screen_dark", "screen_light", "screen_told", "screen_message", "message_withdrawn",
	"programme_saved", "programme_deleted", "scans_retired", "contacts_retired", "forgot_contact", "forgot_everything", "records_exported", "backed_up", "restored"}

// sessionsDays are the values of the parameter days, the default first.
var sessionsDays = []string{"7", "1", "30", "all"}

// actsPerPage is the most acts that the page shows at once.
const actsPerPage = 50

// SessionsQueryOf returns the query of a request for the sessions page.
func SessionsQueryOf(q web.Request) web.SessionsQuery { return sessionsQuery(q.Params.Values()) }

func sessionsQuery(params url.Values) web.SessionsQuery {
	days, _ := strconv.Atoi(params.Get("days")) // the table of pages checks it; all is 0
	skip, _ := strconv.Atoi(params.Get("skip"))
	return web.SessionsQuery{Own: params.Get("own"), Actor: params.Get("who"), Action: params.Get("what"), Days: days, Skip: skip, Limit: actsPerPage}
}

// sessionsPage is the list of people signed in, followed by the audit log.
type sessionsPage struct {
	Filter actFilter
	Roles  []web.Choice
	Sees   []roleSees
}

type peopleList struct {
	Figs web.Figs
	Rows []sessionRow
}

// sessionRow is a person with the session that says most of them, or one session of several.
type sessionRow struct {
	More        []sessionRow // all sessions of a person who has several
	Several     string       // the label of More
	ID, Session string
	Name, Mail  string
	You         bool
	Role        string
	Because     words.Sentence
	Since       string
	Watching    bool
	Seen        string
	Address     string
	Agent       string
	Views       words.Sentence
	EndAll      string // text of the link to EndAllPath; empty unless the person has several besides the reader's own
	EndAllPath  string
	End         string // text of the button that ends the session; empty for the reader's own
	EndLabel    string // the title of the button; it names the session
}

// actFilter is the form that filters the acts, with a link to their export.
type actFilter struct {
	Path            string
	Who, What, Days []web.Choice
	Export          string
}

// actList is the audit log.
type actList struct {
	Rows           []actRow
	Empty          string
	Earlier, Later web.Link
	Retention      string
	Whole, Broken  string
}

type actRow struct {
	ID      string
	Day     string // empty if it is the day of the row above
	Time    string
	Who     words.Sentence
	What    string
	Refused bool
	Details words.Sentence
	Address string
}

// sessions builds the page of sessions.
func (b builder) sessions() (web.View, error) {
	s := b.Source.(web.Sessions)
	p := sessionsPage{b.actFilter(s), b.roleChoices(), b.rolesSee()}
	return web.View{Title: b.Text("sessions.title"), Body: p.body, Fragments: []web.Fragment{{ID: "people", HTML: b.peopleList(s).html()}, {ID: "roles", HTML: b.ruleList(s).html()}, {ID: "keys", HTML: b.keyList(s).html()}, {ID: "acts", HTML: b.actList(s).html()}}}, nil
}

func (b builder) peopleList(s web.Sessions) peopleList {
	p := peopleList{}
	sessions, watching := 0, 0
	for _, person := range s.People {
		sessions += len(person.Sessions)
		if slices.ContainsFunc(person.Sessions, func(s web.Session) bool { return s.Watching }) {
			watching++
		}
		otherSessions := 0
		for _, session := range person.Sessions {
			if !session.Own {
				otherSessions++
			}
		}
		if len(person.Sessions) == 0 {
			continue
		}
		shown := telling(person.Sessions)
		r := b.sessionRow(s.Now, person, shown)
		r.ID = "person-" + url.QueryEscape(person.Subject) // whichever session tells, what is unfolded stays so
		r.Mail, r.Because = person.Address, b.because(shown, s.Rules)
		if len(person.Sessions) > 1 {
			for _, session := range person.Sessions {
				r.More = append(r.More, b.oneOfSeveral(s.Now, person, session, r.Role))
			}
			r.Several, r.End = b.Text("sessions.several", words.Int("n", len(r.More))), ""
		}
		if otherSessions > 1 {
			r.EndAll, r.EndAllPath = b.Text("sessions.end_all", words.Int("n", otherSessions)), "/sessions/end?person="+url.QueryEscape(person.Subject)
		}
		p.Rows = append(p.Rows, r)
	}
	p.Rows = append(p.Rows, b.formerRows(s)...)
	now := b.Say("sessions.lede", words.Int("sessions", sessions), words.Int("watching", watching))
	p.Figs = slices.Concat(b.mayFig(s.Rules), web.Figs{{Term: b.Text("sessions.now"), Main: web.Plain(b.Count(len(s.People))), Note: now}, b.turnedAwayFig(s)}, b.signsInFig(s.SignsIn))
	return p
}

// oneOfSeveral returns a session of several, without the role that all have.
func (b builder) oneOfSeveral(now time.Time, p web.Person, s web.Session, role string) sessionRow {
	r := b.sessionRow(now, p, s)
	if r.Role == role {
		r.Role = ""
	}
	r.Since = b.Text("sessions.began", words.Text("when", r.Since))
	if !s.Watching {
		r.Seen = b.Text("sessions.last_seen", words.Text("when", r.Seen))
	}
	return r
}

// facts are what is known of one session of several.
func (r *sessionRow) facts() words.Sentence {
	var all []words.Sentence
	for _, text := range []string{r.Role, r.Since, r.Seen, r.Address} {
		if text != "" {
			all = append(all, words.Sentence{{Text: text}})
		}
	}
	return words.Join(" · ", append(all, words.NameAlone(r.Agent), r.Views)...)
}

// formerRows returns a row for each person who has signed in and is not signed in now, with when they did last, the latest first.
func (b builder) formerRows(s web.Sessions) (rows []sessionRow) {
	listed := map[string]bool{}
	for _, p := range s.People {
		listed[p.Subject] = true
	}
	for _, a := range s.Logins {
		if listed[a.Actor] {
			continue
		}
		listed[a.Actor] = true
		rows = append(rows, sessionRow{ID: "login-" + strconv.FormatInt(a.ID, 10), Name: cmp.Or(a.Name, b.subject(a.Actor)), Role: b.Code("role", a.After),
			Since: b.dateTime(s.Now, a.At), Seen: b.Text("sessions.not_now"), Address: a.Address})
	}
	return rows
}

func (b builder) sessionRow(now time.Time, p web.Person, s web.Session) sessionRow {
	r := sessionRow{ID: "session-" + s.ID, Session: s.ID, Name: cmp.Or(p.Name, b.subject(p.Subject)), Role: b.Text("sessions.no_role"),
		Since: b.dateTime(now, s.Started), Watching: s.Watching, Seen: b.Countdown(now, s.Seen), Address: s.Address, Agent: s.Agent}
	if s.Role != "" {
		r.Role = b.Code("role", string(s.Role))
	}
	if s.Watching {
		r.Seen = b.Text("time.now")
	}
	r.You = slices.ContainsFunc(p.Sessions, func(s web.Session) bool { return s.Own })
	switch {
	case s.Watching:
		var views []words.Sentence
		for _, page := range s.Pages {
			if view := b.pageWords(page); !slices.ContainsFunc(views, func(l words.Sentence) bool { return l.String() == view.String() }) {
				views = append(views, view)
			}
		}
		switch {
		case len(views) == 0 && s.Own:
			views = append(views, b.Say("sessions.this_page"))
		case len(views) == 0: // reported by another version of the program
			views = append(views, b.Say("sessions.other_page"))
		}
		r.Views = words.Join("; ", views...)
	default:
		r.Views = b.Say("sessions.no_page", words.Text("when", b.Countdown(now, s.Ends)))
	}
	if !s.Own {
		r.End, r.EndLabel = b.Text("sessions.end"), b.Text("sessions.end_of", words.Name("name", r.Name), words.Text("since", r.Since))
	}
	return r
}

// pageWords describes the page of a request in a few words.
func (b builder) pageWords(q web.Request) words.Sentence {
	name := words.Text("page", b.Code("nav", q.Page))
	switch params := q.Params.Values(); {
	case params.Has("event"):
		if e := b.Event(params.Get("event")); e != nil {
			return b.Say("sessions.event", words.Name("title", b.TitleOf(e)))
		}
		return b.Say("sessions.other_page")
	case params.Has("hall"):
		return b.Say("sessions.page_of", name, words.Name("hall", params.Get("hall")))
	}
	return b.Say("sessions.page", name)
}

// subject returns the part of an id after the sign-in service; see web.Actor.
func (b builder) subject(id string) string {
	_, subject, _ := strings.Cut(id, " ")
	return subject
}

// dateTime returns the time of day of t, with the day if it is not the day of now.
func (b builder) dateTime(now, t time.Time) string {
	if day := b.DateOf(t); day != b.DateOf(now) {
		return b.Text("sessions.on_day", words.Text("day", b.DayShort(day, b.DateOf(now))), words.Text("time", b.Clock(t, b.Zone)))
	}
	return b.Text("sessions.today", words.Text("time", b.Clock(t, b.Zone)))
}

// actor returns the name of an actor.
func (b builder) actor(a web.Actor) words.Sentence {
	if !strings.Contains(a.Subject, " ") {
		return words.Sentence{{Text: b.Code("actor", a.Subject)}}
	}
	return words.NameAlone(cmp.Or(a.Name, b.subject(a.Subject)))
}

func (b builder) actFilter(s web.Sessions) actFilter {
	f := actFilter{Path: web.SessionsPath, Export: web.SessionsPath + "/audit.csv"}
	exported := b.Params.Values()
	exported.Del("own")
	exported.Del("skip")
	f.Export += "?" + exported.Encode()
	f.Who = []web.Choice{{Name: b.Text("acts.anybody")}}
	actors := s.Actors
	if who := b.Values.Get("who"); who != "" && !slices.ContainsFunc(actors, func(a web.Actor) bool { return a.Subject == who }) {
		actors = append(slices.Clip(actors), web.Actor{Subject: who})
	}
	for _, a := range actors {
		if len(a.Subject) <= query.NameBytes { // the parameter who is no longer than that
			f.Who = append(f.Who, web.Choice{ID: a.Subject, Name: words.Bare(b.actor(a).String()), Chosen: a.Subject == b.Values.Get("who")})
		}
	}
	f.What = []web.Choice{{Name: b.Text("acts.everything")}}
	for _, code := range Actions {
		f.What = append(f.What, web.Choice{ID: code, Name: b.Code("act", code), Chosen: code == b.Values.Get("what")})
	}
	for _, days := range sessionsDays {
		text := b.Text("acts.all_days")
		if n, err := strconv.Atoi(days); err == nil {
			text = b.Text("acts.days", words.Int("n", n))
		}
		f.Days = append(f.Days, web.Choice{ID: days, Name: text, Chosen: days == b.Values.Get("days")})
	}
	return f
}

func (b builder) actList(s web.Sessions) actList {
	a := actList{}
	today, last := b.DateOf(s.Now), ""
	for _, act := range s.Acts {
		r := actRow{ID: "act-" + strconv.FormatInt(act.ID, 10), Time: b.ClockSeconds(act.At, b.Zone), Who: b.actor(web.Actor{Subject: act.Actor, Name: act.Name}),
			What: b.Code("act", act.Action), Refused: act.Action == "login_refused", Details: b.actDetails(act), Address: cmp.Or(act.Address, words.Dash)}
		if act.Count > 1 {
			r.What = b.Text("acts.times", words.Text("what", r.What), words.Int("n", act.Count))
		}
		if day := b.DateOf(act.At); day != last {
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
	skip, _ := strconv.Atoi(b.Values.Get("skip"))
	if skip > 0 {
		a.Later = web.Link{Href: b.actsHref(max(0, skip-actsPerPage)), Text: b.Text("acts.later", words.Int("n", min(skip, actsPerPage)))}
	}
	if rest := s.Total - skip - len(s.Acts); rest > 0 {
		a.Earlier = web.Link{Href: b.actsHref(skip + actsPerPage), Text: b.Text("acts.earlier", words.Int("n", rest))}
	}
	a.Retention = b.Text("acts.kept_always")
	if s.Retention > 0 {
		a.Retention = b.Text("acts.kept", words.Int("days", int(s.Retention/(24*time.Hour))))
	}
	switch c := s.Chain; {
	case c == nil:
	case c.Broken && c.BrokenAt.IsZero():
		a.Broken = b.Text("acts.broken_end")
	case c.Broken:
		a.Broken = b.Text("acts.broken", words.Text("day", b.Day(b.DateOf(c.BrokenAt), today)), words.Text("time", b.ClockSeconds(c.BrokenAt, b.Zone)))
	case c.Acts > 0:
		a.Whole = b.Text("acts.whole", words.Int("n", c.Acts), words.Text("day", b.Day(b.DateOf(c.Since), today)))
	}
	return a
}

// actsHref returns the address of the list that begins after skip acts.
func (b builder) actsHref(skip int) string {
	values := b.Params.Values()
	values.Del("own")
	values.Del("skip")
	if skip > 0 {
		values.Set("skip", strconv.Itoa(skip))
	}
	return web.SessionsPath + "?" + values.Encode()
}

// actDetails returns the object of an act, and what was changed or why.
func (b builder) actDetails(a web.Act) words.Sentence {
	before, after := words.Text("before", b.Code("role", a.Before)), words.Text("after", b.Code("role", a.After))
	name := words.Name("name", cmp.Or(a.ObjectName, words.Dash))
	switch a.Action {
	case "login":
		return b.Say("acts.as", after)
	case "logout", "audit_exported":
		return nil
	case "login_refused":
		return words.Sentence{{Text: b.Code("refusal", a.Reason)}}
	case "role_given":
		if a.Before == "" {
			return words.Join(" · ", words.NameAlone(a.ObjectName), b.Say("acts.as", after))
		}
		return b.Say("acts.role", name, before, after)
	case "role_taken":
		return b.Say("acts.of_role", name, before)
	case "role_changed":
		return b.Say("acts.role", name, before, after)
	case "key_made":
		return words.Join(" · ", words.NameAlone(a.ObjectName), b.Say("acts.as", after))
	case "key_revoked":
		return b.Say("acts.of_role", name, before)
	case "service_changed", "sign_in_changed":
		return b.Say("acts.became", words.Text("before", cmp.Or(a.Before, words.Dash)), words.Text("after", cmp.Or(a.After, words.Dash)))
	case "letters_chosen", "letters_stopped":
		return words.NameAlone(a.ObjectName)
	case "session_ended":
		of := b.Say("acts.of", name)
		if a.Before != "" {
			of = b.Say("acts.of_role", name, before)
		}
		var why words.Sentence
		if a.Reason != "" && a.Reason != "admin" { // the actor shows it
			why = words.Sentence{{Text: b.Code("ending", a.Reason)}}
		}
		return words.Join(" · ", of, why)
	case "alert_seen", "alert_unseen":
		return words.Join(" · ", words.NameAlone(a.ObjectName), words.Sentence{{Text: b.Code("alert_code", a.After)}})
	case SettingChanged:
		setting := record.SettingName(a.Reason)
		before, after := words.Text("before", b.settingValue(setting, a.Object, a.Before)), words.Text("after", b.settingValue(setting, a.Object, a.After))
		return words.Join(" · ", words.Sentence{{Text: b.Code("setting", a.Reason)}}, b.settingSubject(a.Object, a.ObjectName), b.Say("acts.became", before, after))
	case "screen_paired", "screen_added":
		return words.Join(" · ", words.NameAlone(a.ObjectName), b.accessWords(a.After))
	case "screen_changed":
		return words.Join(" · ", slices.Concat([]words.Sentence{words.NameAlone(a.ObjectName)}, b.changedSettings(a))...)
	case "scans_retired", "contacts_retired":
		return b.retiredDetails(a)
	case "screen_message", "message_withdrawn":
		return b.messageDetails(a)
	case "screen_told":
		return words.Join(" · ", words.NameAlone(a.ObjectName), words.Sentence{{Text: b.Code("screen_do", a.After)}})
	}
	return words.Join(" · ", words.NameAlone(a.ObjectName), words.NameAlone(a.After))
}

// EncodeMessage encodes a message to screens for Act.After: its end, the names of its screens (none means all)
// and whether it is urgent. messageDetails decodes it.
func EncodeMessage(until time.Time, screens []string, urgent bool) string {
	values := url.Values{"until": {until.UTC().Format(time.RFC3339)}, "screen": screens}
	if urgent {
		values.Set("urgent", "yes")
	}
	return values.Encode()
}

// messageDetails returns the text of a message, its screens and its end. Acts from before EncodeMessage have
// only the text.
func (b builder) messageDetails(a web.Act) words.Sentence {
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
	var urgent words.Sentence
	if values.Has("urgent") {
		urgent = b.Say("acts.urgent")
	}
	return words.Join(" · ", text, urgent, where, b.Say("acts.until", words.Text("time", b.Clock(until, b.Zone))))
}

// retiredDetails returns the number of performances or contacts whose records were retired, and the day of the
// rule.
func (b builder) retiredDetails(a web.Act) words.Sentence {
	n, _ := strconv.Atoi(a.After)
	day := words.Text("day", b.Day(a.Before, string(b.Today)))
	if a.Action == "scans_retired" {
		return b.Say("acts.scans_retired", words.Int("n", n), day)
	}
	return b.Say("acts.contacts_retired", words.Int("n", n), day)
}

// screenSettingNames are the settings of a screen in an act, in the order of the form.
var screenSettingNames = []string{"name", "place", "programme", "language", "access", "dark", "dim", "margin"}

// changedSettings lists the changed settings of a screen, before and after. The act has no others.
func (b builder) changedSettings(a web.Act) (all []words.Sentence) {
	before, _ := url.ParseQuery(a.Before) // a pair that cannot be decoded is left out
	after, _ := url.ParseQuery(a.After)
	value := func(name, v string) words.Sentence {
		switch {
		case name == "access":
			return b.accessWords(v)
		case name == "language":
			return words.Sentence{{Text: b.Code("language", v)}}
		case name == "programme" && v == "":
			return b.Say("screens.automatic")
		case v == "":
			return words.Sentence{{Text: words.Dash}}
		}
		return words.NameAlone(v)
	}
	for _, name := range screenSettingNames {
		if before.Has(name) && after.Has(name) {
			all = append(all, words.Join(": ", words.Sentence{{Text: b.Code("screen_setting", name)}},
				b.Say("acts.became", words.Part("before", value(name, before.Get(name))), words.Part("after", value(name, after.Get(name))))))
		}
	}
	return all
}

// accessWords describes what a screen may show, given Access.String. It returns the name itself if it cannot
// be parsed.
func (b builder) accessWords(name string) words.Sentence {
	a, err := web.ParseAccess(name)
	if err != nil {
		return words.NameAlone(name)
	}
	return AccessWords(b.Words, a)
}

// AccessWords describes what a screen may show.
func AccessWords(w *words.Words, a web.Access) words.Sentence {
	what := w.Say("pair.office")
	if a.Public {
		what = w.Say("pair.public")
	}
	all := []words.Sentence{what}
	switch a.Money {
	case web.TodaysMoney:
		all = append(all, w.Say("acts.money_today"))
	case web.AllMoney:
		all = append(all, w.Say("acts.money_all"))
	}
	for _, hall := range a.Halls() {
		all = append(all, words.NameAlone(hall))
	}
	return words.Join(", ", all...)
}
