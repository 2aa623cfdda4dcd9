// Package rows holds rows by the ids of records, in a third of the memory of a map of pointers and with little for the garbage
// collector to do: rows are next to one another, and so are ids.
package rows

import (
	"hash/maphash"
	"iter"
	"math/bits"
	"strings"
)

const (
	chunk    = 256     // rows that are made at once
	textSize = 1 << 16 // bytes of ids that are next to one another
	least    = 16      // slots
)

// Rows are numbered, and stay where they are. The zero value is empty.
type Rows[T any] struct {
	chunks []*[chunk]T
	count  int
}

// Len returns the number of rows.
func (r *Rows[T]) Len() int { return r.count }

// At returns a row by its number: the first that was added has 0, the next 1.
func (r *Rows[T]) At(row int) *T { return &r.chunks[row/chunk][row%chunk] }

// Add adds an empty row, and returns it.
func (r *Rows[T]) Add() *T {
	if r.count%chunk == 0 {
		r.chunks = append(r.chunks, new([chunk]T))
	}
	r.count++
	return r.At(r.count - 1)
}

// All yields the rows.
func (r *Rows[T]) All() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for row := range r.count {
			if !yield(r.At(row)) {
				return
			}
		}
	}
}

// Table holds a row for each id. Rows are never removed. The zero value is empty.
type Table[T any] struct {
	Rows[T]
	seed  maphash.Seed
	slots []uint32 // the number of a row; any number where tags has 0
	tags  []uint8  // a part of the hash of each slot's id, which tells most others apart; 0 for a free slot
	// ids is where the ids begin in texts: the number of the text, and the place in it.
	ids   Rows[uint32]
	texts []*strings.Builder
}

// Reserve makes room for this many rows in an empty table.
func (t *Table[T]) Reserve(n int) {
	if t.count == 0 {
		t.grow(max(least, n*5/4+1))
	}
}

// Get returns the row of an id, nil if there is none.
func (t *Table[T]) Get(id string) *T {
	if t.count == 0 {
		return nil
	}
	if _, row := t.find(id, t.hash(id)); row >= 0 {
		return t.At(row)
	}
	return nil
}

// Entry returns the row of an id, and makes an empty one, the last, if there is none.
func (t *Table[T]) Entry(id string) *T {
	if t.count*5 >= len(t.slots)*4 {
		t.grow(max(least, len(t.slots)*3/2)) // twice as many would be half empty
	}
	h := t.hash(id)
	slot, at := t.find(id, h)
	if at >= 0 {
		return t.At(at)
	}
	at = t.count
	t.slots[slot], t.tags[slot] = uint32(at), tag(h)
	*t.ids.Add() = t.hold(id)
	return t.Add()
}

func (t *Table[T]) hash(id string) uint64 { return maphash.String(t.seed, id) }

// slot returns where to look first for an id of this hash.
func (t *Table[T]) slot(h uint64) int {
	high, _ := bits.Mul64(h, uint64(len(t.slots)))
	return int(high)
}

// after returns the slot after another one.
func (t *Table[T]) after(slot int) int {
	if slot++; slot < len(t.slots) {
		return slot
	}
	return 0
}

// tag is of the bits of a hash that do not choose the slot.
func tag(h uint64) uint8 { return max(1, uint8(h)) }

// find returns the row of an id of this hash, or −1 and the slot that is free for it.
func (t *Table[T]) find(id string, h uint64) (slot, row int) {
	for slot = t.slot(h); t.tags[slot] != 0; slot = t.after(slot) {
		if t.tags[slot] != tag(h) {
			continue
		}
		if row = int(t.slots[slot]); t.ID(row) == id {
			return slot, row
		}
	}
	return slot, -1
}

// grow changes the number of slots.
func (t *Table[T]) grow(slots int) {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	t.slots, t.tags = make([]uint32, slots), make([]uint8, slots)
	for row := range t.count {
		h := t.hash(t.ID(row))
		slot := t.slot(h)
		for t.tags[slot] != 0 {
			slot = t.after(slot)
		}
		t.slots[slot], t.tags[slot] = uint32(row), tag(h)
	}
}

// hold copies an id and returns where it is. A byte before it says how long it is; a longer one is alone in its text.
func (t *Table[T]) hold(id string) uint32 {
	last := len(t.texts) - 1
	if last < 0 || t.texts[last].Len() >= textSize || t.texts[last].Cap()-t.texts[last].Len() <= len(id) || len(id) >= 0xff {
		text := new(strings.Builder)
		text.Grow(max(min(textSize, 16*max(least, t.count)), len(id)+1))
		t.texts = append(t.texts, text)
		last++
	}
	text := t.texts[last]
	begin := uint32(last)<<16 | uint32(text.Len())
	text.WriteByte(byte(min(len(id), 0xff)))
	text.WriteString(id)
	return begin
}

// ID returns the id of a row.
func (t *Table[T]) ID(row int) string {
	begin := *t.ids.At(row)
	text := t.texts[begin>>16].String()[begin&0xffff:]
	if text[0] == 0xff {
		return text[1:]
	}
	return text[1 : 1+int(text[0])]
}
