package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/event"
)

// A member of staff takes an alert on that is theirs to take on; nobody else does, and nothing else is.
func TestSeen(t *testing.T) {
	h := newHouse(t, nil)
	l := ledger.New(figures.Calendar{})
	today := time.Now().UTC().Format(time.DateOnly) // called off, it needs attention on its evening alone
	for i, id := range []string{"o:ff", "later"} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: &record.Event{ID: id, Title: id, Date: today, Status: record.EventCancelled}})
	}
	show := func() {
		of := l.Snapshot(figures.Position{}, ledger.Coverage{})
		read := func() *figures.Snapshot { return of }
		h.snapshot.Store(&read)
	}
	show()
	door := h.loggedIn(t, web.Door)
	for _, c := range []struct {
		name         string
		browser      *browser
		alert, event string
		from, to     string
		seen         []string
		undo         bool
	}{
		{"nobody", h.browser(t), "cancelled:o:ff", "o:ff", "/tonight", "/login?return=%2Ftonight", nil, false},
		{"door", door, "cancelled:o:ff", "o:ff", "/events/o:ff", "/events/o:ff", []string{"cancelled:o:ff by Name of the door"}, false},
		{"takes back what nobody has seen", door, "cancelled:o:ff", "o:ff", "/tonight", "/tonight", nil, true},
		{"an alert that has passed", door, "crowded:off", "o:ff", "/tonight", "/tonight", nil, false},
		{"another performance's", door, "cancelled:o:ff", "later", "/tonight", "/tonight", nil, false},
		{"no such performance", door, "cancelled:o:ff", "none", "/tonight", "/tonight", nil, false},
	} {
		h.entered = nil
		form := url.Values{"alert": {url.QueryEscape(c.alert)}, "event": {url.QueryEscape(c.event)}}
		if c.undo {
			form.Set("undo", "1")
		}
		p := c.browser.enter(web.SeenPath, c.from, form)
		if to := p.header.Get("Location"); p.status != http.StatusSeeOther || to != c.to {
			t.Errorf("%s: %d to %s, want %s", c.name, p.status, to, c.to)
		}
		if !slices.Equal(h.entered, c.seen) {
			t.Errorf("%s: seen %v, want %v", c.name, h.entered, c.seen)
		}
	}
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: "alert_seen"}, 0, 10)
	if err != nil || len(acts) != 1 || acts[0].Name != "Name of the door" || acts[0].Object != "o:ff" || acts[0].After != "cancelled" {
		t.Errorf("the audit has %+v, %v", acts, err)
	}
	// What does not agree in the whole house is seen by those to whom it is shown.
	l.Apply(record.Version{Revision: 3, Head: true, Record: &record.Reconciliation{Check: string(figures.CheckRecompute), At: time.Now(), Differ: 1, Compared: 1,
		Found: []record.Found{{Key: "recompute:", Since: time.Now()}}}})
	show()
	h.entered = nil
	for _, b := range []*browser{door, h.loggedIn(t, web.Manager)} {
		b.enter(web.SeenPath, "/tonight", url.Values{"alert": {"differs%3Arecompute"}, "event": {""}})
	}
	if want := []string{"differs:recompute by Name of the manager"}; !slices.Equal(h.entered, want) {
		t.Errorf("seen %q, want %q", h.entered, want)
	}
	// So are streams that do not answer; the money of a cancelled performance by those who see money.
	for i, r := range []record.Record{&record.Event{ID: "paid", Title: "paid", Date: "2020-01-01", Status: record.EventCancelled},
		&record.Payment{ID: "p", EventID: "paid", Amount: record.Money{Amount: 900, Currency: "EUR"}, Status: record.PaymentPaid, PaidAt: time.Now()}} {
		l.Apply(record.Version{Revision: int64(10 + i), Head: true, Record: r})
	}
	failing := l.Snapshot(figures.Position{}, ledger.Coverage{PaymentsOffered: true, PaymentsComplete: true})
	failing.Health.Streams = []figures.StreamHealth{{Name: "payments", Kinds: []record.Kind{record.KindPayment}, Missed: 9, Fault: figures.FaultServer}}
	read := func() *figures.Snapshot { return failing }
	h.snapshot.Store(&read)
	h.entered = nil
	for _, b := range []*browser{door, h.loggedIn(t, web.Manager)} {
		b.enter(web.SeenPath, "/tonight", url.Values{"alert": {"streams"}, "event": {""}})
		b.enter(web.SeenPath, "/tonight", url.Values{"alert": {"owed%3Apaid"}, "event": {"paid"}})
	}
	if want := []string{"streams by Name of the manager", "owed:paid by Name of the manager"}; !slices.Equal(h.entered, want) {
		t.Errorf("seen %q, want %q", h.entered, want)
	}
	// What calls for nothing is taken on by nobody, also from a page that still has the button.
	l.Apply(record.Version{Revision: 15, Head: true, Record: &record.Event{ID: "full", Title: "full", Date: today, Status: record.EventSoldOut}})
	show()
	h.entered = nil
	office := h.loggedIn(t, web.BoxOffice)
	if p := office.do("GET", "/events/full", nil); !strings.Contains(p.body, "<b>Sold out</b>") {
		t.Errorf("it is not said to be sold out: %s", p.body)
	}
	office.enter(web.SeenPath, "/tonight", url.Values{"alert": {"sold_out%3Afull"}, "event": {"full"}})
	if len(h.entered) != 0 {
		t.Errorf("what calls for nothing is taken on: %q", h.entered)
	}
	// Others join who looks after an alert; each hands back what is theirs, and nobody takes on anything twice.
	for i, by := range []string{"Mia", "Name of the door"} {
		l.Apply(record.Version{Revision: int64(20 + i), Head: true, Record: &record.Acknowledgement{Alert: "cancelled:o:ff", At: time.Now(), By: by, Personal: true}})
		show()
		h.entered = nil
		for _, undo := range []string{"", "1"} {
			door.enter(web.SeenPath, "/tonight", url.Values{"alert": {"cancelled%3Ao%3Aff"}, "event": {"o%3Aff"}, "undo": {undo}})
		}
		if want := []string{[]string{"cancelled:o:ff by Name of the door", "cancelled:o:ff not by Name of the door"}[i]}; !slices.Equal(h.entered, want) {
			t.Errorf("with %s on it: %q, want %q", by, h.entered, want)
		}
	}
	// Whose role may not take on an alert is refused, whether there is one or not, and also what is no alert.
	h.entered = nil
	for _, role := range web.Roles {
		b := h.loggedIn(t, role)
		for _, code := range append(evening.AlertCodes(), "nothing", "") {
			for _, undo := range []string{"", "1"} {
				p := b.enter(web.SeenPath, "/tonight", url.Values{"alert": {code + "%3Anone"}, "event": {"later"}, "undo": {undo}})
				want := http.StatusSeeOther
				if !role.Access().TakesOn(code) {
					want = http.StatusForbidden
				}
				if p.status != want {
					t.Errorf("%s takes on %q: %d, want %d", role, code, p.status, want)
				}
			}
		}
	}
	if len(h.entered) != 0 {
		t.Errorf("entered %q", h.entered)
	}
	if p := door.do("POST", web.SeenPath, http.Header{"Origin": {"https://elsewhere.example"}, "Sec-Fetch-Site": {"cross-site"}}); p.status != http.StatusForbidden {
		t.Errorf("from another site: %d", p.status)
	}
}

// People without a ticket are counted at gates that there are, while people may come and go, and
// no more go out than were counted.
func TestWalkIn(t *testing.T) {
	h := newHouse(t, nil)
	now := h.replica.Load().Now()
	l := ledger.New(figures.Calendar{})
	for i, r := range []record.Record{
		&record.Event{ID: "on", StartsAt: now.Add(time.Hour), DoorsAt: now.Add(-time.Hour), EndsAt: now.Add(3 * time.Hour)},
		&record.Event{ID: "later", StartsAt: now.Add(9 * time.Hour)},
		&record.Ticket{ID: "t", EventID: "on", Status: record.TicketValid, Scans: []record.Scan{{At: now.Add(-time.Minute), Gate: "A&B", Direction: record.Entry}}},
		&record.WalkIn{ID: "w", EventID: "on", Gate: "A&B", Count: 2, At: now, By: "Mia"},
	} {
		l.Apply(record.Version{Revision: int64(i + 1), Head: true, Record: r})
	}
	of := l.Snapshot(figures.Position{}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
	read := func() *figures.Snapshot { return of }
	h.snapshot.Store(&read)
	door := h.loggedIn(t, web.Door)
	for _, c := range []struct {
		name, event, gate, count string
		status                   int
		want                     []string
	}{
		{"one in", "on", "A&B", "1", http.StatusSeeOther, []string{"on A&B 1 by Name of the door"}},
		{"one out", "on", "A&B", "-1", http.StatusSeeOther, []string{"on A&B -1 by Name of the door"}},
		{"more out than counted", "on", "A&B", "-5", http.StatusSeeOther, []string{"on A&B -2 by Name of the door"}},
		{"at no gate", "on", "", "3", http.StatusSeeOther, []string{"on  3 by Name of the door"}},
		{"out where nobody was counted", "on", "", "-1", http.StatusSeeOther, nil},
		{"a made-up gate", "on", "Z", "1", http.StatusSeeOther, nil},
		{"doors are closed", "later", "", "1", http.StatusSeeOther, nil},
		{"no such performance", "none", "A&B", "1", http.StatusSeeOther, nil},
		{"nobody", "on", "A&B", "0", http.StatusBadRequest, nil},
		{"a crowd", "on", "A&B", "101", http.StatusBadRequest, nil},
		{"garbage", "on", "A&B", "1e3", http.StatusBadRequest, nil},
	} {
		h.entered = nil
		p := door.enter(event.WalkInPath, "/tonight", url.Values{"event": {c.event}, "gate": {url.QueryEscape(c.gate)}, "count": {c.count}})
		if p.status != c.status || !slices.Equal(h.entered, c.want) {
			t.Errorf("%s: %d, %q, want %d, %q", c.name, p.status, h.entered, c.status, c.want)
		}
	}

	// The audit has one line of what a person counted at a gate.
	countOf(t, h)
	acts, err := h.store.Audit().Acts(t.Context(), store.ActQuery{Action: "walk_in"}, 0, 10)
	var lines []string
	for _, a := range acts {
		lines = append(lines, fmt.Sprintf("%s %s %s x%d", a.Name, a.Object, a.After, a.Count))
	}
	if slices.Sort(lines); err != nil || !slices.Equal(lines, []string{"Name of the door on +1 -3 A&B x3", "Name of the door on +3 x1"}) {
		t.Errorf("the audit has %q, %v", lines, err)
	}

	// Who hangs up while it is entered has entered it, and did it.
	before := countOf(t, h)
	var meanwhile error
	session := &http.Cookie{Name: "housecount_session", Value: door.session()}
	tap := func(ctx context.Context, form string) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, h.URL+event.WalkInPath, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(session)
		h.replica.Load().ServeHTTP(httptest.NewRecorder(), r)
	}
	gone, hangUp := context.WithCancel(t.Context())
	h.whileEntered = func(ctx context.Context) {
		hangUp()
		meanwhile = ctx.Err()
	}
	tap(gone, "event=on&gate=&count=7")
	h.whileEntered = nil
	if gone.Err() == nil || meanwhile != nil || countOf(t, h) != before+1 {
		t.Errorf("who hung up: %v, with %d acts after %d", meanwhile, countOf(t, h), before)
	}

	// Of many who let out the same two people at once, two do.
	h.entered = nil
	h.whileEntered = func(context.Context) {
		for range 1000 { // whoever does not wait overtakes
			runtime.Gosched()
		}
		l.Apply(record.Version{Revision: int64(10 + len(h.entered)), Head: true,
			Record: &record.WalkIn{ID: fmt.Sprint("out", len(h.entered)), EventID: "on", Gate: "A&B", Count: -1, At: now, By: "Mia"}})
		of := l.Snapshot(figures.Position{}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
		read := func() *figures.Snapshot { return of }
		h.snapshot.Store(&read)
	}
	var taps sync.WaitGroup
	for range 8 {
		taps.Go(func() { tap(t.Context(), "event=on&gate=A%2526B&count=-1") })
	}
	taps.Wait()
	if len(h.entered) != 2 {
		t.Errorf("went out: %q", h.entered)
	}
}

// countOf returns how many counts of walk-ins the audit has once a quarter of an hour is over.
func countOf(t *testing.T, h *house) int {
	t.Helper()
	if err := h.replica.Load().RecordWalkIns(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, err := h.store.Audit().Count(t.Context(), store.ActQuery{Action: "walk_in"})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// enter sends a form from a page, and stops at the first redirect.
func (b *browser) enter(path, from string, form url.Values) page {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.h.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Referer", b.h.URL+from)
	return b.stay().send(r)
}
