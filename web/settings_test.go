package web_test

import (
	"bytes"
	"html"
	"net/url"
	"strings"
	"testing"

	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

var settings = view{page: "settings"}

// typedAt is the page of settings with what somebody typed there and could not save.
func typedAt(t *testing.T, h *house, l web.Locale, typed url.Values) string {
	t.Helper()
	q := in(l, settings.as(web.Admin))
	f, changes := web.ReadSettings(q, typed, h.snapshot(), evening)
	if !f.Failed() || changes != nil {
		t.Fatalf("%v is saved as %v", typed, changes)
	}
	var b bytes.Buffer
	if err := renderer(t).Page(&b, web.Frame{Request: q, Form: f, Snapshot: h.snapshot(), Now: evening, Ready: true, User: "Fatima"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What is wrong with what was typed is said in every language, with an example as it is written there.
func TestWhatIsWrongWithSettings(t *testing.T) {
	h, look := everyHouse(t)["odd"], lookForWords(t)
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
		{"vat", url.Values{"new from": {"2026-12-01"}}, map[web.Locale]string{"en": "Write the rate", "nl": "Schrijf het tarief", "de": "Schreiben Sie den Satz"}},
		{"vat", url.Values{"new rate": {"9"}, "new from": {"1 December"}}, map[web.Locale]string{"en": "Choose a day", "nl": "Kies een dag", "de": "Wählen Sie einen Tag"}},
		{"vat", url.Values{"new rate": {"9"}, "new type": {"Loge"}}, map[web.Locale]string{"en": "Choose one", "nl": "Kies een van", "de": "Wählen Sie eine"}},
		{"vat", url.Values{"new rate": {"9"}}, map[web.Locale]string{"en": "in the list already", "nl": "al in de lijst", "de": "in der Liste schon"}},
		{"licensed", url.Values{"is " + foyer: {"many"}, "was " + foyer: {"5"}}, map[web.Locale]string{"en": "from 1 to 1,000,000", "nl": "van 1 tot 1.000.000", "de": "von 1 bis 1.000.000"}},
		{"licensed", url.Values{"is " + building: {"5"}, "was " + building: {""}}, map[web.Locale]string{"en": "not there any more", "nl": "bestaat niet meer", "de": "gibt es nicht mehr"}},
		{"budgets", url.Values{"is " + past: {"6"}, "was " + past: {"0"}}, nil},
		{"budgets", url.Values{"is " + past: {"6"}, "was " + past: {"0.05"}}, map[web.Locale]string{"en": "This month is over", "nl": "Deze maand is voorbij", "de": "Dieser Monat ist vorbei"}},
		{"budgets", url.Values{"is " + month: {"1 million"}, "was " + month: {""}}, map[web.Locale]string{"en": "such as 1,250.05", "nl": "zoals 1.250,05", "de": "wie 1.250,05"}},
		{"budgets", url.Values{"is " + month: {"5"}, "was " + month: {"7"}}, map[web.Locale]string{"en": "took this back", "nl": "intussen gewist", "de": "inzwischen gelöscht"}},
		{"attention", url.Values{"is " + quiet: {"0"}, "was " + quiet: {""}}, map[web.Locale]string{"en": "from 1 to 60", "nl": "van 1 tot 60", "de": "von 1 bis 60"}},
	} {
		c.typed.Set("section", c.section)
		look("settings", typedAt(t, h, words.Pseudo, c.typed))
		for l, want := range c.says {
			typed := c.typed
			if l != words.English && typed.Get("was "+past) == "0.05" {
				typed = url.Values{"section": {"budgets"}, "is " + past: {"6"}, "was " + past: {"0,05"}}
			}
			if page := html.UnescapeString(anyTag.ReplaceAllString(typedAt(t, h, l, typed), "")); !strings.Contains(page, want) {
				t.Errorf("%s of %v in %s: no %q", c.section, c.typed, l, want)
			}
		}
	}
}

// Amounts are read as the language of the page writes them, and kept in minor units.
func TestAmountsOfSettings(t *testing.T) {
	h := everyHouse(t)["odd"]
	field := url.QueryEscape((&record.Setting{Name: record.SettingBudget, Of: "EUR", From: "2026-12"}).RecordID())
	for l, text := range map[web.Locale]string{"en": "1,250.00", "nl": "1.250,00", "de": "1.250,00 €"} {
		f, changes := web.ReadSettings(in(l, settings.as(web.Admin)), url.Values{"section": {"budgets"}, "is " + field: {text}, "was " + field: {""}}, h.snapshot(), evening)
		if f.Failed() || len(changes) != 1 || *changes[0].Value != 1250_00 || changes[0].From != "2026-12" || changes[0].Of != "EUR" {
			t.Errorf("%s: %q is read as %+v", l, text, changes)
		}
	}
}

// What is not set is said to administrators alone, with the way to set it; what is set is on the pages
// of those who see it.
func TestSettingsOnPages(t *testing.T) {
	h, r := busy(t), renderer(t)
	revenue := func(role web.Role) string {
		return content(t, r, revenueView(7).as(role), h.snapshot(), evening).HTML["money-1"]
	}
	for _, want := range []string{`href="/settings#vat"`, `href="/settings#budgets"`} {
		if !strings.Contains(revenue(web.Admin), want) || strings.Contains(revenue(web.Manager), want) {
			t.Errorf("%s is not for administrators alone", want)
		}
	}
	for _, s := range []record.Setting{{Name: record.SettingVATRate, Value: new(int64(900))}, {Name: record.SettingBudget, Of: "EUR", From: "2026-11", Value: new(int64(30_000_00))},
		{Name: record.SettingLicensed, Of: "Grote Zaal", Value: new(int64(2))}, {Name: record.SettingLicensed, Value: new(int64(5000))}} {
		s.At, s.By = evening, "Mia"
		h.apply(&s)
	}
	wants(t, "revenue", text(revenue(web.Manager)), "VAT≈", "Budget≈ €7,000.00", "against it, with the whole of today", "up to Mon 30 Nov")
	if strings.Contains(revenue(web.Admin), "/settings#") {
		t.Error("administrators are led to what is set")
	}
	tonight := content(t, r, view{page: "tonight"}.as(web.Door), h.snapshot(), evening)
	wants(t, "attention", text(tonight.HTML["attention"]), "people too many in Grote Zaal", "and 2 are allowed. Let nobody else in.")
	wants(t, "head", text(tonight.HTML["head"]), "Whole building:", "of 5,000 people allowed", "Grote Zaal:", "of 2 people allowed")
	event := content(t, r, eventView("evt_mat").as(web.Door), h.snapshot(), evening)
	wants(t, "figures", text(event.HTML["figures"]), "of the 2 people allowed in Grote Zaal")
	lacks(t, "figures at the door", text(event.HTML["figures"]), "VAT")
	load, err := web.NewRequest("explain", url.Values{"figure": {"load"}, "hall": {"Grote Zaal"}}, web.Door.Access(), web.English)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "explanation of a load", text(page(t, r, load, h.snapshot(), evening)), "Load Grote Zaal", "People allowed inside")
	if _, err := web.NewRequest("explain", url.Values{"figure": {"load"}, "hall": {"Grote Zaal"}}, web.Manager.Access().InHalls("Foyer"), web.English); err == nil {
		t.Error("who sees one hall alone is explained another")
	}
	explained, err := web.NewRequest("explain", url.Values{"figure": {"vat"}, "event": {"evt_mat"}}, web.Manager.Access(), web.English)
	if err != nil {
		t.Fatal(err)
	}
	wants(t, "explanation", text(page(t, r, explained, h.snapshot(), evening)), "By rate of VAT", "9%")
}
