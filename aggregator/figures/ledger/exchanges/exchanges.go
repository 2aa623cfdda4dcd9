// Package exchanges holds which ticket replaces which, by their ids, whatever is known of the tickets themselves. It is pure. Its
// size is in proportion to the tickets that replace one.
package exchanges

import (
	"slices"
	"strings"
)

// Exchanges are which ticket replaces which. A ticket replaces at most one.
type Exchanges struct {
	First map[string]string   // by ticket: the one that it replaces
	Next  map[string][]string // by ticket: those that replace it
}

// New returns no exchanges.
func New() Exchanges { return Exchanges{First: map[string]string{}, Next: map[string][]string{}} }

// Exchange stores which ticket another one replaces, empty for none.
func (x *Exchanges) Exchange(id, first string) {
	if old := x.First[id]; old != "" {
		delete(x.First, id)
		if x.Next[old] = slices.DeleteFunc(x.Next[old], func(next string) bool { return next == id }); len(x.Next[old]) == 0 {
			delete(x.Next, old)
		}
	}
	if first != "" {
		id, first = strings.Clone(id), strings.Clone(first) // which are parts of rows
		x.First[id] = first
		x.Next[first] = append(x.Next[first], id)
	}
}

// Before returns the tickets that a ticket replaces if it replaces firsts: these, those that they replace, and so on, once each.
func (x *Exchanges) Before(id string, firsts ...string) (all []string) {
	for _, first := range firsts {
		for first != "" && first != id && !slices.Contains(all, first) {
			all, first = append(all, first), x.First[first]
		}
	}
	return all
}

// After returns a ticket, those that replace it, those that replace these, and so on, once each.
func (x *Exchanges) After(id string) (all []string) {
	all = []string{id}
	for i := 0; i < len(all); i++ {
		for _, next := range x.Next[all[i]] {
			if !slices.Contains(all, next) {
				all = append(all, next)
			}
		}
	}
	return all
}
