package admin

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
	"housecount/web"
	"housecount/web/words"
)

// servicesPage shows where figures come from: the lists of each service, and what is made of them.
type servicesPage struct {
	Title    string
	Figs     web.Figs
	Services []serviceLists
	Made     []madeOf
}

// serviceLists are the lists of one service.
type serviceLists struct {
	ID, Title string
	Change    string // the label of the link to the page on which it is changed; empty if it is not there
	Lists     []listRow
	Messages  *messages // nil if it sends none
}

type listRow struct {
	Name, Gives, State string
	Bad                bool     // it does not answer
	Past               []string // what was wrong with it and is over, the latest first
	Records            string
	Answered, Took     string
	Without            string // what goes without the list
	Missing            bool   // and goes now
}

// madeOf is a group of figures and the lists that they are made of.
type madeOf struct{ Figures, Lists, Answered string }

// made are the groups of figures by their codes, and the kinds of record that each is made of.
var made = []struct {
	code  string
	kinds []record.Kind
}{
	{"places", []record.Kind{record.KindEvent, record.KindTicket}},
	{"arrivals", []record.Kind{record.KindTicket, record.KindScan}},
	{"booked", []record.Kind{record.KindTicket}},
	{"received", []record.Kind{record.KindPayment}},
	{"buyers", []record.Kind{record.KindTicket, record.KindContact}},
	{"plans", []record.Kind{record.KindPlanning}},
}

// sameAnswers reports whether each list is in the same state, answered at the same time and has as many records, for b as for before.
func sameAnswers(b, before *web.Builder) bool {
	return reflect.DeepEqual(b.Health.Streams, before.Health.Streams) && maps.Equal(b.Snapshot.Records, before.Snapshot.Records) && b.Snapshot.Contacts == before.Snapshot.Contacts
}

// services builds the page of the services.
func (b builder) services() (web.View, error) {
	p := servicesPage{Title: b.Text("nav.services"), Figs: b.serviceFigs()}
	at := map[string]int{}
	for _, h := range b.Health.Streams {
		i, ok := at[h.Service]
		if !ok {
			i = len(p.Services)
			at[h.Service] = i
			p.Services = append(p.Services, serviceLists{ID: web.RowID("service", i), Title: b.serviceName(h.Service), Messages: b.messages(h.Service)})
			if h.Service == "" {
				p.Services[i].Change = b.Text("settings.change_of", words.Text("title", p.Services[i].Title))
			}
		}
		p.Services[i].Lists = append(p.Services[i].Lists, b.listRow(h))
	}
	for _, m := range made {
		if row, ok := b.madeOf(m.kinds); ok {
			row.Figures = b.Code("services_made", m.code)
			p.Made = append(p.Made, row)
		}
	}
	return web.View{Title: p.Title, Body: servicesBody, Fragments: []web.Fragment{{ID: "services", HTML: p.html()}}}, nil
}

func (b builder) serviceName(name string) string {
	if name == "" {
		return b.Text("services.first")
	}
	return name
}

func (b builder) listRow(h figures.StreamHealth) listRow {
	var gives []string
	for _, kind := range h.Kinds {
		gives = append(gives, b.Code("rows", string(kind)))
	}
	r := listRow{Name: h.Name, Gives: b.List(gives), State: b.listState(h), Bad: h.Missed >= figures.FailingPolls, Answered: b.answered(h),
		Records: b.records(h), Without: b.without(h), Missing: !offered(h)}
	if !h.LastGood.IsZero() {
		r.Took = b.Took(h.Took)
	}
	for _, p := range h.Past {
		if !p.Until.IsZero() {
			was := h
			was.Fault, was.FaultStatus = p.Fault, p.Status
			r.Past = append(r.Past, b.Text("services.past_fault", words.Text("from", b.momentOf(p.From)), words.Text("until", b.momentOf(p.Until)), words.Text("fault", b.FaultText(was))))
		}
	}
	return r
}

// records returns how many records of a list were read, without scans, of which only sums are kept: not known where another list gives some
// of the same kind, or the list never answered.
func (b builder) records(h figures.StreamHealth) string {
	n, counted := 0, false
	for _, kind := range h.Kinds {
		n, counted = n+b.Snapshot.Records[kind], counted || kind != record.KindScan
		if kind == record.KindContact {
			n += b.Snapshot.Contacts.All()
		}
	}
	if h.Shared || !offered(h) || !counted || n == 0 && h.LastGood.IsZero() {
		return words.Dash
	}
	return b.Count(n)
}

// without returns what goes without a list, or where others give some of the same kind, what is not all there without it.
func (b builder) without(h figures.StreamHealth) string {
	var goes []string
	for _, kind := range h.Kinds {
		switch {
		case h.Shared:
			goes = append(goes, b.Code("services_part", string(kind)))
		case kind == record.KindPayment && !offered(h):
			goes = append(goes, b.Text("services.stands_in"))
		default:
			goes = append(goes, b.Code("services_without", string(kind)))
		}
	}
	return b.List(goes)
}

// offered reports whether the service offers a list.
func offered(h figures.StreamHealth) bool {
	return h.Fault != figures.FaultNotOffered && h.Fault != figures.FaultForbidden
}

// answered returns when a list last answered.
func (b builder) answered(h figures.StreamHealth) string {
	if h.LastGood.IsZero() {
		return words.Dash
	}
	return b.momentOf(h.LastGood)
}

// momentOf returns a time of today, or the day and the minute.
func (b builder) momentOf(at time.Time) string {
	if day := b.Calendar.Day(at); day != b.Today {
		return b.Text("services.answered_day", words.Text("day", b.DayShortOf(day)), words.Text("time", b.Clock(at, b.Zone)))
	}
	return b.ClockSeconds(at, b.Zone)
}

// madeOf returns the lists that give any of the kinds and when the one that has been silent for longest answered; ok is
// false if there are none.
func (b builder) madeOf(kinds []record.Kind) (row madeOf, ok bool) {
	var names []string
	var oldest figures.StreamHealth
	for _, h := range b.Health.Streams {
		if !offered(h) || !slices.ContainsFunc(kinds, func(k record.Kind) bool { return h.Gives(k) }) {
			continue
		}
		if names == nil || h.LastGood.Before(oldest.LastGood) {
			oldest = h
		}
		names = append(names, h.Name)
	}
	return madeOf{Lists: b.List(names), Answered: b.answered(oldest)}, names != nil
}

// listState returns how a list is read, for whoever looks after the service.
func (b builder) listState(h figures.StreamHealth) string {
	switch {
	case h.Fault != "":
		return b.FaultText(h)
	case h.Rereading, !h.Complete && !h.LastGood.IsZero():
		return b.ReadingWords(h)
	case !h.Complete:
		return b.Text("strip.starting")
	case h.Behind:
		return b.Text("services.behind")
	case h.Refused > 0:
		return b.Text("services.refused", words.Int("n", h.Refused))
	}
	return b.Text("services.complete")
}
