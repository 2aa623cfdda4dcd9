package rows

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Revisions is a set of revisions. Most come in ascending order and take two or three bytes each.
type Revisions struct {
	steps []byte // the differences, as uvarints
	last  int64
	late  []int64
}

// Add adds revisions.
func (t *Revisions) Add(revisions ...int64) {
	for _, revision := range revisions {
		switch {
		case revision > t.last:
			t.steps = binary.AppendUvarint(t.steps, uint64(revision-t.last))
			t.last = revision
		case revision < t.last:
			t.late = append(t.late, revision)
		}
	}
}

// All returns the revisions, ascending.
func (t *Revisions) All() []int64 {
	all := slices.Clone(t.late)
	at := int64(0)
	for rest := t.steps; len(rest) > 0; {
		step, n := binary.Uvarint(rest)
		rest = rest[n:]
		at += int64(step)
		all = append(all, at)
	}
	slices.SortFunc(all, cmp.Compare[int64])
	return slices.Compact(all)
}

// Last returns the highest revision; 0 if there is none.
func (t *Revisions) Last() int64 { return t.last }

// Count returns how often revisions were added, without those that were the last already.
func (t *Revisions) Count() (n int) {
	for _, b := range t.steps {
		if b < 0x80 { // ends a step
			n++
		}
	}
	return n + len(t.late)
}

// Any reports whether there are revisions after one and up to another.
func (t *Revisions) Any(after, upTo int64) bool {
	within := func(r int64) bool { return r > after && r <= upTo }
	return within(t.last) || slices.ContainsFunc(t.late, within) || t.last > upTo && slices.ContainsFunc(t.All(), within)
}
