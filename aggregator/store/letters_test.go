package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"housecount/aggregator/store"
)

func testLetters(t *testing.T, database string) {
	st := open(t, database)
	now := noon
	st.SetNow(func() time.Time { return now })
	l := st.Letters()
	anna := store.Subscriber{Person: "idp anna", Address: "anna@house.example", Language: "nl", Names: []string{"morning", "night"}, Who: []byte(`{}`)}
	chosen, stopped := store.Act{Actor: "idp anna", Action: store.ActLettersChosen}, store.Act{Action: store.ActLettersStopped}
	subscribe := func(one store.Subscriber) {
		t.Helper()
		if err := l.Subscribe(t.Context(), one, chosen); err != nil {
			t.Fatal(err)
		}
	}
	of := func(person string) *store.Subscriber {
		t.Helper()
		all, err := l.Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(all, func(one store.Subscriber) bool { return one.Person == person }); i >= 0 {
			return &all[i]
		}
		return nil
	}
	subscribe(anna)
	token := of("idp anna").Token
	anna.Names = anna.Names[:1]
	subscribe(anna)
	if got := of("idp anna"); got.Token != token || !slices.Equal(got.Names, []string{"morning"}) || got.Address != anna.Address || got.Language != "nl" || !got.Seen.Equal(noon) {
		t.Errorf("stored %+v", got)
	}

	// A letter is made once, and claimed once until its claim has passed, by whichever of many.
	letter := store.Letter{Person: "idp anna", Name: "morning", About: "2026-11-22", Until: noon.Add(4 * time.Hour)}
	for range 2 {
		if err := l.Make(t.Context(), []store.Letter{letter}); err != nil {
			t.Fatal(err)
		}
	}
	claimed := func() (n int) {
		t.Helper()
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				all, err := l.Claim(t.Context(), store.ByMail)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				n += len(all)
			})
		}
		all.Wait()
		return n
	}
	if n := claimed(); n != 1 {
		t.Errorf("claimed %d times, want once", n)
	}
	now = now.Add(store.ClaimTime - time.Second)
	if n := claimed(); n != 0 {
		t.Errorf("claimed again %d times within the claim", n)
	}
	now = now.Add(time.Second)
	one, err := l.Claim(t.Context(), store.ByMail)
	if err != nil || len(one) != 1 || one[0].Tries != 2 || one[0].ID() != letter.ID() || !one[0].Until.Equal(letter.Until) {
		t.Fatalf("claimed %+v after a crash (%v)", one, err)
	}
	settle := func(state, failure string, again time.Duration) {
		t.Helper()
		if err := l.Settle(t.Context(), one, state, failure, again); err != nil {
			t.Fatal(err)
		}
	}
	settle(store.LetterWaiting, "busy", time.Minute)
	if n := claimed(); n != 0 {
		t.Error("claimed before its time")
	}
	now = now.Add(time.Minute)
	if n := claimed(); n != 1 {
		t.Error("not claimed at its time")
	}
	settle(store.LetterSent, "", 0)
	now = now.Add(24 * time.Hour)
	if n := claimed(); n != 0 {
		t.Error("claimed after it was sent")
	}
	if newest, err := l.Newest(t.Context()); err != nil || newest["idp anna"].State != store.LetterSent || newest["idp anna"].Done.IsZero() {
		t.Errorf("newest %+v (%v)", newest, err)
	}
	if err := l.Make(t.Context(), []store.Letter{letter}); err != nil {
		t.Fatal(err)
	}
	if n := claimed(); n != 0 {
		t.Error("a letter that was sent was made again")
	}

	// Letters of one name that wait for a person are claimed together, in the order in which they were made, and those that
	// were made since the last was sent wait until they are far enough apart.
	alert := func(about string) store.Letter {
		return store.Letter{Person: "idp anna", Name: "alerts", About: about, Until: now.Add(time.Hour), Apart: 5 * time.Minute}
	}
	together := func(want ...string) {
		t.Helper()
		all, err := l.Claim(t.Context(), store.ByMail)
		var got []string
		for _, one := range all {
			got = append(got, one.Name+" "+one.About)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("claimed %q, want %q (%v)", got, want, err)
		}
		one = all
	}
	makeAll := func(all ...store.Letter) {
		t.Helper()
		if err := l.Make(t.Context(), all); err != nil {
			t.Fatal(err)
		}
	}
	makeAll(alert("z"), store.Letter{Person: "idp anna", Name: "night", About: "2026-11-22", Until: now.Add(time.Hour)}, store.Letter{Person: "idp bert", Name: "alerts", About: "z", Until: now.Add(time.Hour)})
	now = now.Add(time.Second)
	makeAll(alert("a"), alert("b"))
	together("alerts z", "alerts a", "alerts b")
	settle(store.LetterSent, "", 0)
	now = now.Add(time.Minute)
	makeAll(alert("c"))
	together("alerts z") // bert's
	together("night 2026-11-22")
	together()
	now = now.Add(4 * time.Minute)
	together("alerts c")
	settle(store.LetterSent, "", 0)

	// What the sign-in service says is kept of those who get letters alone; without an address they get none.
	for _, person := range []string{"idp anna", "idp bert"} {
		if err := l.Refresh(t.Context(), store.Subscriber{Person: person, Address: "new@house.example", Who: []byte(`{"a":1}`)}, true); err != nil {
			t.Fatal(err)
		}
	}
	if got := of("idp anna"); got.Address != "new@house.example" || string(got.Who) != `{"a":1}` || !got.Seen.Equal(now) || of("idp bert") != nil {
		t.Errorf("refreshed %+v", got)
	}

	// A person's devices are refreshed and held back with them, also without an address, and each is its own.
	device := store.Subscriber{Person: store.DeviceID("idp anna", "https://x"), Owner: "idp anna", Device: `{"endpoint":"https://x"}`, Language: "nl", Names: []string{"alerts"}, Who: []byte(`{}`)}
	subscribe(device)
	if err := l.Refresh(t.Context(), store.Subscriber{Person: "idp anna", Address: "new@house.example", Who: []byte(`{"a":2}`)}, true); err != nil {
		t.Fatal(err)
	}
	if got := of(device.Person); got == nil || got.Owner != "idp anna" || got.Device != device.Device || string(got.Who) != `{"a":2}` || got.Address != "new@house.example" {
		t.Errorf("the device is %+v", got)
	}
	if err := l.Lapse(t.Context(), "idp anna"); err != nil {
		t.Fatal(err)
	}
	if got := of(device.Person); !got.Seen.Equal(time.UnixMilli(0)) || !of("idp anna").Seen.Equal(time.UnixMilli(0)) {
		t.Errorf("held back is %+v", got)
	}
	if err := l.Gone(t.Context(), device.Person); err != nil {
		t.Fatal(err)
	}
	if of(device.Person) != nil || of("idp anna") == nil {
		t.Error("not the device alone is gone")
	}

	// The token stops the letters, those that wait too.
	next := store.Letter{Person: "idp anna", Name: "morning", About: "2026-11-23", Until: now.Add(time.Hour)}
	if err := l.Make(t.Context(), []store.Letter{next}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"new@house.example", ""} {
		if address, err := l.AddressOf(t.Context(), token); err != nil || address != want {
			t.Errorf("the token is of %q (%v), want %q", address, err, want)
		}
		if address, err := l.Stop(t.Context(), token, stopped); err != nil || address != want {
			t.Errorf("%d: stopped %q (%v), want %q", i, address, err, want)
		}
	}
	if of("idp anna") != nil || claimed() != 0 {
		t.Error("letters go on after they were stopped")
	}
	subscribe(anna)
	if of("idp anna").Token == token {
		t.Error("a token that stopped letters is used again")
	}
	anna.Names = nil
	subscribe(anna)
	if of("idp anna") != nil {
		t.Error("somebody without letters is stored")
	}

	acts, err := st.Audit().Acts(t.Context(), store.ActQuery{}, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range acts {
		lines = append(lines, fmt.Sprintf("%s %s: %q > %q", a.Actor, a.Action, a.Before, a.After))
	}
	if want := []string{`idp anna letters_chosen: "morning" > ""`, `idp anna letters_chosen: "" > "morning"`, `idp anna letters_stopped: "morning" > ""`, `idp anna letters_chosen: "" > "alerts"`,
		`idp anna letters_chosen: "morning night" > "morning"`, `idp anna letters_chosen: "" > "morning night"`}; !slices.Equal(lines, want) {
		t.Errorf("audited %q, want %q", lines, want)
	}
}

// Senders that claim at once each get a letter while there is one for each.
func testClaimLettersAtOnce(t *testing.T, database string) {
	l := open(t, database).Letters()
	const senders = 4
	for round := range 10 {
		var made []store.Letter
		for i := range senders {
			made = append(made, store.Letter{Person: fmt.Sprint("idp ", round, " ", i), Name: "morning", About: "2026-11-22", Until: time.Now().Add(time.Hour)})
		}
		if err := l.Make(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		begin := make(chan struct{})
		var all sync.WaitGroup
		for range senders {
			all.Go(func() {
				<-begin
				if got, err := l.Claim(t.Context(), store.ByMail); err != nil || len(got) != 1 {
					t.Errorf("in round %d a sender gets %v (%v)", round, got, err)
				}
			})
		}
		close(begin)
		all.Wait()
	}
	if got, err := l.Claim(t.Context(), store.ByMail); err != nil || got != nil {
		t.Errorf("once all are claimed: %v (%v)", got, err)
	}
}

// The addresses of the house are claimed each by itself, and neither with mail nor with devices; letters to what the house has no more
// go when they are old.
func testLettersOfTheHouse(t *testing.T, database string) {
	now := noon
	st := open(t, database)
	st.SetNow(func() time.Time { return now })
	l := st.Letters()
	persons := []string{store.HousePerson, store.HousePerson + "/1", store.HousePerson + "/12"}
	var all []store.Letter
	for _, person := range append(persons, "housekeeping anna") {
		all = append(all, store.Letter{Person: person, Name: "alerts", About: "a", Until: now.Add(time.Hour)})
	}
	if err := l.Make(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for way, want := range map[store.Way]string{store.ByPush: "", store.ByMail: "housekeeping anna", store.Way(persons[0]): persons[0], store.Way(persons[1]): persons[1], store.Way(persons[2]): persons[2]} {
		for i := range 2 {
			got, err := l.Claim(t.Context(), way)
			switch {
			case err != nil:
				t.Fatal(err)
			case want == "" || i > 0:
				if len(got) != 0 {
					t.Errorf("%s: claimed %+v", way, got)
				}
			case len(got) != 1 || got[0].Person != want:
				t.Errorf("%s: claimed %+v, want that of %s", way, got, want)
			}
		}
	}
	now = now.Add(41 * 24 * time.Hour)
	if err := l.Make(t.Context(), []store.Letter{{Person: persons[0], Name: "alerts", About: "b", Until: now.Add(time.Hour)}}); err != nil {
		t.Fatal(err)
	}
	if newest, err := l.Newest(t.Context()); err != nil || len(newest) != 1 || newest[persons[0]].About != "b" {
		t.Errorf("after 41 days there are %+v (%v)", newest, err)
	}
}

// Who was told of an alert is known by its id in the log, also when it was told again, and of nobody who was told of another whose id
// begins with it.
func testTold(t *testing.T, database string) {
	st := open(t, database)
	st.SetNow(func() time.Time { return noon })
	l := st.Letters()
	device := store.DeviceID("idp anna", "https://x")
	if err := l.Subscribe(t.Context(), store.Subscriber{Person: device, Owner: "idp anna", Device: `{"endpoint":"https://x"}`, Address: "anna@house.example", Language: "nl", Names: []string{"alerts"}, Who: []byte(`{}`)}, store.Act{Actor: "idp anna", Action: store.ActLettersChosen}); err != nil {
		t.Fatal(err)
	}
	again := store.AboutAgain("hold:e_%#1", noon)
	var all []store.Letter
	for about, person := range map[string]string{"hold:e_%#1": device, again: "idp bert", "hold:e_%#12": "idp cleo", "hold:e_x#1": "idp dirk", "2026-11-22": "idp elsa"} {
		all = append(all, store.Letter{Person: person, Name: "alerts", About: about, Until: noon.Add(time.Hour)})
	}
	if err := l.Make(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	told, err := l.Told(t.Context(), "hold:e_%#1")
	var got []string
	for _, one := range told {
		got = append(got, fmt.Sprintf("%t %s %s %s again %t, %s %t", one.Person == device, one.Owner, one.Address, one.Device, one.About == again, one.State, one.Made.Equal(noon)))
	}
	want := []string{"false    again true, waiting true", `true idp anna anna@house.example {"endpoint":"https://x"} again false, waiting true`}
	if got = sorted(got); err != nil || !slices.Equal(got, want) {
		t.Errorf("told are %q (%v), want %q", got, err, want)
	}
}
