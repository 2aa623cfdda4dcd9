package signin_test

import (
	"encoding/json"
	"testing"

	"housecount/handlers/signin"
	"housecount/web"
)

func TestRoleOf(t *testing.T) {
	own := map[string]web.Role{"door": web.Door, "box_office": web.BoxOffice, "manager": web.Manager, "admin": web.Admin}
	groups := map[string]web.Role{"/staff/kassa": web.BoxOffice, "/staff/deur": web.Door, "read:figures": web.Manager}
	for _, c := range []struct {
		name, claims, claim string
		mapping             map[string]web.Role
		want                web.Role // none when empty
	}{
		{name: "list", claims: `{"roles":["manager"]}`, claim: "roles", mapping: own, want: web.Manager},
		{name: "text", claims: `{"roles":"door"}`, claim: "roles", mapping: own, want: web.Door},
		{name: "most rights, whatever the order", claims: `{"roles":["manager","door","box_office"]}`, claim: "roles", mapping: own, want: web.Manager},
		{name: "most rights, first", claims: `{"roles":["door","admin"]}`, claim: "roles", mapping: own, want: web.Admin},
		{name: "unknown beside known", claims: `{"roles":["janitor","door",7,null]}`, claim: "roles", mapping: own, want: web.Door},
		{name: "unknown", claims: `{"roles":["janitor"]}`, claim: "roles", mapping: own},
		{name: "case counts", claims: `{"roles":["Admin"]}`, claim: "roles", mapping: own},
		{name: "no claim", claims: `{"sub":"x"}`, claim: "roles", mapping: own},
		{name: "empty list", claims: `{"roles":[]}`, claim: "roles", mapping: own},
		{name: "null", claims: `{"roles":null}`, claim: "roles", mapping: own},
		{name: "number", claims: `{"roles":1}`, claim: "roles", mapping: own},
		{name: "object", claims: `{"roles":{"admin":{"123":"house.example"},"door":true}}`, claim: "roles", mapping: own, want: web.Admin},
		{name: "object that denies", claims: `{"roles":{"admin":false,"manager":null,"door":{}}}`, claim: "roles", mapping: own, want: web.Door},
		{name: "list of lists", claims: `{"roles":[["door"],["manager"]]}`, claim: "roles", mapping: own, want: web.Manager},
		{name: "list of objects", claims: `{"groups":[{"id":"1","name":"door"},{"id":"2","name":"manager"},7]}`, claim: "groups.name", mapping: own, want: web.Manager},
		{name: "objects have to be named into", claims: `{"groups":[{"admin":true}]}`, claim: "groups", mapping: own},
		{name: "a client id with dots", claims: `{"resource_access":{"dash.example.org":{"roles":["admin"]}}}`, claim: "resource_access.dash.example.org.roles", mapping: own, want: web.Admin},
		{name: "of two readings the longer name", claims: `{"a":{"b":{"c":"admin"}},"a.b":{"c":"door"}}`, claim: "a.b.c", mapping: own, want: web.Door},
		{name: "a longer name that leads nowhere", claims: `{"a":{"b":{"c":"door"}},"a.b":{"d":"admin"}}`, claim: "a.b.c", mapping: own, want: web.Door},
		{name: "text is one value", claims: `{"roles":"door admin"}`, claim: "roles", mapping: own},
		{name: "scope is several", claims: `{"scope":"openid read:figures"}`, claim: "scope", mapping: groups, want: web.Manager},
		{name: "scp is several", claims: `{"scp":"openid read:figures"}`, claim: "scp", mapping: groups, want: web.Manager},
		{name: "into objects", claims: `{"realm_access":{"roles":["admin"]}}`, claim: "realm_access.roles", mapping: own, want: web.Admin},
		{name: "deeper", claims: `{"a":{"b":{"c":"door"}}}`, claim: "a.b.c", mapping: own, want: web.Door},
		{name: "into a text", claims: `{"a":"door"}`, claim: "a.b", mapping: own},
		{name: "not deep enough", claims: `{"a":{"b":{"c":"door"}}}`, claim: "a.b", mapping: own},
		{name: "a name with dots", claims: `{"https://example.org/roles":["admin"]}`, claim: "https://example.org/roles", mapping: own, want: web.Admin},
		{name: "a longer name whose list leads nowhere", claims: `{"a":{"b":{"c":"door"}},"a.b":[{"d":"admin"}]}`, claim: "a.b.c", mapping: own, want: web.Door},
		{name: "mapped", claims: `{"groups":["/staff/deur","/staff/kassa"]}`, claim: "groups", mapping: groups, want: web.BoxOffice},
		{name: "a role's own name is not mapped", claims: `{"groups":["admin"]}`, claim: "groups", mapping: groups},
	} {
		t.Run(c.name, func(t *testing.T) {
			var claims map[string]any
			if err := json.Unmarshal([]byte(c.claims), &claims); err != nil {
				t.Fatal(err)
			}
			got, ok := signin.RoleOf(claims, c.claim, c.mapping)
			if got != c.want || ok != (c.want != "") {
				t.Errorf("got %q %v, want %q", got, ok, c.want)
			}
		})
	}
}
