package admin

import (
	"slices"
	"strings"

	"housecount/web"
	"housecount/web/words"
)

// ruleList is what gives which role.
type ruleList []ruleRow

// ruleRow is something that gives a role.
type ruleRow struct {
	ID      string
	Grantee words.Sentence
	Role    string
	People  string // how many are signed in by it, empty for nobody
	Given   string // by whom, or that it is in the configuration
	Address string // for the button that takes it away; empty if there is none
	Take    string // the title of the button; it names the address
}

// roleSees is a role and what it may see, in the order of the columns.
type roleSees struct {
	Role string
	Sees []bool
}

func (b builder) ruleList(s web.Sessions) (l ruleList) {
	for _, rule := range s.Rules {
		r := ruleRow{ID: "rule-" + rule.Grantee, Grantee: words.NameAlone(rule.Grantee), Role: b.Code("role", string(rule.Role))}
		switch {
		case rule.Group:
			r.ID, r.Grantee, r.Given = "group-"+rule.Grantee, b.Say("roles.group", words.Name("group", rule.Grantee)), b.Text("roles.configured")
		case rule.Fixed:
			r.ID, r.Given = "admin-"+rule.Grantee, b.Text("roles.configured")
		default:
			r.Address, r.Take = rule.Grantee, b.Text("roles.take_of", words.Name("address", rule.Grantee))
			r.Given = b.Text("roles.given_by", words.Name("name", rule.By))
		}
		if strings.HasPrefix(rule.Grantee, "@") && !rule.Group {
			r.Grantee = b.Say("roles.everybody", words.Name("domain", rule.Grantee))
		}
		if rule.People > 0 {
			r.People = b.Text("roles.people", words.Int("n", rule.People))
		}
		l = append(l, r)
	}
	return l
}

// rolesSee returns what each role sees.
func (b builder) rolesSee() (all []roleSees) {
	for _, role := range web.Roles {
		a := role.Access()
		all = append(all, roleSees{b.Code("role", string(role)), []bool{true, a.SeesToday(), a.SeesMoney(), a.Admin}})
	}
	return all
}

// roleChoices are the roles of the form.
func (b builder) roleChoices() (all []web.Choice) {
	for _, role := range web.Roles {
		all = append(all, web.Choice{ID: string(role), Name: b.Code("role", string(role)), Chosen: role == web.BoxOffice})
	}
	return all
}

// because returns what gives somebody their role, in a few words.
func (b builder) because(s web.Session, rules []web.RoleRule) words.Sentence {
	i := slices.IndexFunc(rules, func(r web.RoleRule) bool { return r.Grantee == s.Because })
	switch {
	case i < 0:
		return nil
	case rules[i].Group:
		return b.Say("roles.group", words.Name("group", s.Because))
	case strings.HasPrefix(s.Because, "@"):
		return words.NameAlone(s.Because)
	}
	return b.Say("roles.own_address")
}
