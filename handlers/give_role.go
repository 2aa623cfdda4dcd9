package handlers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"housecount/aggregator/store"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/words"
)

// changeRole gives a role to an e-mail address or a domain, or takes it away. Sessions are mapped anew at their next use, and their
// sockets closed on every replica by the hint. An administrator cannot take away what makes them one.
func (s *site) changeRole(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return &fault{status: http.StatusBadRequest, code: "address", cause: err}
	}
	who := visitOf(r).staff
	address, err := signin.ReadGrantee(r.PostForm.Get("address"))
	if err != nil {
		return s.noGrantee(r, err)
	}
	role := web.Role(r.PostForm.Get("role"))
	taken := r.PostForm.Has("take")
	if !taken && !slices.Contains(web.Roles, role) {
		return &fault{status: http.StatusBadRequest, code: "form", back: web.SessionsPath}
	}
	given, err := s.sessions.Grants(r.Context())
	if err != nil {
		return err
	}
	before := maps.Clone(given)
	if delete(given, address); !taken {
		given[address] = role
	}
	if left, _, _ := s.sessions.Roles.Role(who.Values, who.Address, given); left != web.Admin {
		return &fault{status: http.StatusConflict, code: "own_role", back: web.SessionsPath}
	}
	if taken {
		if err := s.Grants.Take(r.Context(), address, s.act(r, who, store.ActRoleTaken)); err != nil {
			return err
		}
	} else if err := s.Grants.Give(r.Context(), store.Grant{Address: address, Role: string(role), By: who.Name}, s.act(r, who, store.ActRoleGiven)); err != nil {
		return err
	}
	s.Log.Info("act", "action", "role of an address", "actor", s.sessions.Owned(who.Subject), "object", clip(address), "before", before[address], "after", given[address], "address", s.from(r))
	if err := s.endRoleless(r.Context(), before, given, s.act(r, who, store.ActSessionEnded)); err != nil {
		return err
	}
	return redirect(w, web.SessionsPath+"#roles")
}

// noGrantee returns the fault of what is no address that can have a role.
func (s *site) noGrantee(r *http.Request, err error) error {
	text, address := words.Of(s.language(r)), words.Text("address", clip(r.PostForm.Get("address")))
	if errors.Is(err, signin.ErrSharedDomain) {
		return &fault{status: http.StatusBadRequest, code: "shared_domain", text: text.Text("roles.shared_domain", address), back: web.SessionsPath, cause: err}
	}
	return &fault{status: http.StatusBadRequest, code: "grantee", text: text.Text("roles.no_address", address), back: web.SessionsPath, cause: err}
}

// endRoleless ends the sessions of those who had a role and have none any more. They have no rights already:
// what cannot be ended here gives none.
func (s *site) endRoleless(ctx context.Context, before, after signin.Grants, by store.Act) error {
	list, err := s.Sessions.List(ctx)
	if err != nil {
		return err
	}
	for _, info := range list {
		had := s.sessions.Decode(info.Data, before)
		if had == nil || s.sessions.Decode(info.Data, after) != nil {
			continue
		}
		by.Before, by.Reason = string(had.Role), endedRoleTaken
		if err := s.end(ctx, store.ByID(info.ID), by); err != nil {
			return fmt.Errorf("handlers: end session: %w", err)
		}
	}
	return nil
}

// rules returns what gives a role: the values of the role claim, the administrators of the configuration,
// and what was given on the page.
func (s *site) rules(ctx context.Context, people []web.Person) (all []web.RoleRule, err error) {
	for _, value := range slices.Sorted(maps.Keys(s.Login.Roles)) {
		all = append(all, web.RoleRule{Grantee: value, Group: true, Role: s.Login.Roles[value], Fixed: true})
	}
	for _, address := range slices.Sorted(maps.Keys(s.sessions.Roles.Admins)) {
		all = append(all, web.RoleRule{Grantee: address, Role: web.Admin, Fixed: true})
	}
	list, err := s.Grants.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range list {
		all = append(all, web.RoleRule{Grantee: g.Address, Role: web.Role(g.Role), By: g.By})
	}
	for i, rule := range all {
		for _, p := range people {
			if slices.ContainsFunc(p.Sessions, func(one web.Session) bool { return one.Because == rule.Grantee && one.Role == rule.Role }) {
				all[i].People++
			}
		}
	}
	return all, nil
}
