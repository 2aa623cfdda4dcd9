package options

import (
	"slices"

	"housecount/aggregator/notify"
)

// AlertsFlags are the options for the house's own addresses that are told of alerts.
type AlertsFlags struct {
	AlertsTo   []string `help:"Addresses that are told of alerts: https, or on loopback; ntfy://, slack://, teams:// or telegram:// for a chat. None unless given." placeholder:"URL,..." manual:"A comma in an address is %2C. See [To a chat](47-mail.md#to-a-chat) and [To a program of the house](47-mail.md#to-a-program-of-the-house)."`
	AlertsKey  string   `help:"Key with which messages to https addresses are signed, 32 characters or more." placeholder:"SECRET" check:"secret"`
	AlertsRole string   `help:"Whose alerts they are told of: box_office or manager." default:"box_office" check:"alerts-role"`
}

// Webhooks returns the senders to the addresses.
func (c AlertsFlags) Webhooks(faults *Faults) []*notify.Webhook {
	all, err := notify.NewWebhooks(c.AlertsTo, c.AlertsKey)
	if err != nil {
		faults.Add("--alerts-to %v", err)
		return nil
	}
	if slices.ContainsFunc(all, (*notify.Webhook).Signs) != (c.AlertsKey != "") {
		faults.Add("--alerts-key goes with an https address of --alerts-to: give both, or neither")
	}
	return all
}
