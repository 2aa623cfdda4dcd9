package night_test

import (
	"errors"
	"strings"
	"testing"

	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/night"
	"housecount/web/query"
	"housecount/web/webtest"
	"housecount/web/words"
)

// lived is a house in which a gate was quiet, people were too many to owe money to, and who was told of it.
func lived(t *testing.T) (*web.Renderer, *webtest.House) {
	t.Helper()
	h := house(t)
	at := webtest.At
	for _, r := range []*record.RaisedAlert{
		{Alert: "quiet_gate:evt_past:C", Number: 2, Level: "bad", EventID: "evt_past", First: 172, Last: 3, Raised: at("19:41"), Since: at("19:38"), Cleared: at("19:49"), By: []string{"Sami"}, Taken: at("19:43"),
			Steps: []record.AlertStep{{At: at("19:42"), What: record.AlertTaken, By: "Mia", N: 170}, {At: at("19:43"), What: record.AlertHandedBack, By: "Mia", N: 168}, {At: at("19:43"), What: record.AlertTaken, By: "Sami <b>", N: 168},
				{At: at("19:44"), What: record.AlertGrown, N: 180}, {At: at("19:45"), What: record.AlertWorse, N: 181}, {At: at("19:46"), What: "sung about"}}},
		{Alert: "crowded:evt_past", Number: 1, Level: "bad", EventID: "evt_past", First: 40, Last: 44, Licensed: 30, Raised: at("19:50"), By: []string{"Jo", "Bo"}, Taken: at("19:52")}, // of an older version
		{Alert: "owed:evt_past", Number: 1, Level: "warn", EventID: "evt_past", First: 123456, Last: 123456, Raised: at("19:50")},
		{Alert: "differs:totals", Number: 1, Level: "warn", Raised: at("19:50")},
	} {
		h.Apply(r)
	}
	sent := func(name, state, clock string) *web.LetterState {
		return &web.LetterState{Name: name, State: state, At: at(clock)}
	}
	return webtest.RendererWith(t, web.Sources{Told: func(alert string) ([]web.LetterReader, error) {
		if !strings.HasPrefix(alert, "quiet_gate") {
			return nil, nil
		}
		return []web.LetterReader{
			{Person: "idp joost", Address: "joost@house.example", Device: "x", Last: sent(night.Alerts, "sent", "19:42")},
			{Person: "idp joost", Address: "joost@house.example", Device: "y", Last: sent(night.Alerts, "sent", "19:42")},
			{Person: "idp ann", Device: "z", Last: sent(night.Alerts, "sent", "19:43")},
			{Person: "idp joost", Address: "joost@house.example", Last: sent(night.Alerts, "sent", "19:42")},
			{Address: "chat.example", Last: sent(night.Alerts, "sent", "19:42")},
			{Person: "idp bo", Address: "bo@house.example", Last: sent(night.Alerts, "refused", "19:42")},
			{Person: "idp cy", Address: "cy@house.example", Last: sent(night.Alerts, "void", "19:42")},
			{Person: "idp joost", Address: "joost@house.example", Last: sent(night.Unanswered, "sent", "19:47")},
			{Address: "chat.example", Last: sent(night.Cleared, "waiting", "19:50")},
		}, nil
	}}), h
}

// spaced returns the words of a part of a page.
func spaced(html string) string { return strings.TrimPrefix(read("<main>"+html), "> ") }

func alertView(t *testing.T, id string) webtest.View {
	t.Helper()
	q, err := web.NewRequest("alert", map[string][]string{"id": {id}}, web.Admin.Access(), words.English)
	if err != nil {
		t.Fatal(err)
	}
	return webtest.View{Page: "alert", Params: q.Params}
}

// The page of an alert has what became of it in the order of time, with the numbers of then, and how many people were told in which way;
// whom, administrators alone.
func TestLifeOfAnAlert(t *testing.T) {
	r, h := lived(t)
	for _, role := range []web.Role{web.Door, web.Manager, web.Admin} {
		html := webtest.Content(t, r, alertView(t, "quiet_gate:evt_past:C#2").As(role), h.Snapshot(), webtest.At("20:00")).HTML
		got := spaced(html["life"])
		if strings.Contains(got, "@") != (role == web.Admin) {
			t.Errorf("%s reads addresses: %s", role, got)
		}
		for _, names := range []string{" joost@house.example , chat.example and —", " bo@house.example", " joost@house.example", " chat.example"} {
			got = strings.Replace(got, names, "", 1)
		}
		want := "What happened What happened 19:38 It began 19:41 Raised 172 to come 19:42 Taken on by Mia 170 to come 19:42 Told: 2 by push message, 1 by mail and one address of the house 19:42 Not reached: 1 by mail " +
			"19:43 Mia is no longer on it 168 to come 19:43 Taken on by Sami &lt;b&gt; 168 to come 19:44 It got worse 180 to come 19:45 Urgent now 181 to come 19:47 Told again, nobody was on it: 1 by mail 19:49 Over 3 to come " +
			"19:50 Not sent yet: one address of the house"
		if strings.TrimSpace(got) != want {
			t.Errorf("%s reads\n%s\nwant\n%s", role, got, want)
		}
		webtest.Wants(t, "the figures", spaced(html["figs"]), "Duration 8 min 19:41–19:49", "Taken on after 2 min Sami", "Told 3 2 by push message, 1 by mail and one address of the house")
		webtest.Wants(t, "the head", html["head"], "A gate is quiet", `href="/events/evt_past"`, `href="/night?day=2026-11-20"`)
	}
	old := webtest.Content(t, r, alertView(t, "crowded:evt_past#1").As(web.Door), h.Snapshot(), webtest.At("20:10")).HTML
	webtest.Wants(t, "of an older version", spaced(old["life"]), "19:50 Raised as urgent 40 inside, 30 allowed 19:52 Taken on by Jo and Bo")
	webtest.Wants(t, "of an older version", spaced(old["figs"]), "Duration 20 min since 19:50", "Taken on after 2 min Jo and Bo", "Told 0")
	few := &record.RaisedAlert{Alert: "few_left:evt_past", Number: 1, Level: "warn", EventID: "evt_past", First: 9, Last: 4, Raised: webtest.At("19:50"), Cleared: webtest.At("19:55")}
	h.Apply(few)
	webtest.Wants(t, "few left", spaced(webtest.Content(t, r, alertView(t, "few_left:evt_past#1").As(web.Door), h.Snapshot(), webtest.At("20:10")).HTML["life"]), "19:50 Raised 9 left 19:55 Over 4 left")
	h.Apply(&record.RaisedAlert{Alert: "few_left:evt_past", Number: 1, Level: "warn", EventID: "evt_past", First: 9, Last: 4, Raised: webtest.At("19:50"), Cleared: webtest.At("19:55"),
		Steps: []record.AlertStep{{At: webtest.At("19:51"), What: record.AlertTaken, By: "Mia"}, {At: webtest.At("19:53"), What: record.AlertHandedBack, By: "Mia"}}})
	webtest.Wants(t, "handed back", spaced(webtest.Content(t, r, alertView(t, "few_left:evt_past#1").As(web.Door), h.Snapshot(), webtest.At("20:10")).HTML["figs"]), "Taken on after 1 min Mia")
	after := webtest.Content(t, r, alertView(t, "crowded:evt_past#1").As(web.Door), h.Snapshot(), webtest.At("20:10").AddDate(0, 0, 40)).HTML
	webtest.Lacks(t, "once nobody knows", spaced(after["figs"]), "Told")
}

// Where it cannot be read who was told, the page of an alert stands with what became of it, and is not refused while the database is away.
func TestLifeOfAnAlertWithoutTheDatabase(t *testing.T) {
	_, h := lived(t)
	r := webtest.RendererWith(t, web.Sources{Told: func(string) ([]web.LetterReader, error) { return nil, errors.New("the database is away") }})
	html := webtest.Content(t, r, alertView(t, "quiet_gate:evt_past:C#2").As(web.Admin), h.Snapshot(), webtest.At("20:00")).HTML
	webtest.Wants(t, "the steps", spaced(html["life"]), "19:41 Raised 172 to come", "19:49 Over 3 to come")
	webtest.Lacks(t, "who was told", spaced(html["life"])+spaced(html["figs"]), "Told")
	if !web.PageNamed("alert").FromFigures() {
		t.Error("the page is refused while the database is away")
	}
}

// Whoever may not see an alert sees neither its page nor a link to it, and what is not there reads as what is of another hall.
func TestLifeOfAnAlertIsForThoseWhoSeeIt(t *testing.T) {
	r, h := lived(t)
	for id, least := range map[string]web.Role{"quiet_gate:evt_past:C#2": web.Door, "owed:evt_past#1": web.Manager, "differs:totals#1": web.Manager} {
		for i, role := range web.Roles {
			_, err := web.NewRequest("alert", map[string][]string{"id": {id}}, role.Access(), words.English)
			least := map[web.Role]int{web.Door: 0, web.Manager: 2}[least]
			if (err == nil) != (i >= least) {
				t.Errorf("%s asks for %s: %v", role, id, err)
			}
			if page := webtest.Page(t, r, webtest.View{Page: "night", Params: "day=2026-11-20"}.As(role), h.Snapshot(), webtest.At("20:00")); i < least && strings.Contains(page, web.AlertHref(id)) {
				t.Errorf("%s has a link to %s", role, id)
			}
		}
	}
	foyer := alertView(t, "quiet_gate:evt_past:C#2").As(web.Manager)
	foyer.Access = foyer.Access.InHalls("Foyer")
	none := webtest.Page(t, r, alertView(t, "quiet_gate:evt_past:C#3").As(web.Manager), h.Snapshot(), webtest.At("20:00"))
	webtest.Wants(t, "no alert", none, "This alert is not in the log.")
	other := webtest.Page(t, r, foyer, h.Snapshot(), webtest.At("20:00"))
	webtest.Wants(t, "of another hall", other, "This alert is not in the log.")
	webtest.Lacks(t, "of another hall", other, "Sami", "Gisteren")
}

// The report of the night and the alert itself lead to its life once it is in the log.
func TestLinksToTheLifeOfAnAlert(t *testing.T) {
	r, h := lived(t)
	page := webtest.Page(t, r, webtest.View{Page: "night", Params: "day=2026-11-20"}.As(web.Manager), h.Snapshot(), webtest.At("20:00"))
	webtest.Wants(t, "the report", page, `<a href="/night/alert?id=quiet_gate%3Aevt_past%3AC%232">19:38–19:49</a>`)
	full := webtest.NewHouse()
	e := full.Event("evt_full", "Vol", "Zolder", "20:00", "21:00", 10, webtest.Available(-2))
	full.Sell(e, webtest.Sale{From: webtest.At("06:00"), To: webtest.At("07:00"), Paid: 12})
	notices := func(who web.Role) string {
		return webtest.Content(t, r, webtest.View{Page: "tonight"}.As(who), full.Snapshot(), webtest.At("19:30")).HTML["attention"]
	}
	webtest.Lacks(t, "before it is in the log", notices(web.Door), "/night/alert")
	full.Apply(&record.RaisedAlert{Alert: evening.AlertOversold + ":evt_full", Number: 1, Level: "bad", EventID: "evt_full", Raised: webtest.At("19:20")})
	webtest.Wants(t, "in the log", notices(web.Door), `<a href="/night/alert?id=oversold%3Aevt_full%231"><bdi>`)
	wall := webtest.Content(t, r, webtest.View{Page: "wall"}.As(web.Door), full.Snapshot(), webtest.At("19:30")).HTML["wall-note"]
	webtest.Wants(t, "a wall", webtest.Text(wall), "Vol: 2 without a seat")
	webtest.Lacks(t, "a wall, which nobody taps on", wall, "/night/alert")
	full.Apply(&record.RaisedAlert{Alert: evening.AlertOversold + ":evt_full", Number: 1, Level: "bad", EventID: "evt_full", Raised: webtest.At("19:20"), Cleared: webtest.At("19:25")})
	webtest.Lacks(t, "once it is over", notices(web.Door), "/night/alert")
	// One that does not say since when leads there with an arrow, which a screen reader calls by its name.
	few := webtest.NewHouse()
	few.Sell(few.Event("evt_few", "Bijna vol", "Zolder", "20:00", "21:00", 100, webtest.Available(2)), webtest.Sale{From: webtest.At("06:00"), To: webtest.At("07:00"), Paid: 98})
	few.Apply(&record.RaisedAlert{Alert: evening.AlertFewLeft + ":evt_few", Number: 1, Level: "warn", EventID: "evt_few", Raised: webtest.At("19:20")})
	arrow := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.BoxOffice), few.Snapshot(), webtest.At("19:30")).HTML["attention"]
	webtest.Wants(t, "without a time", arrow, `<a href="/night/alert?id=few_left%3Aevt_few%231" aria-label="History">›</a>`)
	if got := web.AlertHref(strings.Repeat("x", query.NameBytes+1)); got != "" {
		t.Errorf("an id that no address takes has the address %s", got)
	}
}

// The page of a backup that failed says why as long as the alert stands; nothing where what was entered does not say it.
func TestLifeOfABackupThatFailed(t *testing.T) {
	r, h := lived(t)
	raised := &record.RaisedAlert{Alert: evening.AlertBackup, Number: 1, Level: "warn", Raised: webtest.At("19:30")}
	failed := record.Found{Key: "backup", Since: webtest.At("19:30")}
	head := func(records ...record.Record) string {
		for _, rec := range records {
			h.Apply(rec)
		}
		return spaced(webtest.Content(t, r, alertView(t, "backup#1").As(web.Manager), h.Snapshot(), webtest.At("20:00")).HTML["head"])
	}
	webtest.Lacks(t, "of an older version", head(raised, &record.Reconciliation{Check: "backup", At: webtest.At("19:30"), Found: []record.Found{failed}}), "full", "log")
	failed.Why = record.BackupDiskFull
	webtest.Wants(t, "the alert that stands", head(&record.Reconciliation{Check: "backup", At: webtest.At("19:31"), Found: []record.Found{failed}}), "the disk is full")
	late := func() string {
		return webtest.Text(webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Admin), h.Snapshot(), webtest.At("20:00")).HTML["attention"])
	}
	webtest.Wants(t, "among the alerts", late(), "the disk is full")
	over := *raised
	over.Cleared = webtest.At("19:50")
	webtest.Lacks(t, "the alert that is over", head(&over), "full")
}
