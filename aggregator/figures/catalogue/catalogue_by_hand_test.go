package catalogue_test

import (
	_ "embed"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/aggregator/figures/foldtest"
	"housecount/apiclient/record"
)

// claimByHand is the line of a figure: its name, and how it is worked out.
var claimByHand = regexp.MustCompile(`^  = (sold in 24 hours|[A-Za-z -]+?) +([0-9—].*|[a-z]+)$`)

//go:embed testdata/evening_by_hand.txt
var eveningByHand string

// An evening with every trait that a house meets, whose figures were worked out by hand: see the
// file, which is made to be read. Here its sums are worked out once more, and compared with what the
// ledger makes of its records.
func TestEveningByHand(t *testing.T) {
	var records []record.Record
	type claim struct{ line, of, name, terms, want string }
	var claims []claim
	of := ""
	for n, line := range strings.Split(eveningByHand, "\n") {
		words := strings.Fields(line)
		switch at := fmt.Sprint("line ", n+1); {
		case strings.HasPrefix(line, "  = "):
			m := claimByHand.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("%s cannot be read: %s", at, line)
			}
			name, rest := m[1], m[2]
			terms, want, ok := strings.Cut(rest, " = ")
			if !ok {
				terms, want = "", rest
			}
			claims = append(claims, claim{at, of, name, strings.TrimSpace(terms), strings.TrimSpace(want)})
		case strings.HasPrefix(line, "figures of "):
			of = words[2]
		case strings.HasPrefix(line, "event "), strings.HasPrefix(line, "ticket "), strings.HasPrefix(line, "payment "), strings.HasPrefix(line, "scan "), strings.HasPrefix(line, "setting "),
			strings.HasPrefix(line, "planning "), strings.HasPrefix(line, "walk_in "):
			records = append(records, byHand(t, at, words))
			if words[0] == "event" {
				of = words[1]
			}
		}
	}
	s := foldtest.Fold(foldtest.Complete, records...)
	v := foldtest.Evening(s, foldtest.Clock("22:15"))
	for _, c := range claims {
		if c.terms != "" {
			value, currency := strings.TrimLeft(c.want, "≈≥"), ""
			if i := strings.IndexAny(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); i > 0 {
				value, currency = value[:i], value[i:]
			}
			if sum := workedOut(c.terms); sum == nil || sum.Cmp(workedOut(value)) != 0 {
				t.Errorf("%s: %s is %v, not %s%s", c.line, c.terms, sum, value, currency)
			}
		}
		if got, known := figureByHand(s, v, c.of, c.name, c.want); !known {
			t.Errorf("%s: there is no figure %s of %s", c.line, c.name, c.of)
		} else if got != c.want {
			t.Errorf("%s: %s of %s is %s, worked out by hand it is %s", c.line, c.name, c.of, got, c.want)
		}
	}
	if len(claims) < 100 {
		t.Errorf("%d figures were compared", len(claims))
	}
}

// workedOut returns the value of an expression of +, - and / between products, from left to right.
func workedOut(terms string) *big.Rat {
	sum, sign := new(big.Rat), "+"
	for word := range strings.FieldsSeq(terms) {
		if strings.Contains("+-/", word) {
			sign = word
			continue
		}
		product := big.NewRat(1, 1)
		for factor := range strings.SplitSeq(word, "*") {
			f, ok := new(big.Rat).SetString(factor)
			if !ok {
				return nil
			}
			product.Mul(product, f)
		}
		switch sign {
		case "+":
			sum.Add(sum, product)
		case "-":
			sum.Sub(sum, product)
		case "/":
			sum.Quo(sum, product)
		}
	}
	return sum
}

// byHand returns the record of a line.
func byHand(t *testing.T, at string, words []string) record.Record {
	t.Helper()
	fields := map[string]string{}
	for _, w := range words[2:] {
		name, value, _ := strings.Cut(w, "=")
		fields[name] = value
	}
	has := func(name string) bool { _, ok := fields[name]; return ok }
	moment := func(name string) time.Time {
		if !has(name) {
			return time.Time{}
		}
		return foldtest.Clock(strings.Replace(fields[name], "T", " ", 1))
	}
	number := func(name string) *int {
		if !has(name) {
			return nil
		}
		var n int
		if _, err := fmt.Sscan(fields[name], &n); err != nil {
			t.Fatalf("%s: %s: %v", at, name, err)
		}
		return &n
	}
	money := func(name string) *record.Money {
		if !has(name) {
			return nil
		}
		text, currency := fields[name], "EUR"
		if i := strings.IndexAny(text, "CHF"); i > 0 {
			text, currency = text[:i], text[i:]
		}
		minor := workedOut(text + "*100")
		if minor == nil || !minor.IsInt() {
			t.Fatalf("%s: %s %q", at, name, fields[name])
		}
		return &record.Money{Amount: minor.Num().Int64(), Currency: currency}
	}
	switch id := words[1]; words[0] {
	case "planning":
		return &record.Planning{ID: id, EventID: fields["event"], ExpectedVisitors: number("expected"), BudgetRevenue: money("revenue"), BudgetMarketing: money("marketing"), Status: fields["status"]}
	case "walk_in":
		return &record.WalkIn{ID: id, EventID: fields["event"], Gate: fields["gate"], Count: *number("count"), At: moment("at")}
	case "setting":
		unit := "*1"
		if id == "vat_rate" {
			unit = "*100"
		}
		value := workedOut(fields["value"] + unit)
		return &record.Setting{Name: record.SettingName(id), Of: fields["of"], From: fields["from"], Value: new(value.Num().Int64()), At: moment("at"), By: "Mia"}
	case "event":
		e := &record.Event{ID: id, Title: id, Status: record.EventOnSale, Hall: fields["hall"], StartsAt: moment("starts"), EndsAt: moment("ends"),
			Capacity: number("capacity"), Blocked: number("blocked"), Available: number("available"), Unlimited: has("unlimited"), UpdatedAt: moment("updated")}
		e.Date = e.StartsAt.Format(time.DateOnly)
		if has("status") {
			e.Status = record.EventStatus(fields["status"])
		}
		return e
	case "ticket":
		k := &record.Ticket{ID: id, EventID: fields["event"], OrderID: fields["order"], ContactID: fields["contact"], Status: record.TicketValid, Quantity: number("places"), Type: record.TypeRef{Name: fields["type"]},
			Price: money("price"), Fee: money("fee"), VAT: money("vat"), Complimentary: has("complimentary"), SoldAt: moment("sold"),
			CancelledAt: moment("cancelled"), UpdatedAt: moment("updated"), Test: has("test"), Deleted: has("deleted")}
		if has("status") {
			k.Status = record.TicketStatus(fields["status"])
		}
		if has("admits") {
			k.Admits = new(false)
		}
		if has("scans") {
			k.Scans = []record.Scan{}
			for text := range strings.FieldsFuncSeq(fields["scans"], func(r rune) bool { return r == ',' }) {
				scan := record.Scan{Direction: record.Entry, Gate: "A"}
				text, how, _ := strings.Cut(text, "!")
				if scan.Undone = how == "undone"; how == "refused" {
					scan.Result = how
				}
				if text, gate, ok := strings.Cut(text, "@"); ok {
					scan.Gate, scan.At = gate, foldtest.Clock(text)
				} else if out, ok := strings.CutPrefix(text, "-"); ok {
					scan.Direction, scan.At = record.Exit, foldtest.Clock(out)
				} else {
					scan.At = foldtest.Clock(text)
				}
				k.Scans = append(k.Scans, scan)
			}
		}
		return k
	case "payment":
		p := &record.Payment{ID: id, OrderID: fields["order"], EventID: fields["event"], ParentID: fields["parent"], Kind: record.PaymentKind(fields["kind"]), Amount: *money("amount"),
			AmountRefunded: money("refunded"), Status: record.PaymentPaid, PaidAt: moment("paid"), UpdatedAt: moment("updated"), Test: has("test")}
		if has("tickets") {
			p.TicketIDs = strings.Split(fields["tickets"], ",")
		}
		if has("status") {
			p.Status = record.PaymentStatus(fields["status"])
		}
		return p
	}
	return &record.TicketScan{ID: words[1], TicketID: fields["ticket"], Scan: record.Scan{At: moment("at"), Gate: "A", Direction: record.Entry}}
}

// figureByHand returns a figure as the file writes it; of money, that in the currency that is wanted. It
// is not known where there is none of that name.
func figureByHand(s *figures.Snapshot, v *evening.Evening, of, name, want string) (text string, known bool) {
	e, revenue := s.Event(of), &s.Total
	switch {
	case of == "nothing":
		revenue = &s.Unattributed
	case e != nil:
		revenue = &e.Revenue
	}
	currency := "EUR"
	if i := strings.IndexAny(want, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"); i > 0 {
		currency = want[i:]
	}
	if m, ok := map[string]figures.Measure{"booked": figures.Booked, "received": figures.Received, "refunded": figures.Refunded, "charged back": figures.ChargedBack, "won back": figures.Reversed,
		"fees": figures.Fees, "VAT": figures.VAT, "pending": figures.RefundsPending, "to be paid": figures.ToBePaid, "to be paid back": figures.ToBePaidBack, "goodwill": figures.Goodwill}[name]; ok {
		return foldtest.MoneyByHand(revenue.Of(m), currency), true
	}
	if name == "net of VAT" {
		return foldtest.MoneyByHand(revenue.NetOfVAT(), currency), true
	}
	if name == "net" {
		return foldtest.MoneyByHand(revenue.NetReceived(), currency), true
	}
	switch found := s.Diagnostics; {
	case name == "refunded too much":
		var sum figures.Sums
		for _, d := range found {
			if d.Code == figures.CodeOverRefunded {
				sum = sum.Plus(d.Amount, 1)
			}
		}
		return foldtest.MoneyByHand(figures.Figure[figures.Sums]{Value: sum}, currency), true
	case name == "kept out":
		return fmt.Sprint(foundByHand(found, figures.CodeAbsurd, "")), true
	case e == nil:
		return "", false
	case name == "too many places":
		return fmt.Sprint(foundByHand(found, figures.CodePartition, of)), true
	}
	show := v.Show(e)
	switch name {
	case "to pay back":
		return foldtest.MoneyByHand(show.ToPayBack, currency), true
	case "average price":
		return foldtest.MoneyByHand(e.AveragePrice, currency), true
	case "over plan":
		return foldtest.MoneyByHand(e.OverPlanned(), currency), true
	case "cost per ticket":
		return foldtest.MoneyByHand(e.CostPerTicket(), currency), true
	case "of the forecast":
		return foldtest.NumberByHand(e.OfForecast()), true
	case "new buyers":
		return fmt.Sprint(e.Buyers.New), true
	case "returning":
		return fmt.Sprint(e.Buyers.Returning), true
	case "per place":
		return foldtest.MoneyByHand(e.RevenuePerPlace(), currency), true
	case "booked today":
		today := show.Today.Of(figures.Booked)
		return foldtest.MoneyByHand(figures.Figure[figures.Sums]{Value: today}, currency), true
	case "in the hall", "load":
		l, ok := v.LoadOf(e.Event.Hall)
		if !ok {
			return "", false
		}
		if name == "load" {
			return foldtest.NumberByHand(l.Share()), true
		}
		return foldtest.NumberByHand(l.Inside), true
	case "occupancy":
		return foldtest.NumberByHand(e.Occupancy()), true
	case "no-show rate":
		return foldtest.NumberByHand(show.NoShow), true
	case "phase":
		return show.Phase.String(), true
	case "oversold":
		return fmt.Sprint(e.Oversold), true
	}
	count, known := map[string]figures.Figure[int]{"sold": e.Sold, "paid": e.Paid, "unpaid": e.Unpaid, "complimentary": e.Complimentary,
		"free": e.FreeTickets, "reserved": e.Reserved, "to sell": show.Free, "forecast": e.Forecast, "capacity": e.Capacity, "available": e.Available, "expected": e.Expected, "attendance": e.Attendance,
		"sold in 24 hours": show.SoldIn(24 * time.Hour), "inside": show.Inside, "still to come": show.Still, "no-show": show.Away}[name]
	return foldtest.NumberByHand(count), known
}

// foundByHand returns how many of something were found, of one event unless it is empty.
func foundByHand(found []figures.Diagnostic, code, event string) (n int) {
	for _, d := range found {
		if d.Code == code && (event == "" || d.ID == event) {
			n += d.Count
		}
	}
	return n
}
