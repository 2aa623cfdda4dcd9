// Package entered holds what is entered beside the records of the service, by people and by the program itself:
// acknowledgements, raised alerts, messages on screens, settings, and the results of checks. Of each the newest version counts.
// It is pure; none of it is added to a sum.
package entered

import (
	"cmp"
	"maps"
	"slices"

	"housecount/aggregator/figures"
	"housecount/apiclient/record"
)

// Entries are what was entered.
type Entries struct {
	acknowledged map[string]entry[*record.Acknowledgement] // by id
	raised       map[string]entry[*record.RaisedAlert]     // by id
	messages     map[string]entry[*record.ScreenMessage]   // by id
	settings     map[string]entry[*record.Setting]         // by id
	reconciled   map[figures.Check]entry[*record.Reconciliation]

	revision  int64 // the newest of all
	published Published
}

// entry is a record, and the revision of its version.
type entry[R any] struct {
	record   R
	revision int64
}

// New returns no entries.
func New() Entries {
	return Entries{
		acknowledged: map[string]entry[*record.Acknowledgement]{},
		raised:       map[string]entry[*record.RaisedAlert]{},
		messages:     map[string]entry[*record.ScreenMessage]{},
		settings:     map[string]entry[*record.Setting]{},
		reconciled:   map[figures.Check]entry[*record.Reconciliation]{},
	}
}

// Apply stores a version in place of the previous one of its record, and reports whether it did. Other kinds of records are
// ignored.
func (e *Entries) Apply(v *record.Version) (changed bool) {
	switch r := v.Record.(type) {
	case *record.Acknowledgement:
		changed = put(e.acknowledged, r.RecordID(), r, v)
	case *record.RaisedAlert:
		changed = put(e.raised, r.RecordID(), r, v)
	case *record.ScreenMessage:
		changed = put(e.messages, r.ID, r, v)
	case *record.Setting:
		changed = put(e.settings, r.RecordID(), r, v)
	case *record.Reconciliation:
		changed = put(e.reconciled, figures.Check(r.Check), r, v)
	}
	if changed {
		e.revision = max(e.revision, v.Revision)
	}
	return changed
}

// put stores the record of a version under k if it is newer than what is there.
func put[K comparable, R any](m map[K]entry[R], k K, r R, v *record.Version) bool {
	if !v.Head || v.Revision <= m[k].revision {
		return false
	}
	m[k] = entry[R]{r, v.Revision}
	return true
}

// Published is what a Snapshot has of the entries. It is not changed afterwards.
type Published struct {
	Revision     int64                                // the newest of all; 0 for none
	Acknowledged map[string][]figures.Acknowledgement // by alert, in the order of their ids
	Alerts       []*record.RaisedAlert                // in the order in which they were raised
	Messages     []*record.ScreenMessage              // not withdrawn: urgent ones first, then the newest
	Checks       map[figures.Check]*record.Reconciliation
}

// Publish returns the entries. If nothing was applied since, it returns what it returned last.
func (e *Entries) Publish() Published {
	if e.published.Revision != e.revision {
		e.published = Published{e.revision, e.acknowledgements(), e.alerts(), e.standing(), e.found()}
	}
	return e.published
}

// Settings returns the values that are in force.
func (e *Entries) Settings() *figures.Settings {
	all := make(map[string]figures.Setting, len(e.settings))
	for id, s := range e.settings {
		all[id] = figures.Setting{Setting: s.record, Revision: s.revision}
	}
	return figures.SettingsOf(all)
}

func (e *Entries) acknowledgements() map[string][]figures.Acknowledgement {
	all := make(map[string][]figures.Acknowledgement, len(e.acknowledged))
	for _, id := range slices.Sorted(maps.Keys(e.acknowledged)) {
		a := e.acknowledged[id]
		all[a.record.Alert] = append(all[a.record.Alert], figures.Acknowledgement{Acknowledgement: a.record, Revision: a.revision})
	}
	return all
}

func (e *Entries) alerts() []*record.RaisedAlert {
	all := make([]*record.RaisedAlert, 0, len(e.raised))
	for _, id := range slices.Sorted(maps.Keys(e.raised)) {
		all = append(all, e.raised[id].record)
	}
	slices.SortStableFunc(all, func(a, b *record.RaisedAlert) int { return cmp.Compare(a.Raised.UnixNano(), b.Raised.UnixNano()) })
	return all
}

func (e *Entries) standing() []*record.ScreenMessage {
	var all []*record.ScreenMessage
	for _, m := range e.messages {
		if !m.record.Withdrawn {
			all = append(all, m.record)
		}
	}
	slices.SortFunc(all, func(a, b *record.ScreenMessage) int {
		switch {
		case a.Urgent && !b.Urgent:
			return -1
		case b.Urgent && !a.Urgent:
			return 1
		}
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// found returns the newest result of each check.
func (e *Entries) found() map[figures.Check]*record.Reconciliation {
	all := make(map[figures.Check]*record.Reconciliation, len(e.reconciled))
	for c, r := range e.reconciled {
		all[c] = r.record
	}
	return all
}
