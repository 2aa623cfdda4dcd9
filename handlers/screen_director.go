package handlers

import (
	"context"
	"maps"
	"sync"
	"time"

	"housecount/aggregator/figures"
	"housecount/aggregator/store"
	"housecount/web"
	"housecount/web/live"
	"housecount/web/programme"
	"housecount/web/wall"
)

// What each screen shows depends on its programme, the figures and the venue's clock, and is the same on every
// replica. The stored screens are read when the store hints a change, and every few seconds (Run). What they show
// is computed once a second, and when a view's turn ends.

// screenDirector holds the screens with a socket on this replica, and their programmes, as last read. Its methods
// may be called from any goroutine.
type screenDirector struct {
	mu         sync.Mutex
	screens    map[string]*store.Screen // by credential
	added      map[string]*store.Screen // screens added since all were last read
	programmes map[string]programme.Programme
	changed    chan struct{} // has room for one: something has changed
}

func newScreenDirector() *screenDirector {
	return &screenDirector{screens: make(map[string]*store.Screen), added: make(map[string]*store.Screen), changed: make(chan struct{}, 1)}
}

// begin must be called before the sockets on this replica are listed. Screens that are added after it are kept by
// the next set.
func (l *screenDirector) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.added)
}

// set stores all screens that were read after begin.
func (l *screenDirector) set(screens map[string]*store.Screen, programmes map[string]programme.Programme) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.screens = maps.Clone(l.added)
	maps.Copy(l.screens, screens)
	if len(screens) > 0 || len(l.added) == 0 { // otherwise the programmes are as old as the added screens
		l.programmes = programmes
	}
	l.signal()
}

// add stores one screen that now has a socket here, with the programmes that were read with it.
func (l *screenDirector) add(credential string, screen *store.Screen, programmes map[string]programme.Programme) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.screens[credential], l.added[credential] = screen, screen
	l.programmes = programmes
	l.signal()
}

func (l *screenDirector) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

func (l *screenDirector) none() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.screens) == 0
}

func (l *screenDirector) all() (map[string]*store.Screen, map[string]programme.Programme) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.screens), l.programmes
}

// readProgrammes returns the stored programmes by id, without those that cannot be read, which another version of
// the program may have written.
func (s *site) readProgrammes(ctx context.Context) (map[string]programme.Programme, error) {
	list, err := s.Programmes.List(ctx)
	if err != nil {
		return nil, err
	}
	return s.parsed(list), nil
}

// parsed returns the programmes that can be read, by their ids.
func (s *site) parsed(list []store.Programme) map[string]programme.Programme {
	all := make(map[string]programme.Programme, len(list))
	for _, stored := range list {
		p, err := programme.Parse([]byte(stored.Document), wall.ScreenPages())
		if err != nil {
			s.Log.Warn("a programme is not followed", "programme", stored.ID, "err", err)
			continue
		}
		all[stored.ID] = p
	}
	return all
}

const (
	// identifyFor is how long a screen shows its name.
	identifyFor = 10 * time.Second
	// directEvery is how often it is computed what screens show.
	directEvery = time.Second
)

// moment is the figures and the venue's time for which screens are computed. ready is true once all streams have
// been read, so that what is missing does not exist.
type moment struct {
	ready    bool
	snapshot *figures.Snapshot
	now      time.Time
}

func (s *site) moment() moment {
	ready := s.Ready() // read before the figures, so that the figures include what made it true
	return moment{ready, s.Snapshot(), s.Now()}
}

// directScreens directs the screens that have a socket on this replica until ctx ends.
func (s *site) directScreens(ctx context.Context) {
	timer := time.NewTimer(directEvery)
	defer timer.Stop()
	var before moment
	var until time.Time // by the venue's clock: what was computed holds until then
	for {
		changed := false
		select {
		case <-ctx.Done():
			return
		case <-s.director.changed:
			changed = true
		case <-timer.C:
		}
		if s.director.none() { // it signals when there is one
			timer.Reset(directEvery)
			continue
		}
		at := s.moment()
		if changed || at.snapshot != before.snapshot || at.ready != before.ready || !at.now.Before(until) {
			until = s.directAll(at)
			before = at
		}
		timer.Reset(max(10*time.Millisecond, min(directEvery, until.Sub(at.now))))
	}
}

// directAll sends every screen what it shows now, and returns until when that holds if nothing changes: at most
// the end of the minute.
func (s *site) directAll(at moment) (until time.Time) {
	until = at.now.Truncate(time.Minute).Add(time.Minute)
	screens, programmes := s.director.all()
	type kind struct {
		programme, access, language, dark string
		blank                             bool
	}
	type shown struct {
		topic string
		until time.Time
	}
	found := make(map[kind]shown)
	for credential, screen := range screens {
		k := kind{screen.Programme, screen.Access, screen.Language, screen.Dark, screen.Blank}
		of, known := found[k]
		if !known {
			if q, ends, err := s.showing(screen, programmes, at); err != nil {
				s.Log.Error("a screen shows nothing", "err", err)
			} else {
				of = shown{q.Topic(), ends}
			}
			found[k] = of
		}
		if of.topic == "" { // it may no longer show what it showed before
			s.Hub.CloseHolder(credential, live.CloseForbidden)
			continue
		}
		until = figures.Earlier(until, of.until)
		if left := identifyFor - time.Since(screen.Identify); left > 0 {
			until = figures.Earlier(until, at.now.Add(left))
		}
		for _, message := range at.snapshot.Messages(screen.ID, at.now) {
			until = figures.Earlier(until, message.Until)
		}
		s.Hub.Lead(credential, live.Lead{Topic: of.topic, State: screenState(screen, at).JSON()})
	}
	return until
}

// screenState returns what a screen shows in addition to its page. Urgent messages are shown alone, so that they
// do not alternate with others. A dark screen has no messages.
func screenState(screen *store.Screen, m moment) web.ScreenState {
	state := web.ScreenState{Margin: screen.Margin}
	if time.Since(screen.Identify) < identifyFor {
		state.Identify = screen.Name
	}
	if !screen.Reload.IsZero() {
		state.Reloaded = screen.Reload.UnixMilli()
	}
	if isDark(screen, m) {
		return state
	}
	state.Dim = programme.Hours(screen.Dim).Has(m.snapshot, m.now)
	all := m.snapshot.Messages(screen.ID, m.now) // urgent ones first
	for _, message := range all {
		if message.Urgent == all[0].Urgent {
			state.Messages = append(state.Messages, web.MessageState{Text: message.Text, Urgent: message.Urgent, Until: message.Until.UnixMilli()})
		}
	}
	return state
}

// isDark reports whether a screen must show nothing now.
func isDark(screen *store.Screen, m moment) bool {
	return screen.Blank || programme.Hours(screen.Dark).Has(m.snapshot, m.now)
}

// follows returns the programmes of which a screen shows the first view that has something to show. The
// screen's own programme has only the views that its access includes and that exist. If none is left,
// because a programme was deleted, a hall does not exist any more or a performance was cancelled, the
// automatic programme follows, and after that the page of the access with its message.
func follows(own programme.Programme, a web.Access, language web.Locale, m moment) []programme.Programme {
	hall := ""
	if halls := a.Halls(); len(halls) == 1 {
		hall = halls[0]
	}
	may := func(v programme.View) bool {
		q, err := requestOf(v, a, language)
		return err == nil && (!m.ready || q.Exists(m.snapshot))
	}
	last := programme.View{Page: "wall", Hall: hall, Seconds: 60}
	if a.Public {
		last.Page = "board"
	}
	return []programme.Programme{own.In(hall).Only(may), programme.Automatic().In(hall).Only(may), {Views: []programme.View{last}}}
}

// showing returns what a screen shows, and until when, if the figures do not change.
func (s *site) showing(screen *store.Screen, programmes map[string]programme.Programme, m moment) (q web.Request, until time.Time, err error) {
	a, err := web.ParseAccess(screen.Access)
	if err != nil {
		return web.Request{}, time.Time{}, err
	}
	language := web.Locale(screen.Language)
	if isDark(screen, m) {
		q, err = web.NewRequest(web.DarkPage, nil, a, language)
		return q, m.now.Truncate(time.Minute).Add(time.Minute), err
	}
	var at programme.Showing
	for _, p := range follows(programmes[screen.Programme], a, language, m) { // the last programme always has a view
		if at = p.At(m.snapshot, m.now); at.View != nil {
			break
		}
	}
	q, err = requestOf(*at.View, a, language)
	return q, at.Until, err
}

// requestOf returns a view as a page within an access.
func requestOf(v programme.View, a web.Access, l web.Locale) (web.Request, error) {
	values := map[string][]string{}
	for name, value := range map[string]string{"hall": v.Hall, "event": v.Event, "text": v.Text} {
		if value != "" && web.HasParam(v.Page, name) {
			values[name] = []string{value}
		}
	}
	return web.NewRequest(v.Page, values, a, l)
}
