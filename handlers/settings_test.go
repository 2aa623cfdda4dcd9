package handlers_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/event"
)

// settingsHouse returns a house with a hall, a ticket type, money in euros and some settings, where set
// changes one.
func settingsHouse(t *testing.T) (h *house, set func(*record.Setting)) {
	h = newHouse(t, nil)
	l := ledger.New(figures.Calendar{})
	revision := int64(0)
	apply := func(r record.Record) {
		revision++
		l.Apply(record.Version{Revision: revision, Head: true, Record: r})
		s := l.Snapshot(figures.Position{Revision: revision}, ledger.Coverage{TicketsOffered: true, TicketsComplete: true})
		read := func() *figures.Snapshot { return s }
		h.snapshot.Store(&read)
	}
	now := time.Now()
	apply(&record.Event{ID: "e", Title: "E", Hall: `Main <b>"&`, Date: now.UTC().Format(time.DateOnly)})
	apply(&record.Ticket{ID: "t", EventID: "e", Type: record.TypeRef{Name: "Stalls <i>"}, Status: record.TicketValid, Price: &record.Money{Amount: 1000, Currency: "EUR"}, SoldAt: now})
	set = func(s *record.Setting) { apply(s) }
	set(&record.Setting{Name: record.SettingLicensed, Of: `Main <b>"&`, Value: new(int64(400)), At: now.Add(-time.Hour), By: "Mia <b>"})
	set(&record.Setting{Name: record.SettingVATRate, Value: new(int64(900)), At: now.Add(-time.Hour), By: "Mia <b>"})
	return h, set
}

// field is the name of a setting's field, as it is and as it was.
func settingField(s record.Setting) (is, was string) {
	id := url.QueryEscape(s.RecordID())
	return "is " + id, "was " + id
}

// What an administrator types is set, all of it or nothing, and what is wrong is said beside what was
// typed.
func TestSettings(t *testing.T) {
	h, _ := settingsHouse(t)
	admin := h.loggedIn(t, web.Admin)
	hall, hallWas := settingField(record.Setting{Name: record.SettingLicensed, Of: `Main <b>"&`})
	building, buildingWas := settingField(record.Setting{Name: record.SettingLicensed})
	gone, goneWas := settingField(record.Setting{Name: record.SettingLicensed, Of: "Attic"})
	rate, rateWas := settingField(record.Setting{Name: record.SettingVATRate})
	month := time.Now().UTC().Format("2006-01")
	budget, budgetWas := settingField(record.Setting{Name: record.SettingBudget, Of: "EUR", From: month})
	few, fewWas := settingField(record.Setting{Name: record.SettingFewLeft})
	page := admin.get("/settings")
	for _, want := range []string{`name="` + html.EscapeString(hall) + `"`, `value="400"`, `value="9"`, `Main &lt;b&gt;&#34;&amp;`, `Stalls &lt;i&gt;`, `Mia &lt;b&gt;`, `name="` + html.EscapeString(budget) + `"`} {
		if !strings.Contains(page.body, want) {
			t.Errorf("%s is not in the page", want)
		}
	}
	for _, c := range []struct {
		name    string
		section string
		form    url.Values
		want    []string // entered; nil for nothing
		says    string   // of what was not saved
	}{
		{"nothing new", "licensed", url.Values{hall: {"400"}, hallWas: {"400"}}, nil, ""},
		{"two halls", "licensed", url.Values{hall: {" 1,420 "}, hallWas: {"400"}, building: {"2000"}, buildingWas: {""}}, []string{
			`licensed_capacity of "" is "2000" by Name of the admin, read at 4; audited licensed_capacity "": "" to "2000"`,
			`licensed_capacity of "Main <b>\"&" is "1420" by Name of the admin, read at 4; audited licensed_capacity "Main <b>\"&": "400" to "1420"`}, ""},
		{"one is wrong", "licensed", url.Values{hall: {"0"}, hallWas: {"400"}, building: {"2000"}, buildingWas: {""}}, nil, "Write a whole number from 1 to 1,000,000. Or leave it empty."},
		{"below 0", "licensed", url.Values{building: {"-5"}, buildingWas: {""}}, nil, "Write a whole number"},
		{"not any more", "licensed", url.Values{hall: {""}, hallWas: {"400"}}, []string{
			`licensed_capacity of "Main <b>\"&" is "" by Name of the admin, read at 4; audited licensed_capacity "Main <b>\"&": "400" to ""`}, ""},
		{"no such hall", "licensed", url.Values{gone: {"5"}, goneWas: {""}}, nil, "is not there any more"},
		{"set meanwhile", "licensed", url.Values{hall: {"500"}, hallWas: {"300"}}, nil, "Mia <b> set this to 400 meanwhile"},
		{"a rate", "vat", url.Values{rate: {"9.5 %"}, rateWas: {"9"}}, []string{`vat_rate of "" is "9.50%" by Name of the admin, read at 4; audited vat_rate "": "9.00%" to "9.50%"`}, ""},
		{"over a hundred", "vat", url.Values{rate: {"100.01"}, rateWas: {"9"}}, nil, "Write a percentage from 0 to 100, such as 9.50"},
		{"no number", "vat", url.Values{rate: {`<script>alert(1)</script>`}, rateWas: {"9"}}, nil, "Write a percentage"},
		{"a new rate", "vat", url.Values{"new thing": {url.QueryEscape("Stalls <i>")}, "new from": {"2027-01-01"}, "new value": {"21"}}, []string{
			`vat_rate of "Stalls <i> 2027-01-01" is "21.00%" by Name of the admin, read at 4; audited vat_rate "Stalls <i> 2027-01-01": "" to "21.00%"`}, ""},
		{"a new rate without a number", "vat", url.Values{"new from": {"2027-01-01"}}, nil, "Write what holds"},
		{"a new rate from no day", "vat", url.Values{"new from": {"2027-02-30"}, "new value": {"21"}}, nil, "Choose a day"},
		{"a new rate over a hundred", "vat", url.Values{"new from": {"2027-01-01"}, "new value": {"101"}}, nil, "such as 9.50.</"},
		{"a new rate of no type", "vat", url.Values{"new thing": {"Loge"}, "new value": {"21"}}, nil, "Choose one of those in the list"},
		{"another capacity", "licensed", url.Values{"new thing": {url.QueryEscape(`Main <b>"&`)}, "new from": {"2027-01-01"}, "new value": {"350"}}, []string{
			`licensed_capacity of "Main <b>\"& 2027-01-01" is "350" by Name of the admin, read at 4; audited licensed_capacity "Main <b>\"& 2027-01-01": "" to "350"`}, ""},
		{"a rate that is there", "vat", url.Values{"new value": {"21"}}, nil, "in the list already"},
		{"a budget", "budgets", url.Values{budget: {"€1,250.50"}, budgetWas: {""}}, []string{
			`budget of "EUR ` + month + `" is "1250.50" by Name of the admin, read at 4; audited budget "EUR ` + month + `": "" to "1250.50"`}, ""},
		{"a budget in another language", "budgets", url.Values{budget: {"1.250,50"}, budgetWas: {""}}, nil, "Write an amount such as 1,250.05"},
		{"a threshold", "attention", url.Values{few: {"12.5"}, fewWas: {""}}, []string{`few_left of "" is "12.50%" by Name of the admin, read at 4; audited few_left "": "" to "12.50%"`}, ""},
		{"a threshold over the half", "attention", url.Values{few: {"51"}, fewWas: {""}}, nil, "from 0 to 50"},
		{"of another section", "attention", url.Values{rate: {"8"}, rateWas: {"9"}}, nil, "is not there any more"},
		{"no section", "elsewhere", url.Values{rate: {"8"}, rateWas: {"9"}}, nil, ""},
	} {
		h.entered = nil
		c.form.Set("section", c.section)
		p := admin.enter("/settings", "/settings", c.form)
		if !slices.Equal(h.entered, c.want) {
			t.Errorf("%s: entered %q, want %q", c.name, h.entered, c.want)
		}
		saved := p.status == http.StatusSeeOther && p.header.Get("Location") == "/settings?saved="+c.section+"#"+c.section
		text := html.UnescapeString(p.body)
		switch {
		case c.section == "elsewhere":
			if p.status != http.StatusBadRequest {
				t.Errorf("%s: %d", c.name, p.status)
			}
		case saved != (c.says == ""):
			t.Errorf("%s: %d to %s", c.name, p.status, p.header.Get("Location"))
		case c.says != "" && !strings.Contains(text, c.says):
			t.Errorf("%s: %q is not in the page", c.name, c.says)
		case c.says != "" && !strings.Contains(text, "Not saved yet") && !strings.Contains(text, "Nothing was saved"):
			t.Errorf("%s: the page does not say that nothing was saved", c.name)
		}
		if strings.Contains(p.body, "<script>alert") {
			t.Errorf("%s: what was typed is in the page as it came", c.name)
		}
		for name, typed := range c.form {
			if c.says != "" && strings.HasPrefix(name, "is ") && !strings.Contains(text, "not there any more") && !strings.Contains(p.body, `value="`+html.EscapeString(typed[0])+`"`) {
				t.Errorf("%s: what was typed is lost: %q", c.name, typed[0])
			}
		}
	}
	for _, role := range []web.Role{web.Door, web.BoxOffice, web.Manager} {
		staff := h.loggedIn(t, role)
		h.entered = nil
		if p := staff.enter("/settings", "/settings", url.Values{"section": {"vat"}, rate: {"8"}, rateWas: {"9"}}); p.status != http.StatusForbidden || len(h.entered) > 0 {
			t.Errorf("%s: %d, %v", role, p.status, h.entered)
		}
		if p := staff.get("/settings"); p.status != http.StatusForbidden {
			t.Errorf("%s reads the settings: %d", role, p.status)
		}
	}
}

// Who saves over what another administrator saved in the same moment is told what that is.
func TestSettingsSetMeanwhile(t *testing.T) {
	h, set := settingsHouse(t)
	admin := h.loggedIn(t, web.Admin)
	building, was := settingField(record.Setting{Name: record.SettingLicensed})
	form := url.Values{"section": {"licensed"}, building: {"900"}, was: {""}}
	h.whileSet = func() error {
		set(&record.Setting{Name: record.SettingLicensed, Value: new(int64(800)), At: time.Now(), By: "Joost"})
		return fmt.Errorf("enter: %w", store.ErrChanged)
	}
	p := admin.enter("/settings", "/settings", form)
	if len(h.entered) != 1 || !strings.Contains(p.body, "Joost set this to 800 meanwhile") || !strings.Contains(p.body, `value="900"`) {
		t.Errorf("%d, entered %q: %s", p.status, h.entered, p.body)
	}
	h.whileSet, h.entered = nil, nil
	form.Set(was, "800") // as the page has it now
	if p := admin.enter("/settings", "/settings", form); p.status != http.StatusSeeOther || len(h.entered) != 1 || !strings.Contains(h.entered[0], `"800" to "900"`) {
		t.Errorf("saved again: %d, %q", p.status, h.entered)
	}
	h.whileSet = func() error { return store.ErrChanged } // without end
	if p := admin.enter("/settings", "/settings", url.Values{"section": {"licensed"}, building: {"901"}, was: {"800"}}); p.status != http.StatusInternalServerError {
		t.Errorf("status %d", p.status)
	}
}

// What is set anew is the newest, also where it was taken back by a clock that is ahead.
func TestSettingTakenBackAhead(t *testing.T) {
	h, set := settingsHouse(t)
	admin := h.loggedIn(t, web.Admin)
	building, was := settingField(record.Setting{Name: record.SettingLicensed})
	ahead := time.Now().Add(time.Hour)
	for _, value := range []*int64{new(int64(800)), nil} {
		set(&record.Setting{Name: record.SettingLicensed, Value: value, At: ahead, By: "Joost"})
	}
	if p := admin.enter("/settings", "/settings", url.Values{"section": {"licensed"}, building: {"900"}, was: {""}}); p.status != http.StatusSeeOther || len(h.enteredAt) != 1 || !h.enteredAt[0].After(ahead) {
		t.Errorf("status %d, set at %v, taken back at %v", p.status, h.enteredAt, ahead)
	}
}

// A past performance is taken out of what another is compared with, and put back, by those who manage the house:
// once, and audited.
func TestLeaveOut(t *testing.T) {
	h, set := settingsHouse(t)
	manager, office := h.loggedIn(t, web.Manager), h.loggedIn(t, web.BoxOffice)
	form := func(past string, undo bool) url.Values {
		f := url.Values{"event": {"e"}, "past": {url.QueryEscape(past)}}
		if undo {
			f.Set("undo", "1")
		}
		return f
	}
	if p := office.enter(event.LeaveOutPath, "/events/e", form("e", false)); p.status != http.StatusForbidden || h.entered != nil {
		t.Errorf("the box office: %d, %q", p.status, h.entered)
	}
	for _, f := range []url.Values{form("nobody", false), form("e", true)} {
		if p := manager.enter(event.LeaveOutPath, "/events/e", f); p.status != http.StatusSeeOther || h.entered != nil {
			t.Errorf("%v: %d, %q", f, p.status, h.entered)
		}
	}
	manager.enter(event.LeaveOutPath, "/events/e", form("e", false))
	if want := []string{`left_out of "e e" is "1" by Name of the manager, read at 4; audited left_out "e e": "" to "1"`}; !slices.Equal(h.entered, want) {
		t.Errorf("taken out: %q, want %q", h.entered, want)
	}
	set(&record.Setting{Name: record.SettingLeftOut, Of: record.LeftOutOf("e", "e"), Value: new(int64(1)), At: time.Now().Add(-time.Minute), By: "Joost"})
	h.entered = nil
	for _, undo := range []bool{false, true} { // what somebody took out meanwhile is not taken out again
		manager.enter(event.LeaveOutPath, "/events/e", form("e", undo))
	}
	if want := []string{`left_out of "e e" is "" by Name of the manager, read at 5; audited left_out "e e": "1" to ""`}; !slices.Equal(h.entered, want) {
		t.Errorf("put back: %q, want %q", h.entered, want)
	}
}
