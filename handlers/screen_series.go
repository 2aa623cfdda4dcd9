package handlers

import (
	"context"
	"net/http"
	"strings"
	"time"

	"housecount/aggregator/store"
	"housecount/handlers/screens"
	"housecount/web/live"
)

// settleEvery is how often it is looked which credentials their devices have stored.
const settleEvery = 10 * time.Second

// taken is the act of a device that is not the screen's and came with its credential.
func (s *site) taken(r *http.Request) store.Act {
	act := store.Act{Actor: store.ActorStranger, Action: store.ActScreenTaken}
	if from := s.proxies.Address(r); from.IsValid() {
		act.Address = from.String()
	}
	return act
}

// early reports whether a browser loads a page before anybody asks for it. It would throw the answer away, and a credential
// with it.
func early(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") || r.Header.Get("Purpose") == "prefetch"
}

// renewed returns the credential that the device of a screen has from now on; valid is false if what it came with is not valid.
// While the database takes nothing the device keeps what it has.
func (s *site) renewed(r *http.Request, credential string, held *store.Holds) (next string, valid bool, err error) {
	key := screens.Key(s.Seal, credential)
	if !held.Valid(key) { // whoever comes with it often waits
		if err := s.codes.Wait(r.Context(), s.proxies.Address(r)); err != nil {
			return "", false, err
		}
	}
	next, valid, err = s.Screens.Renew(r.Context(), key, func(number int64) string { return screens.Issue(s.Seal, credential, number) }, s.taken(r))
	if err != nil && held.Valid(key) && r.Context().Err() == nil {
		s.Log.Warn("the credential of a screen stays as it is", "screen", held.Screen.ID, "err", err)
		return credential, true, nil
	}
	if err == nil && !valid {
		s.Log.Warn("another device came with the credential of a screen", "action", store.ActScreenTaken, "object", held.Screen.ID, "address", s.from(r))
	}
	return next, valid, err
}

// presented reports whether a device may open a socket with a credential, and stores that it does.
func (s *site) presented(r *http.Request, credential string, held *store.Holds) (valid bool, err error) {
	key := screens.Key(s.Seal, credential)
	if !held.Presented(key) {
		return true, nil
	}
	if err := s.codes.Wait(r.Context(), s.proxies.Address(r)); err != nil {
		return false, err
	}
	valid, err = s.Screens.Present(r.Context(), key, s.taken(r))
	if err == nil && !valid {
		s.Log.Warn("another device came with the credential of a screen", "action", store.ActScreenTaken, "object", held.Screen.ID, "address", s.from(r))
	}
	return valid, err
}

// settleScreens ends the credentials before those that devices with a socket here have stored.
func (s *site) settleScreens(ctx context.Context) error {
	var holders []live.Holder
	var series []string
	for _, h := range s.Hub.Holders() {
		if screens.IsCredential(h.Credential) && !h.Stranger {
			holders = append(holders, h)
			series = append(series, h.Credential)
		}
	}
	alive, err := s.Screens.Alive(ctx, series)
	if err != nil {
		return err
	}
	var stored []string
	for _, h := range holders {
		if held := alive[h.Credential]; held.Settles(h.Key, time.Now()) {
			stored = append(stored, h.Key)
		}
	}
	return s.Screens.Settle(ctx, stored)
}

// closeScreen closes the sockets of a screen or of a device that waits, given what its credential stands for now, if it has
// ended, another device uses it, or what it may show has changed.
func (s *site) closeScreen(h live.Holder, held store.Holds, known bool) {
	switch {
	case !known || screens.AccessOf(held) != h.Access:
		s.Hub.CloseHolder(h.Credential, live.CloseForbidden) // the page reloads and shows what it may show now
	case held.Screen != nil && held.Screen.Uses != h.Device:
		s.Hub.CloseOtherDevices(h.Credential, held.Screen.Uses, live.CloseTaken)
	case held.Ended(h.Key): // the browser may have the next, as one with two tabs has
		s.Hub.CloseFormer(h.Credential, h.Key, live.CloseRenewed)
	}
}
