package options

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// variablePrefix begins the name of every environment variable that sets an option.
const variablePrefix = "HOUSECOUNT_"

// Variable returns the name of the environment variable that sets an option.
func Variable(option string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(option, "-", "_"))
}

// serviceLink matches the variables that Kubernetes, and links of Docker, set for a service whose
// name begins with housecount: https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
var serviceLink = regexp.MustCompile(`^HOUSECOUNT(_[A-Z0-9_]+)?_(SERVICE_HOST=|SERVICE_PORT(_[A-Z0-9_]+)?=\d|PORT(_\d+_(TCP|UDP|SCTP))?=(tcp|udp|sctp)://|PORT_\d+_(TCP|UDP|SCTP)_(PROTO|PORT|ADDR)=)`)

// Mistyped adds a fault for each environment variable that has the prefix of options without being one.
func (e *Faults) Mistyped(vars map[string]string, model *kong.Application) {
	var known []string
	for option := range Names(model) {
		known = append(known, Variable(option), Variable(option)+"_FILE")
	}
	slices.Sort(known)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		if !strings.HasPrefix(name, variablePrefix) || slices.Contains(known, name) ||
			serviceLink.MatchString(name+"="+vars[name]) {
			continue
		}
		e.Add("%s: no such option; %s", name, suggestion(name, known))
	}
}

// Names returns the names of the options of all commands.
func Names(model *kong.Application) map[string]bool {
	names := map[string]bool{}
	for _, node := range model.Leaves(true) {
		for _, group := range node.AllFlags(false) {
			for _, f := range group {
				if f.Name != "help" {
					names[f.Name] = true
				}
			}
		}
	}
	return names
}

// suggestion returns the end of a message about an unknown name: the nearest known name, or where all are listed
// if none is near.
func suggestion(name string, known []string) string {
	prefix := ""
	if strings.HasPrefix(name, variablePrefix) { // by which two names are no nearer to each other
		prefix = variablePrefix
	}
	bare := make([]string, len(known))
	for i, k := range known {
		bare[i] = strings.TrimPrefix(k, prefix)
	}
	if n := Nearest(strings.TrimPrefix(name, prefix), bare); n != "" {
		return "did you mean " + prefix + n + "?"
	}
	return "housecount serve --help lists them all"
}

// Nearest returns the known name nearest to a name, or nothing if none is near.
func Nearest(name string, known []string) (near string) {
	least := 1 + len(name)/4 // with more changes it is another word
	for _, k := range known {
		if d := distance(name, k); d <= least && (near == "" || d < least) {
			near, least = k, d
		}
	}
	return near
}

// distance returns how many bytes must be inserted, deleted, replaced or swapped with their neighbour to turn a
// into b (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replaced := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
