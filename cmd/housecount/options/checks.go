package options

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"housecount/aggregator/store"
	"housecount/apiclient/record"
	"housecount/apiclient/sandbox/faults"
	"housecount/handlers/signin"
	"housecount/web"
	"housecount/web/words"

	"github.com/alecthomas/kong"
)

// An option is one field of a command, described by its tag alone: name, help, default and placeholder as
// in kong, and three of our own:
//
//	check:"NAME ARGUMENT"  the check of its value: a name of Checks, and its argument
//	option:"NAME"          the field of apiclient.Options that it sets, which the client checks
//	manual:"TEXT"          the text after the help in the manual's table, assets/manual/85-options.md
//
// Rules about several options together are in the Check method of their command.

// checker is a command with rules about several of its options together.
type checker interface{ Check(faults *Faults) }

// Check adds a fault for each option that violates its tag, and for each of the command's own rules that is
// violated.
func (e *Faults) Check(command *kong.Context) {
	for _, f := range command.Flags() {
		e.CheckOption(f)
	}
	if c, ok := command.Selected().Target.Addr().Interface().(checker); ok {
		c.Check(e)
	}
}

// CheckOption checks an option by its tag. An option that is not given and has no default is not checked.
func (e *Faults) CheckOption(f *kong.Flag) {
	name, argument, _ := strings.Cut(f.Tag.Get("check"), " ")
	if name == "" || f.Target.IsZero() && !f.HasDefault && !f.Required {
		return
	}
	values := []reflect.Value{f.Target}
	switch f.Target.Kind() {
	case reflect.Slice:
		values = slices.Collect(func(yield func(reflect.Value) bool) {
			for _, v := range f.Target.Seq2() {
				if !yield(v) {
					return
				}
			}
		})
	case reflect.Map:
		values = nil
		for k, v := range f.Target.Seq2() {
			values = append(values, reflect.ValueOf(k.String()+"="+v.String()))
		}
	}
	for _, v := range values {
		if fault := Checks[name](v, argument); fault != "" {
			e.Add("--%s%s", f.Name, fault)
		}
	}
}

// Checks are the names that the check tag of an option may use. Each check returns what is wrong with a
// value, as the continuation of the option's name, or nothing. Elements of lists are checked individually; those
// of maps as KEY=VALUE.
var Checks = map[string]func(v reflect.Value, argument string) string{
	"above":          checkAbove,
	"least":          checkLeast,
	"month":          checkMonth,
	"address":        ofText(checkAddress),
	"https":          ofText(CheckHTTPS),
	"public-address": ofText(CheckPublicAddress),
	"host:port": ofText(func(text, example string) string {
		_, _, err := net.SplitHostPort(text)
		return faultIf(err != nil, " %q is not host:port: give %s", text, example)
	}),
	"network": ofText(func(text, _ string) string {
		_, err := ParseNetwork(text)
		return faultIf(err != nil, ": %q is no address: give one like 10.0.0.1, or a range like 10.0.0.0/8", text)
	}),
	"domain": ofText(func(text, _ string) string {
		certified := strings.Contains(text, ".") && !strings.ContainsAny(text, "*/: ") && net.ParseIP(text) == nil
		return faultIf(!certified, " %q is no name that an authority certifies here: give one like dash.example.org", text)
	}),
	"contact": ofText(func(text, _ string) string {
		u, err := url.Parse(text)
		return faultIf(err != nil || u.Scheme != "mailto" && u.Scheme != "https" && u.Scheme != "tel",
			" %q is no address: give one like mailto:security@example.org or https://example.org/security", text)
	}),
	"database": ofText(func(text, _ string) string {
		if text == "" {
			return " is missing: give the path of an SQLite file, or postgres://user@host/name"
		}
		err := store.CheckName(text)
		return faultIf(err != nil, ": %v", err)
	}),
	"directory": ofText(func(text, _ string) string {
		switch info, err := os.Stat(text); {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Sprintf(" %s is not there: make the directory, for this user to write in", text)
		case err == nil && !info.IsDir():
			return fmt.Sprintf(" %s is no directory: give one for this user to write in", text)
		case err != nil || syscall.Access(text, 2|1) != nil:
			return fmt.Sprintf(" %s cannot be written: give this user the right to write in it", text)
		}
		return ""
	}),
	"timezone": ofText(func(text, _ string) string {
		_, err := ParseZone(text)
		return faultIf(err != nil, " %q is not known: give one like Europe/Amsterdam", text)
	}),
	"clock": ofText(func(text, example string) string {
		_, err := ParseClock(text)
		return faultIf(err != nil, " %q is not a time: give one like %s", text, example)
	}),
	"clock-or-never": ofText(func(text, example string) string {
		_, err := ParseClock(text)
		return faultIf(err != nil && text != "never", " %q is not a time: give one like %s, or never", text, example)
	}),
	"date": ofText(func(text, example string) string {
		_, err := time.Parse(time.DateOnly, text)
		return faultIf(err != nil, " %q is not a day: give one like %s", text, example)
	}),
	"language": ofText(func(text, _ string) string {
		return faultIf(!slices.Contains(words.Locales, words.Locale(text)), " %q is not offered: give en, nl or de", text)
	}),
	"role": ofText(func(text, _ string) string {
		i := strings.LastIndex(text, "=")
		return faultIf(!slices.Contains(web.Roles, web.Role(text[i+1:])), ": %q is no role: %s=… takes door, box_office, manager or admin", text[i+1:], text[:max(i, 0)])
	}),
	"alerts-role": ofText(func(text, _ string) string {
		return faultIf(text != string(web.BoxOffice) && text != string(web.Manager), " %q is not offered: give box_office or manager", text)
	}),
	"mail-address": ofText(func(text, _ string) string {
		address, err := signin.ReadGrantee(text)
		return faultIf(err != nil || strings.HasPrefix(address, "@"), " %q is no e-mail address: give one like name@example.org", text)
	}),
	"secret": ofText(func(text, _ string) string {
		return faultIf(len(text) < minSecretLength, " is too short: give %d characters or more, as openssl rand -base64 32 makes them", minSecretLength)
	}),
	"log-level": ofText(func(text, _ string) string {
		var level slog.Level
		return faultIf(level.UnmarshalText([]byte(text)) != nil, " %q is not known: give debug, info, warn or error", text)
	}),
	"log-format": ofText(func(text, _ string) string {
		return faultIf(!slices.Contains([]string{"text", "json"}, strings.ToLower(text)), " %q is not known: give text or json", text)
	}),
	"kind": ofText(func(text, _ string) string {
		return faultIf(!slices.Contains(ExportedKinds, record.Kind(text)),
			" %q is none: give event, ticket, payment, contact, planning, scan, acknowledgement, walk_in, screen_message, setting, admissions or reconciliation", text)
	}),
	"rate": ofText(func(text, _ string) string {
		_, err := ParseRate(text)
		return faultIf(err != nil, " %v", err)
	}),
	"fault": ofText(func(text, _ string) string {
		_, err := faults.Parse(text)
		return faultIf(err != nil, ": %v", err)
	}),
}

// ExportedKinds are the kinds of records from the service, from people, of totals of scans, and of what checks
// found.
var ExportedKinds = append(slices.Clone(record.Kinds), record.KindAcknowledgement, record.KindWalkIn, record.KindScreenMessage, record.KindSetting, record.KindAdmissions, record.KindReconciliation, record.KindAlert)

// minSecretLength is the least number of characters of a secret key.
const minSecretLength = 32

func ofText(check func(text, argument string) string) func(reflect.Value, string) string {
	return func(v reflect.Value, argument string) string { return check(v.String(), argument) }
}

func faultIf(wrong bool, format string, args ...any) string {
	if !wrong {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// checkLeast takes the least number, duration or age, optionally followed by "or 0 ..." if 0 is accepted too.
func checkLeast(v reflect.Value, argument string) string {
	text, zero, mayBeZero := strings.Cut(argument, " or ")
	least, err := ParseLeast(v, text)
	switch {
	case mayBeZero && v.IsZero() || err == nil && v.Int() >= least:
		return ""
	case mayBeZero:
		return fmt.Sprintf(" must be at least %s, or %s, not %v", text, zero, v)
	}
	return fmt.Sprintf(" must be at least %s, not %v", text, v)
}

// ParseLeast parses a number of the type of v, which must be an integer type.
func ParseLeast(v reflect.Value, text string) (int64, error) {
	switch v.Interface().(type) {
	case Age:
		var a Age
		err := a.UnmarshalText([]byte(text))
		return int64(a), err
	case time.Duration:
		d, err := time.ParseDuration(text)
		return int64(d), err
	}
	return strconv.ParseInt(text, 10, 64)
}

func checkAbove(v reflect.Value, argument string) string {
	limit, err := strconv.ParseFloat(argument, 64)
	return faultIf(err != nil || !(v.Float() > limit), " must be more than %s, not %v", argument, v)
}

func checkMonth(v reflect.Value, _ string) string {
	return faultIf(v.Int() < 1 || v.Int() > 12, " must be a month, 1 to 12, not %v", v)
}

// checkAddress accepts an absolute http or https address without credentials.
func checkAddress(text, _ string) string {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Sprintf(" %q is not an address: give one like https://example.org", Shown(text))
	case u.User != nil:
		return " must not contain a user or a password: they have flags of their own"
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Sprintf(" %q must not have a query or a fragment: leave out what follows", Shown(text))
	}
	return ""
}

// CheckHTTPS accepts an address that is https or on loopback.
func CheckHTTPS(text, reason string) string {
	if fault := checkAddress(text, ""); fault != "" {
		return fault
	}
	u, err := url.Parse(text)
	return faultIf(err != nil || u.Scheme == "http" && !isLoopback(u.Hostname()),
		" %q is not https: only a loopback address may do without%s", Shown(text), reason)
}

// CheckPublicAddress accepts an address for browsers: only a host, and https or on loopback.
func CheckPublicAddress(text, _ string) string {
	if fault := CheckHTTPS(text, ", for sessions would travel unprotected"); fault != "" {
		return fault
	}
	u, err := url.Parse(strings.TrimRight(text, "/"))
	return faultIf(err != nil || u.Path != "", " %q has a path: give housecount a host name of its own", Shown(text))
}

func isLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// ParseZone returns a time zone by name; Local is not accepted.
func ParseZone(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, errors.New("the machine's zone is not the venue's")
	}
	return time.LoadLocation(name)
}

// ParseClock returns how long after midnight HH:MM is.
func ParseClock(text string) (time.Duration, error) {
	t, err := time.Parse("15:04", text)
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, err
}

// ParseNetwork parses a range of addresses; a single address is a range of one.
func ParseNetwork(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	return p.Masked(), err
}

// ParseRate parses a rate such as 60/min, 5/s or 60, which is per minute.
func ParseRate(text string) (int, error) {
	count, unit, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(count)
	times, known := map[string]int{"": 1, "m": 1, "min": 1, "minute": 1, "s": 60, "sec": 60, "second": 60}[unit]
	if err != nil || n < 0 || n > 10_000 || !known {
		return 0, fmt.Errorf("%q is not a rate: give one like 60/min or 5/s, up to 10000", text)
	}
	return n * times, nil
}
