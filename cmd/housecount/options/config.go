// Package options reads the options of a command, from the command line, the environment and the configuration file,
// and checks them: each by its tag, and names that no option has. It also has the groups of options that several commands share
// (service.go, login.go, database.go and so on), each with what the options of the group set and what they mean together. The
// options of one command alone are in that command's file.
package options

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"housecount/aggregator/store"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
)

// Faults is all faults of a configuration, each with what to do about it.
type Faults struct{ List []string }

// Error returns the faults, one a line if they are several.
func (e *Faults) Error() string {
	if len(e.List) == 1 {
		return e.List[0]
	}
	return fmt.Sprintf("%d things are wrong with the configuration:\n  - %s", len(e.List), strings.Join(e.List, "\n  - "))
}

// Add adds a fault.
func (e *Faults) Add(format string, args ...any) {
	e.List = append(e.List, fmt.Sprintf(format, args...))
}

// Join adds the faults of err, which may be nil.
func (e *Faults) Join(err error) {
	if several, ok := errors.AsType[*Faults](err); ok {
		e.List = append(e.List, several.List...)
	} else if err != nil {
		e.Add("%v", err)
	}
}

// OrNil returns e with its faults in the order of their options, or nil if there is none.
func (e *Faults) OrNil() error {
	if len(e.List) == 0 {
		return nil
	}
	slices.Sort(e.List)
	return e
}

// File is the path of the configuration file.
type File string

// Database is the path of an SQLite file, or the address of a PostgreSQL database.
type Database string

// UnmarshalText makes a path absolute and leaves an address alone.
func (d *Database) UnmarshalText(b []byte) error {
	if *d = Database(b); *d != "" && !d.IsAddress() {
		*d = Database(kong.ExpandPath(string(b)))
	}
	return nil
}

// IsAddress reports whether it is the address of a PostgreSQL database.
func (d Database) IsAddress() bool { return strings.Contains(string(d), "://") }

// String returns the name without user, password and parameters of an address.
func (d Database) String() string {
	switch {
	case store.CheckName(string(d)) != nil:
		return "(not readable)"
	case d.IsAddress():
		return Shown(string(d))
	}
	return string(d)
}

// Day is 24 hours.
const Day = 24 * time.Hour

// Age is a duration that may be given in days, such as 400d.
type Age time.Duration

// UnmarshalText parses days, or a duration in Go's format.
func (a *Age) UnmarshalText(b []byte) error {
	if days, ok := strings.CutSuffix(string(b), "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16) // 65535 days are more than enough
		if err != nil {
			return fmt.Errorf("%q is not a number of days: give one like 400d", b)
		}
		*a = Age(n) * Age(Day)
		return nil
	}
	d, err := time.ParseDuration(string(b))
	if err != nil {
		return fmt.Errorf("%q is not a time: give one like 400d", b)
	}
	*a = Age(d)
	return nil
}

// String returns days if it is whole days, else a duration in Go's format.
func (a Age) String() string {
	if d := time.Duration(a); d%Day != 0 {
		return d.String()
	}
	return fmt.Sprintf("%dd", time.Duration(a)/Day)
}

// fileFault is what is wrong with the configuration file itself, and with no option.
type fileFault struct{ error }

func (f fileFault) Unwrap() error { return f.error }

// withoutUnit matches what kong says of a duration that is only a number, and noDuration of any that is none.
var (
	withoutUnit = regexp.MustCompile(`^(--[a-z-]+): expected duration but got "(\d+)": .*$`)
	noDuration  = regexp.MustCompile(`^(--[a-z-]+): expected duration but got (".*"): .*$`)
)

// Readable returns what parsing the options came to, as somebody can act on it: kong puts an option before what is wrong
// with the file, the one that it resolved first, and does not say how a duration is written.
func Readable(err error) error {
	if f, ok := errors.AsType[fileFault](err); ok {
		return f
	}
	if err != nil && withoutUnit.MatchString(err.Error()) {
		return errors.New(withoutUnit.ReplaceAllString(err.Error(), "$1 $2 has no unit: give ${2}s, ${2}m or ${2}h"))
	}
	if err != nil && noDuration.MatchString(err.Error()) {
		return errors.New(noDuration.ReplaceAllString(err.Error(), "$1 $2 is not a time: give one like 30s, 15m or 24h"))
	}
	return err
}

// Resolver resolves every flag that the command line does not give: from
// HOUSECOUNT_NAME, or the file that HOUSECOUNT_NAME_FILE names, else from the --config file.
// A key of that file that is no flag is an error, so that a typing error does not go unnoticed. The files with secrets
// in them are added to secrets.
func Resolver(vars map[string]string, secrets *SensitiveFiles) kong.Resolver {
	var file map[string]any
	return kong.ResolverFunc(func(c *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value, ok, err := fromEnvironment(vars, flag.Name); err != nil || ok {
			if path, named := vars[Variable(flag.Name)+"_FILE"]; named && err == nil {
				secrets.Add(path)
			}
			return value, err
		}
		if flag.Name == "config" {
			return nil, nil
		}
		if file == nil {
			name, _ := c.FlagValue(ConfigFlag(c)).(File)
			if name == "" {
				value, _, err := fromEnvironment(vars, "config")
				if err != nil {
					return nil, fileFault{err}
				}
				name = File(value)
			}
			var err error
			if file, err = readSettings(c, string(name)); err != nil {
				return nil, fileFault{err}
			}
			secretsIn(file, string(name), secrets)
		}
		value, err := fromFile(file, flag.Name)
		if err != nil {
			return nil, fileFault{err}
		}
		if flag.Name == "services" {
			value = besideFile(file, value)
		}
		return asFlag(flag.Name, value)
	})
}

// directoryKey is the key under which the directory of the configuration file is kept beside its settings.
const directoryKey = "\x00directory"

// fromFile returns a setting of the configuration file: its value, or what is in the file that NAME-file
// names, relative to the configuration file.
func fromFile(file map[string]any, name string) (any, error) {
	path, indirect := namedFile(file, name)
	value, direct := file[name]
	switch {
	case !indirect:
		return value, nil
	case direct:
		return nil, fmt.Errorf("configuration file: %s and %s-file are both given: leave one of them out", name, name)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %s-file: %w", name, err)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

// namedFile returns the file that NAME-file names.
func namedFile(file map[string]any, name string) (path string, ok bool) {
	path, ok = file[name+"-file"].(string)
	if directory, _ := file[directoryKey].(string); ok && !filepath.IsAbs(path) {
		path = filepath.Join(directory, path)
	}
	return path, ok
}

// secretsIn adds the files that a configuration file names, and itself if a secret is in it.
func secretsIn(file map[string]any, path string, secrets *SensitiveFiles) {
	for key, value := range file {
		if named, ok := namedFile(file, strings.TrimSuffix(key, "-file")); ok && key != "setup-file" {
			secrets.Add(named)
		} else if isSecret(key, value) {
			secrets.Add(path)
		}
	}
}

// besideFile returns the files of further services as their paths, which are relative to the configuration file.
func besideFile(file map[string]any, value any) any {
	named, ok := value.(map[string]any)
	directory, _ := file[directoryKey].(string)
	if !ok {
		return value
	}
	paths := map[string]any{}
	for name, path := range named {
		if text, ok := path.(string); ok && !filepath.IsAbs(text) {
			path = filepath.Join(directory, text)
		}
		paths[name] = path
	}
	return paths
}

// asFlag converts a value of the configuration file to the form of a command line; nil for none.
func asFlag(name string, value any) (any, error) {
	var parts []string
	switch v := value.(type) {
	case nil:
		return nil, nil
	case map[string]any: // roles: {staff: manager}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if !single(v[k]) {
				return nil, fmt.Errorf("configuration file: %s.%s must be a single value", name, k)
			}
			parts = append(parts, fmt.Sprintf("%s=%v", k, v[k]))
		}
	case []any: // oidc-scopes: [openid, profile]
		for _, one := range v {
			if !single(one) {
				return nil, fmt.Errorf("configuration file: %s must hold single values", name)
			}
			parts = append(parts, fmt.Sprint(one))
		}
	default:
		return fmt.Sprint(v), nil
	}
	return kong.JoinEscaped(parts, ','), nil
}

func single(v any) bool {
	switch v.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return true
}

func fromEnvironment(vars map[string]string, flag string) (string, bool, error) {
	name := Variable(flag)
	value, direct := vars[name]
	path, indirect := vars[name+"_FILE"]
	switch {
	case direct && indirect:
		return "", false, fmt.Errorf("%s and %s_FILE are both set: unset one of them", name, name)
	case indirect:
		b, err := os.ReadFile(path)
		if err != nil {
			return "", false, fmt.Errorf("%s_FILE: %w", name, err)
		}
		return strings.TrimRight(string(b), "\r\n"), true, nil
	}
	return value, direct, nil
}

func readSettings(c *kong.Context, path string) (map[string]any, error) {
	values := map[string]any{}
	if path == "" {
		return values, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w", err)
	}
	if err := yaml.Unmarshal(b, &values); err != nil {
		return nil, fmt.Errorf("configuration file %s: %w", path, err)
	}
	if err := knownKeys(c, path, values); err != nil {
		return nil, err
	}
	if values == nil { // of an empty file
		values = map[string]any{}
	}
	values[directoryKey] = filepath.Dir(path)
	return values, nil
}

// ConfigFlag returns the flag that names the configuration file; nil if there is none.
func ConfigFlag(c *kong.Context) *kong.Flag {
	for _, f := range c.Model.Flags {
		if f.Name == "config" {
			return f
		}
	}
	return nil
}

func knownKeys(c *kong.Context, file string, values map[string]any) error {
	known := slices.Sorted(maps.Keys(Names(c.Model)))
	var faults Faults
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(known, key) && !slices.Contains(known, strings.TrimSuffix(key, "-file")) {
			faults.Add("configuration file %s: there is no setting %q; %s", file, key, suggestion(key, known))
		}
	}
	return faults.OrNil()
}

// Required adds a fault if an option is not given; why says what to give.
func (e *Faults) Required(flag, value, why string) {
	if value == "" {
		e.Add("--%s is missing: %s", flag, why)
	}
}

// Shown returns an address without parts that may be secret: user, password, query, fragment.
func Shown(address string) string {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		scheme, rest = "", address
	}
	rest = rest[strings.LastIndex(rest, "@")+1:]
	if end := strings.IndexAny(rest, "?#"); end >= 0 {
		rest = rest[:end]
	}
	if found {
		rest = scheme + "://" + rest
	}
	return rest
}
