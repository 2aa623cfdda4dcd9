package idp

// Client is an OAuth client. One without a secret is public: it can log staff in but cannot get tokens of its own.
type Client struct {
	ID, Secret string
	// RedirectURIs are compared exactly, except that a loopback address may have any port.
	RedirectURIs []string
	// Scopes are the scopes that the client may have; empty for all.
	Scopes []string
}

// Staff is a member of staff who can log in.
type Staff struct {
	User, Password, Name string
	Roles                []string
	Email                string // that the provider has verified; may be empty
}

// DemoStaff are four users, one for each role.
var DemoStaff = []Staff{
	{User: "door", Password: "door-demo", Name: "Sanne de Wit", Roles: []string{"door"}, Email: "sanne@dewaag.example"},
	{User: "box_office", Password: "box-office-demo", Name: "Karim Bouzid", Roles: []string{"box_office"}, Email: "karim@dewaag.example"},
	{User: "manager", Password: "manager-demo", Name: "Marijke Terpstra", Roles: []string{"manager"}, Email: "marijke@dewaag.example"},
	{User: "admin", Password: "admin-demo", Name: "Joost van Aken", Roles: []string{"admin"}, Email: "joost@dewaag.example"},
}
