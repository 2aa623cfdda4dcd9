package options

import (
	"time"

	"housecount/aggregator/notify"
)

// MailFlags are the options for letters.
type MailFlags struct {
	MailServer   string `help:"Mail server through which letters go: smtp://HOST:PORT for STARTTLS, smtps:// for TLS from the start. No letters unless given." placeholder:"URL" manual:"See [Mail](47-mail.md)."`
	MailFrom     string `help:"Sender of the letters." placeholder:"\"NAME <ADDRESS>\""`
	MailUser     string `help:"User to log in to the mail server with."`
	MailPassword string `help:"Password of that user." placeholder:"SECRET"`
	MailMorning  string `help:"When the letters of the morning go out, as HH:MM." default:"07:30" check:"clock 07:30"`
	MailNight    string `help:"When the letter after the evening goes out where the evening goes on for more than an hour after that, as HH:MM; never to wait until everybody has left." default:"23:30" check:"clock-or-never 23:30"`
}

// SMTP returns the mail server, nil without one.
func (c MailFlags) SMTP(faults *Faults) *notify.SMTP {
	if c.MailServer == "" {
		for name, value := range map[string]string{"from": c.MailFrom, "user": c.MailUser, "password": c.MailPassword} {
			if value != "" {
				faults.Add("--mail-%s goes with --mail-server: give both, or neither", name)
			}
		}
		return nil
	}
	if (c.MailUser == "") != (c.MailPassword == "") {
		faults.Add("--mail-user and --mail-password go together: give both, or neither")
	}
	server, err := notify.NewSMTP(c.MailServer, c.MailUser, c.MailPassword, c.MailFrom)
	if err != nil {
		faults.Add("--mail-server %v", err)
		return nil
	}
	return server
}

// Night returns when the letter goes out after an evening that goes on for long, after the midnight with which its day begins; 0 for
// never. An hour before noon is of the next day.
func (c MailFlags) Night() time.Duration {
	at, err := ParseClock(c.MailNight)
	switch {
	case err != nil: // never
		return 0
	case at < 12*time.Hour:
		return at + 24*time.Hour
	}
	return at
}

// Morning returns when the letters of the morning go out, after midnight. That is not before the day begins, which is at
// cutoff.
func (c MailFlags) Morning(cutoff string, faults *Faults) time.Duration {
	at, _ := ParseClock(c.MailMorning)
	if begins, _ := ParseClock(cutoff); c.MailServer != "" && at < begins {
		faults.Add("--mail-morning %s is before the day begins, at %s: give a later one, or another --day-cutoff", c.MailMorning, cutoff)
	}
	return at
}
