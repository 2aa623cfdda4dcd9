package profile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"housecount/apiclient/profile"
	"housecount/apiclient/record"
)

var awkwardAnswers = []profile.Sample{
	{Stream: "voorstellingen", Body: []byte(`{"aantal": 2, "lijst": [
		{"Nr": 7, "Naam": "De Storm", "Aanvang": "24-11-2026 20:00", "Zaal": {"Naam": "Grote zaal"}, "Capaciteit": 400, "Status": "concept"},
		{"Nr": 8, "Naam": "Nacht", "Aanvang": "25-11-2026 19:30", "Zaal": {"Naam": "Kleine zaal"}, "Capaciteit": 90, "Status": "live"}]}`)},
	{Stream: "bestellingen", Body: []byte(`{"K1": {"besteld": "20-11-2026 10:11", "gewijzigd": "20-11-2026 10:12", "status": "Betaald",
			"kaarten": [{"id": "a", "voorstelling": 7, "prijs": "1.024,50", "rang": 1}, {"id": "b", "voorstelling": 7, "prijs": "24,50", "rang": 2}]},
		"K2": {"besteld": "20-11-2026 10:20", "gewijzigd": "20-11-2026 10:20", "status": "Wachtlijst", "kaarten": [{"id": "c", "voorstelling": 8, "prijs": "12,00", "rang": 1}]}}`)},
	{Stream: "checkins", Body: []byte("{\"scan_id\":1,\"ticket_id\":\"a\",\"at\":1795286480,\"way\":\"in\"}\n{\"scan_id\":2,\"ticket_id\":\"a\",\"at\":1795286490,\"way\":\"out\"}\n")},
}

// A profile that is begun from the answers of an awkward service finds the lists, ids, times, amounts and states, says what
// it guessed, and gives the records at once, but for a word that nobody could know.
func TestDraft(t *testing.T) {
	text, err := profile.Draft("house", "https://tickets.example.com/api", awkwardAnswers)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("house.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got := map[string]string{}
	for r, err := range p.Sample(nil, awkwardAnswers) {
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		switch r := r.(type) {
		case *record.Event:
			got[r.ID] = fmt.Sprint(r.Title, " ", r.StartsAt.Format("2 15:04"), " ", *r.Capacity, " ", r.Status, " ", r.Hall)
		case *record.Ticket:
			got[r.ID] = fmt.Sprint(r.OrderID, " ", r.EventID, " ", r.Price.Amount, " ", r.Price.Currency, " ", r.Status, " ", r.SoldAt.Format("2 15:04"))
		case *record.TicketScan:
			got[r.ID] = fmt.Sprint(r.TicketID, " ", r.Direction, " ", r.At.Unix())
		}
	}
	for id, want := range map[string]string{
		"7": "De Storm 24 19:00 400 draft Grote zaal", "8": "Nacht 25 18:30 90 on_sale Kleine zaal",
		"a": "K1 7 102450 EUR valid 20 09:11", "b": "K1 7 2450 EUR valid 20 09:11", "c": "K2 8 1200 EUR wachtlijst 20 09:20",
		"1": "a entry 1795286480", "2": "a exit 1795286490",
	} {
		if !strings.EqualFold(got[id], want) {
			t.Errorf("%s: %s, want %s", id, got[id], want)
		}
	}
	for _, want := range []string{"each_key: true", "format: lines", "decimal: comma", `"betaald": valid`, `# "wachtlijst": …`, "list: lijst", "# - each row of bestellingen holds its tickets in .kaarten."} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
	if _, err := profile.Draft("house", "https://x.example", []profile.Sample{{Stream: "shows", Body: []byte(`{"data": []}`)}}); err == nil || !strings.Contains(err.Error(), "the list is empty") {
		t.Errorf("an empty list: %v", err)
	}
}

// A saved answer gives the same text until something changes, and refusals are part of it.
func TestGoldens(t *testing.T) {
	text, err := profile.Draft("house", "https://tickets.example.com/api", awkwardAnswers)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("house.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Goldens(nil, awkwardAnswers)
	if err != nil || all["bestellingen"].Records != 3 || all["voorstellingen"].Records != 2 || !json.Valid(all["checkins"].Text) {
		t.Fatalf("%v, %v", all, err)
	}
	spoiled := append([]profile.Sample{}, awkwardAnswers...)
	spoiled[1].Body = []byte(strings.Replace(string(spoiled[1].Body), "24,50", "24.50", 1))
	again, err := p.Goldens(nil, spoiled)
	if err != nil || again["bestellingen"].Refused != 1 || string(again["checkins"].Text) != string(all["checkins"].Text) {
		t.Errorf("%+v, %v", again["bestellingen"], err)
	}
}

// Whatever a service answers, a draft that is made of it is a profile.
func FuzzDraft(f *testing.F) {
	for _, s := range awkwardAnswers {
		f.Add(s.Stream, s.Body)
	}
	f.Add("tickets", []byte(`[{"id":1,"a b\"c":{"\u0000":"x\n# "},"status":"x\n- y: {","price":"1.000,00"}]`))
	f.Add("shows", []byte(`{"a":{"b":1},"c":{"d":[]}}`))
	f.Fuzz(func(t *testing.T, stream string, body []byte) {
		text, err := profile.Draft("house", "https://tickets.example.com/api", []profile.Sample{{Stream: stream, Body: body}})
		if err != nil {
			if strings.Contains(err.Error(), "no profile could be guessed") {
				t.Fatalf("%v", err)
			}
			return
		}
		if _, err := profile.Parse("house.yaml", text); err != nil {
			t.Fatal(err)
		}
	})
}
