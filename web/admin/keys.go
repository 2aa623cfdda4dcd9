package admin

import (
	"slices"

	"housecount/web"
	"housecount/web/words"
)

// keyList lists the keys with which programs read figures.
type keyList []keyRow

type keyRow struct {
	ID, Key          string // of the row, and of the key
	Name, Role, Used string
	By               string
	Revoke           string // the title of the button
}

func (b builder) keyList(s web.Sessions) (l keyList) {
	for _, k := range s.Keys {
		r := keyRow{ID: "key-" + k.ID, Key: k.ID, Name: k.Name, Role: b.Code("role", string(k.Role)), By: b.Text("api_keys.by", words.Name("name", k.By)), Used: b.Text("api_keys.unused"),
			Revoke: b.Text("api_keys.revoke_of", words.Name("name", k.Name))}
		if !k.Used.IsZero() {
			r.Used = b.Text("api_keys.used", words.Text("day", b.DayShortOf(b.Calendar.Day(k.Used))))
		}
		l = append(l, r)
	}
	return l
}

// keyRoles are the roles that a key may have.
func (p sessionsPage) keyRoles() []web.Choice {
	return slices.DeleteFunc(slices.Clone(p.Roles), func(c web.Choice) bool { return c.ID == string(web.Admin) })
}
