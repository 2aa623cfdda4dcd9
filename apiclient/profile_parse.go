package apiclient

import "fmt"

// BuiltinProfile returns a profile by its name.
func BuiltinProfile(name string) (*Profile, error) {
	if name != "default" {
		return nil, fmt.Errorf("apiclient: no profile %q", name)
	}
	p := &Profile{rules: rules{Name: name, Prefixes: []string{"v2", "api/v2"}}}
	for _, r := range []streamRule{
		{Name: "events", Path: "events", Gives: []Kind{KindEvent}},
		{Name: "tickets", Path: "tickets", ByEvent: "event_id", Gives: []Kind{KindTicket}},
		{Name: "payments", Path: "payments", ByEvent: "event_id", Gives: []Kind{KindPayment}},
		{Name: "contacts", Path: "contacts", Alternatives: []string{"relations"}, Gives: []Kind{KindContact}},
		{Name: "planning", Path: "planning", ByEvent: "event_id", Gives: []Kind{KindPlanning}},
	} {
		r.Full = map[string]string{"sort": "created_at"}
		r.Changes = map[string]string{"sort": "-updated_at"}
		r.Since.Param = "updated_since"
		r.Paging.SizeParam = "per_page"
		p.Streams = append(p.Streams, r)
		p.streams = append(p.streams, &stream{streamRule: r, profile: p, plain: true})
	}
	return p, nil
}

// with returns the profile with its variables filled.
func (p *Profile) with(map[string]string) (*Profile, error) { return p, nil }

// Name is how people call the profile.
func (p *Profile) Name() string { return p.rules.Name }
