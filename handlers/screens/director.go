// Package screens knows what each screen on a wall shows, and the credentials and codes of screens.
//
// What a screen shows depends on its programme, the figures and the venue's clock, and is the same on every replica. It
// answers no request: package handlers decides who becomes a screen and who may change one.
package screens

import (
	"context"
	"fmt"
	"log/slog"
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

// Sources are what a director reads, and where it sends what it found.
type Sources struct {
	Screens    *store.Screens
	Programmes *store.Programmes
	Snapshot   func() *figures.Snapshot
	// Ready reports whether the figures can be shown yet.
	Ready func() bool
	// Now returns the clock that pages show.
	Now func() time.Time
	Hub *live.Hub
	// Language is the language of a device that waits to become a screen.
	Language web.Locale
	Log      *slog.Logger
}

// Director holds the screens with a socket on this replica, and their programmes, as last read. The stored screens are
// read when the store hints a change, and every few seconds (Read). What they show is computed once a second, and when a
// view's turn ends (Run). Its methods may be called from any goroutine.
type Director struct {
	Sources

	mu         sync.Mutex
	screens    map[string]*store.Screen // by credential
	added      map[string]*store.Screen // screens added since all were last read
	programmes map[string]programme.Programme
	changed    chan struct{} // has room for one: something has changed
}

// NewDirector returns a director without screens.
func NewDirector(s Sources) *Director {
	return &Director{Sources: s, screens: make(map[string]*store.Screen), added: make(map[string]*store.Screen), changed: make(chan struct{}, 1)}
}

// Begin must be called before the sockets on this replica are listed. Screens that are added after it are kept by
// the next Read.
func (d *Director) Begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.added)
}

// set stores all screens that were read after Begin.
func (d *Director) set(screens map[string]*store.Screen, programmes map[string]programme.Programme) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screens = maps.Clone(d.added)
	maps.Copy(d.screens, screens)
	if len(screens) > 0 || len(d.added) == 0 { // otherwise the programmes are as old as the added screens
		d.programmes = programmes
	}
	d.signal()
}

// Add stores one screen that now has a socket here, with the programmes that were read with it.
func (d *Director) Add(credential string, screen *store.Screen, programmes map[string]programme.Programme) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.screens[credential], d.added[credential] = screen, screen
	d.programmes = programmes
	d.signal()
}

func (d *Director) signal() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

func (d *Director) none() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.screens) == 0
}

func (d *Director) all() (map[string]*store.Screen, map[string]programme.Programme) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.screens), d.programmes
}

// ReadProgrammes returns the stored programmes by id, without those that cannot be read, which another version of
// the program may have written.
func (d *Director) ReadProgrammes(ctx context.Context) (map[string]programme.Programme, error) {
	list, err := d.Programmes.List(ctx)
	if err != nil {
		return nil, err
	}
	return d.Parse(list), nil
}

// Parse returns the programmes that can be read, by their ids.
func (d *Director) Parse(list []store.Programme) map[string]programme.Programme {
	all := make(map[string]programme.Programme, len(list))
	for _, stored := range list {
		p, err := programme.Parse([]byte(stored.Document), wall.ScreenPages())
		if err != nil {
			d.Log.Warn("a programme is not followed", "programme", stored.ID, "err", err)
			continue
		}
		all[stored.ID] = p
	}
	return all
}

const (
	// IdentifyFor is how long a screen shows its name.
	IdentifyFor = 10 * time.Second
	// directEvery is how often it is computed what screens show.
	directEvery = time.Second
)

// Moment is the figures and the venue's time for which screens are computed. Ready is true once all streams have
// been read, so that what is missing does not exist.
type Moment struct {
	Ready    bool
	Snapshot *figures.Snapshot
	Now      time.Time
}

// Moment returns the present figures and time.
func (d *Director) Moment() Moment {
	ready := d.Ready() // read before the figures, so that the figures include what made it true
	return Moment{ready, d.Snapshot(), d.Now()}
}

// Run directs the screens that have a socket on this replica until ctx ends.
func (d *Director) Run(ctx context.Context) {
	timer := time.NewTimer(directEvery)
	defer timer.Stop()
	var before Moment
	var until time.Time // by the venue's clock: what was computed holds until then
	for {
		changed := false
		select {
		case <-ctx.Done():
			return
		case <-d.changed:
			changed = true
		case <-timer.C:
		}
		if d.none() { // it signals when there is one
			timer.Reset(directEvery)
			continue
		}
		at := d.Moment()
		if changed || at.Snapshot != before.Snapshot || at.Ready != before.Ready || !at.Now.Before(until) {
			until = d.directAll(at)
			before = at
		}
		timer.Reset(max(10*time.Millisecond, min(directEvery, until.Sub(at.Now))))
	}
}

// directAll sends every screen what it shows now, and returns until when that holds if nothing changes: at most
// the end of the minute.
func (d *Director) directAll(at Moment) (until time.Time) {
	until = at.Now.Truncate(time.Minute).Add(time.Minute)
	screens, programmes := d.all()
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
			if q, ends, err := Showing(screen, programmes, at); err != nil {
				d.Log.Error("a screen shows nothing", "err", err)
			} else {
				of = shown{q.Topic(), ends}
			}
			found[k] = of
		}
		if of.topic == "" { // it may no longer show what it showed before
			d.Hub.CloseHolder(credential, live.CloseForbidden)
			continue
		}
		until = figures.Earlier(until, of.until)
		if left := IdentifyFor - time.Since(screen.Identify); left > 0 {
			until = figures.Earlier(until, at.Now.Add(left))
		}
		for _, message := range at.Snapshot.Messages(screen.ID, at.Now) {
			until = figures.Earlier(until, message.Until)
		}
		d.Hub.Lead(credential, live.Lead{Topic: of.topic, State: State(screen, at).JSON()})
	}
	return until
}

// State returns what a screen shows in addition to its page. Urgent messages are shown alone, so that they
// do not alternate with others. A dark screen has no messages.
func State(screen *store.Screen, m Moment) web.ScreenState {
	state := web.ScreenState{Margin: screen.Margin}
	if time.Since(screen.Identify) < IdentifyFor {
		state.Identify = screen.Name
	}
	if !screen.Reload.IsZero() {
		state.Reloaded = screen.Reload.UnixMilli()
	}
	if isDark(screen, m) {
		return state
	}
	state.Dim = programme.Hours(screen.Dim).Has(m.Snapshot, m.Now)
	all := m.Snapshot.Messages(screen.ID, m.Now) // urgent ones first
	for _, message := range all {
		if message.Urgent == all[0].Urgent {
			state.Messages = append(state.Messages, web.MessageState{Text: message.Text, Urgent: message.Urgent, Until: message.Until.UnixMilli()})
		}
	}
	return state
}

// isDark reports whether a screen must show nothing now.
func isDark(screen *store.Screen, m Moment) bool {
	return screen.Blank || programme.Hours(screen.Dark).Has(m.Snapshot, m.Now)
}

// Follows returns the programmes of which a screen shows the first view that has something to show. The
// screen's own programme has only the views that its access includes and that exist. If none is left,
// because a programme was deleted, a hall does not exist any more or a performance was cancelled, the
// automatic programme follows, and after that the page of the access with its message.
func Follows(own programme.Programme, a web.Access, language web.Locale, m Moment) []programme.Programme {
	hall := ""
	if halls := a.Halls(); len(halls) == 1 {
		hall = halls[0]
	}
	may := func(v programme.View) bool {
		q, err := requestOf(v, a, language)
		return err == nil && (!m.Ready || q.Exists(m.Snapshot))
	}
	last := programme.View{Page: "wall", Hall: hall, Seconds: 60}
	if a.Public {
		last.Page = "board"
	}
	return []programme.Programme{own.In(hall).Only(may), programme.Automatic().In(hall).Only(may), {Views: []programme.View{last}}}
}

// Showing returns what a screen shows, and until when, if the figures do not change.
func Showing(screen *store.Screen, programmes map[string]programme.Programme, m Moment) (q web.Request, until time.Time, err error) {
	a, err := web.ParseAccess(screen.Access)
	if err != nil {
		return web.Request{}, time.Time{}, err
	}
	language := web.Locale(screen.Language)
	if isDark(screen, m) {
		q, err = web.NewRequest(web.DarkPage, nil, a, language)
		return q, m.Now.Truncate(time.Minute).Add(time.Minute), err
	}
	var at programme.Showing
	for _, p := range Follows(programmes[screen.Programme], a, language, m) { // the last programme always has a view
		if at = p.At(m.Snapshot, m.Now); at.View != nil {
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

// First returns what the page of a credential shows first, and the programmes of its screen; nothing if
// nobody has the credential.
func (d *Director) First(ctx context.Context, credential string) (held store.Holds, programmes map[string]programme.Programme, to live.Lead, err error) {
	alive, err := d.Screens.Alive(ctx, []string{credential})
	held, ok := alive[credential]
	switch {
	case err != nil || !ok:
		return held, nil, to, err
	case held.Screen == nil:
		to.Topic = wall.WaitingRequest(d.Language).Topic()
		return held, nil, to, nil
	}
	programmes, err = d.ReadProgrammes(ctx)
	if err != nil {
		return held, nil, to, err
	}
	at := d.Moment()
	q, _, err := Showing(held.Screen, programmes, at)
	if err != nil {
		return held, nil, to, err
	}
	return held, programmes, live.Lead{Topic: q.Topic(), State: State(held.Screen, at).JSON()}, nil
}

// AccessOf returns the access of a credential, of a screen or of a device that waits to become one. If it
// changes, the socket is closed, so that nothing of the old access stays visible.
func AccessOf(held store.Holds) string {
	if held.Screen == nil {
		return "waiting"
	}
	return "screen " + held.Screen.Access
}

// Read reads what directs the screens with these credentials. It returns what each stands for; those that
// stand for nothing are not among them.
func (d *Director) Read(ctx context.Context, credentials []string) (map[string]store.Holds, error) {
	if len(credentials) == 0 {
		d.set(nil, nil)
		return nil, nil
	}
	alive, err := d.Screens.Alive(ctx, credentials)
	if err != nil {
		return nil, fmt.Errorf("screens: find screens: %w", err)
	}
	screens := make(map[string]*store.Screen, len(alive))
	for credential, held := range alive {
		if held.Screen != nil {
			screens[credential] = held.Screen
		}
	}
	programmes, err := d.ReadProgrammes(ctx)
	if err != nil {
		return nil, fmt.Errorf("screens: read programmes: %w", err)
	}
	d.set(screens, programmes)
	return alive, nil
}
