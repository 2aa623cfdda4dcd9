package main

import (
	"housecount/aggregator/notify"
	"housecount/web"
)

// alertsFlags are the options for the house's own address that is told of alerts.
type alertsFlags struct {
	AlertsTo   string `help:"Address that is told of alerts: https, or on loopback. None unless given." placeholder:"URL" manual:"See [To a program of the house](47-mail.md#to-a-program-of-the-house)."`
	AlertsKey  string `help:"Key with which the messages to it are signed, 32 characters or more." placeholder:"SECRET" check:"secret"`
	AlertsRole string `help:"Whose alerts it is told of: box_office or manager." default:"box_office" check:"alerts-role"`
}

// webhook returns the sender to the address, nil without one.
func (c alertsFlags) webhook(faults *configError) *notify.Webhook {
	if (c.AlertsTo == "") != (c.AlertsKey == "") {
		faults.add("--alerts-to and --alerts-key go together: give both, or neither")
	}
	if c.AlertsTo == "" {
		return nil
	}
	hook, err := notify.NewWebhook(c.AlertsTo, c.AlertsKey)
	if err != nil {
		faults.add("--alerts-to %v", err)
		return nil
	}
	return hook
}

// alertsRole returns the role as which the address sees alerts, and alertsHost its host; they are empty without an address.
func (c configuration) alertsRole() web.Role {
	if c.alerts == nil {
		return ""
	}
	return web.Role(c.AlertsRole)
}

func (c configuration) alertsHost() string {
	if c.alerts == nil {
		return ""
	}
	return c.alerts.Host()
}
