package handlers

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/screens"
	"housecount/web"
	"housecount/web/admin"
	"housecount/web/programme"
	"housecount/web/wall"
	"housecount/web/words"
)

const (
	// alertsEvery is how often missing screens are looked for.
	alertsEvery = 10 * time.Second
)

// Fleet returns the data of the screens page, over all replicas.
func (s *Site) Fleet() (web.Screens, error) {
	ctx, cancel := context.WithTimeout(s.ctx, sourceTimeout)
	defer cancel()
	list, present, err := s.screensSeen(ctx)
	if err != nil {
		return web.Screens{}, err
	}
	programmes, err := s.Programmes.List(ctx)
	if err != nil {
		return web.Screens{}, err
	}
	at, now, parsed := s.director.Moment(), time.Now(), s.director.Parse(programmes)
	page := web.Screens{Now: at.Now.Truncate(time.Minute), HasPictures: true, Address: s.public.String() + screenPath}
	for _, one := range list {
		state, since := screens.Standing(&one, present[one.Holder], at, now)
		screen := web.Screen{ID: one.ID, Name: one.Name, Place: one.Place, State: state, Since: s.At(since), Language: web.Locale(one.Language), Dark: one.Dark, Dim: one.Dim,
			Kind: one.Kind, Size: one.Size, Address: one.Address, Fault: one.Fault, FaultAt: s.At(one.FaultAt), By: one.By,
			Identifying: now.Sub(one.Identify) < screens.IdentifyFor}
		if !one.Copied.IsZero() {
			screen.Copied = s.At(one.Copied)
		}
		screen.Access, _ = web.ParseAccess(one.Access) // the zero Access for a screen without one
		screen.UnusedMoney = moneyUnused(screen.Access, parsed[one.Programme])
		if i := slices.IndexFunc(programmes, func(p store.Programme) bool { return p.ID == one.Programme }); i >= 0 {
			screen.Programme = programmes[i].Name
		}
		for i, w := range present[one.Holder] {
			if i == 0 {
				screen.Version = w.Version
				screen.Kind, screen.Address = cmp.Or(w.Agent, screen.Kind), cmp.Or(w.Address, screen.Address)
			}
			if screen.Shows == nil && len(w.Topics) > 0 {
				if q, err := web.ParseTopic(w.Topics[0]); err == nil {
					screen.Shows = &q
				}
			}
		}
		if screen.Shows == nil && state != web.ScreenNew {
			if q, _, err := screens.Showing(&one, parsed, at); err == nil {
				screen.Shows = &q
			}
		}
		page.List = append(page.List, screen)
	}
	return page, nil
}

// moneyUnused reports whether an access includes today's takings and no view of the programme, whose zero value stands for
// the automatic one, is about them.
func moneyUnused(a web.Access, p programme.Programme) bool {
	return a.Money != web.NoMoney && !slices.ContainsFunc(p.Views, func(v programme.View) bool { return v.Page == wall.TakingsPage })
}

// screensSeen returns the screens, and what the replicas see of each, the latest first.
func (s *site) screensSeen(ctx context.Context) ([]store.Screen, map[string][]store.Watching, error) {
	list, err := s.Screens.List(ctx)
	if err != nil {
		return nil, nil, err
	}
	holders := make([]string, 0, len(list))
	for _, one := range list {
		if one.Holder != "" {
			holders = append(holders, one.Holder)
		}
	}
	present, err := s.presence.Of(ctx, holders)
	return list, present, err
}

// ScreenAlerts returns the alerts about screens as last found.
func (s *site) ScreenAlerts() []web.ScreenAlert {
	alerts, _ := s.FoundScreenAlerts()
	return alerts
}

// FoundScreenAlerts is ScreenAlerts; known is false while they were not looked for, as after a start.
func (s *site) FoundScreenAlerts() (alerts []web.ScreenAlert, known bool) {
	if found := s.alerts.Load(); found != nil {
		return *found, true
	}
	return nil, false
}

// findScreenAlerts finds the screens that should be on and are not, and those whose credential another device has. The result
// is the same on every replica.
func (s *site) findScreenAlerts(ctx context.Context) error {
	now := time.Now()
	list, present, err := s.screensSeen(ctx)
	if err != nil {
		return err
	}
	at := s.director.Moment()
	var alerts []web.ScreenAlert
	for _, one := range list {
		state, since := screens.Standing(&one, present[one.Holder], at, now)
		if state == web.ScreenSilent {
			alerts = append(alerts, web.ScreenAlert{ID: one.ID, Name: one.Name, Since: s.At(since).Truncate(time.Second)})
		}
		if !one.Copied.IsZero() {
			alerts = append(alerts, web.ScreenAlert{ID: one.ID, Name: one.Name, Since: s.At(one.Copied).Truncate(time.Second), Copied: true})
		}
	}
	if before := s.alerts.Swap(&alerts); before == nil && len(alerts) > 0 || before != nil && !slices.Equal(*before, alerts) {
		s.Hub.Wake(web.WakeScreenAlerts)
	}
	return nil
}

// screenChanges are the changes that an administrator can make to a screen besides store.Command, each with its act.
var screenChanges = map[string]struct {
	act    string
	change func(*store.Screen)
}{
	"dark":  {store.ActScreenDark, func(s *store.Screen) { s.Blank = true }},
	"light": {store.ActScreenLight, func(s *store.Screen) { s.Blank = false }},
	"off":   {store.ActScreenOff, func(s *store.Screen) { s.Off = time.Now() }},
	"on":    {store.ActScreenOn, func(s *store.Screen) { s.Off = time.Time{} }},
	"known": {store.ActScreenKnown, func(s *store.Screen) { s.Copied = time.Time{} }},
}

// actOnScreen does something with a screen. For a screen that was revoked in the meantime it does nothing.
func (s *site) actOnScreen(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	id, do, who := r.Form.Get("screen"), r.PostForm.Get("do"), visitOf(r).staff
	change, changes := screenChanges[do]
	var err error
	switch {
	case do == string(store.CommandIdentify) || do == string(store.CommandReload):
		by := s.act(r, who, store.ActScreenCommanded)
		by.After = do
		_, err = s.Screens.Tell(r.Context(), id, store.Command(do), by)
	case changes: // no setting differs
		_, err = s.Screens.Change(r.Context(), id, s.act(r, who, change.act), change.change)
	default:
		return &fault{status: http.StatusBadRequest, code: "form"}
	}
	if err != nil {
		return err
	}
	s.Log.Info("act", "action", do, "actor", s.sessions.Owned(who.Subject), "object", id, "address", s.from(r))
	return redirect(w, "/screens")
}

// dimScreens sets the hours at which all screens are dimmed; none if they are empty.
func (s *site) dimScreens(w http.ResponseWriter, r *http.Request) error {
	dim := admin.HoursOf(r.PostFormValue("dim_from"), r.PostFormValue("dim_to"))
	if r.PostFormValue("never") != "" {
		dim = ""
	} else if dim == "" || !dim.Valid() {
		return &fault{status: http.StatusBadRequest, code: "form"}
	}
	list, err := s.Screens.List(r.Context())
	if err != nil {
		return err
	}
	by := s.act(r, visitOf(r).staff, store.ActScreenChanged)
	for _, one := range list {
		if one.Dim == string(dim) {
			continue
		}
		if _, err := s.Screens.Change(r.Context(), one.ID, by, func(one *store.Screen) { one.Dim = string(dim) }); err != nil {
			return err
		}
		s.Log.Info("act", "action", by.Action, "actor", by.Actor, "object", one.ID, "dim", string(dim), "address", by.Address)
	}
	return redirect(w, web.ScreensPath)
}

// screenNamed returns the screen whose id is in a form or an address; nil for none.
func (s *site) screenNamed(r *http.Request) (*store.Screen, error) {
	list, err := s.Screens.List(r.Context())
	if err != nil {
		return nil, err
	}
	id := r.FormValue("screen")
	for _, one := range list {
		if one.ID == id {
			return &one, nil
		}
	}
	return nil, nil
}

// revokePage asks for confirmation before a screen is revoked, and revokeScreen revokes it.
func (s *site) revokePage(w http.ResponseWriter, r *http.Request) error {
	one, err := s.screenNamed(r)
	if err != nil {
		return err
	}
	if one == nil { // it was revoked in the meantime
		return redirect(w, "/screens")
	}
	text := words.Of(s.language(r))
	return s.confirm(w, r, web.Question{Title: text.Text("screens.revoke_title", words.Name("name", one.Name)), Text: text.Text("screens.revoke_text"),
		Action: web.RevokePath, Fields: map[string]string{"screen": one.ID}, Do: text.Text("screens.revoke_do"), Back: "/screens"})
}

func (s *site) revokeScreen(w http.ResponseWriter, r *http.Request) error {
	who := visitOf(r).staff
	revoked, err := s.Screens.Revoke(r.Context(), r.PostFormValue("screen"), s.act(r, who, store.ActScreenRevoked))
	if err != nil {
		return err
	}
	if revoked {
		s.Log.Info("act", "action", store.ActScreenRevoked, "actor", s.sessions.Owned(who.Subject), "object", r.PostFormValue("screen"), "address", s.from(r))
	}
	return redirect(w, "/screens")
}

// screenPicture returns the page that a screen shows as a small picture for the screens page, without scripts.
func (s *site) screenPicture(w http.ResponseWriter, r *http.Request) error {
	one, err := s.screenNamed(r)
	if err != nil {
		return err
	}
	if one == nil {
		return errNotFound()
	}
	programmes, err := s.director.ReadProgrammes(r.Context())
	if err != nil {
		return err
	}
	at := s.director.Moment()
	q, _, err := screens.Showing(one, programmes, at)
	if err != nil {
		return err
	}
	// Only our own page may frame it.
	const policy = "Content-Security-Policy"
	w.Header().Set(policy, strings.Replace(s.headers[policy], "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return s.Renderer.Page(w, web.Frame{Request: q, Snapshot: at.Snapshot, Now: at.Now, Screen: new(screens.State(one, at)), Picture: true})
}
