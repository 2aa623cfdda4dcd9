package handlers

import (
	"cmp"
	"context"
	"encoding/csv"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/presence"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/admin"
)

const (
	// sourceTimeout is the longest time that the database may take for a page.
	sourceTimeout = 3 * time.Second
	// exportedAtOnce is how many acts an export reads at a time.
	exportedAtOnce = 1000
)

// from returns the address that a request came from; empty if it has none.
func (s *site) from(r *http.Request) string {
	if a := s.proxies.Address(r); a.IsValid() {
		return a.String()
	}
	return ""
}

// SignedIn returns the sessions for the page of sessions, over all replicas.
func (s *Site) SignedIn(q web.SessionsQuery) (web.Sessions, error) {
	ctx, cancel := context.WithTimeout(s.ctx, sourceTimeout)
	defer cancel()
	now := time.Now()
	page := web.Sessions{Now: s.At(now).Truncate(time.Minute), Retention: s.KeepAudit, SignsIn: cmp.Or(s.Login.Issuer, s.Login.AuthURL)}
	list, err := s.Sessions.List(ctx)
	if err != nil {
		return page, err
	}
	ids := make([]string, len(list))
	for i, info := range list {
		ids[i] = info.ID
	}
	present, err := s.presence.Of(ctx, ids)
	if err != nil {
		return page, err
	}
	given, err := s.sessions.Grants(ctx)
	if err != nil {
		return page, err
	}
	if c := s.chain.Load(); c != nil {
		page.Chain = &web.Chain{Acts: c.Acts, Since: s.At(c.Since), Broken: c.Broken}
		if !c.BrokenAt.IsZero() {
			page.Chain.BrokenAt = s.At(c.BrokenAt)
		}
	}
	page.People = s.people(list, given, present, q.Own, now)
	if page.Keys, err = s.keys(ctx); err != nil {
		return page, err
	}
	if page.Rules, err = s.rules(ctx, page.People); err != nil {
		return page, err
	}
	logins, err := s.Audit.SignIns(ctx)
	if err != nil {
		return page, err
	}
	for _, a := range logins {
		a.At = s.At(a.At)
		page.Logins = append(page.Logins, web.Act(a))
	}
	refused, err := s.Audit.Refused(ctx, refusedNoRole, now.AddDate(0, 0, -7))
	if err != nil {
		return page, err
	}
	for _, a := range refused {
		page.TurnedAway = append(page.TurnedAway, web.Act(a))
	}
	of := actsOf(q, now)
	if page.Total, err = s.Audit.Count(ctx, of); err != nil {
		return page, err
	}
	acts, err := s.Audit.Acts(ctx, of, q.Skip, q.Limit)
	if err != nil {
		return page, err
	}
	for _, a := range acts {
		a.At = s.At(a.At)
		page.Acts = append(page.Acts, web.Act(a))
	}
	actors, err := s.Audit.Actors(ctx, of.Since)
	for subject, name := range actors {
		page.Actors = append(page.Actors, web.Actor{Subject: subject, Name: name})
	}
	slices.SortFunc(page.Actors, func(a, b web.Actor) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Subject, b.Subject))
	})
	return page, err
}

// actsOf returns the query for a page's parameters.
func actsOf(q web.SessionsQuery, now time.Time) store.ActQuery {
	of := store.ActQuery{Actor: q.Actor, Action: q.Action, Since: time.UnixMilli(0)}
	if q.Days > 0 {
		of.Since = now.AddDate(0, 0, -q.Days)
	}
	return of
}

// people returns the sessions by person: first people who are watching, by name, then the others, the last seen first.
func (s *site) people(list []store.SessionInfo, given signin.Grants, present map[string][]store.Watching, own string, now time.Time) []web.Person {
	byPerson := make(map[string]*web.Person)
	for _, info := range list {
		session := web.Session{ID: info.ID, Own: info.ID == own, Started: info.Started, Seen: info.Seen, Ends: info.Ends, Address: info.Address, Agent: info.Agent}
		address := ""
		if who := s.sessions.Decode(info.Data, given); who != nil {
			session.Role, session.Because, address = who.Role, who.Because, who.Address
		}
		s.seen(&session, present[info.ID], now)
		session.Watching = session.Watching || session.Own
		for _, t := range []*time.Time{&session.Started, &session.Seen, &session.Ends} {
			*t = s.At(*t)
		}
		key := cmp.Or(info.Subject, info.ID)
		p := byPerson[key]
		if p == nil {
			p = &web.Person{Subject: info.Subject, Name: info.Name}
			byPerson[key] = p
		}
		p.Address = cmp.Or(p.Address, address)
		p.Sessions = append(p.Sessions, session)
	}
	all := make([]web.Person, 0, len(byPerson))
	for _, p := range byPerson {
		all = append(all, *p)
	}
	watches := func(p web.Person) bool {
		return slices.ContainsFunc(p.Sessions, func(s web.Session) bool { return s.Watching })
	}
	seen := func(p web.Person) (last time.Time) {
		for _, s := range p.Sessions {
			if s.Seen.After(last) {
				last = s.Seen
			}
		}
		return last
	}
	slices.SortFunc(all, func(a, b web.Person) int {
		switch watching := watches(a); {
		case watching != watches(b) && watching:
			return -1
		case watching != watches(b):
			return 1
		case !watching:
			return cmp.Or(seen(b).Compare(seen(a)), strings.Compare(a.Subject, b.Subject))
		}
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Subject, b.Subject))
	})
	return all
}

// seen adds what the replicas saw of a session, the latest first.
func (s *site) seen(session *web.Session, on []store.Watching, now time.Time) {
	pages := make(map[web.Request]bool)
	for i, w := range on {
		if i == 0 {
			session.Address, session.Agent = cmp.Or(w.Address, session.Address), cmp.Or(w.Agent, session.Agent)
		}
		if w.Seen.After(session.Seen) {
			session.Seen = w.Seen
		}
		if w.Sockets == 0 || now.Sub(w.Seen) > presence.Lasts {
			continue
		}
		session.Watching = true
		for _, topic := range w.Topics {
			if q, err := web.ParseTopic(topic); err == nil && !pages[q] {
				pages[q] = true
				session.Pages = append(session.Pages, q)
			}
		}
	}
}

// exportAudit answers with the acts that the page selects, as a table for a spreadsheet. Codes are those of the
// database. The export is an act, too.
func (s *site) exportAudit(w http.ResponseWriter, r *http.Request) error {
	v := visitOf(r)
	q := admin.SessionsQueryOf(v.request)
	act := s.act(r, v.staff, actExported)
	act.ObjectName = clip(r.URL.RawQuery)
	if err := s.record(r.Context(), act); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="housecount-audit-`+time.Now().UTC().Format(time.DateOnly)+`.csv"`)
	table := csv.NewWriter(w)
	table.Write([]string{"time", "actor", "name", "action", "object", "object_name", "before", "after", "reason", "count", "address"})
	for of, more := actsOf(q, time.Now()), true; more; {
		acts, err := s.Audit.Acts(r.Context(), of, 0, exportedAtOnce)
		if err != nil {
			return err
		}
		for _, a := range acts {
			table.Write(cellsOf(a.At.UTC().Format(time.RFC3339Nano), a.Actor, a.Name, a.Action, a.Object, a.ObjectName, a.Before, a.After,
				a.Reason, strconv.Itoa(a.Count), a.Address))
			of.Before = a.ID
		}
		more = len(acts) == exportedAtOnce
	}
	table.Flush()
	return table.Error()
}

// cellsOf returns texts as cells of a spreadsheet.
func cellsOf(texts ...string) []string {
	for i, text := range texts {
		texts[i] = web.Cell(text)
	}
	return texts
}
