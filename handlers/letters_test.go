package handlers_test

import (
	"errors"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/notify"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/handlers"
	"housecount/web"
	"housecount/web/night"
)

// lettersHouse is a house with a performance last night, for which 2 were booked and 1 came, one today, and a clock.
func lettersHouse(t *testing.T) (h *house, clock func(string)) {
	at := time.Date(2026, 11, 22, 7, 40, 0, 0, time.UTC)
	h = newHouse(t, func(o *handlers.Options) {
		o.Now, o.At = func() time.Time { return at }, func(t time.Time) time.Time { return t }
	})
	evening := time.Date(2026, 11, 21, 20, 15, 0, 0, time.UTC)
	h.holds(figures.Calendar{Zone: time.UTC},
		&record.Event{ID: "e", Title: "Tosca", Hall: "Grote Zaal", StartsAt: evening, EndsAt: evening.Add(2 * time.Hour), DoorsAt: evening.Add(-time.Hour), Capacity: new(int(100))},
		&record.Event{ID: "f", Title: "Fado", Hall: "Foyer", StartsAt: evening.Add(24 * time.Hour), EndsAt: evening.Add(26 * time.Hour), Capacity: new(int(50))},
		&record.Ticket{ID: "t", EventID: "e", Status: record.TicketValid, Price: &record.Money{Amount: 123456, Currency: "EUR"}, SoldAt: evening.Add(-time.Hour),
			Scans: []record.Scan{{At: evening.Add(-10 * time.Minute), Direction: record.Entry, Gate: "A"}}},
		&record.Ticket{ID: "u", EventID: "e", Status: record.TicketValid, Price: &record.Money{Amount: 100, Currency: "EUR"}, SoldAt: evening.Add(-time.Hour)},
	)
	return h, func(clock string) {
		var err error
		if at, err = time.Parse("2006-01-02 15:04", clock); err != nil {
			t.Fatal(err)
		}
	}
}

// holds shows the figures of records.
func (h *house) holds(c figures.Calendar, records ...record.Record) {
	l, revision := ledger.New(c), int64(0)
	for _, r := range records {
		revision++
		l.Apply(record.Version{Revision: revision, Head: true, Record: r})
	}
	s := l.Snapshot(figures.Position{Revision: revision}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
	read := func() *figures.Snapshot { return s }
	h.snapshot.Store(&read)
}

// signedIn signs somebody in with an address that the sign-in service has verified.
func (h *house) signedIn(t *testing.T, role web.Role, address string) *browser {
	t.Helper()
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "the " + string(role), "name": "Name of " + string(role), "roles": string(role)}
		if address != "" {
			p.who["email"], p.who["email_verified"] = address, true
		}
	})
	b := h.browser(t)
	if p := b.get("/login"); p.status != http.StatusOK {
		t.Fatalf("login as %s: status %d", role, p.status)
	}
	return b
}

func letters(names ...string) url.Values { return url.Values{"letter": names} }

// What is in a letter is what its reader may see, when it is written.
func TestLettersAreForTheirReaders(t *testing.T) {
	h, _ := lettersHouse(t)
	site := h.replica.Load()
	manager, door := h.signedIn(t, web.Manager, "mia@house.example"), h.signedIn(t, web.Door, "dirk@house.example")
	for _, b := range []*browser{manager, door} {
		p := b.enter(web.LettersPath, web.LettersPath, letters(night.Morning))
		if p = b.get(p.header.Get("Location")); p.status != http.StatusOK || !strings.Contains(p.body, "Saved.") || !strings.Contains(p.body, " checked") {
			t.Fatalf("chosen: %d %s", p.status, p.body)
		}
	}
	people, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(people) != 2 {
		t.Fatalf("%v (%v)", people, err)
	}
	write := func(i int) (notify.Text, error) {
		return site.WriteLetter(t.Context(), []store.Letter{{Person: people[i].Person, Name: night.Morning, About: "2026-11-22"}}, people[i])
	}
	for i, money := range []bool{false, true} {
		text, err := write(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{text.Plain, text.HTML} {
			for _, want := range []string{"Last night: 1 came", "Tosca", "Fado", "20:15", people[i].Token} {
				if !strings.Contains(form, want) {
					t.Errorf("%s: %q is not in %s", people[i].Address, want, form)
				}
			}
			if has := strings.Contains(form, "1,235.56"); has != money {
				t.Errorf("%s: takings are in the letter: %t, want %t\n%s", people[i].Address, has, money, form)
			}
		}
		if text.Subject != "De Waag: Last night: 1 came" || !strings.Contains(text.Stop, people[i].Token) {
			t.Errorf("subject %q, stop %q", text.Subject, text.Stop)
		}
	}

	// Neither a role of before nor an old sign-in gets a letter, and nothing is written while the figures are not known.
	h.ready.Store(false)
	if _, err := write(1); !errors.Is(err, notify.ErrNotYet) {
		t.Errorf("without figures: %v", err)
	}
	h.ready.Store(true)
	old := people[1]
	old.Seen = time.Now().Add(-61 * 24 * time.Hour)
	if _, err := site.WriteLetter(t.Context(), []store.Letter{{Name: night.Morning, About: "2026-11-22"}}, old); !errors.Is(err, notify.ErrVoid) {
		t.Errorf("after 61 days: %v", err)
	}
	if _, err := site.WriteLetter(t.Context(), []store.Letter{{Name: night.Morning, About: "2026-12-22"}}, people[1]); !errors.Is(err, notify.ErrVoid) {
		t.Errorf("about days without performances: %v", err)
	}
	h.idp.set(func(p *standIn) {
		p.who = map[string]any{"sub": "the manager", "name": "Mia", "roles": "door", "email": "mia@house.example", "email_verified": true}
	})
	if p := h.browser(t).get("/login"); p.status != http.StatusOK {
		t.Fatal(p.status)
	}
	if people, err = h.store.Letters().Subscribers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := write(1); err != nil || strings.Contains(text.Plain, "1,235.56") {
		t.Errorf("a manager who is at the door now gets %s (%v)", text.Plain, err)
	}
}

// Whom the sign-in service gives no role any more gets no letters, until they have one again.
func TestLettersEndWithTheRole(t *testing.T) {
	h, _ := lettersHouse(t)
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Morning))
	for _, c := range []struct {
		role   string
		status int
		err    error
	}{{"janitor", http.StatusForbidden, notify.ErrVoid}, {"door", http.StatusOK, nil}} {
		h.idp.set(func(p *standIn) {
			p.who = map[string]any{"sub": "the manager", "name": "Mia", "roles": c.role, "email": "mia@house.example", "email_verified": true}
		})
		if p := h.browser(t).get("/login"); p.status != c.status {
			t.Fatal(p.status)
		}
		h.writes(t, c.err)
	}
}

// writes checks with which error the morning's letter to the one person who gets it is written.
func (h *house) writes(t *testing.T, want error) {
	t.Helper()
	all, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("letters go to %v (%v)", all, err)
	}
	if _, err := h.replica.Load().WriteLetter(t.Context(), []store.Letter{{Person: all[0].Person, Name: night.Morning, About: "2026-11-22"}}, all[0]); !errors.Is(err, want) {
		t.Errorf("a letter to %s: %v, want %v", all[0].Address, err, want)
	}
}

// Whose session an administrator ends gets no letters, until they sign in again; administrators also stop somebody's letters.
func TestLettersEndWithTheSession(t *testing.T) {
	h, _ := lettersHouse(t)
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Morning))
	admin := h.signedIn(t, web.Admin, "ann@house.example")
	h.writes(t, nil)
	row := regexp.MustCompile(`(?s)Name of manager.*?name="session" value="([^"]+)"`).FindStringSubmatch(admin.get(web.SessionsPath).body)
	if row == nil {
		t.Fatal("the page of people does not offer to end the session")
	}
	if p := admin.enter(web.SessionsPath+"/end", web.SessionsPath, url.Values{"session": {row[1]}}); p.status != http.StatusSeeOther {
		t.Fatalf("ended: %d", p.status)
	}
	h.writes(t, notify.ErrVoid)
	h.signedIn(t, web.Manager, "mia@house.example")
	h.writes(t, nil)
	stop := regexp.MustCompile(`name="stop" value="([^"]+)" title="Stop the letters to mia@house.example"`).FindStringSubmatch(admin.get(web.LettersPath).body)
	if stop == nil {
		t.Fatal("the page of letters does not offer to stop them")
	}
	person := url.Values{"stop": {html.UnescapeString(stop[1])}}
	count := func() int {
		all, err := h.store.Letters().Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	for left, role := range slices.Backward([]web.Role{web.Admin, web.BoxOffice}) {
		if h.signedIn(t, role, "ann@house.example").enter(web.LettersPath, web.LettersPath, person); count() != left {
			t.Errorf("%s asked to stop the letters of somebody: %d get letters", role, count())
		}
	}
}

// Somebody without an address that the sign-in service has verified cannot choose, nor what is no letter.
func TestLettersNeedAnAddress(t *testing.T) {
	h, clock := lettersHouse(t)
	b := h.signedIn(t, web.Manager, "")
	if p := b.get(web.LettersPath); p.status != http.StatusOK || strings.Contains(p.body, "checkbox") || !strings.Contains(p.body, "confirmed no e-mail address") {
		t.Errorf("without an address: %d %s", p.status, p.body)
	}
	if p := b.enter(web.LettersPath, web.LettersPath, letters(night.Morning)); p.status != http.StatusBadRequest {
		t.Errorf("chosen without an address: %d", p.status)
	}
	b = h.signedIn(t, web.Manager, "mia@house.example")
	if p := b.enter(web.LettersPath, web.LettersPath, letters("news")); p.status != http.StatusBadRequest {
		t.Errorf("chosen what is no letter: %d", p.status)
	}
	if all, err := h.store.Letters().Subscribers(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%v (%v)", all, err)
	}
	if p := b.get(web.LettersPath + "/" + night.Morning); p.status != http.StatusOK || !strings.Contains(p.body, "Last night: 1 came") || !strings.Contains(p.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("looked at: %d %s", p.status, p.body)
	}
	on := func(id, title string, day int) *record.Event {
		return &record.Event{ID: id, Title: title, StartsAt: time.Date(2026, 11, day, 20, 15, 0, 0, time.UTC), Capacity: new(int(50))}
	}
	h.holds(figures.Calendar{Zone: time.UTC}, on("f", "Fado", 18), on("g", "Lulu", 25))
	for at, ahead := range map[string]string{"2026-11-16 07:40": "Mon 16 Nov to Sun 22 Nov, Fado", "2026-11-21 07:40": "Mon 16 Nov to Sun 22 Nov, Fado", "2026-11-22 07:40": "Mon 23 Nov to Sun 29 Nov, Lulu"} {
		clock(at)
		days, title, _ := strings.Cut(ahead, ", ")
		p := b.get(web.LettersPath + "/" + night.Week)
		if _, after, ok := strings.Cut(p.body, "The week ahead, "+days); p.status != http.StatusOK || !ok || !strings.Contains(after, title) {
			t.Errorf("looked at the week at %s: %d %s", at, p.status, p.body)
		}
	}
	if p := h.browser(t).get(web.LettersPath + "/" + night.Morning); strings.Contains(p.body, "Tosca") {
		t.Error("a stranger sees a letter")
	}
	if p := b.get(web.LettersPath + "/news"); p.status != http.StatusNotFound {
		t.Errorf("no letter: %d", p.status)
	}
}

// The link in a letter stops it without a login, once it is confirmed or at once from a mail program; only administrators
// see who gets what.
func TestLettersStop(t *testing.T) {
	h, _ := lettersHouse(t)
	mia := h.signedIn(t, web.Manager, "mia@house.example")
	mia.enter(web.LettersPath, web.LettersPath, letters(night.Morning, night.Close))
	for role, seen := range map[web.Role]bool{web.BoxOffice: false, web.Admin: true} {
		if p := h.signedIn(t, role, "other@house.example").get(web.LettersPath); strings.Contains(p.body, "mia@house.example") != seen {
			t.Errorf("%s sees who gets letters: %t", role, !seen)
		}
	}
	one, err := h.store.Letters().Subscribers(t.Context())
	if err != nil || len(one) != 1 || !slices.Equal(one[0].Names, []string{night.Morning, night.Close}) {
		t.Fatalf("%v (%v)", one, err)
	}
	stranger := h.browser(t)
	link := web.StopPath + "/" + one[0].Token
	if p := stranger.get(link); p.status != http.StatusOK || !strings.Contains(p.body, "Stop the letters to mia@house.example?") {
		t.Errorf("asked: %d %s", p.status, p.body)
	}
	if again, err := h.store.Letters().Subscribers(t.Context()); err != nil || len(again) != 1 {
		t.Error("looking at the link stopped the letters")
	}
	if p := stranger.get(web.StopPath + "/AAAA"); p.status != http.StatusOK || strings.Contains(p.body, "mia@") {
		t.Errorf("another token: %d %s", p.status, p.body)
	}
	r, err := http.PostForm(h.URL+link, url.Values{"List-Unsubscribe": {"One-Click"}}) // as a mail program does
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if again, err := h.store.Letters().Subscribers(t.Context()); r.StatusCode != http.StatusOK || err != nil || len(again) != 0 {
		t.Errorf("stopped: %d, %v (%v)", r.StatusCode, again, err)
	}
	if strings.Contains(h.log.String(), one[0].Token) {
		t.Error("the token is in the log")
	}
}

// Whose sign-in the service has revoked gets no letters, and whose rights it has changed gets what they may see now, without
// having signed in.
func TestLettersEndWithTheSignIn(t *testing.T) {
	h, _ := lettersHouse(t)
	h.idp.set(func(p *standIn) { p.refreshes = true })
	h.signedIn(t, web.Manager, "mia@house.example").enter(web.LettersPath, web.LettersPath, letters(night.Morning))
	seen := func() time.Time {
		t.Helper()
		all, err := h.store.Letters().Subscribers(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("letters go to %v (%v)", all, err)
		}
		return all[0].Seen
	}
	first := seen()
	h.idp.set(func(p *standIn) { p.who["roles"] = "door" })
	h.later(t, time.Hour)
	h.askAgain(t)
	h.writes(t, nil)
	if now := seen(); !now.Equal(first) {
		t.Errorf("a check counts as a sign-in: %s, then %s", first, now)
	}
	h.idp.set(func(p *standIn) { p.refresh = "" })
	h.later(t, time.Hour)
	h.askAgain(t)
	h.writes(t, notify.ErrVoid)
}
