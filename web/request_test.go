package web_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

func TestTopics(t *testing.T) {
	for _, v := range append(webtest.Views(t, "evt_/?&=%", "Zaal 1 & 2 / été"), webtest.RevenueView(90)) {
		for _, role := range web.Roles {
			if !v.SeenBy(role) {
				continue
			}
			q := v.As(role)
			got, err := web.ParseTopic(q.Topic())
			if err != nil || got != q {
				t.Errorf("ParseTopic(%q) = %+v, %v; want %+v", q.Topic(), got, err, q)
			}
		}
	}
	for _, topic := range []string{"", "tonight", "en", "en/money=none", "en/money=none/attic", "en//tonight", "en/money=some/tonight", "xx/money=none/tonight",
		"/money=none/tonight", "en/money=none/revenue?period=week", "en/money=all/revenue", "en/money=all/revenue?period=1", "en/money=all/revenue?period=x",
		"en/money=none/event", "en/money=none/tonight?hall=x", "en/money=none/wall?%zz", "en/money=none/tonight?", "en/money=none&x=1/tonight",
		"en/money=none/wall?hall=a&hall=b", "en/hall=b&hall=a&money=none/tonight", "en/hall=a&hall=a&money=none/tonight", "en/%zz/tonight",
		"en/hall=a&money=none/wall?hall=b", "en/hall=a&money=all/revenue?period=week"} {
		if q, err := web.ParseTopic(topic); err == nil {
			t.Errorf("ParseTopic(%q) = %+v, want an error", topic, q)
		}
	}
}

// A topic that is read is the topic that is written, and a request that is read of an address
// is the request of its topic.
func FuzzTopic(f *testing.F) {
	for _, v := range webtest.Views(f, "evt_/?&=%", "Zaal 1 & 2 / été") {
		f.Add(v.As(web.Manager).Topic(), v.Page, string(v.Params), "all", "Zaal 1 & 2 / été")
	}
	f.Add("en/hall=a&money=none/tonight", "revenue", "period=", "none", "")
	f.Fuzz(func(t *testing.T, topic, page, query, money, hall string) {
		if q, err := web.ParseTopic(topic); err == nil && q.Topic() != topic {
			t.Errorf("%q is read and written as %q", topic, q.Topic())
		}
		values, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		for _, a := range []web.Access{{Money: web.Money(money)}, web.Access{Money: web.Money(money), Findings: true}.InHalls(hall, "b", hall)} {
			q, err := web.NewRequest(page, values, a, web.English)
			if err != nil {
				continue
			}
			if got, err := web.ParseTopic(q.Topic()); err != nil || got != q {
				t.Errorf("%+v is read back as %+v, %v", q, got, err)
			}
		}
	})
}

func TestNewRequest(t *testing.T) {
	for _, c := range []struct {
		page, query string
		role        web.Role
		want        query.Params
		wrong       string // what is wrong with it, as a sentence
		err         error
	}{
		{page: "revenue", role: web.Manager, want: "against=before&period=month"},
		{page: "revenue", query: "period=&against=", role: web.Manager, want: "against=before&period=month"},
		{page: "revenue", query: "period=season&against=last_year", role: web.Admin, want: "against=last_year&period=season"},
		{page: "revenue", query: "period=custom&from=2026-11-01&against=nothing", role: web.Admin, want: "against=nothing&from=2026-11-01&period=custom"},
		{page: "revenue", query: "period=custom&from=November", role: web.Manager, wrong: `Its parameter "from" has to be a day like 2026-11-21.`},
		{page: "revenue", query: "to=2026-11-01", role: web.Manager, wrong: `Its parameter "to" has no effect with the others.`},
		{page: "revenue", query: "period=year", role: web.Manager, wrong: `Its parameter "period" has to be today, yesterday, week, last_week, month, season or custom.`},
		{page: "revenue", query: "period=week&period=week", role: web.Manager, wrong: `Its parameter "period" is given more than once.`},
		{page: "revenue", query: "period=year", role: web.BoxOffice, err: web.ErrForbidden}, // no mend would help
		{page: "revenue", query: "day=8", role: web.Manager, wrong: `Its parameter "day" is not known here: this page takes period, from, to, against, vat, without and skip.`},
		{page: "tonight", query: "x=1", role: web.Door, wrong: `Its parameter "x" is not known here: this page takes no parameters.`},
		{page: "wall", query: "hall=", role: web.Door, want: ""},
		{page: "wall", query: "hall=b%26c", role: web.Door, want: "hall=b%26c"},
		{page: "wall", query: "hall=" + strings.Repeat("h", 200), role: web.Door, want: query.Params("hall=" + strings.Repeat("h", 200))},
		{page: "wall", query: "hall=" + strings.Repeat("h", 201), role: web.Door, wrong: `Its parameter "hall" has to be text of at most 200 bytes.`},
		{page: "wall", query: "hall=%ff", role: web.Door, wrong: `Its parameter "hall" has to be text of at most 200 bytes.`},
		{page: "event", role: web.Door, wrong: `Its parameter "event" is missing.`},
		{page: "attic", role: web.Admin, err: web.ErrNotFound},
		{page: "tonight", role: "owner", err: web.ErrForbidden},
	} {
		values, err := url.ParseQuery(c.query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := web.NewRequest(c.page, values, c.role.Access(), web.English)
		wrong := ""
		if p, ok := errors.AsType[*query.Error](err); ok {
			wrong, err = p.Error(), nil
		}
		if wrong != c.wrong || err != c.err || q.Params != c.want {
			t.Errorf("%s?%.40s as %s: params %q, wrong %q, error %v; want %q, %q, %v", c.page, c.query, c.role, q.Params, wrong, err, c.want, c.wrong, c.err)
		}
	}
}

// No parameter may have the name of one that the script adds to a socket's address.
func TestPagesTable(t *testing.T) {
	names, tabs := map[string]bool{}, map[string]string{}
	for _, p := range web.Pages() {
		if names[p.Name] || p.Name == "notice" {
			t.Errorf("two pages are called %s", p.Name)
		}
		names[p.Name] = true
		for _, param := range p.Params {
			if slices.Contains([]string{"view", "token", "version"}, param.Name) {
				t.Errorf("%s: parameter %s is the socket's own", p.Name, param.Name)
			}
		}
		for _, tab := range p.Tabs {
			at := fmt.Sprint(cmp.Or(p.Under, p.Name), " ", tab.Place)
			if tabs[at] != "" {
				t.Errorf("%s and %s have the same place among the tabs of %s", tabs[at], p.Name, at)
			}
			tabs[at] = p.Name
			if tab.Param != "" && !web.HasParam(p.Name, tab.Param) {
				t.Errorf("%s has a tab of the parameter %s, and no such parameter", p.Name, tab.Param)
			}
		}
		if got, want := len(p.PathParams()), strings.Count(p.Path, "{"); got != want {
			t.Errorf("%s: %d parameters in the path %s, want %d", p.Name, got, p.Path, want)
		}
	}
}

// Whoever opens a page sees in the navigation where it is: the page is named there, or one that it belongs to is.
func TestPagesBelongSomewhere(t *testing.T) {
	for _, p := range web.Pages() {
		if p.Path == "" || p.Nav > 0 || p.Name == web.ExplainPage || p.Name == "letters" {
			continue
		}
		if up := web.PageNamed(p.Under); up == nil || up.Nav == 0 {
			t.Errorf("%s belongs to %q, which is not in the navigation", p.Name, p.Under)
		}
	}
}
