package web

import "housecount/web/query"

// LeastRole returns the first of Roles that may see the page, empty if none may.
func (p *Page) LeastRole() Role {
	for _, r := range Roles {
		if p.Visible(r.Access(), "") {
			return r
		}
	}
	return ""
}

// May reports whether the access includes the page, whatever its parameters.
func (p *Page) May(a Access) bool { return (!a.Public || p.Bare) && p.Visible(a, "") }

// Anybody is the Visible of pages that every access includes.
func Anybody(Access, query.Params) bool { return true }
