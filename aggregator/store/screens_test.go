package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

var television = store.Device{Kind: "webOS 22", Size: "1920 × 1080", Address: "10.0.4.21"}

// ask has a device show a code for a quarter of an hour.
func ask(t *testing.T, c *store.Screens, credential, code string, now time.Time) {
	t.Helper()
	if err := c.Ask(t.Context(), credential, code, television, now.Add(15*time.Minute)); err != nil {
		t.Fatal(err)
	}
}

// holds returns what credentials make of their devices, in the order of the credentials: the
// screen's name, "waits", or "-" for nothing.
func holds(t *testing.T, c *store.Screens, credentials ...string) string {
	t.Helper()
	alive, err := c.Alive(t.Context(), credentials)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, credential := range credentials {
		switch held, ok := alive[credential]; {
		case !ok:
			text += "- "
		case held.Screen == nil:
			text += "waits "
		default:
			text += held.Screen.Name + " "
		}
	}
	return text
}

func checkHolds(t *testing.T, c *store.Screens, want string, credentials ...string) {
	t.Helper()
	if got := holds(t, c, credentials...); got != want {
		t.Errorf("%v hold %q, want %q", credentials, got, want)
	}
}

// checkScreenActs checks the whole audit: actions with the name and the id of their object.
func checkScreenActs(t *testing.T, st *store.Store, want ...string) {
	t.Helper()
	acts, err := st.Audit().Acts(t.Context(), store.ActQuery{}, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range slices.Backward(acts) {
		got = append(got, a.Action+" "+a.ObjectName+" "+a.Object)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit has %q, want %q", got, want)
	}
}

func testPairing(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	c := st.Screens()
	hints, stop := st.Watch(store.SubjectScreens)
	defer stop()

	ask(t, c, "a", "K7M4XR", now)
	ask(t, c, "b", "FFF777", now)
	if err := c.Ask(t.Context(), "c", "FFF777", television, now.Add(time.Minute)); !errors.Is(err, store.ErrCodeTaken) {
		t.Errorf("a code of another: %v", err)
	}
	checkHolds(t, c, "waits waits - ", "a", "b", "c")
	if err := c.Describe(t.Context(), "a", "1280 × 720"); err != nil {
		t.Fatal(err)
	}
	p, shown, err := c.Asked(t.Context(), "K7M4XR")
	if want := (store.Device{Kind: "webOS 22", Size: "1280 × 720", Address: "10.0.4.21"}); err != nil || !shown || p.Device != want ||
		!p.Asked.Equal(noon) || !p.Expiry.Equal(noon.Add(15*time.Minute)) {
		t.Errorf("asked %+v, %v, %v", p, shown, err)
	}
	// The code of before is none any more.
	ask(t, c, "a", "NEW333", now)
	if _, shown, _ := c.Asked(t.Context(), "K7M4XR"); shown {
		t.Error("a device shows two codes")
	}
	if len(hints) > 0 {
		t.Error("a device that asks is a hint")
	}

	// Of two who claim one code, one gets it.
	other := open(t, database)
	other.SetNow(func() time.Time { return now })
	elsewhere, end := other.Watch(store.SubjectScreens)
	defer end()
	ids := make(chan string, 2)
	var wg sync.WaitGroup
	for _, s := range []*store.Store{st, other} {
		wg.Go(func() {
			id, paired, err := s.Screens().Pair(t.Context(), "NEW333", store.Screen{Name: "Bar", Place: "Foyer", Programme: "p", Language: "nl",
				Access: "money=none", Margin: 20, Dark: "23:30-08:00", Dim: "22:00-23:00", By: "Anna"}, store.Act{Actor: "idp anna", Action: store.ActScreenPaired})
			if err != nil || paired != (id != "") {
				t.Errorf("paired %q, %v, %v", id, paired, err)
			}
			ids <- id
		})
	}
	wg.Wait()
	id, none := <-ids, <-ids
	if id == "" {
		id, none = none, id
	}
	if id == "" || none != "" {
		t.Fatalf("claimed as %q and %q", id, none)
	}
	if len(hints)+len(elsewhere) != 1 { // where the code was claimed: nobody carries hints here
		t.Errorf("%d hints of a pairing", len(hints)+len(elsewhere))
	}
	for len(hints) > 0 {
		<-hints
	}
	checkHolds(t, c, "Bar waits ", "a", "b")
	alive, err := c.Alive(t.Context(), []string{"a"})
	want := store.Screen{ID: id, Name: "Bar", Place: "Foyer", Programme: "p", Language: "nl", Access: "money=none", Margin: 20, Dark: "23:30-08:00", Dim: "22:00-23:00",
		Device: television, Holder: store.HolderID("a"), Created: noon.Local(), By: "Anna"}
	if err != nil || *alive["a"].Screen != want {
		t.Errorf("%+v, %v; want %+v", alive["a"].Screen, err, want)
	}

	if refused, err := c.Refuse(t.Context(), "FFF777", store.Act{Action: store.ActScreenRefused}); err != nil || !refused {
		t.Errorf("refused %v, %v", refused, err)
	}
	await(t, "hint", hints, time.Second)
	if refused, err := c.Refuse(t.Context(), "FFF777", store.Act{Action: store.ActScreenRefused}); err != nil || refused {
		t.Errorf("refused again %v, %v", refused, err)
	}
	if linked, err := c.Link(t.Context(), "guessed", "x", television, store.Act{}); err != nil || linked {
		t.Errorf("linked %v, %v", linked, err)
	}
	if len(hints) > 0 {
		t.Error("what changes nothing is a hint")
	}
	checkHolds(t, c, "Bar - ", "a", "b")

	checkScreenActs(t, st, "screen_paired Bar "+id, "screen_refused 10.0.4.21 ")

	ask(t, c, "late", "CCC444", now)
	now = now.Add(15 * time.Minute)
	checkHolds(t, c, "Bar - ", "a", "late")
	if _, shown, err := c.Asked(t.Context(), "CCC444"); shown || err != nil {
		t.Errorf("an expired code is shown: %v, %v", shown, err)
	}
	if _, paired, err := c.Pair(t.Context(), "CCC444", store.Screen{}, store.Act{}); paired || err != nil {
		t.Errorf("an expired code is claimed: %v, %v", paired, err)
	}
	ask(t, c, "d", "CCC444", now) // which is free again
}

// Twenty codes that strangers have made with a program shut out nobody of their network for longer than ten seconds, and
// twenty pages for two minutes; devices that show a page give way last, and none of another network does.
func testCodesGiveWay(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	c := st.Screens()
	expiry := noon.Add(15 * time.Minute)
	asks := func(name, address string) error {
		return c.Ask(t.Context(), name, "code of "+name, store.Device{Address: address}, expiry)
	}
	const here = "10.0.4.21"
	for name, address := range map[string]string{"theirs": "10.0.4.22", "page": here} {
		if err := asks(name, address); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Describe(t.Context(), "page", "1920 × 1080"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(time.Second)
	for i := range 19 {
		if err := asks(fmt.Sprint("stranger ", i), here); err != nil {
			t.Fatal(err)
		}
	}
	now = now.Add(9 * time.Second)
	if err := asks("new", here); !errors.Is(err, store.ErrTooManyCodes) {
		t.Errorf("after nine seconds: %v", err)
	}
	now = now.Add(time.Second)
	for i := range 19 {
		name := fmt.Sprint("new ", i)
		if err := errors.Join(asks(name, here), c.Describe(t.Context(), name, "1080 × 1920")); err != nil {
			t.Errorf("after ten seconds: %v", err)
		}
	}
	waits := func(name string, want bool) {
		t.Helper()
		if _, shown, err := c.Asked(t.Context(), "code of "+name); err != nil || shown != want {
			t.Errorf("the code of %s is shown: %v, %v", name, shown, err)
		}
	}
	waits("page", true)
	waits("stranger 3", false)
	waits("new 18", true)
	now = noon.Add(2*time.Minute - time.Second)
	if err := asks("late", here); !errors.Is(err, store.ErrTooManyCodes) {
		t.Errorf("before two minutes: %v", err)
	}
	now = noon.Add(2 * time.Minute)
	if err := asks("late", here); err != nil {
		t.Errorf("after two minutes: %v", err)
	}
	waits("page", false)
	waits("new 0", true)
	waits("theirs", true)
}

// A stranger can neither fill the database nor keep others from being paired.
func testCodesLimited(t *testing.T, database string) {
	st := open(t, database)
	st.SetNow(func() time.Time { return noon })
	c := st.Screens()
	var err error
	n := 0
	for ; err == nil; n++ {
		err = c.Ask(t.Context(), fmt.Sprint("credential ", n), fmt.Sprint("code ", n), television, noon.Add(time.Minute))
	}
	if !errors.Is(err, store.ErrTooManyCodes) || n-1 != 20 {
		t.Fatalf("after %d codes of one address: %v", n-1, err)
	}
	if err := c.Ask(t.Context(), "credential 0", "code", television, noon.Add(time.Minute)); err != nil {
		t.Errorf("a device that shows one cannot show the next: %v", err)
	}
	if err := c.Ask(t.Context(), "x", "x", store.Device{Address: "10.0.4.22"}, noon.Add(time.Minute)); err != nil {
		t.Errorf("of another address: %v", err)
	}
	// Who has one IPv6 address has more of them than there are codes.
	for n, err = 0, nil; err == nil; n++ {
		err = c.Ask(t.Context(), fmt.Sprint("six ", n), fmt.Sprint("six ", n), store.Device{Address: fmt.Sprintf("2001:db8::%x", n+1)}, noon.Add(time.Minute))
	}
	if !errors.Is(err, store.ErrTooManyCodes) || n-1 != 20 {
		t.Errorf("after %d codes of one network: %v", n-1, err)
	}
	if err := c.Ask(t.Context(), "z", "z", store.Device{Address: "2001:db8:0:1::1"}, noon.Add(time.Minute)); err != nil {
		t.Errorf("of another network: %v", err)
	}
	st.SetNow(func() time.Time { return noon.Add(time.Minute) })
	ask(t, c, "y", "y", noon.Add(time.Minute))
}

func testScreenLink(t *testing.T, database string) {
	st := open(t, database)
	c := st.Screens()
	id, err := c.Add(t.Context(), store.Screen{Name: "Kiosk"}, "secret", store.Act{Action: store.ActScreenAdded})
	if err != nil {
		t.Fatal(err)
	}
	link := func(secret, credential string, want bool) {
		t.Helper()
		if linked, err := c.Link(t.Context(), secret, credential, television, store.Act{Action: store.ActScreenLinked}); err != nil || linked != want {
			t.Errorf("link %s with %s: %v, %v; want %v", credential, secret, linked, err, want)
		}
	}
	link("guessed", "a", false)
	ask(t, c, "a", "code", time.Now())
	link("secret", "a", true)
	if _, shown, err := c.Asked(t.Context(), "code"); shown || err != nil {
		t.Errorf("a screen shows a code: %v", err)
	}
	checkHolds(t, c, "Kiosk - ", "a", "b")
	link("secret", "b", true) // one device at a time
	checkHolds(t, c, "- Kiosk ", "a", "b")
	if revoked, err := c.Revoke(t.Context(), id, store.Act{Action: store.ActScreenRevoked}); err != nil || !revoked {
		t.Errorf("revoked %v, %v", revoked, err)
	}
	link("secret", "a", false)
	checkHolds(t, c, "- - ", "a", "b")
	checkScreenActs(t, st, "screen_added Kiosk "+id, "screen_linked Kiosk "+id, "screen_linked Kiosk "+id, "screen_revoked Kiosk "+id)
}

func testScreens(t *testing.T, database string) {
	st := open(t, database)
	c := st.Screens()
	bar, err := c.Add(t.Context(), store.Screen{Name: "Bar"}, "1", store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	atrium, err := c.Add(t.Context(), store.Screen{Name: "Atrium"}, "2", store.Act{})
	if err != nil {
		t.Fatal(err)
	}
	names := func() (text string) {
		t.Helper()
		list, err := c.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list {
			text += s.ID + " " + s.Name + "\n"
		}
		return text
	}
	if got := names(); got != atrium+" Atrium\n"+bar+" Bar\n" {
		t.Errorf("listed %s", got)
	}
	hints, stop := st.Watch(store.SubjectScreens)
	defer stop()
	changed := store.Screen{ID: bar, Name: "Buffet", Place: "Foyer", Programme: "p", Language: "de", Access: "money=none", Margin: 30, Dark: "01:00-09:00", Dim: "00:00-01:00", Off: noon.Local(), Blank: true}
	if ok, err := c.Change(t.Context(), bar, store.Act{Action: store.ActScreenChanged}, func(s *store.Screen) {
		if s.Name != "Bar" {
			t.Errorf("changes %+v", s)
		}
		*s = changed
	}); err != nil || !ok {
		t.Fatalf("changed %v, %v", ok, err)
	}
	await(t, "hint", hints, time.Second)
	list, err := c.List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	list[1].Created = time.Time{}
	if list[1] != changed {
		t.Errorf("changed to %+v", list[1])
	}
	if ok, err := c.Revoke(t.Context(), atrium, store.Act{}); err != nil || !ok {
		t.Fatalf("revoked %v, %v", ok, err)
	}
	await(t, "hint", hints, time.Second)
	if got := names(); got != bar+" Buffet\n" {
		t.Errorf("listed %s", got)
	}
	if ok, err := c.Revoke(t.Context(), atrium, store.Act{}); err != nil || ok {
		t.Errorf("revoked again %v, %v", ok, err)
	}
	if ok, err := c.Change(t.Context(), atrium, store.Act{Action: store.ActScreenChanged}, func(*store.Screen) {}); err != nil || ok {
		t.Errorf("a revoked one was changed: %v, %v", ok, err)
	}
	if ok, err := c.Change(t.Context(), bar, store.Act{Action: store.ActScreenOn}, func(s *store.Screen) { s.Off, s.Blank = time.Time{}, false }); err != nil || !ok {
		t.Errorf("changed back %v, %v", ok, err)
	}
	// What it is told, and what it says.
	st.SetNow(func() time.Time { return noon })
	for id, want := range map[string]bool{bar: true, atrium: false} {
		if ok, err := c.Tell(t.Context(), id, store.CommandReload, store.Act{Action: store.ActScreenCommanded, After: "reload"}); err != nil || ok != want {
			t.Errorf("told %v, %v", ok, err)
		}
	}
	if linked, err := c.Link(t.Context(), "1", "credential", store.Device{}, store.Act{}); err != nil || !linked {
		t.Errorf("linked %v, %v", linked, err)
	}
	if err := c.Report(t.Context(), "credential", "no wake lock"); err != nil {
		t.Error(err)
	}
	list, err = c.List(t.Context())
	if s := list[0]; err != nil || !s.Off.IsZero() || s.Blank || !s.Identify.IsZero() || !s.Reload.Equal(noon) || s.Fault != "no wake lock" || !s.FaultAt.Equal(noon) || s.Holder != store.HolderID("credential") {
		t.Errorf("%+v, %v", s, err)
	}
	acts, err := st.Audit().Acts(t.Context(), store.ActQuery{Action: store.ActScreenChanged, Object: bar}, 0, 9)
	if err != nil || len(acts) != 1 || acts[0].Before != "access=&dark=&dim=&language=&margin=0&name=Bar&place=" || acts[0].After != "access=money%3Dnone&dark=01%3A00-09%3A00&dim=00%3A00-01%3A00&language=de&margin=30&name=Buffet&place=Foyer" {
		t.Errorf("recorded %+v, %v", acts, err)
	}
	checkScreenActs(t, st, " Bar "+bar, " Atrium "+atrium, "screen_changed Buffet "+bar, " Atrium "+atrium, "screen_on Buffet "+bar, "screen_told Buffet "+bar, " Buffet "+bar)
}

func testProgrammes(t *testing.T, database string) {
	st := open(t, database)
	st.SetNow(func() time.Time { return noon })
	p := st.Programmes()
	hints, stop := st.Watch(store.SubjectScreens)
	defer stop()
	first, err := p.Save(t.Context(), store.Programme{Name: "Foyer", Document: "views: []", By: "Anna"}, store.Act{Action: store.ActProgrammeSaved})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "hint", hints, time.Second)
	if want := (store.Programme{ID: first.ID, Name: "Foyer", Document: "views: []", Version: 1, Changed: noon.Local(), By: "Anna"}); first.ID == "" || first != want {
		t.Errorf("%+v, want %+v", first, want)
	}
	second := first
	second.Name, second.Document, second.By = "Bar", "views: [a]", "Bert"
	if second, err = p.Save(t.Context(), second, store.Act{Action: store.ActProgrammeSaved}); err != nil || second.Version != 2 {
		t.Fatalf("%+v, %v", second, err)
	}
	await(t, "hint", hints, time.Second)
	if _, err := p.Save(t.Context(), first, store.Act{Action: store.ActProgrammeSaved}); !errors.Is(err, store.ErrChanged) {
		t.Errorf("an older version was saved over a newer: %v", err)
	}
	if list, err := p.List(t.Context()); err != nil || len(list) != 1 || list[0] != second {
		t.Errorf("%+v, %v; want %+v", list, err, second)
	}
	if err := p.Delete(t.Context(), second.ID, 1, store.Act{Action: store.ActProgrammeDeleted}); !errors.Is(err, store.ErrChanged) {
		t.Errorf("an older version was deleted: %v", err)
	}
	if err := p.Delete(t.Context(), second.ID, 2, store.Act{Action: store.ActProgrammeDeleted}); err != nil {
		t.Error(err)
	}
	await(t, "hint", hints, time.Second)
	if list, err := p.List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	checkScreenActs(t, st, "programme_saved Foyer "+first.ID, "programme_saved Bar "+first.ID, "programme_deleted Bar "+first.ID)
}
