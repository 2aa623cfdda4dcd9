package web_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"housecount/aggregator"
	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/webtest"
	"housecount/web/words"
)

func TestFindings(t *testing.T) {
	r := webtest.Renderer(t)
	s := *webtest.Small(t).Snapshot()
	s.Diagnostics = []figures.Diagnostic{
		{Code: figures.CodePartition, Kind: record.KindEvent, ID: s.Events[0].Event.ID, Text: record.Say("sold {sold} + reserved {reserved} + available {available} = {sum}, capacity {capacity}", record.Number("sold", 25), record.Number("reserved", 3), record.Number("available", 1214), record.Number("sum", 1242), record.Number("capacity", 40)), Count: 2},
		{Code: figures.CodeOverRefunded, Kind: record.KindPayment, ID: "pay_a", Text: record.Say("refunded more than was paid"), Count: 1, Amount: record.Money{Amount: 1250, Currency: "EUR"}},
		{Code: "refused_record", Kind: record.KindTicket, ID: "\u202e<img src=x>", Text: record.Say("{field} {why}", record.Verbatim("field", "price"), record.Of("why", record.Say("fails the program: {text}", record.Verbatim("text", "<script>alert(1)</script>")))), Count: 1},
	}
	for _, role := range web.Roles {
		c := webtest.Content(t, r, webtest.View{Page: "tonight"}.As(role), &s, webtest.ShowTime)
		html, there := c.HTML["findings"]
		if shown := role == web.Manager || role == web.Admin; there != shown {
			t.Errorf("%s: shown %v, want %v", role, there, shown)
		}
		if !there {
			continue
		}
		for _, want := range []string{"Office: check 3 records", "places do not add up to the capacity", s.Events[0].Event.Title + " · event " + s.Events[0].Event.ID, "sold 25 + reserved 3 + available 1,214 = 1,242, capacity 40", "price fails the program: ", "refunded more than was paid, by €12.50", "a record that cannot be read"} {
			if !strings.Contains(webtest.Text(html), want) {
				t.Errorf("no %q in %s", want, html)
			}
		}
		if strings.Contains(html, "<img") || strings.Contains(html, "<script") || !strings.Contains(html, "<bdi>ticket \u202e&lt;img") {
			t.Errorf("the service's text is not inert: %s", html)
		}
	}
	for i := range 30 {
		s.Diagnostics = append(s.Diagnostics, figures.Diagnostic{Code: "new_code", Kind: record.KindTicket, ID: fmt.Sprint(i), Text: record.Say(strings.Repeat("x", 5000)), Count: 1})
	}
	html := webtest.Content(t, r, webtest.Tonight, &s, webtest.ShowTime).HTML["findings"]
	if rows := strings.Count(html, "<tr"); rows != 21 || !strings.Contains(html, "and 13 more") || len(html) > 20_000 {
		t.Errorf("%d rows, %d bytes: %s", rows, len(html), html)
	}
}

// An event that is being sold is reported by two streams at two moments. That its places do
// not add up just then is no finding.
func TestFindingsWaitForASaleToSettle(t *testing.T) {
	r := webtest.Renderer(t)
	for _, c := range []struct {
		name    string
		changed time.Duration // before the figures' moment
		want    bool
	}{{"being sold", time.Minute, false}, {"settled", 5 * time.Minute, true}} {
		t.Run(c.name, func(t *testing.T) {
			h := webtest.Small(t)
			e := *h.Snapshot().Events[0]
			e.Event.UpdatedAt = webtest.ShowTime.Add(-c.changed)
			h.Apply(&e.Event)
			s := *h.Snapshot()
			s.Diagnostics = []figures.Diagnostic{{Code: figures.CodePartition, Kind: record.KindEvent, ID: e.Event.ID, Text: record.Say("x"), Count: 2}}
			if got := strings.Contains(webtest.Content(t, r, webtest.Tonight, &s, webtest.ShowTime).HTML["findings"], "do not add up"); got != c.want {
				t.Errorf("shown %v, want %v", got, c.want)
			}
		})
	}
}

// What was found before messages had arguments was stored as a text, which is shown as it is.
func TestFindingsOfBefore(t *testing.T) {
	r, s := webtest.Renderer(t), *webtest.Small(t).Snapshot()
	var state aggregator.StreamState
	if err := json.Unmarshal([]byte(`{"Alarms":[{"Code":"sweep_guard","Kind":"ticket","Text":"5 of 9 are missing","Count":5}]}`), &state); err != nil {
		t.Fatal(err)
	}
	s.Diagnostics = state.Alarms
	q := webtest.Tonight
	q.Locale = words.German
	webtest.Wants(t, "findings", webtest.Text(webtest.Content(t, r, q, &s, webtest.ShowTime).HTML["findings"]), "es fehlen zu viele Datensätze", "5 of 9 are missing")
}
