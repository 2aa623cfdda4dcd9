package night

import (
	"slices"
	"strings"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/evening"
	"housecount/web"
	"housecount/web/words"
)

// choices is the page on which a person chooses letters.
type choices struct {
	Head    web.Head
	Letters []choice
	Tables  []choice // that come by mail
	May     bool     // letters can be sent to the person
	Saved   bool
	Last    string
	PushKey string
	Devices []reader
	Kinds   []kind // of alerts, by mail if KindsByMail and on devices if there are some
	Readers []reader
	// KindsByMail is true if the person gets letters about alerts.
	KindsByMail bool
}

// kind is a kind of alerts of which a person may be told. ByMail and ByDevice are false where the house does not send it so.
type kind struct {
	Code, Title      string
	ByMail, ByDevice bool
	Mail, Device     bool // chosen
}

// choice is a letter that a person may choose.
type choice struct {
	Name, Title, Text, Href string
	Chosen                  bool
	Formats                 []web.Choice // of a table; the first is none
}

// reader is somebody who gets letters, or a device.
type reader struct {
	Person, Address, Letters, Last string
}

func (b builder) choices() (web.View, error) {
	of := b.Source.(web.Letters)
	p := choices{May: of.Mail && of.Address != "", Saved: b.Values.Get("saved") != "", Last: b.state(of.Last)}
	p.Head = web.Head{Title: b.Text("letters.title")}
	switch {
	case !of.Mail:
		p.Head.Text = b.Say("letters.no_server")
	case of.Address == "":
		p.Head.Text = b.Say("letters.no_address")
	default:
		p.Head.Text = b.Say("letters.to", words.Name("address", of.Address))
	}
	for _, name := range LetterNames {
		if !MayChoose(name, b.Access) {
			continue
		}
		p.Letters = append(p.Letters, choice{Name: name, Title: LetterTitle(b.Words, name), Text: b.Code("letter_about", name), Href: web.LettersPath + "/" + name, Chosen: slices.Contains(of.Names, name)})
	}
	for _, e := range Exports {
		if MayChoose(e.Name, b.Access) {
			p.Tables = append(p.Tables, choice{Name: e.Name, Title: LetterTitle(b.Words, e.Name), Href: web.LettersPath + "/" + e.Name, Formats: []web.Choice{{Name: words.Dash},
				{ID: e.Name, Name: b.Text("sheet.excel"), Chosen: slices.Contains(of.Names, e.Name)}, {ID: e.Name + CSV, Name: b.Text("letters.csv"), Chosen: slices.Contains(of.Names, e.Name+CSV)}}})
		}
	}
	p.PushKey = of.PushKey
	for _, one := range of.Devices {
		p.Devices = append(p.Devices, reader{Person: one.Person, Address: one.Device, Last: b.state(one.Last)})
	}
	p.KindsByMail = p.May && (slices.Contains(of.Names, Alerts) || slices.Contains(of.Names, Unanswered))
	if p.KindsByMail || len(p.Devices) > 0 {
		p.Kinds = b.kinds(&of)
	}
	for _, one := range of.Everybody {
		var names []string
		for _, name := range one.Names {
			names = append(names, LetterTitle(b.Words, name))
		}
		r := reader{Person: one.Person, Address: one.Address, Letters: b.List(names), Last: b.state(one.Last)}
		if one.Device != "" {
			r.Address = strings.TrimPrefix(one.Address+" · "+one.Device, " · ")
		}
		p.Readers = append(p.Readers, r)
	}
	return web.View{Title: p.Head.Title, Body: p.body}, nil
}

// kinds returns the kinds of alerts of which a person may be told at once, in the order in which they are shown.
func (b builder) kinds(of *web.Letters) (all []kind) {
	for _, code := range evening.AlertCodes() {
		rule := evening.TellingOf(b.Settings(), code)
		if !evening.Urgent(code) || !b.Access.TakesOn(code) || !rule.Sent {
			continue
		}
		all = append(all, kind{Code: code, Title: web.Capital(b.Code("alert_code", code)), ByMail: rule.By&figures.AlertByMail != 0, ByDevice: rule.By&figures.AlertByDevice != 0,
			Mail: !slices.Contains(of.Without, code), Device: !slices.Contains(of.WithoutOnDevices, code)})
	}
	return all
}

// state returns what became of a letter; nothing for none.
func (b builder) state(of *web.LetterState) string {
	if of == nil {
		return ""
	}
	text := b.Text("letters.last", words.Text("name", LetterTitle(b.Words, of.Name)), words.Text("when", b.DayOf(b.Calendar.Day(of.At))+", "+b.Clock(of.At, b.Zone)), words.Text("state", b.Code("letter_state", of.State)))
	if of.Failure != "" {
		text += " (" + of.Failure + ")"
	}
	return text
}
