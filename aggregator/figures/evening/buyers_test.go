package evening_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/evening/marketing"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox"
)

// Who bought, on which day and where they live, of the sandbox's performances of a month, is worked out from its answers once
// more, row by row. New places are more than the orders that hold them, and these more than the people who placed them: on
// the day on which somebody buys for the first time they may buy several places, in several orders.
func TestBuyersOfSandbox(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Amsterdam")
	if err != nil {
		t.Fatal(err)
	}
	f := newFolded(t, sandbox.Options{Seed: 7, Past: 20, Coming: 9, Start: time.Date(2026, 11, 21, 18, 40, 0, 0, zone)})
	for n, more := 1, true; more; n++ {
		rows := f.page(fmt.Sprintf("/v2/contacts?per_page=500&page=%d", n))
		for _, row := range rows {
			result, _, _ := record.Decode(record.KindContact, row)
			f.Add(result.Record)
		}
		more = len(rows) > 0
	}
	s := f.snapshot()
	type row struct {
		ID, Status, Kind, Date, Country string
		EventID                         string    `json:"event_id"`
		OrderID                         string    `json:"order_id"`
		ContactID                       string    `json:"contact_id"`
		PostalCode                      string    `json:"postal_code"`
		SoldAt                          time.Time `json:"sold_at"`
		CreatedAt                       time.Time `json:"created_at"`
		StartsAt                        time.Time `json:"starts_at"`
		Test                            bool
		Quantity                        *int
		Admits                          *bool
	}
	list := func(path string) (all []row) {
		for n := 1; ; n++ {
			rows := f.page(fmt.Sprintf("/v2/%s?per_page=500&page=%d", path, n))
			for _, one := range rows {
				var r row
				if err := json.Unmarshal(one, &r); err != nil {
					t.Fatal(err)
				}
				all = append(all, r)
			}
			if len(rows) == 0 {
				return all
			}
		}
	}
	night := func(at time.Time) figures.Day {
		return figures.Day(at.In(zone).Add(-6 * time.Hour).Format(time.DateOnly))
	}
	going, homes := map[string]bool{}, map[string]string{}
	from, to := figures.Day("2026-11-01"), figures.Day("2026-11-30")
	tests := map[string]bool{}
	for _, e := range list("events") {
		tests[e.ID] = e.Test
		day := night(e.StartsAt)
		going[e.ID] = !e.Test && day >= from && day <= to && e.Status != "cancelled" && e.Status != "postponed"
	}
	for _, c := range list("contacts") {
		if !c.Test && c.PostalCode != "" {
			homes[c.ID] = c.Country + " " + c.PostalCode[:2]
		}
	}
	first := map[string]figures.Day{}
	var sold []row
	for _, k := range list("tickets") {
		if k.Kind != "" && k.Kind != "ticket" || k.Status != "valid" && k.Status != "used" || k.Test || tests[k.EventID] || k.Admits != nil && !*k.Admits || k.Quantity != nil && *k.Quantity != 1 {
			continue
		}
		if k.SoldAt.IsZero() {
			k.SoldAt = k.CreatedAt
		}
		sold = append(sold, k)
		if day := night(k.SoldAt); k.ContactID != "" && (first[k.ContactID] == "" || day < first[k.ContactID]) {
			first[k.ContactID] = day
		}
	}
	var want figures.Buyers
	byDay, byArea := map[figures.Day]figures.Buyers{}, map[string]int{}
	orders, people := map[string]bool{}, map[string]bool{}
	for _, k := range sold {
		if !going[k.EventID] {
			continue
		}
		day := night(k.SoldAt)
		of := byDay[day]
		switch {
		case k.ContactID == "":
			want.Anonymous++
			of.Anonymous++
		case day == first[k.ContactID]:
			want.New++
			of.New++
			orders[k.OrderID], people[k.ContactID] = true, true
		default:
			want.Returning++
			of.Returning++
		}
		byDay[day] = of
		byArea[homes[k.ContactID]]++
	}
	m := marketing.Of(evening.At(s, f.read), from, to)
	if m.Buyers != want || want.New == 0 || want.Returning == 0 || want.Anonymous == 0 {
		t.Errorf("buyers are %+v, want %+v", m.Buyers, want)
	}
	if len(orders) >= want.New || len(people) >= len(orders) {
		t.Errorf("%d new places in %d orders of %d people", want.New, len(orders), len(people))
	}

	for i := range m.Days.Buckets {
		b := &m.Days.Buckets[i]
		var sum figures.Buyers
		for day, of := range byDay {
			if day >= b.From && day <= b.To {
				sum.New, sum.Returning, sum.Anonymous = sum.New+of.New, sum.Returning+of.Returning, sum.Anonymous+of.Anonymous
			}
		}
		if b.Buyers != sum {
			t.Errorf("%s to %s: buyers are %+v, want %+v", b.From, b.To, b.Buyers, sum)
		}
	}
	areas := map[string]int{}
	for _, a := range m.Postcodes {
		areas[a.Name] = a.Sold
	}
	if !maps.Equal(areas, byArea) || len(areas) < 7 {
		t.Errorf("areas are %v, want %v", areas, byArea)
	}
}
