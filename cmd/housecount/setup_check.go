package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/figures/ledger"
	"housecount/aggregator/store"
	"housecount/apiclient"
	"housecount/apiclient/probe"
	"housecount/apiclient/profile"
	"housecount/apiclient/record"
	"housecount/cmd/housecount/options"
	"housecount/web/setup"
	"housecount/web/words"
)

const (
	// setupCheckLimit is how long a setup asks the service.
	setupCheckLimit = 90 * time.Second
	// setupRows is the most rows that it reads of a list.
	setupRows = 500
)

// setupFault is what is wrong with what was filled in: a code of the page, and the list or the field.
type setupFault struct{ code, what string }

func (f *setupFault) Error() string { return f.code + " " + f.what }

// setupFaults is everything that is wrong with a form. As an error it is the first of them.
type setupFaults []*setupFault

func (f setupFaults) Error() string { return f[0].Error() }
func (f setupFaults) Unwrap() error { return f[0] }

// add adds a fault.
func (f *setupFaults) add(code, what string) { *f = append(*f, &setupFault{code, what}) }

// orNil returns the faults as an error, nil if there are none.
func (f setupFaults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

// text returns the faults in English, a sentence each, as the page in the browser has them. profile is that of the service.
func (f setupFaults) text(profile string) string {
	var all []string
	for _, one := range f {
		all = append(all, setup.Fault{Code: one.code, What: one.what}.Text(words.Of(words.English), profile))
	}
	return strings.Join(all, " ")
}

// faultsOf returns the faults of an error, nil if it is none of them.
func faultsOf(err error) setupFaults {
	if all, ok := errors.AsType[setupFaults](err); ok {
		return all
	}
	if one, ok := errors.AsType[*setupFault](err); ok {
		return setupFaults{one}
	}
	return nil
}

// checkService asks the service what it gives, as check does, and returns what is to be shown of it and the
// halls. Its error is a *setupFault, which has nothing of what the service answered.
func checkService(ctx context.Context, o apiclient.Options, zone *time.Location) (*setup.Found, []setup.Hall, error) {
	ctx, cancel := context.WithTimeout(ctx, setupCheckLimit)
	defer cancel()
	client, err := apiclient.New(o)
	if err != nil {
		return nil, nil, &setupFault{code: "options"}
	}
	defer client.CloseIdle()
	var all []*probe.Finding
	for _, s := range client.Streams() {
		f := probe.Examine(ctx, client, s, setupRows, nil)
		all = append(all, f)
		if e, ok := errors.AsType[*apiclient.Error](f.Err); ok && failsEveryList(e) {
			return nil, nil, &setupFault{code: faultOf(f.Err)}
		}
	}
	found := &setup.Found{}
	for _, kind := range record.Kinds {
		seen, within := setup.Seen{Kind: string(kind)}, false
		for _, f := range all {
			if slices.Contains(f.Stream.Gives, kind) {
				seen.N += f.Fields.Records[kind]
				seen.More = seen.More || f.Err == nil && !f.Whole
			}
			// Most services have the scans within the tickets.
			within = within || kind == record.KindScan && f.Fields.Filled[record.KindTicket]["scans"]
		}
		if seen.N > 0 || within {
			found.Sees = append(found.Sees, seen)
		} else {
			found.Misses = append(found.Misses, seen)
		}
	}
	if !slices.ContainsFunc(found.Sees, func(s setup.Seen) bool { return s.Kind == string(record.KindEvent) }) {
		for _, f := range all {
			if f.Err != nil && slices.Contains(f.Stream.Gives, record.KindEvent) {
				return nil, nil, &setupFault{faultOf(f.Err), f.Stream.Name}
			}
		}
		return nil, nil, &setupFault{code: "no_events"}
	}
	r := setupReading{client: client, calendar: figures.Calendar{Zone: zone}, ledger: ledger.New(figures.Calendar{Zone: zone})}
	return found, r.tonight(ctx, found, time.Now().Add(probe.Skew(all))), nil
}

// locatedFault returns a fault of a service that answers, but has or gives nothing at a list's address, with the variable of the
// profile that leads there, or else with what the list would give; of one that refuses what it is asked with, with the variables
// that are a part of that. Other errors are returned as they are.
func locatedFault(err error, name string) error {
	fault, ok := errors.AsType[*setupFault](err)
	if !ok {
		return err
	}
	of, unread := options.ReadProfile(name)
	if unread != nil {
		return err
	}
	if proves := of.Proves(); fault.code == "unauthorized" && len(proves) > 0 && !needsPerson(of) {
		return &setupFault{"unauthorized_with", strings.Join(proves, " ")}
	}
	code := map[string]string{"not_offered": "not_here", "forbidden": "not_for_key"}[fault.code]
	if names := of.Locates(fault.what); code != "" && len(names) > 0 {
		return &setupFault{code, names[0]}
	}
	for _, s := range of.Streams {
		if s.Name == fault.what && len(s.Gives) > 0 {
			return &setupFault{fault.code, string(s.Gives[0])}
		}
	}
	return err
}

// faultOf returns the code of why the service did not answer: authorize where a person has to allow it and nobody has, and
// client_refused where it says that the client id or its secret is wrong.
func faultOf(err error) string {
	if errors.Is(err, store.ErrNoCredential) {
		return "authorize"
	}
	e, ok := errors.AsType[*apiclient.Error](err)
	if !ok {
		return "failed"
	}
	switch e.Kind {
	case apiclient.Unreachable, apiclient.Foreign:
		return "unreachable"
	case apiclient.Slow:
		return "slow"
	case apiclient.Unauthorized, apiclient.Ungranted:
		if e.RefusedClient {
			return "client_refused"
		}
		return "unauthorized"
	case apiclient.Forbidden:
		return "forbidden"
	case apiclient.NotOffered:
		return "not_offered"
	case apiclient.RateLimited:
		return "limited"
	case apiclient.Garbage, apiclient.Unknown, apiclient.TooLarge, apiclient.Endless, apiclient.Contradicts:
		return "unreadable"
	}
	return "failed"
}

// setupReading folds a little of what the service has, for a first number.
type setupReading struct {
	client   *apiclient.Client
	calendar figures.Calendar
	ledger   *ledger.Ledger
	revision int64
}

// read folds records of a list, of one event unless that is empty, and reports whether it was read whole.
func (r *setupReading) read(ctx context.Context, stream, event string, limit int) (whole bool) {
	rows := 0
	whole = true
	for rec, err := range r.client.Read(ctx, stream, apiclient.Query{
		EventID: event,
		OnPage:  func(p apiclient.Page) { rows += p.Rows; whole = p.Resume == "" },
		Enough:  func(apiclient.Page) bool { return rows >= limit },
	}) {
		if _, refused := errors.AsType[*record.Refusal](err); refused {
			continue
		}
		if err != nil {
			return false
		}
		r.revision++
		r.ledger.Apply(record.Version{Revision: r.revision, Head: true, Record: rec})
	}
	return whole
}

// tonight fills in how much is on tonight and returns the halls.
func (r *setupReading) tonight(ctx context.Context, found *setup.Found, now time.Time) []setup.Hall {
	var sales []string
	byEvent := true
	for _, s := range r.client.Streams() {
		if slices.Contains(s.Gives, record.KindEvent) {
			r.read(ctx, s.Name, "", 10*setupRows)
		}
		if slices.Contains(s.Gives, record.KindTicket) {
			sales = append(sales, s.Name)
			_, can := r.client.Filters(s.Name)
			byEvent = byEvent && can
		}
	}
	today := r.calendar.Day(now)
	found.Shows = map[string]setup.Show{}
	var tonight []string
	var halls []setup.Hall
	var first time.Time
	for _, e := range r.ledger.Snapshot(figures.Position{}, ledger.Coverage{}).Events {
		switch {
		case e.Date == today:
			tonight = append(tonight, e.Event.ID)
		case e.Date > today && (found.Next == "" || string(e.Date) < found.Next):
			found.Next = string(e.Date)
		}
		found.Shows[e.Event.ID] = setup.Show{Title: e.Event.Title, At: e.Event.StartsAt}
		if at := e.Event.StartsAt; e.Date >= today && !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first, found.First, found.FirstAt = at, e.Event.Title, at.In(r.calendar.Zone).Format("2006-01-02 15:04")
		}
		if e.Event.Hall == "" {
			continue
		}
		i := slices.IndexFunc(halls, func(h setup.Hall) bool { return h.Name == e.Event.Hall })
		if i < 0 {
			halls, i = append(halls, setup.Hall{Name: e.Event.Hall}), len(halls)
		}
		halls[i].Events++
		if e.Event.Capacity != nil {
			halls[i].Places = max(halls[i].Places, *e.Event.Capacity)
		}
	}
	slices.SortFunc(halls, func(a, b setup.Hall) int { return strings.Compare(a.Name, b.Name) })
	found.Tonight, found.SoldKnown = len(tonight), len(sales) > 0
	for _, stream := range sales {
		if !byEvent {
			found.SoldKnown = r.read(ctx, stream, "", 10*setupRows) && found.SoldKnown
			continue
		}
		for _, event := range tonight {
			found.SoldKnown = r.read(ctx, stream, event, 10*setupRows) && found.SoldKnown
		}
	}
	// Of tonight's performances everything was read, or SoldKnown is false.
	snapshot := r.ledger.Snapshot(figures.Position{}, ledger.Coverage{EventsComplete: true, TicketsOffered: true, TicketsComplete: true})
	for _, id := range tonight {
		e := snapshot.Event(id)
		found.SoldKnown = found.SoldKnown && e != nil
		if e != nil {
			found.Sold += e.Sold.Value
		}
	}
	return halls
}

// needsPerson reports whether a person has to allow housecount at the profile's service.
func needsPerson(p *profile.Profile) bool { return p.Rules.Auth.OAuth.Grant == profile.GrantCode }

// needsKey reports whether a profile needs a credential, and whether it may be that of a client.
func needsKey(p *profile.Profile) (key, client bool) {
	return p.Rules.Auth.Kind != profile.AuthNone, p.Rules.Auth.OAuth.TokenURL != "" || p.Name == "default"
}
