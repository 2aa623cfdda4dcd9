package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"housecount/aggregator/store"
	"housecount/aggregator/store/pgtest"
)

// Somebody leaves out alerts by mail and on their devices, each by itself, and what they choose of letters leaves that as it is; a
// device that they add is as their others. Another person is not touched.
func testLeave(t *testing.T, database string) {
	st := open(t, database)
	l := st.Letters()
	chosen := store.Act{Actor: "idp anna", Action: store.ActLettersChosen}
	subscribe := func(person, owner string, names ...string) {
		t.Helper()
		one := store.Subscriber{Person: person, Owner: owner, Address: person + "@house.example", Language: "en", Names: names, Who: []byte(`{}`)}
		if owner != "" {
			one.Device = `{"endpoint":"https://x"}`
		}
		if err := l.Subscribe(t.Context(), one, chosen); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, want ...string) {
		t.Helper()
		all, err := l.Subscribers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range all {
			got = append(got, fmt.Sprintf("%s %s without %s", one.Person, one.Names, one.Without))
		}
		if !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	subscribe("idp anna", "", "alerts", "morning")
	subscribe("idp bert", "", "alerts")
	one := store.DeviceID("idp anna", "https://one")
	two := store.DeviceID("idp anna", "https://two")
	subscribe(one, "idp anna", "alerts")
	leave := func(mail, devices []string) {
		t.Helper()
		if err := l.Leave(t.Context(), "idp anna", store.LeftOut{Codes: mail, By: chosen}, store.LeftOut{Codes: devices, By: chosen}); err != nil {
			t.Fatal(err)
		}
	}
	leave([]string{"hold", "oversold"}, []string{"streams"})
	want("left out", "idp anna [alerts morning] without [hold oversold]", one+" [alerts] without [streams]", "idp bert [alerts] without []")
	subscribe(two, "idp anna", "alerts")
	subscribe("idp anna", "", "alerts", "unanswered")
	want("chosen anew", "idp anna [alerts unanswered] without [hold oversold]", one+" [alerts] without [streams]", two+" [alerts] without [streams]", "idp bert [alerts] without []")
	leave([]string{"hold"}, nil)
	leave([]string{"hold"}, nil)
	want("told again", "idp anna [alerts unanswered] without [hold]", one+" [alerts] without []", two+" [alerts] without []", "idp bert [alerts] without []")
	subscribe("idp anna", "")
	subscribe("idp anna", "", "alerts")
	want("after a stop", "idp anna [alerts] without []", one+" [alerts] without []", two+" [alerts] without []", "idp bert [alerts] without []")
	acts, err := st.Audit().Acts(t.Context(), store.ActQuery{}, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range acts {
		if a.Before != "" && a.After != "" {
			lines = append(lines, a.Before+" > "+a.After)
		}
	}
	if want := []string{"alerts -streams > alerts", "alerts unanswered -hold -oversold > alerts unanswered -hold", "alerts morning -hold -oversold > alerts unanswered -hold -oversold",
		"alerts > alerts -streams", "alerts morning > alerts morning -hold -oversold"}; !slices.Equal(sorted(lines), sorted(want)) {
		t.Errorf("audited %q, want %q", lines, want)
	}
}

func sorted(all []string) []string {
	all = slices.Clone(all)
	slices.Sort(all)
	return all
}

// Replicas whose clocks are ten minutes before and behind send each letter once, as soon as it is due, and for as long as it is
// worth sending.
func TestLettersOfClocksApart(t *testing.T) {
	database := pgtest.New(t)
	slow, fast := open(t, database), open(t, database)
	before := func() time.Time { return time.Now().Add(-10 * time.Minute) }
	after := func() time.Time { return time.Now().Add(10 * time.Minute) }
	slow.SetMachineClock(before)
	fast.SetMachineClock(after)
	for name, c := range map[string]struct {
		makes, sends, other   *store.Letters
		makesClock, sendClock func() time.Time
	}{
		"made by the slow":       {slow.Letters(), fast.Letters(), slow.Letters(), before, after},
		"made by the fast":       {fast.Letters(), slow.Letters(), fast.Letters(), after, before},
		"made, sent by the slow": {slow.Letters(), slow.Letters(), fast.Letters(), before, before},
	} {
		t.Run(name, func(t *testing.T) {
			claim := func(l *store.Letters, want int) []store.Letter {
				t.Helper()
				all, err := l.Claim(t.Context(), store.ByMail)
				if err != nil || len(all) != want {
					t.Errorf("claimed %+v (%v), want %d", all, err, want)
				}
				return all
			}
			letter := store.Letter{Person: "idp anna", Name: "alerts", About: name, Until: c.makesClock().Add(30 * time.Minute)}
			for _, l := range []*store.Letters{c.makes, c.sends} {
				if err := l.Make(t.Context(), []store.Letter{letter}); err != nil {
					t.Fatal(err)
				}
			}
			all := claim(c.sends, 1)
			if len(all) != 1 {
				return
			}
			if left := all[0].Until.Sub(c.sendClock()); left < 29*time.Minute || left > 31*time.Minute {
				t.Errorf("it is worth sending for %v, want half an hour", left)
			}
			claim(c.other, 0)
			if err := c.sends.Settle(t.Context(), all, store.LetterWaiting, "busy", time.Minute); err != nil {
				t.Fatal(err)
			}
			claim(c.other, 0)
			claim(c.sends, 0)
			if err := c.sends.Settle(t.Context(), all, store.LetterSent, "", 0); err != nil {
				t.Fatal(err)
			}
			claim(c.other, 0)
		})
	}
}
