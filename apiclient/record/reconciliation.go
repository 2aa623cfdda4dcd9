package record

import (
	"cmp"
	"time"
)

// KindReconciliation is that of what housecount itself found when it held figures against each other.
const KindReconciliation Kind = "reconciliation"

// Reconciliation is what a check of the figures has found. Each time that it finds something else it
// makes another version of the record.
type Reconciliation struct {
	Check string    `json:"check"` // its name, and the record's id
	At    time.Time `json:"at"`    // by the venue's clock
	// Found are the differences that there are, sorted by their keys.
	Found []Found `json:"found,omitzero"`

	// Of a recompute from all stored versions: up to which revision, how many versions they were, of how
	// many performances the figures were compared, and how many of these differ, listed or not.
	Revision int64         `json:"revision,omitzero"`
	Versions int           `json:"versions,omitzero"`
	Compared int           `json:"compared,omitzero"`
	Differ   int           `json:"differ,omitzero"`
	Took     time.Duration `json:"took,omitzero"`
	// Whole is when all was recomputed, where that was before At, and Slice the last recompute of some of the
	// performances; nil where there was none.
	Whole time.Time        `json:"whole,omitzero"`
	Slice *RecomputedSlice `json:"slice,omitzero"`
}

// RecomputedSlice is a recompute of one slice of the performances, by its number, below Of: up to which
// revision, how many versions were read, and of how many performances the figures were compared.
type RecomputedSlice struct {
	At       time.Time     `json:"at"`
	Number   int           `json:"number"`
	Of       int           `json:"of"`
	Revision int64         `json:"revision"`
	Versions int           `json:"versions"`
	Compared int           `json:"compared"`
	Took     time.Duration `json:"took"`
}

// Recomputed is when all was recomputed.
func (r *Reconciliation) Recomputed() time.Time { return cmp.Or(r.Whole, r.At) }

// Found is a difference.
type Found struct {
	Key string `json:"key"`
	// Since is when it was first seen, by the venue's clock.
	Since time.Time `json:"since"`
	// Event is the performance of which a recompute comes to something else, empty for the whole house,
	// and Figures what it comes to.
	Event   string        `json:"event,omitzero"`
	Figures []FoundFigure `json:"figures,omitzero"`
	// Records are the ids of the newest records, of the kind, that the first of the figures is counted from,
	// where they were looked for.
	Records []string `json:"records,omitzero"`
	Kind    Kind     `json:"kind,omitzero"`
}

// FoundFigure is a figure of which a recompute comes to something else.
type FoundFigure struct {
	Figure string     `json:"figure"`
	Shown  FoundValue `json:"shown"`
	Proper FoundValue `json:"proper"` // as the stored versions come to
}

// FoundValue is the value of a figure, of its unit.
type FoundValue struct {
	Unknown bool    `json:"unknown,omitzero"`
	Count   int     `json:"count,omitzero"`
	Amount  []Money `json:"amount,omitzero"`
}

func (r *Reconciliation) RecordKind() Kind         { return KindReconciliation }
func (r *Reconciliation) RecordID() string         { return r.Check }
func (r *Reconciliation) RecordUpdated() time.Time { return r.At }
