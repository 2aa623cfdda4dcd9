package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient"
	"housecount/apiclient/profile"
)

// weeztixTokens hands out tokens for three days, each to who has the refresh token of the one before, which is good for
// one use.
type weeztixTokens struct {
	h               *foreignHouse
	issued, refused int
	refresh, access string
	until           time.Time
}

// Renew has the one stored grant renewed, as the database does.
func (w *weeztixStore) Renew(_ context.Context, renew func([]byte) ([]byte, error)) error {
	next, err := renew(w.stored)
	if err == nil && next != nil {
		w.stored = next
	}
	return err
}

type weeztixStore struct{ stored []byte }

func (o *weeztixTokens) serve(w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path == "/tokens" {
		var asked struct {
			Grant   string `json:"grant_type"`
			Code    string `json:"code"`
			Refresh string `json:"refresh_token"`
			ID      string `json:"client_id"`
			Secret  string `json:"client_secret"`
		}
		json.NewDecoder(r.Body).Decode(&asked) // what it does not have is refused below
		good := asked.Grant == "authorization_code" && asked.Code == "the-code" || asked.Grant == "refresh_token" && asked.Refresh == o.refresh
		if !good || r.Method != http.MethodPost || asked.ID != "house" || asked.Secret != "sesame" {
			o.refused++
			http.Error(w, `{"error":"invalid_grant","error_description":"used before"}`, http.StatusBadRequest)
			return true
		}
		o.issued++
		o.access, o.refresh, o.until = fmt.Sprint("access-", o.issued), fmt.Sprint("refresh-", o.issued), time.Now().Add(72*time.Hour)
		json.NewEncoder(w).Encode(object{"token_type": "Bearer", "expires_in": 259200, "access_token": o.access, "refresh_token": o.refresh, "refresh_token_expires_in": 31536000})
		return true
	}
	if r.Header.Get("Authorization") != "Bearer "+o.access || !time.Now().Before(o.until) || r.Header.Get("Company") != "company-guid" {
		http.Error(w, `{"error":"access_denied","error_description":"no token"}`, http.StatusUnauthorized)
		return true
	}
	body, _ := io.ReadAll(r.Body)
	if statistics := strings.HasSuffix(r.URL.Path, "/salesstats"); statistics != (r.Method == http.MethodPost) || statistics && string(body) != `{"sales": "free_and_paid"}` || r.URL.RawQuery != "" {
		o.h.t.Errorf("%s %s with %s is not documented", r.Method, r.URL, body)
	}
	return false
}

// authorized returns what a person's authorization of a house gives, as housecount authorize stores it.
func (o *weeztixTokens) authorized(options apiclient.Options) *weeztixStore {
	options.BaseURL, options.Dial = "http://house.test", o.h.pipe.dial
	a, err := apiclient.NewAuthorization(options, "http://127.0.0.1:8484/authorized")
	if err != nil {
		o.h.t.Fatal(err)
	}
	asked, err := url.Parse(a.URL())
	if err != nil || asked.Host != "login.weeztix.com" || asked.Path != "/login" {
		o.h.t.Fatalf("a person is sent to %s", a.URL())
	}
	stored, err := a.Finish(o.h.t.Context(), url.Values{"code": {"the-code"}, "state": {asked.Query().Get("state")}})
	if err != nil {
		o.h.t.Fatal(err)
	}
	return &weeztixStore{stored}
}

func playWeeztix(h *foreignHouse) {
	p, err := profile.Builtin("weeztix")
	if err != nil {
		h.t.Fatal(err)
	}
	tokens := &weeztixTokens{h: h}
	h.first = tokens.serve
	options := apiclient.Options{Profile: p, Vars: map[string]string{"company": "company-guid", "zone": "UTC"}, ClientID: "house", ClientSecret: "sesame", TokenURL: "http://auth.test/tokens"}
	options.Grants = tokens.authorized(options)

	event := func(guid, name string) object {
		return object{"guid": guid, "name": name, "status": "normal", "currency": "EUR", "locale": "nl_NL", "location_id": "l1", "location": object{"guid": "l1", "name": "Great hall"}}
	}
	day := func(guid, start, end string, capacity any) object {
		return object{"guid": guid, "start": start, "end": end, "capacity": capacity, "event_id": "e1", "seated": false}
	}
	h.serve("/event/normal", func(url.Values) any {
		return []object{event("e1", "Gala"), event("e2", "To be announced"), event("e3", "Weekend")}
	})
	h.serve("/event/e1/dates", func(url.Values) any {
		return []object{day("d1", "2000-03-24T20:00:00+00:00", "2000-03-24T22:30:00+00:00", 300)}
	})
	h.serve("/event/e2/dates", func(url.Values) any { return []object{} })
	h.serve("/event/e3/dates", func(url.Values) any {
		return []object{day("d3", "2000-03-26T10:00:00+00:00", "2000-03-26T20:00:00+00:00", 50), day("d2", "2000-03-25T10:00:00+00:00", "2000-03-25T20:00:00+00:00", 70)}
	})
	kind := func(name string, sold, pending, turnover int, days object) object {
		one := object{"ticket_id": "t-" + name, "name": name, "status": "auto", "sold_count": sold, "pending_count": pending, "available_stock": 0, "turnover": turnover, "date_info": []object{}}
		if len(days) > 0 {
			one["date_info"] = days
		}
		return one
	}
	of := func(amount, turnover int) object { return object{"amount": amount, "turnover": turnover} }
	gala := object{"gold": kind("gold", 5, 2, 10001, object{"2000-03-20": of(3, 6000), "2000-03-24": of(2, 4001)}), "free": kind("free", 4, 0, 0, object{"2000-03-24": of(4, 0)})}
	h.serve("/event/e1/salesstats", func(url.Values) any { return object{"tickets": gala} })
	h.serve("/event/e2/salesstats", func(url.Values) any { return object{"tickets": []object{}} })
	h.serve("/event/e3/salesstats", func(url.Values) any {
		return object{"tickets": object{"day": kind("day", 1, 0, 1500, object{"2000-03-01": of(1, 1500)})}}
	})
	h.readAs(p, options)
	h.has("e1", "at first", "sold 9; reserved 2; of 300; booked 10001 EUR")
	h.has("e2", "without a date", "sold 0; reserved 0")
	h.has("e3", "with two dates", "sold 1; reserved 0; of 120; booked 1500 EUR")
	if days := h.event("e1").SaleDays; len(days) != 2 || days[0].Day != "2000-03-20" || firstMinute(days[0])*60%86400 != 6*3600 {
		h.t.Errorf("the sales of a day are before the house's day begins: %+v", days[0])
	}
	if e := h.event("e3"); e.Date != "2000-03-25" || h.event("e2").Date != "" || e.Event.EndsAt.Format(time.DateOnly) != "2000-03-26" || e.Event.Hall != "Great hall" {
		h.t.Errorf("the weekend is %+v", e.Event)
	}

	// One is refunded, a dearer one is sold, the free ones are taken out and the reservations lapse.
	gala["gold"], gala["free"] = kind("gold", 5, 0, 10501, object{"2000-03-20": of(2, 4000), "2000-03-24": of(3, 6501)}), kind("free", 0, 0, 0, nil)
	h.pass(10 * time.Minute)
	h.has("e1", "after a refund", "sold 5; reserved 0; of 300; booked 10501 EUR")
	// What the days do not have counts as well, and what they have too much does not.
	gala["gold"] = kind("gold", 6, 0, 12501, object{"2000-03-20": of(2, 4000), "2000-03-24": of(3, 6501)})
	h.pass(10 * time.Minute)
	h.has("e1", "with one of no day", "sold 6; reserved 0; of 300; booked 12501 EUR")
	gala["gold"] = kind("gold", 4, 0, 8501, object{"2000-03-20": of(2, 4000), "2000-03-24": of(3, 6501)})
	h.pass(10 * time.Minute)
	h.has("e1", "with one taken off no day", "sold 4; reserved 0; of 300; booked 8501 EUR")

	// A day on which as many were refunded as sold keeps its money, whatever else is undated.
	gala["gold"] = kind("gold", 5, 0, 11001, object{"2000-03-20": of(2, 4000), "2000-03-22": of(0, 500), "2000-03-24": of(3, 6501)})
	h.pass(10 * time.Minute)
	h.has("e1", "with a day of as many refunds", "sold 5; reserved 0; of 300; booked 11001 EUR")
	gala["gold"] = kind("gold", 6, 0, 12401, object{"2000-03-20": of(2, 4000), "2000-03-22": of(0, -500), "2000-03-24": of(3, 6501)})
	h.pass(10 * time.Minute)
	h.has("e1", "with a day of dearer refunds", "sold 6; reserved 0; of 300; booked 12401 EUR")
	gala["gold"] = kind("gold", 4, 0, 10901, object{"2000-03-20": of(2, 4000), "2000-03-24": of(3, 6501)})
	h.pass(10 * time.Minute)
	h.has("e1", "with fewer tickets and more money of no day", "sold 4; reserved 0; of 300; booked 10901 EUR")
	gala["gold"] = kind("gold", 4, 0, 8501, object{"2000-03-20": of(2, 4000), "2000-03-24": of(3, 6501)})
	h.pass(10 * time.Minute)

	// For ten more days a program that begins anew each day reads what is sold: three more tokens are obtained, each with the
	// refresh token of the one before.
	h.stop()
	options.BaseURL, options.Dial = "http://house.test", h.pipe.dial
	for day := range 10 {
		time.Sleep(24 * time.Hour)
		c, err := apiclient.New(options)
		if err != nil {
			h.t.Fatal(err)
		}
		records := 0
		for _, err := range c.Read(h.t.Context(), "sales", apiclient.Query{}) {
			if err != nil {
				h.t.Fatalf("on day %d: %v", day, err)
			}
			records++
		}
		c.CloseIdle()
		if records != 7 { // three performances, three lines of the gala and one of the weekend
			h.t.Errorf("on day %d there are %d records", day, records)
		}
	}
	if tokens.issued != 4 || tokens.refused != 0 {
		h.t.Errorf("%d tokens were issued, %d refresh tokens refused", tokens.issued, tokens.refused)
	}
}

// firstMinute returns the first minute of a day in which something moved; 0 for none.
func firstMinute(d *figures.DayFigures) int64 {
	for r := range d.Minutes.All() {
		return int64(r.At())
	}
	return 0
}
