package options

import (
	"slices"
	"strings"

	"housecount/apiclient/profile"
)

// HookFlags are the options for what a service sends, and for which of its payments count.
type HookFlags struct {
	HookSecret string   `help:"Secret in the address at which the service says that there is news, PUBLIC-URL/hooks/PROFILE/SECRET: its lists are then polled at once. 32 characters or more. None unless given." check:"secret" manual:"See [Webhooks](20-connect.md#webhooks)."`
	HookKey    string   `help:"Key with which the service signs that, where the profile says how." placeholder:"KEY"`
	Payments   []string `help:"Which of the service's payments count, where another service tells of the same money: all, none, or the methods of payment that do." default:"all" placeholder:"METHOD,..." manual:"See [A second service](20-connect.md#a-second-service)."`
}

// CheckFor adds a fault for each option that does not go with a profile, which may be nil.
func (c HookFlags) CheckFor(of *profile.Profile, faults *Faults) {
	if of == nil {
		return
	}
	switch signed := of.Webhook.Header != ""; {
	case c.HookKey != "" && c.HookSecret == "":
		faults.Add("--hook-key goes with --hook-secret: give both, or neither")
	case c.HookKey != "" && !signed:
		faults.Add("--hook-key: the profile %s does not say how messages are signed: leave the key out, or give the profile a webhook.header", of.Rules.Name)
	case c.HookSecret != "" && c.HookKey == "" && signed:
		faults.Add("--hook-secret: %s signs its messages: give the key with which it does as --hook-key", of.Rules.Name)
	}
	if strings.ContainsAny(c.HookSecret, "/?#% ") {
		faults.Add("--hook-secret has a character that an address cannot have in it: give letters and digits, as openssl rand -hex 32 makes them")
	}
	if len(c.Payments) > 1 && (slices.Contains(c.Payments, "all") || slices.Contains(c.Payments, "none")) {
		faults.Add("--payments %s: give all, none, or methods of payment alone", strings.Join(c.Payments, ","))
	}
}
