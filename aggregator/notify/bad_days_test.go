package notify

import (
	"slices"
	"testing"
	"time"

	"housecount/aggregator/store"
)

// A server that takes nobody it does not know yet, for some minutes, gets each letter a moment later, once.
func TestUpkeepOfGreylistedLetters(t *testing.T) {
	inHouse(t, func(h *house) {
		h.Greylist(450, "greylisted, try again in two minutes", 2*time.Minute)
		h.subscribe("anna", "morning")
		h.subscribe("bert", "morning")
		h.morning("2026-11-22")
		pass(time.Minute)
		h.want()
		pass(4 * time.Minute)
		h.want("anna@house.example", "bert@house.example")
		pass(24 * time.Hour)
		h.want("anna@house.example", "bert@house.example")
		if !slices.Equal(h.states, []string{store.LetterSent, store.LetterSent}) {
			t.Errorf("the letters are %q", h.states)
		}
	})
}

// One address that is refused among good ones costs the others nothing, and is not tried again with the same letter.
func TestUpkeepOfOneRefusedAddress(t *testing.T) {
	inHouse(t, func(h *house) {
		h.RefuseOne("bert@house.example", 550, "no such user")
		for _, name := range []string{"anna", "bert", "cleo", "dirk", "elsa"} {
			h.subscribe(name, "morning")
		}
		h.morning("2026-11-22")
		pass(time.Minute)
		good := []string{"anna@house.example", "cleo@house.example", "dirk@house.example", "elsa@house.example"}
		h.want(good...)
		pass(3 * time.Hour)
		h.want(good...)
		newest, err := h.letters.Newest(h.t.Context())
		if err != nil || newest["idp bert"].State != store.LetterRefused || newest["idp cleo"].State != store.LetterSent || h.Tried() != 5 {
			t.Errorf("tried %d times, %+v (%v)", h.Tried(), newest, err)
		}
	})
}

// A process that dies between sending a letter and noting that leaves it to another, which sends it once more, with the id of
// the first.
func TestUpkeepOfLettersAfterACrash(t *testing.T) {
	inHouse(t, func(h *house) {
		h.stop()
		h.subscribe("anna", "morning")
		one := store.Letter{Person: "idp anna", Name: "morning", About: "2026-11-22", Until: time.Now().Add(4 * time.Hour)}
		if err := h.letters.Make(h.t.Context(), []store.Letter{one}); err != nil {
			t.Fatal(err)
		}
		all, err := h.letters.Claim(h.t.Context(), store.ByMail)
		if err != nil || len(all) != 1 {
			t.Fatalf("%v (%v)", all, err)
		}
		to, err := h.letters.Of(h.t.Context(), "idp anna")
		if err != nil {
			t.Fatal(err)
		}
		text, err := h.write(all, *to)
		if err == nil {
			err = h.server.Send(h.t.Context(), idOf(all), *to, text, time.Hour)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.begin()
		h.morning("2026-11-22")
		pass(store.ClaimTime - time.Minute)
		h.want("anna@house.example") // the other process may be at it still
		pass(4 * time.Hour)
		got := h.Got()
		if len(got) != 2 || got[0].Header.Get("Message-ID") != got[1].Header.Get("Message-ID") || !slices.Equal(h.states, []string{store.LetterSent}) {
			t.Errorf("sent %d times, %q, want twice with one id", len(got), h.states)
		}
	})
}

// An address that would make a header of its own is refused before anything is sent, and others get their letters.
func TestUpkeepOfBadAddresses(t *testing.T) {
	for _, bad := range []string{"bert@house.example\r\nBcc: all@house.example", "bert@house.example\nRCPT TO:<all@house.example>", "bert@house.example>, <all@house.example", "bert", ""} {
		inHouse(t, func(h *house) {
			h.subscribe("anna", "morning")
			err := h.letters.Subscribe(h.t.Context(), store.Subscriber{Person: "idp bert", Address: bad, Language: "en", Names: []string{"morning"}, Who: []byte(`{}`)}, store.Act{Actor: "idp bert", Action: store.ActLettersChosen})
			if err != nil {
				t.Fatal(err)
			}
			h.morning("2026-11-22")
			pass(5 * time.Hour)
			h.want("anna@house.example")
			if newest, err := h.letters.Newest(h.t.Context()); err != nil || newest["idp bert"].State != store.LetterRefused || h.Tried() != 1 {
				t.Errorf("%q: tried %d times, %+v (%v)", bad, h.Tried(), newest["idp bert"], err)
			}
		})
	}
}
