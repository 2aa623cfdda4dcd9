package web_test

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/figures/ledger/replay"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/query"
	"housecount/web/webtest"
)

// What Changes shows of a figure is what the catalogue has of it now less what it had then, and nothing that
// changed is left out.
func TestChangesAreOfTheCatalogue(t *testing.T) {
	h := webtest.Eventful(t)
	then := len(h.Versions)
	mat := *h.Snapshot().Event("evt_mat")
	more := mat.Event
	more.Capacity, more.UpdatedAt = new(900), webtest.ShowTime
	h.Apply(&more)
	h.Sell(&more, webtest.Sale{From: webtest.ShowTime.Add(-time.Hour), To: webtest.ShowTime, Paid: 7, Comp: 2, Reserved: 1, Scans: true, In: []webtest.GateIn{{Gate: "A", N: 3, From: webtest.At("19:40"), To: webtest.At("19:50")}}})
	for _, v := range h.Versions[:then] { // one is paid back
		if r, is := v.Record.(*record.Ticket); is && r.EventID == "evt_vader" && r.Status == record.TicketValid && r.Price.Amount > 0 {
			gone := *r
			gone.Status, gone.CancelledAt, gone.UpdatedAt = record.TicketRefunded, webtest.ShowTime, webtest.ShowTime
			h.Apply(&gone)
			h.Apply(&record.Payment{ID: "pay_back", OrderID: r.OrderID, EventID: r.EventID, Kind: record.KindOfRefund, Amount: *r.Price, Status: record.PaymentPaid, PaidAt: webtest.ShowTime, CreatedAt: webtest.ShowTime, UpdatedAt: webtest.ShowTime})
			break
		}
	}
	s := h.Snapshot()
	before := ledger.New(figures.Calendar{Zone: webtest.Amsterdam})
	for _, v := range h.Versions[:then] {
		before.Apply(v)
	}
	was := *before.Snapshot(figures.Position{}, h.Coverage)
	was.Health, was.AsOf = h.Health, h.AsOf
	changed := catalogue.Changed{From: webtest.At("19:00"), UpTo: int64(len(h.Versions))}
	for _, e := range s.Events {
		c, some, ok := (&catalogue.History{Snapshot: s, Coverage: h.Coverage, Versions: h.Versions, Now: webtest.ShowTime}).Compare(e.Event.ID, int64(then), int64(len(h.Versions)))
		if !ok {
			t.Fatalf("%s is not compared", e.Event.ID)
		}
		if some {
			changed.Events = append(changed.Events, c)
		}
	}
	r := webtest.RendererWith(t, web.Sources{Changed: func(string, string) (catalogue.Changed, error) { return changed, nil }})
	body := webtest.Page(t, r, webtest.View{Page: "changes", Params: query.Params(url.Values{"since": {"day"}}.Encode())}.As(web.Manager), s, webtest.ShowTime)
	shown := map[string]string{}
	for _, link := range webtest.FigureLink.FindAllStringSubmatch(body, -1) {
		shown[link[1]] = html.UnescapeString(link[2])
	}
	columns := []figures.Key{figures.KeySold, figures.KeyReserved, figures.KeyCame, figures.KeyCapacity, figures.KeyBooked, figures.KeyNet}
	seen := map[figures.Key]int{}
	now, earlier := evening.At(s, webtest.ShowTime), evening.At(&was, webtest.ShowTime)
	for _, e := range s.Events {
		for _, k := range columns {
			scope := figures.Scope{Event: e.Event.ID}
			x, _ := catalogue.Explain(now, k, scope)
			y, ok := catalogue.Explain(earlier, k, scope)
			if !ok {
				t.Fatalf("%s of %s was not there", k, e.Event.ID)
			}
			d := catalogue.Define(k)
			by := figures.Value{Count: x.Count - y.Count, Amount: x.Amount.PlusAll(y.Amount, -1)}
			want := ""
			if by.Some() {
				if want = asShown(d, by, false); !strings.HasPrefix(want, "−") {
					want = "+" + want
				}
				seen[k]++
			}
			href := "/explain/" + string(k) + "?event=" + e.Event.ID
			if got := shown[href]; got != want {
				t.Errorf("%s of %s changed by %q, on the page %q", k, e.Event.ID, want, got)
			}
			delete(shown, href)
		}
	}
	if len(shown) > 0 || slices.ContainsFunc(columns, func(k figures.Key) bool { return seen[k] == 0 }) {
		t.Errorf("%v are shown beside, and compared is %v", shown, seen)
	}
}

// The last minute of a night that is replayed has the figures of the catalogue.
func TestReplayIsOfTheCatalogue(t *testing.T) {
	h := webtest.Eventful(t)
	s := h.Snapshot()
	v := evening.At(s, webtest.ShowTime)
	for _, event := range []string{"evt_mat", "evt_vader", "evt_over"} {
		minutes, _ := replay.Past(h.Snapshot().Calendar, h.Versions, event, 0, webtest.ShowTime.Unix()/60+1)
		if len(minutes) == 0 {
			t.Fatalf("%s has no past", event)
		}
		reading := minutes[len(minutes)-1]
		opened := figures.MinuteFigures{Minute: webtest.At("16:00").Unix() / 60}
		body := webtest.FigureText(webtest.Page(t, webtest.WithPast(t, []figures.MinuteFigures{opened, reading}, nil), webtest.ReplayView(event, "").As(web.Manager), s, webtest.ShowTime))
		of := func(*evening.Evening) []figures.Scope { return []figures.Scope{{Event: event}} }
		for _, text := range []string{`Inside {inside} `, `{sold} sold by then`, `Sold {sold} `, `Left to sell {available} `, `Received, net {net} `} {
			if (saying{"replay of " + event, text, of}).compare(t, v, s, body) == 0 {
				t.Errorf("%s: nothing says %q", event, text)
			}
		}
	}
}
