package admin

import (
	"slices"

	"net/url"
	"strings"

	"housecount/web"
	"housecount/web/words"
)

// mayFig returns what gives a role, by its kind; nothing if nothing does. How many people that are only the sign-in service knows.
func (b builder) mayFig(rules []web.RoleRule) web.Figs {
	groups, domains, addresses := 0, 0, 0
	for _, r := range rules {
		switch {
		case r.Group:
			groups++
		case strings.HasPrefix(r.Grantee, "@"):
			domains++
		default:
			addresses++
		}
	}
	var kinds []words.Sentence
	add := func(n int, of words.Sentence) {
		if n > 0 {
			kinds = append(kinds, of)
		}
	}
	add(groups, b.Say("sessions.may_groups", words.Int("n", groups)))
	add(addresses, b.Say("sessions.may_addresses", words.Int("n", addresses)))
	add(domains, b.Say("sessions.may_domains", words.Int("n", domains)))
	if len(kinds) == 0 {
		return nil
	}
	return web.Figs{{Term: b.Text("sessions.may"), Main: web.Plain(kinds[0].String()), Note: words.Join(" · ", kinds[1:]...)}}
}

// turnedAwayFig returns how many people were refused for want of a role, with the name of the last.
func (b builder) turnedAwayFig(s web.Sessions) web.Fig {
	f := web.Fig{Term: b.Text("sessions.turned_away"), Main: web.Plain(b.Count(len(s.TurnedAway)))}
	if len(s.TurnedAway) > 0 {
		f.Note = b.actor(web.Actor{Subject: s.TurnedAway[0].Actor, Name: s.TurnedAway[0].Name})
	}
	return f
}

// signInServices are services that many know by another name than their address, by what such an address contains.
var signInServices = []struct{ contains, name string }{
	{"//accounts.google.com", "Google"}, {"//login.microsoftonline.com/", "Microsoft"}, {".okta.com", "Okta"}, {".auth0.com", "Auth0"}, {"/realms/", "Keycloak"},
}

// signsInFig returns the sign-in service by its name, or else by its host; nothing if it has no address.
func (b builder) signsInFig(address string) web.Figs {
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" {
		return nil
	}
	f := web.Fig{Term: b.Text("sessions.signs_in"), Main: web.Plain(at.Hostname())}
	for _, s := range signInServices {
		if strings.Contains(address, s.contains) {
			f.Main, f.Note = web.Plain(s.name), words.NameAlone(at.Hostname())
			break
		}
	}
	return web.Figs{f}
}

// telling returns the session that stands for a person: the reader's own, else one with a page open, else the first.
func telling(all []web.Session) web.Session {
	for _, tells := range []func(web.Session) bool{func(s web.Session) bool { return s.Own }, func(s web.Session) bool { return s.Watching }} {
		if i := slices.IndexFunc(all, tells); i >= 0 {
			return all[i]
		}
	}
	return all[0]
}
