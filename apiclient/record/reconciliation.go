package record

import (
	"cmp"
	"time"
)

// KindReconciliation is the kind of the results of housecount's own checks.
const KindReconciliation Kind = "reconciliation"

// Reconciliation is the result of one check of the figures. A different result makes another
// version of the record.
type Reconciliation struct {
	Check string    `json:"check"` // the check's name, and the record's id
	At    time.Time `json:"at"`    // by the venue's clock
	// Found lists the differences, sorted by key.
	Found []Found `json:"found,omitzero"`

	// Of a recompute from all stored versions: up to which revision, how many versions, for how
	// many performances the figures were compared, and for how many they differ, listed or not.
	Revision int64         `json:"revision,omitzero"`
	Versions int           `json:"versions,omitzero"`
	Compared int           `json:"compared,omitzero"`
	Differ   int           `json:"differ,omitzero"`
	Took     time.Duration `json:"took,omitzero"`
	// Whole is when everything was last recomputed if that was before At; of a backup, when the last good one was made if
	// that was before At. Slice is the last
	// recompute of some of the performances, nil if there was none.
	Whole time.Time        `json:"whole,omitzero"`
	Slice *RecomputedSlice `json:"slice,omitzero"`

	// Due is, of a backup, when the next one has to be there, by the venue's clock. Found has one entry where the last
	// one failed.
	Due time.Time `json:"due,omitzero"`
}

// RecomputedSlice is a recompute of slice Number of Of slices of the performances: up to which
// revision, how many versions were read, and for how many performances the figures were compared.
type RecomputedSlice struct {
	At       time.Time     `json:"at"`
	Number   int           `json:"number"`
	Of       int           `json:"of"`
	Revision int64         `json:"revision"`
	Versions int           `json:"versions"`
	Compared int           `json:"compared"`
	Took     time.Duration `json:"took"`
}

// Recomputed returns when everything was last recomputed.
func (r *Reconciliation) Recomputed() time.Time { return cmp.Or(r.Whole, r.At) }

// Found is a difference between figures.
type Found struct {
	Key string `json:"key"`
	// Since is when it was first seen, by the venue's clock.
	Since time.Time `json:"since"`
	// Event is the performance whose recomputed figures differ, empty for the whole house. Figures
	// are the differing figures.
	Event   string        `json:"event,omitzero"`
	Figures []FoundFigure `json:"figures,omitzero"`
	// Records are the ids of the newest records, of kind Kind, behind the first of the figures, if
	// they were looked up.
	Records []string `json:"records,omitzero"`
	Kind    Kind     `json:"kind,omitzero"`
	// Why is, of a backup, why it failed; empty where it was entered by a version that did not store it.
	Why BackupFault `json:"why,omitzero"`
}

// BackupFault is why a backup failed.
type BackupFault string

const (
	BackupDiskFull    BackupFault = "disk_full"
	BackupDenied      BackupFault = "denied"       // may not write there
	BackupNoDirectory BackupFault = "no_directory" // the directory is not there
	BackupDamaged     BackupFault = "damaged"      // it was written and could not be read back
	BackupOther       BackupFault = "other"        // only the log has it
)

// FoundFigure is a figure whose recomputed value differs.
type FoundFigure struct {
	Figure string     `json:"figure"`
	Shown  FoundValue `json:"shown"`
	Proper FoundValue `json:"proper"` // computed from the stored versions
}

// FoundValue is a value in the figure's unit.
type FoundValue struct {
	Unknown bool    `json:"unknown,omitzero"`
	Count   int     `json:"count,omitzero"`
	Amount  []Money `json:"amount,omitzero"`
}

func (r *Reconciliation) RecordKind() Kind         { return KindReconciliation }
func (r *Reconciliation) RecordID() string         { return r.Check }
func (r *Reconciliation) RecordUpdated() time.Time { return r.At }

// FoundSince returns when the differences were first found, by their keys; nil of a nil Reconciliation.
func (r *Reconciliation) FoundSince() map[string]time.Time {
	if r == nil {
		return nil
	}
	since := make(map[string]time.Time, len(r.Found))
	for _, f := range r.Found {
		since[f.Key] = f.Since
	}
	return since
}
