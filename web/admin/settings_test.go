package admin_test

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/url"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/webtest"
	"housecount/web/words"
)

var settings = webtest.View{Page: "settings"}

// typedAt returns the page of settings with what somebody typed there and could not save.
func typedAt(t *testing.T, h *webtest.House, l web.Locale, typed url.Values) string {
	t.Helper()
	q := webtest.In(l, settings.As(web.Admin))
	f, changes := admin.ReadSettings(q, typed, h.Snapshot(), webtest.ShowTime)
	if !f.Failed() || changes != nil {
		t.Fatalf("%v is saved as %v", typed, changes)
	}
	var b bytes.Buffer
	if err := webtest.Renderer(t).Page(&b, web.Frame{Request: q, Form: f, Snapshot: h.Snapshot(), Now: webtest.ShowTime, Ready: true, User: "Fatima"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What is wrong with what was typed is said in every language, with an example as it is written there.
func TestWhatIsWrongWithSettings(t *testing.T) {
	h, look := webtest.EveryHouse(t)["odd"], webtest.LookForWords(t)
	id := func(s record.Setting) string { return url.QueryEscape(s.RecordID()) }
	rate, general := id(record.Setting{Name: record.SettingVATRate, Of: "Rang", From: "2027-01-01"}), id(record.Setting{Name: record.SettingVATRate})
	foyer, past, month := id(record.Setting{Name: record.SettingLicensed, Of: "Foyer"}), id(record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-10"}), id(record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-12"})
	building, quiet := id(record.Setting{Name: record.SettingLicensed, Of: "Zolder"}), id(record.Setting{Name: record.SettingQuietGate})
	for _, c := range []struct {
		section string
		typed   url.Values
		says    map[web.Locale]string
	}{
		{"vat", url.Values{"is " + rate: {"121"}, "was " + rate: {"21"}}, map[web.Locale]string{"en": "from 0 to 100, such as 9.50", "nl": "van 0 tot 100, zoals 9,50", "de": "von 0 bis 100, etwa 9,50"}},
		{"vat", url.Values{"is " + general: {"8"}, "was " + general: {"6"}}, map[web.Locale]string{"en": "Fatima set this to 9 meanwhile", "nl": "Fatima heeft dit intussen op 9 gezet", "de": "Fatima hat dies inzwischen auf 9 gesetzt"}},
		{"vat", url.Values{"new from": {"2026-12-01"}}, map[web.Locale]string{"en": "Write what holds", "nl": "Schrijf wat vanaf dan geldt", "de": "Schreiben Sie, was von da an gilt"}},
		{"vat", url.Values{"new value": {"9"}, "new from": {"1 December"}}, map[web.Locale]string{"en": "Choose a day", "nl": "Kies een dag", "de": "Wählen Sie einen Tag"}},
		{"vat", url.Values{"new value": {"9"}, "new thing": {"Loge"}}, map[web.Locale]string{"en": "Choose one of those", "nl": "Kies een van de", "de": "Wählen Sie eine der"}},
		{"vat", url.Values{"new value": {"9"}}, map[web.Locale]string{"en": "in the list already", "nl": "al in de lijst", "de": "in der Liste schon"}},
		{"licensed", url.Values{"is " + foyer: {"many"}, "was " + foyer: {"5"}}, map[web.Locale]string{"en": "from 1 to 1,000,000", "nl": "van 1 tot 1.000.000", "de": "von 1 bis 1.000.000"}},
		{"licensed", url.Values{"is " + building: {"5"}, "was " + building: {""}}, map[web.Locale]string{"en": "not there any more", "nl": "bestaat niet meer", "de": "gibt es nicht mehr"}},
		{"budgets", url.Values{"is " + past: {"6"}, "was " + past: {"0"}}, nil},
		{"budgets", url.Values{"is " + past: {"6"}, "was " + past: {"0.05"}}, map[web.Locale]string{"en": "This month is over", "nl": "Deze maand is voorbij", "de": "Dieser Monat ist vorbei"}},
		{"budgets", url.Values{"is " + month: {"1 million"}, "was " + month: {""}}, map[web.Locale]string{"en": "such as 1,250.05", "nl": "zoals 1.250,05", "de": "wie 1.250,05"}},
		{"budgets", url.Values{"is " + month: {"5"}, "was " + month: {"7"}}, map[web.Locale]string{"en": "took this back", "nl": "intussen gewist", "de": "inzwischen gelöscht"}},
		{"licensed", url.Values{"new thing": {"Foyer"}, "new value": {"5"}}, map[web.Locale]string{"en": "in the list already", "nl": "al in de lijst", "de": "in der Liste schon"}},
		{"attention", url.Values{"new thing": {"vat_rate"}, "new value": {"5"}, "new from": {"2026-12-01"}}, map[web.Locale]string{"en": "Choose one of those"}},
		{"attention", url.Values{"new thing": {"quiet_gate"}, "new value": {"61"}, "new from": {"2026-12-01"}}, map[web.Locale]string{"en": "from 1 to 60"}},
		{"attention", url.Values{"is " + quiet: {"0"}, "was " + quiet: {""}}, map[web.Locale]string{"en": "from 1 to 60", "nl": "van 1 tot 60", "de": "von 1 bis 60"}},
	} {
		c.typed.Set("section", c.section)
		look("settings", typedAt(t, h, words.Pseudo, c.typed))
		for l, want := range c.says {
			typed := c.typed
			if l != words.English && typed.Get("was "+past) == "0.05" {
				typed = url.Values{"section": {"budgets"}, "is " + past: {"6"}, "was " + past: {"0,05"}}
			}
			if page := html.UnescapeString(webtest.AnyTag.ReplaceAllString(typedAt(t, h, l, typed), "")); !strings.Contains(page, want) {
				t.Errorf("%s of %v in %s: no %q", c.section, c.typed, l, want)
			}
		}
	}
}

// When a form is shown again because of a mistake, the fields that the user did not edit have the values that are now in
// force. Saving again then does not undo what somebody else has set.
func TestUntouchedSettings(t *testing.T) {
	h := webtest.Busy(t)
	set := func(of string, value int64) {
		h.Apply(&record.Setting{Name: record.SettingLicensed, Of: of, Value: &value, At: webtest.ShowTime, By: "Mia"})
	}
	field := func(of string) string {
		return url.QueryEscape((&record.Setting{Name: record.SettingLicensed, Of: of}).RecordID())
	}
	for of, value := range map[string]int64{"Alpha": 10, "Beta": 20, "Gamma": 30, "Delta": 41} {
		set(of, value)
	}
	// The page that is sent had 9, 21 and 30, nothing of the building, and 41.
	open := map[string]string{"Alpha": "9", "Beta": "21", "Gamma": "30", "": "", "Delta": "41"}
	set("", 50)
	for _, c := range []struct {
		name  string
		typed map[string]string
		shown map[string]string // where it is not as it is by now
		saved map[string]int64  // when it is saved again, with what was wrong mended
	}{
		{"set meanwhile", map[string]string{"Beta": "19"}, map[string]string{"Beta": "19"}, map[string]int64{"Beta": 19}},
		{"another is wrong", map[string]string{"Gamma": "many", "Delta": "42"}, map[string]string{"Gamma": "many", "Delta": "42"}, map[string]int64{"Gamma": 33, "Delta": 42}},
		{"both", map[string]string{"Beta": "19", "Gamma": "many"}, map[string]string{"Beta": "19", "Gamma": "many"}, map[string]int64{"Beta": 19, "Gamma": 33}},
	} {
		form := url.Values{"section": {"licensed"}}
		for of, was := range open {
			form.Set("was "+field(of), was)
			form.Set("is "+field(of), cmp.Or(c.typed[of], was))
		}
		page, again := typedAt(t, h, words.English, form), url.Values{"section": {"licensed"}}
		for of, now := range map[string]string{"Alpha": "10", "Beta": "20", "Gamma": "30", "": "50", "Delta": "41"} {
			is, was := valueOf(page, "is "+field(of)), valueOf(page, "was "+field(of))
			if want := cmp.Or(c.shown[of], now); is != want || was != now {
				t.Errorf("%s: %q is shown as %q of %q, not %q of %q", c.name, of, is, was, want, now)
			}
			again.Set("was "+field(of), was)
			again.Set("is "+field(of), strings.ReplaceAll(is, "many", "33"))
		}
		f, changes := admin.ReadSettings(webtest.In(words.English, settings.As(web.Admin)), again, h.Snapshot(), webtest.ShowTime)
		saved := map[string]int64{}
		for _, s := range changes {
			saved[s.Of] = *s.Value
		}
		if f.Failed() || !maps.Equal(saved, c.saved) {
			t.Errorf("%s: saved again is %v, not %v", c.name, saved, c.saved)
		}
	}
}

// What is set from a day on is listed in the order of the days, with what is in force now, and can be taken
// back; another is asked for beside it.
func TestSettingsFromDays(t *testing.T) {
	h := webtest.Busy(t)
	for _, s := range []record.Setting{{Name: record.SettingLicensed, Of: "Foyer", From: "2026-12-01", Value: new(int64(120))}, {Name: record.SettingLicensed, Of: "Foyer", Value: new(int64(100))},
		{Name: record.SettingLicensed, Of: "Foyer", From: "2026-11-20", Value: new(int64(110))}, {Name: record.SettingQuietGate, From: "2026-11-21", Value: new(int64(8))}} {
		s.At, s.By = webtest.ShowTime, "Mia"
		h.Apply(&s)
	}
	q := webtest.In(words.English, settings.As(web.Admin))
	shown := webtest.Text(webtest.Page(t, webtest.Renderer(t), q, h.Snapshot(), webtest.ShowTime))
	webtest.Wants(t, "licensed", shown, "Foyer people Mia", "Foyer, from Fri 20 Nov people in force now · Mia", "Foyer, from Tue 1 Dec people Mia", "Grote Zaal people Kleine Zaal",
		"without an entry for min in force nowQuiet gate, from Sat 21 Nov min Mia")
	webtest.Wants(t, "another", shown, "Another capacity Building or hall Whole buildingFoyerGrote Zaal", "Another threshold", "Quiet gate (min)")
	read := func(typed url.Values) (got string) {
		f, changes := admin.ReadSettings(q, typed, h.Snapshot(), webtest.ShowTime)
		for _, s := range changes {
			got += s.RecordID()
			if s.Value != nil {
				got += fmt.Sprint(" ", *s.Value)
			}
		}
		return strings.TrimSpace(fmt.Sprint(got, " ", f.Failed()))
	}
	dated := url.QueryEscape((&record.Setting{Name: record.SettingLicensed, Of: "Foyer", From: "2026-12-01"}).RecordID())
	for want, typed := range map[string]url.Values{
		"licensed_capacity/2027-01-01/ 900 false":           {"section": {"licensed"}, "new thing": {""}, "new from": {"2027-01-01"}, "new value": {"900"}},
		"licensed_capacity/2027-01-01/Grote Zaal 900 false": {"section": {"licensed"}, "new thing": {"Grote+Zaal"}, "new from": {"2027-01-01"}, "new value": {"900"}},
		"licensed_capacity/2026-12-01/Foyer false":          {"section": {"licensed"}, "is " + dated: {""}, "was " + dated: {"120"}, "new thing": {""}, "new from": {""}, "new value": {""}},
		"few_left/2027-01-01/ 750 false":                    {"section": {"attention"}, "new thing": {"few_left"}, "new from": {"2027-01-01"}, "new value": {"7.5"}},
		"false":                                             {"section": {"attention"}, "new thing": {"few_left"}, "new from": {""}, "new value": {""}},
	} {
		if got := read(typed); got != want {
			t.Errorf("%v is read as %s, want %s", typed, got, want)
		}
	}
}

// valueOf returns what a field of a page has in it.
func valueOf(page, name string) string {
	_, rest, _ := strings.Cut(page, `name="`+html.EscapeString(name)+`"`)
	_, rest, _ = strings.Cut(rest, `value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return html.UnescapeString(value)
}

// The audit has settings in no language, and each reader sees them as their own writes numbers.
func TestSettingsInAudit(t *testing.T) {
	for _, c := range []struct {
		name     record.SettingName
		of, from string
		value    int64
		stored   string
		says     map[web.Locale]string
	}{
		{record.SettingBudget, "EUR", "2026-12", 1250_00, "1250.00", map[web.Locale]string{"en": "Budget · Dec · EUR · not set → 1,250", "nl": "Budget · dec · EUR · niet ingesteld → 1.250", "de": "Budget · Dez. · EUR · nicht eingestellt → 1.250"}},
		{record.SettingBudget, "EUR", "2026-12", 1234567_05, "1234567.05", map[web.Locale]string{"en": "→ 1,234,567.05", "nl": "→ 1.234.567,05", "de": "→ 1.234.567,05"}},
		{record.SettingBudget, "EUR", "2026-12", 5, "0.05", map[web.Locale]string{"en": "→ 0.05", "nl": "→ 0,05", "de": "→ 0,05"}},
		{record.SettingBudget, "JPY", "2026-12", 1250, "1250", map[web.Locale]string{"en": "JPY · not set → 1,250", "nl": "JPY · niet ingesteld → 1.250", "de": "JPY · nicht eingestellt → 1.250"}},
		{record.SettingVATRate, "", "", 950, "9.50%", map[web.Locale]string{"en": "VAT rate · All other ticket types · not set → 9.50%", "nl": "→ 9,50%", "de": "→ 9,50 %"}},
		{record.SettingVATRate, "Rang", "2027-01-01", 900, "9.00%", map[web.Locale]string{"en": "VAT rate · Rang, performances from Fri 1 Jan 2027 · not set → 9%"}},
		{record.SettingLicensed, "", "", 1420, "1420", map[web.Locale]string{"en": "Licensed capacity · Whole building · not set → 1,420 people", "nl": "→ 1.420 mensen", "de": "→ 1.420 Personen"}},
		{record.SettingLicensed, "Foyer", "", 90, "90", map[web.Locale]string{"en": "Licensed capacity · Foyer · not set → 90 people"}},
		{record.SettingLicensed, "", "2027-01-01", 90, "90", map[web.Locale]string{"en": "Licensed capacity · Whole building, from Fri 1 Jan 2027 · not set → 90 people"}},
		{record.SettingLicensed, "Foyer", "2027-01-01", 90, "90", map[web.Locale]string{"en": "Licensed capacity · Foyer, from Fri 1 Jan 2027 · not set → 90 people"}},
		{record.SettingFewLeft, "", "2027-01-01", 750, "7.50%", map[web.Locale]string{"en": "Few places left · from Fri 1 Jan 2027 · not set → 7.50%", "nl": "vanaf vr 1 jan 2027 · niet ingesteld → 7,50%", "de": "· nicht eingestellt → 7,50 %"}},
		{record.SettingFewLeft, "", "", 750, "7.50%", map[web.Locale]string{"en": "Few places left · 5%, as usual → 7.50%", "nl": "5%, zoals gewoonlijk → 7,50%", "de": "5 %, wie üblich → 7,50 %"}},
		{record.SettingQuietGate, "", "", 8, "8", map[web.Locale]string{"en": "Quiet gate · 5 min, as usual → 8 min", "nl": "5 min, zoals gewoonlijk → 8 min", "de": "5 min, wie üblich → 8 min"}},
		{record.SettingComparableBy, "hall", "", 0, "0", map[web.Locale]string{"en": "Comparable performances by · hall · yes, as usual → no"}},
		{record.SettingComparableDays, "", "", 730, "730", map[web.Locale]string{"en": "Comparable performances, days ago at most · not set → 730 days"}},
		{record.SettingComparableLeast, "", "", 3, "3", map[web.Locale]string{"en": "Comparable performances, at least · 5 performances, as usual → 3 performances"}},
	} {
		set := &record.Setting{Name: c.name, Of: c.of, From: c.from, Value: &c.value}
		of, stored := admin.SettingWords(set)
		if stored != c.stored {
			t.Errorf("%s of %d is %q in the audit, not %q", c.name, c.value, stored, c.stored)
		}
		r := webtest.RendererWith(t, web.Sources{Sessions: func(web.SessionsQuery) (web.Sessions, error) {
			return web.Sessions{Now: webtest.ShowTime, Acts: []web.Act{{ID: 1, At: webtest.ShowTime, Actor: "idp mia", Action: admin.SettingChanged, Reason: string(c.name), Object: set.RecordID(), ObjectName: of, After: stored}}}, nil
		}})
		for l, want := range c.says {
			acts := strings.ReplaceAll(webtest.Text(webtest.Content(t, r, webtest.In(l, webtest.SessionsView("days=7").As(web.Admin)), webtest.Small(t).Snapshot(), webtest.ShowTime).HTML["acts"]), "\u00a0", " ")
			if !strings.Contains(acts, want+"—") {
				t.Errorf("%s of %s in %s: no %q in %s", c.name, stored, l, want, acts)
			}
		}
	}
}

// Amounts are read as the language of the page writes them, and kept in minor units.
func TestAmountsOfSettings(t *testing.T) {
	h := webtest.EveryHouse(t)["odd"]
	field := url.QueryEscape((&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-12"}).RecordID())
	for l, text := range map[web.Locale]string{"en": "1,250.00", "nl": "1.250,00", "de": "1.250,00 €"} {
		f, changes := admin.ReadSettings(webtest.In(l, settings.As(web.Admin)), url.Values{"section": {"budgets"}, "is " + field: {text}, "was " + field: {""}}, h.Snapshot(), webtest.ShowTime)
		if f.Failed() || len(changes) != 1 || *changes[0].Value != 1250_00 || changes[0].From != "2026-12" || changes[0].Of != "EUR" {
			t.Errorf("%s: %q is read as %+v", l, text, changes)
		}
	}
}

// What is not set is said to administrators alone, with the way to set it; what is set is on the pages
// of those who see it.
func TestSettingsOnPages(t *testing.T) {
	h, r := webtest.Busy(t), webtest.Renderer(t)
	revenue := func(role web.Role) string {
		return webtest.Content(t, r, webtest.RevenueView(7).As(role), h.Snapshot(), webtest.ShowTime).HTML["money-1"]
	}
	for _, want := range []string{`href="/settings#vat"`, `href="/settings#budgets"`} {
		if !strings.Contains(revenue(web.Admin), want) || strings.Contains(revenue(web.Manager), want) {
			t.Errorf("%s is not for administrators alone", want)
		}
	}
	for _, s := range []record.Setting{{Name: record.SettingVATRate, Value: new(int64(900))}, {Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_000_00))},
		{Name: record.SettingLicensed, Of: "Grote Zaal", Value: new(int64(2))}, {Name: record.SettingLicensed, Value: new(int64(5000))}} {
		s.At, s.By = webtest.ShowTime, "Mia"
		h.Apply(&s)
	}
	webtest.Wants(t, "revenue", webtest.Text(revenue(web.Manager)), "Budget≈ €6,836.80")
	webtest.Wants(t, "VAT", webtest.FigureText(webtest.Content(t, r, webtest.RevenueView(7).As(web.Manager), h.Snapshot(), webtest.ShowTime).HTML["vat-1"]), "By rate of VAT ≈ €")
	if strings.Contains(revenue(web.Admin), "/settings#") {
		t.Error("administrators are led to what is set")
	}
	tonight := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(web.Door), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "attention", webtest.Text(tonight.HTML["attention"]), "Grote Zaal may be full: ≤ 638", "people are inside and 2 are allowed.")
	webtest.Wants(t, "a hall that is too full", webtest.Text(tonight.HTML["figs"]), "Grote Zaal:", "of 2 allowed")
	event := webtest.Content(t, r, webtest.EventView("evt_mat").As(web.Door), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "figures", webtest.Text(event.HTML["figures"]), "of the 2 people allowed in Grote Zaal")
	webtest.Lacks(t, "figures at the door", webtest.Text(event.HTML["figures"]), "VAT")
	load, err := web.NewRequest("explain", url.Values{"figure": {"load"}, "hall": {"Grote Zaal"}}, web.Door.Access(), web.English)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Wants(t, "explanation of a load", webtest.Text(webtest.Page(t, r, load, h.Snapshot(), webtest.ShowTime)), "Load Grote Zaal", "People allowed inside")
	if _, err := web.NewRequest("explain", url.Values{"figure": {"load"}, "hall": {"Grote Zaal"}}, web.Manager.Access().InHalls("Foyer"), web.English); err == nil {
		t.Error("who sees one hall alone is explained another")
	}
	explained, err := web.NewRequest("explain", url.Values{"figure": {"vat"}, "event": {"evt_mat"}}, web.Manager.Access(), web.English)
	if err != nil {
		t.Fatal(err)
	}
	webtest.Wants(t, "explanation", webtest.Text(webtest.Page(t, r, explained, h.Snapshot(), webtest.ShowTime)), "By rate of VAT", "9%")
}

// By what performances are comparable is chosen, and the page of a performance says by what they were.
func TestComparableSettings(t *testing.T) {
	h := webtest.Busy(t)
	by := url.QueryEscape((&record.Setting{Name: record.SettingComparableBy, Of: "hall"}).RecordID())
	read := func(is, was string) []*record.Setting {
		f, changes := admin.ReadSettings(webtest.In(words.English, settings.As(web.Admin)), url.Values{"section": {"comparables"}, "is " + by: {is}, "was " + by: {was}}, h.Snapshot(), webtest.ShowTime)
		if f.Failed() {
			t.Fatalf("%q of %q cannot be saved", is, was)
		}
		return changes
	}
	if none, no := read("", ""), read("0", ""); len(none) != 0 || len(no) != 1 || no[0].Of != "hall" || *no[0].Value != 0 {
		t.Errorf("saved are %+v and %+v", none, no)
	}
	shown := func(chosen string) {
		t.Helper()
		var page bytes.Buffer
		if err := webtest.Renderer(t).Page(&page, web.Frame{Request: webtest.In(words.English, settings.As(web.Admin)), Snapshot: h.Snapshot(), Now: webtest.ShowTime, Ready: true}); err != nil {
			t.Fatal(err)
		}
		_, row, _ := strings.Cut(page.String(), `name="is `+by+`"`)
		if row = row[:min(len(row), 120)]; !strings.Contains(row, chosen) {
			t.Errorf("of the hall %q is not chosen in %s", chosen, row)
		}
	}
	shown(`<option value="" selected>yes`)
	h.Apply(&record.Setting{Name: record.SettingComparableBy, Of: "hall", Value: new(int64), At: webtest.ShowTime, By: "Mia"})
	shown(`<option value="0" selected>no`)
	if back := read("", "0"); len(back) != 1 || back[0].Value != nil {
		t.Errorf("yes takes back %+v", back)
	}
}

// A section shows its values as text: what is set, the default where there is one, and otherwise that it is not set. Its
// form is folded until somebody changes it, and stays open while there is something wrong in it.
func TestSettingsAreTextUntilChanged(t *testing.T) {
	h := webtest.Busy(t)
	h.Apply(&record.Setting{Name: record.SettingLicensed, Of: "Foyer", Value: new(int64(300)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingComparableBy, Of: "title", Value: new(int64), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-12", Value: new(int64(120_000_00)), At: webtest.ShowTime, By: "Mia"})
	section := func(page, id string) string {
		_, s, _ := strings.Cut(page, `<section id="`+id+`"`)
		s, _, _ = strings.Cut(s, "</section>")
		return s
	}
	text := func(page, id string) string {
		s, _, _ := strings.Cut(section(page, id), "<details")
		return webtest.FigureText("<" + s)
	}
	page := webtest.Page(t, webtest.Renderer(t), settings.As(web.Admin), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "licensed", text(page, "licensed"), "Whole building not set", "Foyer 300 people Mia , today 19:52")
	webtest.Wants(t, "attention", text(page, "attention"), "10 %, as usual")
	webtest.Wants(t, "comparables", text(page, "comparables"), "title no Mia , today 19:52", "hall yes", "5 performances, as usual", "(empty: any age) not set")
	webtest.Wants(t, "budgets", text(page, "budgets"), "Dec 120,000 EUR Mia")
	webtest.Lacks(t, "budgets", text(page, "budgets"), "not set", "Jan")
	webtest.Wants(t, "rates", text(page, "vat"), "not set")
	for l, want := range map[web.Locale]string{ // alerts are told all the same
		words.English: "A gate is quiet § mail and devices § mail, devices and chats § mail and devices § mail and devices ¦ Hold the performance § page § mail, devices and chats § mail and devices § mail and devices ¦",
		words.Dutch:   "Wachten met beginnen § pagina § mail, apparaten en chats § mail en apparaten §", words.German: "Mit dem Beginn warten § Seite § Mail, Geräte und Chats § Mail und Geräte §",
	} {
		told := text(webtest.Page(t, webtest.RendererWith(t, web.Sources{Program: web.Program{HouseRole: web.BoxOffice}}), webtest.In(l, settings.As(web.Admin)), h.Snapshot(), webtest.ShowTime), "alerts")
		webtest.Wants(t, "alerts, "+string(l), told, want)
		webtest.Lacks(t, "alerts, "+string(l), told, "not set", "niet ingesteld", "nicht eingestellt")
	}
	webtest.Wants(t, "alerts", webtest.FigureText(section(page, "alerts")), "A gate is quiet on pages and sent Told ", "Is far behind only on pages Told ")
	webtest.Lacks(t, "alerts", webtest.FigureText(section(page, "alerts")), "A gate is quiet: told")
	webtest.Wants(t, "what is not told", text(page, "alerts"), "Alert Door Box office Manager Administrator", "Unusual refunds § · § · § page § page ¦", "Is far behind § · § page § page § page ¦", "¦ Nearly full § page § page § page § page")
	off, sent := int64(figures.AlertOff), int64(figures.AlertByMail)
	h.Apply(&record.Setting{Name: record.SettingAlertTold, Of: evening.AlertHold, Value: &off})
	h.Apply(&record.Setting{Name: record.SettingAlertBy, Of: evening.AlertQuietGate, Value: &sent})
	set := webtest.Page(t, webtest.Renderer(t), settings.As(web.Admin), h.Snapshot(), webtest.ShowTime)
	webtest.Wants(t, "what the house set", text(set, "alerts"), "A gate is quiet § mail § mail § mail § mail ¦ Hold the performance § · § · § · § · ¦")
	if n := strings.Count(page, "<details open"); n != 1 { // the running season, in a form that is folded itself
		t.Errorf("%d forms and groups are open", n)
	}
	foyer := url.QueryEscape((&record.Setting{Name: record.SettingLicensed, Of: "Foyer"}).RecordID())
	wrong := typedAt(t, h, words.English, url.Values{"section": {"licensed"}, "is " + foyer: {"many"}, "was " + foyer: {"300"}})
	webtest.Wants(t, "what failed", section(wrong, "licensed"), `<details class="change" open>`)
	webtest.Lacks(t, "what did not fail", section(wrong, "vat"), `<details class="change" open>`)
}

// Who is told names only ways by which a role hears of an alert: chats are told what their role takes on, and by ways that the house has no
// more an alert goes by all.
func TestSettingsSayWhoIsTold(t *testing.T) {
	const mail, device, chats = figures.AlertByMail, figures.AlertByDevice, figures.AlertByHouse
	for _, c := range []struct {
		what     string
		ways, by int // by is 0 for as usual
		role     web.Role
		code     string
		want     string
	}{
		{"chats of the box office", mail | device | chats, 0, web.BoxOffice, evening.AlertOversold, "§ page § page § mail and devices § mail and devices ¦"},
		{"chats of the manager", mail | device | chats, 0, web.Manager, evening.AlertOversold, "§ page § page § mail, devices and chats § mail and devices ¦"},
		{"chats alone", mail | device | chats, chats, web.Manager, evening.AlertOversold, "§ page § page § chats § page ¦"},
		{"chats alone, of a role that does not take it on", mail | device | chats, chats, web.BoxOffice, evening.AlertOversold, "§ page § page § page § page ¦"},
		{"chats that are gone", mail | device, chats, web.Manager, evening.AlertOversold, "§ page § page § mail and devices § mail and devices ¦"},
		{"mail, as the chats are gone", mail | device, mail | chats, web.Manager, evening.AlertOversold, "§ page § page § mail § mail ¦"},
		{"devices", device | chats, mail | device, web.Manager, evening.AlertOversold, "§ page § page § devices § devices ¦"},
		{"chats of the door", mail | device | chats, 0, web.Door, evening.AlertHold, "§ page § mail and devices § mail and devices § mail and devices ¦"},
	} {
		h := webtest.Busy(t)
		if c.by != 0 {
			h.Apply(&record.Setting{Name: record.SettingAlertBy, Of: c.code, Value: new(int64(c.by)), At: webtest.ShowTime, By: "Mia"})
		}
		r := webtest.RendererWith(t, web.Sources{Program: web.Program{AlertWays: c.ways, HouseRole: c.role}})
		name := map[string]string{evening.AlertOversold: "Sold without a seat", evening.AlertHold: "Hold the performance"}[c.code]
		webtest.Wants(t, c.what, webtest.FigureText(webtest.Page(t, r, settings.As(web.Admin), h.Snapshot(), webtest.ShowTime)), "¦ "+name+" "+c.want)
	}
}

// Every alert stands once under what it is about: what is to be done in the house first, then sales, money, and equipment.
func TestAlertsStandBySubject(t *testing.T) {
	r, h := webtest.Renderer(t), webtest.Busy(t)
	said := webtest.FigureText(webtest.Page(t, r, settings.As(web.Admin), h.Snapshot(), webtest.ShowTime))
	at := 0
	for _, want := range []string{"¦ In the house ¦ The building is full", "A gate is quiet", "Postponed", "¦ Sales ¦ ", "Sold without a seat", "Is far ahead", "¦ Money ¦ ", "Unusual refunds", "Money to pay back", "¦ Equipment and services ¦ ", "The database has no new backup", "A screen is silent"} {
		i := strings.Index(said[at:], want)
		if i < 0 {
			t.Fatalf("%q does not follow in %s", want, said)
		}
		at += i
	}
	for _, code := range evening.AlertCodes() {
		if name := web.Capital(words.Of(words.English).Code("alert_code", code)); strings.Count(said, "¦ "+name+" § ") != 1 {
			t.Errorf("%s does not stand there once: %s", name, said)
		}
	}
}

// Of an alert only what can become of it is offered: one that is never sent is on pages or off, and a way that the house has not set up is
// no choice, unless it is set.
func TestSettingsOfferWhatCanBeSent(t *testing.T) {
	h := webtest.Busy(t)
	h.Apply(&record.Setting{Name: record.SettingAlertBy, Of: "hold", Value: new(int64(figures.AlertByHouse)), At: webtest.ShowTime, By: "Mia"})
	h.Apply(&record.Setting{Name: record.SettingAlertAfter, Of: "owed", Value: new(int64(20)), At: webtest.ShowTime, By: "Mia"})
	of := func(ways int, name record.SettingName, code string) string {
		page := webtest.Page(t, webtest.RendererWith(t, web.Sources{Program: web.Program{AlertWays: ways}}), settings.As(web.Admin), h.Snapshot(), webtest.ShowTime)
		_, field, ok := strings.Cut(page, `name="is `+url.QueryEscape((&record.Setting{Name: name, Of: code}).RecordID())+`"`)
		if !ok {
			return "none"
		}
		if field, ok = strings.CutPrefix(field, ">"); !ok {
			return "a field"
		}
		field, _, _ = strings.Cut(field, "</select>")
		return strings.Join(strings.Fields(strings.ReplaceAll(field, "<", " <")), " ")
	}
	for _, c := range []struct {
		what string
		ways int
		name record.SettingName
		code string
		want string
	}{
		{"all ways", figures.AlertByAll, record.SettingAlertBy, "oversold", "mail, devices and chats; chats; devices; mail"},
		{"no chat", figures.AlertByMail | figures.AlertByDevice, record.SettingAlertBy, "oversold", "mail and devices; devices; mail"},
		{"devices alone", figures.AlertByDevice, record.SettingAlertBy, "oversold", "none"},
		{"set before", figures.AlertByDevice, record.SettingAlertBy, "hold", "devices; chats"},
		{"sent", figures.AlertByAll, record.SettingAlertTold, "oversold", "on pages and sent; only on pages; off"},
		{"never sent", figures.AlertByAll, record.SettingAlertTold, "owed", "only on pages; off"},
		{"never sent", figures.AlertByAll, record.SettingAlertBy, "owed", "none"},
		{"never sent", figures.AlertByAll, record.SettingAlertFrom, "owed", "none"},
		{"never sent, and set before", figures.AlertByAll, record.SettingAlertAfter, "owed", "a field"},
		{"never sent", figures.AlertByAll, record.SettingAlertRole, "differs", "none"},
	} {
		got := of(c.ways, c.name, c.code)
		for option := range strings.SplitSeq(c.want, "; ") {
			if !strings.Contains(got, ">"+option+" <") && got != option {
				t.Errorf("%s: %s of %s offers %s, want %q", c.what, c.name, c.code, got, c.want)
			}
		}
		if c.want != "none" && c.want != "a field" && c.ways != figures.AlertByAll && strings.Count(got, "<option") != len(strings.Split(c.want, "; ")) {
			t.Errorf("%s: %s of %s offers %s, want only %q", c.what, c.name, c.code, got, c.want)
		}
	}
}

// The settings end with what runs, what it reads and when it was last backed up, and lead to the backups that somebody made
// by hand.
func TestSettingsSayWhatRuns(t *testing.T) {
	r, at := webtest.RendererWith(t, web.Sources{Sessions: webtest.SignedIn, Program: web.Program{Version: "v1.2.3 0a1b2c3d", Services: []string{"pretix", "mollie"}}}), webtest.ShowTime
	for name, c := range map[string]struct {
		last *record.Reconciliation
		want string
	}{
		"none":             {nil, "Last automatic backup none yet"},
		"tonight":          {&record.Reconciliation{At: at.Add(-time.Hour), Due: at.Add(time.Hour)}, "Last automatic backup today 18:52"},
		"of old":           {&record.Reconciliation{At: at.Add(-50 * time.Hour)}, "Last automatic backup Wed 18 Nov, 17:52"},
		"some failed":      {&record.Reconciliation{At: at, Whole: at.Add(-26 * time.Hour), Found: []record.Found{{Key: "backup", Since: at.Add(-2 * time.Hour)}}}, "Last automatic backup Thu 19 Nov, 17:52; failed since today 17:52"},
		"one failed":       {&record.Reconciliation{At: at, Found: []record.Found{{Key: "backup", Since: at.Add(-2 * time.Hour)}}}, "Last automatic backup failed since today 17:52"},
		"the disk is full": {&record.Reconciliation{At: at, Found: []record.Found{{Key: "backup", Since: at.Add(-2 * time.Hour), Why: record.BackupDiskFull}}}, "Last automatic backup failed since today 17:52: the disk is full"},
	} {
		t.Run(name, func(t *testing.T) {
			s := *webtest.NewHouse().Snapshot()
			if c.last != nil {
				s.Checks = map[figures.Check]*record.Reconciliation{figures.CheckBackup: c.last}
			}
			page := webtest.Page(t, r, settings.As(web.Admin), &s, at)
			webtest.Wants(t, "settings", strings.Join(strings.Fields(webtest.AnyTag.ReplaceAllString(page, " ")), " "), "Version v1.2.3 0a1b2c3d", "Ticketing service pretix and mollie", c.want+" Backups by hand")
			webtest.Wants(t, "settings", page, `href="/sessions?what=backed_up&amp;days=all"`)
		})
	}
}
