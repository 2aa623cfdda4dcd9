package profile

import "housecount/apiclient/record"

// draftField is a field of ours with the names of members by which it may come. Names are compared as plainName writes them.
type draftField struct {
	field string
	whole string // alternatives of a regular expression for a whole name, likeliest
	part  string // and for a part of one
	words string // key in record.Vocabulary, for a state
}

const (
	draftIDs     = `id|guid|uuid|nr|no|num|numero|number|code|key|slug|ref|reference`
	draftEvents  = `(event|show|performance|instance|session|voorstelling|vorstellung|veranstaltung|spectacle|representation|seance|funcion|evento|spettacolo|spektakl|przedstawienie)(id|nr|no|code)?`
	draftOrders  = `(order|booking|reservation|purchase|bestelling|bestellung|buchung|auftrag|commande|dossier|pedido|reserva|ordine|prenotazione|zamowienie)(id|nr|no|number|code|key|reference)?`
	draftChanges = `updat|chang|modif|edit|gewijzigd|geandert|geaendert|maj|misajour|actualiz|aggiornat|zmien`
)

var draftFields = map[record.Kind][]draftField{
	record.KindEvent: {
		{"id", draftIDs, `eventid$|showid$`, ""},
		{"title", `title|name|naam|titel|bezeichnung|omschrijving|intitule|titre|nom|titulo|nombre|titolo|nome|tytul|nazwa`, `title$|name$`, ""},
		{"updated_at", "", draftChanges, ""},
		{"starts_at", `starts?|start(s?at|ts|time|date(time)?)|begin(s|t|time)?|aanvang|anfang|datetime|when|debut|inicio|inizio|poczatek`, `start|begin|debut|inicio|inizio`, ""},
		{"ends_at", `ends?|end(s?at|ts|time|date(time)?)|finish|eind(e|tijd)?|ende|fin|fine|koniec`, "", ""},
		{"date", `date|day|datum|dag|tag|jour|fecha|dia|data|giorno|dzien`, `date|datum|fecha`, ""},
		{"hall", `(hall|venue|location|room|zaal|saal|locatie|ort|lieu|salle|sala|lugar|luogo)(name|naam|libelle|nom|nombre|nome)?`, `hall|venue|location|room|zaal|saal|locatie|lieu|salle|sala|lugar|luogo`, ""},
		{"capacity", `capacity|capaciteit|kapazitat|seats|places|plaetze|platze|jauge|capacite|aforo|capienza|miejsca|total(size|places)?`, `capacity|capaci|kapazit`, ""},
		{"available", `available|free|left|beschikbaar|vrij|frei|dispo|disponibles?|libres?|liberi|wolne`, `available|beschikbaar|dispon`, ""},
		{"reserved", `reserved|held|gereserveerd|reserviert|reserves?|reservadas?|prenotati`, "", ""},
		{"status", `status|state|etat|statut|estado|stato|stan|zustand|toestand`, `status|state`, "event.status"},
	},
	record.KindTicket: {
		{"id", draftIDs + `|barcode|ticketid|ticketnr|(line|regel|zeile|ligne|linea|riga)(id|nr|no)?`, `ticketid|(billet|karte|entrada|biglietto|bilet)(id|nr|no)$|^(no|num|id)(billet|karte|entrada|biglietto|bilet)`, ""},
		{"event_id", draftEvents, draftEvents + "$", ""},
		{"order_id", draftOrders, `^(no|num|nr|id)(commande|dossier|pedido|reserva|ordine)`, ""},
		{"type", `(type|tickettype|tickettypeid|rate|rang|category|pricetype|typename|tarif|tarifa|tariffa|kategorie|categorie|categoria|preiskategorie|taryfa)(id|name)?`, "", ""},
		{"quantity", `quantity|count|number|aantal|anzahl|qty|ticketcount|persons|quantite|nombre|cantidad|quantita|ilosc`, "", ""},
		{"price", `price(each|perpiece)?|unitprice|amount|(stuk)?prijs(perstuk)?|(einzel|stuck)?preis(prostuck)?|bedrag|betrag|prix|montant|precio|importe|prezzo|importo|cena|kwota|gross|total|totaal|value|each`, `price$`, ""},
		{"fee", `fee|servicecharge|servicefee|bookingfee|kosten|gebuehr|gebuhr|frais|comision|commissione`, "", ""},
		{"vat", `(vat|tax|btw|mwst|tva|iva)(amount|value)?`, "", ""},
		{"status", `status|state|etat|statut|estado|stato|stan|zustand|toestand`, `status|state`, "ticket.status"},
		{"seat", `seat|seatname|label|stoel|platz|sitz|place|siege|asiento|butaca|posto|miejsce`, "", ""},
		{"updated_at", "", draftChanges, ""},
		{"sold_at", `(sold|soldat|paid|paidat|purchased|ordered|besteld|gekocht|verkocht|verkauft|gekauft|gebucht|vendu|achete|vendido|comprado|venduto|sprzedano|made|madeat|booked|createdat|created|at|date|datum|fecha|data)(at|ts|on|le|am|op|el|il)?`, "", ""},
	},
	record.KindPayment: {
		{"id", draftIDs + `|paymentid`, "", ""},
		{"order_id", draftOrders, `^(no|num|nr|id)(commande|dossier|pedido|reserva|ordine)`, ""},
		{"amount", `amount|total|totaal|bedrag|betrag|montant|importe|importo|kwota|value|gross|sum`, `amount$`, ""},
		{"status", `status|state|etat|statut|estado|stato|stan|zustand|toestand`, `status|state`, "payment.status"},
		{"method", `method|methode|moyen|provider|type`, `method`, ""},
		{"reason", `(refund)?reason|reden|grund|erstattungsgrund|motif|motivo|raison|powod`, `reason`, ""},
		{"updated_at", "", draftChanges, ""},
		{"paid_at", `paidat|paid|settled|date|datum|created|createdat|at|payele|bezahltam`, `paid|settled|date|created|at$`, ""},
	},
	record.KindScan: {
		{"id", draftIDs + `|scanid`, "", ""},
		{"ticket_id", `ticket(id|nr|no)?|barcode`, `ticket(id|nr)?$|barcode|(billet|karte|entrada|biglietto|bilet)(id|nr|no)?$`, ""},
		{"event_id", draftEvents, draftEvents + "$", ""},
		{"at", `at|time|when|date|datetime|scanned|scannedat|created|createdat|timestamp|moment|zeit|zeitpunkt|tijd|tijdstip|quand|heure|hora|momento|ora|czas`, `at$|time`, ""},
		{"direction", `direction|way|type|richting|richtung|sens|sentido|senso|verso|kierunek`, `direction`, "scan.direction"},
		{"gate", `gate|door|entrance|device|ingang|eingang|tor|porte|entree|puerta|porta|ingresso|brama|wejscie`, `gate|door|entrance|device`, ""},
	},
	record.KindContact: {
		{"id", draftIDs + `|customerid`, "", ""},
		{"postal_code", `cp|cap|plz`, `postal|postcode|zip|plz`, ""},
		{"updated_at", "", draftChanges, ""},
		{"created_at", "", `created|made|since`, ""},
	},
}

// draftWords are words of services whose meaning is clear, as plainName writes them.
var draftWords = map[string]map[string][]string{
	"ticket.status": {
		"valid": {"sold", "paid", "confirmed", "active", "complete", "completed", "booked", "ok", "betaald", "verkocht", "verkauft", "bezahlt", "gebucht", "gultig", "vendu", "paye", "valide", "confirme",
			"vendido", "vendida", "pagado", "pagada", "valido", "valida", "venduto", "pagato", "sprzedany", "oplacony", "kupiony"},
		"reserved": {"option", "pending", "open", "unpaid", "held", "gereserveerd", "optie", "reserviert", "offen", "reserve", "enattente", "reservado", "reservada", "pendiente", "prenotato", "inattesa", "rezerwacja", "zarezerwowany"},
		"void":     {"deleted", "gone", "geannuleerd", "vervallen", "storniert", "annulliert", "ungultig", "annule", "annulee", "anulado", "anulada", "cancelado", "annullato", "anulowany", "cancelled", "canceled"},
		"refunded": {"returned", "terugbetaald", "erstattet", "ruckerstattet", "rembourse", "remboursee", "reembolsado", "devuelto", "rimborsato", "zwrot", "zwrocony"},
	},
	"event.status": {
		"on_sale":      {"published", "live", "active", "open", "onsale", "inverkoop", "imverkauf", "imvorverkauf", "envente", "alaventa", "enventa", "invendita", "wsprzedazy"},
		"sales_closed": {"closed", "gesloten", "geschlossen", "ferme", "fermee", "cerrado", "chiuso"},
		"draft":        {"concept", "entwurf", "projet", "brouillon", "borrador", "bozza", "szkic"},
		"sold_out":     {"soldout", "uitverkocht", "ausverkauft", "complet", "agotado", "esaurito", "wyprzedane"},
		"cancelled":    {"canceled", "afgelast", "geannuleerd", "abgesagt", "annule", "annulee", "cancelado", "annullato", "odwolany", "odwolane"},
		"postponed":    {"verplaatst", "uitgesteld", "verschoben", "reporte", "reportee", "aplazado", "rinviato", "przelozone"},
		"ended":        {"over", "past", "afgelopen", "beendet", "termine", "terminee", "finalizado", "terminado", "terminato", "concluso"},
	},
	"payment.status": {
		"paid": {"confirmed", "complete", "completed", "success", "done", "betaald", "bezahlt", "paye", "pagado", "pagato", "oplacone"},
		"open": {"created", "offen", "enattente", "pendiente"},
	},
	"scan.direction": {
		"entry": {"i", "in", "arrival", "ingang", "eingang", "entree", "entrada", "entrata", "ingresso", "wejscie"},
		"exit":  {"o", "out", "departure", "uitgang", "ausgang", "sortie", "salida", "uscita", "wyjscie"},
	},
}

// wordInOurs returns what a word of a service means; empty if that is not clear.
func wordInOurs(field, theirs string) string {
	for ours, known := range draftWords[field] {
		for _, word := range known {
			if word == theirs {
				return ours
			}
		}
	}
	return ""
}
