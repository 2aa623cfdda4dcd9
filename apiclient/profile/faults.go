package profile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"housecount/apiclient/record"
)

// maxFaults is the most faults of a profile that are listed.
const maxFaults = 100

// faults collects what is wrong with a profile.
type faults struct {
	file string
	// lines holds the line of each value, by paths such as streams[0].path.
	lines map[string]int
	// blocks holds the lines after which block texts begin.
	blocks map[string]int
	faulty map[string]bool // paths with a fault
	found  []fault
}

type fault struct {
	line int
	text string
}

// add reports a fault of the value at path: what it is, a semicolon, how to fix it. It is ignored
// if the value, or one that contains it, already has a fault: it would be a consequence.
func (f *faults) add(path, format string, a ...any) {
	for p := path; ; p = parentPath(p) {
		if f.faulty[p] {
			return
		}
		if p == "" {
			break
		}
	}
	f.faulty[path] = true
	f.addLine(f.line(path), "%.120s "+format, append([]any{cmp.Or(path, "the profile")}, a...)...)
}

func (f *faults) addLine(line int, format string, a ...any) {
	text := strings.ToValidUTF8(fmt.Sprintf(format, a...), "\ufffd")
	f.found = append(f.found, fault{line, record.CleanText(text)})
}

// line returns the line of path or of the nearest value around it.
func (f *faults) line(path string) int {
	for ; path != ""; path = parentPath(path) {
		if n, ok := f.lines[path]; ok {
			return n
		}
	}
	return 1
}

func parentPath(path string) string { return path[:max(strings.LastIndexAny(path, ".["), 0)] }

// err joins all faults in the order of their lines, nil if there are none.
func (f *faults) err() error {
	slices.SortStableFunc(f.found, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	var all []error
	for i, one := range f.found {
		if i == maxFaults {
			all = append(all, fmt.Errorf("%s: there are %d further faults; mend these first", f.file, len(f.found)-maxFaults))
			break
		}
		all = append(all, fmt.Errorf("%s:%d: %s", f.file, one.line, one.text))
	}
	return errors.Join(all...)
}

func (f *faults) printable(path, s string) {
	if !Printable(s) || len(s) > 2000 {
		f.add(path, "has a line end or another character that cannot be printed, or is too long; write it on one line")
	}
}

func (f *faults) within(path string, n, least, most int) {
	if n < least || n > most {
		f.add(path, "is %d; give a number within %d and %d", n, least, most)
	}
}

func (f *faults) oneOf(path, s string, known ...string) {
	if s != "" && !slices.Contains(known, s) {
		f.add(path, "is %.60q; %s", s, knownWords(known))
	}
}

// knownWords lists the valid words, for a fault of an invalid one.
func knownWords(words []string) string { return "the known ones are " + strings.Join(words, ", ") }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
