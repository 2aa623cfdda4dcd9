package services_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/apiclient"
	"housecount/apiclient/record"
	"housecount/apiclient/services"
)

// shop is a service of lists.
type shop struct {
	gives  map[string][]record.Kind
	lists  map[string][]any // records and refusals
	asked  []apiclient.Query
	paused time.Duration
}

func (s *shop) Streams() (all []apiclient.Stream) {
	for name, kinds := range s.gives {
		all = append(all, apiclient.Stream{Name: name, Gives: kinds, Mapping: "m"})
	}
	slices.SortFunc(all, func(a, b apiclient.Stream) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (s *shop) Read(_ context.Context, stream string, q apiclient.Query) iter.Seq2[record.Record, error] {
	s.asked = append(s.asked, q)
	return func(yield func(record.Record, error) bool) {
		for _, one := range s.lists[stream] {
			r, _ := one.(record.Record)
			err, _ := one.(error)
			if !yield(r, err) {
				return
			}
			if r != nil && q.OnRow != nil {
				q.OnRow(record.Row{List: stream, ID: "row", Records: []record.Key{{Kind: r.RecordKind(), ID: r.RecordID()}}})
			}
		}
	}
}

func (s *shop) Paused(string) time.Duration  { return s.paused }
func (s *shop) Limited(string) time.Duration { return s.paused / 2 }

// house has a box office, another one, its payment provider and its gates.
func house(t *testing.T, payments services.Payments) (*services.Services, map[string]*shop) {
	t.Helper()
	sells := map[string][]record.Kind{"events": {record.KindEvent}, "orders": {record.KindTicket, record.KindPayment}, "people": {record.KindContact}}
	all := map[string]*shop{
		"first": {gives: sells}, "other": {gives: sells, paused: time.Minute},
		"money": {gives: map[string][]record.Kind{"payments": {record.KindPayment}}},
		"gates": {gives: map[string][]record.Kind{"scans": {record.KindScan}, "plan": {record.KindPlanning}}},
	}
	read, err := services.Join(services.Service{Name: "first", Source: all["first"], Payments: payments},
		services.Service{Name: "other", Source: all["other"]}, services.Service{Name: "money", Source: all["money"]}, services.Service{Name: "gates", Source: all["gates"]})
	if err != nil {
		t.Fatal(err)
	}
	return read, all
}

// read returns what a stream gives: records as JSON without what is not reported, refusals, and rows.
func read(t *testing.T, s *services.Services, stream string, q apiclient.Query) (all []string) {
	t.Helper()
	q.OnRow = func(row record.Row) { all = append(all, fmt.Sprint("row ", row.List, " ", row.Records)) }
	for r, err := range s.Read(t.Context(), stream, q) {
		if refused, ok := errors.AsType[*record.Refusal](err); ok {
			all = append(all, fmt.Sprintf("refused %s %s %s of %q: %s %s", refused.Stream, refused.Kind, refused.ID, refused.EventID, refused.Field, refused.Why))
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]any{}
		if err := json.Unmarshal(b, &fields); err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, name := range []string{"id", "event_id", "order_id", "contact_id", "ticket_id", "ticket_ids", "parent_id", "replaces", "series_id", "deleted"} {
			if v := fields[name]; v != nil && v != "" {
				text = append(text, fmt.Sprint(name, "=", v))
			}
		}
		all = append(all, string(r.RecordKind())+" "+strings.Join(text, " "))
	}
	return all
}

func TestIDsAreApart(t *testing.T) {
	s, all := house(t, services.Payments{})
	ticket := func() any {
		return &record.Ticket{ID: "1", EventID: "e", OrderID: "o", ContactID: "c", Replaces: "0"}
	}
	payment := func() any {
		return &record.Payment{ID: "1", EventID: "e", OrderID: "o", ContactID: "c", ParentID: "0", TicketIDs: []string{"1", "2"}}
	}
	for _, name := range []string{"first", "other"} {
		all[name].lists = map[string][]any{
			"events": {&record.Event{ID: "e", Series: "s"}, &record.Refusal{Stream: "events", Kind: record.KindEvent, ID: "x", EventID: "x"}},
			"orders": {ticket(), payment()}, "people": {&record.Contact{ID: "c"}},
		}
	}
	all["money"].lists = map[string][]any{"payments": {payment()}}
	all["gates"].lists = map[string][]any{"scans": {&record.TicketScan{ID: "1", TicketID: "1", EventID: "e"}}, "plan": {&record.Planning{ID: "1", EventID: "e"}}}
	for stream, want := range map[string][]string{
		"events":         {"event id=e series_id=s", "row events [{event e}]", "refused events event x of \"x\":  "},
		"orders":         {"ticket id=1 event_id=e order_id=o contact_id=c replaces=0", "row orders [{ticket 1}]", "payment id=1 event_id=e order_id=o contact_id=c ticket_ids=[1 2] parent_id=0", "row orders [{payment 1}]"},
		"other/events":   {"event id=other:e series_id=other:s", "row other/events [{event other:e}]", "refused other/events event other:x of \"other:x\":  "},
		"other/orders":   {"ticket id=other:1 event_id=other:e order_id=other:o contact_id=other:c replaces=other:0", "row other/orders [{ticket other:1}]", "payment id=other:1 event_id=other:e order_id=other:o contact_id=other:c ticket_ids=[other:1 other:2] parent_id=other:0", "row other/orders [{payment other:1}]"},
		"other/people":   {"contact id=other:c", "row other/people [{contact other:c}]"},
		"money/payments": {"payment id=money:1 event_id=e order_id=o contact_id=c ticket_ids=[1 2] parent_id=money:0", "row money/payments [{payment money:1}]"},
		"gates/scans":    {"scan id=gates:1 event_id=e ticket_id=1", "row gates/scans [{scan gates:1}]"},
		"gates/plan":     {"planning id=gates:1 event_id=e", "row gates/plan [{planning gates:1}]"},
	} {
		if got := read(t, s, stream, apiclient.Query{}); !slices.Equal(got, want) {
			t.Errorf("%s\n got %q\nwant %q", stream, got, want)
		}
	}
	if r := all["other"].lists["events"][0].(*record.Event); r.ID != "e" {
		t.Errorf("the service's own record was changed to %q", r.ID)
	}
}

// The first service cannot give a record that would be taken for another's, and no id becomes too long.
func TestIDsOfAnother(t *testing.T) {
	s, all := house(t, services.Payments{})
	all["first"].lists = map[string][]any{"events": {&record.Event{ID: "other:e"}, &record.Event{ID: "another:e"}}}
	all["other"].lists = map[string][]any{"events": {&record.Event{ID: strings.Repeat("e", record.MaxID-len("other:"))}, &record.Event{ID: strings.Repeat("e", record.MaxID)}}}
	got := read(t, s, "events", apiclient.Query{})
	if want := []string{`refused events event other:e of "": id begins as those of another service do`, "row events [{event other:e}]", "event id=another:e", "row events [{event another:e}]"}; !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := read(t, s, "other/events", apiclient.Query{}); len(got) != 4 || !strings.HasPrefix(got[0], "event id=other:eee") || !strings.Contains(got[2], "longer than 200 bytes") {
		t.Errorf("got %q", got)
	}
}

// A read of an event asks the service whose event it is, by the id that it has there.
func TestEventOfAnother(t *testing.T) {
	s, all := house(t, services.Payments{})
	for _, c := range []struct{ stream, event, service, asked string }{
		{"orders", "e", "first", "e"}, {"orders", "other:e", "first", ""}, {"orders", "unknown:e", "first", "unknown:e"},
		{"other/orders", "other:e", "other", "e"}, {"other/orders", "e", "other", ""},
		{"gates/scans", "e", "gates", "e"}, {"gates/scans", "other:e", "gates", ""},
	} {
		all[c.service].asked = nil
		read(t, s, c.stream, apiclient.Query{EventID: c.event})
		got := ""
		for _, q := range all[c.service].asked {
			got += q.EventID
		}
		if got != c.asked {
			t.Errorf("%s of %s asks for %q, want %q", c.stream, c.event, got, c.asked)
		}
	}
}

func TestStreams(t *testing.T) {
	s, _ := house(t, services.ReadPayments([]string{"none"}))
	var got []string
	for _, stream := range s.Streams() {
		got = append(got, fmt.Sprintf("%s of %q gives %v by %q, owns e %v, other:e %v; held back %v, %v", stream.Name, stream.Service, stream.Gives, stream.Mapping,
			stream.Owns("e"), stream.Owns("other:e"), s.Paused(stream.Name), s.Limited(stream.Name)))
	}
	if want := []string{
		`events of "" gives [event] by "m payments none", owns e true, other:e false; held back 0s, 0s`,
		`orders of "" gives [ticket] by "m payments none", owns e true, other:e false; held back 0s, 0s`,
		`people of "" gives [contact] by "m payments none", owns e true, other:e false; held back 0s, 0s`,
		`other/events of "other" gives [event] by "m", owns e false, other:e true; held back 1m0s, 30s`,
		`other/orders of "other" gives [ticket payment] by "m", owns e false, other:e true; held back 1m0s, 30s`,
		`other/people of "other" gives [contact] by "m", owns e false, other:e true; held back 1m0s, 30s`,
		`money/payments of "money" gives [payment] by "m", owns e false, other:e false; held back 0s, 0s`,
		`gates/plan of "gates" gives [planning] by "m", owns e false, other:e false; held back 0s, 0s`,
		`gates/scans of "gates" gives [scan] by "m", owns e false, other:e false; held back 0s, 0s`,
	}; !slices.Equal(got, want) {
		t.Errorf("streams\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := s.Paused("nothing"); got != 0 {
		t.Errorf("an unknown stream is held back for %v", got)
	}
}

// What another service tells of is deleted here, because it may have counted before.
func TestPaymentsLeftOut(t *testing.T) {
	for _, c := range []struct {
		option string
		want   []string
	}{
		{"", []string{"payment id=1", "payment id=2", "payment id=3"}},
		{"all", []string{"payment id=1", "payment id=2", "payment id=3"}},
		{"none", []string{"payment id=1 deleted=true", "payment id=2 deleted=true", "payment id=3 deleted=true"}},
		{"cash,voucher", []string{"payment id=1", "payment id=2 deleted=true", `refused orders payment 3 of "e": method is missing, and says whether another service tells of this payment`}},
	} {
		var words []string
		if c.option != "" {
			words = strings.Split(c.option, ",")
		}
		s, all := house(t, services.ReadPayments(words))
		all["first"].lists = map[string][]any{"orders": {&record.Payment{ID: "1", Method: "cash"}, &record.Payment{ID: "2", Method: "ideal"}, &record.Payment{ID: "3", EventID: "e"}}}
		got := slices.DeleteFunc(read(t, s, "orders", apiclient.Query{}), func(text string) bool { return strings.HasPrefix(text, "row ") })
		for i := range got {
			got[i] = strings.Replace(got[i], " event_id=e", "", 1)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.option, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "Mollie", "a:b", "a/b", "a b", strings.Repeat("a", 21)} {
		if _, err := services.Join(services.Service{Source: &shop{}}, services.Service{Name: name, Source: &shop{}}); err == nil {
			t.Errorf("%q is taken for a name", name)
		}
	}
	if _, err := services.Join(services.Service{Name: "mollie", Source: &shop{}}, services.Service{Name: "mollie", Source: &shop{}}); err == nil {
		t.Error("two services have one name")
	}
}
