package explain

import (
	"encoding/json"
	"io"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/catalogue"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/vat"
)

// The explanation as JSON. Amounts are in minor units; texts are in the request's language.
type (
	explanationData struct {
		Figure     figures.Key  `json:"figure"`
		Name       string       `json:"name"`
		Of         string       `json:"of"`
		Text       string       `json:"text"`
		Value      any          `json:"value"`         // null where it is not known
		Band       *bandData    `json:"band,omitzero"` // in which it is likely to be
		Quality    string       `json:"quality"`
		Reasons    []reasonData `json:"reasons"`
		Definition string       `json:"definition"`
		Terms      []termData   `json:"terms"`
		Parts      []partData   `json:"parts,omitzero"` // the performances that a figure of several adds up
		Rates      []rateData   `json:"rates,omitzero"` // of VAT, of a figure that is made of them
		Behind     *behindData  `json:"behind,omitzero"`
		AsOf       time.Time    `json:"as_of,omitzero"`
		Epoch      string       `json:"epoch"`
		Position   int64        `json:"position"`
	}
	bandData struct {
		Low  int `json:"low"`
		High int `json:"high"`
	}
	reasonData struct {
		Code   figures.Reason `json:"code"`
		Text   string         `json:"text"`
		Remedy string         `json:"remedy"`
	}
	termData struct {
		Op     string      `json:"op"`
		Figure figures.Key `json:"figure"`
		Name   string      `json:"name"`
		Text   string      `json:"text"`
		Value  any         `json:"value"`
	}
	rateData struct {
		Rate     string      `json:"rate"` // in hundredths of a per cent, "given" or "given-" and the rate, or "missing"
		Name     string      `json:"name"`
		Booked   []moneyData `json:"booked"`
		VAT      []moneyData `json:"vat"` // null where it is not known, as net
		NetOfVAT []moneyData `json:"net_of_vat"`
	}
	partData struct {
		Figure figures.Key `json:"figure"`
		Event  string      `json:"event,omitzero"` // empty for what belongs to no performance
		Title  string      `json:"title"`
		Text   string      `json:"text"`
		Value  any         `json:"value"`
		Href   string      `json:"href,omitzero"` // of its explanation
	}
	// behindData has the records that the figure is counted from, and what changed it last. For a figure of
	// several performances only the most recently changed ones are read.
	behindData struct {
		Read    int          `json:"parts_read,omitzero"`
		Parts   int          `json:"parts,omitzero"`
		Today   any          `json:"today"` // by how much it changed since the day began; null where that is not known
		Changes []changeData `json:"changes"`
		All     int          `json:"all"` // records, of which the newest follow
		Records []recordData `json:"records"`
	}
	changeData struct {
		Seen time.Time   `json:"seen"`
		By   any         `json:"by"`
		Kind record.Kind `json:"kind"`
		ID   string      `json:"id"`
	}
	recordData struct {
		Kind   record.Kind `json:"kind"`
		ID     string      `json:"id"`
		Order  string      `json:"order,omitzero"`
		At     time.Time   `json:"at,omitzero"`
		Status string      `json:"status,omitzero"`
		Held   time.Time   `json:"held_until,omitzero"`
		Amount *moneyData  `json:"amount,omitzero"` // for those who see all money
	}
	moneyData struct {
		Amount   int64  `json:"amount"`
		Currency string `json:"currency"`
	}
)

// JSON writes an explanation. Its errors are those of Page.
func JSON(w io.Writer, r *web.Renderer, f web.Frame) error {
	made, err := r.Builder(f)
	if err != nil {
		return err
	}
	b := builder{made}
	x := b.Source.(explained).Explanation
	if x.Definition == nil {
		return web.ErrNotFound
	}
	shown := b.explanation(x)
	d := explanationData{Figure: x.Key, Name: shown.Name, Of: shown.Of.String(), Text: shown.Value.Text, Value: valueData(x.Definition, x.Value), Quality: web.QualityOf(x.Value),
		Reasons: []reasonData{}, Definition: shown.Definition, Terms: []termData{}, AsOf: x.AsOf, Epoch: b.Position.Epoch, Position: b.Position.Revision}
	if x.Band != (figures.Band{}) {
		d.Band = &bandData{x.Band.Low, x.Band.High}
	}
	for _, reason := range x.Reasons {
		d.Reasons = append(d.Reasons, reasonData{reason, b.Code("reason", string(reason)), b.Code("remedy", string(reason))})
	}
	for i := range x.VAT {
		f := &x.VAT[i]
		r := rateData{Rate: f.VATSource.String(), Name: vat.Source(b.Builder, f.VATSource), Booked: sumsData(f.Of(figures.Booked), x.Scope.Currency)}
		if f.Basis != figures.VATMissing {
			r.VAT, r.NetOfVAT = sumsData(f.Of(figures.VAT), x.Scope.Currency), sumsData(f.Net(), x.Scope.Currency)
		}
		d.Rates = append(d.Rates, r)
	}
	for i, t := range shown.Terms {
		of := x.Terms[i]
		d.Terms = append(d.Terms, termData{signs[of.Op], of.Key, t.Name, t.Value.Text, valueData(catalogue.Define(of.Key), of.Value)})
	}
	for i, all := 0, b.partsOf(&x, x.Parts); i < len(all); i++ {
		p := partData{Figure: x.Parts[i].Key, Title: all[i].Title, Text: all[i].Value.Text, Value: valueData(catalogue.Define(x.Parts[i].Key), x.Parts[i].Value), Href: all[i].Href}
		if x.Parts[i].Event != nil {
			p.Event = x.Parts[i].Event.Event.ID
		}
		d.Parts = append(d.Parts, p)
	}
	d.Behind = b.behindData(x)
	return json.NewEncoder(w).Encode(d)
}

// behindData returns what is behind the figure, as far as the access includes it; nil for nothing.
func (b builder) behindData(x catalogue.Explanation) *behindData {
	behind := b.recordsBehind()
	if len(behind.Records) == 0 && len(behind.Changes) == 0 && behind.Today == nil {
		return nil
	}
	d := behindData{Read: behind.Read, Parts: behind.Parts, All: behind.All, Changes: []changeData{}, Records: []recordData{}}
	if behind.Today != nil {
		d.Today = valueData(x.Definition, *behind.Today)
	}
	for _, c := range behind.Changes {
		d.Changes = append(d.Changes, changeData{c.Seen, valueData(x.Definition, c.By), c.Kind, c.ID})
	}
	for _, r := range behind.Records {
		row := recordData{Kind: r.Kind, ID: r.ID, Order: r.Order, At: r.At, Status: r.Status, Held: r.Held}
		if x.Unit == figures.Money && b.Access.SeesMoney() && r.Amount.Currency != "" {
			row.Amount = new(moneyData(r.Amount))
		}
		d.Records = append(d.Records, row)
	}
	return &d
}

// valueData returns a figure's value alone, nil if it is not known.
func valueData(d *catalogue.Definition, v figures.Value) any {
	switch {
	case !v.Known():
		return nil
	case d.Unit.Ratio():
		return v.Share
	case d.Unit != figures.Money:
		return v.Count
	}
	return sumsData(v.Amount, "")
}

// sumsData returns amounts, only those in currency if it is not empty.
func sumsData(s figures.Sums, currency string) []moneyData {
	amounts := []moneyData{}
	for _, m := range s {
		if currency == "" || m.Currency == currency {
			amounts = append(amounts, moneyData(m))
		}
	}
	return amounts
}
