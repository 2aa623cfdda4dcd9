package catalogue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/aggregator/figures/foldtest"
	"housecount/aggregator/figures/ledger"
	"housecount/apiclient/record"
)

// The parts of sales by each split are all of them, of a performance and of several, each is explained as it is listed
// and by its performances, and the records behind it are those that it counts.
func TestSalesParts(t *testing.T) {
	d, now := rand.New(rand.NewPCG(3, 5)), time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	var versions []record.Version
	add := func(r record.Record) {
		versions = append(versions, record.Version{Revision: int64(len(versions) + 1), Head: true, SeenAt: now, Record: r})
	}
	pick := func(all ...string) string { return all[d.IntN(len(all))] }
	for i := range 3 {
		add(&record.Event{ID: fmt.Sprint("e", i), Date: fmt.Sprint("2026-11-2", i), TicketTypes: []record.TicketType{{ID: "a", Name: "Front", Capacity: new(1000)}, {ID: "b", Capacity: new(1000)}}})
	}
	for i := range 200 {
		event, order := fmt.Sprint("e", i%3), fmt.Sprint("o", i)
		if i < 9 {
			add(&record.Contact{ID: fmt.Sprint("c", i), City: []string{"Utrecht", "Ede", ""}[i%3], PostalArea: []string{"3511", "6711", ""}[i%3], Country: "NL"})
		}
		r := record.Ticket{ID: fmt.Sprint("t", i), EventID: event, OrderID: order, ContactID: []string{"", fmt.Sprint("c", i%9)}[i%2], Status: record.TicketValid, Type: record.TypeRef{ID: pick("a", "b", ""), Name: pick("Back", "")}, Channel: pick("web", "desk", ""),
			Referral: pick("mail", ""), DiscountCode: pick("", "TEN"), Price: &record.Money{Amount: int64(1 + d.IntN(90)), Currency: pick("EUR", "USD")}, SoldAt: now.AddDate(0, 0, -d.IntN(120))}
		if d.IntN(9) == 0 {
			r.SoldAt = time.Time{}
		}
		if d.IntN(9) == 0 {
			r.Status, r.CancelledAt = record.TicketVoid, now
		}
		add(&r)
		add(&record.Payment{ID: fmt.Sprint("p", i), OrderID: order, EventID: event, Kind: record.KindOfPayment, Method: pick("card", "cash", ""), Status: record.PaymentPaid, Amount: *r.Price, PaidAt: now})
	}
	l := ledger.New(figures.Calendar{})
	for i := range versions {
		l.Apply(versions[i])
	}
	s := l.Snapshot(figures.Position{}, foldtest.Complete)
	v := evening.At(s, now)
	from, to := figures.Day("2026-11-21"), figures.Day("2026-11-22")
	several := figures.Scope{From: from, To: to, Performances: true}
	m := marketing.Of(v, from, to)
	for _, by := range figures.Splits {
		for _, of := range []struct {
			figures.Scope
			parts []*marketing.Part
		}{{several, slices.Collect(m.PartsBy(by))}, {figures.Scope{Event: "e1"}, slices.Collect(marketing.PartsBy(s.Event("e1"), by))}} {
			sums := map[figures.Key]figures.Value{}
			for _, part := range of.parts {
				scope := of.Scope
				scope.By, scope.Part = by, part.Name
				catalogue.EachOfPart(part, func(d *catalogue.Definition, value figures.Value) {
					x, ok := catalogue.Explain(v, d.Key, scope)
					if !ok || x.Count != value.Count || !slices.Equal(x.Amount, value.Amount) || x.Quality != value.Quality {
						t.Errorf("%s of %+v is %+v, explained as %+v", d.Key, scope, value, x.Value)
					}
					sum := sums[d.Key]
					sums[d.Key] = figures.Value{Count: sum.Count + value.Count, Amount: sum.Amount.PlusAll(value.Amount, 1)}
					if scope.Event == "" {
						var parts figures.Value
						for _, p := range x.Parts {
							parts = figures.Value{Count: parts.Count + p.Count, Amount: parts.Amount.PlusAll(p.Amount, 1)}
						}
						if parts.Count != value.Count || !slices.Equal(parts.Amount, value.Amount) {
							t.Errorf("%s of %+v is %+v, its performances %+v", d.Key, scope, value, parts)
						}
						return
					}
					behind, counted := behindOf(s, versions, now, d.Key, scope), figures.Value{Count: value.Count}
					for _, r := range behind.Records {
						if counted.Count--; d.Unit == figures.Money {
							counted = figures.Value{Amount: counted.Amount.Plus(r.Amount, 1)}
						}
					}
					if d.Unit == figures.Money && !slices.Equal(counted.Amount, value.Amount) || counted.Count != 0 || value.Some() && len(behind.Records) == 0 {
						t.Errorf("%s of %+v is %+v, %d records are behind it: %+v", d.Key, scope, value, behind.All, counted)
					}
				})
			}
			for k, sum := range sums {
				whole, _ := catalogue.Explain(v, k, of.Scope)
				if want := whole.Value; k != figures.KeyPaid && k != figures.KeyBooked || of.Event != "" {
					if sum.Count != want.Count || !slices.Equal(sum.Amount, want.Amount) {
						t.Errorf("%s by %s of %+v comes to %+v, want %+v", k, by, of.Scope, sum, want)
					}
				}
			}
			if len(sums) == 0 || len(of.parts) < 2 {
				t.Errorf("there are no parts by %s of %+v: %v", by, of.Scope, sums)
			}
		}
	}
	if _, ok := catalogue.Explain(v, figures.KeySold, figures.Scope{Event: "e1", Area: "Front"}); !ok {
		t.Error("there is no price area")
	}
	for _, none := range []figures.Scope{{Event: "e1", Area: "Front", By: figures.OfChannels, Part: "web"}, {Event: "e1", By: figures.OfChannels, Part: "no such"}, {By: figures.OfChannels, Part: "web"}, {Event: "e1", By: "no such"}, {Event: "e1", From: from, To: to, By: figures.OfChannels, Part: "web"}} {
		if x, ok := catalogue.Explain(v, figures.KeySold, none); ok {
			t.Errorf("%+v is %+v", none, x.Value)
		}
	}
	// What is paid of a part is no surer than of all.
	some := foldtest.Complete
	some.PaymentsComplete = false
	s = l.Snapshot(figures.Position{}, some)
	m = marketing.Of(evening.At(s, now), from, to)
	for name, parts := range map[string][]*marketing.Part{"several": slices.Collect(m.PartsBy(figures.OfChannels)), "one": slices.Collect(marketing.PartsBy(s.Event("e1"), figures.OfChannels))} {
		for _, part := range parts {
			if paid, _ := catalogue.OfPart(part, figures.KeyPaid); s.Event("e1").Paid.Quality != figures.Estimated || paid.Quality != figures.Estimated {
				t.Errorf("paid of %s, %q: %+v", name, part.Name, paid)
			}
		}
	}
}
