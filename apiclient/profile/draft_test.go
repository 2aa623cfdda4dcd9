package profile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

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

// drafted returns a profile that is begun from answers, and the records that it makes of them.
func drafted(t *testing.T, samples []profile.Sample) (text []byte, records []record.Record) {
	t.Helper()
	text, err := profile.Draft("house", "https://tickets.example.com/api", samples)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("house.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for r, err := range p.Sample(nil, samples) {
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		records = append(records, r)
	}
	return text, records
}

// A list of what came in is one of payments, whatever it is called: by how somebody paid, by the orders that its rows name.
func TestDraftTellsPaymentsFromTickets(t *testing.T) {
	shows := profile.Sample{Stream: "shows", Body: []byte(`{"rows": [{"nr": "gig-100", "name": "De Storm", "starts": "2026-11-24 20:00:00"}, {"nr": "gig-200", "name": "Nacht", "starts": "2026-11-25 20:00:00"}]}`)}
	sales := profile.Sample{Stream: "verkoop", Body: []byte(`{"rows": [{"bon": "B-1001", "gig": "gig-100", "price": "12.50", "state": "sold"}, {"bon": "B-1002", "gig": "gig-200", "price": "20.00", "state": "sold"}]}`)}
	for _, c := range []struct {
		name, rows string
		want       record.Kind
	}{
		{"kassa", `{"ref": "X-1", "bon": "B-1001", "bedrag": "12.50", "how": "iDEAL"}, {"ref": "X-2", "bon": "B-1002", "bedrag": "20.00", "how": "cash"}`, record.KindPayment},
		{"inflow", `{"ref": "X-1", "bon": "B-1001", "value": "12.50"}, {"ref": "X-2", "bon": "B-1002", "value": "20.00"}`, record.KindPayment},
		{"money", `{"ref": "X-1", "bedrag": "12.50", "betaalwijze": "q"}, {"ref": "X-2", "bedrag": "20.00", "betaalwijze": "q"}`, record.KindPayment},
		{"ontvangsten", `{"ref": "X-1", "bedrag": "12.50"}, {"ref": "X-2", "bedrag": "20.00"}`, record.KindPayment},
		{"extra", `{"ref": "X-1", "gig": "gig-100", "bedrag": "12.50", "how": "cash"}, {"ref": "X-2", "gig": "gig-200", "bedrag": "20.00", "how": "cash"}`, record.KindTicket},
		{"mandjes", `{"ref": "X-1", "betaalwijze": "q", "totaal": "12.50", "tickets": [{"id": "T-1", "price": "12.50"}]}`, record.KindTicket},
	} {
		text, err := profile.Draft("house", "https://tickets.example.com/api", []profile.Sample{shows, sales, {Stream: c.name, Body: []byte(`{"rows": [` + c.rows + `]}`)}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse("house.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if s := p.Stream(c.name); s == nil || len(s.Gives) != 1 || s.Gives[0] != c.want {
			t.Errorf("%s gives %v, want %s:\n%s", c.name, s.Gives, c.want, text)
		}
	}
}

// Names that somebody met at a service.
func TestDraftOfCompoundNames(t *testing.T) {
	text, records := drafted(t, []profile.Sample{
		{Stream: "voorstellingen", Body: []byte(`{"VoorstellingId": "V1", "Naam": "De Storm", "Aanvang": "24-11-2026 20:00"}
{"VoorstellingId": "V2", "Naam": "Nacht", "Aanvang": "25-11-2026 20:00"}`)},
		{Stream: "verkopen", Body: []byte(`{"RegelId": 1, "BestellingNr": "B1", "VoorstellingId": "V1", "Aantal": 2, "PrijsPerStuk": "12,50", "Totaal": "25,00", "Toestand": "verkocht", "Besteld": "20-11-2026 10:11"}
{"RegelId": 2, "BestellingNr": "B2", "VoorstellingId": "V2", "Aantal": 1, "PrijsPerStuk": "8,00", "Totaal": "8,00", "Toestand": "geannuleerd", "Besteld": "20-11-2026 10:12"}
{"RegelId": 3, "BestellingNr": "B1", "VoorstellingId": "V1", "Aantal": 1, "PrijsPerStuk": "8,00", "Totaal": "8,00", "Toestand": "verkocht", "Besteld": "20-11-2026 10:11"}`)},
	})
	var got []string
	for _, r := range records {
		if k, ok := r.(*record.Ticket); ok && k.Price != nil {
			got = append(got, fmt.Sprint(k.OrderID, " ", k.EventID, " ", *k.Quantity, " ", k.Price.Amount, " ", k.Status))
		}
	}
	if want := "[B1 V1 2 1250 valid B2 V2 1 800 void B1 V1 1 800 valid]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s\n%s", got, want, text)
	}
}

// A profile that is begun from the answers of an awkward service finds the lists, ids, times, amounts and states, says what
// it guessed, and gives the records at once, but for a word that nobody could know.
func TestDraft(t *testing.T) {
	text, records := drafted(t, awkwardAnswers)
	got := map[string]string{}
	for _, r := range records {
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

// frenchAnswers are of a service whose list is two members deep, whose events are known by day and whose words are French.
var frenchAnswers = []profile.Sample{
	{Stream: "spectacles", Body: []byte(`{"noSpectacle": "R101", "intitule": "Le Cid", "jour": "28/11/2026", "lieu": {"code": "G", "libelle": "Grande salle"}, "jauge": 300, "etat": "en vente", "maj": "25/11/2026 09:00:00"}
{"noSpectacle": "R102", "intitule": "Phèdre", "jour": "29/11/2026", "lieu": {"code": "P", "libelle": "Petite salle"}, "jauge": 80, "etat": "annulé", "maj": "25/11/2026 09:00:00"}`)},
	{Stream: "billets", Body: []byte(`{"resultat": {"nombre": 137, "pages": 3, "tri": ["maj"], "billets": [
		{"noBillet": 5000, "noDossier": "D0", "spectacle": "R101", "tarif": {"id": "RE", "libelle": "Tarif réduit"}, "montant": "12,00", "etat": "vendu", "place": "A1", "venduLe": "23/11/2026 10:00:07", "modifieLe": "27/11/2026 11:00:30"},
		{"noBillet": 5001, "noDossier": "D0", "spectacle": "R102", "tarif": {"id": "PL", "libelle": "Plein tarif"}, "montant": "1.024,50", "etat": "remboursé", "place": "A2", "venduLe": "23/11/2026 10:01:07", "modifieLe": "27/11/2026 11:01:30"}]}}`)},
	{Stream: "passages", Body: []byte(`{"no": 0, "noBillet": 5000, "quand": "28/11/2026 00:10:00", "sens": "S", "porte": "Sud"}
{"no": 1, "noBillet": 5001, "quand": "28/11/2026 01:10:01", "sens": "E", "porte": "Nord"}`)},
}

// unknownAnswers have names of no language that the draft knows, and the day and the hour of an event apart.
var unknownAnswers = []profile.Sample{
	{Stream: "naytokset", Body: []byte(`{"sisalto": {"maara": 2, "rivit": [
		{"tunnus": "R101", "nimi": "Le Cid", "paiva": "28/11/2026", "klo": "19:30", "sali": {"koodi": "G"}, "koko": 300, "muutettu": "25/11/2026 09:00:00"},
		{"tunnus": "R102", "nimi": "Phèdre", "paiva": "29/11/2026", "klo": "20:00", "sali": {"koodi": "P"}, "koko": 80, "muutettu": "25/11/2026 09:00:00"}]}}`)},
	{Stream: "liput", Body: []byte(`{"sivuja": 1, "liput": [
		{"lippu": 5000, "naytos": "R101", "hinta": 12.00, "tila": "paid", "paikka": "A1", "myyty": "23/11/2026 10:00:07", "muutettu": "27/11/2026 11:00:30"},
		{"lippu": 5001, "naytos": "R102", "hinta": 24.50, "tila": "paid", "paikka": "A2", "myyty": "23/11/2026 10:01:07", "muutettu": "27/11/2026 11:01:30"},
		{"lippu": 5002, "naytos": "R102", "hinta": 24.50, "tila": "outo", "paikka": "A3", "myyty": "23/11/2026 10:01:07", "muutettu": "27/11/2026 11:01:30"},
		{"lippu": 5003, "naytos": "R102", "hinta": 24.50, "tila": "paid", "paikka": "A4", "myyty": "23/11/2026 10:01:07", "muutettu": "27/11/2026 11:01:30"},
		{"lippu": 5004, "naytos": "R102", "hinta": 24.50, "tila": "paid", "paikka": "A5", "myyty": "23/11/2026 10:01:07", "muutettu": "27/11/2026 11:01:30"},
		{"lippu": 5005, "naytos": "R102", "hinta": 24.50, "tila": "paid", "paikka": "A6", "myyty": "23/11/2026 10:01:07", "muutettu": "27/11/2026 11:01:30"}]}`)},
	{Stream: "luvut", Body: []byte("{\"nro\": 1, \"lippu\": 5000, \"hetki\": \"28/11/2026 19:10:00\", \"ovi\": \"a\"}\n{\"nro\": 2, \"lippu\": 5002, \"hetki\": \"28/11/2026 19:11:00\", \"ovi\": \"b\"}\n")},
}

// A draft finds the rows where they are, and what is named by nothing that it knows by its values: rows of one list that
// name rows of another, times, amounts and states. What it cannot tell it asks for.
func TestDraftByValues(t *testing.T) {
	for _, c := range []struct {
		name    string
		samples []profile.Sample
		want    map[string]string
		says    []string
	}{
		{"French", frenchAnswers, map[string]string{
			"R101": "Le Cid 2026-11-28 300 on_sale Grande salle", "R102": "Phèdre 2026-11-29 80 cancelled Petite salle",
			"5000": "D0 R101 RE Tarif réduit 1200 valid A1 09:00 10:00", "5001": "D0 R102 PL Plein tarif 102450 refunded A2 09:01 10:01", "0": "5000 exit Sud", "1": "5001 entry Nord",
		}, []string{"list: resultat.billets", "last: resultat.pages", "total: resultat.nombre", "decimal: comma", `# auth: {kind: header, template: "Token token={key}"}`,
			`#   since: {param: since, format: "02/01/2006 15:04:05"}`, "# - ticket, event_id: .spectacle, whose values are ids there."}},
		{"unknown", unknownAnswers, map[string]string{
			"R101": "Le Cid 2026-11-28 18:30 300", "R102": "Phèdre 2026-11-29 19:00 80", "5000": "R101 1200 valid 09:00 10:00", "5001": "R102 2450 valid 09:01 10:01", "5002": "R102 2450 outo 09:01 10:01",
			"5003": "R102 2450 valid 09:01 10:01", "5004": "R102 2450 valid 09:01 10:01", "5005": "R102 2450 valid 09:01 10:01", "1": "5000 entry", "2": "5002 entry",
		}, []string{"list: sisalto.rivit", `# "outo": …`, "# Not found: direction. Which is it?", "# Not used: .ovi", "# - ticket, price: .hinta, by its values alone."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, records := drafted(t, c.samples)
			got := map[string]string{}
			for _, r := range records {
				switch r := r.(type) {
				case *record.Event:
					got[r.ID] = joined(r.Title, r.Date, clockOf(r.StartsAt), *r.Capacity, r.Status, r.Hall)
				case *record.Ticket:
					got[r.ID] = joined(r.OrderID, r.EventID, r.Type.ID, r.Type.Name, r.Price.Amount, r.Status, r.Seat, clockOf(r.SoldAt), clockOf(r.UpdatedAt))
				case *record.TicketScan:
					got[r.ID] = joined(r.TicketID, r.Direction, r.Gate)
				}
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("%q\nwant\n%q\n%s", got, c.want, text)
			}
			for _, want := range c.says {
				if !strings.Contains(string(text), want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

// joined returns what there is, with spaces between.
func joined(parts ...any) string { return strings.Join(strings.Fields(fmt.Sprintln(parts...)), " ") }

func clockOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("15:04")
}

func TestDraftOfNothing(t *testing.T) {
	for body, want := range map[string]string{
		"": "the file is empty", "<html>": "save what the service answers as it comes", `{"data": []}`: "the list is empty", `{"a": {"b": 1}`: "save what the service answers as it comes",
	} {
		if _, err := profile.Draft("house", "https://x.example", []profile.Sample{{Stream: "shows", Body: []byte(body)}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", body, err, want)
		}
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
